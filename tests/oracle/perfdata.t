# SPDX-License-Identifier: GPL-2.0
#
# perf.data files of the other byte order: recordings of this machine, rewritten as a machine of the
# other one would have written them, give the text that perf prints for the original, and that
# perf prints for what was rewritten.

. tests/lib.sh
need_root
need perf-known
need_event raw_syscalls:sys_enter

SWAP=$O/tests/oracle/swap_perfdata
cd "$TMP" || exit 1

# swapped DESC FIELDS OPTIONS...
swapped()
{
	desc=$1 fields=$2
	shift 2
	perf record -q -o data "$@" -- "$PROG/drops" --udp 10 --tcp 3 >/dev/null 2>perf.err ||
		diag_file perf.err
	ok "$desc: rewritten" sh -c "'$SWAP' data >swapped.data"
	# shellcheck disable=SC2086
	{
		perf script $fields -i data >want 2>/dev/null
		perf script $fields -i swapped.data >perf.swapped 2>/dev/null
		run "$PERF_LITE" script --compat=$(perf_compat) -q $fields -i swapped.data
	}
	rc_is 0 "$desc: read"
	ok "$desc: there are samples" [ -s want ]
	as_known_to_both out want
	is_file "$desc: the text of the original" out want
	# perf does not turn round how memory is protected, by which it knows code that a process makes: so does whoever else runs
	[ -z "$both" ] || sed -i 's,(/tmp/perf-[0-9]*\.map),(//anon),' want
	as_known_to_both perf.swapped
	[ -z "$both" ] || is_file "$desc: perf reads it, too" perf.swapped want
}
both=1

swapped "one event" "" -e raw_syscalls:sys_exit
swapped "arrays and strings in tracepoints" "" \
	-e raw_syscalls:sys_enter,sched:sched_process_exec,skb:kfree_skb -g
swapped "events of several types" "" -e cpu-clock,page-faults,sched:sched_switch -g -d
swapped "groups" "-F +period" -e '{task-clock,page-faults}:S' -i
# perf leaves the protection of mappings as it is in the file, and reverses copies of stacks, which
# are bytes
both=
swapped "side-band" "--show-task-events --show-mmap-events --show-switch-events" \
	-e cpu-clock --switch-events --namespaces
swapped "copies of stacks" "-G" -e page-faults --call-graph dwarf,1024
run "$PERF_LITE" script -i swapped.data
like "they are not unwound, and counted" "$TMP/err" "^[1-9][0-9]* stacks are of a machine of the other byte order"

done_testing
