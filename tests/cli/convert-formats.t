# SPDX-License-Identifier: GPL-2.0
#
# perf-lite convert to formats that are made of samples: folded, json, csv, chrome. All samples are there, all weights, and the files
# are valid whatever names are in them; what chooses samples; where the file goes, and what becomes of it when something fails.
# What is particular to other formats is in tests of their own; what all have in common is tested here.
. tests/lib.sh
need_root
need_event raw_syscalls:sys_enter
need_cmd python3 jq

formats=$("$PERF_LITE" convert --help | sed -n '/^Formats:/,/^Exit/s/^  \([a-z.]*\) .*/\1/p')
samples=$(echo "$formats" | grep -v '^perf.data$')
f=$TMP/a.data
hostile=$TMP/$(printf 'x,"y\n\351;z\t')
cp "$PROG/spin" "$hostile"

# to FORMAT FILE OPTION...: FILE.FORMAT
to()
{
	to_format=$1 to_file=$2
	shift 2
	run "$PERF_LITE" convert -q --to "$to_format" -i "$to_file" -o "$to_file.$to_format" "$@"
}

# whole DESC FILE OPTION...: the samples of csv and chrome are those of script --json, json is what that prints
whole()
{
	whole_desc=$1 whole_file=$2
	shift 2
	"$PERF_LITE" script -q --json -i "$whole_file" "$@" >"$TMP/want.json" 2>/dev/null
	ok "$whole_desc: there are samples" grep -q '"event"' "$TMP/want.json"
	to json "$whole_file" "$@"
	is_file "$whole_desc: json is what script prints" "$whole_file.json" "$TMP/want.json"
	for whole_format in csv chrome; do
		to $whole_format "$whole_file" "$@"
		ok "$whole_desc: $whole_format holds all of it" python3 tests/cli/convert_formats.py $whole_format \
			"$TMP/want.json" "$whole_file.$whole_format"
	done
}

