# SPDX-License-Identifier: GPL-2.0
#
# perf-lite stat: the command's end, exact counts, targets, intervals, repetition, limits.

. tests/lib.sh
need_root
need_tracefs

# counted EVENT: its count in the fields of -x, in $TMP/err
counted()
{
	awk -F, -v e="$1" '$3 == e { print $1 }' "$TMP/err"
}

# stat_x OPTION...: count with fields
stat_x()
{
	run "$PERF_LITE" stat -x, "$@"
}

# --- the exit status ---

run "$PERF_LITE" stat -e cs -- true
rc_is 0 "true"
like "a table, to standard error" "$TMP/err" '^ +[0-9]+ +cs'
ok "and nothing to standard output" test ! -s "$TMP/out"
run "$PERF_LITE" stat -e cs -- sh -c 'exit 3'
rc_is 3 "the command's exit status"
run "$PERF_LITE" stat -e cs -- sh -c 'kill -KILL $$'
rc_is 137 "128 + signal"
run "$PERF_LITE" stat -- no-such-command-here
rc_is 127 "no such command"
like "it is named" "$TMP/err" 'command not found: no-such-command-here'
run "$PERF_LITE" stat -- /etc/passwd
rc_is 126 "a file that is no program"
bad=0 n=0
while [ $n -lt "${STAT_RUNS:-200}" ]; do
	"$PERF_LITE" stat -e cs -- false 2>/dev/null
	[ $? -eq 1 ] || bad=$((bad + 1))
	n=$((n + 1))
done
is "$n times false, none of them lost" $bad 0
run env --ignore-signal=CHLD "$PERF_LITE" stat -e cs -- sh -c 'exit 4'
rc_is 4 "where SIGCHLD came ignored, too"
run "$PERF_LITE" stat --json=v2 -e cs -- sh -c 'exit 5'
like "v2 tells it" "$TMP/err" '"exit_status":5'
run "$PERF_LITE" stat --json=v2 -e cs -- sleep 0.2
elapsed=$(sed -n 's/.*"elapsed_ns":\([0-9]*\).*/\1/p' "$TMP/err")
ok "elapsed is the command's whole time ($elapsed ns)" test "$elapsed" -ge 200000000

# --- counts ---

for n in 1 12345; do
	stat_x -e syscalls:sys_enter_getppid \
		-e '{syscalls:sys_exit_getppid,raw_syscalls:sys_enter}' --filter 'id == 110' -- \
		"$PROG/storm" $n
	[ "$rc" -eq 0 ] || stat_x -e syscalls:sys_enter_getppid -e syscalls:sys_exit_getppid -- \
		"$PROG/storm" $n
	is "$n system calls" "$(counted syscalls:sys_enter_getppid)" $n
	is "and returns" "$(counted syscalls:sys_exit_getppid)" $n
done
id=$(printf '#include <sys/syscall.h>\n__NR_getppid\n' | cc -E -P - | tail -n 1)
stat_x -e raw_syscalls:sys_enter --filter "id == $id" -- "$PROG/storm" 100
is "only what the filter passes" "$(counted raw_syscalls:sys_enter)" 100
stat_x -e sched:sched_process_fork,sched:sched_process_exec -- "$PROG/forks" 50
is "what the command starts is counted" "$(counted sched:sched_process_fork)" 50
is "and its own start" "$(counted sched:sched_process_exec)" 51
stat_x -i -e sched:sched_process_exec -- "$PROG/forks" 50
is "-i: the command alone" "$(counted sched:sched_process_exec)" 1
if command -v setarch >/dev/null; then
	run setarch -R "$PERF_LITE" stat -x, -e page-faults -- "$PROG/faults" 1
	few=$(counted page-faults)
	run setarch -R "$PERF_LITE" stat -x, -e page-faults -- "$PROG/faults" 501
	more=$(($(counted page-faults) - few))
	# a page of the program or of libraries may have left memory between the two
	ok "500 page faults more ($more)" test $more -ge 495 -a $more -le 505
