# SPDX-License-Identifier: GPL-2.0
#
# What is shown while it happens: trace, count, filters by name, and what list and check say of this kernel.
. /tests/lib.sh
need_event skb:kfree_skb

getppid=$("$PROG/storm" --number)
has_reasons()
{
	grep -q 'field:.* reason;' /sys/kernel/tracing/events/skb/kfree_skb/format
}

# trace

# of everybody: where the CPU is slow, ksoftirqd drops some of them
run_ok "trace" "$PERF_LITE" trace -a -e skb:kfree_skb -- "$PROG/drops" --udp 300 --tcp 30
is "each drop is a line" "$(grep -c 'skb:kfree_skb: skbaddr=0x.* protocol=2048 ' "$TMP/out")" 330
unlike "none is lost" "$TMP/err" "lost"
run_ok "fields" "$PERF_LITE" trace -a -e skb:kfree_skb --fields protocol,location -- "$PROG/drops" --udp 30
is "are all there" "$(grep -c 'skb:kfree_skb: protocol=2048 location=' "$TMP/out")" 30
run_ok "system calls" "$PERF_LITE" trace -e syscalls:sys_enter_getppid,syscalls:sys_exit_getppid -- "$PROG/storm" 500
is "each, with its result" "$(grep -Ec 'getppid\(\) *= [0-9]+' "$TMP/out")" 500
run_ok "a table of them" "$PERF_LITE" trace -s -e 'syscalls:*' -- "$PROG/storm" 2000
like "has their number" "$TMP/out" "^ *2000 .* getppid$"
run_ok "those of everybody" "$PERF_LITE" trace -a -e raw_syscalls:sys_enter --filter "id == $getppid" --fields comm -- "$PROG/storm" 700
is "are as many" "$(grep -c 'storm' "$TMP/out")" 700
run_ok "JSON" "$PERF_LITE" trace -e skb:kfree_skb --json -- "$PROG/drops" --udp 30
is "an object for each" "$(grep -c '^{.*"skb:kfree_skb".*}$' "$TMP/out")" 30

# count

run_ok "count" "$PERF_LITE" count -a -e raw_syscalls:sys_enter --by comm,id --filter "id == $getppid" -- "$PROG/storm" 4000
like "by command and name" "$TMP/out" "^ *4000 +storm +getppid\$"
run_ok "the values of a field" "$PERF_LITE" count -e syscalls:sys_enter_sendto --by comm --of len -- "$PROG/drops" --udp 30
cp "$TMP/out" /out/count-of
like "are summed up" "$TMP/out" "^ +30 +210 +7.0 +7 +7  total$"
run_ok "by call chain" "$PERF_LITE" count -e skb:kfree_skb --by kstack:3 -- "$PROG/drops" --udp 30
like "has functions" "$TMP/out" "ip_(local_deliver_finish|protocol_deliver_rcu)|udp_rcv|__udp4_lib_rcv"

# Filters by name

if has_reasons; then
	run_ok "a reason by name" "$PERF_LITE" trace -e skb:kfree_skb --filter 'reason == NO_SOCKET' -- "$PROG/drops" --udp 30 --tcp 6
	is "chooses" "$(grep -c 'reason: NO_SOCKET' "$TMP/out")" 36
	run "$PERF_LITE" trace -e skb:kfree_skb --filter 'reason == NO_SOKET' -- true
	rc_is 1 "one that there is not"
	like "has a suggestion" "$TMP/err" "did you mean 'NO_SOCKET'"
fi
run_ok "a protocol and a place by name" "$PERF_LITE" trace -e skb:kfree_skb \
	--filter 'protocol == IPv4 && location.function == tcp_v4_rcv' -- "$PROG/drops" --udp 30 --tcp 6
is "choose" "$(grep -c 'skb:kfree_skb:' "$TMP/out")" 6
run_ok "a filter in record" "$PERF_LITE" record -a -e skb:kfree_skb --filter 'protocol == IPv4 && location.function == tcp_v4_rcv' \
	-o "$TMP/filter.data" -- "$PROG/drops" --udp 30 --tcp 6
is "chooses the same" "$("$PERF_LITE" script -q -i "$TMP/filter.data" -F event | grep -c kfree_skb)" 6

# What there is

run_ok "list" "$PERF_LITE" list -v skb:kfree_skb
cp "$TMP/out" /out/list
like "tells the fields" "$TMP/out" "location"
run_ok "check" "$PERF_LITE" check
done_testing
