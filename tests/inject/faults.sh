#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# faults.sh [N [CALL...]] - lets calls of the recorder fail, one in each run: up to N (default 40)
# of each kind, spread over all that there are, with each error that the kind can have. Which of
# them it begins with is random, and said as a seed; SEED=NUMBER: the same ones. Every run
# must end well, with a file that verify finds whole, or say in a line what is wrong and leave a
# file that can be read, or none. One line for each run that did neither; ends with 1 if there was
# any. Needs root, a compiler and glibc; O= names the build.
. tests/lib.sh
[ "$(id -u)" -eq 0 ] || { echo "faults: needs root" >&2; exit 1; }
tap_done=1
most=${1:-40}
[ $# -eq 0 ] || shift
f=$TMP/a.data
${CC:-cc} -shared -fPIC -O1 -w -D_GNU_SOURCE -o "$TMP/fault.so" tests/inject/fault.c -ldl || exit 1
number=$("$PROG/storm" --number)

# within SECONDS CMD...: as timeout(1), but without the time that it waits for a lock of the kernel: others who close
# hundreds of tracepoints hold one for half a minute. Where a process hangs is the first line of $TMP/hangs.
within()
{
	within_left=$(($1 * 20))
	shift
	"$@" &
	within_pid=$!
	while grep -q '^State:.[^ZX]' "/proc/$within_pid/status" 2>/dev/null; do
		if [ $within_left -eq 0 ]; then
			grep . /proc/$within_pid/task/*/wchan | sed 's|.*task/||' | xargs >"$TMP/hangs"
			kill -KILL $within_pid
			break
		fi
		grep -q '^State:.D' /proc/$within_pid/task/*/status 2>/dev/null || within_left=$((within_left - 1))
		sleep 0.05
	done
	wait $within_pid
}

record()
{
	rm -f "$f" "$TMP/hangs"
	rc=0
	within 20 env FAULT="$1" FAULT_COUNT="$TMP/count" LD_PRELOAD="$TMP/fault.so" \
		"$PERF_LITE" record -g -o "$f" \
		-e raw_syscalls:sys_enter --filter "id == $number" -e cpu-clock -- "$PROG/storm" --seconds 0.02 200 \
		>"$TMP/out" 2>"$TMP/err" </dev/null || rc=$?
}

# Errors by their numbers: short 0, EINTR 4, EIO 5, EAGAIN 11, ENOMEM 12, EMFILE 24, ENOSPC 28
errors()
{
	case $1 in
	open) echo 24 12 ;;
	read) echo 5 4 ;;
	write) echo 28 5 4 0 ;;
	poll) echo 4 12 ;;
	mmap | malloc) echo 12 ;;
	ioctl) echo 4 5 12 ;;
	perf_event_open) echo 24 12 28 ;;
	fork | pthread_create) echo 11 ;;
	rename | ftruncate | fallocate) echo 28 5 ;;
	epoll_ctl) echo 12 ;;
	esac
}

seed=${SEED:-$(date +%N | sed 's/^0*//')}
echo "faults: seed ${seed:=0}"
runs=0 well=0 clean=0 bad=0
wrong()
{
	bad=$((bad + 1))
	tap_failed=1
	echo "$call $k of $count, error $error: $*"
	sed -n '1,3s/^/    /p' "$TMP/err"
}

judge()
{
	runs=$((runs + 1))
	lines=$(grep -c '^perf-lite: ' "$TMP/err")
	if [ -e "$TMP/hangs" ]; then
		wrong "hangs in $(cat "$TMP/hangs")"
	elif [ $rc -ge 128 ]; then
		wrong "crashes ($rc)"
	elif [ $rc -ne 0 ] && [ "$lines" -eq 0 ]; then
		wrong "ends with $rc and says nothing"
	elif [ $rc -eq 0 ] && ! "$PERF_LITE" verify -q "$f" 2>"$TMP/verify"; then
		wrong "ends well, but its file is not"
		"$PERF_LITE" verify "$f" 2>&1 | sed -n '1,3s/^/    /p'
	elif [ $rc -ne 0 ] && [ -e "$f" ]; then
		read_rc=0
		"$PERF_LITE" script -q -i "$f" >"$TMP/text" 2>&1 || read_rc=$?
		case $read_rc in
		0 | 3) clean=$((clean + 1)) ;;
		*) wrong "leaves a file that cannot be read" ;;
		esac
	elif [ $rc -ne 0 ]; then
		clean=$((clean + 1))
	else
		well=$((well + 1))
	fi
	left=$(find "$TMP" -name 'a.data?*' | wc -l)
	[ "$left" -eq 0 ] || wrong "leaves $left other files"
	find "$TMP" -name 'a.data?*' -exec rm -f {} +
}

[ $# -gt 0 ] || set -- open read write mmap ioctl perf_event_open poll epoll_ctl ftruncate fallocate rename \
	fork pthread_create malloc
for call; do
	record "$call:0:0"
	count=$(cat "$TMP/count" 2>/dev/null || echo 0)
	[ $rc -eq 0 ] || { echo "faults: the recording fails by itself: $(head -n 1 "$TMP/err")"; exit 1; }
	for error in $(errors "$call"); do
		step=$(((count + most - 1) / most))
		[ $step -gt 0 ] || continue
		k=$((1 + seed % step))
		while [ $k -le "$count" ]; do
			record "$call:$k:$error"
			judge
			k=$((k + step))
		done
	done
	echo "faults: $call, $count calls: $runs runs so far, $well well, $clean clean, $bad wrong"
done
[ $bad -eq 0 ]
