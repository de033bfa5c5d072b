# SPDX-License-Identifier: GPL-2.0
#
# perf-lite record: targets, ends, exit codes, the file, and everything that can be typed wrongly.
. tests/lib.sh
need_root
f=$TMP/a.data

record() { "$PERF_LITE" record -o "$f" "$@"; }
text() { "$PERF_LITE" script -q -i "$f" "$@"; }
comms() { text -F comm "$@" | sed 's/^ *//; s/ *$//' | sort -u | tr '\n' ' '; }
samples() { text -F comm | wc -l; }
# at_rate: of 500 ms of CPU time, a sample each 10 ms. A host that takes the CPU away takes it from the CPU time,
# and not from the kernel's timer: never more than the time on the clock has room for.
at_rate()
{
	awk -v n="$(samples)" -v s="$(sed -n 's/.* samples in \([0-9.]*\) s,.*/\1/p' "$TMP/err")" \
		'BEGIN { exit !(n >= 40 && n <= s * 100 + 3) }'
}

# The command

run_ok "a command" record -e cpu-clock -- "$PROG/spin" 200
like "the closing line says samples, lost, bytes and the file" "$TMP/err" \
	"^perf-lite record: [0-9]+ samples in [0-9.]+ s, 0 lost( of [0-9]+ counted)?, [0-9.]+ [a-zA-Z]+ in $f\$"
is "nothing but the command's own on standard output" "$(grep -c samples "$TMP/out")" 0
is "only the command is recorded" "$(comms)" "spin "
ok "about 4000 samples a second" test "$(samples)" -gt 500
is "mode 0600" "$(stat -c %a "$f")" 600
is "no temporary file is left" "$(ls "$TMP" | grep -c tmp)" 0
# ... even for a caller that ignores SIGCHLD, which is inherited
run perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV' "$PERF_LITE" record -q -e cpu-clock -o "$TMP/ignored" -- sh -c 'exit 3'
rc_is 3 "the status of the command, with SIGCHLD ignored"
run record -e cpu-clock -- sh -c 'exit 3'
rc_is 3 "the command's exit code"
run record -e cpu-clock -- sh -c 'kill -9 $$'
rc_is 137 "128 + the signal that killed it"
ok "the older recording is kept" test -f "$f.old"
run_ok "-F sets the rate" record -e cpu-clock -F 100 -- "$PROG/spin" 500
ok "a sample each 10 ms" at_rate
run_ok "-c sets the period" record -e task-clock -c 10000000 -- "$PROG/spin" 500
ok "a sample each 10 ms" at_rate
run_ok "-q says nothing" record -q -e cpu-clock -- true
is "really nothing" "$(cat "$TMP/err")" ""

# No hardware counters: cpu-clock instead, said once

if grep -qw '^cpu\|cpu_core\|armv8' /dev/null || ls /sys/bus/event_source/devices | grep -Eq '^(cpu|cpu_core|armv8.*)$'; then
	run_ok "the default event" record -- true
	pass "a machine with hardware counters: no fallback to show"
else
	run_ok "the default event" record -- true
	is "the fallback is said once" "$(grep -c 'sampling cpu-clock instead' "$TMP/err")" 1
fi

# Other targets

run_ok "-a for a time" record -e cpu-clock -a --duration 300ms
ok "as long as asked" grep -q -E 'samples in (0\.[3-9]|[1-9])' "$TMP/err"
run_ok "-C" record -e cpu-clock -C 0 --duration 300ms
is "only that CPU" "$(text -F cpu | sort -u | tr -d ' ')" "[000]"
"$PROG/spin" 5000 >/dev/null &
pid=$!
run_ok "-p" record -e cpu-clock -p $pid --duration 300ms
is "only that process" "$(comms)" "spin "
run_ok "-t" record -e cpu-clock -t $pid --duration 300ms
is "only that thread" "$(comms)" "spin "
run_ok "--comm" record -e cpu-clock --comm spin --duration 300ms
is "only processes of that name" "$(comms)" "spin "
for how in '' '-g' '-D 50'; do
	run_ok "-p for as long as a command runs: $how" record -e cpu-clock $how -p $pid -- "$PROG/spin" 300
	is "only that process" "$(text -F comm,tid | sort -u | tr -s ' ')" " spin $pid "
