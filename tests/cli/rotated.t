# SPDX-License-Identifier: GPL-2.0
#
# record --switch-output where the file cannot be renamed, no room is left, or nothing is recorded.
. tests/lib.sh
need_event raw_syscalls:sys_enter
. tests/cli/recording.sh

rotated() { find "$TMP" -name 'a.data.2*' | sort; }
files() { [ "$(rotated | wc -l)" -ge "$1" ]; }
clean() { find "$TMP" -name 'a.data*' -exec rm -f {} +; }
calls() # FILE...: how many are in all of these
{
	for file; do numbers "$file"; done | awk '{ n += $1 } END { print n + 0 }'
}
switch() # COUNT: another file, until there are so many finished ones
{
	kill -USR2 "$recorder"
	wait_for 10 files "$1"
}

# Somebody else moves the file away

record_calls --switch-output=signal
storm_run 100
mv "$f" "$TMP/moved"
kill -USR2 "$recorder"
ok "a file that was moved away has a successor" wait_for 10 test -e "$f"
storm_run 200
switch 1
storm_run 300
record_end
rc_is 0 "the recording goes on"
like "and says so" "$TMP/err" '1 file of the recording was moved away'
is "every call is in one of the three" "$(calls "$TMP/moved" "$(rotated)" "$f")" 600
verified "the one that was moved is whole" "$TMP/moved"
clean

record_calls --switch-output=signal
storm_run 100
echo precious >"$TMP/other"
mv "$TMP/other" "$f"
switched() { [ -e "$f.old" ]; }
kill -USR2 "$recorder"
ok "a file that was put in its place is no file of the recording" wait_for 10 switched
record_end
rc_is 0 "the recording goes on"
like "and says so" "$TMP/err" '1 file of the recording was moved away'
is "that file is kept" "$(cat "$f.old")" precious
is "as an older one" "$(rotated | wc -l)" 0
clean

# The last one is moved, replaced, deleted

record_calls
storm_run 100
mv "$f" "$TMP/moved"
record_end
rc_is 0 "a file that was moved"
like "is named" "$TMP/err" "100 samples in .* in .*/moved$"
like "and that it was moved is said" "$TMP/err" "a.data was moved or replaced while it was written"
is "every call is there" "$(numbers "$TMP/moved")" 100
record_calls
storm_run 100
run_ok "a second recorder of that name" "$PERF_LITE" record -q -o "$f" -e dummy -- true
record_end
rc_is 0 "leaves the first one's file"
like "whose name is said" "$TMP/err" "100 samples in .* in .*/a.data.old$"
is "with every call" "$(numbers "$f.old")" 100
clean
record_calls
rm "$f"
record_end
rc_is 3 "a file that was deleted is a loss"
like "and said" "$TMP/err" "a.data was deleted while it was written"
ok "there is none" not test -e "$f"

# By time, although nothing is recorded

record_start -e dummy --switch-output=500ms -- sleep 60
ok "a file that nothing comes into has successors" wait_for 20 files 3
record_end
rc_is 0 "which are files"
verified "that are whole" "$(rotated | sed -n 2p)"
clean
run_ok "ten times a second" "$PERF_LITE" record -q -o "$f" -e dummy -a --switch-output=100ms --duration 3s
ok "one follows the other without a pause" test "$(rotated | wc -l)" -ge 18
clean

# A rename that fails once, and one that fails for good

traced() { ! grep -q '^TracerPid:.0$' /proc/"$recorder"/task/*/status; }
renames() # WHEN: from now on, those of the recorder fail
{
	strace -f -q -o "$TMP/strace" -e 'trace=/^rename' -e "inject=/^rename:error=ENOSPC:when=$1" -p "$recorder" 2>/dev/null &
	tracer=$!
	wait_for 10 traced
}

if can strace && can debugger; then
	for n in 1 3; do
		record_calls --switch-output=signal
		storm_run 100
		renames $n
		kill -USR2 "$recorder"
		ok "a rename fails: $n" wait_for 10 grep -q 'ENOSPC.*INJECTED' "$TMP/strace"
		storm_run 200
		ok "it is tried again" wait_for 10 files 1
		wait_for 10 test -e "$f"
		switch 2
		storm_run 300
		record_end
		wait $tracer
		rc_is 0 "and nothing is to be said"
		# shellcheck disable=SC2046
		is "every call is in one of three files" "$(find "$TMP" -name 'a.data*' | wc -l).$(calls $(rotated) "$f")" 3.600
		clean
	done

	record_calls --switch-output=signal
	storm_run 100
	renames 1+
	kill -USR2 "$recorder"
	wait_for 10 grep -q 'ENOSPC.*INJECTED' "$TMP/strace"
	storm_run 200
	record_end
	wait $tracer
	rc_is 3 "no rename succeeds"
	like "which is an error" "$TMP/err" "cannot name the file .*a.data.2.*: No space left on device"
	left=$(find "$TMP" -name 'a.data*.tmp')
	like "the file keeps the name that it had" "$TMP/err" "^hint: what was recorded is in $left$"
	is "and every call is there" "$(calls "$f" "$left")" 300
	verified "it is whole" "$left"
	clean
else
	skip_without "renames that fail" strace debugger
fi
done_testing
