#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# record --off-cpu and latency off-cpu of it: programs that say how long they waited, the records of switches added up by awk,
# sched:sched_switch of the same recording; as root and as a user who may record his own processes alone.
. tests/lib.sh
need own jq

f=$TMP/data
rate="-e cpu-clock -F 99"
record() { "$PERF_LITE" record -o "$f" $rate "$@"; }


# by_records: spans, their sum and those that are open, from the records of switches
by_records()
{
	"$PERF_LITE" script -q --ns -i "$f" --show-switch-events -F tid,time,event 2>/dev/null | awk '
		/PERF_RECORD_SWITCH/ {
			split($2, t, /[.:]/); time = t[1] * 1000000000 + t[2]
			if (/OUT/) { if ($1 && !($1 in off)) off[$1] = time }
			else if ($1 in off) { n++; sum += time - off[$1]; delete off[$1] }
		}
		END { for (p in off) open++; printf "%d %.0f %d\n", n, sum, open }'
}

# sleeps_are_there: in $TMP/out, as JSON of spans of 5 ms and more by comm and kernel stack; waits has said what it waited
sleeps_are_there()
{
	read -r waited least most <"$TMP/said"
	jq '[.rows[] | select(.comm == "waits" and (.kstack | tostring | test("nanosleep")))]' "$TMP/out" >"$TMP/sleeps"
	# a thread that loses the CPU behind the start of its timer is off the CPU twice in one sleep
	is_between "each sleep is a span" "$(jq 'map(.spans) | add' "$TMP/sleeps")" 20 40
	is_between "they are what the program waited" "$(jq 'map(.sum_ns) | add' "$TMP/sleeps")" 190000000 "$waited"
	is_between "none is longer than it says" "$(jq 'map(.max_ns) | max' "$TMP/sleeps")" 9500000 "$most"
}

# --- a command, with all rights ---