done
cp "$PROG/spin" "$TMP/short$$"
"$TMP/short$$" 500 >/dev/null &
run_ok "--comm of one that ends soon" record -e cpu-clock --comm "short$$" --duration 20s
like "says so" "$TMP/err" "^perf-lite record: the last process of --comm short$$ ended after [0-9.]+ s; with -a,"
run record -e cpu-clock -p $pid -- sh -c 'exit 7'
rc_is 7 "with its exit code"
run record -e cpu-clock -p $pid -- nosuch-command
rc_is 127 "if there is such a command"
ok "several threads of one process" "$PERF_LITE" record -q -o "$f" -e cpu-clock -p "$pid,$$" --duration 200ms
kill $pid
wait $pid 2>/dev/null

# lasts CMD...: $pid, with a standard input that ends when until_end closes it
mkfifo "$TMP/end"
lasts()
{
	"$@" <"$TMP/end" &
	pid=$!
	exec 9>"$TMP/end"
}
# until_end FILE ARG...: record -p $pid; once FILE has something, the process may end
until_end()
{
	until_file=$1
	shift
	: >"$until_file"
	"$PERF_LITE" record -o "$f" -p $pid "$@" >"$TMP/out" 2>"$TMP/err" </dev/null 9>&- &
	recorder=$!
	wait_for 20 test -s "$until_file"
	exec 9>&-
	rc=0
	wait $recorder || rc=$?
}
lasts cat >/dev/null
until_end "$TMP/err" -e cpu-clock
rc_is 0 "-p ends when the process does"
lasts cat >/dev/null
until_end "$TMP/timer" -e cpu-clock -- sh -c 'echo $$ >"$0"; exec sleep 600' "$TMP/timer"
rc_is 0 "... though the command beside it goes on"
ok "which is not ended" kill "$(cat "$TMP/timer")"
run_ok "what the command starts is recorded too" record -e cpu-clock -- sh -c "$PROG/spin 100; :"
like "inherited" "$TMP/err" "samples"
ok "by its new name" [ "$(comms | grep -c spin)" = 1 ]
run_ok "-i: not what it starts" record -i -e cpu-clock -- sh -c "$PROG/spin 100; :"
is "only the shell" "$(comms | grep -c spin)" 0
run_ok "-D waits" record -D 400 -e sched:sched_process_exec -- sh -c 'sleep 1.2; exec "$0" 20' "$PROG/spin"
is "what was executed in the first 400 ms is missing" \
	"$(text -F trace | sed -n 's/^ *filename=\([^ ]*\).*/\1/p')" "$PROG/spin"

# What is recorded

