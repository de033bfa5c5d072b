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
# The three senders have a thread each; who asks for TCP gets its answer from the same port.
for name in dns-query metrics syslog; do
	is "drops of $name" "$(grep -c "^ *$name .*skb:kfree_skb" "$TMP/out")" 100
done
is "drops of tcp-client" "$(grep "^ *tcp-client .*skb:kfree_skb" "$TMP/out" | grep -vc "TCP_RESET\|NOT_SPECIFIED.*0$")" 30
like "call chains are resolved" "$TMP/out" "^[[:blank:]]+[0-9a-f]+ ip_(local_deliver_finish|protocol_deliver_rcu)[+.]"
done_testing
