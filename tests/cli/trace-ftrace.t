# SPDX-License-Identifier: GPL-2.0
#
# trace --ftrace: the lines that the kernel itself writes of the same events, byte for byte.
. tests/lib.sh
need_event skb:kfree_skb
need first-pids

instance=/sys/kernel/tracing/instances/perf-lite-test.$$
mkdir "$instance" 2>"$TMP/err" || need ftrace
at_exit rmdir "$instance"
[ -e "$instance/options/hash-ptr" ] || skip_all "$outside: the kernel hashes the pointers of its trace"
echo mono >"$instance/trace_clock"
echo 1 >"$instance/options/record-tgid"
echo 0 >"$instance/options/hash-ptr"
echo 1 >"$instance/options/event-fork" # threads are followed
echo 8192 >"$instance/buffer_size_kb"
echo $$ >"$instance/set_event_pid"     # nothing of others until the program runs

# of one program, in all contexts: its own, soft interrupts, within the scheduler, system calls
events='skb:kfree_skb net:net_dev_queue net:netif_rx skb:consume_skb sock:inet_sock_set_state
kmem:kmem_cache_free napi:napi_poll irq:softirq_entry syscalls:sys_enter_sendto syscalls:sys_exit_sendto
sched:sched_switch sched:sched_process_exit'
list=
for e in $events; do
	dir=$instance/events/$(echo "$e" | tr : /)
	[ -d "$dir" ] || continue
	echo 1 >"$dir/enable"
	list=$list,$e
done

# The two tell the time one after the other, and whether somebody else should run, which changes at any moment
# (tests/golden/calls-lost.txt has those letters).
untimed()
{
	sed -E 's/(\[[0-9]{3}\] .)[.NnpBbLl](.{3}) +[0-9]+\.[0-9]{6}: /\1?\2 TIME: /' "$1"
}

# What the threads of the program did under their names: before, the trace has their last name, and behind
# their end what it costs to trace them, and what the kernel waits for with them. What is preempted in perf's own handler perf
# does not see (R+). A switch frees memory of an earlier task before this one's events are on again.
of_threads()
{
	untimed "$1" | grep -E '^ *(dns-query|metrics|syslog|tcp-client)-[0-9]+ ' |
		awk '!($1 in ended); / sched_process_exit: / { ended[$1] }' |
		grep -Ev 'perf_event|free_event|prev_comm=drops|prev_state=R\+|call_site=finish_task_switch' |
		sort
}

# An interrupt between the two may make the second one see another state of the scheduler.
compare()
{
	: >"$instance/trace"
	echo 1 >"$instance/tracing_on"
	run timeout 60 "$PERF_LITE" trace -e "${list#,}" --ftrace -m 4M -- \
		sh -c "echo \$\$ >$instance/set_event_pid; exec $PROG/drops --udp 60 --tcp 5 --seconds 1"
	echo 0 >"$instance/tracing_on"
	echo $$ >"$instance/set_event_pid"
	cp "$instance/trace" "$TMP/kernel"
	cp "$TMP/out" "$TMP/lines"
	of_threads "$TMP/lines" >"$TMP/ours"
	of_threads "$TMP/kernel" >"$TMP/theirs"
	cmp -s "$TMP/ours" "$TMP/theirs"
}

compare || compare || compare
rc_is 0 "it ran"
is_file "the same lines as the kernel's" "$TMP/ours" "$TMP/theirs"
is "all drops are among them" "$(grep -c 'kfree_skb: .*NO_SOCKET' "$TMP/ours")" 65
like "system calls by name" "$TMP/ours" 'sys_sendto\(fd: [0-9a-fx]+, buff: 0x[0-9a-f]+, len: 7, '
like "... and what they returned" "$TMP/ours" 'sys_sendto -> 0x7$'
like "functions with their sizes" "$TMP/ours" 'location=[a-z_0-9]+\+0x[0-9a-f]+/0x[0-9a-f]+ '
like "in a soft interrupt" "$TMP/ours" '\] \.\?s[0-9.]\. TIME: '
like "without interrupts" "$TMP/ours" '\] d\?\.[0-9.]\. TIME: sched_switch'

# The comment lines above the events, but for the counts of what is in the kernel's ring.
grep '^#' "$TMP/lines" | sort -u >"$TMP/a"
grep '^#' "$TMP/kernel" | grep -v entries-in-buffer | sort -u >"$TMP/b"
is_file "the same head" "$TMP/a" "$TMP/b"

# Times are of the same clock: the samples of both are taken within a moment.
of_drop()
{
	sed -nE 's/^ *dns-query-.*\] .{5} +([0-9]+\.[0-9]{6}): kfree_skb: .*/\1/p' "$1" | head -n 1
}
ok "the same times" awk "BEGIN { d = $(of_drop "$TMP/lines") - $(of_drop "$TMP/kernel"); exit !(d > -0.01 && d < 0.01) }"

# Stack traces follow as the kernel's do.
run_ok "with call chains" "$PERF_LITE" trace -g -e skb:kfree_skb --ftrace -- "$PROG/drops" --udp 1
like "a line for the trace" "$TMP/out" '^ *dns-query-[0-9]+ .*: <stack trace>$'
like "a function in a line" "$TMP/out" '^ => __udp4_lib_rcv$'
like "the user's half" "$TMP/out" ': <user stack trace>$'
like "its files" "$TMP/out" '^ => /.*libc.*\+0x[0-9a-f]+$'

# The same of a recording.
run_ok "a recording" "$PERF_LITE" record -e skb:kfree_skb -o "$TMP/data" -- "$PROG/drops" --udp 5
run_ok "its lines" "$PERF_LITE" trace -i "$TMP/data" --ftrace
is "one for each drop" "$(grep -cE '^ +[a-z-]+-[0-9]+ +\( *[0-9]+\) \[[0-9]{3}\] .{5} +[0-9]+\.[0-9]{6}: kfree_skb: skbaddr=[0-9a-f]{16} ' "$TMP/out")" 5
is "functions with their sizes" "$(grep -c 'location=__udp4_lib_rcv+0x[0-9a-f]*/0x[0-9a-f]* ' "$TMP/out")" 5

run "$PERF_LITE" trace -i "$TMP/data" --ftrace --json
rc_is 1 "--ftrace and --json are two forms"
run "$PERF_LITE" trace -i "$TMP/data" --ftrace --time=wall
rc_is 1 "its times are seconds"
like "which is said" "$TMP/err" 'times in seconds'

done_testing