# a program that nobody else runs
cp /bin/true "$TMP/own_true"
run_ok "tracepoints" record -e sched:sched_process_exec -a -- sh -c '"$0"; "$0"' "$TMP/own_true"
is "with their own text" "$(text -F trace | grep -c "filename=$TMP/own_true")" 2
run_ok "a filter" record -e sched:sched_process_exec --filter 'filename ~ "*own_true"' -a -- sh -c '"$0"; /bin/ls' "$TMP/own_true"
is "only what it lets through" "$(text -F trace | grep -c 'filename=')" 1
run record -e sched:sched_process_exec --filter 'nosuch > 3' -a -- true
rc_is 1 "a filter of a field that there is not"
like "names the filter" "$TMP/err" "^perf-lite: filter of sched:sched_process_exec: 'nosuch > 3'"
like "and the fields that there are" "$TMP/err" "^hint: .*filename"
run_ok "several events and call chains" record -g -e cpu-clock,page-faults -e sched:sched_switch -a -- "$PROG/spin" 200
is "all of them" "$(text -G -F event | tr -d ' ' | sort -u | wc -l)" 3
run_ok "a group read by its leader" record -e '{context-switches,page-faults}:S' -c 1 -- "$PROG/faults"
run_ok "--all-user" record --all-user -e cpu-clock -- "$PROG/spin" 100
run_ok "--kernel-callchains" record -ag --kernel-callchains -e sched:sched_switch -- sleep 0.1
is "no user frames" "$(text -F ip | grep -cv '^.ffff\|^$')" 0
run_ok "--user-callchains" record -g --user-callchains -e page-faults -c 1 -- "$PROG/faults"
is "no kernel frames" "$(text -F ip | grep -c '^.ffffffff')" 0
run_ok "--switch-events" record --switch-events -e cpu-clock -- "$PROG/spin" 50
run_ok "-k with perf's number" record -k 7 -e cpu-clock -- true
is "is that clock" "$(text --header-only | grep -c 'clockid : CLOCK_BOOTTIME')" 1
run_ok "-k" record -k boot -e cpu-clock -- "$PROG/spin" 50
like "the clock is in the header" /dev/stdin "clockid : CLOCK_BOOTTIME" <<EOF
$(text --header-only)
EOF
run_ok "perf's options without meaning here" record -R -B -N --buildid-all --sample-cpu -e cpu-clock -- true
is "those that describe what record always does are silent" "$(grep -c effect "$TMP/err")" 0
run_ok "and those that do nothing" record --aio --threads=core --per-thread --synth task -e cpu-clock -- true
like "are named" "$TMP/err" "^no effect in perf-lite: --aio, --threads, --per-thread, --synth$"
run_ok "but not with -q" record -q --aio -e cpu-clock -- true
is "nothing is said" "$(cat "$TMP/err")" ""

# Tracepoints by number, patterns, what can only be counted

if can tracepoints; then
	id=$(cat /sys/kernel/tracing/events/sched/sched_process_exec/id)
	for event in "2:$id" "tracepoint/config=$id/"; do
		run_ok "$event" record -e "$event" --filter 'pid > 0' -a -- "$TMP/own_true"
		is "prints the fields of its format" "$(text -F trace | grep -c "filename=$TMP/own_true")" 1
	done
else
	skip_without "tracepoints by number" tracepoints
fi
run record -e 2:65535 -a -- true
rc_is 2 "a number that no tracepoint has"
like "is said" "$TMP/err" "^perf-lite: 2:65535: there is no tracepoint with the number 65535"
run_ok "a pattern with an event that cannot be sampled" record -e 'irq_vectors:irq_work*' -a -- true
like "leaves it out, which is said" "$TMP/err" "^irq_vectors:irq_work_exit: left out"
if [ -d /sys/bus/event_source/devices/msr ]; then
	run record -e msr/tsc/ -a -- true
	rc_is 2 "an event that can only be counted"
	like "says how to read it" "$TMP/err" "^hint: .*-e '{cpu-clock,msr/tsc/}:S'"
	run_ok "and that works" record -e '{cpu-clock,msr/tsc/}:S' -a -- "$PROG/spin" 50
	ok "with its counts" test "$(text -F event | grep -c msr/tsc/)" -gt 10
else
	skip_outside "an event that can only be counted" "no msr PMU"
fi
run_ok "a group of a command" record -e '{cpu-clock,faults}:S' -- "$PROG/spin" 50
like "says that it is not inherited" "$TMP/err" "^cpu-clock: threads and processes that the targets start are left out of its group; "
for how in mem:0x1000/4:x mem:0x1000:rx mem:0x1001/8:rw cpu-clock/nr=3/ cpu-clock/overwrite/ cpu-clock/time=0/ \
	cpu-clock/call-graph=lbr/ duration_time; do
	run record -e "$how" -- true
	ok "refused: $how" test $rc -ne 0
	is "with a hint" "$(grep -c '^hint: ' "$TMP/err")" 1
