# SPDX-License-Identifier: GPL-2.0
#
# A flight recorder that is killed: what it kept in memory becomes a file all the same. A recorder
# of several files that is killed between two of them.
. tests/lib.sh
need_event raw_syscalls:sys_enter
. tests/cli/recording.sh

rotated() { find "$TMP" -name 'a.data.2*' | sort; }
rotated_whole() { [ "$(rotated | wc -l)" -ge "$1" ] && "$PERF_LITE" verify -q "$(rotated | tail -n 1)"; }
clean() { find "$TMP" -name 'a.data*' -exec rm -f {} +; }

killed()
{
	kill -KILL $recorder
	wait $recorder 2>/dev/null
	recorder=''
	ok "$1: the guardian ends" guard_wait
	guard=''
}

# What was written into memory, what waited for it, and what was in the rings

record_calls --keep-last 60s -m 16M
storm_run 30000
sleep 1.5
storm_run 20000
killed "after two loads"
verified "the file is whole"
is "every call is there" "$(numbers)" 50000
like "the guardian says so" "$TMP/rec.err" "killed; its guardian finished .*: 50000 samples, 50000 of them rescued"
is "mode 0600" "$(stat -c %a "$f")" 600
ok "nothing else is left" test "$(find "$TMP" -name 'a.data?*' | wc -l)" -eq 0
clean

# Blocks have left: what was told of tasks in these is still known

record_calls --keep-last 1s -m 16M
storm_start --seconds 6 60
storm_go
sleep 4
killed "with blocks that have left"
kill $storm 2>/dev/null
storm_wait 2>/dev/null
verified "the file is whole"
n=$(numbers)
ok "the latest are there" test "$n" -ge 5
ok "the first are not" test "$(first)" -gt 0
is "without a gap" "$(missing "$(first)" "$(last)").$(doubled)" 0.0
is "each has its command's name" "$("$PERF_LITE" script -q -i "$f" -G -F comm | grep -c "storm-$$")" "$n"
clean

# The next file is what was kept, not what a snapshot took from it

record_calls --keep-last 60s -m 16M
storm_run 300
kill -USR2 $recorder
ok "a snapshot" wait_for 10 rotated_whole 1
storm_run 200
killed "after a snapshot"
verified "the file is whole"
is "it has all that was kept" "$(numbers)" 500
is "and the snapshot is as it was" "$(numbers "$(rotated)")" 300
clean

# More than the memory holds, in the middle of it

storm_start 100000000
record_calls --keep-last 100ms -m 4M
storm_go
sleep 2
killed "in a storm"
kill $storm
storm_wait 2>/dev/null
verified "the file is whole"
ok "some are there" test "$(numbers)" -gt 100
is "none twice" "$(doubled)" 0
clean

# Buffers that overwrite themselves

record_calls --overwrite -m 16
storm_run 20000
killed "--overwrite"
verified "the file is whole"
ok "what the buffers held is there" test "$(numbers)" -gt 100
is "up to the very last" "$(last)" 19999
is "none twice" "$(doubled)" 0
clean

# The same when there is side-band that came long after what the buffers hold: of many short processes

record_calls --overwrite -m 16
storm_run 20000
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	sleep 0.1
done
killed "--overwrite, some time later"
verified "the file is whole"
n=$(numbers)
is "up to the very last" "$(last)" 19999
is "each has its command's name" "$("$PERF_LITE" script -q -i "$f" -G -F comm | grep -c "storm-$$")" "$n"
clean

# As perf.data

record_calls --keep-last 60s -m 16M --format=perf
storm_run 500
killed "--format=perf"
run "$PERF_LITE" script -i "$f" -G -F time
is "every call is there" "$(wc -l <"$TMP/out")" 500
clean

# Between one file and the next: when the thread that writes makes its K-th call of that name

traced() { ! grep -q '^TracerPid:.0$' /proc/"$recorder"/task/*/status; }

# killed_in CALL K
killed_in()
{
	storm_start 40000
	# on one CPU: the guardian ends one ring after the other
	taskset -pc 0 "$storm" >/dev/null 2>&1
	record_calls -z0 -m 16M --switch-output=100K
	strace -f -q -o "$TMP/strace" -e "trace=/^$1" -e "inject=/^$1:signal=KILL:when=$2" -p "$recorder" 2>/dev/null &
	tracer=$!
	ok "$1, $2: attached" wait_for 10 traced
	storm_go
	storm_wait
	# the guardian's recording ends at the kill: beside other work, some calls come later
	over=39999
	alive $recorder || over=''
	wait $tracer 2>/dev/null
	wait $recorder 2>/dev/null
	recorder=''
	ok "the guardian ends" guard_wait
	guard=''
	verified "the file is whole"
	all=''
	for file in "$TMP"/a.data*; do
		verified "so is $(echo "${file#"$TMP/"}" | sed 's/[0-9]\{5,\}/TIME/')" "$file"
		numbers "$file" >/dev/null
		all="$all $TMP/in-$(basename "$file")"
		mv "$TMP/numbers" "$TMP/in-$(basename "$file")"
	done
	cat $all >"$TMP/numbers"
	ok "calls are there" test "$(last)" -gt 0
	is "every call until the end is in one of them, none twice" "$(missing 0 "${over:-$(last)}").$(doubled)" 0.0
	clean
}

if can strace && can debugger; then
	killed_in rename 1
	killed_in rename 2
	killed_in rename 3
	killed_in ftruncate 1

	# killed_with SIGNAL CALL DESC: at the first such call after that signal
	killed_with()
	{
		record_calls --keep-last 60s -m 16M
		storm_run 300
		strace -f -q -o "$TMP/strace" -e trace="$2" -e "inject=$2:signal=KILL:when=1" -p "$recorder" 2>/dev/null &
		tracer=$!
		ok "attached" wait_for 10 traced
		kill -"$1" $recorder
		wait $tracer 2>/dev/null
		wait $recorder 2>/dev/null
		recorder=''
		ok "killed $3: the guardian ends" guard_wait
		guard=''
		verified "the file is whole"
		is "every call is there" "$(numbers)" 300
	}
	killed_with INT fallocate "while it writes what it kept"
	is "nothing else is left" "$(find "$TMP" -name 'a.data?*')" ""
	clean
	for words in 'fallocate 0 while it writes a snapshot' 'ftruncate 1 when a snapshot has just got its name'; do
		# shellcheck disable=SC2086
		set -- $words
		call=$1 snapshots=$2
		shift 2
		killed_with USR2 "$call" "$*"
		is "snapshots" "$(rotated | wc -l)" "$snapshots"
		rotated | while read -r file; do "$PERF_LITE" verify -q "$file" || echo "$file"; done >"$TMP/torn"
		is "none is torn" "$(cat "$TMP/torn")" ""
		clean
	done
else
	skip_without "between one file and the next" strace debugger
fi
ok "nobody is left" wait_for 10 nobody_left
done_testing
