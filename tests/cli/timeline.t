# SPDX-License-Identifier: GPL-2.0
#
# flamegraph --timeline: every sample is in one cell, in the row and at the time where it was made;
# what was lost is where it was lost.
. tests/lib.sh
need_event raw_syscalls:sys_enter
need_cmd python3 taskset
number=$("$PROG/storm" --number)

well_formed()
{
	python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1"
}

# cells FILE: "ROW FROM TO COUNT" of each, rows without blanks.
cells()
{
	sed -n 's|^<rect class="h[1-8]".*<title>\(.*\), \([0-9.]*\) to \([0-9.]*\) s: \([0-9,]*\) .*|\1;\2;\3;\4|p' "$1" |
		tr -d ' ,' | tr ';' ' '
}
# sum_of FILE ROW: the counts in its cells; all: of all rows.
sum_of()
{
	cells "$1" | awk -v row="$2" 'row == "all" || $1 == row { n += $4 } END { printf "%d\n", n }'
}
# bars FILE: the counts in the sums above them.
bars()
{
	sed -n 's|^<rect class="bar".* s: \([0-9,]*\) .*|\1|p' "$1" | tr -d , |
		awk '{ n += $1 } END { printf "%d\n", n }'
}
# shared_in FILE: what was lost on no row that is known, which each tells.
shared_in()
{
	sed -n 's#^<rect class="lost".*; \([0-9,]*\) \(more \)\?on any of the rows<.*#\1#p' "$1" | tr -d , | sort -u
}
# lost_in FILE: as its bands tell.
lost_in()
{
	sed -n 's#^<rect class="\(lost\|stopped\)".* s: \([0-9,]*\) lost: .*#\2#p' "$1" | tr -d , |
		(cat; shared_in "$1") | awk '{ n += $1 } END { printf "%d\n", n }'
}
timeline()
{
	out=$1
	shift
	run "$PERF_LITE" flamegraph --timeline -o "$TMP/$out" "$@"
}

# A burst on each of two CPUs, one after the other