done
for n in 9223372036854775808 18446744073709551615; do
	run record -c $n -e cpu-clock -- true
	rc_is 1 "refused: -c $n"
	like "as too large" "$TMP/err" "^perf-lite: the period $n is too large: 9223372036854775807 at most"
	run record -e cpu-clock/period=$n/ -- true
	rc_is 1 "refused: period=$n"
	like "as too big" "$TMP/err" "the value of 'period' is too big: 9223372036854775807 at most"
done
rate=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
run_ok "a frequency above the limit" record -e cpu-clock/freq=$((rate + 1))/ -- true
like "is that of the limit" "$TMP/err" ": sampling at [0-9]+ Hz, the most that kernel.perf_event_max_sample_rate allows"
run record --strict-freq -e cpu-clock/freq=$((rate + 1))/ -- true
rc_is 2 "with --strict-freq it is refused"
run_ok "the largest period" record -c 9223372036854775807 -e cpu-clock -- true

# A breakpoint on a variable and on a function of a running program

cat >"$TMP/watched.c" <<EOF
#include <stdio.h>
long variable;
__attribute__((noinline)) void function(void) { variable++; }
int main(void)
{
	int i;

	printf("0x%lx 0x%lx\\n", (long)&variable, (long)function);
	fflush(stdout);
	getchar();
	for (i = 0; i < 100; i++)
		function();
	return 0;
}
EOF
if ${CC:-cc} -O0 -o "$TMP/watched" "$TMP/watched.c" 2>/dev/null; then
	lasts "$TMP/watched" >"$TMP/addresses"
	wait_for 20 test -s "$TMP/addresses"
	read -r variable function <"$TMP/addresses"
	until_end "$TMP/err" -e "mem:$variable/8:w" -e "mem:$function:x"
	if can breakpoints; then
		is "who writes a variable" "$(text -F event,ip,sym | grep -c "mem:$variable: .*function")" 100
		is "when a function is run" "$(text -F event,ip,sym | grep -c "mem:$function:x: .*function")" 100
	else
		skip_without "breakpoints" breakpoints
	fi
else
	skip_without "breakpoints" cc
fi

# Cgroups

cgroup2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if can cgroups; then
	mkdir "$cgroup2/perf-lite-test"
	at_exit rmdir "$cgroup2/perf-lite-test"
	sh -c "echo \$\$ >$cgroup2/perf-lite-test/cgroup.procs; exec $PROG/spin 20000" >/dev/null &
	pid=$!
	"$PROG/symbols" >/dev/null 2>&1 &
	sleep 0.1
	run_ok "-G" record -e cpu-clock -G perf-lite-test -a --duration 300ms
	is "only what is in the cgroup" "$(comms)" "spin "
	run_ok "-G without -e" record -G perf-lite-test -a --duration 300ms
	is "is of the default event" "$(comms)" "spin "
	run_ok "-G before -e" record -G perf-lite-test -e cpu-clock -a --duration 300ms
	is "is of all events" "$(comms)" "spin "
	run_ok "top -G" "$PERF_LITE" top -q -G perf-lite-test --once -d 300ms -s comm
	is "likewise" "$(sed -n '/%/s/.*% *//p' "$TMP/out" | grep -v total | sort -u | tr -d ' \n')" "spin"
	run_ok "trace -G" "$PERF_LITE" trace -G perf-lite-test -s --json --duration 100ms
	run_ok "latency -G" "$PERF_LITE" latency syscalls -G perf-lite-test --duration 100ms
	run_ok "drops -G" "$PERF_LITE" drops -G perf-lite-test --duration 100ms
	run_ok "count -G before -e" "$PERF_LITE" count -G perf-lite-test -e cpu-clock --by comm --json --duration 300ms
	is "likewise" "$(jq -r '.rows[].comm' "$TMP/out")" "spin"
	kill $pid
	wait $pid 2>/dev/null
	run record -G perf-lite-test -- true
	rc_is 1 "-G without -e, and a command"
	run record -e cpu-clock -G perf-lite-test -- true
	rc_is 1 "-G and a command"
	run record -e cpu-clock -G perf-lite-test -p $$
	rc_is 1 "-G and a process"
	run record -e cpu-clock -G .. -a --duration 10ms
	rc_is 2 "a folder that is no cgroup"
	like "is said" "$TMP/err" "^perf-lite: '\.\.' is not a cgroup"
