# SPDX-License-Identifier: GPL-2.0
#
# Samples carry less than perf's, and script shows the same fields all the same: perf and perf-lite record one load
# at one time, and what they print of it is the same, sample for sample. Times are not compared: each recorder takes
# its own.
. tests/lib.sh
need_perf
need_event raw_syscalls:sys_enter

number=
case $(uname -m) in
x86_64) number=110 ;;
aarch64) number=173 ;;
*) skip_all "$outside: the number of getppid is not known here" ;;
esac

# both LOAD... -- OPTIONS...: $load is the load's process id. One clock for both: the kernel gives both the same time
# and id of a page fault, those of whichever event it served first
both()
{
	load=
	words=
	while [ "$1" != -- ]; do
		words="$words $1"
		shift
	done
	shift
	# everybody's events may be too many for a busy machine
	for again in 1 2 3; do
		run perf record -q -k CLOCK_MONOTONIC -m 4M "$@" -o "$TMP/perf" -- \
			"$PERF_LITE" record -a -m 4M "$@" -o "$TMP/lite" -- \
			sh -c "echo \$\$ >'$TMP/pid'; exec $words >'$TMP/said'"
		recorded=$(grep ' lost of ' "$TMP/err")
		case $recorded in
		'' | *', 0 lost of '*) break ;;
		esac
		diag "recorded again, $again: $recorded"
	done
	rc_is 0 "recorded twice: $words $*"
	load=$(cat "$TMP/pid")
}

