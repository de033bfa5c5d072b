# SPDX-License-Identifier: GPL-2.0
#
# perf-lite drops: which packet it was. Two network namespaces with a pair of devices between them; what is sent is known.
. tests/lib.sh
need everybody bpf btf netns
need_cmd python3
need_cmd ip
need_event skb:kfree_skb
p=$PERF_LITE

cat >"$TMP/send.py" <<'END'
import socket
def udp(family, src, dst, port, n):
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.bind((src, 5001))
    for i in range(n):
        try:
            s.sendto(b"x" * 30, (dst, port))
        except OSError:
            pass  # the answer to the one before
    s.close()
def tcp(family, src, dst, port):
    s = socket.socket(family, socket.SOCK_STREAM)
    s.bind((src, 5002))
    try:
        s.connect((dst, port))
    except OSError:
        pass
    s.close()
udp(socket.AF_INET, "10.9.8.1", "10.9.8.2", 9, 5)
tcp(socket.AF_INET, "10.9.8.1", "10.9.8.2", 443)
udp(socket.AF_INET6, "fd00::1", "fd00::2", 9, 4)
tcp(socket.AF_INET6, "fd00::1", "fd00::2", 443)
END
# The receiver's namespace is that of a process; "there" runs a command in it.
cat >"$TMP/in.sh" <<'END'
tmp=$1
shift
unshare -n sh -c 'echo ready; exec cat' >"$tmp/ready" <"$tmp/hold" &
exec 9>"$tmp/hold"
there=$!
while [ ! -s "$tmp/ready" ]; do sleep 0.05; done
for n in self $there; do readlink /proc/$n/ns/net | tr -dc 0-9; echo; done >"$tmp/inums"
there() { nsenter -t $there -n "$@"; }
ip link set lo up
ip link add sender type veth peer name receiver
ip link set receiver netns $there
ip addr add 10.9.8.1/24 dev sender
ip link set sender up
there ip link set lo up
there ip addr add 10.9.8.2/24 dev receiver
there ip link set receiver up
[ ! -e /proc/net/if_inet6 ] || { ip -6 addr add fd00::1/64 dev sender nodad; there ip -6 addr add fd00::2/64 dev receiver nodad; }
ping -c 1 -W 5 10.9.8.2 >/dev/null 2>&1
echo $there >"$tmp/there"
"$@"
rc=$?
exec 9>&-
exit $rc
END
mkfifo "$TMP/hold"
between() # CMD...: in the sender's namespace
{
	rm -f "$TMP/ready"
	unshare -n sh "$TMP/in.sh" "$TMP" "$@"
}

run_ok "packets between namespaces" between "$p" drops --by reason,dev,netns,flow,tcp_flags -- python3 "$TMP/send.py"
there=$(sed -n 2p "$TMP/inums")
like "each datagram, where it was dropped" "$TMP/out" "^ +5 drops +NO_SOCKET +receiver +net:.$there. +10\.9\.8\.1:5001 > 10\.9\.8\.2:9 UDP +-\$"
like "a connection" "$TMP/out" "^ +1 drop +NO_SOCKET +receiver +net:.$there. +10\.9\.8\.1:5002 > 10\.9\.8\.2:443 TCP +SYN\$"
if [ -e /proc/net/if_inet6 ]; then
	like "IPv6" "$TMP/out" "^ +4 drops +NO_SOCKET +receiver +net:.$there. +\[fd00::1\]:5001 > \[fd00::2\]:9 UDP +-\$"
	like "its connections" "$TMP/out" "^ +1 drop +NO_SOCKET +receiver +net:.$there. +\[fd00::1\]:5002 > \[fd00::2\]:443 TCP +SYN\$"
else
	skip_outside "IPv6" "this kernel has no IPv6"
	skip_outside "its connections" "this kernel has no IPv6"
fi

