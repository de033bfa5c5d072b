# SPDX-License-Identifier: GPL-2.0
#
# Counting beside the installed perf: the same events with the same attributes, and on the same load
# the same counts, to the last one.
. tests/lib.sh
need_perf
need_tracefs
need_cmd strace

# attrs COMMAND...: how each event was opened, without what only tells perf its own events again, and without the size of the
# attr, behind which strace may not know more
attrs()
{
	strace -f -v -s 256 -e trace=perf_event_open -o "$TMP/strace" "$@" >/dev/null 2>&1
	grep 'perf_event_open(.*) = [0-9]' "$TMP/strace" |
		sed -e 's/^[0-9]* *//' -e 's/sample_type=[^,]*, //' -e 's/}, [0-9]*, /}, PID, /' \
			-e 's/size=[^,]*, //' -e 's/, \.\.\.}, /, , /' \
			-e 's/[a-z0-9_]*=0[^,}]*[,}] *//g' -e 's/PERF_[A-Z]*_//g' |
		awk '
		{
			# a leader is called by its line: its descriptor is another number there
			fd = $NF
			leader = $(NF - 3) + 0
			$(NF - 3) = leader < 0 ? "alone" : "leader " line[leader]
			$(NF - 1) = $NF = ""
			line[fd] = NR
			print
		}'
}

# same_attrs WHAT OPTION...
same_attrs()
{
	what=$1
	shift
	attrs perf stat "$@" >"$TMP/perf"
	attrs "$PERF_LITE" stat "$@" >"$TMP/ours"
	case $what in
	every*)
		# all of a CPU's events after the other, and what no task is has no children
		for f in perf ours; do
			sed -i 's/inherit=1, //' "$TMP/$f"
			sort -o "$TMP/$f" "$TMP/$f"
		done
		;;
	pattern*)
		for f in perf ours; do
			sort -o "$TMP/$f" "$TMP/$f"
		done
		;;
	esac
	ok "$what: something is opened" test -s "$TMP/ours"
	is_file "$what: opened alike" "$TMP/ours" "$TMP/perf"
}

same_attrs "defaults" true
same_attrs "everybody" -a sleep 0.01
same_attrs "a group" -e '{cs,faults,migrations}' -e cs:u true
same_attrs "user code" --all-user -e cs,faults true
same_attrs "kernel code" --all-kernel -e cs,faults true
same_attrs "no children" -i -e cs true
same_attrs "patterns" -e 'sched:sched_process_*' true
same_attrs "everybody on a CPU" -C 0 -e cs,cpu-clock sleep 0.01
same_attrs "later" -D 20 -e cs sleep 0.05
same_attrs "modifiers" -e cs:k,faults:uk,cs:G,cs:H,cs:D,faults:I true

# names OPTION...: the events of both, in their order
names()
{
	perf stat -x, -o "$TMP/out.perf" "$@" >/dev/null 2>&1
	"$PERF_LITE" stat -x, -o "$TMP/out.ours" "$@" >/dev/null 2>&1
	for who in perf ours; do
		awk -F, 'NF > 3 { print $2, $3 }' "$TMP/out.$who" >"$TMP/$who"
	done
	is_file "names and units: $*" "$TMP/ours" "$TMP/perf"
}

names true
names -d true
names -d -d true
names -d -d -d true
names -a true
names -e cs,task-clock,cpu-clock,duration_time,faults:u true

# --- the same load, counted by both at once ---

EVENTS=cs,page-faults,migrations,syscalls:sys_enter_getppid,sched:sched_process_fork,sched:sched_wakeup

# values FILE: the counts, in the order of the events
values()
{
	awk -F, 'NF > 3 { print $3, $1 }' "$1"
}

# counts PID: it has opened the events, and waits for the end of what it counts. Its file shows it only where the
# first line is written at once.
counts()
{
	test "$(ls -l /proc/$1/fd | grep -c perf_event)" -ge 6 && grep -q poll "/proc/$1/wchan"
}

# A program that waits is counted by both from before it begins until it has ended.
together()
{
	rm -f "$TMP/go"
	mkfifo "$TMP/go"
	sh -c 'read x <"$1"; shift; "$@" >/dev/null; "$@" >/dev/null' sh "$TMP/go" "$@" &
	load=$!
	sleep 0.2
	perf stat -x, -o "$TMP/p" -e $EVENTS -p $load &
	one=$!
	"$PERF_LITE" stat -x, -o "$TMP/o" -e $EVENTS -p $load &
	two=$!
	for counter in $one $two; do
		wait_for 60 counts $counter
	done
	sleep 0.7
	echo go >"$TMP/go"
	wait $load
	wait $one $two
	values "$TMP/p" >"$TMP/p.values"
	values "$TMP/o" >"$TMP/o.values"
	is_file "both counted the same: ${1##*/} $2" "$TMP/o.values" "$TMP/p.values"
}

together "$PROG/storm" 4321
like "which is what happened" "$TMP/o.values" '^syscalls:sys_enter_getppid 8642$'
together "$PROG/faults" 2000
ok "page faults" awk '$1 == "page-faults" { exit !($2 > 4000 && $2 < 5000) }' "$TMP/o.values"
together "$PROG/forks" 40
like "every process" "$TMP/o.values" '^sched:sched_process_fork 82$'
together taskset -c 0 "$PROG/threads" 300 # on one CPU each must wait for the other
ok "switches" awk '$1 == "cs" { exit !($2 >= 1190) }' "$TMP/o.values"

# one within the other: what the inner one's command does is the same for both
perf stat -x, -o "$TMP/p" -e syscalls:sys_enter_getppid -- \
	"$PERF_LITE" stat -x, -o "$TMP/o" -e syscalls:sys_enter_getppid -- "$PROG/storm" 999 >/dev/null
is "inside of perf" "$(values "$TMP/o")" "$(values "$TMP/p")"
is "exactly" "$(values "$TMP/o")" "syscalls:sys_enter_getppid 999"

done_testing
