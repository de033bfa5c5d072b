# SPDX-License-Identifier: GPL-2.0
#
# perf-lite latency where the machine changes: reads in a group whose disk is throttled, a CPU that goes and comes back.
. tests/lib.sh
need_root
need_event sched:sched_switch
need_event syscalls:sys_enter_pread64
need_cmd jq

# --- reads in a group that may read 32 KiB a second ---

# throttled_group DEV: makes $group; or says why not in $why
throttled_group()
{
	v1=$(awk '$3 == "cgroup" && $4 ~ /(^|,)blkio(,|$)/ { print $2; exit }' /proc/mounts)
	v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	why="no cgroup can throttle disks here"
	if [ -e "$v1/blkio.throttle.read_bps_device" ]; then
		group=$v1/perf-lite-$$ limit=blkio.throttle.read_bps_device said="$1 32768"
	elif grep -qw io "$v2/cgroup.controllers" 2>/dev/null; then
		group=$v2/perf-lite-$$ limit=io.max said="$1 rbps=32768"
		grep -qw io "$v2/cgroup.subtree_control" || at_exit "echo -io >$v2/cgroup.subtree_control"
		echo +io >"$v2/cgroup.subtree_control" 2>/dev/null
	else
		return 1
	fi
	mkdir "$group" 2>/dev/null || return 1
	at_exit "rmdir $group"
	echo "$said" >"$group/$limit" 2>/dev/null
}

# A disk of its own, so nobody else's requests are in the figures.
why=''
dd if=/dev/zero of="$TMP/disk" bs=64k count=16 2>/dev/null
disk=$(losetup --find --show "$TMP/disk" 2>"$TMP/err") || why="no loop device: $(head -n 1 "$TMP/err")"
if [ -z "$why" ]; then
	at_exit "losetup -d $disk"
	dev=$(cat "/sys/block/${disk#/dev/}/dev")
	throttled_group "$dev" && why=''
