# SPDX-License-Identifier: GPL-2.0
#
# record --on-file: a command for each finished file, beside a recorder that does not wait for it.
. tests/lib.sh
need_event raw_syscalls:sys_enter
. tests/cli/recording.sh

# what commands write: the files that they were given
LOG=$TMP/log DONE=$TMP/done GO=$TMP/open
export PERF_LITE LOG DONE GO
note='echo "${PERF_LITE_FILE##*/}" >>"$LOG"'
# until the test lets it go on
hold='while [ ! -e "$GO" ]; do sleep 0.05; done'

rotated() { find "$TMP" "$DONE" -maxdepth 1 -name 'a.data.2*' | sed 's|.*/||' | sort; }
given() { [ "$(wc -l 2>/dev/null <"$LOG")" -ge "$1" ]; }
files() { [ "$(rotated | wc -l)" -eq "$1" ]; }
none_left() # SESSION
{
	for p in $(pgrep -s "$1"); do
		! alive "$p" || return 1
	done
}
# begin another file, until there are so many finished ones
switched()
{
	kill -USR2 "$recorder"
	wait_for 10 files "$1"
}
clean()
{
	find "$TMP" -maxdepth 1 -name 'a.data*' -exec rm -f {} +
	rm -rf "$DONE" "$LOG" "$GO"
	mkdir "$DONE"
	: >"$LOG"
}
clean

# Each file, whole, once, in order

record_calls -z0 -m 16M --switch-output=100K --on-file '"$PERF_LITE" verify -q {} && '"$note"' && mv {} "$DONE"'
storm_run --seconds 2 100000
record_end
rc_is 0 "a command for each file"
rotated >"$TMP/want"
ok "several files" test "$(wc -l <"$TMP/want")" -ge 2
echo a.data >>"$TMP/want"
is_file "all of them, the last one last" "$LOG" "$TMP/want"
find "$DONE" -name 'a.data*' | while read -r file; do
	numbers "$file" >"$TMP/count"
	cat "$TMP/numbers"
done >"$TMP/all"
mv "$TMP/all" "$TMP/numbers"
is "with every call, once" "$(wc -l <"$TMP/numbers").$(missing 0 99999).$(doubled)" 100000.0.0
is "nothing was lost" "$(closing lost)" 0
unlike "nothing to remark" "$TMP/err" on-file
clean

# Names of any bytes; a name that is an option

odd="$TMP/it's \"\$x\" \\ {} ;
line .data"
run_ok "an odd name" "$PERF_LITE" record -q -e cpu-clock -o "$odd" --on-file \
	'printf "%s\n" {} "{}" pre{}post >"$LOG"; sh -c '\''printf "%s\n" {} >>"$LOG"'\' -- true
printf '%s\n' "$odd" "$odd" "pre${odd}post" "$odd" >"$TMP/want"
is_file "is one word, wherever it is" "$LOG" "$TMP/want"
run_ok "without braces" "$PERF_LITE" record -q -e cpu-clock -o "$odd" --on-file 'printf "%s\n" first >"$LOG"' -- true
printf 'first\n%s\n' "$odd" >"$TMP/want"
is_file "it comes last" "$LOG" "$TMP/want"
: >"$LOG"
run_ok "with the variable" "$PERF_LITE" record -q -e cpu-clock -o "$odd" --on-file 'echo "$PERF_LITE_FILE" >"$LOG"' -- true
echo "$odd" >"$TMP/want"
is_file "it does not" "$LOG" "$TMP/want"
mkdir "$TMP/dir"
(cd "$TMP/dir" && "$PERF_LITE" record -q -e cpu-clock -o -n --on-file 'cd / && ls {} >"$LOG"' -- true)
is "a path is absolute" "$(cat "$LOG")" "$TMP/dir/-n"
clean

# What a command has of the recorder

show=': {}; cat; ls /proc/self/fd | tr "\n" " "; cut -d" " -f5,6,41 /proc/self/stat; echo $$; exec grep SigBlk /proc/self/status'
under=
chrt -f 1 true 2>/dev/null && under='chrt -f 1'
# shellcheck disable=SC2086
echo text | $under "$PERF_LITE" record -q -e cpu-clock -o "$f" --on-file "$show" -- true >"$TMP/out" 2>"$TMP/err" 7<"$LOG"
is "nothing on standard output" "$(wc -c <"$TMP/out")" 0
pid=$(sed -n 2p "$TMP/err")
is "no descriptors, its own process group and session, no priority" "$(sed -n 1p "$TMP/err")" "0 1 2 3 $pid $pid 0"
like "no signal is blocked" "$TMP/err" '^SigBlk:.0*$'
clean

# Its exit status

run "$PERF_LITE" record -q -e cpu-clock -o "$f" --on-file 'true' -- sh -c 'exit 7'
rc_is 7 "the recorded command's"
run "$PERF_LITE" record -q -e cpu-clock -o "$f" --on-file 'kill -9 $$;:' -- sh -c 'exit 7'
rc_is 3 "or that of a command that was killed"
like "which is named" "$TMP/err" "^perf-lite: --on-file: the command failed for 1 of 1 file, first for $f: killed by signal 9$"
like "with what repeats it" "$TMP/err" "^hint: to try it again: PERF_LITE_FILE=$f sh -c 'kill -9 "
clean

