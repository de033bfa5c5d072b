# SPDX-License-Identifier: GPL-2.0
#
# perf-lite drops: packets that are dropped, each number and reason known beforehand. Others use this machine, too:
# what is counted is what the command's own code drops (--no-all-cpus), or is told apart by its name.
. tests/lib.sh
need_netns
need_cmd python3
need_event skb:kfree_skb
drops=$PERF_LITE
made=$O/tests/oracle/made_drops

# rows FILE REASON [MORE]: how many drops have it
rows()
{
	awk -v reason="$2" -v more="${3:-}" '$2 == "drops" && $0 ~ "  " reason "( |$)" && $0 ~ more { n += $1 }
		END { print n + 0 }' "$1"
}
# total FILE: what its last line says
total()
{
	sed -n 's/^ *\([0-9]*\) drops* in \(all\|[0-9.]* s\)\b.*/\1/p' "$1" | tail -n 1
}
# in_a_namespace CMD...: with a loopback device
in_a_namespace()
{
	# shellcheck disable=SC2016
	unshare -n sh -c 'for f in all default; do
			[ ! -e /proc/sys/net/ipv6/conf/$f/disable_ipv6 ] ||
				echo 1 >/proc/sys/net/ipv6/conf/$f/disable_ipv6
		done
		ip link set lo up && exec "$@"' sh "$@"
}

# Closed ports

run_ok "closed ports" "$drops" drops --no-all-cpus -- "$PROG/drops" --udp 300 --tcp 30
like "the load says what it sent" "$TMP/out" '^udp=300 tcp=30$'
is "every datagram" "$(rows "$TMP/out" NO_SOCKET 'at __udp4_lib_rcv\+0x[0-9a-f]+ .*  IPv4  ')" 300
is "every refused connection" "$(rows "$TMP/out" NO_SOCKET 'at tcp_v4_rcv\+0x[0-9a-f]+ .*  IPv4  tcp-client$')" 30
is "nothing else" "$(total "$TMP/out")" 330
is "and nothing on standard error" "$(cat "$TMP/err")" ""

# where others may drop packets, too
run_ok "by the function that was sampled" "$drops" drops --by pid,sym -- "$PROG/drops" --udp 41
like "it has a name" "$TMP/out" ' 41 drops .* [a-z_]*skb[a-z_]*$'
run_ok "by keys of other records" "$drops" drops --no-all-cpus --by parallelism,cgroup_id,cgroup -- "$PROG/drops" --udp 41
is "has all" "$(total "$TMP/out")" 41
unlike "has a namespace" "$TMP/out" ' 0/0x0'
run_ok "everybody's, while a command runs" "$drops" drops --by pid,comm,reason -- \
	sh -c 'echo $$; exec "$PROG/drops" --udp 90'
is "has the same" "$(rows "$TMP/out" NO_SOCKET " pid $(head -n 1 "$TMP/out") +(dns-query|metrics|syslog) ")" 90

run_ok "a filter" "$drops" drops --no-all-cpus --filter 'reason == NO_SOCKET && location.function == tcp_v4_rcv' -- \
	"$PROG/drops" --udp 20 --tcp 7
is "leaves what it says" "$(total "$TMP/out")" 7

# The kernel's own counters agree

if command -v nstat >/dev/null; then
	run_ok "UDP to closed ports in a namespace" in_a_namespace sh -c "
		'$drops' drops --no-all-cpus --by reason -- '$PROG/drops' --udp 41 >'$TMP/drops' && nstat -az"
	is "as many as the kernel counted" "$(rows "$TMP/drops" NO_SOCKET)" \
		"$(awk '$1 == "UdpNoPorts" { print $2 }' "$TMP/out")"
fi

# Each reason with its number, live and of a recording alike