# same DESC AWK-PATTERN FIELDS...: the samples whose process (p) or command (c) are the load's, from its exec on. Of a
# task whose end has been told the kernel gives no ids, and perf prints -1: the last switch away from it is left out.
# $until: what a task does while it ends belongs to no one's counter but the CPU's, and perf lacks a few of those
until=
same()
{
	desc=$1 which=$2
	shift 2
	perf script -f -i "$TMP/perf" "$@" 2>"$TMP/perf.err" >"$TMP/perf.txt"
	"$PERF_LITE" script -q --compat=6.1 -i "$TMP/lite" "$@" >"$TMP/lite.txt"
	for of in perf lite; do
		awk -v load="$load" -v first="${first:-0}" -v last="${last:-0}" "
			{ c = \$1; split(\$2, id, \"/\"); p = id[1] }
			c !~ /^(sh|perf-lite)\$/ && !/prev_state=[XZ]/ && ($which) { \$1 = \$1; print }" "$TMP/$of.txt" |
			sort >"$TMP/$of.sorted"
	done
	ok "$desc: some" test -s "$TMP/lite.sorted"
	if [ -n "$until" ]; then
		less=$(comm -23 "$TMP/perf.sorted" "$TMP/lite.sorted" | wc -l)
		more=$(comm -13 "$TMP/perf.sorted" "$TMP/lite.sorted" | wc -l)
		comm -12 "$TMP/perf.sorted" "$TMP/lite.sorted" >"$TMP/both.sorted"
		[ "$less" -eq 0 ] || diag "$less samples are perf's alone, $more are not perf's"
		[ "$more" -gt 100 ] || mv "$TMP/both.sorted" "$TMP/lite.sorted"
	fi
	is_file "$desc" "$TMP/lite.sorted" "$TMP/perf.sorted"
	cmp -s "$TMP/lite.sorted" "$TMP/perf.sorted" || diag "$recorded"
	[ -s "$TMP/perf.txt" ] || diag_file "$TMP/perf.err"
}

all=comm,pid,tid,cpu,event,trace,period

# One layout, and threads: TIME|RAW. In a PID namespace the common fields have other numbers than those that count there.
tid=
can first-pids || tid='TID\|'

both "$PROG/storm" --threads 2 6000 -- -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit
same "two tracepoints" 'p == load' -F $all
is "of every call" "$(grep -c "raw_syscalls:sys_enter: NR $number " "$TMP/lite.sorted")" 6000
"$PERF_LITE" script -i "$TMP/lite" --header-only >"$TMP/out"
like "samples without id, ip, tid and CPU" "$TMP/out" "sys_enter,.* sample_type = ${tid}TIME\|RAW"
# but for __traceiter_sys_enter, where the tracepoint is while somebody else records it, too
ips() { grep -v __traceiter_ | sed 's/ [^ ]*$//' | sort -u; }
perf script -f -i "$TMP/perf" -F event,ip,sym 2>"$TMP/perf.err" | ips >"$TMP/perf.ips"
run_ok "--sample-ip" "$PERF_LITE" record -q --sample-ip -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit \
	-o "$TMP/ips" -- "$PROG/storm" 10
"$PERF_LITE" script -q --compat=6.1 -i "$TMP/ips" -F event,ip,sym >"$TMP/out"
ok "there are some" test -s "$TMP/out"
ips <"$TMP/out" >"$TMP/lite.ips"
# perf's are of more calls, and of more ways into them, if somebody else did not record all the time
for again in 1 2 3 4 5; do
	others=$(comm -13 "$TMP/perf.ips" "$TMP/lite.ips")
	[ -n "$others" ] || break
	perf record -q -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -o "$TMP/more" -- "$PROG/storm" 10 >/dev/null
	perf script -f -i "$TMP/more" -F event,ip,sym 2>"$TMP/perf.err" | ips | sort -u -o "$TMP/perf.ips" - "$TMP/perf.ips"
done
is "where perf has them, too" "$others" ""

# With call chains: the ip is their first address

both "$PROG/threads" 300 -- -g -e sched:sched_waking -e sched:sched_switch
until=end
same "tasks that wake and switch" 'p == load' -G -F $all
same "where they were, from their call chains" 'p == load' -G -F $all,ip
"$PERF_LITE" script -i "$TMP/lite" --header-only >"$TMP/out"
like "samples without ip" "$TMP/out" "sched_switch,.* sample_type = ${tid}TIME\|CALLCHAIN\|RAW"
"$PERF_LITE" script -q -i "$TMP/lite" -G --event sched:sched_switch -F comm,pid,tid,trace >"$TMP/out"
if can first-pids; then
	is "who switches is who runs, of every task" "$(awk '
		{ split($2, id, "/"); sub(/.*prev_pid=/, ""); if ($1 != id[2]) print }' "$TMP/out" | wc -l)" 0
	ok "ended ones are among them" grep -q 'prev_state=[XZ] ' "$TMP/out"
	unlike "all have a name and a number" "$TMP/out" '^ *:| -1/'
else
	skip_without "who switches is who runs, of every task" first-pids
fi

until=

# Processes that come and go: the process of a tid, at every moment

both "$PROG/forks" 30 -- -e raw_syscalls:sys_enter -e sched:sched_process_exit -e sched:sched_process_fork
first=$(sed 's/.*first=\([0-9]*\).*/\1/' "$TMP/said") last=$(sed 's/.*last=\([0-9]*\).*/\1/' "$TMP/said")
same "forks" 'p == load || (p >= first && p <= last && c ~ /^(forks|exe|forks-child)$/)' -F $all
ok "with the children" test "$(grep -c '^forks-child ' "$TMP/lite.sorted")" -ge 30

# Layouts that differ, one tracepoint twice, and events that are no tracepoints

both "$PROG/storm" 2000 -- -e raw_syscalls:sys_enter --filter "id == $number" -e raw_syscalls:sys_enter \
	--filter "id != $number" -e page-faults -c 1
same "one tracepoint twice, and page faults" 'p == load' -F comm,pid,tid,event,period
is "of every call" "$(grep -c 'raw_syscalls:sys_enter:' "$TMP/lite.sorted")" \
	"$(grep -c 'raw_syscalls:sys_enter:' "$TMP/perf.sorted")"
is "all page faults" "$(grep -c 'page-faults:' "$TMP/lite.sorted")" "$(grep -c 'page-faults:' "$TMP/perf.sorted")"

# What the kernel counts by a field has that for its period

if [ -e /sys/kernel/tracing/events/sched/sched_stat_runtime ]; then
	both "$PROG/spin" 100 -- -e sched:sched_stat_runtime -e sched:sched_switch
	until=end
	same "run times" 'p == load' -F $all
	"$PERF_LITE" script -q -i "$TMP/lite" --event sched:sched_stat_runtime -F period,trace >"$TMP/out"
	is "the period is the time" "$(awk '{ want = $1; sub(/.*runtime=/, ""); if ($1 != want) print }' "$TMP/out" |
		wc -l)" 0
else
	skip_outside "run times" "this kernel has no sched_stat_runtime"
fi

# Elsewhere process ids are others than the kernel's: then they are recorded

if can pidns && can mounts; then
	run_ok "in a pid namespace" unshare --pid --fork --mount-proc "$PERF_LITE" record -q -a -o "$TMP/lite" \
		-e raw_syscalls:sys_enter --filter "id == $number" -- sh -c "echo \$\$ >'$TMP/pid'; exec '$PROG/storm' 500"
	run_ok "what ran there" "$PERF_LITE" script -i "$TMP/lite" -c storm -F comm,pid
	is "is known by its number there" "$(awk '{ print $1, $2 }' "$TMP/out" | sort | uniq -c | sed 's/^ *//')" \
		"500 storm $(cat "$TMP/pid")"
else
	skip_without "in a pid namespace" pidns mounts
fi

done_testing
