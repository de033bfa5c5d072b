# SPDX-License-Identifier: GPL-2.0
#
# Options of script on perf-lite's own recordings, and what it says to those that it does not have.
. tests/lib.sh
need_root
need_event sched:sched_process_exec

# script DESC OPTION...: runs it on $d; the output is in $TMP/out
script()
{
	desc=$1
	shift
	run_ok "$desc" "$PERF_LITE" script -q -i "$d" "$@"
}

d=$TMP/d
# by a name that nobody else's program has
ls=ls-$$
ln -s "$(command -v ls)" "$TMP/$ls"
run_ok "records" "$PERF_LITE" record -q -e sched:sched_process_exec -e cpu-clock -ag -o "$d" -- \
	sh -c '"$0" / >/dev/null; "$0" / >/dev/null; true' "$TMP/$ls"

# Records that are no samples

script "--show-task-events --show-mmap-events" --show-task-events --show-mmap-events --no-itrace -f
like "a new name" "$TMP/out" "^ *$ls +[0-9]+ \[[0-9]{3}\] +[0-9.]+: PERF_RECORD_COMM exec: $ls:[0-9]+/[0-9]+\$"
like "a fork" "$TMP/out" ' PERF_RECORD_FORK\([0-9]+:[0-9]+\):\([0-9]+:[0-9]+\)$'
like "an exit" "$TMP/out" ' PERF_RECORD_EXIT\([0-9]+:[0-9]+\):'
like "a mapping" "$TMP/out" ' PERF_RECORD_MMAP2 [0-9]+/[0-9]+: \[0x[0-9a-f]+\(0x[0-9a-f]+\) @ [0-9a-fx]+ .*\]: r-xp /.*/ls$'
like "between the samples" "$TMP/out" 'sched:sched_process_exec: filename='
grep "exec: $ls:\|process_exec: filename=.*/$ls " "$TMP/out" | sed 's/.*\(exec: ls\|process_exec\).*/\1/' | uniq -c |
	awk '{print $1, $2}' >"$TMP/order"
is "each in its place in time" "$(tr '\n' ' ' <"$TMP/order")" "1 exec: 1 process_exec 1 exec: 1 process_exec "
script "without the options" -F event
unlike "there are none" "$TMP/out" PERF_RECORD_

# Which samples

script "--limit" -F event,time --limit 3 -G
is "three" "$(wc -l <"$TMP/out")" 3
script "all" -F time,event -G
cp "$TMP/out" "$TMP/all"
total=$(wc -l <"$TMP/all")
: >"$TMP/slices"
for slice in 1 2 3 4; do
	script "--time 25%/$slice" -F time,event -G --time 25%/$slice
	cat "$TMP/out" >>"$TMP/slices"
done
is_file "four quarters of the time are all of it" "$TMP/slices" "$TMP/all"
script "two halves in one" -F time,event -G --time 0%-50%,50%-100%
is_file "are all of it, too" "$TMP/out" "$TMP/all"
run "$PERF_LITE" script -q --time 50%/3 -i "$d"
rc_is 1 "a third half is refused"
"$PERF_LITE" script -q -F time,event -G --time 10%/1 -i - <"$d" >"$TMP/out" 2>"$TMP/err"
rc=$?
rc_is 1 "parts of a stream are refused"
like "with the reason" "$TMP/err" 'hint: give --time in seconds'
script "--switch-on" -F event -G --switch-on sched:sched_process_exec --switch-off sched:sched_process_exec
unlike "without these samples" "$TMP/out" sched_process_exec
script "--show-on-off-events" -F event -G --switch-on sched:sched_process_exec --show-on-off-events
is "begins with it" "$(head -n 1 "$TMP/out" | grep -c sched_process_exec)" 1
script "--switch-off" -F event,time -G --switch-off cpu-clock
unlike "nothing behind it" "$TMP/out" cpu-clock
script "--dsos" -F ip,sym,dso -G --dsos '[kernel.kallsyms]'
unlike "no other file" "$TMP/out" '\(/'
symbol=$(sed -n 's/^ *[0-9a-f]\{8,\} \([a-z_][a-z_0-9]*\) .*/\1/p' "$TMP/out" | sort | uniq -c | sort -rn | awk 'NR == 1 {print $2}')
script "-S" -F ip,sym,dso -G -S "$symbol"
is "that function alone" "$(awk '{print $2}' "$TMP/out" | sort -u)" "$symbol"
run_ok "a program" "$PERF_LITE" record -q -e cpu-clock -g -o "$TMP/spin" -- "$PROG/spin" 50
d=$TMP/spin
script "--stop-bt" -F ip,sym --stop-bt mid
like "stacks up to there" "$TMP/out" ' mid$'
is "and no further" "$(awk '!NF { after = 0 } after { n++ } / mid$/ { after = 1 } END { print n + 0 }' "$TMP/out")" 0
script "folded stacks end there, too" --folded --stop-bt mid
unlike "at the same function" "$TMP/out" 'outer'

# What is printed