else
	skip_without "-G" cgroups
fi

# Names of what began while the recorder did, or while it waited

run_ok "-D and -a" record -D 200 -e cpu-clock -a -- "$PROG/spin" 400
ok "a command that began during the delay has its name and symbols" \
	test "$(text -F comm,ip,sym | grep -c 'spin .*leaf')" -gt 100
run_ok "--duration after -D" record -D 200 -e cpu-clock -a --duration 200ms -- "$PROG/spin" 400
ok "counts from the end of the delay" test "$(comms | grep -c spin)" = 1
run_ok "300 short-lived processes" record -e sched:sched_process_exit -a -- "$PROG/forks" 300
is "all have a name" "$(text -F comm | grep -c '^ *:')" 0

# Itself

own=own-$$ # others may record, too
ln -s "$PERF_LITE" "$TMP/$own"
run_ok "everybody's system calls" "$TMP/$own" record -o "$f" -e raw_syscalls:sys_enter -a -- ls /
is "without its own" "$(comms | grep -c "$own")" 0
run_ok "--include-self" record --include-self -e raw_syscalls:sys_enter -a -- ls /
is "with its own" "$(comms | grep -c perf-lite)" 1

# The buffers

run_ok "-m halved to what can be had" sh -c \
	"ulimit -v 1500000; '$PERF_LITE' record -o '$f' -e cpu-clock -m 4G -- true"
is "is said once" "$(grep -c 'buffers of [0-9]* KiB instead of 4194304 KiB: ' "$TMP/err")" 1
is "and is no error" "$(grep -c '^perf-lite: ' "$TMP/err")" 0
run_ok "a soft limit of descriptors" sh -c "ulimit -Sn 30; '$PERF_LITE' record -q -o '$f' -e 'sched:*' -a --duration 50ms"
run sh -c "ulimit -n 30; '$PERF_LITE' record -q -o '$f' -e 'sched:*' -a --duration 50ms"
rc_is 2 "a hard limit of descriptors"
like "is named" "$TMP/err" "^hint: .*ulimit -n"
run_ok "a storm of events in one page" record -m 1 -e skb:kfree_skb -ag -- "$PROG/drops" --udp 50000
ok "every one is recorded or counted as lost" awk '/ samples in / { exit !($3 + $8 >= 50000) }' "$TMP/err"
run_ok "in a buffer that holds them all" record -m 32M -e skb:kfree_skb -ag -- "$PROG/drops" --udp 50000
like "none is lost" "$TMP/err" " 0 lost"

# Pipes and signals

for sig in TERM HUP QUIT ALRM USR1 XCPU; do
	: >"$TMP/err"
	"$PERF_LITE" record -o "$f" -e cpu-clock -a 2>"$TMP/err" &
	pid=$!
	wait_for 5 grep -q 'recording' "$TMP/err"
	kill -$sig $pid
	wait $pid
	is "SIG$sig ends a recording well" $?.$(grep -c 'samples in' "$TMP/err") 0.1
done

"$PERF_LITE" record -q -o - -e sched:sched_process_exec -a -- /bin/true |
	"$PERF_LITE" script -i - -F trace >"$TMP/out" 2>"$TMP/err"