if can everybody; then
	run_ok "records a command" record --off-cpu --off-cpu-thresh 5 -- "$PROG/waits" sleeps 20 10
	cp "$TMP/out" "$TMP/said"
	like "names the next command" "$TMP/err" \
		"^hint: times off the CPU: perf-lite latency off-cpu -i $f --min 5ms --flamegraph off.svg\$"
	run_ok "the times" "$PERF_LITE" latency off-cpu -i "$f" --min 5ms --by comm,kstack --json
	sleeps_are_there
	is "nothing is missing" "$(jq '.restarts, .across_loss, .reordered, .no_room, .open' "$TMP/out" | tr '\n' ' ')" "0 0 0 0 0 "
	run_ok "by the records alone" "$PERF_LITE" latency --from switch-out --to switch-in -i "$f" --json
	is "as awk has them" "$(jq -r '"\(.spans) \(.sum_ns) \(.open)"' "$TMP/out")" "$(by_records)"
	run_ok "the other event is there, too" "$PERF_LITE" evlist -i "$f"
	is "with the one of switches" "$(grep -v dummy "$TMP/out" | tr '\n' ' ')" "cpu-clock context-switches "
	run_ok "as a picture" "$PERF_LITE" latency off-cpu -i "$f" --flamegraph "$TMP/off.svg"
	like "of the places" "$TMP/off.svg" '<title>do_nanosleep'
	ok "the account of the recording closes" "$PERF_LITE" verify "$f"

	# of a group that is read by its leader, context-switches are no samples of switches
	run_ok "records a group" "$PERF_LITE" record -o "$f" --off-cpu -e '{cpu-clock,context-switches}:S' -- "$PROG/waits" sleeps 20 10
	cp "$TMP/out" "$TMP/said"
	run "$PERF_LITE" evlist -i "$f"
	is "with another event" "$(grep -vc dummy "$TMP/out")" 3
	run_ok "the times of the group" "$PERF_LITE" latency off-cpu -i "$f" --min 5ms --by comm,kstack --json
	sleeps_are_there

	# where samples are lost, the records that are there begin spans
	run_ok "records with small buffers" "$PERF_LITE" record -q -o "$f" --off-cpu --call-graph dwarf,4096 -m 4 -e cpu-clock -F 99 -- "$PROG/waits" locks 2000 0
	run "$PERF_LITE" latency --from switch-out --to switch-in -i "$f" --json
	records=$(jq .spans "$TMP/out")
	run "$PERF_LITE" latency off-cpu -i "$f" --json
	# a loss may lie between a sample and its record
	ok "no span is missing for lost samples" test "$(jq .spans "$TMP/out")" -ge $((records * 98 / 100))
	"$PERF_LITE" verify "$f" >"$TMP/out" 2>&1
	unlike "lost records of switches are no lost samples" "$TMP/out" 'does not close'

	run_ok "a mutex, stacks without frame pointers" record --off-cpu --call-graph dwarf -- "$PROG/waits" locks 20 5
	run_ok "who waits for it" "$PERF_LITE" latency off-cpu -i "$f" --min 4ms -g --folded
	like "from main on" "$TMP/out" '^waits;.*main;.*futex'
	like "the holder sleeps" "$TMP/out" '^holder;.*hold;.*nanosleep'

	odd="$TMP/it's a \$file"
	run_ok "into a file whose name means something to shells" "$PERF_LITE" record -o "$odd" $rate --off-cpu -- true
	sed -n "s/^hint: times off the CPU: perf-lite \(.*\) --flamegraph off.svg\$/\1/p" "$TMP/err" >"$TMP/words"
	run_ok "the next command can be pasted" sh -c "'$PERF_LITE' $(cat "$TMP/words")"
	run_ok "-q" record -q --off-cpu -- true
	unlike "prints no hint" "$TMP/err" '^hint'
	run_ok "beside the default event" "$PERF_LITE" record -q -o "$f" --off-cpu -- true
	run "$PERF_LITE" evlist -i "$f"
	is "two events" "$(grep -vc dummy "$TMP/out")" 2
	run_ok "an event of switches of one's own" "$PERF_LITE" record -q -o "$f" -e context-switches --off-cpu -- true
	run "$PERF_LITE" evlist -i "$f"
	is "is enough" "$(grep -v dummy "$TMP/out")" context-switches
	for events in cs:u,cs {cpu-clock,cs:u}:S,cs; do
		run_ok "the one of $events that is each switch" "$PERF_LITE" record -o "$f" -e "$events" --off-cpu -- "$PROG/waits" sleeps 20 10
		cp "$TMP/out" "$TMP/said"
		unlike "is as asked" "$TMP/err" 'not as asked'
		run_ok "its times" "$PERF_LITE" latency off-cpu -i "$f" --min 5ms --by comm,kstack --json
		sleeps_are_there
	done
	for args in "-e cs -c 100" "-e cs/period=100/" "-e cs -F 99" "-e cs/call-graph=no/" "-e cs:u"; do
		run_ok "record --off-cpu $args" "$PERF_LITE" record -o "$f" $args --off-cpu -- "$PROG/waits" sleeps 20 10
		cp "$TMP/out" "$TMP/said"
		case $args in
		*:u) nr=2 ;; # switches are no user code
		*)
			nr=1
			like "the event is another one, which is said" "$TMP/err" \
				'^--off-cpu samples each switch, with its call chain, and so does cs.*: not as asked$'
			;;
		esac
		run "$PERF_LITE" evlist -i "$f"
		is "events of switches" "$(grep -vc dummy "$TMP/out")" $nr
		run_ok "has the times" "$PERF_LITE" latency off-cpu -i "$f" --min 5ms --by comm,kstack --json
		sleeps_are_there
	done
	run_ok "a period of another event" "$PERF_LITE" record -o "$f" -e cpu-clock -c 1000000 --off-cpu -- true
	unlike "is no matter of switches" "$TMP/err" 'as asked'
	run_ok "two events of one counter" "$PERF_LITE" record -o "$f" -e page-faults,page-faults:u -- true
	like "are said to be mixed up" "$TMP/err" '^page-faults and page-faults:u sample one counter: '
	run_ok "two that share no hit" "$PERF_LITE" record -o "$f" -e page-faults:k,page-faults:u,faults/name=cs/ -e cs:u,cs -- true
	is "are not" "$(grep -c 'page-faults:k and page-faults:u\|cs:u' "$TMP/err")" 0
	run_ok "without call chains" "$PERF_LITE" record -q -o "$f" --call-graph no --off-cpu -- "$PROG/waits" sleeps 20 10
	run_ok "has none" "$PERF_LITE" latency off-cpu -i "$f" --by comm,kstack --json
	is "but for the place itself" "$(jq '[.rows[].kstack | length] | max' "$TMP/out")" 1
	run_ok "as perf.data" "$PERF_LITE" record -q -o "$f" $rate --format perf --off-cpu -- "$PROG/waits" sleeps 20 10
	cp "$TMP/out" "$TMP/said"
	run_ok "read in the same way" "$PERF_LITE" latency off-cpu -i "$f" --min 5ms --by comm,kstack --json
	sleeps_are_there
	run_ok "into a pipe" sh -c "'$PERF_LITE' record -o - $rate --off-cpu -- sh -c '$PROG/waits sleeps 20 10 >&2' 2>'$TMP/both' |
		'$PERF_LITE' latency off-cpu -i - --min 5ms --by comm,kstack --json"
	grep -E '^[0-9 ]+$' "$TMP/both" >"$TMP/said"
	sleeps_are_there
	unlike "which has no name to hint at" "$TMP/both" '^hint'
	run_ok "into a device" "$PERF_LITE" record -o /dev/null $rate --off-cpu -- true
	unlike "which cannot be read" "$TMP/err" '^hint'

	# everybody's, and the same by the other way
	if can tracepoints && can first-pids; then
		echo 'exec taskset -c 0 "$@"' >"$TMP/on-0"
		taskset -c 0 true 2>/dev/null || echo 'exec "$@"' >"$TMP/on-0"
		run_ok "everybody" "$PERF_LITE" record -q -o "$f" -a --include-self -m 4M -e sched:sched_switch --off-cpu -- \
			sh "$TMP/on-0" "$PROG/waits" locks 20 5
		run_ok "own switches" "$PERF_LITE" latency off-cpu -i "$f" --comm waits --json
		# of each thread but the longest: one that exits may wait for a CPU once more, which is no switch of its own any more
		sum='[.rows[] | .sum_ns - .max_ns] | add'
		own=$(jq '.spans' "$TMP/out") own_sum=$(jq "$sum" "$TMP/out")
		run_ok "sched_switch" "$PERF_LITE" latency -i "$f" --comm waits --json \
			--from 'sched:sched_switch:prev_pid if prev_pid != 0 && !(prev_state & 48)' \
			--to 'sched:sched_switch:next_pid if next_pid != 0'
		is_between "the same spans" "$own" "$(jq '.spans - 2' "$TMP/out")" "$(jq '.spans + 2' "$TMP/out")"
		is_between "the same time" "$own_sum" "$(jq "($sum) * 0.9 - 8000000" "$TMP/out")" "$(jq "($sum) * 1.1 + 8000000" "$TMP/out")"
		run_ok "its own threads are left out" record -q -a --off-cpu -- "$PROG/waits" sleeps 5 10
		run_ok "of spans, too" "$PERF_LITE" latency off-cpu -i "$f" --by tid --json
		is "the idle task is no thread" "$(jq '[.rows[] | select(.tid == 0)] | length' "$TMP/out")" 0
	else
		skip_without "sched:sched_switch" tracepoints first-pids
	fi

	"$PROG/waits" sleeps 100000 5 >/dev/null &
	pid=$!
	run_ok "a process" record -q --off-cpu -p $pid --duration 500ms
	run_ok "has times" "$PERF_LITE" latency off-cpu -i "$f" --json
	is_between "as many as there is time for" "$(jq .spans "$TMP/out")" 5 200
	kill $pid
	wait $pid 2>/dev/null