cpus=$(taskset -cp $$ | sed 's/.*: //; s/-/,/' | tr ',' ' ')
first=${cpus%% *} second=${cpus##* }
"$PERF_LITE" record -m 4M -e raw_syscalls:sys_enter --filter "id == $number && comm == \"storm\"" -o "$TMP/b" -- \
	sh -c "taskset -c $second '$PROG/storm' 3000; sleep 0.3; taskset -c $first '$PROG/storm' 2000" \
	>"$TMP/out" 2>&1 || diag_file "$TMP/out"
timeline b.svg -i "$TMP/b"
rc_is 0 "bursts"
ok "well-formed" well_formed "$TMP/b.svg"
unlike "nothing from elsewhere" "$TMP/b.svg" 'href=|url\(|@import|src='
is "every sample is in a cell" "$(sum_of "$TMP/b.svg" all)" 5000
is "and in the sums" "$(bars "$TMP/b.svg")" 5000
is "each cell says what ran" "$(sed -n 's|^<rect class="h[1-8]".* samples\{0,1\}: \(.*\)</title>.*|\1|p' "$TMP/b.svg" | sort -u)" storm
if [ "$first" != "$second" ]; then
	is "the first burst in its row" "$(sum_of "$TMP/b.svg" CPU$second)" 3000
	is "the second in its own" "$(sum_of "$TMP/b.svg" CPU$first)" 2000
else
	skip_outside "a row for each burst" "one CPU"
fi
"$PERF_LITE" script -q -G -F cpu,time -i "$TMP/b" | tr '[]:' '   ' >"$TMP/samples"
# in_place CELLS SAMPLES: as many samples in the span of each cell as it says; the text of samples
# has microseconds, so that a sample may stand on the edge of two
cat >"$TMP/in_place.py" <<'PY'
import sys
samples = [(int(a), float(b)) for a, b in (l.split() for l in open(sys.argv[2]))]
bad = nr = 0
for line in open(sys.argv[1]):
    row, begin, end, count = line.split()
    cpu, begin, end, count = int(row[3:]), float(begin), float(end), int(count)
    times = [t for c, t in samples if c == cpu]
    least = sum(begin + 1e-6 <= t < end - 1e-6 for t in times)
    most = sum(begin - 1e-6 <= t < end + 1e-6 for t in times)
    nr += 1
    if not least <= count <= most:
        bad += 1
        print("%s %f to %f: %d, not %d to %d" % (row, begin, end, count, least, most))
sys.exit(bad > 0 or nr < 2)
PY
cells "$TMP/b.svg" >"$TMP/cells"
ok "each at its time" python3 "$TMP/in_place.py" "$TMP/cells" "$TMP/samples"
like "the silence between them is white" "$TMP/b.svg" '<rect class="empty"'
timeline b2.svg -i "$TMP/b" -C "$first"
is "of one CPU" "$(sed -n 's|.*<text class="name"[^>]*>\(CPU [0-9]*\)<.*|\1|p' "$TMP/b2.svg")" "CPU $first"
timeline b2.svg -i "$TMP/b" --width 500
is "as many samples in a narrow picture" "$(sum_of "$TMP/b2.svg" all)" 5000
like "of that width" "$TMP/b2.svg" '<svg [^>]*width="500"'
timeline b2.html -i "$TMP/b" --title 'A & B'
like "HTML" "$TMP/b2.html" '^<!DOCTYPE html>'
like "the title" "$TMP/b2.html" '>A &amp; B</text>'
is "the same cells" "$(cells "$TMP/b2.html" | sort | cksum)" "$(cells "$TMP/b.svg" | sort | cksum)"
cat "$TMP/b" | "$PERF_LITE" flamegraph --timeline >"$TMP/b3.svg"
is_file "from a pipe to a pipe" "$TMP/b3.svg" "$TMP/b.svg"

# A CPU without a sample

if [ "$first" != "$second" ]; then
	# by a name that nobody else has
	cp "$PROG/storm" "$TMP/st$$"
	"$PERF_LITE" record -m 4M -a -e raw_syscalls:sys_enter --filter "id == $number && comm == \"st$$\"" \
		-o "$TMP/s" -- taskset -c "$second" "$TMP/st$$" 500 >"$TMP/out" 2>&1
	timeline s.svg -i "$TMP/s"
	like "has a row" "$TMP/s.svg" "<text class=\"name\"[^>]*>CPU $first<"
	like "that is called silent" "$TMP/s.svg" 'is-silent"[^>]*>silent<'
	is "the other has all" "$(sum_of "$TMP/s.svg" CPU$second)" 500
else
	skip_outside "a silent CPU" "one CPU"
fi

# A part of the time

from=$(awk 'NR == 1000 { print $2 }' "$TMP/samples") to=$(awk 'NR == 4000 { print $2 }' "$TMP/samples")
timeline t.svg -i "$TMP/b" --time "$from,$to"
n=$(sum_of "$TMP/t.svg" all)
ok "--time: $n of 3001 samples" test "$n" -ge 2990 -a "$n" -le 3011
timeline t.svg -i "$TMP/b" --time 0,1
rc_is 1 "no sample in that time"
like "it says so" "$TMP/err" 'holds no samples'

# Weights, events

"$PERF_LITE" record -F 999 -o "$TMP/w" -e cpu-clock -e page-faults -- "$PROG/spin" 200 >"$TMP/out" 2>&1
timeline w.svg -i "$TMP/w" --event cpu-clock --weight period
like "--weight period: time" "$TMP/w.svg" ' s: [0-9.]+ [mu]s: spin</title>'
like "in the legend, too" "$TMP/w.svg" '>up to [0-9.]+ [mu]s in [0-9]+ ms</text>'
timeline w.svg -i "$TMP/w" --event cpu-clock --weight period --countname ns
is "all of it" "$(sum_of "$TMP/w.svg" all)" "$("$PERF_LITE" script -q -G -F period --event cpu-clock -i "$TMP/w" |
	awk '{ n += $1 } END { printf "%d\n", n }')"