while read -r kind reason protocol; do
	rc=0
	in_a_namespace "$drops" drops --no-all-cpus --all -- "$PROG/dropping" "$kind" 37 >"$TMP/out" 2>"$TMP/err" || rc=$?
	rc_is 0 "$kind"
	n=$(sed -n "s/^$kind dropped=//p" "$TMP/out")
	is "$kind: it drops" "$n" 37
	is "$kind: all as $reason, $protocol" "$(rows "$TMP/out" "$reason" "  $protocol  dropping\$")" "$n"
	is "$kind: nothing else" "$(total "$TMP/out")" "$n"
	in_a_namespace "$PERF_LITE" record -q -e skb:kfree_skb -g -o "$TMP/$kind.data" -- "$PROG/dropping" "$kind" 37 \
		>"$TMP/recorded" 2>"$TMP/err"
	# which knows nothing of the time that was watched
	grep -v '^[a-z]* dropped=' "$TMP/out" | sed 's/ in [0-9.]* s/ in all/' >"$TMP/live"
	"$drops" drops -i "$TMP/$kind.data" --all >"$TMP/read" 2>"$TMP/err"
	is_file "$kind: a recording says the same" "$TMP/read" "$TMP/live"
done <<-KINDS
	rcvbuff SOCKET_RCVBUFF IPv4
	filter SOCKET_FILTER IPv4
	checksum UDP_CSUM IPv4
	proto UNHANDLED_PROTO 0x88b5
	lldp UNHANDLED_PROTO LLDP
	header IP_INHDR IPv4
	ipproto IP_NOPROTO IPv4
	nothing NOT_SPECIFIED -
KINDS

made_some=0
for kind in egress ingress qdisc; do
	case $kind in
	egress) reason=TC_EGRESS ;;
	ingress) reason=TC_INGRESS ;;
	qdisc) reason=QDISC_DROP ;;
	esac
	rc=0
	"$drops" drops --no-all-cpus --by reason -- sh tests/prog/netns-drop.sh $kind 50 >"$TMP/out" 2>"$TMP/err" || rc=$?
	# a kernel without this kind of drop: 77
	[ $rc -ne 77 ] || continue
	made_some=$((made_some + 1))
	dropped=$(sed -n "s/^$kind dropped=//p" "$TMP/out")
	ok "$kind: the kernel counted drops" test "${dropped:-0}" -gt 0
	is "$kind: all of them, as $reason" "$(rows "$TMP/out" $reason)" "$dropped"
done
ok "at least one kind of drop by traffic control" test $made_some -gt 0

# Noise

cat >"$TMP/connections.py" <<'EOF'
import socket, threading
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(20)
def serve():
    for _ in range(20):
        c, _ = server.accept()
        c.recv(10)
        c.sendall(b"y")
        c.close()
thread = threading.Thread(target=serve)
thread.start()
for _ in range(20):
    c = socket.create_connection(server.getsockname())
    c.sendall(b"x")
    while c.recv(10):
        pass
    c.close()
thread.join()
EOF
run_ok "connections that end as they should" in_a_namespace "$drops" drops --no-all-cpus --by place,reason -- python3 "$TMP/connections.py"
is "drop nothing" "$(rows "$TMP/out" QUEUE_PURGE)" 0
run_ok "... all there is" in_a_namespace "$drops" drops --no-all-cpus --all --by place,reason -- python3 "$TMP/connections.py"
purged=$(rows "$TMP/out" QUEUE_PURGE sk_stream_kill_queues)
is "has what their sockets held, and no other place" "$(rows "$TMP/out" QUEUE_PURGE)" "$purged"

run_ok "noise" in_a_namespace "$drops" drops --no-all-cpus -- "$PROG/dropping" nothing 25
is "is not shown" "$(grep -c ' at ' "$TMP/out")" 0
like "but counted" "$TMP/out" '^ +0 drops in [0-9]+\.[0-9] s; 25 more hidden as noise \(--all shows them\)$'

# Intervals, until it is interrupted

