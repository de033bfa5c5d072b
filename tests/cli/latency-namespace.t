# SPDX-License-Identifier: GPL-2.0
#
# perf-lite latency in a PID namespace, where fields of tracepoints have other numbers of threads than records: whose spans they are
# is known all the same, by number of threads inside, by name of those outside.
. tests/lib.sh
need everybody pidns mounts
need_event sched:sched_switch
need_event raw_syscalls:sys_enter
need_cmd jq taskset
need_idle_tasks
f=$TMP/data
comm=outside-$$
cp "$PROG/waits" "$TMP/$comm"
cp "$PROG/waits" "$TMP/inside-$$"
program=$TMP/inside-$$

# A thread that loses the CPU behind the start of its timer is off the CPU twice in one sleep, and a busy machine lets it wait.

# inside DESC ARG...: perf-lite in a namespace of its own
inside()
{
	desc=$1
	shift
	run_ok "$desc" unshare -pf --mount-proc taskset -c 0 "$PERF_LITE" "$@"
}

# rows KEY: of each row
rows()
{
	jq -c "[.rows[] | $1]" "$TMP/out"
}

waits="$program sleeps 20 5"
inside "a command" latency off-cpu --min 4ms --by comm,tid --json -- sh -c "exec $waits >'$TMP/said'"
is_between "its sleeps" "$(jq .spans "$TMP/out")" 14 60
is "are its own alone" "$(rows '.comm | select(. != "sh")' | jq -c 'unique')" "[\"inside-$$\"]"
is_between "have the number inside" "$(rows .tid | jq 'max')" 2 99
inside "states of a command" latency states --json -- sh -c "exec $waits >'$TMP/said'"
is_between "are of one thread" "$(jq '.rows | length' "$TMP/out")" 1 2
is_between "that sleeps" "$(rows 'select(.comm != "sh") | .sleeping_ns' | jq 'max')" 90000000 10000000000
inside "system calls in parts" latency syscalls --split --min 4ms --json -- sh -c "exec $waits >'$TMP/said'"
# what the host of a virtual machine takes away counts as running
is_between "each sleep is one" "$(rows 'select(.id.name == "clock_nanosleep") | (.sleeping_ns + .runnable_ns) / .sum_ns' | jq 'min')" 0.5 1

inside "a recording" record -q -o "$f" -a --include-self -e sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new \
	-- sh -c "echo \$\$ >'$TMP/pid'; exec $waits >'$TMP/said'"
run_ok "read elsewhere" "$PERF_LITE" latency off-cpu -i "$f" -p "$(cat "$TMP/pid")" --min 4ms --json
is_between "its sleeps are there" "$(jq .spans "$TMP/out")" 14 60
run_ok "run-queue by name" "$PERF_LITE" latency run-queue -i "$f" --comm "inside-$$" --waker --json
# on a busy machine a sleep may be over before the thread has left its CPU
is_between "wakes" "$(jq .spans "$TMP/out")" 14 1000
run_ok "as a timeline" "$PERF_LITE" latency off-cpu -i "$f" -p "$(cat "$TMP/pid")" --min 4ms -q --chrome "$TMP/chrome"
is_between "has them in their thread" "$(jq --argjson tid "$(cat "$TMP/pid")" \
	'[.traceEvents[] | select(.ph == "X" and .tid == $tid)] | length' "$TMP/chrome")" 14 60
run_ok "its head" "$PERF_LITE" report -i "$f" --header-only
like "names the namespace" "$TMP/out" '^# process ids : of a PID namespace$'

taskset -c 0 "$TMP/$comm" sleeps 100000 2 >"$TMP/outside" &
outside=$!
at_exit "kill $outside 2>/dev/null"
inside "everybody" latency off-cpu -a --duration 300ms --by comm,pid --json
is "those outside have their names" "$(rows "select(.comm == \"$comm\") | .pid" | jq -c 'unique')" "[0]"
is "all of them" "$(rows '.comm | select(startswith(":"))')" "[]"
inside "one of them by name" latency off-cpu -a --comm "$comm" --duration 300ms --min 1ms --json
is_between "has its sleeps" "$(jq .spans "$TMP/out")" 10 150
kill $outside
done_testing