leftovers() { (cd "$TMP" && ls -d ./*.tmp* 2>/dev/null); }

# The Firefox Profiler: how far samples are apart is known of a clock, whichever event came first

run_ok "a clock beside other events" "$PERF_LITE" record -q -F 2000 -e page-faults,cpu-clock -o "$f" -- "$PROG/spin" 50
to gecko "$f"
is "the interval is that of the clock" "$(jq .meta.interval "$f.gecko")" 0.5
to gecko "$f" --event page-faults
is "without it, a millisecond" "$(jq .meta.interval "$f.gecko")" 1

# What is in them

"$PERF_LITE" record -q -g -m 16M -e cpu-clock,raw_syscalls:sys_enter,sched:sched_switch -o "$f" -- \
	sh -c '"$0" 100; "$1" 100; "$2"' "$PROG/spin" "$hostile" "$PROG/names" >"$TMP/said" || exit 1
rm -f "/tmp/perf-$(sed -n '$s/[^0-9]//gp' "$TMP/said").map"
ok "there are samples: $("$PERF_LITE" script -q -G -i "$f" | wc -l)" test "$("$PERF_LITE" script -q -G -i "$f" | wc -l)" -gt 500
whole "three events" "$f"
"$PERF_LITE" script -q --json -i "$f" | jq -r '.comm' | sort -u >"$TMP/comms"
like "with hostile names" "$TMP/comms" '^x,"y\\x0a\\xe9;z\\x09$'
for event in cpu-clock raw_syscalls:sys_enter; do
	whole "$event alone" "$f" --event "$event"
	to folded "$f" --event "$event"
	"$PERF_LITE" script -q -i "$f" --folded="$event" >"$TMP/want"
	is_file "$event: folded is what script prints" "$f.folded" "$TMP/want"
	is "$event: all weights" "$(awk '{ n += $NF } END { print n }' "$f.folded")" \
		"$("$PERF_LITE" script -q --json -i "$f" --event "$event" | jq -s 'map(.period) | add')"
	to csv "$f" --event "$event"
	# the same stacks, added up from rows
	python3 -c '
import collections, csv, sys
sums = collections.Counter()
for r in csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8")):
    comm = r["comm"].replace(" ", "_").replace(";", ":")
    sums[";".join([("_" + comm[1:] if comm[:1] == "#" else comm) or "[unknown]", r["stack"]])] += int(r["period"])
sys.stdout.reconfigure(encoding="utf-8")
print("\n".join(sorted("%s %d" % s for s in sums.items())))' "$f.csv" >"$TMP/got"
	sort "$f.folded" >"$TMP/want"
	is_file "$event: the rows of csv add up to the folded stacks" "$TMP/got" "$TMP/want"
done
like "csv has the fields of a tracepoint" "$f.csv" '^event,.*,stack,fields.id,fields.args'
whole "other choices" "$f" --pid "$(jq -s '.[0].pid' "$f.json")" --limit 20
is "as many as asked for" "$(grep -c '"ph":"i"' "$f.chrome")" 20
whole "a part of the time" "$f" --time 25%-75%
whole "a CPU, a function" "$f" -C 0-1 -S leaf --no-inline
"$PERF_LITE" record -q -e sched:sched_switch -a -o "$TMP/s.data" -- "$PROG/threads" 50 >/dev/null
whole "switches of everybody" "$TMP/s.data"
ok "chrome draws what ran on which CPU" jq -e '.traceEvents | any(.ph == "X")' "$TMP/s.data.chrome"
"$PERF_LITE" record -q -e cpu-clock --call-graph dwarf --inline -o "$TMP/i.data" -- "$PROG/inlined" 50 >/dev/null
whole "inlined functions" "$TMP/i.data"
like "csv names them" "$TMP/i.data.csv" ';outer;mid;leaf'

# The same bytes, however it is read and written

for format in $samples; do
	to "$format" "$f" --event cpu-clock
	cp "$f.$format" "$TMP/want"
	to "$format" "$f" --event cpu-clock -j 1
	is_file "$format: the same with one thread" "$f.$format" "$TMP/want"
	"$PERF_LITE" convert -q --to "$format" -i - -o - --event cpu-clock <"$f" >"$TMP/got"
	case $format in
	# they say what they were made of
	gecko | pprof | speedscope) ok "$format: through pipes" test -s "$TMP/got" ;;
	*) is_file "$format: the same through pipes" "$TMP/got" "$TMP/want" ;;
	esac
	run "$PERF_LITE" convert --to "$format" -i "$f" -o "$TMP/x.$format" --event cpu-clock -c nobody-has-this-name
	rc_is 0 "$format: no samples are no error"
	ok "$format: only its owner can read it" test "$(stat -c %a "$TMP/x.$format")" = 600
done
is "csv without samples: the names of columns" "$(wc -l <"$TMP/x.csv")" 1
is "chrome without samples" "$(jq -c 'map_values(length)' "$TMP/x.chrome")" '{"traceEvents":0,"samples":0,"stackFrames":0}'
is "folded without samples" "$(cat "$TMP/x.folded")" ""

# Damage

size=$(stat -c %s "$f")
head -c $((size - 200)) "$f" >"$TMP/cut.data"
whole "a recording that was cut" "$TMP/cut.data"
for format in $formats; do
	to "$format" "$TMP/cut.data" $([ "$format" = perf.data ] || echo --event cpu-clock)
	rc_is 3 "$format: what is whole of a cut recording"
	ok "$format: is there" test -s "$TMP/cut.data.$format"
done

# Where it goes

cd "$TMP" || exit 1
run "$PERF_LITE" convert --to jsn -i "$f"
rc_is 1 "a format that does not exist"
like "a similar one is proposed" err 'did you mean --to json'
run "$PERF_LITE" convert --to xyzzyx -i "$f"
for format in $formats; do
	like "$format is named" err "$format"
done
run "$PERF_LITE" convert --to folded -i "$f"
rc_is 1 "folded: several events"
like "how to choose" err 'choose one with --event=NAME: cpu-clock, raw_syscalls:sys_enter'
ok "no file is made" not test -e perf-lite.folded
run "$PERF_LITE" convert --to csv -i "$f" --event cpu-clok
rc_is 1 "an event that is not there"
like "a similar one is proposed" err "did you mean 'cpu-clock'"
for option in "--event cpu-clock" "--comms spin" "--pid 1" "--cpu 0" "--time 1,2" "--limit 1" "--no-inline" "--symfs /" "-S main"; do
	# shellcheck disable=SC2086
	run "$PERF_LITE" convert --to perf.data -i "$f" -o x.perf $option
	rc_is 1 "perf.data: $option is refused"
	like "perf.data: $option: where to choose" err '^hint: .*perf script'
done
ok "perf.data: none is made" not test -e x.perf
for format in $(echo "$formats" | grep -E '^(perf.data|pprof|otlp)$'); do
	script -qec "'$PERF_LITE' convert --to $format -i '$f' -o -" /dev/null >out 2>&1 </dev/null
	like "$format: not to a terminal" out "$format is not written to a terminal"
done
run_ok "json: to standard output" "$PERF_LITE" convert -q --to json -i "$f" -o -
ln -s real.csv link.csv
echo old >real.csv
chmod 640 real.csv
run_ok "through a link" "$PERF_LITE" convert -q --to csv -i "$f" -o link.csv
ok "the link stays" test -L link.csv
is "its target keeps its mode" "$(stat -c %a real.csv)" 640
like "and has the rows" real.csv '^cpu-clock,'
for format in $formats; do
	choice=$([ "$format" = perf.data ] || echo "--event cpu-clock")
	# shellcheck disable=SC2086
	{
		"$PERF_LITE" convert -q --to "$format" -i "$f" -o - $choice 2>err
		echo $? >rc
	} | true
	rc=$(cat rc)
	ok "$format: a closed pipe ends it ($rc)" test "$rc" -eq 141 -o "$rc" -eq 0
	is "$format: without a word" "$(cat err)" ""

	# stopped in the middle, while it waits for more
	mkfifo "$format.fifo"
	# shellcheck disable=SC2086
	"$PERF_LITE" convert -q --to "$format" -i - -o "$format.stopped" $choice <"$format.fifo" 2>err &
	pid=$!
	exec 9>"$format.fifo"
	head -c $((size - 100)) "$f" >&9
	ok "$format: it has begun" wait_for 10 test -e "$format.stopped.$pid.tmp"
	kill -TERM $pid
	wait $pid 2>/dev/null
	is "$format: a signal ends it" $? 143
	exec 9>&-
done
is "nothing is left behind" "$(leftovers)" ""
ok "no file is made of a part" not ls ./*.stopped

# A full disk, a limit

mkdir small
if mount -t tmpfs -o size=8k none small; then
	at_exit umount "$TMP/small"
	for format in $(echo "$formats" | grep -Ev '^(folded|pprof)$'); do
		echo old >"small/$format"
		# shellcheck disable=SC2046
		run "$PERF_LITE" convert -q --to "$format" -i "$f" -o "small/$format" $([ "$format" = perf.data ] || echo --event cpu-clock)
		rc_is 3 "$format: a full disk"
		like "$format: is said" err "cannot write small/$format: No space left"
		is "$format: the old file stays" "$(cat "small/$format")" old
		rm "small/$format"
		is "$format: nothing is left behind" "$(ls -A small)" ""
	done
	run "$PERF_LITE" convert -q --to json -i "$f" -o /dev/full
	rc_is 3 "a full device"
else
	skip_without "a full disk" mounts
fi
run sh -c 'ulimit -f 4; "$0" convert --to json -i "$1" -o limited' "$PERF_LITE" "$f"
rc_is 3 "a limit of file size"
ok "leaves no file" not test -e limited
is "and nothing else" "$(leftovers)" ""
cd / || exit 1
done_testing