run_ok "nothing asked" between "$p" drops -- python3 "$TMP/send.py"
like "the device is told" "$TMP/out" "^ +[0-9]+ drops? at [a-z_0-9]+\+0x[0-9a-f]+ +NO_SOCKET +IPv4 +receiver +"
run_ok "a filter of the packet" between "$p" drops --by place,reason,protocol,dport --filter 'dport == 443 && reason == NO_SOCKET && protocol == IPv4 && dev == "receiver" && location.function == tcp_v4_rcv' -- python3 "$TMP/send.py"
like "leaves what it says" "$TMP/out" "^ +1 drop +at tcp_v4_rcv\+0x[0-9a-f]+ +NO_SOCKET  IPv4  dport 443\$"
like "alone" "$TMP/out" "^ +1 drop in [0-9.]+ s(, [0-9.]+/s)?\$"
run_ok "the socket" between "$p" drops --by reason,sk_uid,len,dport --filter 'reason == SOCKET_RCVBUFF' -- "$PROG/dropping" rcvbuff 20
like "whose buffer is full" "$TMP/out" "^ +20 drops +SOCKET_RCVBUFF +sk_uid $(id -u) +len [0-9]+ +dport [0-9]+\$"

cat >"$TMP/server.py" <<'END'
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
s.bind(("127.0.0.1", 7001))
c = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(40):
    c.sendto(b"x" * 500, ("127.0.0.1", 7001))
# until somebody has looked who it is
time.sleep(2)
END
run_ok "its owner" between "$p" drops --by reason,owner,dport --filter 'dport == 7001' -- python3 "$TMP/server.py"
like "has it open" "$TMP/out" "^ +[0-9]+ drops +SOCKET_RCVBUFF +python3 [0-9]+ +dport 7001\$"
run_ok "JSON" between "$p" drops --json --by reason,dev,netns,flow --filter 'dport == 9 && protocol == IPv4' -- python3 "$TMP/send.py"
there=$(sed -n 2p "$TMP/inums")
like "has all" "$TMP/out" "\"rows\":\[\{\"count\":5,\"hardware\":false,\"reason\":\{\"value\":[0-9]+,\"name\":\"NO_SOCKET\"\},\"dev\":\"receiver\",\"netns\":$there,\"flow\":\{\"saddr\":\"10\.9\.8\.1\",\"sport\":5001,\"daddr\":\"10\.9\.8\.2\",\"dport\":9,\"l4\":\{\"value\":17,\"name\":\"UDP\"\}\}\}\]"

run_ok "with call chains" between "$p" drops --by dev -g --filter 'dport == 9 && protocol == IPv4' -- python3 "$TMP/send.py"
like "of the kernel" "$TMP/out" "^	 *[0-9a-f]+ ip_(local_deliver_finish|protocol_deliver_rcu)\+"
unlike "without the program that looks" "$TMP/out" "bpf_|__traceiter"

# A packet of each cause that can be made here

cat >"$TMP/causes.py" <<'END'
import socket, struct, sys
def checksum(data):
    s = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    return ~((s & 0xffff) + (s >> 16)) & 0xffff
def ip(src, dst, payload, protocol=17):
    h = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 1, 0, 64, protocol, 0, socket.inet_aton(src), socket.inet_aton(dst))
    return h[:10] + struct.pack("!H", checksum(h)) + h[12:] + payload
def udp(sport, dport, payload, check=0):
    return struct.pack("!HHHH", sport, dport, 8 + len(payload), check) + payload
def send(src, sport, dst, dport, ttl=64):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, ttl)
    s.bind((src, sport))
    s.sendto(b"12345678", (dst, dport))
