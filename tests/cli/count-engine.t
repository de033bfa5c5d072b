# SPDX-License-Identifier: GPL-2.0
#
# perf-lite count --engine: programs in the kernel count what samples do, key by key, also where their maps are full.
. tests/lib.sh
need everybody bpf btf first-pids
need_event raw_syscalls:sys_enter raw_syscalls:sys_exit
need_cmd jq
p=$PERF_LITE
getppid=$("$PROG/storm" --number)
calls="raw_syscalls:sys_enter --filter id==$getppid"

hits()
{
	awk -F, '{ n += $1 } END { print n + 0 }' "$1"
}

# Hits that are in one of $TMP/want and $TMP/got: COUNT,KEY... a line.
differences()
{
	awk '{ n = $0; sub(/,.*/, "", n); sub(/^[^,]*,/, ""); d[$0] += FILENAME == ARGV[1] ? n : -n }
		END { for (k in d) all += d[k] < 0 ? -d[k] : d[k]; print all + 0 }' "$TMP/want" "$TMP/got"
}

rows()
{
	sed 1d "$1" | LC_ALL=C sort
}

# --- both at once, of the same calls ---

# What runs: a program that executes another one, its child, threads that end, and what names itself.
cat >"$TMP/load" <<-'END'
	read go <"$1"
	"$2/storm" --quiet 300
	"$2/drops" --udp 20 >/dev/null 2>&1
	kill -WINCH $$
	dd if=/dev/zero of="$3.file" bs=64k count=20 conv=fsync status=none
	(sleep 0.05)
	"$2/storm" --threads 2 --quiet 400
	cp "$2/storm" "$3"; "$3" --quiet 200
	(exec "$2/storm" --quiet 100) &
	wait
	exec "$2/storm" --quiet 150
END
mkfifo "$TMP/go"
sh "$TMP/load" "$TMP/go" "$PROG" "$TMP/a-long-name-indeed" &
target=$!
exec 9>"$TMP/go"

counters=
count_both() # NAME ARG...
{
	name=$1
	shift
	for engine in perf bpf; do
		"$p" count --engine=$engine --csv -p $target "$@" >"$TMP/$name.$engine" 2>"$TMP/$name.$engine.err" &
		counters="$counters $!"
	done
	names="$names $name"
}
names=
for by in comm pid tid cpu cgroup comm,pid,tid,cpu; do
	count_both "$by" -e $calls --by $by
done
count_both id -e raw_syscalls:sys_enter --by id,comm
count_both event -e 'raw_syscalls:sys_enter(id)' --by event
count_both two -e raw_syscalls:sys_enter,raw_syscalls:sys_exit --by event,comm
count_both either -e raw_syscalls:sys_enter --by id --filter "id == $getppid || (id > 2 && !(id & 1 || id == 4))"
count_both state -e sched:sched_switch --by prev_state,comm
count_both result -e raw_syscalls:sys_exit --by comm --of ret --filter 'ret >= 0 && ret < 100000' --hist
count_both negative -e raw_syscalls:sys_exit --by event --of ret --filter 'ret < 0' --hist
count_both expressions -e 'raw_syscalls:sys_enter(id, low=id & 7, name=str(regs->di, 8), far=((struct task_struct *)0)->pid)' \
	--by low,name,far,comm --of id
# Fields of tracepoints that programs compute themselves.
while read -r event fields; do
	[ -e "/sys/kernel/tracing/events/$(echo "$event" | tr : /)/id" ] || continue
	# hits of interrupts while a task is renamed have either name
	count_both "$event" -e "$event" --by "$fields"
done <<-'END'
	sched:sched_switch prev_comm,prev_pid,prev_prio,next_comm,next_pid,next_prio
	sched:sched_process_exit sched_process_exit.comm,sched_process_exit.pid,prio,group_dead
	sched:sched_process_fork parent_pid,child_pid
	skb:kfree_skb location,protocol,reason,rx_sk,skbaddr
	skb:consume_skb location
	net:netif_receive_skb len
	net:net_dev_queue len
	net:net_dev_xmit len,rc
	kmem:kmalloc call_site,bytes_req,bytes_alloc
	kmem:kmem_cache_alloc call_site,bytes_req,bytes_alloc
	kmem:kfree call_site
	kmem:mm_page_alloc order,migratetype
	exceptions:page_fault_user address,ip,error_code
	signal:signal_generate sig,signal_generate.comm,signal_generate.pid,group,result
	block:block_rq_issue bytes
	block:block_rq_insert bytes
