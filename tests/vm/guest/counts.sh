# SPDX-License-Identifier: GPL-2.0
#
# Software events and tracepoints, counted: what the programs know.
. /tests/lib.sh

# counted EVENT CMD...: the count of the whole run
counted()
{
	counted_event=$1
	shift
	"$PERF_LITE" stat -x, -o "$TMP/stat" -e "$counted_event" -- "$@" >"$TMP/out" 2>"$TMP/err" || cat "$TMP/err" >&2
	awk -F, 'NF > 3 { print $1; exit }' "$TMP/stat"
}

few=$(counted page-faults "$PROG/faults" 1000)
many=$(counted page-faults "$PROG/faults" 3000)
is "page faults" $((many - few)) 2000
getppid=$("$PROG/storm" --number)
"$PERF_LITE" stat -x, -o "$TMP/stat" -e raw_syscalls:sys_enter --filter "id == $getppid" -- "$PROG/storm" 5000 >"$TMP/out" 2>&1
is "system calls, by number" "$(awk -F, 'NF > 3 { print $1; exit }' "$TMP/stat")" 5000
run_ok "trace" "$PERF_LITE" trace -- "$PROG/storm" 50
is "system calls, by name" "$(cat "$TMP/out" "$TMP/err" | grep -c 'getppid().* = ')" 50
ok "task-clock of a program that spins 200 ms" awk -v n="$(counted task-clock "$PROG/spin" 200)" 'BEGIN { exit !(n >= 150) }'
is "nothing of the event that counts nothing" "$(counted dummy "$PROG/spin" 1)" 0
done_testing