like "in ns" "$TMP/w.svg" ' s: [0-9,]+ ns: spin</title>'
timeline w.svg -i "$TMP/w"
rc_is 1 "two events in one picture"
like "choose one" "$TMP/err" '--event=NAME: cpu-clock, page-faults'
timeline w.svg -i "$TMP/w" --per-event
for event in cpu-clock page-faults; do
	is "--per-event: $event" "$(sum_of "$TMP/w.$event.svg" all)" \
		"$("$PERF_LITE" script -q -G -F time --event $event -i "$TMP/w" | wc -l)"
done

# What was lost

# the kernel counts what it cannot tell of throttling among them: then not all are calls
for again in 1 2 3 4 5; do
	"$PERF_LITE" record -m 1 -g -e raw_syscalls:sys_enter --filter "id == $number && comm == \"storm\"" -o "$TMP/l" -- \
		sh -c '"$0" --threads 2 40000; kill -STOP $PPID; "$0" --threads 2 20000; kill -CONT $PPID; "$0" 40000' \
		"$PROG/storm" >"$TMP/out" 2>&1
	timeline l.svg -i "$TMP/l"
	lost=$((100000 - $(sum_of "$TMP/l.svg" all)))
	! grep -q " $lost lost of " "$TMP/out" || break
done
rc_is 0 "a recording that lost samples"
ok "some were lost" test $lost -gt 0
is "each stands in a band" "$(lost_in "$TMP/l.svg")" $lost
like "the legend tells of it" "$TMP/l.svg" '>lost: no room<'
# the recorder does not read while the ring is full, to the end: no record tells of that
"$PERF_LITE" record -m 1 -e raw_syscalls:sys_enter --filter "id == $number && comm == \"storm\"" -o "$TMP/z" -- \
	sh -c 'kill -STOP $PPID; "$@"; kill -CONT $PPID' sh taskset -c "$second" "$PROG/storm" 5000 >"$TMP/out" 2>&1
timeline z.svg -i "$TMP/z"
lost=$((5000 - $(sum_of "$TMP/z.svg" all)))
ok "lost at the end: $lost" test "$lost" -gt 4000
is "that each stands once" "$(lost_in "$TMP/z.svg")" $lost
is "on the row of its CPU: the kernel counts for each" "$(shared_in "$TMP/z.svg")" ""
run "$PERF_LITE" verify "$TMP/z"
like "verify names the CPU, too" "$TMP/out" "$lost samples were lost while recording: buffer full, CPU $second,"
timeline z.svg -i "$TMP/z" -C "$second"
is "also where there is one row" "$(lost_in "$TMP/z.svg")" $lost
lost=$((100000 - $(sum_of "$TMP/l.svg" all)))
like "and the head" "$TMP/l.svg" "<text class=\"warning\"[^>]*>$lost samples were lost"
timeline l2.svg -i "$TMP/l" --time 0%-50%
half=$(lost_in "$TMP/l2.svg")
ok "in half of the time, some of them: $half" test "$half" -le $lost
if can perf; then
	perf record -q -m 1 -e raw_syscalls:sys_enter --filter "id == $number" -o "$TMP/p" -- \
		sh -c 'kill -STOP $PPID; "$@"; kill -CONT $PPID; "$@"' sh taskset -c "$second" "$PROG/storm" 20000 >"$TMP/out" 2>&1
	timeline p.svg -i "$TMP/p"
	lost=$(sed -n 's/^\([0-9]*\) samples were lost .*/\1/p' "$TMP/err")
	ok "of perf's recording, some" test "${lost:-0}" -gt 0
	is "as its records of losses tell" "$(lost_in "$TMP/p.svg")" "$lost"