mac = lambda text: bytes.fromhex(text.replace(":", ""))
here, there = mac(sys.argv[1]), mac(sys.argv[2])
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind(("sender", 0))
send("10.9.8.1", 6001, "10.77.0.1", 1001)
send("10.9.8.1", 6002, "10.78.0.1", 1002, ttl=1)
send("172.16.0.9", 6003, "10.9.8.2", 1003)
raw.sendto(ip("10.9.8.1", "10.9.8.2", udp(6004, 1004, b"12345678", 0x1234)), ("10.9.8.2", 0))
link.send(there + here + struct.pack("!HHH", 0x8100, 7, 0x0800) + ip("10.9.8.1", "10.9.8.2", udp(6005, 1005, b"12345678")))
inner = b"\2\0\0\0\0\7" + b"\2\0\0\0\0\6" + struct.pack("!H", 0x0800) + ip("10.50.0.1", "10.50.0.2", udp(6007, 1007, b"12345678"))
send_vxlan = lambda sport, vni: raw.sendto(ip("10.9.8.1", "10.9.8.2", udp(sport, 4789, struct.pack("!II", 0x08000000, vni << 8) + inner)), ("10.9.8.2", 0))
send_vxlan(6006, 6)
send_vxlan(6008, 5)
link.send(there + here + struct.pack("!H", 0x88b5) + b"nobody speaks this" * 3)
END
cat >"$TMP/causes.sh" <<'END'
there() { nsenter -t "$(cat "$1/there")" -n "$2"; }
cat >"$1/router" <<'ROUTER'
#!/bin/sh
echo 1 >/proc/sys/net/ipv4/ip_forward
echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
echo 1 >/proc/sys/net/ipv4/conf/receiver/rp_filter
ip route add 10.78.0.0/16 via 10.9.8.1
ip link add vx type vxlan id 5 dstport 4789 local 10.9.8.2 dev receiver 2>/dev/null || exit 0
ip link set vx address 02:00:00:00:00:07 up
ip addr add 10.50.0.2/24 dev vx
ROUTER
chmod 755 "$1/router"
there "$1" "$1/router"
ip route add 10.77.0.0/16 via 10.9.8.2
ip route add 10.78.0.0/16 via 10.9.8.2
ip addr add 172.16.0.9/32 dev lo
nsenter -t "$(cat "$1/there")" -n ip link show vx >"$1/vxlan" 2>/dev/null
address() { sed -n 's/.*link\/ether \([0-9a-f:]*\).*/\1/p'; }
python3 "$1/causes.py" "$(ip link show sender | address)" "$(nsenter -t "$(cat "$1/there")" -n ip link show receiver | address)"
END
run_ok "packets that are dropped for known reasons" between "$p" drops --by reason,dev,flow,vlan --pcapng "$TMP/causes.pcapng" -- sh "$TMP/causes.sh" "$TMP"
dropped() # DESC REASON DEVICE FLOW
{
	like "$1" "$TMP/out" "^ +1 drop +($2) +$3 +$4 +vlan ${5:--}\$"
}
dropped "no route" 'IP_INNOROUTES|NOT_SPECIFIED' receiver '10\.9\.8\.1:6001 > 10\.77\.0\.1:1001 UDP'
dropped "too many hops" 'IP_INHDR|NOT_SPECIFIED' receiver '10\.9\.8\.1:6002 > 10\.78\.0\.1:1002 UDP'
dropped "a sender that is elsewhere" 'IP_RPFILTER|NOT_SPECIFIED' receiver '172\.16\.0\.9:6003 > 10\.9\.8\.2:1003 UDP'
dropped "a wrong checksum" UDP_CSUM receiver '10\.9\.8\.1:6004 > 10\.9\.8\.2:1004 UDP'
dropped "a VLAN that nobody is in" '[A-Z_]+' receiver '10\.9\.8\.1:6005 > 10\.9\.8\.2:1005 UDP'
dropped "a protocol that nobody speaks" UNHANDLED_PROTO receiver -
if [ -s "$TMP/vxlan" ]; then
	dropped "a VXLAN that nobody is in" 'VXLAN_VNI_NOT_FOUND|NOT_SPECIFIED' receiver '10\.9\.8\.1:6006 > 10\.9\.8\.2:4789 UDP'
	dropped "the packet inside of one" NO_SOCKET vx '10\.50\.0\.1:6007 > 10\.50\.0\.2:1007 UDP'
