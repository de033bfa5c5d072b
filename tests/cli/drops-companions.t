# SPDX-License-Identifier: GPL-2.0
#
# perf-lite drops where no BPF program may read packets: what other tracepoints say of them. The packets are dropped in a network
# namespace of its own, and the same load is seen with BPF where that can be.
. tests/lib.sh
need everybody netns python3 setpriv
need_event skb:kfree_skb
need_event tcp:tcp_send_reset
p=$PERF_LITE

cat >"$TMP/send.py" <<'END'
import os, socket
def tcp(family, address, port):
    s = socket.socket(family, socket.SOCK_STREAM)
    s.bind((address, 5002))
    try:
        s.connect((address, port))
    except OSError:
        pass
    s.close()
def full(family, address, port, sport, to, n):
    r = socket.socket(family, socket.SOCK_DGRAM)
    r.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    r.bind((address, port))
    s = socket.socket(socket.AF_INET6 if ":" in to else socket.AF_INET, socket.SOCK_DGRAM)
    s.bind((to, sport))
    for i in range(n):
        s.sendto(b"x" * 500, (to, port))
    return r
def closed(n):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("127.0.0.1", 5005))
    for i in range(n):
        try:
            s.sendto(b"x", ("127.0.0.1", 7409))
        except OSError:
            pass
six = os.path.exists("/proc/net/if_inet6")
tcp(socket.AF_INET, "127.0.0.1", 7443)
four = full(socket.AF_INET, "127.0.0.1", 7401, 7402, "127.0.0.1", 30)
closed(4)
if six:
    tcp(socket.AF_INET6, "::1", 7444)
    both = full(socket.AF_INET6, "::", 7403, 7404, "::1", 30)
    again = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM)]
    again[0].bind(("127.0.0.1", 7405))
    for i in range(30):
        again[0].sendto(b"x" * 500, ("127.0.0.1", 7403))
os._exit(0)
END
cat >"$TMP/in.sh" <<'END'
ip link set lo up
exec "$@"
END
alone() # CMD...: in a network namespace of its own
{
	unshare -n sh "$TMP/in.sh" "$@"
}
without() # CMD...: without the right to programs
{
	setpriv --bounding-set -bpf,-sys_admin,+perfmon --inh-caps -all "$@"
}
# What is known of packets of these ports alone: others may drop some meanwhile.
ours='dport == 7443 || dport == 7444 || dport == 7401 || dport == 7403 || dport == 7409'
flows() # FILE: "NUMBER REASON FLOW" of each row, without how it was got
{
	sed -n 's/ *\[via [^]]*\]$//; s/ drops\{0,1\} / /; / > /p' "$1" | tr -s ' ' | sort
}
# Are these tracepoints there, and do they have whole flows?
has_all()
{
	for t in udp:udp_fail_queue_rcv_skb icmp:icmp_send; do
		"$p" list -v "$t" >"$TMP/fields" 2>/dev/null && grep -q saddr "$TMP/fields" || return
	done
}
can_six() { [ -e /proc/net/if_inet6 ]; }

# Live

run_ok "drops without BPF" alone setpriv --bounding-set -bpf,-sys_admin,+perfmon --inh-caps -all "$p" drops --by reason,flow --filter "$ours" -- python3 "$TMP/send.py"
cp "$TMP/out" "$TMP/live"
like "a connection to a closed port" "$TMP/live" '^ +1 drop +NO_SOCKET +127\.0\.0\.1:5002 > 127\.0\.0\.1:7443 TCP +\[via tcp_send_reset\]$'
if can_six; then
	like "of IPv6" "$TMP/live" '^ +1 drop +NO_SOCKET +\[::1\]:5002 > \[::1\]:7444 TCP +\[via tcp_send_reset\]$'
else
	skip_outside "of IPv6" "this kernel has no IPv6"
fi
if without "$p" list 'udp:udp_fail_queue_rcv_skb' 2>/dev/null | grep -q fail_queue; then
	like "a queue that is full" "$TMP/live" '^ +[0-9]+ drops +SOCKET_RCVBUFF +(127\.0\.0\.1:7402 > 127\.0\.0\.1|> ):7401 UDP +\[via udp_fail_queue_rcv_skb\]$'
else
	skip_outside "a queue that is full" "this kernel has no such tracepoint"
fi
if without "$p" list 'icmp:icmp_send' 2>/dev/null | grep -q icmp_send; then
	like "a datagram to a closed port" "$TMP/live" '^ +4 drops +NO_SOCKET +127\.0\.0\.1:5005 > 127\.0\.0\.1:7409 UDP +\[via icmp_send\]$'
else
	skip_outside "a datagram to a closed port" "this kernel has no such tracepoint"