END
PERF_LITE_COUNT_ENTRIES=1
export PERF_LITE_COUNT_ENTRIES
count_both full -e raw_syscalls:sys_enter --by id,tid,cpu
count_both full-numbers -e raw_syscalls:sys_exit --by tid,cpu --of ret --filter 'ret > 0 && ret < 1000' --hist
unset PERF_LITE_COUNT_ENTRIES
for pid in $counters; do
	wait_for 60 watches "$pid" || fail "counter $pid is up"
done
echo go >&9
exec 9>&-
for pid in $counters; do
	wait "$pid" || fail "counter $pid"
done
for name in $names; do
	rows "$TMP/$name.perf" >"$TMP/want"
	rows "$TMP/$name.bpf" >"$TMP/got"
	case $name in
	*:*)
		# what interrupts a program is not counted, but said: the kernel frees in interrupts of anybody
		allowed=$(cat "$TMP/$name".*.err | awk '/samples? (was|were) lost/ { n += $1 } END { print n + 0 }')
		case $name in
		kmem:*) allowed=$((allowed + $(hits "$TMP/want") / 50)) ;;
		skb:* | net:*) allowed=$((allowed + 2)) ;;
		esac
		ok "both have the same by $name but for $allowed" test "$(differences)" -le "$allowed"
		[ "$(differences)" -le "$allowed" ] || is_file "that is" "$TMP/got" "$TMP/want"
		continue
		;;
	esac
	is_file "both have the same by $name" "$TMP/got" "$TMP/want"
	case $name in
	full*) ok "more rows than a map has room for" test "$(wc -l <"$TMP/got")" -gt 1 ;;
	esac
	ok "and there is something" test -s "$TMP/got"
done
is "all calls are there" "$(awk -F, 'NR > 1 { n += $1 } END { print n }' "$TMP/tid.bpf")" 1150
ok "of threads that ended" test "$(wc -l <"$TMP/tid.bpf")" -ge 6
like "names as they were" "$TMP/comm.bpf" '^200,a-long-name-ind$'

for name in sched:sched_switch skb:kfree_skb kmem:kmalloc signal:signal_generate; do
	[ ! -e "$TMP/$name.bpf" ] || ok "there are some of $name" test "$(wc -l <"$TMP/$name.bpf")" -ge 2
done

# --- numbers that are known ---

run_ok "programs count" "$p" count -e $calls --by comm -- "$PROG/storm" --quiet 20000
like "every call" "$TMP/out" '^ +20000  storm$'
like "and it is said" "$TMP/out" '^20000 counted in [0-9.]* s by BPF, none lost$'
run_ok "as JSON" "$p" count --json -e $calls --by comm,id -- "$PROG/storm" --quiet 500
is "with names of values" "$(jq -c '[.engine, .lost, .rows[0].id.name, .rows[0].count, .total.count]' "$TMP/out")" \
	'["bpf",0,"getppid",500,500]'
run_ok "those that are asked for" "$p" count --json --top 1 -e raw_syscalls:sys_enter --by id -- "$PROG/storm" --quiet 500
is "the others are one line" "$(jq -c '[(.rows | length), .rows[0].count, .rest.count > 0]' "$TMP/out")" '[1,500,true]'
run_ok "on one CPU" "$p" count --json -C 0 -e $calls --by cpu,comm -- taskset -c 0 "$PROG/storm" --quiet 700
is "of that alone" "$(jq -c '[.engine, ([.rows[].cpu] | unique), .rows[0].count >= 700]' "$TMP/out")" '["bpf",[0],true]'
cp "$PROG/storm" "$TMP/st-$$"
run_ok "everybody" "$p" count --json -a -e raw_syscalls:sys_enter --by comm,id -- "$TMP/st-$$" --quiet 700
is "and so this one" "$(jq -c '[.engine, (.rows[] | select(.comm == "st-'$$'" and .id.name == "getppid").count)]' "$TMP/out")" '["bpf",700]'

run_ok "a storm" "$p" count --json -e raw_syscalls:sys_enter --by tid --filter "id == $getppid" -- "$PROG/storm" --threads 4 --quiet 300000
is "is counted" "$(jq -c '[.engine, .lost, .total.count]' "$TMP/out")" '["bpf",0,300000]'
PERF_LITE_COUNT_ENTRIES=1 run_ok "a full map" "$p" count --json -e "raw_syscalls:sys_enter(id, low=id & 3)" --by low,tid,cpu \
	-- "$PROG/storm" --threads 4 --quiet 20000