else
	skip_outside "a VXLAN that nobody is in" "this kernel has no VXLAN"
	skip_outside "the packet inside of one" "this kernel has no VXLAN"
fi

# The packets, as others read them

comments() # FILE: the comment of each packet, on a line
{
	python3 - "$1" <<-'END'
		import struct, sys
		data, at = open(sys.argv[1], "rb").read(), 0
		while at < len(data):
		    kind, size = struct.unpack_from("=II", data, at)
		    assert size % 4 == 0 and struct.unpack_from("=I", data, at + size - 4)[0] == size
		    if kind == 6:
		        have = struct.unpack_from("=I", data, at + 20)[0]
		        option = at + 28 + (have + 3) // 4 * 4
		        code, length = struct.unpack_from("=HH", data, option)
		        assert code == 1
		        print(data[option + 4:option + 4 + length].decode().replace("\n", "|"))
		    at += size
		assert at == len(data)
	END
}
run_ok "packets to a file" between "$p" drops -g --by reason --filter 'reason == NO_SOCKET && dev == "receiver"' --pcapng "$TMP/p.pcapng" -- python3 "$TMP/send.py"
n=$([ -e /proc/net/if_inet6 ] && echo 11 || echo 6)
like "are told of" "$TMP/err" "^$n packets in $TMP/p.pcapng\$"
run_ok "their comments" comments "$TMP/p.pcapng"
is "say why, where, and how it came there" \
	"$(grep -Ec '^NO_SOCKET at [a-z_0-9]+\+0x[0-9a-f]+\|CPU [0-9]+, .* \(thread [0-9]+\)\|  sk_skb_reason_drop\|.*\|  ip6?_' "$TMP/out")" $n
run_ok "a recording of them" between "$p" record -q -a -g -e skb:kfree_skb --packets --filter 'reason == NO_SOCKET && dev == "receiver"' -o "$TMP/f" -- python3 "$TMP/send.py"
run_ok "has the same keys" "$p" drops -i "$TMP/f" --by dev,flow --filter 'dport == 9 && protocol == IPv4'
like "which are exact" "$TMP/out" "^ +5 drops +receiver +10\.9\.8\.1:5001 > 10\.9\.8\.2:9 UDP\$"
run sh -c "'$p' drops -i '$TMP/f' --pcapng - >'$TMP/q.pcapng'"
rc_is 0 "and the packets, on standard output"
is "all of them, and nothing else" "$(comments "$TMP/q.pcapng" | wc -l)" $n
if can tcpdump; then
	tcpdump -nr "$TMP/q.pcapng" >"$TMP/out" 2>"$TMP/err"
	is "tcpdump reads datagrams" "$(grep -c 'IP 10\.9\.8\.1\.5001 > 10\.9\.8\.2\.9: UDP, length 30' "$TMP/out")" 5
	is "and connections" "$(grep -c 'IP 10\.9\.8\.1\.5002 > 10\.9\.8\.2\.443: Flags \[S\]' "$TMP/out")" 1
else
	skip_without "tcpdump reads datagrams" tcpdump
	skip_without "and connections" tcpdump
fi

# The kernel's own counters

run_ok "counters of the kernel" between "$p" drops --counters --by reason -- "$PROG/dropping" rcvbuff 20
is "those that rose" "$(sed -n '/^counters of this/,$p' "$TMP/out" | sed 1d | tr -s ' ' | tr '\n' ',')" \
	" 20 UdpInErrors all reported as drops: SOCKET_RCVBUFF, 20 UdpRcvbufErrors all reported as drops: SOCKET_RCVBUFF,"