else
	skip_without "a recording of perf" perf
fi
rate=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
at_exit "echo $rate >/proc/sys/kernel/perf_event_max_sample_rate"
echo 1000 >/proc/sys/kernel/perf_event_max_sample_rate
"$PERF_LITE" record -e cpu-clock -c 100000 -o "$TMP/th" -- "$PROG/spin" 500 >"$TMP/out" 2>&1
echo "$rate" >/proc/sys/kernel/perf_event_max_sample_rate
timeline th.svg -i "$TMP/th"
like "an event that the kernel paused" "$TMP/th.svg" '<rect class="throttled"[^>]*><title>CPU [0-9]+, [0-9.]+ to [0-9.]+ s: throttled by the kernel'
size=$(stat -c %s "$TMP/b")
head -c $((size * 2 / 3)) "$TMP/b" >"$TMP/cut"
timeline cut.svg -i "$TMP/cut"
rc_is 3 "a recording that was cut"
like "the picture says so" "$TMP/cut.svg" '<text class="warning"'

# Machines that are not here: what perf record -o - writes, made

cat >"$TMP/make.py" <<'PY'
import struct, sys

# attr: software, cpu-clock, every sample with TID, TIME, CPU
attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1, 2 | 4 | 128, 0, 1 << 18).ljust(128, b"\0")
def record(kind, body):
    return struct.pack("<IHH", kind, 0, 8 + len(body)) + body
def sample(time, cpu, tid=7):
    return record(9, struct.pack("<IIQII", tid, tid, time, cpu, 0))
out = sys.stdout.buffer
out.write(b"PERFILE2" + struct.pack("<Q", 16) + record(64, attr + struct.pack("<Q", 1)))
for line in sys.stdin:
    kind, *rest = line.split()
    if kind == "lost":  # COUNT TIME CPU
        count, time, cpu = map(int, rest)
        out.write(record(2, struct.pack("<QQIIQII", 1, count, 7, 7, time, cpu, 0)))
    elif kind == "sum":  # COUNT, as perf writes at the end
        out.write(record(13, struct.pack("<QIIQII", int(rest[0]), 0, 0, 0, 0, 0)))
    else:
        out.write(sample(int(kind), *map(int, rest)))
PY
# made PICTURE: a timeline of samples of "TIME CPU" (and losses) in $TMP/list.
made()
{
	python3 "$TMP/make.py" <"$TMP/list" >"$TMP/made"
	timeline "$@" -i "$TMP/made"
}
rows()
{
	sed -n 's|^<rect class="empty".*<title>\(.*\): .*|\1|p' "$1"
}

awk 'BEGIN { for (i = 0; i < 40960; i++) printf "%.0f %d\n", 1e12 + i * 1000, i % 4096 }' >"$TMP/list"
made many.svg
rc_is 0 "4096 CPUs"
ok "well-formed" well_formed "$TMP/many.svg"
is "share 128 rows" "$(rows "$TMP/many.svg" | wc -l)" 128
is "by neighbours" "$(rows "$TMP/many.svg" | sed -n '2p;$p' | tr '\n' ' ')" "CPUs 32-63 CPUs 4064-4095 "
is "every sample is in a cell" "$(sum_of "$TMP/many.svg" all)" 40960
is "in the row of its CPU" "$(sum_of "$TMP/many.svg" CPUs32-63)" 320
awk 'BEGIN { for (i = 0; i < 5000; i++) printf "%.0f %d\n", 1e12 + i * 6e10, i % 3 }' >"$TMP/list"
made days.svg
is "three days" "$(sum_of "$TMP/days.svg" all)" 5000
like "columns of minutes" "$TMP/days.svg" 'samples in [1245]000? s<'
awk 'BEGIN { for (i = 0; i < 5000; i++) printf "%.0f %d\n", 1e12 + i * 10, i % 3 }' >"$TMP/list"
made us.svg
is "fifty microseconds" "$(sum_of "$TMP/us.svg" all)" 5000
like "columns of a microsecond or less" "$TMP/us.svg" 'samples in ([1245]00 ns|1 us)<'
echo 1000000000000 5 >"$TMP/list"
made one.svg
is "one sample" "$(cells "$TMP/one.svg")" "CPU5 1000.0000000 1000.0000001 1"
printf '%s\n' "1000 0" "2000 4294967295" "3000 4000000000" "18446744073709551615 1" "0 0" >"$TMP/list"
made odd.svg
rc_is 0 "CPUs and times that cannot be"
ok "well-formed" well_formed "$TMP/odd.svg"
is "a CPU that cannot be is unknown" "$(sum_of "$TMP/odd.svg" CPUunknown)" 2
is "every sample that has a time is in a cell" "$(sum_of "$TMP/odd.svg" all)" 4
like "the head tells of the others" "$TMP/odd.svg" '>not in it: 1 without a time<'

