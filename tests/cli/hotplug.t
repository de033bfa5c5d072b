# SPDX-License-Identifier: GPL-2.0
#
# A CPU that goes and comes back, or comes later, is recorded; the gap is told.
. tests/lib.sh
need_event raw_syscalls:sys_enter
need hotplug
need_cmd taskset
cpu=1
online=/sys/devices/system/cpu/cpu$cpu/online
[ -w "$online" ] && [ "$(cat "$online")" = 1 ] || skip_all "$outside: CPU $cpu cannot be taken offline here"
. tests/cli/recording.sh
at_exit "echo 1 >$online"
run sh -c "echo 0 >$online"
[ $rc -eq 0 ] || skip_all "$outside: CPU $cpu cannot be taken offline here: $(cat "$TMP/err")"
echo 1 >"$online"

# calls_on CPU N
calls_on()
{
	taskset -c "$1" "$STORM" "$2" >"$TMP/storm.out"
}
recorded_on()
{
	"$PERF_LITE" script -q -G -i "$f" --event raw_syscalls:sys_enter -C "$1" -F trace | wc -l
}

# Away for a second

taskset -c $cpu "$PROG/spin" 20000 >/dev/null &
load=$!
record_calls -e cpu-clock/freq=200/
calls_on $cpu 1000
sleep 0.6
echo 0 >"$online"
sleep 1
echo 1 >"$online"
# the load was pushed off; and some kernels take no samples of an idle CPU
taskset -c $cpu "$PROG/spin" 20000 >/dev/null &
load="$load $!"
sleep 2
calls_on $cpu 700
calls_on 0 500
sleep 0.3
record_end
kill $load
wait $load 2>/dev/null
rc_is 0 "a CPU that goes and comes back"
is "calls on it before, and from two seconds after" "$(recorded_on $cpu)" 1700
is "and on the one that stayed" "$(recorded_on 0)" 500
verified "the account closes"
like "verify tells of the gap" "$TMP/out" "CPU offline"
"$PERF_LITE" script -q -i "$f" --event cpu-clock/freq=200/ -C $cpu -F time 2>/dev/null | tr -d ' :' |
	awk 'NR > 1 && $1 - last > gap { gap = $1 - last; n = NR } { last = $1 }
		END { print n, NR - n, gap > "/dev/stderr"; exit !(gap > 0.8 && gap < 2.5 && n > 4 && NR - n > 20) }' 2>"$TMP/ok.err"
is "its clock ticks before the gap and after it" $? 0
diag "$(cat "$TMP/ok.err") samples before, after, and the gap in seconds"
"$PERF_LITE" flamegraph -q --timeline --event cpu-clock/freq=200/ -i "$f" -o "$TMP/o.svg" 2>"$TMP/err"
like "a timeline has the gap" "$TMP/o.svg" "<rect class=\"offline\"[^>]*><title>CPU $cpu, [0-9.]+ to [0-9.]+ s: the CPU was offline"
run_ok "script" "$PERF_LITE" script -i "$f" -G -F time
like "tells of it, too" "$TMP/err" "CPU $cpu .*offline|offline.*CPU $cpu"

# Three times

record_calls
for i in 1 2 3; do
	echo 0 >"$online"
	sleep 0.4
	echo 1 >"$online"
	sleep 1.5
	calls_on $cpu 100
done
sleep 0.3
record_end
rc_is 0 "three times"
is "it is recorded again each time" "$(recorded_on $cpu)" 300
verified "the account closes"

# Not there at first

echo 0 >"$online"
record_calls
calls_on 0 100
echo 1 >"$online"
sleep 2
calls_on $cpu 600
sleep 0.3
record_end
rc_is 0 "a CPU that comes later"
is "is recorded" "$(recorded_on $cpu)" 600
is "beside the other" "$(recorded_on 0)" 100
verified "the account closes"

# It goes when the CPUs are listed, and before an event is open on it