is "is read by samples" "$(jq -c '[.engine, .lost, .total.count >= 20000, (.rows | length > 1)]' "$TMP/out")" '["bpf",0,true,true]'

for by in comm tid; do
	run_ok "intervals" "$p" count -I 0.1 --json -e $calls --by $by -- "$PROG/storm" --quiet --seconds 0.45 1000
	is "add up to all" "$(jq -s 'map(.total.count) | add' "$TMP/out")" 1000
	is "and follow each other" \
		"$(jq -s '[range(1; length) as $i | .[$i].from == .[$i - 1].to] | all' "$TMP/out")" true
done
PERF_LITE_COUNT_ENTRIES=1 run_ok "intervals, a full map" "$p" count -I 0.1 --json -e raw_syscalls:sys_enter --by id \
	-- "$PROG/storm" --quiet --seconds 0.45 1000
is "add up to all" "$(jq -s '[.[].rows[] | select(.id.name == "getppid").count] | add' "$TMP/out")" 1000
is "with more rows than a map has room for" "$(jq -s 'map(.rows | length) | max > 1' "$TMP/out")" true
run_ok "-D" "$p" count --json -D 300 -e $calls --by comm --duration 100ms
is "begins later" "$(jq -c '[.engine, .from == 0]' "$TMP/out")" '["bpf",true]'

# --- what programs cannot ---

run_ok "of a thread, by others" "$p" count -v -e sched:sched_waking --by comm -- true
like "is sampled, too" "$TMP/out" 'not by BPF: sched:sched_waking of threads may be hit while others run$'
for what in "--by kstack" "--by comm --filter comm==\"x\"" "--by comm --of id --quantiles" "--by time" "--by args"; do
	run_ok "$what" "$p" count -v --json -e raw_syscalls:sys_enter $what -- true
	is "is counted from samples" "$(jq -r .engine "$TMP/out")" samples
	run "$p" count --engine=bpf -e raw_syscalls:sys_enter $what -- true
	rc_is 1 "which --engine=bpf refuses"
	like "with the reason" "$TMP/err" '^perf-lite: --engine=bpf: '
done
run_ok "everybody, by perf events" "$p" count --engine=perf -a -e sched:sched_switch --by comm --duration 300ms
unlike "names of kernel workers are as programs see them" "$TMP/out" "kworker/[0-9u][^ ]*[-+]"
run_ok "-v" "$p" count -v -e irq:irq_handler_entry --by name -- true
like "says why" "$TMP/out" 'samples? in .*; not by BPF: irq:irq_handler_entry: programs cannot read the field name, only expressions of its arguments$'
run_ok "without it" "$p" count -e irq:irq_handler_entry --by name -- true
unlike "nothing" "$TMP/out" 'not by'
run "$p" count --engine=bpf -i "$TMP/out"
rc_is 1 "--engine=bpf of a recording"
like "there are samples" "$TMP/err" '^perf-lite: --engine=bpf: a recording has samples$'
run_ok "a field that cannot be read" "$p" count --json -e "raw_syscalls:sys_enter(no=((struct sk_buff *)8)->len,id)" \
	--filter "no == 1 || id == $getppid" --by id -- "$PROG/storm" --quiet 50
is "decides nothing that others decide" "$(jq -c '[.engine, .rows[0].count]' "$TMP/out")" '["bpf",50]'
run "$p" count --engine=perk -e sched:sched_switch -- true
rc_is 1 "no such engine"
like "those that there are" "$TMP/err" '^perf-lite: --engine takes perf or bpf, not .perk.$'
run_ok "--engine=bpf instead of counters" "$p" count --engine=bpf --json -e $calls -- "$PROG/storm" --quiet 77
is "counts" "$(jq -c '[.engine, .rows[0].count]' "$TMP/out")" '["bpf",77]'

# --- probes of programs, whose programs other threads interrupt ---

