# SPDX-License-Identifier: GPL-2.0
#
# Names in expressions that lead nowhere: the tracepoint's own fields, as the tracepoint itself has them, and who runs.
. tests/lib.sh
need everybody bpf btf first-pids
need_event sched:sched_switch
need_event raw_syscalls:sys_enter
need_cmd python3
f=$TMP/f
p=$PERF_LITE

# Each event twice, by itself and with its fields as expressions, which have one more: the same hits have the same values. At the ends
# one may have a hit that the other lacks, and programs see what is hit inside of the tracepoint, such as who is woken to read its ring.
# Some kernels lose samples of idle CPUs, but programs see them.
cat >"$TMP/same.py" <<'END'
import collections, json, sys
event, names = sys.argv[1], sys.argv[2].split(",")
own, mine = collections.Counter(), collections.Counter()
for line in sys.stdin:
    s = json.loads(line)
    if s.get("event") != event or "fields" not in s or s["pid"] == 0:
        continue
    value = lambda v: v["value"] if isinstance(v, dict) else v
    (mine if "mine" in s["fields"] else own)[tuple(str(value(s["fields"][n])) for n in names)] += 1
n = sum(own.values())
ours, theirs = {v: n for v, n in mine.items() if v not in own}, own - mine
print("alike" if n >= 5 and len(ours) <= 8 and sum(theirs.values()) <= 8
      else "of %d: %s, %s" % (n, list(ours.items())[:3], list(theirs.items())[:3]))
END
cat >"$TMP/load.sh" <<'END'
run() { for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do /bin/true; sleep 0.005; done; }
run & run & "$PROG/drops" --udp 30; wait
END
while read -r event names; do
	"$p" list "$event" >/dev/null 2>&1 || continue
	run_ok "$event($names)" "$p" record -q -a --include-self -o "$f" -m 4M -e "$event" -e "$event($names, mine=7)" -- sh "$TMP/load.sh"
	"$p" script -i "$f" --json >"$TMP/json"
	is "are what $event has" "$(python3 "$TMP/same.py" "$event" "$names" <"$TMP/json")" alike
done <<-END
	sched:sched_switch prev_comm,prev_pid,prev_prio,prev_state,next_comm,next_pid,next_prio
	sched:sched_waking comm,pid,prio,target_cpu
	sched:sched_wakeup_new comm,pid,prio,target_cpu
	sched:sched_process_fork parent_pid,child_pid
	sched:sched_process_exit comm,pid,prio
	skb:kfree_skb skbaddr,location,protocol
	skb:consume_skb skbaddr,location
	irq:softirq_raise vec
	net:net_dev_queue skbaddr,len
	workqueue:workqueue_execute_start work,function
	exceptions:page_fault_user address,ip,error_code
	signal:signal_generate sig,comm,pid,group,result
END

# "*" is what the event has, where all of it is known

"$p" trace -e 'sched:sched_switch(*)' -a --limit 1 >"$TMP/out" 2>"$TMP/err"
like "all fields" "$TMP/out" ' prev_comm=.* prev_pid=[0-9]+ prev_prio=[0-9]+ prev_state=[0-9]+ next_comm=.* next_pid=[0-9]+ next_prio=[0-9]+$'
"$p" trace -e 'raw_syscalls:sys_enter(*)' --limit 1 -- true >"$TMP/out" 2>"$TMP/err"
like "else all arguments" "$TMP/out" ' regs=0x[0-9a-f]+ id=[0-9]+$'
run_ok "list" "$p" list 'skb:kfree_skb(protocol)'
like "knows them" "$TMP/out" '^    protocol  *__be16$'
run_ok "list -v" "$p" list -v sched:sched_switch
like "shows them" "$TMP/out" '^    prev_comm  *char \[16\]$'
run "$p" record -e 'skb:kfree_skb(protocl)' -o "$f" -- true
rc_is 1 "a name that is none"
like "may have been one of them" "$TMP/err" "did you mean 'protocol'"

