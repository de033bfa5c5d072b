# SPDX-License-Identifier: GPL-2.0
#
# Recordings that hold the latest only, that go on in another file, that are told what to do.
. tests/lib.sh
need_event raw_syscalls:sys_enter
. tests/cli/recording.sh

rotated() { find "$TMP" -name 'a.data.2*' | sort; }
# One file after another: how many samples in all; their numbers in $TMP/all
together()
{
	: >"$TMP/all"
	for file; do
		numbers "$file" >"$TMP/count"
		cat "$TMP/numbers" >>"$TMP/all"
	done
	mv "$TMP/all" "$TMP/numbers"
	wc -l <"$TMP/numbers"
}
# so many other files, the last of them whole
rotated_whole()
{
	[ "$(rotated | wc -l)" -ge "$1" ] && "$PERF_LITE" verify -q "$(rotated | tail -n 1)"
}
clean() { find "$TMP" -name 'a.data*' -exec rm -f {} +; }

# The last so many seconds

record_calls --keep-last 1s
storm_run 1000
sleep 3.5
storm_run --seconds 0.2 50
record_end
rc_is 0 "--keep-last"
like "what is in the file is told" "$TMP/rec.err" "^perf-lite record: [0-9]+ samples in .* in $f \\(the last $(samples)\\)\$"
is "the last second" "$(numbers)" 50
is "is whole" "$(missing 0 49).$(doubled)" 0.0
verified "verify"
clean

record_calls --keep-last 30s
storm_run 300
kill -USR2 $recorder
ok "SIGUSR2 makes a snapshot" wait_for 5 rotated_whole 1
one=$(rotated | head -n 1)
like "named after the time" /dev/stdin "a\.data\.[0-9]{20}$" <<EOT
$one
EOT
is "with all so far" "$(numbers "$one")" 300
verified "it is whole" "$one"
like "and has functions' names" /dev/stdin "." <<EOT
$("$PERF_LITE" script -q -i "$one" -F comm)
EOT
is "mode 0600" "$(stat -c %a "$one")" 600
storm_run 200
kill -USR2 $recorder
wait_for 5 rotated_whole 2
two=$(rotated | tail -n 1)
is "the next one has the same and what came since" "$(numbers "$two")" 500
verified "it is whole" "$two"
storm_run 10
record_end
rc_is 0 "and it goes on until its end"
is "which writes what is kept" "$(numbers)" 510
clean

# A snapshot that cannot be written: the date makes its name too long

short=$f
f=$TMP/a.data$(printf '%0222d' 0)
# -q leaves out the line that record_calls waits for, but not this one
started() { [ -e "$f" ] || watches $recorder; }
: >"$TMP/rec.err"
"$PERF_LITE" record -q -o "$f" --keep-last 30s -e raw_syscalls:sys_enter --filter "$filter" -a >"$TMP/rec.out" 2>"$TMP/rec.err" </dev/null &
recorder=$!
wait_for 20 started
storm_run 300
kill -USR2 $recorder
ok "a snapshot that cannot be written is told at once" wait_for 5 grep -q 'a snapshot was not written: cannot create .*/a.data0*.2[0-9]*: File name too long' "$TMP/rec.err"
kill -USR2 $recorder
wait_for 5 eval '[ "$(grep -c "snapshot was not written" "$TMP/rec.err")" -eq 2 ]'
storm_run 200
record_end
rc_is 3 "and is a failure at the end"
like "with their number" "$TMP/err" '^perf-lite: 2 snapshots were not written: cannot create .*/a.data0*.2[0-9]*: File name too long'
is "what comes after it is recorded" "$(numbers)" 500
f=$short
clean

# What the rings hold

record_calls --overwrite -m 16
storm_run 200000
sleep 0.3
record_end
rc_is 0 "--overwrite"
n=$(numbers)
ok "holds some" test "$n" -gt 100
ok "and not all" test "$n" -lt 200000
is "up to the very last" "$(last)" 199999
is "without doubles" "$(doubled)" 0
verified "verify"
clean
record_calls --overwrite -m 16
storm_run 20000
kill -USR2 $recorder
wait_for 5 rotated_whole 1
snapshot=$(rotated | head -n 1)
numbers "${snapshot:-none}" >"$TMP/count"
is "a snapshot of them ends with the last" "$(last)" 19999
is "without doubles" "$(doubled)" 0
verified "it is whole" "${snapshot:-none}"
record_end
rc_is 0 "and goes on"
clean