else
	skip_without "with all rights" everybody
fi

# --- an ordinary user ---

if can users && can everybody && can sysctl; then
	old=$(cat /proc/sys/kernel/perf_event_paranoid)
	at_exit sysctl -qw kernel.perf_event_paranoid="$old"
	chmod 755 "$TMP"
	mkdir -m 777 "$TMP/user"
	cp "$PERF_LITE" "$PROG/waits" "$TMP/user"
	f=$TMP/user/data
	as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
	sysctl -qw kernel.perf_event_paranoid=2
	run_ok "records a command" as_user "$TMP/user/perf-lite" record -o "$f" $rate --off-cpu -- "$TMP/user/waits" sleeps 20 10
	cp "$TMP/out" "$TMP/said"
	like "says that there are no call chains" "$TMP/err" 'no call chains of times off the CPU: .*perf_event_paranoid'
	run_ok "the times" as_user "$TMP/user/perf-lite" latency off-cpu -i "$f" --min 8ms --json
	read -r waited least most <"$TMP/said"
	is_between "each sleep" "$(jq '.rows[] | select(.comm == "waits") | .spans' "$TMP/out")" 14 40
	is_between "what it waited" "$(jq '.rows[] | select(.comm == "waits") | .p50_ns' "$TMP/out")" 8000000 "$most"
	run_ok "with -g" as_user "$TMP/user/perf-lite" latency off-cpu -i "$f" -g
	like "says that there are none, too" "$TMP/out" '^no call chains: '
	run_ok "live" sh -c "setpriv --reuid 65534 --regid 65534 --clear-groups '$TMP/user/perf-lite' latency off-cpu --min 8ms --json -- \
		'$TMP/user/waits' sleeps 20 10 >'$TMP/both'"
	grep '^{' "$TMP/both" >"$TMP/out"
	is_between "each sleep" "$(jq '.rows[] | select(.comm == "waits") | .spans' "$TMP/out")" 14 40
	is "a note comes once" "$(grep -c 'recording user code only' "$TMP/err")" 1
	if [ -e "$O/libperflite.so" ] && command -v python3 >"$TMP/out"; then
		cp -rL scripts/python/perflite "$O/libperflite.so.0" "$TMP/user"
		run_ok "in a program" as_user env PERFLITE_LIBRARY="$TMP/user/libperflite.so.0" PYTHONPATH="$TMP/user" python3 -B -c '
