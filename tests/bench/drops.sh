#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# drops.sh [N [ROUNDS]] - dropped packets, N of them (default 60000): what being asked which packet it was costs the load, beside
# perf record, which does not know, and bpftrace, which counts by reason and address; then what it costs to record them
# with their stacks and to print them. Medians of runs in turn; needs root.
. tests/bench/lib
need_perf
count=${1:-60000}
turns=${2:-5}
bpf='tracepoint:skb:kfree_skb { $skb = (struct sk_buff *)args->skbaddr; $ip = (struct iphdr *)($skb->head + $skb->network_header); @[args->reason, $ip->daddr] = count(); }'

one()
{
	case $1 in
	alone) set -- ;;
	perf) set -- perf record -m 8M -e skb:kfree_skb --exclude-perf -a -o "$tmp/perf.data" -- ;;
	drops) set -- "$PERF_LITE" drops -e skb:kfree_skb --by place,reason -- ;;
	by-flow) set -- "$PERF_LITE" drops --by reason,dev,netns,flow -- ;;
	packets) set -- "$PERF_LITE" record -m 8M -e skb:kfree_skb --packets -a -o "$tmp/a" -- ;;
	pcapng) set -- "$PERF_LITE" drops --pcapng "$tmp/p.pcapng" -- ;;
	bpftrace) set -- bpftrace -e "$bpf" -c ;;
	esac
	if [ "${1:-}" = bpftrace ]; then
		measured "$@" "$(command -v "$PROG/drops") --udp $count"
	else
		measured "$@" "$PROG/drops" --udp "$count"
	fi
	[ $status -eq 0 ] || { cat "$tmp/err" >&2; exit 1; }
	figure "$name" "$((cpu_us * 1000 / count))" "$wall_ms" "$({ cat "$tmp/err" "$tmp/out"; } | sed -n 's/.*[ (]\([0-9]*\) lost.*/\1/p' | head -n 1)"
	rm -f "$tmp/perf.data"* "$tmp/a"* "$tmp/p.pcapng"
}

ways='alone perf drops by-flow packets pcapng'
command -v bpftrace >/dev/null && ways="$ways bpftrace"
# shellcheck disable=SC2086
in_turn "$turns" one $ways
printf '%-10s %16s %10s %20s\n' "$count drops" "CPU ns a drop" "wall ms" "added CPU, of perf's"
for n in $ways; do
	awk -v n="$n" -v c="$(median "$n" 1)" -v w="$(median "$n" 2)" -v a="$(median alone 1)" -v p="$(median perf 1)" 'BEGIN {
		printf "%-12s %14d %10d %19.2fx\n", n, c, w, (c - a) / (p - a) }'
done

# NAME CMD...: its wall-clock time.
stage()
{
	stage=$1
	shift
	measured "$@"
	[ $status -eq 0 ] || { cat "$tmp/err" >&2; exit 1; }
	echo "$stage $wall_ms ms"
}
stage "recorded with stacks" "$PERF_LITE" record -e skb:kfree_skb -ag -o "$tmp/d" -- "$PROG/drops" --udp "$count"
echo "recording $(wc -c <"$tmp/d") bytes for $count samples"
stage "script" "$PERF_LITE" script -i "$tmp/d"
echo "script $(wc -c <"$tmp/out") bytes of text"
stage "script --folded" "$PERF_LITE" script --folded -i "$tmp/d"