fi
run_ok "all that is dropped" alone setpriv --bounding-set -bpf,-sys_admin,+perfmon --inh-caps -all "$p" drops --all --json --by reason,flow -- "$PROG/dropping" checksum 3
like "what nothing names is not known" "$TMP/out" '"count":3,"hardware":false,"reason":\{"value":[0-9]+,"name":"UDP_CSUM"\},"flow":\{"saddr":null,"sport":null,"daddr":null,"dport":null,"l4":null\}\}'
run_ok "in JSON" alone setpriv --bounding-set -bpf,-sys_admin,+perfmon --inh-caps -all "$p" drops --json --by daddr,dport --filter 'dport == 7443 && reason == NO_SOCKET' -- python3 "$TMP/send.py"
like "says by what, too" "$TMP/out" '"rows":\[\{"count":1,"hardware":false,"daddr":.*127\.0\.0\.1.*,"dport":7443,"via":\{"flow":"tcp_send_reset"\}\}\]'
run setpriv --bounding-set -bpf,-sys_admin,+perfmon --inh-caps -all "$p" drops --duration 100ms --by flow,dev
rc_is 1 "what nothing names is refused"
like "with the reason" "$TMP/err" "CAP_BPF"

# A recording

run_ok "a recording" alone "$p" record -q -a -e skb:kfree_skb,tcp:tcp_send_reset -e 'udp:*,icmp:*' -o "$TMP/f" -- python3 "$TMP/send.py"
run_ok "is read" "$p" drops -i "$TMP/f" --by reason,flow --filter "$ours"
flows "$TMP/out" >"$TMP/recorded"
flows "$TMP/live" >"$TMP/flows"
is "with the same flows" "$(cut -d' ' -f3- "$TMP/recorded" | sort)" "$(cut -d' ' -f3- "$TMP/flows" | sort)"

# Where drops may be missing, the next one need not be that of a companion

run_ok "a recording with a filter" alone "$p" record -q -a -e skb:kfree_skb --filter 'reason != NO_SOCKET' -e 'tcp:tcp_send_reset,udp:*,icmp:*' -o "$TMP/filtered" -- python3 "$TMP/send.py"
run_ok "has drops" "$p" drops -i "$TMP/filtered" --by reason
run "$p" drops -i "$TMP/filtered" --by reason,flow
rc_is 1 "and no flows"
like "as the message says" "$TMP/err" 'if recorded without --filter$'

# The same with BPF

if can bpf && can btf && has_all; then
	run_ok "with BPF" alone "$p" drops --by reason,flow --filter "($ours) && reason != NOT_SPECIFIED" -- python3 "$TMP/send.py"
	unlike "it is the packet itself that is read" "$TMP/out" 'via'
	flows "$TMP/out" >"$TMP/bpf"
	is "the flows are the same" "$(cut -d' ' -f3- "$TMP/flows" | sort)" "$(cut -d' ' -f3- "$TMP/bpf" | sort)"
	run_ok "a recording of both" alone "$p" record -q -a -e skb:kfree_skb,tcp:tcp_send_reset -e 'skb:kfree_skb(reason, flow(skb))' -o "$TMP/both" -- python3 "$TMP/send.py"
	run_ok "is read, too" "$p" drops -i "$TMP/both" --by reason,flow --filter 'dport == 7443'
	is "with the flows of both" "$(sed -n 's/  */ /gp' "$TMP/out" | grep ' > ' | sort)" " 1 drop NO_SOCKET 127.0.0.1:5002 > 127.0.0.1:7443 TCP
 1 drop NO_SOCKET 127.0.0.1:5002 > 127.0.0.1:7443 TCP [via tcp_send_reset]"
else
	skip_without "a recording of both" bpf
	skip_without "is read, too" bpf
	skip_without "with the flows of both" bpf
	skip_without "with BPF" bpf
	skip_without "it is the packet itself that is read" bpf
	skip_without "the flows are the same" bpf
fi

# Memory of packets is used again: each connection has a port of its own, and no packet gets that of another

cat >"$TMP/again.py" <<'END'
import socket
for i in range(300):
    s = socket.socket()
    s.bind(("127.0.0.1", 20000 + i))
    try:
        s.connect(("127.0.0.1", 10000 + i))
    except OSError:
        pass
    s.close()
END
run_ok "connections, one after the other" alone setpriv --bounding-set -bpf,-sys_admin,+perfmon --inh-caps -all "$p" drops --json --by sport,dport --filter 'dport >= 10000 && dport < 10300 && reason == NO_SOCKET' -- python3 "$TMP/again.py"
python3 - "$TMP/out" >"$TMP/wrong" <<'END'
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
for r in rows:
    if r["count"] != 1 or r["sport"] != r["dport"] + 10000:
        print(r)
print("rows", len(rows))
END
is "each has its own ports" "$(cat "$TMP/wrong")" "rows 300"
done_testing
