#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# convert.sh [N] - what it costs to write N packet drops with their stacks (default 300000) in each
# format: of our recording, of perf's own as perf.data, and beside that what perf takes to write
# such a file anew (perf inject), or its text. CPU seconds (user + system) as the median of five
# runs, and the largest memory. Needs root and perf.
set -eu
: "${O:=build}"
count=${1:-300000}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

[ "$(id -u)" -eq 0 ] || { echo "convert: recording a kernel event needs root" >&2; exit 1; }
command -v perf >/dev/null || { echo "convert: compares with perf, which is not installed" >&2; exit 1; }

# CMD...: its CPU seconds and largest memory in KB.
cost()
{
	for run in 1 2 3 4 5; do
		command time -o "$tmp/cost" -f '%U %S %M' "$@" >/dev/null 2>"$tmp/err" ||
			{ cat "$tmp/err" >&2; exit 1; }
		awk '{ print $1 + $2, $3 }' "$tmp/cost"
	done | sort -n | sed -n 3p
}

# NAME OUT CMD...
row()
{
	name=$1 out=$2
	shift 2
	cost "$@" >"$tmp/row"
	awk -v n="$name" -v c="$count" -v b="$(wc -c <"$out")" \
		'{ printf "%-36s %8.2f %12.2f %8.1f %10.1f\n", n, $1, $1 / c * 1e6, $2 / 1024, b / 1e6 }' "$tmp/row"
}

"$O/perf-lite" record -q -m 16M -e skb:kfree_skb -ag -o "$tmp/own" -- \
	"$O/tests/prog/drops" --udp "$count" >"$tmp/out"
perf record -q -m 16M -e skb:kfree_skb -ag -o "$tmp/perf.data" -- \
	"$O/tests/prog/drops" --udp "$count" >"$tmp/out" 2>&1
echo "$count packet drops with stacks: $(wc -c <"$tmp/own") bytes, perf.data $(wc -c <"$tmp/perf.data") bytes"
printf '%-36s %8s %12s %8s %10s\n' command 'CPU s' 'per million' 'MB' 'MB out'
row "perf inject" "$tmp/x" perf inject -i "$tmp/perf.data" -o "$tmp/x"
row "perf-lite --to perf.data, of that" "$tmp/x" "$O/perf-lite" convert --to perf.data -i "$tmp/perf.data" -o "$tmp/x"
"$O/perf-lite" convert --help | sed -n '/^Formats:/,/^Exit/s/^  \([a-z.]*\) .*/\1/p' >"$tmp/formats"
while read -r format; do
	row "perf-lite --to $format" "$tmp/x" "$O/perf-lite" convert --to "$format" -i "$tmp/own" -o "$tmp/x" </dev/null
done <"$tmp/formats"
