#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# perf-lite latency: waits of programs that say themselves how long they waited, live and of a recording; the sums beside a
# second implementation in awk; rings that are too small.
. tests/lib.sh
need_root
need first-pids
need_event sched:sched_switch
need_event syscalls:sys_enter_clock_nanosleep
need_idle_tasks

# member NAME: of the first object in $TMP/out
member() { jq -r "$1" "$TMP/out" | head -1; }


# --- a program that sleeps 20 times for 10 ms ---

# A Linux 6.18 was seen to lose the events of the idle task of any CPU but CPU 0.
cat >"$TMP/on-0" <<END
exec taskset -c 0 "\$@"
END
taskset -c 0 true 2>/dev/null || echo 'exec "$@"' >"$TMP/on-0"
# a name that no other test's program has
comm=waits-$$
cp "$PROG/waits" "$TMP/$comm"
waits="sh $TMP/on-0 $TMP/$comm"
run_ok "off-cpu of a command" sh -c "'$PERF_LITE' latency off-cpu --min 8ms --json -- $waits sleeps 20 10 2>&3 3>&- |
	cat >'$TMP/both'" 3>"$TMP/err"
grep -v '^{' "$TMP/both" >"$TMP/said"
grep '^{' "$TMP/both" >"$TMP/out"
read -r waited least most <"$TMP/said"
# it is off the CPU for less than what it measures, and not back before the timer; where others want the CPU, it may be off
# for as long between two sleeps, or lose the CPU behind the start of its timer, which makes two spans of one
is_between "each sleep is a span" "$(member ".rows[] | select(.comm == \"$comm\") | .spans")" 14 40
is_between "no longer than it says" "$(member ".rows[] | select(.comm == \"$comm\") | .p50_ns")" 10000000 "$most"
is "nothing was lost" "$(member '[.across_loss, .reordered, .no_room] | add')" 0

run_ok "system calls of a process" sh -c "'$PERF_LITE' latency --from syscalls:sys_enter_clock_nanosleep \
	--to syscalls:sys_exit_clock_nanosleep --on tid --json -- $waits sleeps 20 10 >'$TMP/both'"
grep -v '^{' "$TMP/both" >"$TMP/said"
grep '^{' "$TMP/both" >"$TMP/out"
read -r waited least most <"$TMP/said"
is "each call is a span" "$(member .spans)" 20
is_between "within what it measures" "$(member .sum_ns)" 200000000 "$waited"
is_between "the shortest" "$(member .min_ns)" 10000000 "$least"
is "the account is empty" "$(member '[.restarts, .ends_without_begin, .open, .across_loss, .reordered] | add')" 0

if can uprobes; then
	run_ok "a function of a program, by a preset of one's own" sh -c "
		printf 'main\n --from uprobe:$PROG/waits:main:tid --to uretprobe:$PROG/waits:main --latest\n' >'$TMP/own'
		'$PERF_LITE' latency main --presets '$TMP/own' --json -- $PROG/waits sleeps 3 10 >'$TMP/both'"
	grep '^{' "$TMP/both" >"$TMP/out"
	is "it is called once" "$(member .spans)" 1
	is_between "for as long as it sleeps" "$(member .sum_ns)" 30000000 60000000000
else
	skip_without "a function of a program" uprobes
fi

# --- a mutex that another thread holds for 5 ms ---

run_ok "waits for a mutex" sh -c "'$PERF_LITE' latency -m 8M futex --by comm --min 4ms --json -- $waits locks 20 5 >'$TMP/both'"
grep -v '^{' "$TMP/both" >"$TMP/said"
grep '^{' "$TMP/both" >"$TMP/out"
read -r waited least most <"$TMP/said"
# it may come late to the mutex, and wait for the holder at the barrier, where others want the CPU
is_between "those who wait" "$(member ".rows[] | select(.comm == \"$comm\") | .spans")" 10 60
is_between "the longest" "$(member ".rows[] | select(.comm == \"$comm\") | .max_ns")" 4000000 "$most"

# --- a recording, and awk ---

# awk knows nothing of losses
for try in 1 2 3 4 5; do
	run_ok "records switches" "$PERF_LITE" record -q -a --include-self -m 4M -e sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new \
		-o "$TMP/data" -- sh -c "$waits sleeps 20 2 & '$PROG/threads' 2>/dev/null; wait"
	[ "$("$PERF_LITE" count -q -i "$TMP/data" --by event --json | jq .lost)" != 0 ] || break