run_ok "in JSON" between "$p" drops --counters --json -- "$PROG/dropping" rcvbuff 20
like "too" "$TMP/out" '"counters":\[\{"name":"UdpInErrors","rose":20,"drops":20,[^}]*\},\{"name":"UdpRcvbufErrors","rose":20,[^}]*\}\]\}$'
cat >"$TMP/queue.py" <<'END'
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(30):
    try:
        s.sendto(b"x" * 600, ("10.9.7.2", 9))
    except OSError:
        pass
END
cat >"$TMP/queue.sh" <<'END'
ip link add dev slow type veth peer name other
[ ! -e /proc/net/if_inet6 ] || echo 1 >/proc/sys/net/ipv6/conf/slow/disable_ipv6
ip addr add 10.9.7.1/24 dev slow
ip neigh add 10.9.7.2 lladdr 02:00:00:00:00:02 dev slow
ip link set slow up
ip link set other up
# two packets of 642 bytes at once, four more wait, and another 5 minutes later
tc qdisc add dev slow root handle 7: tbf rate 8bit burst 1600 limit 3000 || exit 77
"$1" drops --counters --by reason,dport --filter 'dport == 9 && dev == "slow"' $3 -- python3 "$2/queue.py"
END
run unshare -n sh "$TMP/queue.sh" "$p" "$TMP"
if [ $rc -eq 77 ]; then
	skip_outside "a queue" "there is no traffic control with tbf here"
	skip_outside "and what it counts" "there is no traffic control with tbf here"
	skip_outside "in JSON" "there is no traffic control with tbf here"
else
	like "a queue" "$TMP/out" '^ +24 drops +(QDISC_[A-Z_]+|NOT_SPECIFIED) +dport 9$'
	is "and what it counts" "$(sed -n '/^counters of this/,$p' "$TMP/out" | grep qdisc | sed -E 's/^ *[1-9][0-9]* (.*overlimits)/N \1/; s/^ *//; s/  +/ /; s/QDISC_[A-Z_]+/QDISC_DROP/' | tr '\n' ',')" \
		"24 slow qdisc tbf 7: dropped all reported as drops: QDISC_DROP,N slow qdisc tbf 7: overlimits,"
	run unshare -n sh "$TMP/queue.sh" "$p" "$TMP" --json
	like "in JSON" "$TMP/out" '\{"name":"slow qdisc tbf 7: dropped","rose":24,"drops":24,"exact":true,"reasons":\["QDISC_[A-Z_]+"\]\}'
fi
run "$p" drops --counters -i "$TMP/f"
rc_is 1 "a recording has none"

# Interrupted, it ends properly; whoever reads may go away

rm -f "$TMP/ready"
unshare -n sh -c "ip link set lo up; '$p' drops --pcapng '$TMP/int.pcapng' & pid=\$!; for i in 1 2 3 4 5 6 7 8 9; do sleep 0.5; '$PROG/drops' --udp 30; done >/dev/null
	ls -l '$TMP'/int.pcapng*tmp | awk '{ print \$5 }'; kill -INT \$pid; wait \$pid; echo rc=\$?" >"$TMP/out" 2>"$TMP/err"
like "^C ends it" "$TMP/out" '^rc=0$'
like "with what it saw" "$TMP/err" '^[1-9][0-9]* packets in '
ok "which is in the file" test "$(comments "$TMP/int.pcapng" | wc -l)" -ge 60
ok "and was on its way there before" test "$(sed -n 's/^\([0-9]*\)$/\1/p' "$TMP/out" | sort -n | tail -n 1)" -gt 1000
run sh -c "unshare -n sh -c \"ip link set lo up; '$p' drops --pcapng - -- sh -c 'for i in 1 2 3 4 5 6; do sleep 0.3; $PROG/drops --udp 30 >/dev/null; done'\" | head -c 100 >/dev/null"
unlike "a reader that goes away is no error" "$TMP/err" 'Broken pipe'
for option in --json --counters '--by dev'; do
	run "$p" drops --pcapng - $option
	rc_is 1 "with packets on standard output there is no table: $option"
