# SPDX-License-Identifier: GPL-2.0
#
# Flame graphs straight from recordings: the frames and counts that folded stacks have, what they
# stand on, several events, comparisons, and what is said of what is missing.
. tests/lib.sh
need_event raw_syscalls:sys_enter
need_cmd python3

well_formed()
{
	python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1"
}

# titles FILE: of all frames, in order.
titles()
{
	sed -n 's|.*<g class="[^"]*"><title>\([^<]*\)</title>.*|\1|p' "$1"
}

# total FILE: the counts in it.
total()
{
	titles "$1" | sed -n 's/^all (\([0-9,]*\) .*/\1/p' | tr -d ,
}

# sum_of FILE ERE: the counts of the frames with such names together.
sum_of()
{
	titles "$1" | grep -E "^$2 \(" | sed 's/.* (\([0-9,]*\) [^(]*$/\1/' | tr -d , |
		awk '{ n += $1 } END { printf "%d\n", n }'
}

graph()
{
	out=$1
	shift
	run "$PERF_LITE" flamegraph --min-width 0.01 -o "$TMP/$out" "$@"
}

# The same picture, wherever the recording comes from

"$PERF_LITE" record -F 999 -g -o "$TMP/a" -- "$PROG/spin" 300 >"$TMP/out" 2>&1 || diag_file "$TMP/out"
graph want.svg -i "$TMP/a"
rc_is 0 "-i"
ok "it is well-formed XML" well_formed "$TMP/want.svg"
graph b.svg "$TMP/a"
is_file "FILE" "$TMP/b.svg" "$TMP/want.svg"
"$PERF_LITE" flamegraph --min-width 0.01 <"$TMP/a" >"$TMP/b.svg"
is_file "standard input, and standard output" "$TMP/b.svg" "$TMP/want.svg"
cat "$TMP/a" | "$PERF_LITE" flamegraph --min-width 0.01 >"$TMP/b.svg"
is_file "a pipe" "$TMP/b.svg" "$TMP/want.svg"
cat "$TMP/a" | "$PERF_LITE" flamegraph --min-width 0.01 -i - -o - >"$TMP/b.svg"
is_file "-i -" "$TMP/b.svg" "$TMP/want.svg"
mkfifo "$TMP/fifo"
cat "$TMP/a" >"$TMP/fifo" &
graph b.svg "$TMP/fifo"
is_file "a named pipe" "$TMP/b.svg" "$TMP/want.svg"
wait
if command -v script >/dev/null; then
	mkdir "$TMP/here"
	cp "$TMP/a" "$TMP/here/perf-lite.data"
	script -qec "cd '$TMP/here' && '$PERF_LITE' flamegraph --min-width 0.01 -o b.svg" /dev/null >/dev/null 2>&1 </dev/null
	is_file "perf-lite.data at a terminal" "$TMP/here/b.svg" "$TMP/want.svg"
else
	skip_without "perf-lite.data at a terminal" script
fi
"$PERF_LITE" convert -i "$TMP/a" -o "$TMP/a.perf" >"$TMP/out" 2>&1
graph b.svg -i "$TMP/a.perf"
is "perf.data: the same counts" "$(total "$TMP/b.svg") $(sum_of "$TMP/b.svg" leaf)" \
	"$(total "$TMP/want.svg") $(sum_of "$TMP/want.svg" leaf)"
graph b.html "$TMP/a"
like "HTML by its name" "$TMP/b.html" '^<!DOCTYPE html>'

# Against folded text

"$PERF_LITE" script --folded --no-inline -i "$TMP/a" >"$TMP/folded" 2>/dev/null
graph a.svg -i "$TMP/a" --no-inline --countname ns
graph b.svg "$TMP/folded" --countname ns
titles "$TMP/a.svg" | sed 's/ \[kernel\] / /' | LC_ALL=C sort >"$TMP/a.titles"
titles "$TMP/b.svg" | LC_ALL=C sort >"$TMP/b.titles"
ok "there are frames" test "$(wc -l <"$TMP/a.titles")" -gt 5
is_file "the frames and counts of folded stacks" "$TMP/a.titles" "$TMP/b.titles"
is "their sum is that of the samples" "$(total "$TMP/a.svg")" \
	"$(awk '{ n += $NF } END { printf "%d\n", n }' "$TMP/folded")"