else
	skip_without "500 page faults more" setarch
fi
stat_x -e '{cs,migrations},{faults:u,faults:k}' -- "$PROG/threads" 100
# a thread that has been woken before it waits does not switch
ok "switches ($(counted cs))" test "$(counted cs)" -ge 100
is "the members of groups" "$(grep -c '^[0-9]' "$TMP/err")" 4
# the kernel tells the one time from the other by its ticks, and a virtual machine may miss many
stat_x -e cs,duration_time,user_time,system_time -- "$PROG/spin" 400
ok "user time" test "$(counted user_time)" -gt 10000000
# the kernel counts from the fork on, and not to the ns
ok "is about as much as elapsed at most" test "$(counted user_time)" -le $(($(counted duration_time) + 5000000))
stat_x -n -- true
rc_is 0 "-n counts nothing"
run "$PERF_LITE" stat -n -- true
like "but the time" "$TMP/err" 'seconds time elapsed'
unlike "and nothing else" "$TMP/err" 'clock|<not'
stat_x -e cs,cycles,instructions -v -- true
ok "three lines at least" test "$(grep -c , "$TMP/err")" -ge 3
stat_x -d -d -d -- true
ok "-d -d -d adds the caches" grep -q 'L1-dcache-prefetch-misses' "$TMP/err"

# --- whom ---

sleep 1000 &
sleeper=$!
at_exit kill $sleeper
sleeps() { [ "$(cat /proc/$sleeper/comm)" = sleep ] && grep -q '^State:.S' /proc/$sleeper/status; }
wait_for 10 sleeps
stat_x -e cs,faults -p $sleeper -- sleep 0.1
is "a sleeping process did nothing, which is a count" "$(counted cs) $(counted faults)" "0 0"
stat_x -e cs --per-thread -p $sleeper -- sleep 0.1
like "by thread" "$TMP/err" "^sleep-$sleeper,0,,cs"
stat_x -e cs -t $sleeper --duration 100ms
rc_is 0 "--duration"
stat_x -e cs -t $sleeper -I 50ms --timeout 0.2s
rc_is 0 "-I and --timeout with units"
ok "intervals of them" test "$(grep -c ,cs, "$TMP/err")" -ge 2
stat_x -e cs -t $sleeper --timeout 100
rc_is 0 "--timeout"
run "$PERF_LITE" stat -e cs -p 4194300
rc_is 2 "no such process"
like "it is told" "$TMP/err" 'there is no process 4194300'
sleep 2 &
stat_x -e cs -p $!
rc_is 0 "it ends with the process that it counts"
mkfifo "$TMP/fifo"
sh -c 'read x <"$1"; "$0" 77' "$PROG/storm" "$TMP/fifo" >/dev/null &
shell=$!
sleep 0.3 # by then it waits
(sleep 0.5; echo go >"$TMP/fifo") &
stat_x -e syscalls:sys_enter_getppid -p $shell
is "what a process starts later is counted with it" "$(counted syscalls:sys_enter_getppid)" 77
stat_x -a -e cs,cpu-clock -- sleep 0.1
ok "everybody" test "$(counted cs)" -gt 0
stat_x -a -A -e cs -- sleep 0.1
is "by CPU" "$(grep -c '^CPU[0-9]*,' "$TMP/err")" "$(nproc)"
stat_x -C 0 -e cpu-clock -- sleep 0.1
is "one CPU's clock" "$(awk -F, '{ print ($4 > 90000000 && $4 < 10000000000) }' "$TMP/err")" 1
run "$PERF_LITE" stat -C 9999 -e cs true
rc_is 2 "a CPU that is not there"
stat_x --per-thread -a -e cs -- sleep 0.1
like "every thread" "$TMP/err" '-[0-9]+,[0-9]+,,cs'
cgroup=$(awk '$3 == "cgroup2" || ($3 == "cgroup" && $4 ~ /perf_event/) { print $2; exit }' \
	/proc/self/mounts)