if can strace && can debugger; then
	list=/sys/devices/system/cpu/online
	goes() # OPTION...: between the two
	{
		strace -f -q -o "$TMP/strace" -P $list -e trace=read -e inject=read:delay_exit=2000000:when=2 \
			"$PERF_LITE" record -o "$f" -e raw_syscalls:sys_enter --filter "$filter" --duration 8s "$@" >"$TMP/out" 2>"$TMP/err" &
		recorder=$!
		wait_for 20 pgrep -P $recorder -x perf-lite
		pgrep -P $recorder -x perf-lite >"$TMP/pid"
		wait_for 20 sh -c "ls -l /proc/$(cat "$TMP/pid")/fd 2>/dev/null | grep -q $list"
		echo 0 >"$online"
		ok "it records" wait_for 20 watches "$(cat "$TMP/pid")"
		echo 1 >"$online"
		sleep 2
	}
	goes -a
	calls_on $cpu 300
	calls_on 0 100
	rc=0
	wait $recorder || rc=$?
	rc_is 0 "a CPU that goes before it is recorded"
	is "is recorded when it is back" "$(recorded_on $cpu).$(recorded_on 0)" 300.100
	verified "the account closes"
	storm_start 500
	goes -p $storm
	taskset -a -p -c $cpu $storm >"$TMP/taskset.out"
	storm_go
	storm_wait
	rc=0
	wait $recorder || rc=$?
	rc_is 0 "of a process, likewise"
	is "it is recorded there" "$(recorded_on $cpu)" 500
	verified "the account closes"
else
	skip_without "a CPU that goes before it is recorded" strace debugger
fi

# A command, and a process, that are recorded wherever they run

echo 0 >"$online"
storm_start --seconds 2 20000
(sleep 0.5 && echo 1 >"$online") &
run "$PERF_LITE" record -o "$f" -e raw_syscalls:sys_enter --filter "id == $number" -- "$STORM" --threads 2 --seconds 3 60000
wait $!
rc_is 0 "a command that goes on where a CPU came later"
# what happens before the kernel has said that there is a CPU, and it is opened, nobody can record
ok "is recorded there, too, from that moment on" test "$(numbers)" -ge 58000
is "nothing twice" "$(doubled)" 0
verified "the account closes"
echo 0 >"$online"
record_start -e raw_syscalls:sys_enter --filter "$filter" -p $storm
echo 1 >"$online"
sleep 1.5
taskset -a -p -c $cpu $storm >"$TMP/taskset.out"
storm_go
storm_wait
record_end
is "a process that moves there" "$(numbers)" 20000
verified "the account closes"

# Not asked for

echo 0 >"$online"
record_start -C 0 -e raw_syscalls:sys_enter --filter "$filter"
echo 1 >"$online"
sleep 1.5
calls_on $cpu 50
calls_on 0 40
record_end
rc_is 0 "-C 0"
is "only that one" "$(recorded_on $cpu).$(recorded_on 0)" 0.40

# But side-band is: what begins there and moves has its name and its mappings, each time the CPU comes back

moved=moved-$$
cp "$(command -v sh)" "$TMP/$moved"
echo 0 >"$online"
# tasks that are known by another name when the recording begins
mkfifo "$TMP/go.1" "$TMP/go.2"
for i in 1 2; do
	sh -c 'read -r x <"$1"; taskset -pc "$2" $$; exec "$3" -c "taskset -pc 0 \$\$; : </dev/null; : </dev/null"' \
		sh "$TMP/go.$i" $cpu "$TMP/$moved" >"$TMP/mask.$i" &
	eval "p$i=$!"
done
record_start -C 0 -g -e raw_syscalls:sys_enter --filter "comm == \"$moved\""
for i in 1 2; do
	echo 1 >"$online"
	sleep 1.5
	echo >"$TMP/go.$i"
	eval "wait \$p$i"
	echo 0 >"$online"
	sleep 0.6