hits=$PROG/hits
# counted N THREADS [ENTRIES]: what the program says of its names, and what is counted
counted()
{
	[ -z "${3:-}" ] || export PERF_LITE_COUNT_ENTRIES="$3"
	run "$p" count --json -e "uprobe:$hits:hit(number,name=str(name))" --by name --of number --hist -- taskset -c 0 "$hits" "$1" "$2"
	unset PERF_LITE_COUNT_ENTRIES
	sed -n 's/^name-/&/p' "$TMP/out" >"$TMP/want"
	grep '^{' "$TMP/out" >"$TMP/json"
	jq -r '.rows | sort_by(.name)[] | "\(.name) \(.count) \(.sum) \(.min) \(.max)"' "$TMP/json" >"$TMP/got"
	is_file "as the program says, of $2 threads" "$TMP/got" "$TMP/want"
	is "$((${1} * $2)) in all, by programs" "$(jq -c '[.engine, .lost, .total.count, ([.rows[].histogram[].count] | add)]' "$TMP/json")" \
		"[\"bpf\",0,$(($1 * $2)),$(($1 * $2))]"
}
if can uprobes; then
	counted 3000 1
	counted 2000 24
	counted 500 24 1
	run_ok "a key that has no room in the stack" "$p" count --json \
		-e "uprobe:$hits:hit(a=str(name,128),b=str(name,128),c=str(name,128),number)" --by a,b,c --of number -- taskset -c 0 "$hits" 500 24
	is "is counted, too" "$(grep '^{' "$TMP/out" | jq -c '[.engine, .lost, .total.count, ([.rows[] | .a == .b and .b == .c] | all), (.rows | length)]')" \
		'["bpf",0,12000,true,3]'
	for by in comm tid,cpu comm,pid; do
		run_ok "a function, by $by" "$p" count --json -e "uprobe:$hits:hit" --by $by -- "$hits" 400 3
		grep '^{' "$TMP/out" >"$TMP/json"
		is "is counted by programs, of all threads" "$(jq -c '[.engine, .lost, .total.count]' "$TMP/json")" '["bpf",0,1200]'
	done
	run_ok "its returns" "$p" count --json -e "uprobe:$hits:hit%return" --by comm -- "$hits" 70 3
	is "likewise" "$(grep '^{' "$TMP/out" | jq -c '[.engine, .total.count]')" '["bpf",210]'
	run_ok "all functions of a name" "$p" count --json -e "uprobe:$hits:h*t" --by function -- "$hits" 70 3
	is "by function" "$(grep '^{' "$TMP/out" | jq -c '[.engine, (.rows[] | [.function.name, .count])]')" '["bpf",["hit",210]]'
	run_ok "what a filter leaves" "$p" count --json -e "uprobe:$hits:hit(number)" --filter 'number > 4 || number == -9' --by number -- "$hits" 70 3
	is "of numbers" "$(grep '^{' "$TMP/out" | jq -c '[.engine, ([.rows[] | [.number, .count]] | sort)]')" '["bpf",[[-9,10],[6,20],[9,10]]]'
	cp "$hits" "$TMP/hits"
	for options in -a "-a -C 0"; do
		run_ok "everybody's: $options" "$p" count --json $options -e "uprobe:$TMP/hits:hit(name=str(name))" --by name,comm -- taskset -c 0 "$TMP/hits" 70 3
		is "and so these" "$(grep '^{' "$TMP/out" | jq -c '[.engine, .total.count, (.rows | length)]')" '["bpf",210,3]'
	done
	run_ok "intervals" "$p" count -I 0.1 --json -e "uprobe:$hits:hit(number)" --by tid -- sh -c "$hits 100 2; sleep 0.25; $hits 50 2"
	is "add up to all" "$(grep '^{' "$TMP/out" | jq -s 'map(.total.count) | add')" 300
	for engine in perf bpf; do
		run_ok "by $engine" "$p" count --engine=$engine --csv -e "uprobe:$hits:hit(number,name=str(name))" \
			-e "uprobe:$hits:run(arg)" --by event,name,comm --of number -- "$hits" 300 4
		grep -v '^name-' "$TMP/out" | LC_ALL=C sort >"$TMP/engine.$engine"
	done
	is_file "both have the same" "$TMP/engine.bpf" "$TMP/engine.perf"
	for engine in perf bpf; do
		for else in ',6' ' ?: 7,13'; do
			run_ok "numbers in memory, by $engine" "$p" count --engine=$engine --json \
				-e "uprobe:$hits:run(n=((struct thread *)arg)->number${else%,*})" --by event --of n -- "$hits" 10 4
			is "are those of the program" "$(grep '^{' "$TMP/out" | jq -c '.rows[0].sum')" "${else#*,}"
		done
	done
	run_ok "static probes" "$p" count --json --engine=bpf -e "usdt:$PROG/markers:*:*" --by event -- "$PROG/markers" 5
	is "at all their places, and watched" "$(sed '/^{/d' "$TMP/out"; grep '^{' "$TMP/out" | jq -c '[.engine, [.rows[].count]]')" 'watched=5