"$drops" drops --by pid,comm,reason -I 0.2 >"$TMP/out" 2>"$TMP/err" &
pid=$!
events_open()
{
	ls -l /proc/$pid/fd 2>/dev/null | grep -q perf_event
}
ok "it opens its events" wait_for 8 events_open
sleep 0.5
# others may drop packets, too
sh -c 'echo $$; exec "$PROG/drops" --udp 60' >"$TMP/sent"
first=$(head -n 1 "$TMP/sent")
ok "intervals come while it runs" wait_for 8 grep -Eq "pid $first +syslog +NO_SOCKET\$" "$TMP/out"
sleep 0.5
sh -c 'echo $$; exec "$PROG/drops" --udp 30' >"$TMP/sent"
second=$(head -n 1 "$TMP/sent")
kill -INT $pid
rc=0
wait $pid || rc=$?
rc_is 0 "^C ends it"
like "an interval has its time" "$TMP/out" '^[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{3}$'
is "all drops are in some interval" "$(rows "$TMP/out" NO_SOCKET " pid ($first|$second) +(dns-query|metrics|syslog) ")" 90
ok "the first ones earlier than the others" test "$(grep -c ' drops* in all' "$TMP/out")" -ge 2
like "and their sum is told, with the time" "$TMP/err" '^[0-9]+ drops? in [1-9][0-9]*\.[0-9] s'

run_ok "a time that is over" timeout 20 "$drops" drops --duration 300ms
like "shows one table, with the time" "$TMP/out" '^ +[0-9]+ drops? in 0\.[2-9] s'

# Keys

f=$TMP/some.data
"$PERF_LITE" record -q -e skb:kfree_skb -g -o "$f" -- "$PROG/drops" --udp 9 --tcp 2 >"$TMP/sent"
run_ok "by other keys" "$drops" drops -i "$f" --by location.function,pid,cpu
is "has all" "$(total "$TMP/out")" 11
like "functions" "$TMP/out" '^ +2 drops  tcp_v4_rcv +pid [0-9]+  cpu [0-9]+$'
run_ok "with call chains" "$drops" drops -i "$f" --by reason -g
# stacks begin otherwise while somebody else has a program at the tracepoint
is "rows of it" "$(awk '/ drops?  NO_SOCKET$/ { n += $1 } END { print n }' "$TMP/out")" 11
like "and its stack" "$TMP/out" '^	 *ffffffff[0-9a-f]+ __udp4_lib_rcv\+0x[0-9a-f]+ \(\[kernel\.kallsyms\]\)$'
run_ok "the first row" "$drops" drops -i "$f" --by place --top 1
like "and what follows" "$TMP/out" '^ +2 drops in 1 more row$'
is "the sum is that of all" "$(total "$TMP/out")" 11
run "$drops" drops -i "$f" --by plase
rc_is 1 "an unknown key"
like "has a suggestion" "$TMP/err" "did you mean 'place'\?"
run "$drops" drops --by nosuchkey
rc_is 1 "an unknown key, live"
like "has a list" "$TMP/err" "keys are: place, reason, protocol,.*, location"
like "and what is read from the packet" "$TMP/err" ", saddr, sport, daddr, dport, l4, tcp_flags, len,"
run "$drops" drops --by srcport
like "which has suggestions" "$TMP/err" "did you mean 'sport'\?"
run "$drops" drops -i "$f" --by reason,reason
rc_is 1 "a key twice"
run "$drops" drops -i "$f" --by netns
rc_is 1 "what the tracepoint does not tell"
like "is said" "$TMP/err" 'skb:kfree_skb does not report the network namespace of a packet'
like "and what does" "$TMP/err" 'perf-lite drops --by netns, on the running kernel, reads it; record --packets keeps it'
run "$drops" drops -i "$f" --by reason,dport
rc_is 1 "likewise a port"
like "is said, too" "$TMP/err" 'skb:kfree_skb does not report the dport of a packet'
run "$drops" drops --filter 'owner == 1'
rc_is 1 "a key that is no field"
like "has those that there are" "$TMP/err" '^hint: fields are reason, .*location.function, .*, sport, .* sk_uid, .* flow and owner are keys of --by$'
run "$drops" drops --filter 'reason == NO_SOKET'
rc_is 1 "a reason that is none"
like "has a suggestion" "$TMP/err" "did you mean 'NO_SOCKET'\?"