fi
if [ -z "$why" ]; then
	cat >"$TMP/throttled" <<-END
	echo \$\$ >"$group/cgroup.procs"
	exec "\$@"
	END
	run_ok "16 throttled reads of 4 KiB" "$PERF_LITE" record -q -a -m 8M -e block:block_rq_issue,block:block_rq_complete \
		-e raw_syscalls:sys_enter,raw_syscalls:sys_exit -o "$TMP/data" -- sh "$TMP/throttled" "$PROG/waits" reads 16 "$disk"
	sed -n 's/^read //p' "$TMP/out" >"$TMP/said"
	read -r tid first last <"$TMP/said"
	"$PERF_LITE" latency syscalls --by tid,id --trace --json -q -i "$TMP/data" 2>"$TMP/err" |
		jq -r "select(.tid == $tid and .id.name? == \"pread64\") | \"\(.begin_ns) \(.end_ns)\"" |
		awk -v first="$first" '$2 >= first' >"$TMP/calls" # the loader reads, too
	dev_number=$((${dev%:*} << 20 | ${dev#*:}))
	"$PERF_LITE" latency block-io --by dev --trace --json -q -i "$TMP/data" 2>"$TMP/err" |
		jq -r "select(.dev == $dev_number) | \"\(.begin_ns) \(.end_ns)\"" >"$TMP/requests"
	is "reads, calls and requests" "$(wc -l <"$TMP/said") $(wc -l <"$TMP/calls") $(wc -l <"$TMP/requests")" "16 16 16"
	paste -d' ' "$TMP/said" "$TMP/calls" "$TMP/requests" | awk -v slack=20000 '
		{ said += $3 - $2; calls += $5 - $4; requests += $7 - $6 }
		$4 < $2 - slack || $5 > $3 + slack { print "read " NR ": a call outside" }
		$6 < $4 - slack || $7 > $5 + slack { print "read " NR ": a request outside of its call" }
		END {
			# the first few pass at once
			if (said < 1e9) print "not throttled: " said " ns"
			# the throttle holds what is no request yet: calls see it, requests do not
			if (calls < said * 0.99 - 1e7) print "calls: " calls " ns of " said
			if (requests > said / 2) print "requests: " requests " ns of " said
		}' >"$TMP/different"
	is "each request is in its call, and that in what the reader saw; only calls see the throttle" "$(cat "$TMP/different")" ""
else
	skip_outside "throttled reads" "$why"
fi

# --- a CPU that goes and comes back ---

need hotplug
need_cmd taskset
cpu=1
online=/sys/devices/system/cpu/cpu$cpu/online
[ -w "$online" ] && [ "$(cat "$online")" = 1 ] || skip_all "$outside: CPU $cpu cannot be taken offline here"
at_exit "echo 1 >$online"
run sh -c "echo 0 >$online"
[ $rc -eq 0 ] || skip_all "$outside: CPU $cpu cannot be taken offline here: $(cat "$TMP/err")"
echo 1 >"$online"
comm=moving-$$
program=$TMP/$comm
cp "$PROG/waits" "$program"

# Sixteen threads that move between CPUs, for 2 seconds at least. What happens on a CPU between its return and the moment when
# its events are opened, nobody sees: a begin and the end of a later wait would make a span of both.
run_beside()
{
	(
		for i in 1 2; do
			sleep 0.5
			echo 0 >"$online"
			sleep 0.3
			echo 1 >"$online"
		done
	) &
	changing=$!
	run "$@"
	wait $changing
}

# inside DESC: the spans of $TMP/spans are inside of what $TMP/said says, and not all of them are left out
inside()
{
	sort -k1,1n -k2,2n "$TMP/said" | awk -v slack=20000 '
		FNR == NR { i = ++n[$1]; begin[$1, i] = $2; end[$1, i] = $3; next }
		{
			for (i = last[$1] + 1; i <= n[$1] && end[$1, i] + slack < $3; i++)
				last[$1] = i
			if (i > n[$1] || $2 < begin[$1, i] - slack)
				print "thread " $1 ": " $3 - $2 " ns from " $2
		}' - "$TMP/spans" >"$TMP/different"
	is "$1: each span is inside of one wait" "$(cat "$TMP/different")" ""
	ok "$1: most waits are spans" test "$(wc -l <"$TMP/spans")" -gt 2000
}

points="--from syscalls:sys_enter_clock_nanosleep:tid --to syscalls:sys_exit_clock_nanosleep:tid"
run_beside "$PERF_LITE" latency $points -a --comm "$comm" --by tid --trace --json -- \
	sh -c 'exec "$0" crowd 16 500 2 >"$1"' "$program" "$TMP/said.all"
rc_is 0 "threads that move, live"
like "it is said that the CPU was offline" "$TMP/err" 'CPU offline, CPU 1'
sed -n 's/^sleep //p' "$TMP/said.all" >"$TMP/said"
grep '^{' "$TMP/out" | jq -r '"\(.tid) \(.begin_ns) \(.end_ns)"' >"$TMP/spans"
inside "live"

run_beside "$PERF_LITE" record -q -a --include-self -m 8M -e sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new \
	-e raw_syscalls:sys_enter,raw_syscalls:sys_exit,irq:softirq_entry,irq:softirq_exit -o "$TMP/data" -- "$program" crowd 16 500 2
rc_is 0 "everybody's events"
sed -n 's/^sleep //p; s/^futex //p' "$TMP/out" >"$TMP/said"
"$PERF_LITE" latency syscalls --comm "$comm" --min 1ms --by tid,id --trace --json -q -i "$TMP/data" 2>"$TMP/err" |
	jq -r 'select(.id.name? == "clock_nanosleep") | "\(.tid) \(.begin_ns) \(.end_ns)"' >"$TMP/spans"
inside "recorded"

for preset in run-queue off-cpu syscalls softirq; do
	run_ok "$preset" "$PERF_LITE" latency $preset --json -q -i "$TMP/data"
	is "$preset: the account closes" "$(jq -c '[.begins - .spans - .restarts - .given_up - .across_loss - .reordered - .no_room - .open,
		.ends - .spans - .across_loss - .reordered - .ends_without_begin]' "$TMP/out")" "[0,0]"
	is "$preset: nothing is longer than the window" "$(jq -c '(.window_ns[1] - .window_ns[0]) as $window | [.max_ns, .oldest_open_ns,
		.rows[].max_ns] | map(select(. != null and (. < 0 or . > $window)))' "$TMP/out")" "[]"
done
run_ok "states" "$PERF_LITE" latency states --json -q -i "$TMP/data"
is "states: the parts of each thread are the whole" "$(jq -c '[.rows[] | .sum_ns - .running_ns - .runnable_ns - .sleeping_ns -
	.uninterruptible_ns - .stopped_ns - .unknown_ns | select(. != 0)]' "$TMP/out")" "[]"
is "states: no more of them ran than there are CPUs" "$(jq --argjson cpus "$(getconf _NPROCESSORS_CONF)" \
	'.running_ns <= (.window_ns[1] - .window_ns[0]) * $cpus' "$TMP/out")" true
done_testing