done
record_end
echo 1 >"$online"
rc_is 0 "-C 0 and what began elsewhere"
"$PERF_LITE" script -q -i "$f" -F comm,ip,sym,dso >"$TMP/out" 2>/dev/null
ok "is recorded with its name, both times" test "$(grep -c "^ *$moved" "$TMP/out")" -ge 20
is "and its files, as far as frame pointers lead" "$(awk -v RS= -v name="$moved" '$1 == name && !/\(\//' "$TMP/out")" ""
verified "the account closes"
unlike "the other CPU is no loss" "$TMP/out" "CPU offline"

# Gone at the end, and gone when the recorder is killed

record_calls
calls_on 0 100
echo 0 >"$online"
sleep 1
record_end
echo 1 >"$online"
rc_is 0 "a CPU that does not come back"
is "what was seen" "$(samples)" 100
verified "the account closes"
like "verify tells of the gap" "$TMP/out" "CPU offline"
record_calls
echo 0 >"$online"
sleep 0.7
echo 1 >"$online"
sleep 2
calls_on $cpu 200
kill -KILL $recorder
wait $recorder 2>/dev/null
recorder=''
guard_wait
is "the guardian knows the new counters of a CPU that came back" "$(recorded_on $cpu)" 200
verified "the account closes"

# Without a file

"$PERF_LITE" trace -a -e raw_syscalls:sys_enter --filter "$filter" --duration 3s >"$TMP/out" 2>"$TMP/err" &
recorder=$!
sleep 1
echo 0 >"$online"
wait $recorder
rc=$?
recorder=''
echo 1 >"$online"
diag_file "$TMP/err"
like "trace tells of a CPU that is gone at the end" "$TMP/err" "CPU $cpu .*offline|offline.*CPU $cpu"

# Events with expressions are those of CPUs, also where a command is what is recorded

if can bpf && can btf && can first-pids && can perl; then
	cat >"$TMP/calls.pl" <<-'END'
		sub on { system("taskset -pc $_[0] $$ >/dev/null") }
		sub calls { getppid for 1 .. $_[0] }
		on($ARGV[0]);
		calls(100);
		on(0);
		select undef, undef, undef, 2;
		# what brings the CPU back may be slow itself
		while (`cat $ARGV[1]` != 1) { select undef, undef, undef, 0.1 }
		select undef, undef, undef, 2;
		on(1);
		calls(1000);
		unless (fork) { calls(70); exit }
		wait;
	END
	# both_are DESC: as many calls by the event itself as by its expression
	both_are()
	{
		"$PERF_LITE" script -q -G -i "$f" -F trace 2>/dev/null >"$TMP/both"
		is "$1" "$(grep -c "^ *n=$getppid$" "$TMP/both")" "$(grep -c "NR $getppid " "$TMP/both")"
		ok "$1: all of them" test "$(grep -c "^ *n=$getppid$" "$TMP/both")" -ge 1170
	}
	case $(uname -m) in
	x86_64) getppid=110 ;;
	*) getppid=173 ;;
	esac
	{
		sleep 1
		echo 0 >"$online"
		sleep 0.5
		echo 1 >"$online"
	} &
	run_ok "a CPU goes and comes back" "$PERF_LITE" record -q -o "$f" -e raw_syscalls:sys_enter -e 'raw_syscalls:sys_enter(n=id)' -- \
		perl "$TMP/calls.pl" $cpu "$online"
	wait
	both_are "a command of which a part ran there"
	echo 0 >"$online"
	{
		sleep 1
		echo 1 >"$online"
	} &
	run_ok "a CPU comes for the first time" "$PERF_LITE" record -q -o "$f" -e raw_syscalls:sys_enter -e 'raw_syscalls:sys_enter(n=id)' -- \
		perl "$TMP/calls.pl" 0 "$online"
	wait
	both_are "a command that goes there"
else
	skip_without "events with expressions" bpf btf first-pids perl
fi
done_testing
