#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# threads.sh TREE - runs what has several threads under ThreadSanitizer: some scripts of tests/cli, readings with -j, and a program
# that uses libperflite in several threads. TREE was built with SAN=thread (make check-tsan). Ends with 1 if a script failed or a race was seen;
# reports are in TREE/races. The guardian is a process of its own: what it shares with the recorder is not seen here
# (util/capture/shared_batches.h).
set -u
: "${O:=build}"
O=$(cd "$O" && pwd) || exit 1
tree=$(cd "$1" && pwd) || exit 1
races=$tree/races
rm -rf "$races" && mkdir "$races" || exit 1
ln -sfn "$O/tests" "$tree/tests"
export TSAN_OPTIONS="log_path=$races/report exitcode=0"
failed=0

# check DESCRIPTION CMD...: with the descriptions of tests that failed, or what it said
check()
{
	what=$1
	shift
	"$@" >"$races/$what.log" 2>&1 && return
	failed=$((failed + 1))
	echo "# $what failed"
	grep -v '^ok' "$races/$what.log" | sed 's/^/#   /'
}

recording()
{
	"$tree/perf-lite" record -q -a --call-graph dwarf -e cpu-clock -F 499 --switch-output=1s -o "$races/dwarf" -- sleep 2 &&
		"$tree/perf-lite" record -q -a --off-cpu -g --inline -o "$races/off-cpu" -- "$O/tests/prog/threads" 500
}

reading()
{
	"$tree/perf-lite" record -q -a -g -e cpu-clock,sched:sched_switch -o "$races/recording" -- "$O/tests/prog/threads" 2000 &&
		"$tree/perf-lite" script -i "$races/recording" -j 4 >"$races/script" &&
		"$tree/perf-lite" report -i "$races/recording" -j 8 --children >"$races/table" &&
		"$tree/perf-lite" count -i "$races/recording" -j 2 --by comm,sym >"$races/count"
}

library()
{
	${CC:-cc} -fsanitize=thread -g -Iutil/library -o "$races/library_threads" tests/inject/library_threads.c \
		-L"$tree" -lperflite -lpthread -Wl,-rpath,"$tree" &&
		"$races/library_threads" "$races/recording"
}

for name in flight on-file; do
	check $name env O="$tree" sh tests/cli/$name.t
done
check recording recording
check reading reading
check library library

# one report may be of many runs
seen=$(cat "$races"/report.* 2>/dev/null | grep '^SUMMARY' | sort | uniq -c | sort -rn)
[ -z "$seen" ] || echo "$seen" | sed 's/^/# /'
nr=$(printf '%s' "$seen" | grep -c .)
echo "$failed of 5 failed, $nr races"
[ $failed -eq 0 ] && [ "$nr" -eq 0 ]