like "record | script" "$TMP/out" "filename=/bin/true"
: >"$TMP/err"
"$PERF_LITE" record -o "$f" -e cpu-clock -a 2>"$TMP/err" &
pid=$!
wait_for 5 grep -q 'recording' "$TMP/err"
kill -INT $pid
wait $pid
is "^C ends a recording well" $? 0
like "with the closing line" "$TMP/err" "samples in"
rm -f "$f" "$f.old"
"$PERF_LITE" record --no-guardian -o "$f" -e cpu-clock -a 2>"$TMP/err" &
pid=$!
wait_for 5 grep -q 'recording' "$TMP/err"
# of a busy machine it takes a while until more than a second is in the file
lasts_a_second()
{
	"$PERF_LITE" script -q -i "$f" -F time 2>/dev/null | tr -d ' :' |
		awk 'NR == 1 { first = $1 } { last = $1 } END { exit !(last - first > 1) }'
}
sleep 2.3
wait_for 20 lasts_a_second
kill -KILL $pid
wait $pid 2>/dev/null
run_ok "a recording that was killed can be read" text -F time
first=$(head -n 1 "$TMP/out" | tr -d ' :')
last=$(tail -n 1 "$TMP/out" | tr -d ' :')
ok "up to its last second" awk -v a="$first" -v b="$last" 'BEGIN { exit !(b - a > 1) }'

# A failed start leaves an older recording alone

echo old >"$f"
for how in '-e nosuch -- true' '-e cpu-clock -- nosuch-command' '-e cpu-clock -p 999999999' \
	'-e cpu-clock -C 4000 -- true' '-e sched:nosuch -a' '-e cpu-clock --comm no-such-process'; do
	run record $how
	ok "refused: $how" test $rc -ne 0
	is "one message" "$(grep -c '^perf-lite: ' "$TMP/err")" 1
	is "one hint" "$(grep -c '^hint: ' "$TMP/err")" 1
	is "the older file is as it was" "$(cat "$f")" old
done
run record -e cpu-clock -- nosuch-command
rc_is 127 "command not found"
run record -e cpu-clock -- ''
rc_is 127 "a command without a name"
run record -e cpu-clock -- "$TMP"
rc_is 126 "a folder is no command"
run "$PERF_LITE" record -o '' -e cpu-clock -- true
rc_is 1 "-o ''"
for delay in 0 0.001 0.002 0.004 0.008 0.016; do
	timeout -s INT $delay "$PERF_LITE" record -o "$TMP/early" -e 'sched:*' -a -- sleep 0 >/dev/null 2>&1
done
is "^C while it starts leaves no temporary file" "$(ls "$TMP" | grep -c tmp)" 0
ok "nor a file that cannot be read" sh -c "! [ -e '$TMP/early' ] || '$PERF_LITE' script -i '$TMP/early' >/dev/null"
printf '#!/nonexistent/interpreter\n' >"$TMP/script"
chmod +x "$TMP/script"
run record -e cpu-clock -- "$TMP/script"
rc_is 127 "an interpreter that is not there"
is "the older file is as it was" "$(cat "$f")" old
is "nothing else is left" "$(ls "$TMP" | grep -c tmp)" 0

# Once the command runs, a name that cannot be had ends nothing

rm -f "$f.old"
mkdir "$f.old"
run record -e cpu-clock -- sh -c '"$0" 100; echo ended' "$PROG/spin"
rc_is 3 "the older file cannot be kept"
like "the command is recorded all the same" "$TMP/out" '^ended$'
left=$(ls "$f".*.tmp)
like "is said at once" "$TMP/err" "^the recording goes on in $left: cannot move the older $f away: "
like "and at the end" "$TMP/err" "^hint: what was recorded is in $left\$"
unlike "in no other file" "$TMP/err" "samples* in .* in $f"
run_ok "it is whole" "$PERF_LITE" verify "$left"
is "the older file is as it was" "$(cat "$f")" old
rmdir "$f.old"
rm -f "$f" "$left"

# Wrong usage