if [ -n "$cgroup" ]; then
	stat_x -a -e cs,faults -G / -- sleep 0.1
	rc_is 0 "-G"
	stat_x -a -e cs,faults --for-each-cgroup /,/ -- sleep 0.1
	is "--for-each-cgroup" "$(grep -c ',/,' "$TMP/err")" 4
	run "$PERF_LITE" stat -a -e cs -G no-such-cgroup true
	rc_is 2 "no such cgroup"
else
	skip_without "-G" cgroups
fi

# --- how long ---

stat_x -I 50 --interval-count 3 -a -e cs
is "three intervals" "$(grep -c ,cs, "$TMP/err")" 3
run "$PERF_LITE" stat --json=v2 -I 20 --summary -e syscalls:sys_enter_getppid -- "$PROG/storm" \
	--seconds 0 1000
is "the intervals add up to the summary" \
	"$(sed -n '/"summary":true/d; s/.*"value":\([0-9]*\).*/\1/p' "$TMP/err" |
		awk '{ s += $1 } END { print s }')" \
	"$(sed -n '/"summary":true/s/.*"value":\([0-9]*\).*/\1/p' "$TMP/err")"
# Whoever has to wait for the CPU reads one interval too late, and the next one is shorter: together they are as long as all.
stat_x -I 30 -a -e cpu-clock -- sleep 0.5
is "each begins where the last one ended" \
	"$(awk -F, '{ sum += $5; t = $1 } END { print (NR > 2 && sum <= t * 1e9 * '"$(nproc)"' * 1.5) }' "$TMP/err")" 1
run "$PERF_LITE" stat -e cs --timeout 100 -- sleep 10
rc_is 143 "--timeout ends the command"
like "and counts" "$TMP/err" ' cs'
stat_x -D 1000 -e syscalls:sys_enter_getppid -- sh -c '"$0" 5; sleep 2; "$0" 7' "$PROG/storm"
is "-D: what came before is not counted" "$(counted syscalls:sys_enter_getppid)" 7
mkfifo "$TMP/ctl" "$TMP/ack"
cat >"$TMP/steps" <<'END'
exec 3<>"$1" 4<>"$2"
"$0" 5
echo enable >&3; read a <&4
"$0" 11
echo disable >&3; read b <&4
"$0" 3
echo "$a $b" >&2
END
run "$PERF_LITE" stat -x, -D -1 --control "fifo:$TMP/ctl,$TMP/ack" -e syscalls:sys_enter_getppid -- \
	timeout 10 sh -c "$(cat "$TMP/steps")" "$PROG/storm" "$TMP/ctl" "$TMP/ack"
is "--control: between enable and disable" "$(counted syscalls:sys_enter_getppid)" 11
like "both answered" "$TMP/err" '^ack ack$'
run "$PERF_LITE" stat -x, -v -D -1 --control "fifo:$TMP/ctl" -e cs -- true
like "never enabled is not counted" "$TMP/err" '<not counted>,,cs'
cat >"$TMP/steps" <<'END'
exec 3<>"$1" 4<>"$2"
for line in ping 'enable syscalls:sys_enter_getppid' 'enable nothing' snapshot stop; do
	echo "$line" >&3
	[ "$line" = snapshot ] || timeout 10 head -n 1 <&4 >&2
done
"$0" 5
exit 3
END
run "$PERF_LITE" stat -x, -D -1 --control "fifo:$TMP/ctl,$TMP/ack" -e syscalls:sys_enter_getppid -- \
	sh -c "$(cat "$TMP/steps")" "$PROG/storm" "$TMP/ctl" "$TMP/ack"
rc_is 3 "--control: the command goes on after stop"
is "but is not counted" "$(counted syscalls:sys_enter_getppid)" 0
is "each command is answered" "$(grep -c '^ack$' "$TMP/err")" 4
like "an event that is not counted" "$TMP/err" "there is no event 'nothing'"
like "a command that stat does not have" "$TMP/err" "there is no command 'snapshot'"
is "and nothing else" "$(grep -c 'there is no' "$TMP/err")" 2