["bpf",[5,5,5,5,5]]'
else
	skip_without "probes of programs" uprobes
fi

# Events of users, with the name of a tracepoint.
dynamic=/sys/kernel/tracing/dynamic_events
group=pl_of_user_$$
drop_event()
{
	{ echo "-:$group/sched_switch" >>$dynamic; } 2>"$TMP/ok.out"
}
add_event()
{
	entry=$(od -An -t u8 -j 24 -N 8 "$PROG/storm" | tr -d ' ')
	echo "p:$group/sched_switch $PROG/storm:$(printf '0x%x' "$entry")" >>$dynamic
}
if add_event 2>"$TMP/ok.out"; then
	at_exit drop_event
	run_ok "an event of a user" "$p" count -v --json -e $group:sched_switch --by comm -- "$PROG/storm" --quiet 10
	is "is counted, not another one" "$(jq -c '[.engine, .total.count]' "$TMP/out")" '["samples",1]'
	run "$p" count --engine=bpf -e $group:sched_switch --by comm -- true
	rc_is 1 "which programs do not"
	like "and say so" "$TMP/err" "$group:sched_switch is no tracepoint of which a program is given the arguments"
	run "$p" count -e "$group:sched_switch(prev->pid)" -- true
	rc_is 1 "nor has it arguments"
	like "which is said" "$TMP/err" "$group:sched_switch was made by a user: it has no arguments"
	ok "it is removed" wait_for 10 drop_event
else
	skip_outside "events of users" "dynamic_events that can be written"
fi

# What only the kernel knows.
PERF_LITE_COUNT_ENTRIES=4294967295
export PERF_LITE_COUNT_ENTRIES
run_ok "a map that is refused" "$p" count -v -e $calls --by comm -- "$PROG/storm" --quiet 50
like "samples instead" "$TMP/out" '^ +50  storm$'
like "and the reason" "$TMP/out" '^50 samples in .*; not by BPF: raw_syscalls:sys_enter: the kernel refused the program: '
run "$p" count --engine=bpf -e $calls --by comm -- true
rc_is 2 "with --engine=bpf an error"
like "and what to do" "$TMP/err" '^hint: --engine=perf reads samples instead'
unset PERF_LITE_COUNT_ENTRIES

# Without the right to load programs.
if setpriv --bounding-set=-bpf,-sys_admin true 2>/dev/null &&
	setpriv --bounding-set=-bpf,-sys_admin "$p" count --engine=perf -e raw_syscalls:sys_enter --by comm -- true >/dev/null 2>&1; then
	run_ok "who may not load programs" setpriv --bounding-set=-bpf,-sys_admin "$p" count -v -e $calls --by comm -- "$PROG/storm" --quiet 50
	like "counts samples" "$TMP/out" '^ +50  storm$'
	like "and is told" "$TMP/out" '^50 samples in .*; not by BPF: BPF programs may not be loaded here: '
	run setpriv --bounding-set=-bpf,-sys_admin "$p" count --engine=bpf -e $calls --by comm -- true
	rc_is 1 "or is refused"
else
	skip_without "who may not load programs" setpriv
fi

# --- nothing stays ---

if can perl && [ "$(uname -m)" = x86_64 ]; then
	"$p" count -e raw_syscalls:sys_enter --by comm -p $$ >/dev/null 2>&1 &
	pid=$!
	ok "it is up" wait_for 20 watches $pid
	ids=$(cat /proc/$pid/fdinfo/* 2>/dev/null | awk '$1 == "prog_id:" { print $2 }' | sort -u)
	ok "it has programs" test -n "$ids"
	gone()
	{
		for id in $ids; do
			# BPF_PROG_GET_FD_BY_ID
			perl -e '$a = pack("L x124", $ARGV[0]); exit(syscall(321, 13, $a, 128) >= 0)' "$id" || return 1
		done
	}
	ok "which are found" not gone
	kill -KILL $pid
	wait $pid 2>/dev/null
	ok "after kill -9 they are gone" wait_for 20 gone
else
	skip_without "after kill -9 they are gone" perl
fi
done_testing