# From one file to the next

record_calls -z0 -m 16M --switch-output=100K
storm_run --seconds 2 100000
record_end
rc_is 0 "--switch-output=SIZE"
files=$(rotated)
ok "several files" test "$(echo "$files" | wc -l)" -ge 2
# shellcheck disable=SC2086
is "hold every call" "$(together $files "$f")" 100000
is "once" "$(missing 0 99999).$(doubled)" 0.0
bad=0
for file in $files $f; do
	"$PERF_LITE" verify "$file" >"$TMP/out" 2>&1 || { bad=$((bad + 1)); diag_file "$TMP/out"; }
	"$PERF_LITE" script -i "$file" -F comm,sym -G >"$TMP/out" 2>&1 || bad=$((bad + 1))
done
is "each of them is whole by itself" $bad 0
large=$(find "$TMP" -name 'a.data.2*' -size +600k | wc -l)
is "none is much larger" "$large" 0
clean

record_calls --switch-output=1s -m 16M
storm_run --seconds 3.5 700
record_end
rc_is 0 "--switch-output=TIME"
files=$(rotated)
ok "a file each second" test "$(echo "$files" | wc -l)" -ge 2
# shellcheck disable=SC2086
is "hold every call" "$(together $files "$f")" 700
is "once" "$(missing 0 699).$(doubled)" 0.0
clean

# A size that each block exceeds, and the first before the file has its name
run_ok "--switch-output=10b" "$PERF_LITE" record -q --switch-output=10b -a -e raw_syscalls:sys_enter --filter "$filter" \
	-o "$f" -- "$STORM" 100
# shellcheck disable=SC2046
is "nothing is lost" "$(together $(rotated) "$f")" 100
clean

record_calls --switch-output=signal
storm_run 100
kill -USR2 $recorder
wait_for 5 rotated_whole 1
storm_run 60
record_end
rc_is 0 "--switch-output=signal"
is "what was before" "$(numbers "$(rotated)")" 100
verified "is whole" "$(rotated)"
is "and what is behind" "$(numbers)" 60
verified "is whole"
clean

# On one CPU: of a thread that moves, the file that goes may hold later records than the one that stays.
record_calls -z0 -m 16M --switch-output=200K --switch-max-files 2
storm_start --seconds 2 150000
taskset -acp 0 "$storm" >/dev/null
storm_go
storm_wait
record_end
rc_is 0 "--switch-max-files"
is "so many are kept" "$(rotated | wc -l)" 2
# shellcheck disable=SC2046
together $(rotated) "$f" >"$TMP/count"
is "the last ones" "$(last)" 149999
is "without a gap" "$(missing "$(first)" 149999)" 0
clean

storm_start 5000000
record_calls -z0 --max-size 300K
storm_go
ok "--max-size ends the recording" wait_for 15 grep -q 'samples* in' "$TMP/rec.err"
kill $storm 2>/dev/null
storm_wait 2>/dev/null
[ -z "$(sed -n '/samples* in/p' "$TMP/rec.err")" ] && kill -INT $recorder
record_wait
rc_is 0 "well"
ok "the file is larger by a block at most" test "$(stat -c %s "$f")" -le $((307200 + 1048576))
verified "and whole"
ok "with samples" test "$(samples)" -gt 100
clean

# Told what to do

answer()
{
	line=''
	# shellcheck disable=SC2162
	line=$(timeout 5 sh -c 'read l && echo "$l"' <"$TMP/ack")
	is "$1 is answered" "$line" ack
}
mkfifo "$TMP/ctl" "$TMP/ack"
exec 5<>"$TMP/ctl" 6<>"$TMP/ack"
record_calls -D -1 --control "fifo:$TMP/ctl,$TMP/ack"
storm_run 100
echo ping >&5
answer ping
echo enable >&5
answer enable
storm_run 50
echo disable >&5
answer disable
storm_run 30
echo "no such command" >&5
ok "what is no command is told at once" wait_for 5 grep -q "there is no command 'no such command'" "$TMP/rec.err"
printf '\033[2J\n' >&5
echo "enable raw_syscalls:sys_enter" >&5
answer "enable EVENT"
storm_run 20
echo evlist >&5
answer evlist
ok "evlist answers at once" wait_for 5 grep -qx "raw_syscalls:sys_enter" "$TMP/rec.err"
echo snapshot >&5
answer snapshot
ok "of a single file there is none" wait_for 5 grep -q -- '--control: a snapshot needs --keep-last' "$TMP/rec.err"
is "and it stays one" "$(rotated | wc -l)" 0
echo stop >&5
answer stop
ok "stop ends it" wait_for 10 grep -q 'samples* in' "$TMP/rec.err"
record_wait
rc_is 0 "--control"
is "what was enabled is recorded" "$(numbers)" 70
verified "and the account closes"
like "a word that is no command is named" "$TMP/rec.err" "no such command"
like "and not as the terminal's" "$TMP/rec.err" "no command '.x1b\[2J'"
clean

