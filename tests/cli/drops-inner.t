# SPDX-License-Identifier: GPL-2.0
#
# perf-lite drops: the packet that a dropped one carries through VXLAN or Geneve. Datagrams to the ports of these, which nobody
# listens at: what is in them is made by hand. The kernel's own tunnels, where it has them, are at the end.
. tests/lib.sh
need everybody bpf btf netns
need_cmd python3
need_cmd ip
need_event skb:kfree_skb
p=$PERF_LITE

cat >"$TMP/send.py" <<'PY'
import socket, struct
A4, B4 = socket.inet_aton("10.50.0.1"), socket.inet_aton("10.50.0.2")
A6, B6 = (socket.inet_pton(socket.AF_INET6, "fd05::%d" % n) for n in (1, 2))
def ip4(payload, protocol=17, fragment=0, options=b""):
    return struct.pack("!BBHHHBBH", 0x45 + len(options) // 4, 0, 20 + len(options) + len(payload), 1, fragment, 64, protocol, 0) + A4 + B4 + options + payload
def ip6(payload, protocol=17):
    return struct.pack("!IHBB", 6 << 28, len(payload), protocol, 64) + A6 + B6 + payload
def udp(sport, dport):
    return struct.pack("!HHHH", sport, dport, 16, 0) + b"12345678"
def tcp(sport, dport, flags):
    return struct.pack("!HHIIBBHHH", sport, dport, 1, 0, 5 << 4, flags, 1000, 0, 0)
def ethernet(packet, kind=0x0800, tags=()):
    return b"\2\0\0\0\0\7\2\0\0\0\0\6" + b"".join(struct.pack("!HH", t, 7) for t in tags) + struct.pack("!H", kind) + packet
def vxlan(vni, frame, flags=8):
    return struct.pack("!II", flags << 24, vni << 8) + frame
def geneve(vni, packet, kind=0x6558, options=b"", words=None, version=0):
    return struct.pack("!BBHI", version << 6 | (len(options) // 4 if words is None else words), 0, kind, vni << 8) + options + packet
def send(sport, payload, port=4789, to="127.0.0.1"):
    s = socket.socket(socket.AF_INET6 if ":" in to else socket.AF_INET, socket.SOCK_DGRAM)
    s.bind((to, sport))
    s.sendto(payload, (to, port))
    s.close()
whole = vxlan(77, ethernet(ip4(tcp(6000, 1000, 2), 6)))
def short(sport, payload, port=4789):
    send(5000, whole)  # what a program may not find in the next
    send(sport, payload, port)
def every(port, to, v4, v6):
    send(v4, vxlan(11, ethernet(ip4(udp(6001, 1001)))), to=to) if port == 4789 else send(v4, geneve(12, ethernet(ip4(udp(6001, 1001)))), port, to)
    send(v6, vxlan(0xffffff, ethernet(ip6(tcp(6002, 1002, 0x12), 6), 0x86dd)), to=to) if port == 4789 else send(v6, geneve(13, ethernet(ip6(tcp(6002, 1002, 2), 6), 0x86dd), options=b"\1\2\3\1abcd"), port, to)
every(4789, "127.0.0.1", 5001, 5002)
every(6081, "127.0.0.1", 5003, 5004)
try:
    every(4789, "::1", 5005, 5006)
    every(6081, "::1", 5007, 5008)
except OSError:
    pass
send(5010, vxlan(1, ethernet(ip4(udp(6010, 1010)))), 8472)
send(5011, vxlan(2, ethernet(ip4(udp(6011, 1011)), tags=(0x8100,))))
send(5012, vxlan(3, ethernet(ip6(udp(6012, 1012)), 0x86dd, tags=(0x88a8, 0x8100))))
send(5013, geneve(4, ip4(udp(6013, 1013)), 0x0800), 6081)
send(5014, geneve(5, ip6(udp(6014, 1014)), 0x86dd, b"x" * 252), 6081)
send(5015, vxlan(6, ethernet(ip4(udp(6015, 1015), options=b"\1" * 40))))
send(5016, vxlan(7, ethernet(ip6(struct.pack("!BB6x", 17, 0) + udp(6016, 1016), 0), 0x86dd)))
short(5020, vxlan(8, ethernet(b"\0\1\x08\0\6\4\0\1" + bytes(20), 0x0806)))
short(5021, vxlan(8, ethernet(ip4(udp(6021, 1021), fragment=5))))
short(5022, vxlan(8, ethernet(ip4(udp(6022, 1022)), 0x86dd)))
short(5023, vxlan(8, ethernet(ip4(udp(6023, 1023))[:19])))
short(5024, vxlan(8, ethernet(ip6(udp(6024, 1024))[:39], 0x86dd)))
short(5025, vxlan(8, ethernet(ip4(udp(6025, 1025))[:23])))
short(5026, vxlan(8, ethernet(ip6(tcp(6026, 1026, 2), 6)[:40 + 13], 0x86dd)))
short(5027, vxlan(8, ethernet(b"")[:13]))
short(5028, vxlan(8, ethernet(ip4(udp(6028, 1028)), tags=(0x8100,))[:17]))
short(5029, geneve(8, ethernet(ip4(udp(6029, 1029))), words=63), 6081)
short(5030, vxlan(8, ethernet(ip4(udp(6030, 1030))), flags=0))
short(5031, whole[:7])
short(5032, geneve(8, ethernet(ip4(udp(6032, 1032))), version=1), 6081)
short(5033, geneve(8, b"")[:7], 6081)
short(5034, whole, 4790)
short(5035, b"")
short(5036, geneve(8, bytes(40), 0), 6081)
PY
# Others may drop packets, too: HERE is the network namespace of these.
cat >"$TMP/in.sh" <<'SH'
ip link set lo up
here=$(readlink /proc/self/ns/net | tr -dc 0-9)
for arg in "$@"; do
	shift
	set -- "$@" "$(printf '%s' "$arg" | sed "s/HERE/$here/")"
done
"$@"
SH
alone() { unshare -n sh "$TMP/in.sh" "$@"; }

run_ok "packets in packets" alone "$p" drops --by sport,inner,inner_tcp_flags,vni --filter 'netns == HERE && reason == NO_SOCKET' -- python3 "$TMP/send.py"
inner() # DESC SPORT INNER FLAGS VNI
{
	like "$1" "$TMP/out" "^ +1 drop +sport $2 +$3 +$4 +vni $5\$"
}
v4='10\.50\.0\.1:6001 > 10\.50\.0\.2:1001 UDP'
v6='\[fd05::1\]:6002 > \[fd05::2\]:1002 TCP'
inner "IPv4 in VXLAN" 5001 "$v4" - 11
inner "IPv6 in VXLAN" 5002 "$v6" 'SYN\|ACK' 16777215
inner "IPv4 in Geneve" 5003 "$v4" - 12
inner "IPv6 in Geneve, behind options" 5004 "$v6" SYN 13
if [ -e /proc/net/if_inet6 ]; then
	inner "IPv4 in VXLAN over IPv6" 5005 "$v4" - 11
	inner "IPv6 in VXLAN over IPv6" 5006 "$v6" 'SYN\|ACK' 16777215
	inner "IPv4 in Geneve over IPv6" 5007 "$v4" - 12
	inner "IPv6 in Geneve over IPv6" 5008 "$v6" SYN 13
else
	for what in VXLAN Geneve; do
		skip_outside "IPv4 in $what over IPv6" "this kernel has no IPv6"
		skip_outside "IPv6 in $what over IPv6" "this kernel has no IPv6"
	done
fi
inner "the port that Linux has for VXLAN" 5010 '10\.50\.0\.1:6010 > 10\.50\.0\.2:1010 UDP' - 1
inner "a tag of a VLAN" 5011 '10\.50\.0\.1:6011 > 10\.50\.0\.2:1011 UDP' - 2
inner "two tags" 5012 '\[fd05::1\]:6012 > \[fd05::2\]:1012 UDP' - 3
inner "IPv4 without Ethernet" 5013 '10\.50\.0\.1:6013 > 10\.50\.0\.2:1013 UDP' - 4
inner "IPv6 without Ethernet, behind the most options" 5014 '\[fd05::1\]:6014 > \[fd05::2\]:1014 UDP' - 5
inner "options of IPv4" 5015 '10\.50\.0\.1:6015 > 10\.50\.0\.2:1015 UDP' - 6
inner "an extension header of IPv6" 5016 '\[fd05::1\]:6016 > \[fd05::2\]:1016 UDP' - 7

# What is not there is told of as that

inner "no IP" 5020 - - 8
inner "a fragment that is not the first" 5021 '10\.50\.0\.1 > 10\.50\.0\.2 UDP' - 8
inner "IP of another version than Ethernet says" 5022 - - 8
inner "a header of IPv4 that is cut off" 5023 - - 8
inner "a header of IPv6 that is cut off" 5024 - - 8
inner "ports that are cut off" 5025 '10\.50\.0\.1 > 10\.50\.0\.2 UDP' - 8
inner "flags that are cut off" 5026 '\[fd05::1\]:6026 > \[fd05::2\]:1026 TCP' - 8
inner "a header of Ethernet that is cut off" 5027 - - 8
inner "a tag that is cut off" 5028 - - 8
inner "options that are cut off" 5029 - - 8
inner "VXLAN without a number" 5030 - - -
inner "a header of VXLAN that is cut off" 5031 - - -
inner "another version of Geneve" 5032 - - -
inner "a header of Geneve that is cut off" 5033 - - -
inner "another port" 5034 - - -
inner "no byte" 5035 - - -
inner "nothing that is named" 5036 - - 8

run_ok "chosen by it" alone "$p" drops --by inner_saddr,inner_l4,inner_dport,vni --filter 'netns == HERE && inner_dport == 1001 && vni == 11 && inner_saddr == 10.50.0.1 && saddr == 127.0.0.1' -- python3 "$TMP/send.py"
like "the one packet" "$TMP/out" '^ +1 drop +10\.50\.0\.1 +UDP +inner_dport 1001 +vni 11$'
like "alone" "$TMP/out" '^ +1 drop in [0-9.]+ s(, [0-9.]+/s)?$'
run_ok "JSON" alone "$p" drops --json --by sport,inner,vni --filter 'netns == HERE && (sport == 5002 || sport == 5023 || sport == 5025)' -- python3 "$TMP/send.py"
like "has it" "$TMP/out" '"sport":5002,"inner":\{"saddr":"fd05::1","sport":6002,"daddr":"fd05::2","dport":1002,"l4":\{"value":6,"name":"TCP"\}\},"vni":16777215\}'
like "and what is not there is null" "$TMP/out" '"sport":5023,"inner":\{"saddr":null,"sport":null,"daddr":null,"dport":null,"l4":null\},"vni":8\}'
like "each by itself" "$TMP/out" '"sport":5025,"inner":\{"saddr":"10\.50\.0\.1","sport":null,"daddr":"10\.50\.0\.2","dport":null,"l4":\{"value":17,"name":"UDP"\}\},"vni":8\}'

run_ok "a recording" alone "$p" record -q -a -e 'skb:kfree_skb(reason, netns(skb), skb->dev->name, inner(skb), flow(skb))' --filter 'netns == HERE && reason == NO_SOCKET && sport != 5000' -o "$TMP/f" -- python3 "$TMP/send.py"
run_ok "by its fields" "$p" count -i "$TMP/f" --by sport,inner_saddr,inner_sport,inner_daddr,inner_dport,inner_l4,inner_tcp_flags,vni --csv
tr -d '\r' <"$TMP/out" >"$TMP/csv"
like "as a table" "$TMP/csv" '^1,5004,fd05::1,6002,fd05::2,1002,TCP,SYN,13(,|$)'
run_ok "as text" "$p" script -i "$TMP/f" -F trace --filter 'sport == 5004 || sport == 5031'
like "of a packet in a tunnel" "$TMP/out" ' inner_saddr=fd05::1 inner_sport=6002 inner_daddr=fd05::2 inner_dport=1002 inner_l4=TCP inner_tcp_flags=SYN vni=13 '
like "and of another" "$TMP/out" ' inner_saddr=- inner_sport=- inner_daddr=- inner_dport=- inner_l4=- inner_tcp_flags=- vni=- '
run_ok "counted by a program" alone "$p" count -a -e 'skb:kfree_skb(reason, netns(skb), inner(skb))' --filter 'netns == HERE && reason == NO_SOCKET' --by inner_daddr,inner_dport,vni --csv -- python3 "$TMP/send.py"
tr -d '\r' <"$TMP/out" >"$TMP/csv"
like "of each flow" "$TMP/csv" "^[12],fd05::2,1002,13(,|\$)"
like "and what has none" "$TMP/csv" '^6,-,-,-(,|$)'
run_ok "all that a packet was" alone "$p" record -q -a -e skb:kfree_skb --packets --filter 'netns == HERE && reason == NO_SOCKET' -o "$TMP/all" -- python3 "$TMP/send.py"
run_ok "has it, too" "$p" drops -i "$TMP/all" --by sport,inner,inner_tcp_flags,vni --filter 'sport < 5020'
inner "with all of it" 5004 "$v6" SYN 13

# The kernel's own tunnel: outside, inside, and on the way

cat >"$TMP/tunnel.sh" <<'SH'
ip link add near type veth peer name far
ip addr add 10.9.8.1/24 dev near
ip link set near up
ip link set far up
ip neigh add 10.9.8.2 lladdr 02:00:00:00:00:02 dev near
ip link add vx type vxlan id 42 dstport 4789 local 10.9.8.1 remote 10.9.8.2 dev near || exit 77
ip addr add 10.50.0.1/24 dev vx
ip link set vx up
ip neigh add 10.50.0.2 lladdr 02:00:00:00:00:07 dev vx
"$1" drops --by dev,flow,inner,vni --filter "inner_dport == 1007 && vni == 42" -- python3 -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.50.0.1", 6007))
s.sendto(b"12345678", ("10.50.0.2", 1007))'
SH
run alone sh "$TMP/tunnel.sh" "$p"
if [ $rc -eq 77 ]; then
	skip_outside "a packet on its way through a tunnel" "this kernel has no VXLAN"
else
	like "a packet on its way through a tunnel" "$TMP/out" '^ +1 drop +far +10\.9\.8\.1:[0-9]+ > 10\.9\.8\.2:4789 UDP +10\.50\.0\.1:6007 > 10\.50\.0\.2:1007 UDP +vni 42$'
fi

run "$p" drops -e 'skb:kfree_skb(inner(location))' --duration 100ms
rc_is 1 "what is no packet"
like "has none inside" "$TMP/err" 'inner\(\) wants a struct sk_buff \*, not void \*'
run "$p" drops -e skb:kfree_skb --by inner --duration 100ms
rc_is 1 "the event alone"
like "does not tell" "$TMP/err" 'skb:kfree_skb does not report the addresses inside of a packet'
run "$p" drops --by place,reason,protocol,dev,netns,flow,inner,owner,len,comm -- true
rc_is 1 "too many keys"
like "among which are those of several" "$TMP/err" 'at most 16, and flow and inner are 5 each$'
done_testing
