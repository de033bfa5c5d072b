# SPDX-License-Identifier: GPL-2.0
#
# The text of every event of this kernel, on made records, is that of libtraceevent. Real records
# are compared with the installed perf in script.t.
. tests/lib.sh
need_tracefs

ORACLE=$O/tests/oracle/tp_oracle
EVENTS=/sys/kernel/tracing/events

[ -x "$ORACLE" ] || skip_all "libtraceevent ($not_installed)"

run "$ORACLE" "$EVENTS" 100
diag_file "$TMP/out"
rc_is 0 "every print fmt compiles, and prints what libtraceevent prints"
like "and that are all events" "$TMP/out" "^$(find "$EVENTS" -name format | grep -vc /ftrace/) formats,"

# The comparison must be able to fail: one letter of one print fmt.
mkdir -p "$TMP/events/sched/sched_switch"
cp "$EVENTS/sched/sched_switch/format" "$TMP/events/sched/sched_switch/format"
run "$ORACLE" "$TMP/events" 10
rc_is 0 "a copy of one format"
sed -i 's/REC->next_pid/REC->next_pud/' "$TMP/events/sched/sched_switch/format"
run "$ORACLE" "$TMP/events" 10
rc_is 1 "an unknown field in it is refused"
like "by its name" "$TMP/out" 'sched:sched_switch: .*no field "next_pud"'

done_testing
