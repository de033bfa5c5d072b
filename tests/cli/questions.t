#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# docs/questions.md: each command runs, and prints what its answer there begins with: the same columns, the same words.
. tests/lib.sh
need_root
need everybody tracepoints bpf btf uprobes first-pids capstone
need_cmd bash
need_cmd flock
need_cmd gzip
need_event sched:sched_switch block:block_rq_issue signal:signal_generate syscalls:sys_enter_write

mkdir "$TMP/bin"
case $PERF_LITE in
/*) ln -s "$PERF_LITE" "$TMP/bin/perf-lite" ;;
*) ln -s "$PWD/$PERF_LITE" "$TMP/bin/perf-lite" ;;
esac
run_ok "all commands run" env PATH="$TMP/bin:$PATH" LC_ALL=C sh scripts/dev/questions docs/questions.md "$TMP/work"

# commands and the title lines of their tables
shape()
{
	awk '/^    \$ / { print; next }
		/^    +count .*[a-z]$/ { print $1, $NF }' "$1"
}
shape docs/questions.md >"$TMP/want"
shape "$TMP/out" >"$TMP/got"
is_file "and print the tables that the page shows" "$TMP/got" "$TMP/want"
# a command without an answer has none there, either
answers()
{
	awk '/^    \$ / { if (n && !lines) print n; n++; lines = 0; next } /^    / { lines++ }' "$1"
}
answers docs/questions.md >"$TMP/want"
answers "$TMP/out" >"$TMP/got"
is_file "and say something where the page does" "$TMP/got" "$TMP/want"
done_testing
