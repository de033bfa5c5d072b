# SPDX-License-Identifier: GPL-2.0
#
# Memory runs out at every place of commands that read a recording: they say so, or do without and print the same
# (tests/golden/oom.c); under ASan and UBSan, if the compiler has them. OOM=--single: one allocation fails, and the rest is done.
. tests/lib.sh
oom=$O/san/tests/golden/oom
[ -x "$oom" ] || oom=$O/tests/golden/oom
golden=$PWD/tests/golden
cp tests/oracle/stored/group.perf "$TMP"
cd "$TMP" || exit
HOME=$TMP
export HOME
for name in web web-later drops drops-companions latency odd memory branches group syscalls paths recursion stages states loops parallel; do
	"$PROG/make_recording" "$golden/$name.rec" .
done
lines=
command -v objcopy >/dev/null && sh "$golden/../prog/lines-recording.sh" . && lines=1
printf 'a;b 10\na;c 20\nd;e;f 1' >folded

without_memory() # COMMAND OPTION...
{
	command=$1
	shift
	ok "$command $*" "$oom" ${OOM:-} "$command" -j1 --symfs root --kallsyms kallsyms "$@"
}

without_memory report -i web.data
without_memory report -i web.data -g none -s comm,dso,sym,srcline,time,cpu,socket,parent -p main
without_memory report -i web.data -g folded -s comm,dso --hierarchy
without_memory report -i web.data --json -g -s comm,pid
without_memory report -i web.data --csv -s comm,sym
without_memory report -i group.data --group -s comm,sym
without_memory report -i odd.data -s comm,name,path,list,big,trace -g none
without_memory report -i memory.data --mem-mode
without_memory report -i branches.data
without_memory report -i web.data --brief
without_memory report -i parallel.data --latency -g none -s comm,parallelism
without_memory report -i drops.data --brief=30 --json
without_memory count -i drops.data --by reason,comm,location
without_memory count -i drops.data --by kstack,protocol --json
without_memory count -i drops.data --by comm,kstack --folded
without_memory count -i odd.data --by colour,name --of took --hist
without_memory count -i odd.data --by colour,name --of took --hist --openmetrics -
without_memory drops -i drops.data --by reason,dev --openmetrics -
without_memory latency -i latency.data run-queue --by comm --openmetrics -
without_memory count -i odd.data --by comm,list,caller --of big --quantiles --csv
without_memory drops -i drops.data --by place,reason,protocol,dev,comm,kstack
without_memory drops -i drops.data --json
if can capstone; then
	without_memory annotate -i loops.data
	without_memory annotate -i loops.data --json sum -k root/boot/vmlinux
	without_memory annotate -i loops.data -o page.html
	without_memory flamegraph -i loops.data --event cpu-clock --annotate -o code.html
else
	skip_without "annotate" capstone
fi
without_memory diff --stacks -a web.data web-later.data
without_memory diff --json --stacks web.data web-later.data
without_memory diff --folded web.data web-later.data
without_memory flamegraph -i web.data
without_memory flamegraph -i web-later.data --diff web.data
without_memory flamegraph -i drops.data --event skb:kfree_skb --by reason --colour dso
without_memory flamegraph -i web.data --timeline
without_memory latency block-stages -i stages.data --json
without_memory latency block-stages -i stages.data --timeline -
without_memory latency run-queue -i states.data --by comm,stack --chrome -
without_memory latency run-queue -i states.data --by comm,stack --gecko -
without_memory latency run-queue -i states.data --by comm,stack --pprof -
without_memory latency run-queue -i states.data --by comm,stack --split --chrome a --gecko b --pprof c
without_memory latency run-queue -i states.data --waker -g
without_memory latency run-queue -i states.data --by waker.tid -I 0.01
# libperflite (tests/cli/library_dump.c) has options of its own
library_without_memory() # RECORDING WORD...
{
	ok "library $*" "$oom" ${OOM:-} library "$@"
}
library_without_memory web.data symfs=root inline jobs=1
library_without_memory drops.data symfs=root 'filter=reason == NO_SOCKET' jobs=1
library_without_memory drops.data --table '' time,comm,reason,location,stack
library_without_memory drops.data --arrow skb:kfree_skb time,comm,reason
library_without_memory drops.data --count reason,comm protocol
library_without_memory web.data --count stack period
library_without_memory drops.data symfs=root --drops by=place,reason,protocol,comm,kstack 'filter=reason != CONSUMED'
library_without_memory drops-companions.data drops --drops by=reason,flow,cpu 'filter=l4 == UDP || reason == NO_SOCKET'
library_without_memory states.data --latency off-cpu by=comm,stack split slowest=2
library_without_memory states.data --latency run-queue by=waker.comm
library_without_memory stages.data --latency '' from=block:block_io_start then=block:block_rq_issue to=block:block_rq_complete \
	on=dev,sector by=comm,rwbs,event min=2ms 'filter=rwbs == R'
without_memory script -i odd.data -F comm,pid,cpu,time,event,trace,ip,sym
without_memory script -i group.perf --header-only -I
without_memory script -i web.data --json
without_memory script -i web.data --folded
without_memory script -i web.data --for flamescope
without_memory script -i web.data --quality
without_memory trace -i syscalls.data
without_memory trace -i syscalls.data --json
without_memory trace -i syscalls.data -s --errno-summary --summary-mode=thread
without_memory trace -i syscalls.data --fields comm,fd,ret,filename
without_memory trace -i syscalls.data --filter 'duration > 1us && ret < 0 || fd == 1'
without_memory trace -i syscalls.data -e openat,sched:sched_switch --filter 'syscall == openat || comm ~ "sol*"'
without_memory trace -i paths.data --filter 'file ~ "/etc/*"'
without_memory trace -i odd.data --fields name,path,list,caller
without_memory trace -i odd.data --ftrace
without_memory report -i recursion.data -s comm,sym -g caller
for format in csv chrome pprof otlp speedscope gecko; do
	without_memory convert --to $format -i odd.data --event odd:odd -o -
done
without_memory convert --to parquet -i odd.data -o -
without_memory convert --to parquet -i drops.data -o tables/
ok "flamegraph of folded stacks" "$oom" ${OOM:-} flamegraph folded
ok "flamegraph of folded stacks, coloured by file" "$oom" ${OOM:-} flamegraph --colour dso folded
of_lines()
{
	without_memory script -i lines.data -F ip,sym,srcline
	without_memory report -i lines.data -s srcline -g none
	without_memory convert --to pprof -i lines.data -o -
	without_memory convert --to speedscope -i lines.data -o -
}
if [ "$lines" ]; then
	of_lines
else
	skip_without "lines of source" objcopy
fi
# One allocation fails, and the rest is done: what goes on without it is not hidden by the next failure.
[ -n "${OOM:-}" ] || {
	OOM=--single
	oom=$O/tests/golden/oom
	without_memory report -i web.data --json -g -s comm,pid
	without_memory count -i odd.data --by comm,list,caller --of big --quantiles --csv
	without_memory drops -i drops.data --by place,reason,protocol,dev,comm,kstack
	without_memory latency run-queue -i states.data --by comm,stack --gecko -
	without_memory flamegraph -i web.data --timeline
	without_memory trace -i syscalls.data --filter 'duration > 1us && ret < 0 || fd == 1'
	without_memory report -i group.data --group -s comm,sym
	without_memory script -i group.perf --header-only -I
	without_memory trace -i syscalls.data -e openat,sched:sched_switch --filter 'syscall == openat || comm ~ "sol*"'
	[ -z "$lines" ] || of_lines
}
done_testing