samples=$("$PERF_LITE" script -q -G -F time -i "$TMP/a" | wc -l)
graph b.svg -i "$TMP/a" --weight samples
is "--weight samples" "$(total "$TMP/b.svg")" "$samples"
like "they are called samples" "$TMP/b.svg" "<title>all \($(printf %s "$samples" | sed ':a;s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/;ta') samples, "
like "else time" "$TMP/want.svg" '<title>all \([0-9.]+ m?s, 100\.00%\)'
graph b.svg -i "$TMP/a" --countname parts
like "--countname: the number as it is, in that" "$TMP/b.svg" '<title>all \([0-9]+,[0-9]{3},[0-9]{3} parts, '

# The head: what was recorded, how much of what, where and when

texts()
{
	sed -n "s|^<text class=\"$1\"[^>]*>\(.*\)</text>\$|\1|p" "$2"
}
is "the title is the command" "$(texts title "$TMP/want.svg")" "$PROG/spin 300"
is "--title is another" "$(graph b.svg -i "$TMP/a" --title X; texts title "$TMP/b.svg")" X
texts note "$TMP/want.svg" >"$TMP/notes"
like "first, how much" "$TMP/notes" "^[0-9.]+ m?s, $samples samples"
host=$("$PERF_LITE" script --header-only -i "$TMP/a" | sed -n 's/^# hostname : //p')
first=$(TZ=UTC "$PERF_LITE" script -q -G -F time --time=wall -i "$TMP/a" | sed -n '1s/^ *\(.*\)T\(.*\)\..*/\1 \2/p')
ok "there are a host and a date" test -n "$host" -a -n "$first"
TZ=UTC graph b.svg -i "$TMP/a"
like "then where, when, and how" "$TMP/b.svg" ">$host, $first( to [0-9:]{8})? \+00:00: perf-lite record -F 999 -g -o $TMP/a -- $PROG/spin 300<"
TZ=XYZ-5:30 graph b.svg -i "$TMP/a"
like "by the zone of the reader" "$TMP/b.svg" ' \+05:30: perf-lite record'
is "then the event, and its time as --time takes it" "$(sed -n 3p "$TMP/notes")" \
	"cpu-clock, $("$PERF_LITE" script -q -G -F time -i "$TMP/a" | sed -n '1p;$p' | tr -d ' \n' | sed 's/:$//; s/:/ to /') s"
"$PERF_LITE" record -q -F 999 -o "$TMP/b" "$PROG/spin" 100 >"$TMP/out" 2>&1
graph b.svg -i "$TMP/b"
is "a command line without -- is the title" "$(texts title "$TMP/b.svg")" "perf-lite record -q -F 999 -o $TMP/b $PROG/spin 100"
unlike "once" "$TMP/b.svg" 'class="note"[^>]*>.*perf-lite record'

# What stacks stand on

"$PERF_LITE" record -e raw_syscalls:sys_enter --filter "id == $("$PROG/storm" --number)" \
	-e raw_syscalls:sys_exit --filter "id == $("$PROG/storm" --number)" -g -m 8M -o "$TMP/m" \
	-- "$PROG/storm" --threads 2 2000 >"$TMP/out" 2>&1 || diag_file "$TMP/out"
e="--event raw_syscalls:sys_enter"
for by in comm cpu pid tid id; do
	graph by.svg -i "$TMP/m" $e --by $by
	rc_is 0 "--by $by"
	case $by in
	comm) names='storm|t[0-9]+' ;;
	cpu) names='CPU [0-9]+' ;;
	pid | tid) names='[^ ]*-[0-9]+' ;;
	*) names='id=[^ ]+' ;;
	esac
	[ $by != comm ] || names=$("$PERF_LITE" script -q -G -F comm -i "$TMP/m" | sort -u | sed 's/^ *//; s/ *$//' | paste -sd '|')
	is "its groups have all calls" "$(sum_of "$TMP/by.svg" "($names)")" 2000
done
graph by.svg -i "$TMP/m" $e --by none
unlike "--by none: no group" "$TMP/by.svg" '<g class="group[^"]*"><title>'
is "all calls" "$(total "$TMP/by.svg")" 2000
threads=$("$PERF_LITE" script -q -G -F tid $e -i "$TMP/m" | sort -u | wc -l)
graph by.svg -i "$TMP/m" $e --by tid
is "a group for each thread" "$(titles "$TMP/by.svg" | grep -Ec '^[^ ]*-[0-9]+ \(')" "$threads"
graph by.svg -i "$TMP/m" --event raw_syscalls:sys_exit --by none --stack-field ret
like "--stack-field on top" "$TMP/by.svg" '<g class="group[^"]*"><title>ret=[^<]* \([0-9,]+ samples'