# lost at the end, which only the sum tells

bands()
{
	sed -n 's|^<rect class="lost".*<title>\(.*\)</title>.*|\1|p' "$TMP/$1"
}
seq 1000 1000 9000 | sed 's/$/000000 1/' >"$TMP/list"
sed -i '5a lost 20 5500000000 1' "$TMP/list"
sed 's/ 1$/ 0/; /lost/d' "$TMP/list" | sed 's/000000 /500000 /' >"$TMP/others"
echo sum 27 | cat "$TMP/others" "$TMP/list" - >"$TMP/both" && mv "$TMP/both" "$TMP/list"
made tail.svg
is "after the last sample of the CPU that lost" "$(bands tail.svg)" "CPU 1, 5.000000 to 5.500000 s: 20 lost: there was no room
CPU 1, 9.000000 to 9.000500 s: 7 lost: there was no room"
made tail.svg --time 0,7
is "not at the end of a part" "$(bands tail.svg)" "CPU 1, 5.000000 to 5.500000 s: 20 lost: there was no room"
sed -i 's/^sum 27/lost 1 5600000000 0\nsum 27/' "$TMP/list"
made tail.svg
is "whose of two is not known" "$(bands tail.svg | grep -v '[0-9] lost' | cut -d, -f1 | tr '\n' ' ')" "CPU 0 CPU 1 "
sed -i 's/^sum 27/sum 21/' "$TMP/list"
made tail.svg
is "nothing beyond what was told" "$(bands tail.svg | wc -l)" 2

# Rows of tasks

timeline cpu.svg -i "$TMP/b" --by cpu
is_file "--by cpu is the default" "$TMP/cpu.svg" "$TMP/b.svg"
cp "$PROG/storm" "$TMP/other"
"$PERF_LITE" record -m 4M -e raw_syscalls:sys_enter --filter "id == $number" -o "$TMP/t" -- \
	sh -c "'$PROG/storm' --threads 2 1500; '$TMP/other' 300" >"$TMP/out" 2>&1 || diag_file "$TMP/out"
for by in comm tid; do
	timeline t.svg -i "$TMP/t" --by $by
	rc_is 0 "--by $by"
	ok "well-formed" well_formed "$TMP/t.svg"
	"$PERF_LITE" script -q -G -F comm,tid -i "$TMP/t" | sed 's/^ *//; s/ *$//' |
		awk -v by=$by '{ tid = $NF; sub(/ +[0-9]+$/, ""); gsub(/ /, ""); print by == "tid" ? $0 "-" tid : $0 }' |
		sort | uniq -c | awk '{ print $2, $1 }' | sort >"$TMP/want"
	cells "$TMP/t.svg" | awk '{ n[$1] += $4 } END { for (i in n) print i, n[i] }' | sort >"$TMP/got"
	is_file "a row for each, with its samples" "$TMP/got" "$TMP/want"
	sed -n 's|^<rect class="empty".*<title>.*: \([0-9,]*\) samples\{0,1\}<.*|\1|p' "$TMP/t.svg" | tr -d , >"$TMP/got"
	sort -nr "$TMP/got" >"$TMP/want"
	is_file "the busiest first" "$TMP/got" "$TMP/want"
