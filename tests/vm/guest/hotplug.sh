# SPDX-License-Identifier: GPL-2.0
#
# A CPU that goes, and comes back, while everything is recorded.
. /tests/lib.sh
online=/sys/devices/system/cpu/cpu1/online
[ -w $online ] || skip_all "no CPU to take offline"
f=/out/hotplug.data

calls_on() # CPU N
{
	taskset -c "$1" "$PROG/storm" "$2" >"$TMP/storm"
}
calls_seen() # CPU
{
	"$PERF_LITE" script -q -G -i $f -C "$1" -F comm,cpu | grep -c storm
}

"$PERF_LITE" record -a -e raw_syscalls:sys_enter -o $f >"$TMP/record.out" 2>"$TMP/record.err" &
recorder=$!
ok "starts" wait_for 20 test -e $f
calls_on 1 100
echo 0 >$online
sleep 1
echo 1 >$online
sleep 2
calls_on 1 1000
calls_on 0 500
kill -INT $recorder
wait $recorder
rc=$?
cp "$TMP/record.err" "$TMP/err"
rc_is 0 "ends"
seen=$(calls_seen 1)
diag "$seen calls on the CPU that went and came back"
ok "calls before and after are there" test "$seen" -ge 1100
ok "and those of the CPU that stayed" test "$(calls_seen 0)" -ge 500
run "$PERF_LITE" verify $f
rc_is 0 "verify"
like "which tells of the gap" "$TMP/out" "CPU offline"
done_testing
