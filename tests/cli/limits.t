# SPDX-License-Identifier: GPL-2.0
#
# Limits of the machine, of the user, and of what can be recorded.
. tests/lib.sh
need_event raw_syscalls:sys_enter
need_cmd setpriv prlimit
. tests/cli/recording.sh
chmod 711 "$TMP"
mkdir -m 777 "$TMP/nobody"
cp "$PERF_LITE" "$TMP/pl"
cp "$PROG/spin" "$TMP/spin"
chmod 755 "$TMP/pl" "$TMP/spin"
# A user of this test alone: the kernel counts what all processes of a user lock, and the processes.
user=$((100000 + $$))
as_nobody() { setpriv --reuid $user --regid $user --clear-groups "$@"; }

# runs_or_says WORD: the last run recorded, or ended with 2 and a line or hint with that word
runs_or_says()
{
	case $rc in
	0) grep -q 'samples* in' "$TMP/err" ;;
	2) [ "$(grep -c '^perf-lite: ' "$TMP/err")" -eq 1 ] && grep -q "$1" "$TMP/err" ;;
	*) false ;;
	esac
}

# One of several processes is dead

"$PROG/spin" 3000 >/dev/null &
alive=$!
true &
dead=$!
wait $dead
run_ok "-p: one of them is dead" "$PERF_LITE" record -o "$f" -e cpu-clock -p "$dead,$alive" --duration 400ms
like "which is said, by its number" "$TMP/err" "\b$dead\b"
is "the other is recorded" "$("$PERF_LITE" script -q -i "$f" -F comm | sort -u | tr -d ' ')" spin
verified "the file is whole"
run_ok "-t, likewise" "$PERF_LITE" record -o "$f" -e cpu-clock -t "$alive,$dead" --duration 200ms
like "the dead one is named" "$TMP/err" "\b$dead\b"
kill $alive
wait $alive 2>/dev/null
run "$PERF_LITE" record -o "$f.none" -e cpu-clock -p "$dead" --duration 200ms
rc_is 2 "all of them dead: no start"
ok "no file" not test -e "$f.none"

# Thousands of threads

storm_start --threads 3000 3000
record_start -e raw_syscalls:sys_enter --filter "id == $number" -p $storm
storm_go
storm_wait
sleep 0.5
record_end
rc_is 0 "a process of 3,000 threads"
is "each makes a call" "$(closing samples)" 3000
is "all are in the file" "$(numbers)" 3000
is "once" "$(missing 0 2999).$(doubled)" 0.0
is "each by itself" "$("$PERF_LITE" script -q -i "$f" -F tid | sort -u | wc -l)" 3000
verified "the file is whole"

storm_start --threads 300 300
# the hard limit is root's to raise
limited="setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource"
$limited true 2>/dev/null || limited=
run sh -c "ulimit -n 64; exec $limited '$PERF_LITE' record -o '$f.none' -e cpu-clock -p $storm --duration 100ms"
rc_is 2 "more threads than descriptors"
like "says which limit" "$TMP/err" "^hint: .*ulimit -n"
is "in one line" "$(grep -c '^perf-lite: ' "$TMP/err")" 1
ok "no file" not test -e "$f.none"
run sh -c "ulimit -Sn 64; exec '$PERF_LITE' record -o '$f' -e cpu-clock -p $storm --duration 100ms"
rc_is 0 "a soft limit is raised"
verified "the file is whole"
if sh -c 'ulimit -n 64; ulimit -Hn 128' 2>/dev/null; then
	run sh -c "ulimit -n 64; exec '$PERF_LITE' record -o '$f' -e cpu-clock -p $storm --duration 100ms"
	rc_is 0 "a hard limit, too, by root"
	verified "the file is whole"
else
	skip_outside "a hard limit" "root may not raise it"
fi
storm_go
storm_wait
run sh -c "ulimit -n 64; exec '$PERF_LITE' record -o '$f' -e cpu-clock -a --duration 200ms"
rc_is 0 "64 descriptors are enough for one event"
verified "the file is whole"

# Locked memory

run as_nobody sh -c "ulimit -l 0; exec '$TMP/pl' record -m 16M -o '$TMP/nobody/a' -e cpu-clock -- '$TMP/spin' 200"
rc_is 0 "ulimit -l 0"
like "smaller buffers, which is said" "$TMP/err" "buffers of [0-9]+ KiB instead of 16384 KiB: "
like "with what helps" "$TMP/err" 'kernel\.perf_event_mlock_kb=16520, .* --no-guardian\)$'
run "$PERF_LITE" verify "$TMP/nobody/a"
rc_is 0 "the file is whole"
for i in 1 2 3 4; do
	as_nobody sh -c "ulimit -l 0; exec '$TMP/pl' record -o '$TMP/nobody/$i' -e cpu-clock -- '$TMP/spin' 700" \
		>"$TMP/out.$i" 2>"$TMP/err.$i" &
	eval "pid$i=\$!"
done
for i in 1 2 3 4; do
	rc=0
	eval "wait \$pid$i" || rc=$?
	cp "$TMP/err.$i" "$TMP/err"
	ok "recorder $i of 4 at once runs, or says what it lacks" runs_or_says mlock
done
ok "one at least runs" grep -q 'samples* in' "$TMP/err.1" "$TMP/err.2" "$TMP/err.3" "$TMP/err.4"

# Memory and processes

run sh -c "ulimit -v 150000; exec '$PERF_LITE' record -o '$f' -e cpu-clock -a --duration 300ms"
ok "little address space: a recording, or what is missing" runs_or_says .
run as_nobody prlimit --nproc=1 "$TMP/pl" record -o "$TMP/nobody/b" -e cpu-clock -- "$TMP/spin" 100
rc_is 2 "no more processes: no start"
is "says so in one line" "$(grep -c '^perf-lite: ' "$TMP/err")" 1
ok "leaves nothing behind" not test -e "$TMP/nobody/b"

# The root of a user namespace is nobody to perf events

if can userns && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -eq 2 ]; then
	run unshare -U -r "$PERF_LITE" record -o "$f" -e cpu-clock -- "$PROG/spin" 50
	rc_is 0 "root of a user namespace records user code"
	like "and is told so" "$TMP/err" 'recording user code only'
	run unshare -U -r "$PERF_LITE" record -a -o "$f" -e cpu-clock -- true
	rc_is 2 "not everybody's"
	like "for which it has to leave" "$TMP/err" '^hint: the root of a user namespace'
	run unshare -U -r "$PERF_LITE" trace -e sched:sched_switch -- true
	rc_is 2 "trace could not begin, which is no wrong usage"
elif can userns; then
	skip_outside "user namespaces" "kernel.perf_event_paranoid is not 2"
else
	skip_without "user namespaces" userns
fi
ok "nobody is left" wait_for 20 nobody_left
done_testing