done

# What is too short for its headers has none, whatever lay there before

cat >"$TMP/short.py" <<'END'
import socket, struct, sys
mac = lambda text: bytes.fromhex(text.replace(":", ""))
here, there = mac(sys.argv[1]), mac(sys.argv[2])
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind(("sender", 0))
def ip(protocol, size, payload):
    h = struct.pack("!BBHHHBBH4s4s", 0x45, 0, size, 1, 0, 64, protocol, 0, socket.inet_aton("10.9.8.1"), socket.inet_aton("10.9.8.2"))
    s = sum(struct.unpack("!10H", h))
    s = ~((s & 0xffff) + (s >> 16)) & 0xffff
    return there + here + struct.pack("!H", 0x0800) + h[:10] + struct.pack("!H", s) + h[12:] + payload
for i in range(64):
    link.send(ip(253, 220, bytes([0x11, 0x5c, 0x01, 0xbb]) * 50))
for i in range(5):
    link.send(ip(17, 20, b""))
    link.send(ip(6, 22, b"\0\1"))
    link.send(there + here + struct.pack("!H", 0x0800) + b"\x45")
END
cat >"$TMP/short.sh" <<'END'
address() { sed -n 's/.*link\/ether \([0-9a-f:]*\).*/\1/p'; }
python3 "$1/short.py" "$(ip link show sender | address)" "$(nsenter -t "$(cat "$1/there")" -n ip link show receiver | address)"
END
run_ok "packets that are cut off" between "$p" drops --all --by l4,dport,saddr --filter 'dev == "receiver"' -- sh "$TMP/short.sh" "$TMP"
like "are seen" "$TMP/out" "^ +5 drops? +UDP +dport - +10\.9\.8\.1\$"
unlike "without ports of others" "$TMP/out" "dport [0-9]"

# The tag of a VLAN that was taken off the packet; others are in it still, before and behind the header of the network

cat >"$TMP/tagged.py" <<'END'
import socket, struct, sys
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind(("sender", 0))
mac = lambda text: bytes.fromhex(text.replace(":", ""))
h = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 36, 1, 0, 64, 17, 0, socket.inet_aton("10.9.8.1"), socket.inet_aton("10.9.8.2"))
for port, tags in (1009, (0x8100, 7)), (1010, (0x88a8, 5, 0x8100, 6)):
    frame = struct.pack("!%dH" % len(tags), *tags) + struct.pack("!H", 0x0800) + h + struct.pack("!HHHH", 6009, port, 16, 0) + b"12345678"
    try:
        link.send(mac(sys.argv[2]) + mac(sys.argv[1]) + frame)
    except OSError:
        pass  # it was dropped before it was sent
END
sed 's/short/tagged/' "$TMP/short.sh" >"$TMP/tagged.sh"
cat >"$TMP/ingress.sh" <<'END'
there="nsenter -t $(cat "$1/there") -n"
$there tc qdisc add dev receiver clsact && $there tc filter add dev receiver ingress bpf da bytecode '1,6 0 0 2' || exit 77
"$2" drops --by reason,dev,vlan,flow --filter 'dport == 1009' --pcapng "$1/tagged.pcapng" -- sh "$1/tagged.sh" "$1"
tc qdisc add dev sender clsact && tc filter add dev sender egress bpf da bytecode '1,6 0 0 2' || exit 77
"$2" drops --by reason,dev,flow -- sh "$1/tagged.sh" "$1" >"$1/egress"
tc qdisc del dev sender clsact
"$2" drops --by dev,flow --filter 'dport == 1010' -- sh "$1/tagged.sh" "$1" >"$1/two-tags"
END
run between sh "$TMP/ingress.sh" "$TMP" "$p"
if [ $rc -eq 77 ] || ! can tcpdump; then
	skip_outside "a tagged packet" "traffic control drops nothing here, or there is no tcpdump"
	for port in 1009 1010; do
		skip_outside "a packet that was to be sent has its tags: port $port" "traffic control drops nothing here, or there is no tcpdump"
	done
	skip_outside "one has two" "traffic control drops nothing here, or there is no tcpdump"
	skip_outside "and its tag is in the packet" "traffic control drops nothing here, or there is no tcpdump"
