#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# convert.sh [N] - what it costs to write N packet drops with their stacks (default 300000) as
# perf.data: of our recording, of perf's own, and beside that what perf takes to write such a file
# anew (perf inject). CPU seconds (user + system), the median of five runs. Needs root and perf.
set -eu
: "${O:=build}"
count=${1:-300000}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

[ "$(id -u)" -eq 0 ] || { echo "convert: recording a kernel event needs root" >&2; exit 1; }
command -v perf >/dev/null || { echo "convert: compares with perf, which is not installed" >&2; exit 1; }

# CMD...: its CPU seconds.
cpu_seconds()
{
	for run in 1 2 3 4 5; do
		perf stat -x , -o "$tmp/stat" -e task-clock -- "$@" >/dev/null 2>"$tmp/err" ||
			{ cat "$tmp/err" >&2; exit 1; }
		awk -F , '/task-clock/ { print $1 / 1000 }' "$tmp/stat"
	done | sort -n | sed -n 3p
}

row()
{
	name=$1
	shift
	s=$(cpu_seconds "$@")
	awk -v n="$name" -v s="$s" -v c="$count" -v b="$(wc -c <"$tmp/out.data")" \
		'BEGIN { printf "%-36s %8.2f %10.2f %8.0f\n", n, s, c / s / 1e6, b / s / 1e6 }'
}

"$O/perf-lite" record -q -m 16M -e skb:kfree_skb -ag -o "$tmp/own" -- \
	"$O/tests/prog/drops" --udp "$count" >"$tmp/out"
perf record -q -m 16M -e skb:kfree_skb -ag -o "$tmp/perf.data" -- \
	"$O/tests/prog/drops" --udp "$count" >"$tmp/out" 2>&1
echo "$count packet drops with stacks: $(wc -c <"$tmp/own") bytes, perf.data $(wc -c <"$tmp/perf.data") bytes"
printf '%-36s %8s %10s %8s\n' command 'CPU s' 'M samples/s' 'MB/s out'
row "perf inject" perf inject -i "$tmp/perf.data" -o "$tmp/out.data"
row "perf-lite convert -i perf.data" "$O/perf-lite" convert --to perf.data -i "$tmp/perf.data" -o "$tmp/out.data"
row "perf-lite convert" "$O/perf-lite" convert --to perf.data -i "$tmp/own" -o "$tmp/out.data"
