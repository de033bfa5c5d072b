#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Live commands watch programs that come and go: what they know of those that ended does not fill the memory, however
# many there were. All of them watch one shell, which runs thousands of programs.
. tests/lib.sh
need everybody tracepoints
need_event sched:sched_process_exit
need_event syscalls:sys_enter_wait4

# anonymous memory of a process, in kB: the rings and files that are mapped say nothing of what is kept
memory() { sed -n 's/^RssAnon:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status"; }

# each line of the pipe is a number of programs to run
mkfifo "$TMP/go"
: >"$TMP/done"
sh -c 'while read n; do "$PROG/forks" $n; done' <"$TMP/go" >"$TMP/done" 2>&1 3>&- &
shell=$!
exec 3>"$TMP/go"

names=
# watch NAME ARGS...: a live command of that shell, named NAME
watch()
{
	names="$names $1"
	name=$1
	shift
	"$PERF_LITE" "$@" -p $shell >"$TMP/$name.out" 2>"$TMP/$name.err" 3>&- &
	eval "pid_$name=\$!"
	wait_for 30 watches $! || diag_file "$TMP/$name.err"
}

pid_of() { eval "echo \$pid_$1"; }

# programs N: run them, and have the commands read what came of it
runs=0 ran=0
programs()
{
	runs=$((runs + 1)) ran=$((ran + $1))
	echo "$1" >&3
	while [ "$(wc -l <"$TMP/done")" -lt $runs ] && kill -0 $shell 2>/dev/null; do sleep 0.1; done
	sleep 0.5
}

watch top top -e page-faults -c 1 -d 200ms
watch trace trace -e exit_group,wait4
watch intervals count --engine perf -e sched:sched_process_exit --by comm,ustack -I 200ms --json
watch rows count --engine perf -e sched:sched_process_exit --by comm,ustack
watch latency latency run-queue --by comm --waker --split --hist -I 200ms
watch drops drops --by comm,stack -I 200ms

# What is kept for a second or two, and tables that grow by doubling, are filled first. A busy machine may make a
# buffer larger once; what is never given back grows each time.
programs 3500
growing=$names
round=0
while [ -n "$growing" ] && [ $round -lt 4 ]; do
	round=$((round + 1))
	for name in $growing; do eval "before_$name=\$(memory \$(pid_of $name))"; done
	programs 2000
	still=
	for name in $growing; do
		eval "before=\$before_$name"
		after=$(memory "$(pid_of $name)")
		diag "$name: ${before:-?} kB, after 2000 programs ${after:-?} kB"
		[ "$((after - before))" -lt 300 ] || still="$still $name"
	done
	growing=$still
done
for name in $names; do
	case " $growing " in
	*" $name "*) ok "$name keeps nothing of programs that ended" false ;;
	*) ok "$name keeps nothing of programs that ended" true ;;
	esac
done
exec 3>&-
for name in $names; do
	kill -INT "$(pid_of $name)" 2>/dev/null || : # its shell has ended, perhaps it, too
	wait "$(pid_of $name)"
	is "$name ends well" $? 0
done
# names stay right meanwhile: of commands that are counted since the start, of functions, of threads on their way out
if grep -q 'none lost' "$TMP/rows.out"; then
	like "all were counted" "$TMP/rows.out" "^ *$ran  forks-child$"
else
	skip_outside "all were counted" "samples were lost"
fi
like "their stacks are named" "$TMP/rows.out" ' _?_?_?[a-zA-Z]+\+0x[0-9a-f]+ \('
unlike "no thread is without a name" "$TMP/trace.out" '\): :[0-9]+/'
like "calls are those of the programs" "$TMP/trace.out" 'forks-child/[0-9]+ exit_group'
done_testing