record_calls --switch-output=signal --on-file 'echo {} >>"$LOG"; given=$(wc -l <"$LOG"); [ $given -ne 2 ] && [ $given -ne 3 ] || exit 5'
switched 1
switched 2
ok "a failure is reported at once" wait_for 10 grep -q "on-file: the command failed for $TMP/a.data.2.*: exit status 5" "$TMP/rec.err"
switched 3
ok "and the next file is given" wait_for 10 given 3
record_end
rc_is 3 "some failed"
like "how many" "$TMP/err" "^perf-lite: --on-file: the command failed for 2 of 4 files, first for $(sed -n 2p "$LOG"): exit status 5$"
is "once" "$(grep -c 'on-file' "$TMP/err")" 2
verified "the recording is whole"
clean

# A command that takes long

record_calls -z0 -m 4M --switch-output=100K --on-file "$note; $hold"
storm_run --seconds 2 100000
kill -INT $recorder
ok "record waits" wait_for 20 grep -q 'waiting for the command' "$TMP/rec.err"
is "one command at a time" "$(wc -l <"$LOG")" 1
: >"$GO"
record_wait
rc_is 0 "a slow command"
is "nothing is lost meanwhile" "$(closing lost).$(closing samples)" 0.100000
rotated >"$TMP/want"
echo a.data >>"$TMP/want"
is_file "every file was given, in order" "$LOG" "$TMP/want"
n=$(wc -l <"$TMP/want")
# on a busy machine fewer are written
ok "there were enough to wait" test "$n" -ge 3
like "how many waited" "$TMP/err" "slower than the recording: up to $((n - 1)) files waited for it$"
clean

# Files that are deleted while they wait

record_calls --switch-output=signal --switch-max-files 2 --on-file "$note; $hold; test -e {}"
switched 1
first=$(rotated)
wait_for 10 given 1
switched 2
switched 3
two=$(rotated | sed -n 2p)
# from now on as many go as come
kill -USR2 "$recorder"
wait_for 10 not test -e "$TMP/$two"
three=$(rotated | sed -n 2p)
kill -USR2 "$recorder"
wait_for 10 not test -e "$TMP/$three"
ok "the file in use stays" test -e "$TMP/$first"
files 3
is "and two more" "$(rotated | wc -l)" 3
rotated >"$TMP/want"
echo a.data >>"$TMP/want"
: >"$GO"
record_end
rc_is 3 "some were deleted"
is_file "the others are given" "$LOG" "$TMP/want"
like "how many were not" "$TMP/err" 'on-file: 2 files were deleted before the command was given them: .*--switch-max-files'
clean

# Ctrl-C, twice

record_calls --switch-output=signal --on-file 'echo $$ >>"$LOG"; sleep 1000; : {}'
switched 1
wait_for 10 given 1
kill -INT $recorder
wait_for 20 grep -q 'waiting for the command, 1 more file waits' "$TMP/rec.err"
kill -INT $recorder
record_wait
rc_is 3 "the second one ends the wait"
like "which is reported" "$TMP/err" 'on-file: interrupted: the command was not run for 2 files'
unlike "it is no failure of the command" "$TMP/err" "failed"
is "one had been started" "$(wc -l <"$LOG")" 1
ok "nothing is left" wait_for 5 none_left "$(cat "$LOG")"
verified "the recording is whole"
clean

record_calls --on-file 'trap "" TERM; echo $$ >>"$LOG"; sleep 1000; : {}'
kill -INT $recorder
wait_for 20 given 1
wait_for 20 grep -q 'waiting for the command, 0 more' "$TMP/rec.err"
kill -TERM $recorder
record_wait
rc_is 3 "one that does not end when it is asked to"
ok "is killed" wait_for 5 none_left "$(cat "$LOG")"
clean

# A flight recorder; a recorder that is killed

record_calls --keep-last 30s --on-file "$note"
storm_run 10
kill -USR2 "$recorder"
ok "a snapshot is given" wait_for 10 given 1
is "as it is named" "$(cat "$LOG")" "$(rotated)"
record_end
rc_is 0 "and the last file"
is "is, too" "$(sed -n 2p "$LOG")" a.data
clean

record_calls --switch-output=signal --on-file "$note"
switched 1
wait_for 10 given 1
kill -KILL $recorder
guard_wait
record_wait
verified "of a recorder that was killed the last file is whole"
is "and not given" "$(cat "$LOG")" "$(rotated)"
clean

# What cannot be

for out in - /dev/null; do
	run "$PERF_LITE" record -e cpu-clock -o $out --on-file 'touch "$LOG"' -- true
	rc_is 1 "refused: -o $out"
	like "with a hint" "$TMP/err" '^hint: name a file with -o FILE'
done
run "$PERF_LITE" record -e cpu-clock -o "$f" --on-file ' ' -- true
rc_is 1 "refused: no command"
run "$PERF_LITE" record -q -e cpu-clock -o "$f" --on-file "$note" -- "$TMP/not-there"
rc_is 127 "a start that fails"
run "$PERF_LITE" record -q -e cpu-clock -o "$f" --on-file "$note" --dry-run -- true
rc_is 0 "--dry-run"
is "gives nothing" "$(wc -l <"$LOG")" 0
done_testing