done
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "%.0f 0 %d\n", 1e12 + i * 1000, i % 300 < 100 ? i % 10 : i % 300 }' >"$TMP/list"
made tasks.svg --by tid
is "210 tasks: 128 rows" "$(rows "$TMP/tasks.svg" | wc -l)" 128
is "the last is of the others" "$(rows "$TMP/tasks.svg" | tail -n 1)" "83 others"
is "every sample is in a cell" "$(sum_of "$TMP/tasks.svg" all)" 3000
is "of them, too" "$(sum_of "$TMP/tasks.svg" 83others)" 830

# What does not go together

for args in "--stack-field id" "--diff $TMP/b"; do
	rm -f "$TMP/x.svg"
	timeline x.svg -i "$TMP/b" $args
	rc_is 1 "not with $args"
	ok "nothing is written" test ! -e "$TMP/x.svg"
done

# The script, in a browser: dragging from the fourth column to the second, Escape

browser=
for b in chromium chromium-browser google-chrome; do
	command -v $b >/dev/null && browser=$b && break
done
if [ -n "$browser" ]; then
	timeline drag.html -i "$TMP/b"
	map=$(grep -o '<g id="map"[^>]*>' "$TMP/drag.html")
	attribute()
	{
		echo "$map" | sed "s/.* $1=\"\([0-9]*\)\".*/\1/"
	}
	cat >>"$TMP/drag.html" <<'HTML'
<script>
const map_ = document.getElementById("map");
function go(type, column) {
	const m = map_.dataset;
	const at = new DOMPoint(Number(m.x) + (column + .5) * Number(m.width) / Number(m.columns), 120);
	const seen = at.matrixTransform(map_.ownerSVGElement.getScreenCTM());
	map_.dispatchEvent(new PointerEvent(type, {bubbles: true, button: 0, clientX: seen.x, clientY: seen.y}));
}
function say(id) {
	const p = document.createElement("p");
	p.textContent = id + ": " + document.getElementById("choice").textContent;
	document.body.append(p);
}
go("pointerdown", 3); go("pointermove", 1); go("pointerup", 1); say("dragged");
go("pointermove", 9); say("let go");
document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"})); say("escaped");
</script>
HTML
	HOME=$TMP timeout -k 5 120 $browser --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-dev-shm-usage --user-data-dir="$TMP/profile" \
		--dump-dom "file://$TMP/drag.html" >"$TMP/dom" 2>"$TMP/err"
	step=$(attribute data-step)
	a=$(($(attribute data-from) + step)) b=$(($(attribute data-from) + 4 * step - 1))
	span=$(printf '%d.%09d,%d.%09d' $((a / 1000000000)) $((a % 1000000000)) $((b / 1000000000)) $((b % 1000000000)))
	like "dragging tells the span" "$TMP/dom" "dragged: --time $span<"
	like "which stays" "$TMP/dom" "let go: --time $span<"
	like "until Escape" "$TMP/dom" 'escaped: Drag over the map'
	want=$(cells "$TMP/drag.html" | awk -v a="$(echo "$span" | cut -d, -f1)" -v b="$(echo "$span" | cut -d, -f2)" \
		'$2 + 1e-9 >= a && $3 <= b + 1e-6 { n += $4 } END { printf "%d\n", n }')
	is "other commands take it" "$("$PERF_LITE" script -q -G -F time -i "$TMP/b" --time "$span" | wc -l)" "$want"
else
	skip_without "dragging in a browser" chromium
fi

done_testing