# By name: as it was typed, also where another event stands in for it; all that have the name

record_start -a -D -1 --control "fifo:$TMP/ctl,$TMP/ack" -e cycles:u -e raw_syscalls:sys_enter --filter "$filter" \
	-e raw_syscalls:sys_enter --filter "$filter"
storm_run 10
for name in cycles:u cycles raw_syscalls:sys_enter; do
	echo "enable $name" >&5
	answer "enable $name"
done
storm_run 30
echo "disable sys_enter" >&5
answer "disable sys_enter"
storm_run 20
echo "enable cycle" >&5
answer "a name that no event has"
ok "is told at once" wait_for 5 grep -q "no event 'cycle' is recorded" "$TMP/rec.err"
echo stop >&5
answer stop
record_wait
rc_is 0 "--control by names"
is "both events of one name are enabled" "$(numbers).$(doubled)" 60.30
is "and each was known" "$(grep -c "no event" "$TMP/err")" 1
clean

record_calls --keep-last 20s --control "fifo:$TMP/ctl,$TMP/ack"
storm_run 40
echo snapshot >&5
answer snapshot
is "snapshot, by --control" "$(numbers "$(rotated | head -n 1)")" 40
record_end
rc_is 0 "and the end"
clean
exec 5>&- 6>&-

: >"$TMP/rec.err"
"$PERF_LITE" record -o "$f" -D -1 --control fd:0,1 -e raw_syscalls:sys_enter --filter "$filter" -a \
	2>"$TMP/rec.err" >"$TMP/acks" <<EOT &
ping
ping
stop
EOT
recorder=$!
ok "descriptors" wait_for 10 grep -q 'samples* in' "$TMP/rec.err"
record_wait
rc_is 0 "a script of commands"
is "each is answered" "$(grep -cx ack "$TMP/acks")" 3
rc=0
sleep 2 | "$PERF_LITE" record -q -o "$f" -e cpu-clock --control fd:0 -- sh -c 'readlink /proc/self/fd/0 >&2' 2>"$TMP/err" || rc=$?
rc_is 0 "commands on standard input"
is "are not for the command" "$(cat "$TMP/err")" /dev/null

# Typed wrongly

for how in '--keep-last x' '--switch-output=x' '--max-size x' '--control x' '--control fd:x' \
	"--control fifo:$TMP/not-there" '--switch-max-files x' '-D -2' '--overwrite -o -' '--keep-last 3s -o -' \
	'--keep-last 3s --max-size 4K' '--overwrite --max-size 4K' '--switch-max-files 3'; do
	# shellcheck disable=SC2086
	run "$PERF_LITE" record -o "$TMP/b.data" -e cpu-clock $how --duration 100ms -a
	ok "refused: $how" test $rc -eq 1 -o $rc -eq 2
	is "in one line" "$(grep -c '^perf-lite: ' "$TMP/err")" 1
done
run_ok "-z of perf.data" "$PERF_LITE" record -o "$TMP/b.data" --format perf -z3 -e cpu-clock -- true
like "changes nothing, it says" "$TMP/err" '-z changes nothing'
run "$PERF_LITE" record -o "$TMP/b.data" -e cpu-clock --control fd:9 -- true 9>"$TMP/no-fifo"
rc_is 2 "commands from a file"
like "which cannot be waited for" "$TMP/err" '^perf-lite: --control: descriptor 9 is a file or a device'
like "... but a FIFO can" "$TMP/err" '^hint: mkfifo '
done_testing
