# SPDX-License-Identifier: GPL-2.0
#
# Events with expressions, SYSTEM:NAME(EXPRESSION, ...): what a program in the kernel read is what is there. The kernel is asked twice,
# or the load says what it did.
. tests/lib.sh
need everybody bpf btf first-pids
need_event sched:sched_switch
need_event raw_syscalls:sys_enter
need_cmd perl
f=$TMP/f
p=$PERF_LITE

# texts FILE EVENT [ARG...]: what its samples say
texts()
{
	texts_file=$1 texts_event=$2
	shift 2
	"$p" script -i "$texts_file" --event "$texts_event" -F trace "$@"
}

# Arithmetic is C's

values='7/2 (0-7)/2 (0-7)%3 7%(0-3) 1<<4|3 5>3&&0 0||7 ~0 !5 !0 2+3*4 (2+3)*4 10-4-3 0-1<1 5^3&6 0x10>>2 (0-16)>>2 3==3 3!=3 4<=4 5>=6
	-(3) 6&3 1-2*3 0-5<3 3<0-5 0-5>3 3>0-5 0-1<=0-1 0-2<=0-3 0-1>=0-1 0-3>=0-2 7!=8 0!=0 (3==3)-1 (0-16)>>(1+1) !!7'
ask() # what $list and $want have, of up to 32 expressions
{
	run_ok "arithmetic" "$p" record -q -o "$f" -e "raw_syscalls:sys_enter($list)" -- true
	is "as C has it" "$(texts "$f" raw_syscalls:sys_enter | sed 's/^ *//' | sort -u)" "$want"
	list='' want='' n=0
}
list='' want='' n=0
for v in $values; do
	n=$((n + 1))
	list="$list${list:+, }v$n=$v"
	want="$want${want:+ }v$n=$(($v))"
	[ $n -lt 20 ] || ask
done
ask
run_ok "of numbers without a sign" "$p" record -q -o "$f" \
	-e 'raw_syscalls:sys_enter(a=0xffffffffffffffff > 1, b=0xffffffffffffffff / 0x10, c=0-1 < 1, d=7 / (0 * id), e=(char)0x1ff, f=(unsigned char)0x1ff)' -- true
is "likewise, and what cannot be divided is not there" "$(texts "$f" raw_syscalls:sys_enter | sed 's/^ *//' | sort -u)" \
	"a=1 b=1152921504606846975 c=1 d=- e=-1 f=255"

# The same as the event itself: each switch of a CPU, by both

run_ok "switches" taskset -c 0 "$p" record -q -a -C 0 --include-self -o "$f" -e sched:sched_switch \
	-e 'sched:sched_switch(prev->comm, prev->pid, prev_prio=prev->prio, next_comm=next->comm, next_pid=next->pid, next_prio=next->prio)' -- \
	perl -e 'for (1 .. 50) { select undef, undef, undef, 0.002 }'
"$p" script -i "$f" -F trace >"$TMP/all"
sed -n 's/.*prev_comm=\(.*\) prev_pid=\([0-9]*\) prev_prio=\([0-9]*\) prev_state=.*==> next_comm=\(.*\) next_pid=\([0-9]*\) next_prio=\([0-9]*\)$/\1 \2 \3 \4 \5 \6/p' "$TMP/all" >"$TMP/own"
sed -n 's/.*comm=\(.*\) pid=\([0-9]*\) prev_prio=\([0-9]*\) next_comm=\(.*\) next_pid=\([0-9]*\) next_prio=\([0-9]*\)$/\1 \2 \3 \4 \5 \6/p' "$TMP/all" |
	grep -v ' prev_pid=' >"$TMP/ours"
ok "there are some" test "$(wc -l <"$TMP/ours")" -ge 50
# neither begins and ends where the other does
sed '1,2d' "$TMP/ours" | sed '$d' | sed '$d' >"$TMP/middle"
awk 'NR == FNR { want = want $0 "\n"; next } { got = got $0 "\n" } END { exit !index(got, want) }' "$TMP/middle" "$TMP/own" &&
	pass "both have the same, in order" || {
	fail "both have the same, in order"
	diff -u "$TMP/own" "$TMP/ours" >"$TMP/ok.out"
	diag_file "$TMP/ok.out"
}

# Whose hits they are

