#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# columns.sh [FILE...] - what the coding of records costs and saves (tests/bench/columns.c), for each
# of the recordings given, ours or perf's; without any, for three that it makes itself. CPU time in ns
# per record: add and end are the encoder's, with zstd level 1 and blocks of 4 MiB; bare is decoding
# without call chains and raw data, one is decoding the samples of CPU 0 alone. Needs root and a compiler.
. tests/bench/lib
need_cmd "${CC:=cc}"

# shellcheck disable=SC2086
$CC -std=gnu11 -O2 -I. -D_GNU_SOURCE ${CFLAGS:-} ${LDFLAGS:-} -o "$tmp/columns" tests/bench/columns.c \
	"$O/libperflite.a" -lelf -lzstd -lxxhash -liberty -lpthread

# NAME OPTIONS COMMAND
record()
{
	# shellcheck disable=SC2086
	"$PERF_LITE" record $2 -m 8M -o "$tmp/$1" -- $3 >"$tmp/out" 2>&1 </dev/null || {
		cat "$tmp/out" >&2
		exit 1
	}
}

if [ $# -eq 0 ]; then
	record drops-g '-e skb:kfree_skb -ag' "$PROG/drops --udp 60000 --tcp 10000"
	record switches-g '-e sched:* -ag' "$PROG/threads 20000"
	record clock-g '-e cpu-clock -F 4999 -ag' \
		"$CC -I. -O2 -D_GNU_SOURCE -c -o $tmp/x.o tests/bench/columns.c"
	set -- "$tmp/drops-g" "$tmp/switches-g" "$tmp/clock-g"
fi
printf '%-12s %9s %8s %8s %7s %7s %7s %7s %7s\n' file records B/rec coded add end decode bare one
for f; do
	printf '%-12s' "$(basename "$f")"
	"$tmp/columns" "$f"
done
