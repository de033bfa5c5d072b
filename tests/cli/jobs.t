#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# jobs.t - script -j: with any number of threads the text is the same, byte for byte, and so is what
# is said of damage.
. tests/lib.sh
need_event skb:kfree_skb
need_event sched:sched_switch

# a block is written every second: several of them
run_ok "records drops" "$PERF_LITE" record -q -e skb:kfree_skb -ag -o "$TMP/drops" -- \
	sh -c 'for i in 1 2 3 4; do "$1" --udp 8000; sleep 1.1; done' sh "$PROG/drops"
run_ok "records several events" "$PERF_LITE" record -q \
	-e sched:sched_switch,page-faults,cpu-clock -ag -o "$TMP/several" -- "$PROG/threads" 5000
run_ok "records stacks by unwind information" "$PERF_LITE" record -q --call-graph dwarf \
	-o "$TMP/dwarf" -- "$PROG/deep" 20 300 2

size=$(wc -c <"$TMP/drops")
head -c "$((size * 2 / 3))" "$TMP/drops" >"$TMP/cut"
cp "$TMP/drops" "$TMP/damaged"
printf '\377\377\377\377\377\377\377\377' |
	dd of="$TMP/damaged" bs=1 seek="$((size / 2))" conv=notrunc 2>/dev/null

same()
{
	file=$1
	shift
	for jobs in 1 2 3 8; do
		"$PERF_LITE" script -i "$TMP/$file" -j "$jobs" "$@" >"$TMP/text.$jobs" \
			2>"$TMP/notes.$jobs" && code=0 || code=$?
		echo "exit $code" >>"$TMP/notes.$jobs"
	done
	for jobs in 2 3 8; do
		cmp "$TMP/text.1" "$TMP/text.$jobs" >"$TMP/out" 2>&1 &&
			cmp "$TMP/notes.1" "$TMP/notes.$jobs" >>"$TMP/out" 2>&1 || break
		jobs=
	done
	is "$file $*: 1, 2, 3 and 8 threads print the same" "${jobs:+differs with $jobs}" ""
	ok "$file $*: and something" test -s "$TMP/text.1"
}

for file in drops several dwarf cut damaged; do
	same "$file"
	same "$file" -G --ns
	same "$file" --compat=6.1
	same "$file" --quality
done
same drops --folded
same several --folded=sched:sched_switch
same dwarf --folded
same several -F comm,tid,time,ip,sym --time 0,
run "$PERF_LITE" script -i "$TMP/drops" -j none
rc_is 1 "a number of threads is a number"
done_testing
