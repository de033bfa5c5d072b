# SPDX-License-Identifier: GPL-2.0
#
# Every event is in the file or counted as lost, whatever went wrong, and every reader says so.
. tests/lib.sh
need_event raw_syscalls:sys_enter
. tests/cli/recording.sh
calls=500000

# Storms, of a command

for m in "-m 1" "-m 16" ""; do
	run_ok "a storm, record $m" "$PERF_LITE" record $m -e raw_syscalls:sys_enter --filter "id == $number" \
		-o "$f" -- "$PROG/storm" $calls
	all=$(closing samples) lost=$(closing lost)
	is "every call is a sample or lost" $((all + lost)) $calls
	is "the samples are in the file" "$(samples)" "$all"
	verified "verify closes the account"
	like "with the kernel's count" "$TMP/out" "^ *raw_syscalls:sys_enter +$all +$lost +0 +0 +0 +$calls +closes"
done

run "$PERF_LITE" record -m 1 -e raw_syscalls:sys_enter --filter "id == $number" \
	-e raw_syscalls:sys_exit --filter "id == $number" -e cpu-clock -c 1000000 -o "$f" -- "$PROG/storm" --threads 2 400000
rc_is 0 "several events in one page"
all=$(closing samples)
is "the samples are in the file" "$(samples)" "$all"
verified "the account of each closes"
is "both tracepoints were hit by each call" "$(grep -c ' raw_syscalls:sys_.* 400000  *closes' "$TMP/out")" 2

# Throttled

rate=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
at_exit "echo $rate >/proc/sys/kernel/perf_event_max_sample_rate"
echo 1000 >/proc/sys/kernel/perf_event_max_sample_rate
run_ok "ten times the samples that the kernel allows" "$PERF_LITE" record -e cpu-clock -c 100000 -o "$f" -- "$PROG/spin" 500
echo "$rate" >/proc/sys/kernel/perf_event_max_sample_rate
like "the recorder says that it was throttled" "$TMP/err" "throttled"
verified "the account closes"
like "verify says so" "$TMP/out" "throttled"
run_ok "script" "$PERF_LITE" script -i "$f" -F time
like "says so" "$TMP/err" "throttled"

# The recorder stands still

storm_start 400000
record_calls -m 16
kill -STOP $recorder
storm_go
storm_wait
sleep 1.2
kill -CONT $recorder
sleep 0.5
record_end
rc_is 0 "a recorder that was stopped"
all=$(closing samples) lost=$(closing lost)
ok "lost some" test "$lost" -gt 0
is "and counted them" $((all + lost)) 400000
is "the samples are in the file" "$(samples)" "$all"
verified "the account closes"
like "verify says when nobody listened" "$TMP/out" "recorder not running"
run_ok "script" "$PERF_LITE" script -i "$f" -G -F time
like "says so" "$TMP/err" "recorder not running"
like "and how many were lost" "$TMP/err" "\b$lost\b.* lost"
run_ok "--folded" "$PERF_LITE" script --folded -i "$f"
like "says it too" "$TMP/err" "\b$lost\b.* lost"
run_ok "report --brief" "$PERF_LITE" report --brief --json -i "$f"
like "has both in a line" "$TMP/out" '"loss":"[0-9]* samples [^"]*[^ ]; +recorder not running'
unlike "a blank behind each part" "$TMP/out" '"loss":"[^"]*;[^ ]'

# Most of what a clock samples

"$PROG/spin" 30000 >/dev/null &
record_start -e cpu-clock -F 5000 -m 1 -a
kill -STOP $recorder
sleep 2
kill -CONT $recorder
record_end
kill $! 2>/dev/null
wait $! 2>/dev/null
like "a lower rate is proposed" "$TMP/err" "^hint: sample less often: -F [0-9]+\$"
run_ok "report --brief" "$PERF_LITE" report --brief -i "$f"
like "the time on the CPU is more" "$TMP/out" "samples, at least [0-9.]+ m?s CPU"

# A full disk