for how in '-F 0' '-F x' '-c 0' '-F 99 -c 7' '-m x' '-m 0' '-D x' '-p x' '-p 0' '-k nosuch' '-k 5' '--call-graph nosuch' \
	'-z99' '-C ,' '--filter=' '-e cpu-clock --call-graph lbr' '-a -p 1 -- true' '--duration x' '--nosuch' '-C x' '-a -p 1' '--filter x' '-G x'; do
	run record $how
	ok "refused: record $how" test $rc -eq 1 -o $rc -eq 2
	is "one message" "$(grep -c '^perf-lite: ' "$TMP/err")" 1
	ok "no file" not test -e "$f"
done
for option in -S --snapshot --aux-sample=1 -n --no-samples -s --stat --running-time --transaction \
	--kcore --vmlinux=x --clang-path=x --clang-opt=x --switch-output-event=cs --timestamp-filename; do
	run record $option -e cpu-clock -- true
	rc_is 1 "refused: $option"
	like "by its name" "$TMP/err" "^perf-lite: record takes no ${option%%=*}\$"
	is "one hint" "$(grep -c '^hint: ' "$TMP/err")" 1
done
run record --duraton 3s
like "did you mean" "$TMP/err" "^hint: .*--duration"
run_ok "--dry-run" record --dry-run -e cpu-clock -e sched:sched_switch -a
like "says what would be recorded" "$TMP/out" "^sched:sched_switch "
ok "and records nothing" not test -e "$f"
run_ok "--dry-run -o -" record --dry-run -e cpu-clock -o - -- true
is "is the plan alone" "$(wc -l <"$TMP/out") $(cut -d ' ' -f 1 "$TMP/out")" "1 cpu-clock"
mkfifo "$TMP/dry"
exec 7<>"$TMP/dry"
run_ok "--dry-run -o FIFO" record --dry-run -e cpu-clock -o "$TMP/dry" -- true
echo nothing >&7
is "writes nothing there" "$(head -n 1 <&7)" nothing
exec 7>&-

# No permission

chmod 711 "$TMP"
as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
if cp "$PERF_LITE" "$TMP/pl" && chmod 755 "$TMP/pl" && as_nobody true 2>/dev/null; then
	old=$(cat /proc/sys/kernel/perf_event_paranoid)
	at_exit sysctl -qw kernel.perf_event_paranoid="$old"
	sysctl -qw kernel.perf_event_paranoid=2
	run as_nobody "$TMP/pl" record -o /dev/null -e cpu-clock -a --duration 100ms
	rc_is 2 "nobody may not record everybody"
	like "perf's first sentence" "$TMP/err" "^perf-lite: Access to performance monitoring and observability operations is limited"
	like "the setting that blocks" "$TMP/err" "perf_event_paranoid = 0"
	like "the command that mends it" "$TMP/err" "^hint: .*sudo sysctl kernel.perf_event_paranoid=0"
	run as_nobody "$TMP/pl" record -o /dev/null -e skb:kfree_skb -- true
	rc_is 2 "nor tracepoints"
	run as_nobody "$TMP/pl" record -o /dev/null -e cpu-clock:k -- true
	rc_is 2 "nor the kernel alone"
	like "which is not taken for user code" "$TMP/err" "perf_event_paranoid = 1 or lower"
	run as_nobody "$TMP/pl" record -o /dev/null -e cpu-clock -p 1 --duration 50ms
	rc_is 2 "nor the process of another"
	like "whose it is is said" "$TMP/err" "Thread 1 belongs to another user"
	like "says how" "$TMP/err" "^hint: .*sudo"
	cp "$PROG/spin" "$TMP/spin"
	run as_nobody "$TMP/pl" record -o - -e cpu-clock -g -- "$TMP/spin" 100
	rc_is 0 "but a command of its own"
	like "in user code only, which is said" "$TMP/err" "recording user code only"
fi

# A full disk

