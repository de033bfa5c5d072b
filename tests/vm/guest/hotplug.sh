# SPDX-License-Identifier: GPL-2.0
#
# A CPU that goes, and comes back, while everything is recorded: without call chains, with the kernel's, and with those that are
# unwound from copies of the stack.
. /tests/lib.sh
online=/sys/devices/system/cpu/cpu1/online
[ -w $online ] || skip_all "no CPU to take offline"

getppid=$("$PROG/storm" --number)

calls_on() # CPU N
{
	taskset -c "$1" "$PROG/storm" "$2" >"$TMP/storm"
}
seen() # FILE CPU FIELDS WHAT: lines of the samples on that CPU
{
	"$PERF_LITE" script -q -i "$1" -C "$2" --comm storm -F "$3" | grep -c "$4"
}

recorders=
start() # NAME OPTION...
{
	name=$1
	shift
	"$PERF_LITE" record -a -e raw_syscalls:sys_enter --filter "id == $getppid" -o "/out/hotplug-$name.data" "$@" \
		>"$TMP/$name.out" 2>"$TMP/$name.err" &
	recorders="$recorders $name:$!"
	ok "starts" wait_for 60 grep -q "recording, " "$TMP/$name.err"
}

start plain
start chains -g
start dwarf --call-graph dwarf,8192
calls_on 1 100
echo 0 >$online
sleep 1
echo 1 >$online
# until the recorders have heard of it, and opened their events
sleep 2
calls_on 1 400
calls_on 0 200
for recorder in $recorders; do
	kill -INT "${recorder#*:}"
done
for recorder in $recorders; do
	name=${recorder%:*} f=/out/hotplug-${recorder%:*}.data
	rc=0
	wait "${recorder#*:}" || rc=$?
	cp "$TMP/$name.err" "$TMP/err"
	rc_is 0 "$name: ends"
	is "$name: calls before and after" "$(seen "$f" 1 comm storm)" 500
	is "$name: and those of the CPU that stayed" "$(seen "$f" 0 comm storm)" 200
	run "$PERF_LITE" verify "$f"
	rc_is 0 "$name: verify"
	like "$name: which tells of the gap" "$TMP/out" "CPU offline"
done
is "dwarf: each with the function that calls" "$(seen /out/hotplug-dwarf.data 1 comm,ip,sym ' call$')" 500
ok "chains: each with the kernel's functions" test "$(seen /out/hotplug-chains.data 1 comm,ip,sym 'syscall\|system_call')" -ge 500
done_testing