done
"$PERF_LITE" script -q --ns -i "$TMP/data" -F time,event,trace >"$TMP/events" 2>/dev/null
# from the text of the events: when each thread left the CPU last, when it came back
awk '{ sub(/^ */, ""); split($1, at, ":"); split(at[1], t, ".") ; time = t[1] * 1000000000 + t[2] }
	/sched_switch:/ {
		match($0, /prev_pid=[0-9]+/); prev = substr($0, RSTART + 9, RLENGTH - 9)
		match($0, /prev_state=[^ ]+/); state = substr($0, RSTART + 11, RLENGTH - 11)
		match($0, /next_pid=[0-9]+/); next_ = substr($0, RSTART + 9, RLENGTH - 9)
		if (next_ + 0 && next_ in off) { n++; sum += time - off[next_]; delete off[next_] }
		if (prev + 0 && state !~ /[XZ]/) off[prev] = time
	}
	END { for (p in off) open++; printf "%d %.0f %d\n", n, sum, open }' "$TMP/events" >"$TMP/awk"
run_ok "off-cpu of a recording" "$PERF_LITE" latency off-cpu -q -i "$TMP/data" --json
is "spans, their sum and open ones as awk has them" "$(jq -r '"\(.spans) \(.sum_ns) \(.open)"' "$TMP/out")" "$(cat "$TMP/awk")"
ok "there are many" test "$(member .spans)" -gt 40

# of one command, threads that leave a CPU are seen, but not by whom they are followed
run_ok "switches of one command" "$PERF_LITE" record -q -e sched:sched_switch -o "$TMP/own" -- $waits sleeps 20 10
run_ok "off-cpu of them" "$PERF_LITE" latency off-cpu -i "$TMP/own"
like "that ends are missing is said" "$TMP/err" '^sched:sched_switch was recorded of some tasks alone, .*: record with -a$'
run_ok "what to type next is not off-cpu" "$PERF_LITE" report --brief -i "$TMP/own"
unlike "without -a" "$TMP/out" 'latency off-cpu'
run_ok "of all" "$PERF_LITE" report --brief -i "$TMP/data"
like "it is" "$TMP/out" '^next .*latency off-cpu -i'

run_ok "run-queue of a recording" "$PERF_LITE" latency run-queue -q -i "$TMP/data" --json
is "its account closes, too" "$(jq '.begins - .spans - .restarts - .given_up - .across_loss - .reordered - .no_room - .open,
	.ends - .spans - .across_loss - .reordered - .ends_without_begin' "$TMP/out" | tr '\n' ' ')" "0 0 "
is "rows add up to the whole" "$(jq '(.rows | map(.spans) | add) - .spans, (.rows | map(.sum_ns) | add) - .sum_ns' "$TMP/out" |
	tr '\n' ' ')" "0 0 "

# --- stages, and the picture ---

wait_and_run="--from sched:sched_wakeup:pid --to sched:sched_switch:prev_pid --by comm"
run_ok "waits and runs together" "$PERF_LITE" latency $wait_and_run -q -i "$TMP/data" --json --timeline "$TMP/heat.svg"
whole=$(jq '.spans, .sum_ns' "$TMP/out" | tr '\n' ' ')
is "all spans are in the picture" "$(sed -n 's/.*<title>\([0-9,]*\) spans\{0,1\} of .*/\1/p' "$TMP/heat.svg" | tr -d , |
	awk '{ n += $1 } END { print n }')" "${whole%% *}"
run_ok "and as stages" "$PERF_LITE" latency $wait_and_run --then sched:sched_switch:next_pid -q -i "$TMP/data" --json
is "there are as many spans" "$(jq '.spans - .passed' "$TMP/out")" "${whole%% *}"
# spans that are open at the end have had stages, but nothing of the others is missing
ok "their stages add up to at least as much" jq -e --argjson sum "$(echo "$whole" | cut -d' ' -f2)" '.sum_ns >= $sum' "$TMP/out"
is "and their account closes" "$(jq '.begins - .spans - .restarts - .given_up - .across_loss - .reordered - .no_room - .open,
	.ends - .spans - .across_loss - .reordered - .ends_without_begin - .repeated - .out_of_order' "$TMP/out" | tr '\n' ' ')" "0 0 "

# --- as perf's users type it ---

cd "$TMP" || exit 1
run_ok "sched record" "$PERF_LITE" sched record -q -- $waits sleeps 3 2
run_ok "run-queue of it" "$PERF_LITE" latency run-queue -i perf-lite.data
cp out want
run_ok "sched latency" "$PERF_LITE" sched latency
is_file "is the same" out want
run_ok "sched timehist" "$PERF_LITE" sched timehist --comm $comm
like "has a line for each wait, and what it was" out '(runnable|sleeping) '
run_ok "of a file that is named" "$PERF_LITE" sched latency -i perf-lite.data --json
cd "$OLDPWD" || exit 1

