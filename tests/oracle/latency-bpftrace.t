#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The waits of threads and of a disk as bpftrace has them: its programs look at the same events of the same load at the same
# time. Spans of each thread, and requests of each sector, are as many, and their sums are the same to 1 %.
. tests/lib.sh
need_root
need first-pids
need_event sched:sched_switch
need bpf bpftrace
need_idle_tasks
need_cmd jq

# same DESC: "KEY SPANS NS" of $TMP/ours and $TMP/theirs. The two look at an event one after the other: what the first one does
# there is in the times of one of them.
same()
{
	ok "$1: there are some" test -s "$TMP/theirs"
	awk 'function far(a, b, ns) { return (a > b ? a - b : b - a) > b / 100 + ns }
		FNR == NR { n[$1] = $2; sum[$1] = $3; ours += $3; next }
		{ seen[$1]; theirs += $3; spans += $2 }
		$2 != n[$1] || far(sum[$1], $3, $2 * 1000000) {
			print $1 ": bpftrace " $2 ", " $3 " ns; perf-lite " n[$1] + 0 ", " sum[$1] + 0 " ns"
		}
		END {
			for (k in n) if (!(k in seen)) print k ": bpftrace has none"
			if (far(ours, theirs, spans * 5000)) print "all: bpftrace " theirs " ns, perf-lite " ours " ns"
		}' "$TMP/ours" "$TMP/theirs" >"$TMP/different"
	is "$1: as many spans, and as long" "$(cat "$TMP/different")" ""
}

# maps FILE: "@n[KEY]: N" and "@ns[KEY]: NS" of bpftrace as "KEY N NS"
maps()
{
	awk -F '[][]|: ' '/^@n\[/ { n[$2] = $NF } /^@ns\[/ { ns[$2] = $NF } END { for (k in n) print k, n[k], ns[k] }' "$1" | sort
}

# --- waits for a CPU: many threads that sleep, and three that do not, all on CPU 0 ---

cat >"$TMP/on-0" <<END
exec taskset -c 0 "\$@"
END
taskset -c 0 true 2>/dev/null || echo 'exec "$@"' >"$TMP/on-0"
load=bpf-$$
cp "$PROG/waits" "$TMP/$load"
cat >"$TMP/load" <<END
sh $TMP/on-0 $TMP/$load hogs 3 600 </dev/null >$TMP/hogs &
sh $TMP/on-0 $TMP/$load crowd 50 10 5 >$TMP/crowd
wait
END
# A thread that is woken while it waits has waited since the first time; one that runs has not waited.
cat >"$TMP/program" <<END
tracepoint:sched:sched_wakeup, tracepoint:sched:sched_wakeup_new
/args->comm == "$load" && @q[args->pid] == 0/ { @q[args->pid] = nsecs; }
tracepoint:sched:sched_switch
{
	delete(@q[args->prev_pid]);
	if (args->prev_comm == "$load" && (args->prev_state == 0 || args->prev_state >= 256)) { @q[args->prev_pid] = nsecs; }
	\$begin = @q[args->next_pid];
	if (\$begin) {
		@n[args->next_pid] = count();
		@ns[args->next_pid] = sum(nsecs - \$begin);
	}
	delete(@q[args->next_pid]);
}
END { clear(@q); }
END
run_ok "both look at waits for a CPU" "$PERF_LITE" latency run-queue -q -a --by tid,comm --json -- \
	bpftrace -o "$TMP/bpftrace" "$TMP/program" -c "/bin/sh $TMP/load"
is "nothing was lost" "$(jq '.across_loss + .no_room + .reordered' "$TMP/out")" 0
# of the load's threads; its first one was something else before
awk '$1 != "wall" { print $2 }' "$TMP/hogs" "$TMP/crowd" | sort -u >"$TMP/tids"
jq -r ".rows[] | select(.comm == \"$load\") | \"\(.tid) \(.spans) \(.sum_ns)\"" "$TMP/out" | sort | join "$TMP/tids" - >"$TMP/ours"
maps "$TMP/bpftrace" | join "$TMP/tids" - >"$TMP/theirs"
is "threads" "$(wc -l <"$TMP/theirs")" 53
same "waits for a CPU"

# --- a disk of its own ---

dd if=/dev/zero of="$TMP/disk" bs=64k count=16 2>/dev/null
disk=$(losetup --find --show "$TMP/disk" 2>"$TMP/err") || skip_all "$outside: a loop device: $(head -n 1 "$TMP/err")"
at_exit "losetup -d $disk"
# as slow as what it lies on, if that can be
losetup --direct-io=on "$disk" 2>/dev/null
IFS=: read -r major minor <"/sys/block/${disk#/dev/}/dev"
cat >"$TMP/program" <<END
tracepoint:block:block_rq_issue /args->dev == $((major << 20 | minor))/ { @q[args->sector] = nsecs; }
tracepoint:block:block_rq_complete /args->dev == $((major << 20 | minor)) && @q[args->sector] != 0/
{
	@n[args->sector] = count();
	@ns[args->sector] = sum(nsecs - @q[args->sector]);
	delete(@q[args->sector]);
}
END { clear(@q); }
END
run_ok "both look at a disk" "$PERF_LITE" latency block-io -q -a --by dev,sector --json -- \
	bpftrace -o "$TMP/bpftrace" "$TMP/program" -c "$PROG/waits reads 100 $disk"
grep '^{' "$TMP/out" | jq -r ".rows[] | select(.dev == $((major << 20 | minor))) | \"\(.sector) \(.spans) \(.sum_ns)\"" | sort >"$TMP/ours"
maps "$TMP/bpftrace" >"$TMP/theirs"
ok "most reads, at least" test "$(awk '{ n += $2 } END { print n }' "$TMP/theirs")" -ge 50
same "requests of a disk"
done_testing
