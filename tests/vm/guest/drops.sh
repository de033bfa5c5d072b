# SPDX-License-Identifier: GPL-2.0
#
# Every packet that is dropped is in the recording, with who dropped it and where; the host reads the recording, too.
. /tests/lib.sh
need_event skb:kfree_skb

run "$PERF_LITE" check
cp "$TMP/out" /out/check
run_ok "record" "$PERF_LITE" record -e skb:kfree_skb -a -g -o /out/drops.data -- "$PROG/drops" --udp 300 --tcp 30
is "the load made 330 drops" "$(cat "$TMP/out")" "udp=300 tcp=30"
run_ok "verify" "$PERF_LITE" verify /out/drops.data
cp "$TMP/out" /out/drops.verify
run_ok "script" "$PERF_LITE" script -i /out/drops.data
cp "$TMP/out" /out/drops.script
dropped() # COMM: packets, without the answers that who asks for TCP gets from the same port
{
	grep "^ *$1 .*skb:kfree_skb" "$TMP/out" | grep -vc 'TCP_RESET\|NOT_SPECIFIED.*0$'
}
# The three senders have a thread each. What a slow machine leaves to the kernel's own thread is dropped there.
later=$(dropped 'ksoftirqd/[0-9]*')
all=$later
for name in dns-query:100 metrics:100 syslog:100 tcp-client:30; do
	n=$(dropped "${name%:*}")
	all=$((all + n))
	ok "drops of ${name%:*}" test "$n" -le "${name#*:}" -a $((n + later)) -ge "${name#*:}"
done
is "each drop once" $all 330
like "call chains are resolved" "$TMP/out" "^[[:blank:]]+[0-9a-f]+ ip_(local_deliver_finish|protocol_deliver_rcu)[+.]"

# What each packet was, on every kernel that can tell
if can bpf && can btf; then
	run_ok "packets" "$PERF_LITE" record -q -e skb:kfree_skb --packets -a -o /out/packets.data -- "$PROG/drops" --udp 30
	"$PERF_LITE" script -i /out/packets.data -F trace --filter 'saddr == 127.0.0.1 && dev == "lo"' >"$TMP/out"
	like "are read" "$TMP/out" ' dev=lo ifindex=[0-9]+ netns=[0-9]+ saddr=127\.0\.0\.1 sport=[0-9]+ daddr=127\.0\.0\.1 dport=[0-9]+ l4=UDP tcp_flags=- len=[0-9]+ .* vlan=- vlan_tci=- .* packet_type=Ethernet packet_size=[0-9]+ packet_len=[0-9]+ packet=00 00 '
	is "each" "$(grep -c ' l4=UDP ' "$TMP/out")" 30
	is "and none is in a tunnel" "$(grep -c ' inner_saddr=- inner_sport=- .* vni=-$' "$TMP/out")" 30
	run_ok "packets of tunnels" "$PERF_LITE" drops --by inner,inner_tcp_flags,vni --filter 'vni >= 0' -- sh -c "$PROG/dropping vxlan 5 && $PROG/dropping geneve 4"
	like "carry others" "$TMP/out" '^ +5 drops +10\.50\.0\.1:6001 > 10\.50\.0\.2:1001 UDP +- +vni 300$'
	like "of IPv6, too" "$TMP/out" '^ +4 drops +\[fd05::1\]:6002 > \[fd05::2\]:1002 TCP +SYN +vni 301$'
fi
done_testing