calls='sub calls { getppid for 1 .. $_[0] }'
getppid=$(perl -e 'require "syscall.ph"; print SYS_getppid()' 2>/dev/null || echo 110)
counted()
{
	"$p" count -i "$f" -e raw_syscalls:sys_enter --filter "id == $getppid" --by "$1" --csv 2>/dev/null | sed 1d
}
[ "$(uname -m)" = x86_64 ] || getppid=173
run_ok "a long struct" "$p" record -o "$f" -e 'raw_syscalls:sys_enter(all=*curtask:hex)' -- true
like "is cut, which is said" "$TMP/err" '^raw_syscalls:sys_enter: all has the first 256 of [0-9]+ bytes$'
run_ok "a command, what it starts and executes" "$p" record -q -o "$f" -e 'raw_syscalls:sys_enter(id)' -- \
	perl -e "$calls"' calls(50); unless (fork) { calls(70); exec $^X, "-e", $ARGV[0] } wait; calls(5)' "$calls calls(30)"
is "each call of theirs" "$(counted event | cut -d, -f1)" 155
run_ok "without what it starts" "$p" record -q --no-inherit -o "$f" -e 'raw_syscalls:sys_enter(id)' -- \
	perl -e "$calls"' calls(50); unless (fork) { calls(70); exit } wait; calls(5)'
is "its own calls" "$(counted event | cut -d, -f1)" 55
mkfifo "$TMP/go"
perl -e "$calls"' open my $go, "<", $ARGV[0]; <$go>; calls(11); unless (fork) { calls(7); exit } wait' "$TMP/go" &
pid=$!
exec 9>"$TMP/go"
"$p" record -q -o "$f" -e 'raw_syscalls:sys_enter(id)' -p $pid 2>"$TMP/err" &
recorder=$!
ok "the recorder of a process is up" wait_for 20 handles INT $recorder
sleep 0.3
echo go >&9
exec 9>&-
wait $recorder
is "calls of a process, and of what it starts" "$(counted event | cut -d, -f1)" 18

# A filter of numbers is tested where the event is

getppid=$("$PROG/storm" --number)
for filter in "id == $getppid" "far == 2 || id == $getppid" "!(id < $getppid) && !(id > $getppid)"; do
	run_ok "--filter '$filter'" "$p" record -o "$f" -e 'raw_syscalls:sys_enter(id, far=((struct task_struct *)0)->pid)' --filter "$filter" -- "$PROG/storm" --quiet 70
	like "is tested by the program" "$TMP/err" '^perf-lite record: filter: the event.s program tested '
	n=$(texts "$f" raw_syscalls:sys_enter | wc -l)
	like "and nothing else is a sample" "$TMP/err" "^perf-lite record: filter: $n of $n samples kept\$"
	run_ok "the same among the samples" "$p" record -o "$TMP/g" -e 'raw_syscalls:sys_enter(id, far=((struct task_struct *)0)->pid)' \
		--filter "($filter) && common_pid >= 0" -- "$PROG/storm" --quiet 70
	like "tested by perf-lite" "$TMP/err" '^perf-lite record: filter: perf-lite tested '
	is "keeps as many" "$(texts "$TMP/g" raw_syscalls:sys_enter | wc -l)" "$n"
done
is "which are these calls" "$n" 70

# The sign that a cast names, of the first byte of an address of the kernel

run_ok "bytes" "$p" record -q -o "$f" -e 'raw_syscalls:sys_enter(a=*(signed char *)((unsigned long)&curtask->files + 7),
	b=*(s8 *)((unsigned long)&curtask->files + 7), c=*(unsigned char *)((unsigned long)&curtask->files + 7) & 128)' -- true
is "have it" "$(texts "$f" raw_syscalls:sys_enter | awk -F '[= ]+' '$2 != $4 || $6 && $2 >= 0' | head -n 1)" ""

# What cannot be read is not there

run_ok "behind NULL" "$p" record -q -o "$f" -e 'raw_syscalls:sys_enter(id, a=((struct task_struct *)0)->pid ?: 0 ?: 7, far=((struct task_struct *)0)->pid, name=str(0, 16), b=buf(8, 8),
	hex=((struct task_struct *)0)->pid:x, mm=((struct task_struct *)0)->mm)' -- true
is "text" "$(texts "$f" raw_syscalls:sys_enter | sed 's/.* a=/a=/' | sort -u)" "a=7 far=- name=- b=- hex=- mm=-"
"$p" script -i "$f" --json >"$TMP/json"
like "JSON" "$TMP/json" '"far":null,"name":null,"b":null,"hex":null,"mm":null'
is "a filter" "$("$p" script -i "$f" --filter 'far == 0' 2>/dev/null | wc -l)" 0
"$p" count -i "$f" --by far,name >"$TMP/out" 2>"$TMP/err"
like "a key" "$TMP/out" '^ *[0-9]+ +- +-$'

# What is no packet has no flow, whatever it looks like

