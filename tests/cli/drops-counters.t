# SPDX-License-Identifier: GPL-2.0
#
# perf-lite drops --counters: the kernel's own counters beside the drops. What is dropped in a namespace of its own is known.
. tests/lib.sh
need everybody bpf btf netns
need_cmd python3
need_cmd ip
need_event skb:kfree_skb
drops=$PERF_LITE

# in_a_namespace CMD...: with a loopback device
in_a_namespace()
{
	# shellcheck disable=SC2016
	unshare -n sh -c 'ip link set lo up && exec "$@"' sh "$@"
}
# counter NAME FILE: what is said of it, without blanks at the beginning
counter()
{
	sed -n "/^counters of this/,\$s/^ *\([0-9]* $1\)  *\([an0-9]\)/\1 \2/p" "$2"
}
# in_json NAME FILE: the counter's object
in_json()
{
	python3 -c 'import json, sys
for line in open(sys.argv[2]):
    for c in (json.loads(line) if line[0] == "{" else {}).get("counters", []):
        if c.pop("name") == sys.argv[1]:
            print(json.dumps(c))' "$1" "$2"
}

run_ok "closed ports of two protocols" in_a_namespace "$drops" drops --counters --by reason -- "$PROG/drops" --udp 41 --tcp 7
is "those of one are those of its counter" "$(counter UdpNoPorts "$TMP/out")" "41 UdpNoPorts all reported as drops: NO_SOCKET"
run_ok "in JSON" in_a_namespace "$drops" drops --counters --json -- "$PROG/drops" --udp 41 --tcp 7
is "with their number" "$(in_json UdpNoPorts "$TMP/out")" '{"rose": 41, "drops": 41, "exact": true, "reasons": ["NO_SOCKET"]}'

# shellcheck disable=SC2016
run_ok "another namespace" in_a_namespace "$drops" drops --counters --json -- \
	sh -c '"$PROG/drops" --udp 10; unshare -n sh -c "ip link set lo up; \"\$PROG/drops\" --udp 30"'
is "has counters of its own" "$(in_json UdpNoPorts "$TMP/out")" '{"rose": 10, "drops": 10, "exact": true, "reasons": ["NO_SOCKET"]}'

# shellcheck disable=SC2016
run_ok "one that still is there" in_a_namespace "$drops" drops --counters --by reason -- \
	unshare -n sh -c 'ip link set lo up; "$PROG/drops" --udp 30; sleep 3 >/dev/null 2>&1 &'
like "is named, with the way to its counters" "$TMP/out" \
	'^30 of these drops are in another, which has counters of its own: net:\[[0-9]+\]: nsenter --net=/proc/[0-9]+/ns/net perf-lite drops --counters$'

# what is dropped while counters are read, and events enabled and disabled, is no drop that nobody reported
cat >"$TMP/flood.sh" <<'END'
"$PROG/drops" --udp 3000000 >/dev/null &
for i in 1 2 3 4 5; do
	"$1" drops --counters --by reason --duration 50ms
	"$1" drops --counters --by reason -- true
done
kill $!
END
run_ok "in a flood" in_a_namespace sh "$TMP/flood.sh" "$drops"
like "drops are reported" "$TMP/out" '^ *[0-9]+ UdpNoPorts +all reported as drops: NO_SOCKET$'
unlike "all of them" "$TMP/out" 'UdpNoPorts .*not reported'

run_ok "a full buffer" in_a_namespace "$drops" drops --counters --by place -- "$PROG/dropping" rcvbuff 20
is "the reason is known without being a key" "$(counter UdpRcvbufErrors "$TMP/out")" \
	"20 UdpRcvbufErrors all reported as drops: SOCKET_RCVBUFF"
is "and counts for the sum" "$(counter UdpInErrors "$TMP/out")" "20 UdpInErrors all reported as drops: SOCKET_RCVBUFF"

# shellcheck disable=SC2016
run_ok "a delay" in_a_namespace "$drops" drops --counters --json -D 1000 -- sh -c '"$PROG/drops" --udp 10; sleep 3; "$PROG/drops" --udp 30'
is "counters begin with the drops" "$(in_json UdpNoPorts "$TMP/out" | sed 's/ [34]0,/ N,/g')" \
	'{"rose": N, "drops": N, "exact": true, "reasons": ["NO_SOCKET"]}'