# --- what the threads did meanwhile ---

# everybody's switches are seen: room for those of a busy machine
run_ok "system calls, split" sh -c "'$PERF_LITE' latency -m 8M --from syscalls:sys_enter_clock_nanosleep \
	--to syscalls:sys_exit_clock_nanosleep --on tid --split --json -- $waits sleeps 20 10 >'$TMP/both'"
[ ! -s "$TMP/err" ] || diag_file "$TMP/err"
grep '^{' "$TMP/both" >"$TMP/out"
is "each call is a span" "$(member .spans)" 20
is "the parts are the whole" "$(member '.sum_ns - .running_ns - .runnable_ns - .sleeping_ns - .uninterruptible_ns - .stopped_ns - .unknown_ns')" 0
# Linux 6.18 hides the events of some threads of the kernel, also that they leave the CPU to another one
unknown=$(member .unknown_ns)
is_between "it slept in them" "$(member .sleeping_ns)" $((199000000 - unknown)) "$(member .sum_ns)"
is_between "nearly all of it is known" "$unknown" 0 $(($(member .sum_ns) / 4))

run_ok "a mutex, split" sh -c "'$PERF_LITE' latency -m 8M futex --by comm --min 4ms --split --trace -- $waits locks 20 5 >'$TMP/out'"
ok "who waits is woken by the holder" grep -q 'sleeping 5.*woken by holder/' "$TMP/out"

run_ok "states under the names that threads have at last" "$PERF_LITE" latency states --by comm -- sh -c 'sleep 0.05; :'
like "a program that was executed" "$TMP/out" ' sleep$'

# two programs that never sleep, on one CPU: while one runs, the other could
hog=hog-$$
cp /bin/sh "$TMP/$hog"
run_ok "states of hogs" sh -c "'$PERF_LITE' latency states --comm $hog --by tid --json --duration 1s -- sh -c '
	for i in 1 2; do timeout 3 sh $TMP/on-0 $TMP/$hog -c \"while :; do :; done\" & done; wait' >'$TMP/out'"
is "both" "$(member '.rows | map(select(.running_ns > 1000000)) | length')" 2
# but for pages of theirs that come from the disk, and what that kernel hides
is_between "they ran or could run" "$(member '(.running_ns + .runnable_ns) / (.sum_ns - .uninterruptible_ns - .unknown_ns) * 1000 | floor')" 900 1000
is_between "not more than one at a time" "$(member '.running_ns / 1000000 | floor')" 0 1010
is "the parts are the whole of each" "$(member '.rows | map(.sum_ns - .running_ns - .runnable_ns - .sleeping_ns - .uninterruptible_ns - .stopped_ns - .unknown_ns) | add')" 0

# the recording that the manual page proposes, of one process: who exits gives up his last call
recipe=$(sed -n '/^perf-lite record -a --include-self -g/,/[^e]$/p' docs/perf-lite-latency.1 | sed 's/^ *-e //; s/ \\e$//' | sed 1d | paste -sd,)
run_ok "as the manual page records" "$PERF_LITE" record -q -e "$recipe" -o "$TMP/recipe" -- true
run_ok "and reads" "$PERF_LITE" latency syscalls -q -i "$TMP/recipe" --split --json
is "no call of a thread that has exited is open" "$(member '[.given_up, .open] | tostring')" "[1,0]"

# --- rings of one page in a storm ---

run_ok "a storm, and rings of a page" "$PERF_LITE" latency --from raw_syscalls:sys_enter:tid+id --to raw_syscalls:sys_exit:tid+id \
	-m 1 -r 0 --json --by comm -- sh -c "exec '$PROG/storm' 300000 >/dev/null"
is "the account closes" "$(jq '.begins - .spans - .restarts - .given_up - .across_loss - .reordered - .no_room - .open,
	.ends - .spans - .across_loss - .reordered - .ends_without_begin' "$TMP/out" | tr '\n' ' ')" "0 0 "
ok "none is longer than the run" test "$(member .max_ns)" -lt 60000000000

# --- filters with the names that types of the kernel have, and formats lack ---

