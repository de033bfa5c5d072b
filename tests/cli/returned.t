# SPDX-License-Identifier: GPL-2.0
#
# What a recorder does about a CPU that was offline, where only the list of CPUs says so: its events are opened anew. The CPU
# itself stays, so that this needs no hotplug and disturbs nobody.
. tests/lib.sh
need_event raw_syscalls:sys_enter
need mounts taskset
. tests/cli/recording.sh
online=/sys/devices/system/cpu/online
[ "$(cat $online)" != 0 ] || skip_all "$outside: a second CPU"

# a recorder that reads the list here
cat $online >"$TMP/list"
cat >"$TMP/recorder" <<EOT
#!/bin/sh
exec unshare -m sh -c 'mount --bind "\$1" $online && shift && exec "\$@"' sh "$TMP/list" "$PERF_LITE" "\$@"
EOT
chmod +x "$TMP/recorder"
here=$PERF_LITE
started() { PERF_LITE=$TMP/recorder; record_start "$@"; PERF_LITE=$here; }
# returned [N]: CPU 1 was away, and is back for the N-th time
returned()
{
	echo 0 >"$TMP/list"
	sleep 0.8
	cat $online >"$TMP/list"
	ok "a CPU returns" wait_for 10 came "${1:-1}"
}
came() { [ "$(grep -c "CPU 1 came online and is recorded" "$TMP/rec.err")" -ge "$1" ]; }
calls_on() { taskset -c "$1" "$STORM" "$2" >"$TMP/storm.out"; }
# The samples of an event on a CPU.
recorded() { "$PERF_LITE" script -q -G -i "${3:-$f}" --event "$1" -C "$2" -F event | wc -l; }

# The guardian knows the events of counters that were opened since it began

for how in --no-inherit '--call-graph dwarf'; do
	# shellcheck disable=SC2086
	started -a $how -e cs -e raw_syscalls:sys_enter --filter "$filter"
	returned
	calls_on 1 200
	kill -KILL $recorder
	wait $recorder 2>/dev/null
	recorder=''
	ok "$how: the guardian ends" guard_wait
	diag_file "$TMP/rec.err"
	is "the calls are of their event" "$(recorded raw_syscalls:sys_enter 1)" 200
	ok "and so is the rest" test "$(recorded cs 1)" -gt 0
	verified "the account closes"
done

# A file that is begun later knows them, too: what is read with its group's leader has no other name

next_file() { find "$TMP" -name 'a.data.2*' | grep -q .; }
started -a --switch-output=signal -e '{cpu-clock/freq=500/,page-faults}:S'
returned
kill -USR2 $recorder
ok "another file" wait_for 10 next_file
taskset -c 1 "$PROG/spin" 300 >"$TMP/spin.out"
record_end
rc_is 0 "the recording ends well"
ok "the leader is there" test "$(recorded cpu-clock/freq=500/ 1)" -gt 10
ok "and so is the other one" test "$(recorded page-faults 1)" -gt 0
verified "the file is whole"

# A CPU that cannot be opened is lost until it can be

if can uprobes; then
	cp "$PROG/waits" "$TMP/probed"
	started -a -e raw_syscalls:sys_enter --filter "$filter" -e "uprobe:$TMP/probed:main"
	calls_on 1 30
	echo 0 >"$TMP/list"
	sleep 0.8
	mv "$TMP/probed" "$TMP/elsewhere"
	cat $online >"$TMP/list"
	ok "a CPU returns in vain" wait_for 10 grep -q "CPU 1 came online and is not recorded" "$TMP/rec.err"
	calls_on 1 40
	mv "$TMP/elsewhere" "$TMP/probed"
	ok "it is tried again" wait_for 10 came 1
	calls_on 1 50
	record_end
	rc_is 0 "the recording ends well"
	is "once told" "$(grep -c 'is not recorded' "$TMP/err")" 1
	is "it is recorded before and after" "$(recorded raw_syscalls:sys_enter 1)" 80
	verified "the account closes"
	like "the gap is told" "$TMP/out" "CPU 1.*CPU offline|CPU offline.*CPU 1"
else
	skip_without "a CPU that returns in vain" uprobes
fi
done_testing