# Several events

run "$PERF_LITE" flamegraph -i "$TMP/m" -o "$TMP/m.svg"
rc_is 1 "two events in one graph"
like "it says which there are" "$TMP/err" 'choose one with --event=NAME: raw_syscalls:sys_enter, raw_syscalls:sys_exit'
ok "nothing is written" test ! -e "$TMP/m.svg"
run_ok "--per-event" "$PERF_LITE" flamegraph -i "$TMP/m" --per-event -o "$TMP/m.svg"
for event in raw_syscalls:sys_enter raw_syscalls:sys_exit; do
	is "a picture of $event" "$(total "$TMP/m.$event.svg")" 2000
	like "that says so" "$TMP/m.$event.svg" ">$event, [0-9.]+ to [0-9.]+ s<"
done
ok "and no other" test ! -e "$TMP/m.svg"
run "$PERF_LITE" flamegraph -i "$TMP/m" --per-event
rc_is 1 "--per-event needs a name"
run_ok "--per-event --diff" "$PERF_LITE" flamegraph -i "$TMP/m" --diff "$TMP/m" --per-event -o "$TMP/d.svg"
for event in raw_syscalls:sys_enter raw_syscalls:sys_exit; do
	is "a picture of the change of $event" "$(total "$TMP/d.$event.svg")" 2000
	like "from the same event" "$TMP/d.$event.svg" '>compared with .*/m<'
	run_ok "alone" "$PERF_LITE" flamegraph -i "$TMP/m" --diff "$TMP/m" --event "$event" -o "$TMP/one.svg"
	is_file "the same as with --event" "$TMP/d.$event.svg" "$TMP/one.svg"
done
run_ok "a recording of one event" "$PERF_LITE" record -q -g -o "$TMP/enter" \
	-e raw_syscalls:sys_enter --filter "id == $("$PROG/storm" --number)" -- "$PROG/storm" 100
run "$PERF_LITE" flamegraph -i "$TMP/enter" --diff "$TMP/a" -o "$TMP/n.svg"
rc_is 1 "OLD without the one event"
like "is named" "$TMP/err" "$TMP/a: .*has no event"
run_ok "OLD without an event" "$PERF_LITE" flamegraph -i "$TMP/m" --diff "$TMP/enter" --per-event -o "$TMP/n.svg"
like "it says so" "$TMP/err" '/enter holds no samples of raw_syscalls:sys_exit: its picture compares nothing'
is "and draws it" "$(total "$TMP/n.raw_syscalls:sys_exit.svg")" 2000
like "with a note" "$TMP/n.raw_syscalls:sys_exit.svg" '>.*/enter holds no samples of it<'
like "the other one is compared" "$TMP/n.raw_syscalls:sys_enter.svg" '>compared with .*/enter<'
run_ok "OLD with another event" "$PERF_LITE" flamegraph -i "$TMP/enter" --diff "$TMP/m" --per-event -o "$TMP/o.svg"
like "it says that, too" "$TMP/err" '/enter holds no samples of raw_syscalls:sys_exit: it has no picture'
ok "there is none" test ! -e "$TMP/o.raw_syscalls:sys_exit.svg"
run "$PERF_LITE" flamegraph -i "$TMP/m" --diff "$TMP/a" --per-event -o "$TMP/p.svg"
rc_is 1 "no common event"
like "it says which recordings" "$TMP/err" '/m and .*/a hold samples of no common event'
number=$("$PROG/storm" --number)
run_ok "two events of one name" "$PERF_LITE" record -q -g -o "$TMP/twice" -e raw_syscalls:sys_enter --filter "id == $number" \
	-e raw_syscalls:sys_enter --filter "id != $number" -- "$PROG/storm" 2000