"$PERF_LITE" stat -a -e cs 2>"$TMP/err" &
pid=$!
wait_for 20 handles INT $pid
sleep 0.3
kill -INT $pid
wait $pid
is "^C ends it well" $? 0
like "with the counts" "$TMP/err" ' cs'
"$PERF_LITE" stat -e cs -- sleep 100 2>"$TMP/err" &
pid=$!
wait_for 20 pgrep -P $pid -x sleep
kill -TERM $pid
wait $pid
is "a signal is passed on to the command" $? 143
like "and what it did is told" "$TMP/err" ' cs'
"$PERF_LITE" stat -e cs -- sh -c 'trap "" INT TERM; sleep 3' 2>"$TMP/err" &
pid=$!
grandchild() { pgrep -P "$(pgrep -P $pid -x sh)" -x sleep; }
wait_for 20 grandchild
kill -TERM $pid
sleep 0.1
kill -TERM $pid
wait $pid
is "a second one does not wait" $? 143
like "and tells, too" "$TMP/err" ' cs'

# --- how often ---

run "$PERF_LITE" stat -x, -I 60000 --warmup 2 -e cs -- true
is "intervals of a warm-up are not printed" "$(grep -c ,cs, "$TMP/err")" 1
run_ok "-r" "$PERF_LITE" stat -r 3 --warmup 2 -e cs -- sh -c 'echo >>"$0"' "$TMP/runs"
is "three runs and two before" "$(wc -l <"$TMP/runs")" 5
stat_x -r 3 -e syscalls:sys_enter_getppid -- "$PROG/storm" 9
like "their mean" "$TMP/err" '^9,,syscalls:sys_enter_getppid,0.00%'
run "$PERF_LITE" stat -r 3 -e cs -- sh -c 'echo >>"$0"; exit $(wc -l <"$0")' "$TMP/codes"
rc_is 1 "the first run that failed"
run "$PERF_LITE" stat -r 2 --pre "echo pre >>$TMP/hooks" --post "echo post >>$TMP/hooks" -S \
	-e cs -- sh -c 'echo run >>"$0"' "$TMP/hooks"
is "--pre and --post" "$(tr '\n' ' ' <"$TMP/hooks")" "pre run post pre run post "
run "$PERF_LITE" stat --pre false -e cs -- touch "$TMP/touched"
rc_is 2 "--pre that fails"
run "$PERF_LITE" stat --post false -e cs -- true
rc_is 2 "--post that fails"
ok "nothing runs then" test ! -e "$TMP/touched"

# --- where to ---

run_ok "-o" "$PERF_LITE" stat -o "$TMP/file" -e cs -- true
like "says when" "$TMP/file" '^# started on '
run_ok "--append" "$PERF_LITE" stat -o "$TMP/file" --append -e cs -- true
is "twice" "$(grep -c ' cs' "$TMP/file")" 2
"$PERF_LITE" stat --log-fd 5 -x, -e cs -- true 5>"$TMP/five"
like "--log-fd" "$TMP/five" '^[0-9]+,,cs'
run "$PERF_LITE" stat --log-fd 77 -e cs -- true
rc_is 2 "a descriptor that is not open"
run "$PERF_LITE" stat -o /dev/full -e cs -- true
rc_is 3 "a full disk"
run_ok "-q" "$PERF_LITE" stat -q -e cs -- true
ok "says nothing" test ! -s "$TMP/err"

# --- limits ---