else
	like "a tagged packet" "$TMP/out" '^ +1 drop +TC_INGRESS +receiver +vlan 7 +10\.9\.8\.1:6009 > 10\.9\.8\.2:1009 UDP$'
	for port in 1009 1010; do
		like "a packet that was to be sent has its tags: port $port" "$TMP/egress" "^ +1 drop +TC_EGRESS +sender +10\.9\.8\.1:6009 > 10\.9\.8\.2:$port UDP\$"
	done
	like "one has two" "$TMP/two-tags" '^ +1 drop +receiver +10\.9\.8\.1:6009 > 10\.9\.8\.2:1010 UDP$'
	tcpdump -enr "$TMP/tagged.pcapng" >"$TMP/out" 2>/dev/null
	like "and its tag is in the packet" "$TMP/out" 'length 54: vlan 7, p 0, ethertype IPv4.*10\.9\.8\.1\.6009 > 10\.9\.8\.2\.1009'
fi

# Sockets that end before some members: of connections that have been closed

cat >"$TMP/closed.py" <<'END'
import socket, time
for i in range(3):
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    s.listen(1)
    c = socket.create_connection(s.getsockname())
    a, _ = s.accept()
    # in FIN_WAIT_2, its end becomes a small socket, which answers what is sent to it
    c.close()
    time.sleep(0.02)
    a.send(b"x")
    time.sleep(0.02)
    a.close()
    s.close()
END
run_ok "what comes for a closed connection" between "$p" drops --by sk_uid,sk_inode --filter 'dport != 9' -- python3 "$TMP/closed.py"
unlike "has neither a user nor an inode" "$TMP/out" 'sk_uid [0-9]|sk_inode [0-9]'
if can tracepoints && can first-pids; then
	run_ok "the socket that answers" between "$p" trace -e 'tcp:tcp_send_reset(state=((struct sock *)sk)->__sk_common.skc_state, flow(sk))' -- python3 "$TMP/closed.py"
	grep 'state=6 ' "$TMP/out" >"$TMP/small"
	is "is of TCP, though it does not say so" "$(grep -c 'state=6 saddr=127.*l4=TCP$' "$TMP/small")" "$(wc -l <"$TMP/small")"
else
	skip_without "the socket that answers" tracepoints first-pids
fi

# Packets in a tree have a link in place of the device