for full in 100k:100000 300k:200000 500k:300000; do
	size=${full%:*} calls=${full#*:}
	mkdir -p "$TMP/full"
	mount -t tmpfs -o size=$size tmpfs "$TMP/full" || break
	run "$PERF_LITE" record -z0 -m 32M -e raw_syscalls:sys_enter --filter "id == $number" \
		-o "$TMP/full/a.data" -- "$PROG/storm" $calls
	rc_is 3 "a disk of $size that fills up"
	like "is said" "$TMP/err" "No space left on device"
	all=$(closing samples) lost=$(closing lost)
	unwritten=$(sed -n 's/^perf-lite: \([0-9]*\) samples were not written.*/\1/p' "$TMP/err")
	is "samples and lost are all there was" $((all + lost)) $calls
	is "written and unwritten are all samples" $(($(samples "$TMP/full/a.data") + ${unwritten:-0})) "$all"
	ok "something was written" test "$(samples "$TMP/full/a.data")" -gt 0
	run "$PERF_LITE" verify "$TMP/full/a.data"
	rc_is 0 "the file is whole, its end included, and its account closes"
	like "verify tells of the disk" "$TMP/out" "^ *raw_syscalls:sys_enter .* $unwritten +0 +$calls +closes"
	run "$PERF_LITE" script -i "$TMP/full/a.data" -F time
	like "script tells of the disk" "$TMP/err" "$unwritten samples could not be written"
	allocated=$(($(stat -c %b "$TMP/full/a.data") * 512)) length=$(stat -c %s "$TMP/full/a.data")
	ok "no more of the disk is held than the file is long" test $((allocated - length)) -lt 8192
	umount "$TMP/full"
done

# It is said when it happens, not when the recording ends

mkdir -p "$TMP/full"
mount -t tmpfs -o size=100k tmpfs "$TMP/full"
storm_start 100000000
f=$TMP/full/a.data
record_calls -z0 --no-guardian
storm_go
ok "a full disk is told while the recording goes on" wait_for 10 grep -q \
	'^samples are lost until the file can be written again: .*No space left on device$' "$TMP/rec.err"
ok "and it does go on" kill -0 $recorder
record_end
rc_is 3 "and the exit status says it too"
is "once each" "$(grep -c 'No space left on device' "$TMP/err")" 2
kill $storm
wait $storm 2>/dev/null
storm=''
umount "$TMP/full"

# What waits for room there is known to the guardian too

times_slept() { sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' /proc/$recorder/status; }
has_slept() { [ "$(times_slept)" -ge "$1" ]; }
mkdir -p "$TMP/full"
mount -t tmpfs -o size=100k tmpfs "$TMP/full"
f=$TMP/full/a.data
storm_start 100000000
record_calls -z0
storm_go
sleep 1
kill -STOP $recorder
sleep 1.2
slept=$(times_slept)
kill -CONT $recorder
# it gets to know that it was stopped, and its writing thread to say so
wait_for 30 has_slept $((slept + 8))
sleep 2
kill -KILL $recorder
wait $recorder 2>/dev/null
recorder=''
ok "the guardian of one that was killed on a full disk ends" guard_wait
kill $storm
wait $storm 2>/dev/null
storm=''
exec 8>&-
verified "verify closes its account"
like "in which some could not be written" "$TMP/out" "[1-9][0-9]* samples could not be written"
like "and tells when nobody listened" "$TMP/out" "recorder not running"
f=$TMP/a.data
umount "$TMP/full"

# A file system behind a limit that no block of 4 MiB fits below: smaller ones are written

for limit in 3000 900; do
	run sh -c "ulimit -f $limit && exec '$PERF_LITE' record -z0 -m 32M -e raw_syscalls:sys_enter \
		--filter 'id == $number' -o '$TMP/limited.data' -- '$PROG/storm' 600000"
	rc_is 3 "-z0, no more than $limit blocks of 512 bytes"
	all=$(closing samples) lost=$(closing lost)
	unwritten=$(sed -n 's/^perf-lite: \([0-9]*\) samples were not written.*/\1/p' "$TMP/err")
	is "samples and lost are all there was" $((all + lost)) 600000
	is "written and unwritten are all samples" $(($(samples "$TMP/limited.data") + ${unwritten:-0})) "$all"
	# an eighth is kept free for the end, and of the rest at most a block of 64 KiB stays empty
	ok "they take the room that there is" test "$(stat -c %s "$TMP/limited.data")" -ge $((limit * 512 / 8 * 7 - 80000))
	run "$PERF_LITE" verify "$TMP/limited.data"
	rc_is 0 "the file is whole"
	run_ok "and in order" "$PERF_LITE" script -i "$TMP/limited.data" -G -F time
	ok "of time" sort -c -n "$TMP/out"
done

# A reader that is slow

run sh -c "'$PERF_LITE' record -m 16 -e raw_syscalls:sys_enter --filter 'id == $number' -o - -- '$PROG/storm' --quiet 600000 2>'$TMP/rec.err' |
	(sleep 2; cat >'$f')"
all=$(closing samples "$TMP/rec.err") lost=$(closing lost "$TMP/rec.err")
is "a slow reader: every call is a sample or lost" $((all + lost)) 600000
is "the samples reach it" "$(samples)" "$all"
verified "the account closes"

# Names and mappings of new processes while samples are lost: 300 of 300

rm -f "$TMP/go2"
mkfifo "$TMP/go2"
exec 7<>"$TMP/go2"
storm_start 100000000
record_start -m 1 -g -e raw_syscalls:sys_enter --filter "id == $number" -a
storm_go
rm -f "$TMP/execs.out"
"$PROG/execs" 300 <&7 >"$TMP/execs.out" &
execs=$!
ok "300 processes begin in a storm" wait_for 60 grep -q ready "$TMP/execs.out"
# a reader that never is too slow for one page is made so
kill -STOP $recorder
sleep 0.3
kill -CONT $recorder
kill $storm
wait $storm 2>/dev/null
storm=''
exec 8>&-
echo >&7
wait $execs
exec 7>&-
record_end
rc_is 0 "and are recorded"
ok "some calls were lost" test "$(closing lost)" -gt 0
# The names of the storm's many samples take long: those of the last seconds are enough.
"$PERF_LITE" script -q -i "$f" -c exe,execs -F comm,tid,ip,sym,dso >"$TMP/text" 2>"$TMP/err"
awk '/^[^\t]/ && NF == 2 { tid = $2; name[tid] = $1 }
	/ child_main .*\(.*execs\)/ { work[tid] = 1 }
	/ main .*\(.*execs\)/ { if (work[tid]) whole[tid] = 1 }
	END {
		for (t in name) if (name[t] == "exe") n++
		for (t in whole) if (name[t] == "exe") w++
		print n + 0, w + 0
	}' "$TMP/text" >"$TMP/seen"
is "all have their name, and functions of their mappings" "$(cat "$TMP/seen")" "300 300"
done_testing
