#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# annotate.sh [N] - what it costs to annotate the hottest function of N samples (default 1000000), beside the installed perf: CPU
# milliseconds (user + system) and the largest memory, each the median of interleaved rounds. Needs root and perf.
# ROUNDS=N: so many (default 5).
. tests/bench/lib
need_perf
need_cmd objdump
count=${1:-1000000}
repeat=${ROUNDS:-5}

# One run of a contender: "NAME CPU-microseconds KiB" to the figures.
run_once()
{
	measured time -o "$tmp/time" -f %M sh "$tmp/command.$1"
	[ "$status" -eq 0 ] || { cat "$tmp/err" >&2; exit 1; }
	figure "$1" "$cpu_us" "$(cat "$tmp/time")"
}

"$PERF_LITE" record -q -e page-faults:u -c 1 -o "$tmp/own" -- "$PROG/faults" "$count"
"$PERF_LITE" convert --to perf.data -i "$tmp/own" -o "$tmp/perf.data" 2>"$tmp/err"
symbol=$("$PERF_LITE" annotate -q --csv --functions 1 -i "$tmp/own" | sed -n '2{s/^[^,]*,[^,]*,\([^,]*\),.*/\1/;p}')
echo "exec perf annotate --stdio -i $tmp/perf.data --symbol $symbol" >"$tmp/command.perf"
echo "exec $PERF_LITE annotate -q -i $tmp/perf.data $symbol" >"$tmp/command.converted"
echo "exec $PERF_LITE annotate -q -i $tmp/own $symbol" >"$tmp/command.own"
: >"$tmp/figures"
in_turn "$repeat" run_once perf converted own
printf '%-44s %8s %8s\n' "$symbol of $count samples" 'CPU ms' 'MB'
for name in perf converted own; do
	echo "$name $(median $name 1) $(median $name 2)" | awk -v what="$(case $name in
		perf) echo perf annotate --stdio ;;
		converted) echo perf-lite annotate -i perf.data ;;
		own) echo perf-lite annotate ;;
		esac)" '{ printf "%-44s %8.1f %8.1f\n", what, $2 / 1e3, $3 / 1024 }'
done
