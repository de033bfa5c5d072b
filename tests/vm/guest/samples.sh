# SPDX-License-Identifier: GPL-2.0
#
# Samples of CPU time, and switches of tasks.
. /tests/lib.sh

run_ok "record -e cpu-clock" "$PERF_LITE" record -e cpu-clock -F 500 -g -o /out/clock.data -- "$PROG/spin" 300
"$PERF_LITE" script -i /out/clock.data -q -F comm,ip,sym >"$TMP/clock" 2>&1
ok "its samples lie in leaf" test "$(grep -c ' leaf$\| leaf+' "$TMP/clock")" -gt 20
run_ok "threads and processes are named" "$PERF_LITE" record -a -e sched:sched_switch -o "$TMP/switch.data" -- "$PROG/threads" 50
run "$PERF_LITE" verify "$TMP/switch.data"
rc_is 0 "verify"
done_testing