script "-F tod" -F tod,time,event -G
like "the time of day, without an option of record" "$TMP/out" '^20[0-9][0-9]-[0-9][0-9]-[0-9][0-9] [0-9:]{8}\.[0-9]{6} +[0-9]+\.[0-9]{6}: cpu-clock: '
day=$(date +%Y-%m-%d)
case $(head -c 10 "$TMP/out") in
"$day" | "$(date -d yesterday +%Y-%m-%d)") ok "it is today" true ;;
*) ok "it is today" false ;;
esac
script "-L" -L -G
like "columns of the latency format" "$TMP/out" '^ {12}spin +[0-9]+ +[0-9]+ '
script "--header" --header -F event -G
like "what was asked for" "$TMP/out" '^# event : name = cpu-clock, , id = \{ [0-9]+.*, type = 1, size = [0-9]+, .*sample_type = IP\|'
script "-D" -D --limit 4
is "four records" "$(grep -c 'raw event: size' "$TMP/out")" 4
like "each with its place" "$TMP/out" '^0x[0-9a-f]+@.* \[0x[0-9a-f]+\]: event: [0-9]+$'
like "bytes" "$TMP/out" '^\.  0000:  [0-9a-f]{2} 00 00 00 '
like "and text" "$TMP/out" ' 0x[0-9a-f]+ \[0x[0-9a-f]+\]: PERF_RECORD_'
script "-D of all" -D
like "samples have their call chain" "$TMP/out" '^\.\.\.\.\.  1: [0-9a-f]{16}$'
head -c 3000 "$d" >"$TMP/cut"
run "$PERF_LITE" script -D -i "$TMP/cut"
rc_is 3 "-D of a file that is cut"
like "shows what there is" "$TMP/out" PERF_RECORD_
script "options of perf without a meaning here" --demangle --demangle-kernel -d -v --show-kernel-path --show-round-events -f --max-blocks 3

# What it does not have

refuses()
{
	want=$1
	shift
	run "$PERF_LITE" script -i "$d" "$@"
	rc_is 1 "$* is refused"
	like "$*: with a hint" "$TMP/err" "$want"
}
refuses 'hint: .*python3 FILE.py, with the package perflite' -s count.py
refuses 'hint: .*--json' -g python
refuses 'hint: .*--json' -l
refuses 'hint: .*decoded by perf script' --itrace
refuses 'hint: .*decoded by perf script' --insn-trace
refuses 'hint: .*record in the machine itself' --guestmount /x
refuses 'hint: .*--json' --dlfilter x.so
refuses 'hint: .*decoded by perf script' --xed=x
refuses 'hint: .*decoded by perf script' --call-trace=i
refuses 'hint: .*decoded by perf script' --call-ret-trace
refuses 'hint: .*decoded by perf script' --graph-function main
refuses 'hint: .*decoded by perf script' --stitch-lbr
refuses 'hint: .*-S NAME' --addr-range 16
refuses 'hint: .*--event' --per-event-dump
refuses 'perf-lite script -F comm,pid' -f comm,pid
refuses 'hint: perf-lite evlist' --switch-on nosuch
refuses 'hint: .*brstacksym' -F brstackinsn
refuses 'hint: .*srcline' -F srccode
refuses 'hint: perf script -F insn does' -F +insn
refuses 'hint: perf script -F insnlen does' -F +insnlen
refuses 'hint: perf-lite stat' -F metric
refuses "hint: there is no field 'nosuch'" -F nosuch

# The commands beside it

run_ok "evlist" "$PERF_LITE" evlist -i "$d"
like "names" "$TMP/out" '^cpu-clock$'
run_ok "evlist -F" "$PERF_LITE" evlist -F -i "$d"
like "frequency" "$TMP/out" '^cpu-clock: sample_freq=[0-9]+$'
run_ok "buildid-list" "$PERF_LITE" buildid-list -i "$d"
like "the program's" "$TMP/out" "^[0-9a-f]{40} .*/spin$"
# a recorder that gets no CPU reads the file too late
cat >"$TMP/replace" <<END
cp '$PROG/spin' '$TMP/replaced'
'$TMP/replaced' 1000
cp '$PROG/storm' '$TMP/new'
mv '$TMP/new' '$TMP/replaced'
'$TMP/replaced' 1
END
ids=$(for file in spin storm; do readelf -n "$PROG/$file" | sed -n 's/.*Build ID: //p'; done | sort)
for again in 1 2 3; do
	run "$PERF_LITE" record -q -e page-faults:u -c 1 -o "$TMP/two.data" -- sh "$TMP/replace"
	listed=$("$PERF_LITE" buildid-list -i "$TMP/two.data" | grep '/replaced$' | cut -d' ' -f1 | sort)
	[ "$listed" != "$ids" ] || break
done
is "buildid-list of a program that was replaced" "$listed" "$ids"
run_ok "report --header-only -I" "$PERF_LITE" report --header-only -I -i "$d"
if grep -q '^vendor_id.*' /proc/cpuinfo && grep -q '^core id' /proc/cpuinfo; then
	like "the model of the CPU" "$TMP/out" "^# cpuid : $(sed -n 's/^vendor_id.*: //p' /proc/cpuinfo | head -1),[0-9]+,[0-9]+,[0-9]+$"
	like "CPUs of a socket" "$TMP/out" '^# sibling sockets : [0-9]'
	like "CPUs of a core" "$TMP/out" '^# sibling threads : [0-9]'
	is "a line for each CPU" "$(grep -c '^# CPU [0-9]*: Core ID [0-9]*, Socket ID [0-9]*$' "$TMP/out")" "$(grep -c ^processor /proc/cpuinfo)"
fi
for command in evlist buildid-list; do
	run "$PERF_LITE" $command -i "$TMP/nosuch"
	rc_is 1 "$command: no file"
	echo garbage >"$TMP/garbage"
	run "$PERF_LITE" $command -i "$TMP/garbage"
	rc_is 1 "$command: no recording"
	run "$PERF_LITE" $command operand
	rc_is 1 "$command: an operand"
done
done_testing