run_ok "the reasons of this kernel" "$drops" drops --reasons
like "by number" "$TMP/out" '^ +[0-9]+ NO_SOCKET$'
awk '$1 < 65536 { print $2 }' "$TMP/out" >"$TMP/reasons"
is "in order" "$(awk '{ print $1 }' "$TMP/out" | sort -cn 2>&1)" ""

run_ok "what they mean" "$drops" drops --reasons --explain
like "a line each" "$TMP/out" '^ +[0-9]+ NO_SOCKET: nothing listens at the address and port that the packet was for$'
like "and what to look at" "$TMP/out" '^ +look at: ss -lntu; nstat -az UdpNoPorts Udp6NoPorts; '
ok "of nearly all that there are" test "$(grep -c 'look at: ' "$TMP/out")" -ge $(($(wc -l <"$TMP/reasons") * 8 / 10))
run "$drops" drops --explain --by dev
rc_is 1 "without reasons there is nothing to explain"
like "they are a key" "$TMP/err" '^hint: add it: --by reason,dev$'

# JSON

if command -v python3 >/dev/null; then
	run_ok "JSON" "$drops" drops -i "$f" --json --by place,reason,protocol,comm
	ok "says the same" python3 - "$TMP/out" <<-'PYTHON'
		import json, sys
		(line,) = open(sys.argv[1])
		d = json.loads(line)
		assert (d["drops"], d["hidden"], d["lost"]) == (11, 0, 0), d
		assert sum(r["count"] for r in d["rows"]) == 11
		assert {r["reason"]["name"] for r in d["rows"]} == {"NO_SOCKET"}
		assert {r["protocol"]["value"] for r in d["rows"]} == {0x800}
		(tcp,) = [r for r in d["rows"] if r["comm"] == "tcp-client"]
		assert tcp["place"]["name"].startswith("tcp_v4_rcv+0x") and not tcp["hardware"]
		assert d["from"] < d["to"] and d["rest"] == {"rows": 0, "count": 0}
	PYTHON
fi

# What this machine cannot drop

"$made" mixed "$f"
run_ok "drops of devices and of the kernel" "$drops" drops -i "$f" --by place,reason,protocol,dev
cat >"$TMP/want" <<'TEXT'
     12 drops at 0x1003                 NO_SOCKET                 IPv4
      7 drops at netdevsim/netdevsim10  trap blackhole_route (l3_drops)          eth4  [hardware]
      4 drops at 0x21007                0x20007                   ARP
      3 drops at 0x7fff1001             0x7fff0001                IPv6
      2 drops at 0x104a                 UNHANDLED_PROTO           0x88b5
     28 drops in all; 9 more hidden as noise (--all shows them)
TEXT
is_file "in one list" "$TMP/out" "$TMP/want"
run_ok "all of them" "$drops" drops -i "$f" --all --by reason
is "nothing is hidden" "$(total "$TMP/out")" 37
like "also what a device gave to the CPU" "$TMP/out" '^ +3 drops  trap stp \(stp\) +\[hardware\]$'
like "also what is no drop" "$TMP/out" '^ +1 drop   CONSUMED$'
run_ok "by device" "$drops" drops -i "$f" --by dev
like "those of devices have one" "$TMP/out" '^ +7 drops  eth4  \[hardware\]$'
run_ok "a filter of the kernel's" "$drops" drops -i "$f" --filter 'protocol == ARP' --by reason,protocol
is "leaves out those of devices" "$(total "$TMP/out")" 4
if "$PERF_LITE" list -v 'enum skb_drop_reason_subsys' 2>/dev/null | grep -q 'OPENVSWITCH = 2'; then
	"$made" mixed "$f" "$(cat /proc/sys/kernel/random/boot_id)"
	run_ok "reasons of subsystems" "$drops" drops -i "$f" --by reason
	like "by the types of this kernel" "$TMP/out" '^ +4 drops  (OPENVSWITCH:7|OVS_DROP_[A-Z_]+)$'
	like "or as numbers" "$TMP/out" '^ +3 drops  0x7fff0001$'
