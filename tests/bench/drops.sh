#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# drops.sh [N] - what it costs to record N packet drops (default 30000) with their stacks and to
# print them. One line per figure; needs root.
set -eu
: "${O:=build}"
count=${1:-30000}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

[ "$(id -u)" -eq 0 ] || { echo "drops: recording a kernel event needs root" >&2; exit 1; }

# NAME CMD...: its wall-clock seconds.
seconds()
{
	name=$1
	shift
	begin=$(date +%s%N)
	"$@" >"$tmp/out" 2>"$tmp/err" || { cat "$tmp/err" >&2; exit 1; }
	end=$(date +%s%N)
	echo "$name $(((end - begin) / 1000000)) ms"
}

seconds "drops alone" "$O/tests/prog/drops" --udp "$count"
seconds "drops recorded" "$O/perf-lite" record -e skb:kfree_skb -ag -o "$tmp/d" -- \
	"$O/tests/prog/drops" --udp "$count"
echo "recording $(wc -c <"$tmp/d") bytes for $count samples"
seconds "script" "$O/perf-lite" script -i "$tmp/d"
echo "script $(wc -c <"$tmp/out") bytes of text"
seconds "script --folded" "$O/perf-lite" script --folded -i "$tmp/d"