if can python3; then
	cat >"$TMP/socketpair.py" <<-'END'
		import socket
		a, b = socket.socketpair()
		packet = bytes([0x45, 0, 0, 80, 0, 0, 0, 0, 64, 6, 0, 0, 8, 8, 8, 8, 1, 1, 1, 1, 1, 187, 1, 187]) + bytes(56)
		for i in range(20):
		    a.send(packet)
		    b.recv(200)
	END
	run_ok "what a packet looks like" "$p" record -q -o "$f" -e 'skb:consume_skb(flow(skb), skb->network_header)' -- \
		python3 "$TMP/socketpair.py"
	is "is none in a socket of another family" "$("$p" script -i "$f" -F trace | grep -c 'saddr=8\.8\.8\.8')" 0
	ok "which is seen" test "$("$p" script -i "$f" -F trace | grep -c 'saddr=- ')" -ge 20
else
	skip_without "what a packet looks like" python3
fi
if unshare -p -f --mount-proc true 2>/dev/null; then
	run unshare -p -f --mount-proc "$p" record -o "$f" -e 'raw_syscalls:sys_enter(id)' -- true
	rc_is 2 "numbers of threads that are not the kernel's"
	like "are not compared with those" "$TMP/err" 'in a PID namespace, expressions are recorded of everybody only'
else
	skip_outside "numbers of threads that are not the kernel's" "PID namespaces are not allowed"
fi

# As any other event: columns, files of perf, call chains

run_ok "call chains" "$p" record -q -g -o "$f" -e 'sched:sched_switch(next->comm)' -- sleep 0.01
"$p" script -i "$f" -F ip,sym >"$TMP/out"
unlike "they begin with the traced function" "$TMP/out" 'bpf_|__traceiter'
like "which is that of the scheduler" "$TMP/out" ' (__)?schedule'
is "as is what a sample is of" "$("$p" report -i "$f" --no-children -g none --sort sym --stdio 2>/dev/null | grep -c '__schedule\|schedule')" 1
run_ok "perf.data" "$p" convert --to perf.data -i "$f" -o "$TMP/perf.data"
is "has the same" "$("$p" script -i "$TMP/perf.data" -F comm,tid,time,event,trace)" "$("$p" script -i "$f" -F comm,tid,time,event,trace)"
run_ok "live" "$p" trace -e 'sched:sched_switch(prev->comm, next_comm=next->comm)' -- sleep 0.01
like "each as it comes" "$TMP/out" 'sched:sched_switch: *comm=sleep next_comm='
run_ok "counted, by what it says" "$p" count -e "raw_syscalls:sys_enter(id)" --by id --filter "id == $getppid" -- \
	perl -e "$calls calls(123)"
like "each" "$TMP/out" "^ +123  "
run_ok "by function, without call chains" "$p" count -e "sched:sched_switch(n=next->pid)" --by sym -- sleep 0.01
like "which is the traced one" "$TMP/out" "schedule"
unlike "and not the program" "$TMP/out" "bpf_"
run_ok "counted alone" "$p" count -e "raw_syscalls:sys_enter(id)" --filter "id == $getppid" -- perl -e "$calls calls(123)"
like "each, too" "$TMP/out" "^ +123 "

run_ok "as the ends of a time" "$p" latency --from 'sched:sched_wakeup(p->pid)' --to 'sched:sched_switch(pid=next->pid)' --on pid -- sleep 0.01
like "which is measured" "$TMP/out" '^[0-9]+ spans? in '

# The recorder is killed: what it has is read, and nothing stays in the kernel

