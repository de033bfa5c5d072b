# SPDX-License-Identifier: GPL-2.0
#
# Which packet it was, where skb:kfree_skb does not tell it: read by a program, or there is a reason why not.
. /tests/lib.sh
need_event skb:kfree_skb
events=/sys/kernel/tracing/dynamic_events
by=place,reason,protocol,dev,netns

if ! can bpf || ! can btf; then
	run "$PERF_LITE" drops --by netns --duration 100ms
	rc_is 1 "a kernel without types: refused"
	like "and told of" "$TMP/err" "does not report the network namespace of a packet"
	like "with what is missing" "$TMP/err" "^hint: "
	done_testing
	exit
fi

# number OF-WHAT: the drops of a row
number()
{
	awk -v what="$1" '$2 ~ /^drops?$/ && $0 ~ what { n += $1 } END { print n + 0 }' "$TMP/out"
}
inode=$(readlink /proc/self/ns/net | tr -dc 0-9)

run_ok "by device" "$PERF_LITE" drops --by $by -- "$PROG/drops" --udp 300 --tcp 30
is "each datagram, with its device and namespace" "$(number " at [a-z_0-9]+[+]0x[0-9a-f]+ +NO_SOCKET  IPv4  lo  net:.$inode.\$")" 330
is "nothing else" "$(sed -n 's/^ *\([0-9]*\) drops* in \(all\|[0-9.]* s\)\b.*/\1/p' "$TMP/out")" 330
run_ok "without the question" "$PERF_LITE" drops -- "$PROG/drops" --udp 3
is "says nothing else" "$(cat "$TMP/err")" ""
run_ok "which packet" "$PERF_LITE" drops --by reason,flow,len --filter 'l4 == TCP' -- "$PROG/drops" --udp 30 --tcp 7
is "each connection" "$(number "  NO_SOCKET  127.0.0.1:[0-9]+ > 127.0.0.1:[0-9]+ TCP  len [0-9]+\$")" 7

# Another namespace: a device of the same name
if unshare -n true 2>/dev/null; then
	run_ok "another namespace" unshare -n sh -c "ifconfig lo up; readlink /proc/self/ns/net | tr -dc 0-9 >$TMP/inode
		$PERF_LITE drops --by netns,dev -- $PROG/drops --udp 30"
	is "has its own number" "$(number "  net:.$(cat "$TMP/inode").  lo\$")" 30
	ok "another than the first" test "$(cat "$TMP/inode")" != "$inode"
fi

run_ok "names in filters" "$PERF_LITE" drops --by $by \
	--filter 'reason == NO_SOCKET && protocol == IPv4 && location == tcp_v4_rcv && dev == "lo"' -- "$PROG/drops" --udp 300 --tcp 30
is "choose" "$(sed -n 's/^ *\([0-9]*\) drops* in \(all\|[0-9.]* s\)\b.*/\1/p' "$TMP/out")" 30
run_ok "JSON" "$PERF_LITE" drops --by reason,protocol,dev,netns --json -- "$PROG/drops" --udp 9
like "has all" "$TMP/out" "\"count\":9,\"hardware\":false,\"reason\":\{\"value\":[0-9]+,\"name\":\"NO_SOCKET\"\},\"protocol\":\{\"value\":2048,\"name\":\"IPv4\"\},\"dev\":\"lo\",\"netns\":$inode\}"
run_ok "with call chains" "$PERF_LITE" drops --by dev -g -- "$PROG/drops" --udp 30
like "has them" "$TMP/out" "^	 *[0-9a-f]+ ip_(local_deliver_finish|protocol_deliver_rcu)\+"

# An event of the user's own
if grep -Eq '^[[:blank:]]*t\[:' /sys/kernel/tracing/README; then
echo 't:drops/skb kfree_skb location=location:symbol reason=reason protocol=skb->protocol dev=skb->dev->name:string netns=skb->dev->nd_net.net->ns.inum' >$events
run_ok "record it" "$PERF_LITE" record -q -a -e drops:skb -o /out/drops-dev.data -- "$PROG/drops" --udp 60
run_ok "its drops" "$PERF_LITE" drops -i /out/drops-dev.data -e drops:skb --by $by
cp "$TMP/out" /out/drops-dev.text
is "read alike" "$(number " at [a-z_0-9]+[+]0x[0-9a-f]+ +NO_SOCKET  IPv4  lo  net:.$inode.\$")" 60
echo >$events
fi

# Who may not
mkdir -p /etc
echo 'nobody:x:65534:65534:nobody:/:/bin/sh' >/etc/passwd
run su nobody -s /bin/sh -c "$PERF_LITE drops --by netns --duration 100ms"
ok "without privileges it does not start" test $rc -ne 0
like "and says what is missing" "$TMP/err" "^hint: "
done_testing