run_ok "have a picture each" "$PERF_LITE" flamegraph -i "$TMP/twice" --per-event -o "$TMP/t.svg"
is "of the first" "$(total "$TMP/t.raw_syscalls:sys_enter.svg")" 2000
others=$(($("$PERF_LITE" script -q -F event -i "$TMP/twice" | wc -l) - 2000))
is_between "others have samples, too" "$others" 1 1999
is "of the second" "$(total "$TMP/t.raw_syscalls:sys_enter.1.svg")" "$others"
run_ok "compared" "$PERF_LITE" flamegraph -i "$TMP/twice" --diff "$TMP/m" --per-event -o "$TMP/t.svg"
like "the first with the first" "$TMP/t.raw_syscalls:sys_enter.svg" '>compared with .*/m<'
like "the second with nothing" "$TMP/err" '/m holds no samples of raw_syscalls:sys_enter, event 2 of that name: its picture'
run_ok "timelines of both" "$PERF_LITE" flamegraph -i "$TMP/twice" --timeline --per-event -o "$TMP/t.svg"
ok "differ" not cmp "$TMP/t.raw_syscalls:sys_enter.svg" "$TMP/t.raw_syscalls:sys_enter.1.svg"
run "$PERF_LITE" flamegraph -i "$TMP/m" --event raw_syscalls:sys_entr -o "$TMP/m.svg"
rc_is 1 "no such event"
like "did you mean" "$TMP/err" "did you mean 'raw_syscalls:sys_enter'"

# A part of the samples

times=$("$PERF_LITE" script -q -G -F time $e -i "$TMP/m" | tr -d ' :')
from=$(echo "$times" | sed -n 1000p) to=$(echo "$times" | sed -n 1500p)
want=$(echo "$times" | awk -v a="$from" -v b="$to" '$1 >= a && $1 <= b' | wc -l)
# the text has microseconds, the recording nanoseconds
graph t.svg -i "$TMP/m" $e --time "$from,$to"
got=$(total "$TMP/t.svg")
ok "--time: $got of $want samples" test "$got" -le "$want" -a "$got" -ge $((want - 20))
graph t.svg -i "$TMP/m" $e --limit 7
is "--limit" "$(total "$TMP/t.svg")" 7
graph t.svg -i "$TMP/m" $e -c nobody
rc_is 1 "nothing that was asked for"
like "it says so" "$TMP/err" 'holds no samples of those that were asked for: the picture is empty'
like "so does the picture" "$TMP/t.svg" 'No samples: '

# Comparisons

tones()
{
	titles_of=$(sed -n 's|^<g class="\([a-z]*\)[^"]*"><title>.*|\1|p' "$1" | sort | uniq -c | awk '{ print $2 }')
	echo $titles_of
}
graph d.svg -i "$TMP/a" --diff "$TMP/a"
is "a recording beside itself: all is as it was" "$(tones "$TMP/d.svg")" "all same"
graph d.svg -i "$TMP/a.perf" --diff "$TMP/a"
is "perf.data beside it" "$(tones "$TMP/d.svg")" "all same"
graph d.svg -i "$TMP/a" --diff "$TMP/folded" --no-inline
is "beside its folded text" "$(tones "$TMP/d.svg")" "all same"
graph d.svg "$TMP/folded" --diff "$TMP/a" --no-inline
is "the text beside the recording" "$(tones "$TMP/d.svg")" "all same"
graph d.svg "$TMP/folded" --diff "$TMP/folded"
is "the text beside itself" "$(tones "$TMP/d.svg")" "all same"
sed 's/ \([0-9]*\)$/ \13/' "$TMP/folded" >"$TMP/tenfold"
graph d.svg "$TMP/tenfold" --diff "$TMP/folded"
is "ten times the samples" "$(tones "$TMP/d.svg" | sed 's/ same//')" "all"
printf 'spin;main;new_function 1000000000\n' | cat - "$TMP/folded" >"$TMP/grown"
graph d.svg "$TMP/grown" --diff "$TMP/a" --no-inline
like "what is new is red" "$TMP/d.svg" '<g class="more[^"]*"><title>new_function \('
like "what it pressed back is blue" "$TMP/d.svg" '<g class="less[^"]*"><title>leaf \('
graph d.svg -i "$TMP/m" $e --diff "$TMP/m"
is "of two events, the same one" "$(tones "$TMP/d.svg")" "all same"
graph d.svg -i "$TMP/a" --diff "$TMP/m"
rc_is 1 "not with another event"
graph d.svg -i "$TMP/a" --diff "$TMP/folded"
rc_is 0 "a recording with counts of stacks"
: >"$TMP/none"
graph d.svg -i "$TMP/a" --diff "$TMP/none"
rc_is 1 "nothing to compare with"
like "it says so" "$TMP/err" '/none holds no samples to compare with'

# Names that are hard

