#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# perf-lite count on a terminal: a table that is drawn again in its place, and at the end is printed.

. tests/lib.sh
need_event raw_syscalls:sys_enter
need_cmd script

getppid=$("$PROG/storm" --number)

# On a terminal of 10 lines.
on_terminal()
{
	cat >"$TMP/cmd" <<END
stty rows 10 cols 60 -echo
TERM=xterm '$PERF_LITE' count $*
END
	run timeout 30 script -qec "sh $TMP/cmd" /dev/null
	tr -d '\r' <"$TMP/out" >"$TMP/text"
}
up=$(printf '\033\\[[0-9]+A')
below=$(printf '\033\\[J')

for by in event id; do
	on_terminal "-e raw_syscalls:sys_enter --filter id==$getppid --by $by -- '$PROG/storm' --quiet --seconds 2.5 1000"
	rc_is 0 "--by $by: the command's exit code"
	like "--by $by: it is drawn over what was there" "$TMP/text" "$up"
	is "--by $by: all of it is printed last" "$(sed "s/.*$below//" "$TMP/text" | tail -n 2 | grep -c '^ *1000  ')" 1
	unlike "--by $by: what is printed has no sequences of the screen" "$TMP/text" '^ *1000 .*\[K'
done

# Many rows: as many as there is room for, and all of them at the end.
on_terminal "-e 'syscalls:sys_enter_*' -- sh -c '$PROG/calls $TMP/made 5; sleep 2'"
like "what does not fit is told" "$TMP/text" '\.\.\. and [0-9]+ more: '

for end in INT TERM; do
	on_terminal "-e raw_syscalls:sys_enter --by id & pid=\$!; while grep -q '^SigCgt:.0*$' /proc/\$pid/status; do sleep 0.1; done; sleep 1; kill -$end \$pid; wait \$pid"
	rc_is 0 "SIG$end"
	is "SIG$end: a table, and what it is of" "$(tail -n 1 "$TMP/text" | grep -Ec '(samples|counted) in')" 1
done

on_terminal "-e raw_syscalls:sys_enter --json --duration 300ms"
unlike "JSON is not drawn" "$TMP/text" "$(printf '\033')"
done_testing