(
	ulimit -Sn 16
	stat_x -e 'sched:*' -a -- sh -c 'ulimit -Sn'
	echo "$rc" >"$TMP/rc"
)
is "more events than descriptors" "$(cat "$TMP/rc")" 0
is "the command has its own limit" "$(cat "$TMP/out")" 16
ok "all were counted" test "$(grep -c '^[0-9]*,,sched:' "$TMP/err")" -ge 20
# a pipe's end is not held by what closes the events later
out=$(timeout 20 "$PERF_LITE" stat -x, -e 'sched:*' -a -- true 2>&1)
like "nobody waits for the closing" /dev/fd/0 'sched:sched_switch' <<END
$out
END
is "all began and ended together" "$(printf '%s\n' "$out" | awk -F, '{ print int($4 / '"$(nproc)"' / 1e6) }' |
	sort -n | awk 'NR == 1 { a = $1 } END { print ($1 - a < 5) }')" 1

if setpriv --reuid 65534 --clear-groups true 2>/dev/null; then
	cp "$PERF_LITE" "$TMP/perf-lite"
	chmod 755 "$TMP" "$TMP/perf-lite"
	run setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all \
		"$TMP/perf-lite" stat -e sched:sched_switch -- true
	rc_is 2 "a tracepoint, without privilege"
	like "the reason" "$TMP/err" 'perf_event_paranoid|tracefs|tracing'
	paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
	[ "$paranoid" -ge 2 ] || {
		at_exit "echo $paranoid >/proc/sys/kernel/perf_event_paranoid"
		echo 2 >/proc/sys/kernel/perf_event_paranoid
	}
	run setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all \
		"$TMP/perf-lite" stat -x, -e faults,faults:u -- true
	rc_is 0 "one's own command, without privilege"
	like "user code, named so" "$TMP/err" '^[0-9]+,,faults:u,'
	like "and said" "$TMP/err" 'counting user code only'
	run setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all \
		"$TMP/perf-lite" stat -x, -e cs -- true
	like "what is 0 for it is said to be" "$TMP/err" '^cs:u is always 0: it happens in the kernel'
else
	skip_without "without privilege" setpriv
fi

# --- wrong usage ---

# refused MESSAGE OPTION...
refused()
{
	what=$1
	shift
	run "$PERF_LITE" stat "$@"
	rc_is 1 "refused: $*"
	like "the reason" "$TMP/err" "$what"
}

refused "not usable|nothing is recorded" -e cycles/freq=100/ true
refused "'x' is not a number" -I x true
refused "is not a number of runs" -r x true
refused "cannot be combined with processes" -a -p 1 true
refused "aggregated in one way" -A --per-core -a true
refused "wherever it runs" -A true
refused "in each second" -r 2 -I 100 true
refused "there is none" -r 2 -a
refused "there is none" -D -1 true
refused "there are none" --interval-count 2 true
refused "cannot be combined with processes" -e cs -G / true
refused "must define|follow|before" --filter 'x == 1' true
refused "there is no form" --json=v9 true
refused "run already" --per-thread true
refused "two places" -o "$TMP/x" --log-fd 1 true
refused "not a process id" -p x
refused "counts nothing" -n -e cs true

# What perf stat has besides: refused by name, and what to use instead is said.
for option in --metric-groups --topdown --td-level=1 -T --transaction --smi-cost --iostat \
	--bpf-counters --bpf-prog=1 --bpf-attr-map=x --cputype=core --hybrid-merge --percore-show-thread; do
	name=${option%%=*}
	refused "^perf-lite: stat takes no $name\$" $option -e cs true
	is "one hint" "$(grep -c '^hint: ' "$TMP/err")" 1
done
is "--help has none of them" "$("$PERF_LITE" stat --help | grep -cE -e '--(topdown|smi-cost|bpf)')" 0
run_ok "--metrics, as perf spells it" "$PERF_LITE" stat --metrics list
stat_x -I 100 --summary --no-csv-summary -e cs -- sleep 0.15
like "--no-csv-summary: the whole without that word" "$TMP/err" '^[0-9]+,,cs,'
unlike "nowhere" "$TMP/err" summary
stat_x -I 100 --summary -e cs -- sleep 0.15
like "else it is there" "$TMP/err" '^summary,[0-9]+,,cs,'

done_testing
