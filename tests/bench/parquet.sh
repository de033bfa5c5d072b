#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# parquet.sh [N] - convert --to parquet: sizes beside those of the recording, CPU time and memory, of N system calls (default 10000000)
# without stacks and of N / 50 packet drops with stacks; and how long DuckDB takes to count the rows by a field, beside count. $LIBDUCKDB is its
# library, where the loader does not find libduckdb.so; without one the last is left out.
. tests/bench/lib
need_cmd python3
count=${1:-10000000}

# bytes DIR: of the tables in it
bytes() { cat "$1"/*.parquet | wc -c; }

# row DESC FILE: both tables of it
row()
{
	: >"$tmp/figures"
	for round in 1 2 3; do
		measured "$PERF_LITE" convert -q --to parquet -i "$2" -o "$2.tables/"
		[ "$status" -eq 0 ] || { cat "$tmp/err" >&2; exit 1; }
		figure run $cpu_us
	done
	kib=$(python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$PERF_LITE" convert -q --to parquet -i "$2" -o "$2.tables/")
	awk -v d="$1" -v own="$(stat -c %s "$2")" -v table="$(bytes "$2.tables")" -v csv="$("$PERF_LITE" convert -q --to csv -i "$2" -o - | wc -c)" \
		-v us="$(median run 1)" -v kib="$kib" 'BEGIN {
		printf "%-24s recording %.1f MB, tables %.1f MB (%.2f), csv %.0f MB; CPU %.2f s, %.0f MiB\n",
			d, own / 1e6, table / 1e6, table / own, csv / 1e6, us / 1e6, kib / 1024 }'
}

# asked DESC SQL: the median of five runs in one DuckDB
asked()
{
	python3 tests/cli/duckdb.py --time 5 "$2" >"$tmp/out" 2>"$tmp/err" || { echo "$1: no DuckDB"; return; }
	awk -v d="$1" '{ printf "%-60s %.3f s\n", d, $1 }' "$tmp/out"
}

"$PERF_LITE" record -q -m 16M -e raw_syscalls:sys_enter -o "$tmp/calls" -- \
	dd if=/dev/zero of=/dev/null bs=1 count=$((count / 2)) 2>"$tmp/err"
row "$count system calls" "$tmp/calls"
asked "DuckDB: count(*) by id" "SELECT id, count(*) FROM '$tmp/calls.tables/samples.parquet' GROUP BY id"
asked "DuckDB: count(*), sum(period) by pid, id" "SELECT pid, id, count(*), sum(period) FROM '$tmp/calls.tables/samples.parquet' GROUP BY ALL"
measured "$PERF_LITE" count -q -i "$tmp/calls" --by id
awk -v ms="$wall_ms" 'BEGIN { printf "%-60s %.3f s\n", "perf-lite count --by id, of the recording", ms / 1e3 }'

"$PERF_LITE" record -q -m 16M -e skb:kfree_skb -ag -o "$tmp/drops" -- "$PROG/drops" --udp $((count / 50)) >"$tmp/out"
row "$((count / 50)) drops, stacks" "$tmp/drops"
asked "DuckDB: drops by reason" "SELECT reason, count(*) FROM '$tmp/drops.tables/samples.parquet' GROUP BY reason"
asked "DuckDB: functions anywhere in the stack" \
	"SELECT f, count(*) FROM (SELECT unnest(list_distinct(stack)) AS f FROM '$tmp/drops.tables/samples.parquet') GROUP BY f"
