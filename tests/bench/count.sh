#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# count.sh [ROUNDS] [CALLS] - what it costs to count system calls in various ways: ns of CPU time that each call
# takes the traced program, two threads of which call as fast as they can; the counter's own CPU time for each
# call, start included; its memory; what was lost. Beside it perf stat, and bpftrace where it is installed and
# runs. Needs root, perf and jq.
. tests/bench/lib
need_perf
need_cmd jq
turns=${1:-5}
calls=${2:-1000000}
number=$("$PROG/storm" --number)
event=raw_syscalls:sys_enter

# The load, which tells its own CPU time (user, system).
cat >"$tmp/load" <<END
#!/bin/sh
"$PROG/storm" --threads 2 --quiet $calls
times >"$tmp/times"
END
chmod +x "$tmp/load"
set -- "$tmp/outside" "$tmp/load"
load="$*"

cpu_ns()
{
	tail -n 1 "$tmp/times" | sed 's/[ms]/ /g' | awk -v n="$calls" '{ printf "%.1f", ($1 * 60 + $2 + $3 * 60 + $4) * 1e9 / n }'
}

one()
{
	ours=
	case $1 in
	untraced) set -- ;;
	perf-stat) set -- perf stat -a -o /dev/null -e $event ;;
	bpftrace-*)
		case $1 in
		*-count) what='@ = count()' ;;
		*-id) what='@[args->id] = count()' ;;
		*-kstack) what='@[kstack] = count()' ;;
		esac
		set -- bpftrace -e "tracepoint:$event { $what; }" -c
		;;
	*)
		ours=1
		case $1 in
		counters) by=event ;;
		*) by=${1#by-} ;;
		esac
		set -- "$PERF_LITE" count -q --json -a -e $event --by "$by"
		[ "$by" != event ] || set -- "$@" --filter "id == $number"
		[ "$by" = event ] || set -- "$@" --filter "id >= 0"
		;;
	esac
	# shellcheck disable=SC2086
	case ${1:-} in
	'') measured $load ;;
	# it starts no scripts
	bpftrace) measured "$@" "/bin/sh $load" ;;
	*) measured "$@" -- $load ;;
	esac
	lost=0
	[ -z "$ours" ] || lost=$(jq .lost "$tmp/out")
	figure "$name" "$(cpu_ns)" "$cpu_us" "$lost" "$wall_ms"
}

names="untraced perf-stat counters by-id by-comm by-kstack"
if command -v bpftrace >/dev/null && bpftrace -e 'BEGIN { exit(); }' >/dev/null 2>&1; then
	names="$names bpftrace-count bpftrace-id bpftrace-kstack"
else
	echo "bpftrace is not here, or does not run"
fi
# shellcheck disable=SC2086
in_turn "$turns" one $names

printf '%-18s %14s %16s %10s %12s\n' counted "load ns/call" "own ns/call" lost "calls/s"
for n in $names; do
	awk -v w="$n" -v l="$(median "$n" 1)" -v c="$(median "$n" 2)" -v x="$(median "$n" 3)" -v t="$(median "$n" 4)" \
		-v k="$calls" 'BEGIN { printf "%-18s %14.0f %16.1f %10d %12.0f\n", w, l, w == "untraced" ? 0 : c * 1000 / k, x,
		k * 1000 / t }'
done