cat >"$TMP/order.py" <<'END'
import fcntl, os, socket, struct, subprocess, time
tun = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tun, 0x400454CA, struct.pack("16sH", b"order", 0x1 | 0x1000))
subprocess.run("ip link set lo up; ip addr add 10.9.0.1/24 dev order; ip link set order up", shell=True)
def checksum(b):
    s = sum(struct.unpack("!%dH" % ((len(b) + 1) // 2), b + b"\0" * (len(b) % 2)))
    while s >> 16:
        s = (s & 0xFFFF) + (s >> 16)
    return ~s & 0xFFFF
src, dst = socket.inet_aton("10.9.0.2"), socket.inet_aton("10.9.0.1")
def send(seq, ack, flags, data=b""):
    t = struct.pack("!HHIIBBHHH", 5555, 7777, seq, ack, 5 << 4, flags, 65000, 0, 0)
    c = checksum(src + dst + struct.pack("!BBH", 0, 6, len(t) + len(data)) + t + data)
    t = t[:16] + struct.pack("!H", c) + t[18:]
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(t) + len(data), 1, 0, 64, 6, 0, src, dst)
    os.write(tun, ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:] + t + data)
server = socket.socket()
server.bind(("10.9.0.1", 7777))
server.listen(1)
send(1000, 0, 2)
while True:
    p = os.read(tun, 4000)
    if p[0] >> 4 == 4 and p[9] == 6 and p[33] & 0x12 == 0x12:
        break
ack = struct.unpack("!I", p[24:28])[0] + 1
send(1001, ack, 0x10)
a, _ = server.accept()
# five that wait for what is before them, and one that covers them all
for base in (1001, 2001, 3001, 4001):
    for at in (100, 120, 140, 160, 180):
        send(base + at, ack, 0x10, b"a" * 10)
    send(base + 90, ack, 0x10, b"b" * 120)
    time.sleep(0.01)
print(os.readlink("/proc/self/ns/net"))
END
if unshare -n sh -c ': <>/dev/net/tun' 2>/dev/null; then
	run_ok "what waits out of order" unshare -n "$p" drops --by reason,dev,netns --filter 'reason == TCP_OFOMERGE' -- python3 "$TMP/order.py"
	ns=$(sed -n 's/^net:.\([0-9]*\).$/\1/p' "$TMP/out")
	like "has a network namespace and no device" "$TMP/out" "^ +20 drops +TCP_OFOMERGE +- +net:.$ns.\$"
	can first-pids || all=-a
	run_ok "likewise by itself" unshare -n "$p" trace ${all:-} -e 'skb:kfree_skb(ns=netns(skb), reason)' --filter 'reason == TCP_OFOMERGE' -- python3 "$TMP/order.py"
	ns=$(sed -n 's/^net:.\([0-9]*\).$/\1/p' "$TMP/out")
	is "each" "$(grep -c "ns=$ns reason=TCP_OFOMERGE" "$TMP/out")" 20
else
	skip_outside "what waits out of order" "/dev/net/tun"
fi

# What has no packets

run_ok "without them" "$p" record -q -a -e skb:kfree_skb -o "$TMP/f" -- "$PROG/drops" --udp 3
run "$p" drops -i "$TMP/f" --pcapng "$TMP/none"
rc_is 1 "there is no file"
like "but what keeps them" "$TMP/err" "record -e skb:kfree_skb -a --packets keeps them"
ok "none at all" test ! -e "$TMP/none"
run "$p" drops -e skb:kfree_skb --pcapng "$TMP/none" --duration 100ms
rc_is 1 "likewise of the event alone"
like "and what adds them" "$TMP/err" "add packet\(skb\)"
run "$p" record --packets -o "$TMP/none" -e sched:sched_switch -- true
rc_is 1 "events without packets"
like "are named" "$TMP/err" "^perf-lite: --packets is for -e skb:kfree_skb\$"

# No packet at all

run_ok "nothing is dropped" "$p" drops --by len --filter 'len == 4294967295' --pcapng "$TMP/nothing.pcapng" --duration 50ms
if can tcpdump; then
	run_ok "the file can be read" tcpdump -r "$TMP/nothing.pcapng"
	is "and has none" "$(cat "$TMP/out")" ""
fi

# Who may have no programs, is told

if can setpriv; then
	run setpriv --bounding-set -bpf,-sys_admin,+perfmon --inh-caps -all "$p" drops --duration 100ms --by len
	ok "without the right to programs" test $rc -ne 0
	like "it is named" "$TMP/err" "CAP_BPF"
	run setpriv --bounding-set -bpf,-sys_admin --inh-caps -all "$p" drops --duration 100ms
	rc_is 0 "the tracepoint is counted nevertheless"
else
	skip_without "without the right to programs" setpriv
	skip_without "it is named" setpriv
	skip_without "the tracepoint is counted nevertheless" setpriv
fi
done_testing