fi
"$made" mixed "$TMP/mixed.data"
"$made" old "$f"
run_ok "a kernel that tells no reasons" "$drops" drops -i "$f"
like "its places" "$TMP/out" '^ +6 drops at 0x1000  IPv4  :7$'
like "its noise" "$TMP/out" '^ +6 drops in all; 2 more hidden as noise'
run_ok "a key that only devices tell" "$drops" drops -i "$TMP/mixed.data" --by reason,dev
like "is told of" "$TMP/err" "^drops of the kernel have no dev: their tracepoint has none here\$"
run "$drops" drops -i "$f" --by reason
rc_is 1 "reasons of such a kernel"
like "are not there" "$TMP/err" 'skb:kfree_skb reports no reason$'
"$made" probe "$f"
run "$drops" drops -i "$f"
rc_is 1 "another event"
like "has to be named" "$TMP/err" 'but drops:skb$'
run_ok "it is" "$drops" drops -i "$f" -e drops:skb --by dev,netns,protocol
like "and tells more" "$TMP/out" '^ +3 drops  eth0  net:\[4026532160\]  IPv4$'
like "of each" "$TMP/out" '^ +2 drops  lo    net:\[4026532160\]  IPv6$'

# What goes wrong

run "$drops" drops -i "$TMP/none.data"
rc_is 1 "no such file"
printf 'no recording' >"$TMP/bad.data"
run "$drops" drops -i "$TMP/bad.data"
rc_is 1 "no recording"
head -c 700 "$TMP/lldp.data" >"$TMP/cut.data"
run "$drops" drops -i "$TMP/cut.data"
ok "a recording that is cut off is not taken for a whole one" test "$rc" -ne 0
run "$drops" drops -i "$TMP/lldp.data" -- true
rc_is 1 "a recording and a command"
run_ok "no intervals" "$drops" drops -I 0 -- "$PROG/drops" --udp 20
is "one table" "$(grep -c ' drops in ' "$TMP/out")" 1
run "$drops" drops -I 0.001
rc_is 1 "intervals that are too short"
run "$drops" drops -G one,two
rc_is 1 "two cgroups"
run "$drops" drops -e sched:sched_switch --duration 100ms
rc_is 1 "an event that tells of no drops"
like "is refused" "$TMP/err" 'sched:sched_switch does not report drops'
run "$drops" drops -- /no/such/command
rc_is 127 "no such command"
run "$drops" drops --no-all-cpus -- sh -c 'exit 7'
rc_is 7 "the exit code of the command"
run sh -c "'$drops' drops -i '$TMP/lldp.data' >/dev/full"
rc_is 3 "a full disk"
run sh -c "cat '$TMP/lldp.data' | '$drops' drops -i - --by reason"
rc_is 0 "from a pipe"
is "it is all there" "$(total "$TMP/out")" 37

# Who may not, is told what mends it

if command -v setpriv >/dev/null; then
	cp "$PERF_LITE" "$TMP/perf-lite" && chmod 755 "$TMP" "$TMP/perf-lite"
	run setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$TMP/perf-lite" drops --duration 100ms
	ok "without privileges it does not start" test "$rc" -ne 0
	like "and says what is missing" "$TMP/err" '^hint: '
fi

run "$PERF_LITE" drops --by no_such_key -- true
rc_is 1 "a key that there is not is refused"
is "each key is listed once" "$(sed -n 's/^hint: keys are: //p' "$TMP/err" | tr -d ' ' | tr ',' '\n' | sort | uniq -d)" ""
like "fields are listed" "$TMP/err" '^hint: keys are: place, reason, .*location'

done_testing