run_ok "a filter" in_a_namespace "$drops" drops --counters --by reason --filter 'sport == 0' -- "$PROG/drops" --udp 41
is "leaves out drops, and of these nothing is said" "$(counter UdpNoPorts "$TMP/out")" ""
like "the counter is there" "$TMP/out" '^ *41 UdpNoPorts$'

# A device that drops what it does not report: ifb, given packets that were not redirected to it, frees them as if they were delivered
cat >"$TMP/ifb.py" <<'END'
import socket
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("redirected", 0))
for i in range(25):
    s.send(b"\xff" * 12 + b"\x08\x00" + b"x" * 50)
END
cat >"$TMP/ifb.sh" <<'END'
ip link add redirected type ifb || exit 77
ip link set redirected up
exec "$1" drops --counters $3 -- python3 "$2/ifb.py"
END
run unshare -n sh "$TMP/ifb.sh" "$drops" "$TMP"
if [ $rc -eq 77 ]; then
	skip_outside "a device that does not report its drops" "there is no ifb here"
	skip_outside "in JSON" "there is no ifb here"
else
	is "a device that does not report its drops" "$(counter 'redirected rx dropped' "$TMP/out")" \
		"25 redirected rx dropped none reported as drops; the device or its driver dropped them"
	run unshare -n sh "$TMP/ifb.sh" "$drops" "$TMP" --json
	is "in JSON" "$(in_json 'redirected rx dropped' "$TMP/out")" '{"rose": 25, "drops": 0, "exact": true, "reasons": []}'
fi

# A device that counts some of the drops of its packets: those of a protocol that nobody speaks, and not those without a socket
cat >"$TMP/unknown.py" <<'END'
import socket
mac = b"\2\0\0\0\0\2"
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind(("here", 0))
udp = bytes.fromhex("45000020000100004011" + "5cb8" + "0a0905010a090502" + "1389000900" + "0c0000") + b"x" * 4
for i in range(15):
    link.send(mac + b"\2\0\0\0\0\1" + b"\x88\xb6" + b"x" * 50)
for i in range(40):
    link.send(mac + b"\2\0\0\0\0\1" + b"\x08\x00" + udp)
END
cat >"$TMP/unknown.sh" <<'END'
ip link add here type veth peer name there address 02:00:00:00:00:02 || exit 77
for d in here there; do
	[ ! -e /proc/net/if_inet6 ] || echo 1 >/proc/sys/net/ipv6/conf/$d/disable_ipv6
	ip link set $d up
done
ip addr add 10.9.5.2/24 dev there
echo 1 >/proc/sys/net/ipv4/conf/there/accept_local
echo 0 >/proc/sys/net/ipv4/conf/there/rp_filter
echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
exec "$1" drops --counters --by reason,dev -- python3 "$2/unknown.py"
END
run unshare -n sh "$TMP/unknown.sh" "$drops" "$TMP"
if [ $rc -eq 77 ]; then
	skip_outside "a device that reports them" "there is no veth here"
	skip_outside "counts no others" "there is no veth here"
else
	like "a device that reports them" "$TMP/out" '^ +40 drops +NO_SOCKET +there$'
	is "counts no others" "$(counter 'there rx dropped' "$TMP/out")" "15 there rx dropped all reported as drops: UNHANDLED_PROTO"
fi

# perf-lite itself is interrupted like everybody, and sends packets here: its tables, to a socket whose filter rejects them
cat >"$TMP/tables.py" <<'END'
import ctypes, socket, struct, subprocess, sys
nothing = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0))
to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
to.bind(("127.0.0.1", 0))
to.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HL", 1, ctypes.addressof(nothing)))
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(to.getsockname())
sys.exit(subprocess.call(sys.argv[1:], stdout=s.fileno()))
END
# shellcheck disable=SC2016
run_ok "while it runs" in_a_namespace python3 "$TMP/tables.py" "$drops" drops -I 0.1 --json --pcapng "$TMP/own.pcapng" -- \
	sh -c 'for i in 1 2 3 4 5; do "$PROG/drops" --udp 5; sleep 0.2; done >/dev/null'
ok "drops are seen, too" grep -aq 'perf-lite (thread' "$TMP/own.pcapng"

done_testing
