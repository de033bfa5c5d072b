# SPDX-License-Identifier: GPL-2.0
#
# perf-lite count, and latency --hist, by programs in the kernel, where these can be: the same table as of samples.
. /tests/lib.sh
need_event raw_syscalls:sys_enter
getppid=$("$PROG/storm" --number)

by_programs()
{
	major=$(uname -r | cut -d. -f1)
	minor=$(uname -r | cut -d. -f2)
	[ "$major" -gt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -ge 1 ]; }
}
if ! by_programs; then
	run_ok "an older kernel" "$PERF_LITE" count -v -e raw_syscalls:sys_enter --by comm --filter "id == $getppid" -- "$PROG/storm" --quiet 500
	like "counts samples" "$TMP/out" '^ +500  storm$'
	like "and is told why" "$TMP/out" '^500 samples in .* not by BPF: Linux .* lets a program be interrupted by itself'
fi

# Two runs of a program do not map and lock the same.
both() # ROWS ARG...
{
	rows=$1
	shift
	run_ok "perf: $*" "$PERF_LITE" count --engine=perf --csv "$@"
	grep -E "$rows" "$TMP/out" >"$TMP/want"
	run_ok "bpf: $*" "$PERF_LITE" count --engine=bpf --csv "$@"
	grep -E "$rows" "$TMP/out" >"$TMP/got"
	is_file "are the same" "$TMP/got" "$TMP/want"
	ok "and there are some" test -s "$TMP/got"
}
if by_programs; then
	call="id == $getppid"
	both . -e raw_syscalls:sys_enter --by comm --filter "$call" -- "$PROG/storm" --quiet 5000
	both getppid -e raw_syscalls:sys_enter --by id,comm -- "$PROG/storm" --quiet 500
	both . -e raw_syscalls:sys_enter --by event --of id --hist --filter "$call" -- "$PROG/storm" --quiet 500
	both . -e 'raw_syscalls:sys_enter(id, low=id - 200, far=((struct task_struct *)0)->pid, name=str(regs, 4))' --by low,far,id \
		--of low --hist --filter "$call" -- "$PROG/storm" --quiet 500
	both . -a -e skb:kfree_skb --by location,protocol --filter 'protocol == IPv4' -- "$PROG/drops" --udp 30
	PERF_LITE_COUNT_ENTRIES=1
	export PERF_LITE_COUNT_ENTRIES
	both getppid -e raw_syscalls:sys_enter --by id,comm -- "$PROG/storm" --quiet 500
	unset PERF_LITE_COUNT_ENTRIES
	if can uprobes; then
		entered="uprobe:$PROG/probed:entered(i=arg1)"
		both . -e "$entered" --by comm --of i --hist -- "$PROG/probed" 3000
		PERF_LITE_COUNT_ENTRIES=1 both . -e "$entered" --by i,cpu -- taskset 1 "$PROG/probed" 50
		both . -e "uprobe:$PROG/passes:handle(path=str(*(unsigned long *)arg1))" --by path,comm -C 0 -- taskset 1 "$PROG/passes" 20
		run_ok "how long a function takes" "$PERF_LITE" latency --engine=bpf --csv --hist --from "$entered" \
			--to "uprobe:$PROG/probed:entered%return(retval)" --on tid --by comm -- "$PROG/probed" 3000
		like "adds up each call" "$TMP/out" '^3000,.*,probed$'
	else
		skip_without "probes of programs" uprobes
	fi
	run_ok "latency --hist" "$PERF_LITE" latency --engine=bpf --csv --hist --from "raw_syscalls:sys_enter:tid if $call" \
		--to raw_syscalls:sys_exit:tid --by comm,id --filter 'id < 1000' -- "$PROG/storm" --quiet 500
	like "adds up each call" "$TMP/out" '^500,.*,storm,getppid$'
	run_ok "waits for a CPU" "$PERF_LITE" latency run-queue --engine=bpf --csv --hist -a -- "$PROG/storm" --quiet 50
	ok "are those of threads" grep -q '^[1-9][0-9]*,.*,[a-z]' "$TMP/out"
	run_ok "everybody" "$PERF_LITE" count --engine=bpf -a -e raw_syscalls:sys_enter --by comm,id --filter "$call" -I 0.2 --json \
		-- "$PROG/storm" --quiet --seconds 0.5 1000
	is "intervals" "$(sed -n 's/.*"rows":\[{"comm":"storm"[^]]*"count":\([0-9]*\)}.*/\1/p' "$TMP/out" | awk '{ n += $1 } END { print n }')" 1000
fi
done_testing
