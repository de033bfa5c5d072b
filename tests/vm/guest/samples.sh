# SPDX-License-Identifier: GPL-2.0
#
# Samples of CPU time, and switches of tasks.
. /tests/lib.sh

# s390x counts as CPU time of a program what the emulated CPU waits for its host
ms=300
[ "$(uname -m)" != s390x ] || ms=1500
run_ok "record -e cpu-clock" "$PERF_LITE" record -e cpu-clock -F 500 -g -o /out/clock.data -- "$PROG/spin" $ms
"$PERF_LITE" script -i /out/clock.data -q --folded >"$TMP/clock" 2>&1
# where the kernel walks no stacks of users, the chain is empty and the address tells
ok "its samples lie in leaf" test "$(awk '/;leaf / { n += $NF } END { print int(n / 2000000) }' "$TMP/clock")" -gt 20
run_ok "threads and processes are named" "$PERF_LITE" record -a -e sched:sched_switch -o "$TMP/switch.data" -- "$PROG/threads" 50
run "$PERF_LITE" verify "$TMP/switch.data"
rc_is 0 "verify"
done_testing