import perflite, sys
with perflite.watch([sys.argv[1], "sleeps", "20", "10"], latency="off-cpu") as rec:
    (waits,) = [row for row in rec.latency(min="8ms") if row[0] == "waits"]
print(waits[1])' "$TMP/user/waits"
		is_between "each sleep" "$(tail -n 1 "$TMP/out")" 14 40
	fi
	run as_user "$TMP/user/perf-lite" latency off-cpu --duration 100ms
	rc_is 2 "everybody's"
	like "are not a user's" "$TMP/err" 'perf_event_paranoid'

	sysctl -qw kernel.perf_event_paranoid=1
	run_ok "with code of the kernel" as_user "$TMP/user/perf-lite" record -o "$f" $rate --off-cpu -- "$TMP/user/waits" sleeps 20 10
	cp "$TMP/out" "$TMP/said"
	sysctl -qw kernel.perf_event_paranoid="$old"
	unlike "all is there" "$TMP/err" 'no call chains'
	run_ok "its places" "$PERF_LITE" latency off-cpu -i "$f" --min 5ms --by comm,kstack --json
	sleeps_are_there
	f=$TMP/data
else
	skip_without "an ordinary user" users everybody sysctl
fi

# --- bad input ---

for bad in "--off-cpu --off-cpu-thresh x" "--off-cpu --off-cpu-thresh" "--off-cpu --off-cpu-thresh=-1" "--off-cpu --off-cpu-thresh="; do
	run record $bad
	rc_is 1 "$bad"
	is "one message" "$(grep -c '^perf-lite: ' "$TMP/err")" 1
done
run record --off-cpu -C 0 -- true
rc_is 1 "--off-cpu of one CPU"
like "why" "$TMP/err" '^perf-lite: --off-cpu follows threads over all CPUs: -C would miss'
run "$PERF_LITE" latency --from switch-out --to switch-in -C 0 -- true
rc_is 1 "latency by switches of one CPU"
like "why not" "$TMP/err" '^perf-lite: threads may come back on another CPU: -C would miss it'
for time in 1.5:1500us 2:2ms 500ns:500ns 3us:3us; do
	run_ok "a threshold of ${time%:*}" record --off-cpu --off-cpu-thresh "${time%:*}" -- true
	like "is --min ${time#*:}" "$TMP/err" " --min ${time#*:} "
done

run record --off-cpu-thresh 5 -- true
rc_is 1 "a threshold of nothing"
like "is said" "$TMP/err" '^perf-lite: --off-cpu-thresh is for --off-cpu$'
run record -G x --off-cpu -a -- true
rc_is 1 "--off-cpu and control groups"
like "has another way" "$TMP/err" '^hint: perf-lite record -e context-switches -c 1 -g --switch-events -a -G NAME$'
run "$PERF_LITE" latency --from switch-out --to nosuch -- true
rc_is 1 "an event that there is not"
done_testing