lru=pagemap:mm_lru_insertion
if can btf && "$PERF_LITE" list -v $lru 2>/dev/null | grep -q 'enum lru_list lru'; then
	# nobody ends but the one whose pages are counted
	run_ok "pages of a command" "$PERF_LITE" record -q -e $lru -e sched:sched_process_exit -o "$TMP/pages" -- dd if=/dev/zero of=/dev/null bs=1M count=1
	spans()
	{
		"$PERF_LITE" latency -i "$TMP/pages" --to sched:sched_process_exit:tid --json --by comm "$@" >"$TMP/json" &&
			sed 's/"from":"[^"]*"//' "$TMP/json"
	}
	spans --from "$lru:tid" --filter 'lru >= 0' >"$TMP/all"
	like "there is a span" "$TMP/all" '"spans":1'
	spans --from "$lru:tid" --filter 'lru < 0 || lru < 6' >"$TMP/numbers"
	run_ok "--filter" spans --from "$lru:tid" --filter 'lru == LRU_INACTIVE_ANON || lru < NR_LRU_LISTS'
	is_file "chooses by name" "$TMP/out" "$TMP/numbers"
	run_ok "--filter of none" spans --from "$lru:tid" --filter 'lru == NR_LRU_LISTS'
	like "chooses none" "$TMP/out" '"left_out":1[,}]'
	spans --from "$lru:tid if lru == 0" >"$TMP/numbers"
	run_ok "the filter of a point" spans --from "$lru:tid if lru == LRU_INACTIVE_ANON"
	is_file "chooses by name, too" "$TMP/out" "$TMP/numbers"
	run_ok "live" "$PERF_LITE" latency --from "$lru:tid if lru == LRU_INACTIVE_ANON" --to sched:sched_process_exit:tid -- true
	run spans --from "$lru:tid" --filter 'lru == NOSUCH'
	rc_is 1 "a name that none has"
	like "the others are listed" "$TMP/err" 'its values: LRU_INACTIVE_ANON LRU_ACTIVE_ANON'
else
	skip_without "names of types in filters" btf
fi

# --- until the reader has gone, and what is not there ---

run "$PERF_LITE" latency --from nosuch:event --to sched:sched_switch --on tid
rc_is 1 "no such event"
like "it is named" "$TMP/err" "unknown tracepoint 'nosuch:event'"
run "$PERF_LITE" latency --from 'sched:sched_switch:next_pid if prev_pid > 0' --to 'sched:sched_switch:prev_pid if prev_prio <' true
like "the filter of one point is shown, where two share an event" "$TMP/err" "filter of sched:sched_switch: 'prev_prio <'\$"
run sh -c "cd '$TMP' && exec '$(readlink -f "$PERF_LITE")' latency off-cpu data"
rc_is 127 "a recording in place of a command"
like "how it is read" "$TMP/err" '^hint: to read a recording: -i data$'
run_ok "work of the kernel, of a command" "$PERF_LITE" latency workqueue -- true
like "says that it is not its own" "$TMP/out" "^no span began in the command's own processes; with -a"
# a probe is hit by the process whose pid it has: nobody else is looked at
while :; do ls /; done >/dev/null &
bystander=$!
libc=$(ldd /bin/sh | awk '/libc\.so/ { print $3 }')
sleep 30 &
run_ok "probes by process" "$PERF_LITE" latency --from "uretprobe:$libc:malloc(ptr=retval):pid+ptr" \
	--to "uprobe:$libc:free(ptr=arg1):pid+ptr" --json -p $! --duration 300ms
is "of one that does nothing" "$(jq -c '[.begins, .ends]' "$TMP/out")" "[0,0]"
run_ok "probes by process, of a command" "$PERF_LITE" latency --from "uretprobe:$libc:malloc(ptr=retval):pid+ptr" \
	--to "uprobe:$libc:free(ptr=arg1):pid+ptr" --json -- sh -c 'ls / >/dev/null'
ok "spans of it" test "$(member .spans)" -gt 0
kill $! $bystander
wait $! $bystander 2>/dev/null
run_ok "connects that are refused" "$PERF_LITE" latency tcp-connect -- python3 -c '
import socket
for i in range(5):
    socket.socket().connect_ex(("127.0.0.1", 1))'
like "are given up" "$TMP/out" "^not counted: 5 given up"
unlike "and began" "$TMP/out" "no span began"
run_ok "a line for each span" "$PERF_LITE" latency off-cpu --trace --min 1ms -m 4M -- $waits sleeps 5 3
ok "five at least" sh -c "cat '$TMP/out' '$TMP/err'; test \$(grep -c 'comm=$comm' '$TMP/out') -ge 5"
done_testing