mkdir "$TMP/full"
if mount -t tmpfs -o size=512k tmpfs "$TMP/full" 2>/dev/null; then
	at_exit umount "$TMP/full"
	# a known number of calls, more than fit, of a process whose mappings are few
	run "$PERF_LITE" record --no-guardian -z0 -e raw_syscalls:sys_enter -o "$TMP/full/a.data" -- "$PROG/storm" 300000
	rc_is 3 "a full disk"
	like "is said" "$TMP/err" "^perf-lite: .*cannot write .*No space left on device"
	like "with the samples that were not written" "$TMP/err" "[0-9]+ samples were not written"
	all=$(sed -n 's/^perf-lite record: \([0-9]*\) samples.*/\1/p' "$TMP/err")
	unwritten=$(sed -n 's/^perf-lite: \([0-9]*\) samples were not written.*/\1/p' "$TMP/err")
	run "$PERF_LITE" script -i "$TMP/full/a.data" -F comm
	ok "what was written can be read" test "$(wc -l <"$TMP/out")" -gt 10
	is "what was written and what was not is all there was" \
		"$(($(wc -l <"$TMP/out") + unwritten))" "$all"
else
	skip_without "a full disk" mounts
fi
run sh -c "ulimit -f 1000; exec '$PERF_LITE' record --no-guardian -z0 -e raw_syscalls:sys_enter -o '$f' -- '$PROG/storm' 300000"
rc_is 3 "ulimit -f"
like "is said, with what to do" "$TMP/err" "^hint: .*ulimit -f"
run text -F comm
ok "what was written can be read" test "$(wc -l <"$TMP/out")" -gt 10
run "$PERF_LITE" record -o "$TMP/no/such/dir/a.data" -e cpu-clock -- true
rc_is 2 "a folder that is not there"
run "$PERF_LITE" record -o "$TMP" -e cpu-clock -- true
rc_is 2 "a folder instead of a file"
like "is said" "$TMP/err" "^perf-lite: .*it is a directory"
like "with what to do" "$TMP/err" "^hint: "
run sh -c "exec '$PERF_LITE' record -o - -e cpu-clock -- true >&-"
rc_is 2 "a closed standard output"
like "is said" "$TMP/err" "^perf-lite: standard output is closed"
run sh -c "'$PERF_LITE' record -o - -e cpu-clock -a --duration 5s | true; exit 0"
like "a reader that has gone" "$TMP/err" "^perf-lite: .*cannot write standard output: Broken pipe"
# who reads the rings goes before others, unless told otherwise
for priority in 0 1 7; do
	run "$PERF_LITE" record -q -r $priority -o "$f" -e cpu-clock -- sh -c 'chrt -p $(ps -o ppid= -p $$)'
	is "-r $priority" "$(sed -n 's/.*scheduling priority: //p' "$TMP/out")" $priority
done
run "$PERF_LITE" record -r 100 -o "$f" -e cpu-clock -- true
rc_is 1 "-r 100 is refused"
like "and says why" "$TMP/err" "'100' is not a SCHED_FIFO priority"

# cycles of levels keep their names where cpu-clock stands for them
run_ok "cycles of two levels" "$PERF_LITE" record -q -o "$f" -e cycles:u,cycles:k,cycles -- true
is "have names of their own" "$("$PERF_LITE" evlist -i "$f" | grep -v dummy | sed 's/cpu-clock/cycles/' | tr '\n' ' ')" "cycles:u cycles:k cycles "


# An option that has nothing to keep

run_ok "--keep-stacks without copies of stacks" "$PERF_LITE" record -e cpu-clock -g --keep-stacks -o "$TMP/none" -- true
like "is told" "$TMP/err" '^--keep-stacks changes nothing: stacks are copied with --call-graph dwarf or auto$'
run_ok "with them" "$PERF_LITE" record -e cpu-clock --call-graph dwarf --keep-stacks -o "$TMP/none" -- true
unlike "is no matter" "$TMP/err" 'changes nothing'
done_testing