# Who runs

cat >"$TMP/who.sh" <<'END'
echo $$ >"$0.pid"
exec setpriv --reuid 1234 --regid 4321 --clear-groups taskset -c 0 sh -c 'exec /bin/true'
END
run_ok "who runs" "$p" record -q -o "$f" -e 'raw_syscalls:sys_exit(pid, tid, uid, gid, cpu, who=comm)' -- sh "$TMP/who.sh"
"$p" script -i "$f" -F pid,tid,comm,cpu,trace >"$TMP/out"
pid=$(cat "$TMP/who.sh.pid")
like "in the end" "$TMP/out" "^ *true +$pid/$pid +\[000\] +pid=$pid tid=$pid uid=1234 gid=4321 cpu=0 who=true\$"
if can cgroups; then
	cgroup2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	group=$cgroup2/perf-lite-who-$$
	mkdir "$group"
	at_exit rmdir "$group"
	run_ok "its control group" "$p" count -a -e 'raw_syscalls:sys_enter(group=cgroup, comm)' --by group -- \
		sh -c 'echo $$ >"$0/cgroup.procs" && exec "$PROG/storm" 1 100' "$group"
	like "by number" "$TMP/out" "^ +[0-9]+ +$(stat -c %i "$group")\$"
else
	skip_without "its control group" cgroups
	skip_without "by number" cgroups
fi
if can uprobes; then
	run_ok "in a program" "$p" record -q -o "$f" -e "uprobe:$PROG/probed:called(comm, pid, uid)" -- "$PROG/probed"
	run "$p" script -i "$f" -F trace --limit 1
	like "likewise" "$TMP/out" 'comm=probed pid=[0-9]+ uid=0$'
else
	skip_without "in a program" uprobes
	skip_without "likewise" uprobes
fi

# Forms, and a choice

run_ok "of numbers and bytes" "$p" record -q -o "$f" -a \
	-e 'skb:kfree_skb(stored=(unsigned short)skb->protocol, back=(unsigned short)skb->protocol:be, same=protocol:be, at=skb->protocol:hex, key=skb->cb:hex)' -- \
	"$PROG/drops" --udp 5
run "$p" script -i "$f" --comm dns-query -F trace --limit 1
like "have their order" "$TMP/out" '^ *stored=8 back=2048 same=2048 at=08 00 key=[0-9a-f]{2}( [0-9a-f]{2}){47}$'
for wrong in 'skb:be' 'skb->len + 1:hex' 'skb:hex' 'skb->dev->name:be' 'skb->users.refs.counter ? skb' 'skb ? skb : 3'; do
	run "$p" record -e "skb:kfree_skb(x=$wrong)" -o "$f" -- true
	rc_is 1 "is none: $wrong"
done
run_ok "a choice" "$p" record -q -o "$f" -e 'raw_syscalls:sys_exit(a=1 ? 2 : 3, b=0 ? 2 : 3, c=0 ? 1 : 0 ? 2 : 3, d=1 ? 0 ? 4 : 5 : 6, e=0 ?: 0 ? 7 : 8, f=2 + (1 ? 3 : 4), g=1 || 0 ? 5 : 6)' -- true
run "$p" script -i "$f" -F trace --limit 1
like "as in C" "$TMP/out" '^ *a=2 b=3 c=3 d=5 e=8 f=5 g=5$'

run_ok "-c" "$p" record -c 10 -o "$f" -e 'raw_syscalls:sys_exit(ret)' -- true
like "does not apply, which is said" "$TMP/err" '^-c does not apply to tracepoints and probes: each hit is recorded; '
run_ok "-F" "$p" record -F 10 -o "$f" -e 'raw_syscalls:sys_exit(ret)' -- true
like "neither" "$TMP/err" '^raw_syscalls:sys_exit: -F does not apply to events with expressions: each hit is recorded$'
done_testing