"$PERF_LITE" record -e syscalls:sys_enter_getppid -g -o "$TMP/c" -- "$PROG/consumed" >"$TMP/out" 2>&1
graph c.svg -i "$TMP/c"
rc_is 0 "hard names"
ok "well-formed" well_formed "$TMP/c.svg"
is "a group for each command" "$(grep -c '^<g class="group[^"]*"><title>' "$TMP/c.svg")" \
	"$("$PERF_LITE" script --folded -q -i "$TMP/c" | sed 's/;.*//' | sort -u | wc -l)"
printf '#!/bin/sh\nexit\n' >"$TMP/a<b>&amp;\"c"
cat >"$TMP/evil.py" <<'PY'
import ctypes, os
ctypes.CDLL(None).prctl(15, b"</svg><script>", 0, 0, 0)
for i in range(50): os.getppid()
ctypes.CDLL(None).prctl(15, b"\x1b]0;x\x07\xff;<!--", 0, 0, 0)
for i in range(50): os.getppid()
PY
"$PERF_LITE" record -e syscalls:sys_enter_getppid -g -o "$TMP/c" -- python3 "$TMP/evil.py" >"$TMP/out" 2>&1
for by in comm tid; do
	graph c.svg -i "$TMP/c" --by $by
	ok "names that are markup, --by $by" well_formed "$TMP/c.svg"
	is "none opens a script" "$(grep -c '<script' "$TMP/c.svg")" 2
	unlike "nor a comment" "$TMP/c.svg" '<!--'
	like "they are shown" "$TMP/c.svg" '<title>&lt;/svg&gt;&lt;script&gt;(-[0-9]+)? \(50 samples'
done

# What is missing

size=$(stat -c %s "$TMP/a")
head -c $((size * 2 / 3)) "$TMP/a" >"$TMP/cut"
graph cut.svg -i "$TMP/cut"
rc_is 3 "a recording that was cut"
ok "there is a picture" well_formed "$TMP/cut.svg"
like "which says it" "$TMP/cut.svg" '<text class="warning"'
"$PERF_LITE" record -m 1 -e raw_syscalls:sys_enter --filter "id == $("$PROG/storm" --number) && comm == \"storm\"" \
	-g -o "$TMP/l" -- sh -c '"$0" 20000; kill -STOP $PPID; "$0" 20000; kill -CONT $PPID' "$PROG/storm" >"$TMP/out" 2>&1
graph l.svg -i "$TMP/l"
rc_is 0 "a recording that lost samples is no failure"
lost=$((40000 - $(total "$TMP/l.svg")))
ok "some were lost" test $lost -gt 0
like "the picture says how many" "$TMP/l.svg" "<text class=\"warning\"[^>]*>$lost samples were lost while recording<"
like "as does standard error" "$TMP/err" "^$lost samples were lost"
graph l.svg -q -i "$TMP/l"
is "-q: nothing there" "$(cat "$TMP/err")" ""

# Wrong words

# wrong ARGS ERE: refused with such a message, and nothing written
wrong()
{
	rm -f "$TMP/w.svg"
	run "$PERF_LITE" flamegraph -o "$TMP/w.svg" $1
	rc_is 1 "$1"
	like "it says why" "$TMP/err" "$2"
	ok "and writes nothing" test ! -e "$TMP/w.svg"
}
wrong "-i $TMP/a --by cmom" 'did you mean --by comm'
wrong "-i $TMP/a --by zzzzzz" '--by takes comm, cpu, pid, tid, none'
wrong "-i $TMP/m $e --by argh" 'has no field .argh.'
wrong "-i $TMP/a --weight sample" 'did you mean --weight samples'
wrong "-i $TMP/a --colour dsos" 'did you mean --colour dso'
wrong "-i $TMP/a --min-width 0" '--min-width takes 0.01 to 100 px'
wrong "-i $TMP/a --min-width 1e3" '--min-width takes'
wrong "-i $TMP/m --per-event --diff $TMP/folded" '--per-event needs a recording to compare with, which .*/folded is not'
wrong "-i $TMP/a $TMP/a" 'one FILE at most'
wrong "-i - --diff -" 'cannot be standard input'
for option in --by=cpu --event=x --per-event --time=1,2 --cpu=0 --pid=1 --comms=x --limit=1 --filter=x --weight=samples --timeline \
	--max-stack=3 --no-demangle --no-inline; do
	wrong "$TMP/folded $option" "^perf-lite: ${option%%=*} needs a recording,( or text of perf script,)? which .*/folded is not"
done

done_testing
