#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# record.sh [N] - the recorder beside perf's on the same storm of N packet drops (default 100000) with
# call stacks: CPU time of the recorder alone, and bytes of its file. Each in turn, five rounds; prints
# medians, and ratios to perf record. Needs root and perf.
set -eu
: "${O:=build}"
count=${1:-100000}
rounds=5
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

[ "$(id -u)" -eq 0 ] || { echo "record: recording a kernel event needs root" >&2; exit 1; }
perf --version >/dev/null 2>&1 || { echo "record: needs perf" >&2; exit 1; }
mount | grep -q ' /sys/kernel/tracing ' || mount -t tracefs tracefs /sys/kernel/tracing

# The recorder is the only child of a shell of its own, whose times(1) then tell its CPU time; the load
# runs outside of it.
one() # NAME FILE COMMAND...
{
	name=$1 file=$2
	shift 2
	(
		"$@" >"$tmp/out" 2>&1 &
		echo $! >"$tmp/pid"
		wait $! || :
		times
	) >"$tmp/times" &
	shell=$!
	sleep 1.5
	"$O/tests/prog/drops" --udp "$count" >"$tmp/load"
	sleep 0.7
	kill -INT "$(cat "$tmp/pid")"
	wait $shell
	awk -v name="$name" -v bytes="$(wc -c <"$file")" '
		function seconds(t) { split(t, p, /[ms]/); return p[1] * 60 + p[2] }
		NR == 2 { printf "%s %.3f %d\n", name, seconds($1) + seconds($2), bytes }' "$tmp/times" >>"$tmp/figures"
	rm -f "$file" "$file.old"
}

i=0
while [ $i -lt $rounds ]; do
	i=$((i + 1))
	one perf-lite "$tmp/a" "$O/perf-lite" record -e skb:kfree_skb -ag -m 8M -o "$tmp/a"
	one perf "$tmp/b" perf record -e skb:kfree_skb -ag -m 8M -o "$tmp/b"
	one perf-z "$tmp/c" perf record -z -e skb:kfree_skb -ag -m 8M -o "$tmp/c"
done

median() { # NAME FIELD
	awk -v n="$1" -v f="$2" '$1 == n { print $f }' "$tmp/figures" | sort -n | sed -n "$(((rounds + 1) / 2))p"
}
perf_cpu=$(median perf 2) perf_bytes=$(median perf 3)
printf '%-10s %12s %8s %14s %8s\n' recorder "CPU s" "of perf" "bytes" "of perf"
for n in perf-lite perf perf-z; do
	awk -v n=$n -v c="$(median $n 2)" -v b="$(median $n 3)" -v pc="$perf_cpu" -v pb="$perf_bytes" 'BEGIN {
		printf "%-10s %12.3f %7.2fx %14d %7.3fx\n", n, c, c / pc, b, b / pb }'
done