rm -f "$f"
"$p" record -q -a -o "$f" -e "raw_syscalls:sys_enter(id, killed_here=1)" 2>"$TMP/err" &
recorder=$!
has_program()
{
	links=$(sed -n 's/^link_id:[[:space:]]*//p' /proc/$recorder/fdinfo/* 2>/dev/null)
	[ -n "$links" ]
}
ok "a recorder is up" wait_for 40 has_program
ok "it records" wait_for 20 handles INT $recorder
has_program
ok "its programs are seen" test "$("$PROG/programs" $links)" -eq "$(echo "$links" | wc -l)"
sleep 0.3
perl -e "$calls calls(1000)"
kill -KILL $recorder
wait $recorder 2>/dev/null
gone()
{
	[ "$("$PROG/programs" $links)" -eq 0 ]
}
ok "there is none any more" wait_for 40 gone
ok "the calls of before are there" test "$(counted event | cut -d, -f1)" -ge 1000

# The program itself, as code that was sampled, has a size

# a busy machine takes few
for try in 1 2 3 4 5 6 7 8; do
	run_ok "samples of a program" "$p" record -q -F 8000 -o "$f" -e cpu-clock -e 'raw_syscalls:sys_enter(id, b=buf(regs, 100))' -- perl -e "$calls calls(800000)"
	"$p" report -i "$f" --event cpu-clock -s sym,symbol_size --no-children -g none --stdio 2>/dev/null | grep ' bpf_prog_[0-9a-f]*  ' >"$TMP/out" && break
done
ok "there are some" test -s "$TMP/out"
is "with its size" "$(awk '$NF < 100' "$TMP/out")" ""

# Nothing is lost without a word: rings of a page in a storm; the event itself counts what there was

run_ok "a storm" "$p" record -q -m 1 -o "$f" -e raw_syscalls:sys_enter -e 'raw_syscalls:sys_enter(id, nr=buf(regs, 100))' -- \
	perl -e "$calls calls(100000)"
"$p" verify "$f" >"$TMP/verify" 2>&1
is "samples and losses are as many as the event counted" \
	"$(awk '$1 == "raw_syscalls:sys_enter" && $7 == "-" { n = $2 + $3 + $4 } $1 == "raw_syscalls:sys_enter" && $7 != "-" { c = $7 }
		END { print n - c, (n > 100000) }' "$TMP/verify")" "0 1"

# Mistakes

refused() # DESC EVENT MESSAGE HINT
{
	run "$p" record -o "$f.no" -e "$2" -- true
	rc_is 1 "$1"
	like "what" "$TMP/err" "$3"
	like "what to do" "$TMP/err" "$4"
}
refused "a member that there is not" 'sched:sched_switch(next->pidd)' "struct task_struct has no member 'pidd'" "did you mean '[a-z]*pid'"
refused "an argument that there is not" 'sched:sched_switch(nxt->pid)' "'nxt' is no argument of this event" "did you mean 'next'"
refused "in a group" '{sched:sched_switch,sched:sched_switch(next->pid)}' "cannot be in a group" "outside of the braces"
refused "modifiers" 'sched:sched_switch(next->pid):u' "has no modifiers" "."
refused "no end" 'sched:sched_switch(next->pid' "',' or '\)' is expected here" "."
unlike "and not which events there are" "$TMP/err" "^hint: "
refused "an event that there is not" 'sched:nosuch(a)' "unknown tracepoint 'sched:nosuch'" "."
run "$p" stat -e 'sched:sched_switch(next->pid)' -- true
rc_is 1 "counters"
like "make no samples" "$TMP/err" "makes samples of this event, and counting makes none"
if can setpriv; then
	cp "$p" "$TMP/pl" && chmod 755 "$TMP" "$TMP/pl"
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$TMP/pl" record -o /dev/null -e 'sched:sched_switch(next->pid)' -- true
	ok "not everybody may" test $rc -ne 0
	like "who may" "$TMP/err" 'root|CAP_'
else
	skip_without "not everybody may" setpriv
	skip_without "who may" setpriv
fi

# Packets of known flows, in a network of their own

if ! can netns || ! can ip || ! can python3; then
	skip_without "packets" netns ip python3
	done_testing
fi
cat >"$TMP/send.py" <<'END'
import socket, struct
def udp(family, src, dst, n):
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.bind((src, 5001))
    for i in range(n):
        try:
            s.sendto(b"x" * 8, (dst, 9))
        except OSError:
            pass  # the answer to the one before
    s.close()
def tcp(family, src, dst):
    s = socket.socket(family, socket.SOCK_STREAM)
    s.bind((src, 5002))
    try:
        s.connect((dst, 7))
    except OSError:
        pass
    s.close()
udp(socket.AF_INET, "10.9.8.1", "10.9.8.2", 5)
tcp(socket.AF_INET, "10.9.8.1", "10.9.8.2")
udp(socket.AF_INET6, "fd00::1", "fd00::2", 4)
tcp(socket.AF_INET6, "fd00::1", "fd00::2")
# a protocol that nobody knows, in a packet made by hand, and a fragment that is not the first of its datagram
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
def ip(protocol, fragment, data):
    return struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(data), 1, fragment, 64, protocol, 0,
                       socket.inet_aton("10.9.8.1"), socket.inet_aton("10.9.8.2")) + data
s.sendto(ip(253, 0, b"12345678"), ("10.9.8.2", 0))
# IPv6 with options for each hop and for the destination: the datagram is behind them
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.bind(("fd00::1", 5003))
pad = bytes([0, 0, 1, 4, 0, 0, 0, 0])
s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_HOPOPTS, pad)
s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_DSTOPTS, pad)
s.sendto(b"x", ("fd00::2", 9))
END
cat >"$TMP/in.sh" <<'END'
ip link set lo up
ip addr add 10.9.8.1/32 dev lo
ip addr add 10.9.8.2/32 dev lo
ip -6 addr add fd00::1/128 dev lo nodad
ip -6 addr add fd00::2/128 dev lo nodad
readlink /proc/self/ns/net | tr -dc 0-9 >"$1/inum"
"$2" record -q -a -o "$1/f" -e 'skb:kfree_skb(skb->dev->name, flow(skb), netns(skb), reason, skb->protocol)' \
	--filter "netns == $(cat "$1/inum")" -- python3 "$1/send.py"
END
run_ok "packets" unshare -n sh "$TMP/in.sh" "$TMP" "$p"
"$p" count -i "$f" --by saddr,sport,daddr,dport,l4,tcp_flags,reason,name --csv 2>/dev/null | sed 1d | tr -d '\r' | sort >"$TMP/flows"
is "UDP and IPv4" "$(grep -c '^5,10.9.8.1,5001,10.9.8.2,9,UDP,-\{0,1\},NO_SOCKET,lo' "$TMP/flows")" 1
is "TCP and IPv4" "$(grep -c '^1,10.9.8.1,5002,10.9.8.2,7,TCP,SYN,NO_SOCKET,lo' "$TMP/flows")" 1
if [ -e /proc/net/if_inet6 ]; then
	is "UDP and IPv6" "$(grep -c '^4,fd00::1,5001,fd00::2,9,UDP,-\{0,1\},NO_SOCKET,lo' "$TMP/flows")" 1
	is "IPv6 with extension headers" "$(grep -c '^1,fd00::1,5003,fd00::2,9,UDP,-\{0,1\},NO_SOCKET,lo' "$TMP/flows")" 1
	is "TCP and IPv6" "$(grep -c '^1,fd00::1,5002,fd00::2,7,TCP,SYN,NO_SOCKET,lo' "$TMP/flows")" 1
else
	skip_outside "UDP and IPv6" "this kernel has no IPv6"
	skip_outside "IPv6 with extension headers" "this kernel has no IPv6"
	skip_outside "TCP and IPv6" "this kernel has no IPv6"
fi
is "a protocol without ports" "$(grep -c '^1,10.9.8.1,-\{0,1\},10.9.8.2,-\{0,1\},253,-\{0,1\},IP_NOPROTO,lo\|^1,10.9.8.1,-\{0,1\},10.9.8.2,-\{0,1\},0xfd,' "$TMP/flows")" 1
run_ok "as drops" "$p" drops -i "$f" -e skb:kfree_skb --by reason,daddr,dport
like "of each flow" "$TMP/out" '^ +5 drops  NO_SOCKET +10\.9\.8\.2  dport 9$'
cat >"$TMP/sockets.py" <<'END'
import socket
for family, address in ((socket.AF_INET, "10.9.8.2"), (socket.AF_INET6, "fd00::2")):
    try:
        server = socket.create_server((address, 4430), family=family)
    except OSError:
        continue
    client = socket.socket(family)
    client.bind((address, 5005))
    client.connect((address, 4430))
a, b = socket.socketpair()
END
sed '/^"\$2" record/,$d' "$TMP/in.sh" >"$TMP/in2.sh"
cat >>"$TMP/in2.sh" <<'END'
"$2" record -q -o "$1/f2" -e 'sock:inet_sock_set_state(flow(sk), newstate)' -e 'skb:consume_skb(flow(skb->sk), skb->len)' -- python3 "$1/sockets.py"
END
if [ -e /sys/kernel/tracing/events/sock/inet_sock_set_state/id ]; then
	run_ok "sockets" unshare -n sh "$TMP/in2.sh" "$TMP" "$p"
	"$p" script -i "$TMP/f2" --event sock:inet_sock_set_state -F trace --filter 'dport == 4430' >"$TMP/out"
	like "IPv4, with the peer" "$TMP/out" 'saddr=10\.9\.8\.2 sport=5005 daddr=10\.9\.8\.2 dport=4430 l4=TCP newstate='
	[ ! -e /proc/net/if_inet6 ] || like "IPv6" "$TMP/out" 'saddr=fd00::2 sport=5005 daddr=fd00::2 dport=4430 l4=TCP newstate='
else
	skip_outside "sockets" "this kernel has no sock:inet_sock_set_state"
fi
is "by a filter" "$("$p" script -i "$f" --filter 'dport == 9 && reason == NO_SOCKET' -F trace | wc -l)" \
	"$([ -e /proc/net/if_inet6 ] && echo 10 || echo 5)"
done_testing
