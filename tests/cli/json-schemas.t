# SPDX-License-Identifier: GPL-2.0
#
# docs/json.md: what commands print with --json has the members, types and conditions that are written there, and all that is
# written there is printed (tests/cli/json_schemas.py). Recordings are those of the golden tests.
. tests/lib.sh
need_cmd python3

doc=$PWD/docs/json.md
schemas=$PWD/tests/cli/json_schemas.py
golden=$PWD/tests/golden
: >"$TMP/seen"
mkdir "$TMP/json"
cd "$TMP/json" || exit
for name in web web-later drops drops-companions odd memory branches group syscalls states stages loops few tones parallel; do
	"$PROG/make_recording" "$golden/$name.rec" .
done

# schema SECTION[|SECTION] COMMAND OPTION...: of a recording, with its own binaries and symbols
schema()
{
	section=$1 command=$2
	shift 2
	live "$section" "$command" --symfs root --kallsyms kallsyms "$@"
}

# live SECTION[|SECTION] COMMAND OPTION...: of this machine
live()
{
	section=$1
	shift
	HOME=$TMP/home "$PERF_LITE" "$@" >"$TMP/out" 2>"$TMP/err"
	# stat writes beside its notes, as perf's
	[ ! -e "$TMP/counts" ] || mv "$TMP/counts" "$TMP/out"
	ok "$section: $*" python3 "$schemas" check "$doc" "$section" "$TMP/out" "$TMP/seen"
}

schema report report -i web.data --json
schema report report -i web.data --json -g -s comm,sym,srcline
schema report report -i web.data --json -g callee,address -s dso
schema report report -i web.data --json --hierarchy -s comm,dso,sym
schema report report -i web.data --json --no-children --show-cpu-utilization
schema report report -i parallel.data --json --latency -s comm,parallelism
schema report report -i group.data --json --group -s comm,sym
schema report report -i odd.data --json -s comm,name,path,big,number,list,mac,caller,colour
schema report report -i memory.data --json --mem-mode
schema report report -i branches.data --json
for name in web drops group odd syscalls memory; do
	schema "report --brief" report -i $name.data --brief=100 --json
	schema "report --brief" report -i $name.data --brief=3 --json
done
schema "report --brief" report -i parallel.data --brief --latency --json
schema "report --brief" report -i web.data --brief --json --comm nobody

schema count count -i drops.data --json --by reason,comm,location
schema count count -i drops.data --json --comm nginx
schema count count -i drops.data --json --by kstack,protocol --top 2
schema count count -i odd.data --json --by colour,name --of took
schema count count -i odd.data --json --by colour,name --of took --quantiles --top 1
schema count count -i odd.data --json --by list --of number --hist

# a counter that had to share the hardware: of a machine whose events count what is said here
MACHINE=$golden/../sysroot/smt COUNTS='page-faults=10/50,10/50 cs=5' LD_PRELOAD=$PROG/../golden/machine.so \
	live count count --json -e page-faults,cs -C 0 --duration 1.5

schema latency latency run-queue -i states.data --json
schema latency latency run-queue -i states.data --json --split --waker --by comm,stack --top 1
schema latency latency off-cpu -i states.data --json --split --by tid -g --slowest 3
schema latency latency off-cpu -i states.data --json --open --slowest 2
schema latency latency run-queue -i states.data --json --hist --min 1ms -I 0.05
schema latency latency run-queue -i states.data --json --hist=linear:1us:2us:1us
schema latency latency block-stages -i stages.data --json
schema "latency --trace" latency off-cpu -i states.data --json --trace --split --by tid -g
schema "latency --trace" latency run-queue -i states.data --json --trace

schema drops drops -i drops.data --json
schema drops drops -i drops.data --json --explain -g --top 3
schema drops drops -i drops-companions.data --json --by reason,flow

schema "trace|script|script: losses" trace -i syscalls.data --json
schema "trace|script|script: losses" trace -i odd.data --json
schema "trace --summary|trace --summary: all" trace -i syscalls.data -s --json
schema "trace --summary|trace --summary: all" trace -i syscalls.data -s --json --errno-summary --by comm

schema "script|script: losses" script -i web.data --json
schema "script|script: losses" script -i web.data --json -F +misc,+dsoff,+tod,+srcline --time=wall
schema "script|script: losses" script -i drops.data --json
schema "script|script: losses" script -i odd.data --json --stack-field name
schema "script|script: losses" script -i memory.data --json
schema "script|script: losses" script -i branches.data --json
schema "script|script: losses" convert -i web.data --to json -o -

schema diff diff --json web.data web-later.data
schema diff diff -a --json --stacks web.data web-later.data
schema diff diff --json --per-second web.data web-later.data
schema diff diff --json --normalise none web.data web-later.data
if can capstone; then
	schema annotate annotate -i loops.data --json
	if can own; then
		run_ok "a program with lines" "$PERF_LITE" record -q -e cpu-clock:u -F 2000 -o lines.data -- "$PROG/spin" 300
		live annotate annotate -i lines.data --json
	else
		skip_without "lines of source" own
	fi
else
	skip_without "annotate" capstone
fi

if can own; then
	live "stat|stat: summary" stat --json=v2 -o "$TMP/counts" -e task-clock,page-faults,context-switches -- true
	live "stat|stat: summary" stat --json=v2 -o "$TMP/counts" -r 2 -e task-clock,page-faults -- true
	live "stat|stat: metrics|stat: summary" stat --json=v2 -o "$TMP/counts" --metric-only -M cpus,fault-rate -- true
	live "stat: metrics|stat: summary" stat --json=v2 -o "$TMP/counts" --metric-only -M cpus -I 20 --summary -- sleep 0.05
	for rows in no-aggr per-core per-cluster per-die per-socket per-node; do
		MACHINE=$golden/../sysroot/hybrid COUNTS='cs=5 task-clock=7' LD_PRELOAD=$PROG/../golden/machine.so \
			live "stat: metrics|stat: summary" stat --json=v2 -o "$TMP/counts" --metric-only -M switch-rate -C 4 --timeout 20 --$rows
	done
else
	skip_without "stat" own
fi
live check check --json
live list list --json
live list list --json -v "usdt:$PROG/markers"
if can btf; then
	live "list: types" list --json 'struct list_head' 'union *addr*' 'enum pid_type' 'typedef gfp_t' 'struct tcp_sock'
	live "list: probes" list --json kprobe:vfs_read fentry:tcp_sendmsg 'kprobe:vfs_read(file->f_inode)'
else
	skip_without "types and probes" btf
fi
if can tracepoints; then
	live list list --json -v sched:sched_switch skb:kfree_skb page-faults
	live "drops --reasons" drops --reasons --json
	live "drops --reasons" drops --reasons --json --explain
else
	skip_without "fields of tracepoints, reasons" tracepoints
fi

if can curl; then
	live push push --json --retries 0 --spool "$TMP/spool" http://127.0.0.1:1 web.data
else
	skip_without "push" curl
fi

# What was not run here is not asked for.
set --
can capstone && can own || set -- "$@" annotate
can own || set -- "$@" stat
can curl || set -- "$@" push
can tracepoints || set -- "$@" drops list
can btf || set -- "$@" "list: "
ok "all members that are always there were printed" python3 "$schemas" covered "$doc" "$TMP/seen" "$@"
done_testing
