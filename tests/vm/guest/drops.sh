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
done_testing
