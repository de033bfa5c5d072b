#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# versions.sh [N] - what changed since another version: OTHER=PERF-LITE is its program. Both record the same load of
# N system calls (default 400000) and N / 4 packet drops, in turns; then both read what the other version recorded: CPU
# milliseconds (user + system), the largest memory, bytes of the files, each the median of interleaved rounds, and the
# median of each round's ratio, which what else happens on the machine moves less. Above 1.00: more than before. Needs root.
# ROUNDS=N: so many (default 9).
. tests/bench/lib
other=${OTHER:-}
[ -n "$other" ] || { echo "versions: not measured: OTHER=PROGRAM names the version to compare with"; exit 0; }
need_cmd "$other" cc time
count=${1:-400000}
repeat=${ROUNDS:-9}

# run NAME: NAME is other.NR or this.NR
run()
{
	program=$PERF_LITE
	[ "${1%.*}" = this ] || program=$other
	rm -rf "$tmp/x" "$tmp/x."*
	measured time -o "$tmp/time" -f %M sh "$tmp/command.${1#*.}" "$program"
	[ "$status" -eq 0 ] || { echo "$(cat "$tmp/name.${1#*.}"), $program:"; cat "$tmp/err"; exit 1; } >&2
	bytes=-
	[ ! -f "$tmp/x" ] || bytes=$(stat -c %s "$tmp/x")
	[ "$cpu_us" -gt "$nothing" ] || cpu_us=$((nothing + 1))
	figure "$1" "$((cpu_us - nothing))" "$(tail -n 1 "$tmp/time")" "$bytes"
}

# ratios NR FIELD: the median of this / other of each round
ratios()
{
	awk -v nr="$1" -v f="$2" '$1 == "other." nr { o[++a] = $(f + 1) } $1 == "this." nr { t[++b] = $(f + 1) }
		END { for (i = 1; i <= a; i++) if (o[i] > 0) print t[i] / o[i] }' "$tmp/figures" | sort -n |
		awk '{ v[NR] = $1 } END { if (NR) printf "%.2f\n", v[int((NR + 1) / 2)]; else print "-" }'
}

# What measuring costs, a shell and time(1), is taken off.
nothing=0
echo : >"$tmp/command.nothing"
echo nothing >"$tmp/name.nothing"
in_turn 9 run this.nothing
nothing=$(median this.nothing 1)

nr=0
names=''
# row WHAT ARGUMENTS: perf-lite ARGUMENTS; $x is a file whose bytes count
row()
{
	echo "$1" >"$tmp/name.$nr"
	shift
	echo "program=\$1 x=$tmp/x; exec \$program $*" >"$tmp/command.$nr"
	names="$names other.$nr this.$nr"
	nr=$((nr + 1))
}

table()
{
	: >"$tmp/figures"
	# shellcheck disable=SC2086
	in_turn "$repeat" run $names
	printf '%-34s %9s %9s %6s %8s %8s %6s %10s %10s %6s\n' "$1" 'CPU ms' now ratio MB now ratio bytes now ratio
	n=0
	while [ $n -lt $nr ]; do
		for f in 1 2 3; do
			echo "$(median other.$n $f) $(median this.$n $f) $(ratios $n $f)"
		done | awk -v what="$(cat "$tmp/name.$n")" '
			NR == 1 { cpu = sprintf("%9.1f %9.1f %6s", $1 / 1e3, $2 / 1e3, $3) }
			NR == 2 { mb = sprintf("%8.1f %8.1f %6s", $1 / 1024, $2 / 1024, $3) }
			NR == 3 { printf "%-34s %s %s %10s %10s %6s\n", what, cpu, mb, $1, $2, $3 }'
		n=$((n + 1))
	done
	nr=0
	names=''
}

quiet=">$tmp/out"
row "record -e EVENT" "record -q -m 16M -e raw_syscalls:sys_enter -o \$x -- $PROG/storm $count"
row "record -e EVENT -g" "record -q -m 16M -e syscalls:sys_enter_getppid -g -o \$x -- $PROG/storm $count"
row "record -e skb:kfree_skb -ag" "record -q -m 16M -e skb:kfree_skb -ag -o \$x -- $PROG/drops --udp $((count / 4))"
row "record --call-graph dwarf" "record -q -m 16M -e syscalls:sys_enter_getppid --call-graph dwarf -o \$x -- $PROG/storm $((count / 20))"
row "record true" "record -q -o \$x -- true"
row "stat true" "stat -o $tmp/out -- true"
row "count -e EVENT" "count -e raw_syscalls:sys_enter --by comm -- $PROG/storm $count $quiet"
row "--version" "--version $quiet"
table "live"
echo

"$other" record -q -m 16M -e raw_syscalls:sys_enter -o "$tmp/calls" -- "$PROG/storm" "$count" >"$tmp/out"
"$other" record -q -m 16M -e skb:kfree_skb -ag -o "$tmp/drops" -- "$PROG/drops" --udp $((count / 4)) >"$tmp/out"
"$other" record -q -m 16M -e cpu-clock -F 9000 --call-graph dwarf -o "$tmp/cc" -- \
	sh -c 'for i in 1 2 3 4; do cc -std=gnu11 -D_GNU_SOURCE -I. -O2 -c -o "$1" util/format/script_text.c; done' sh "$tmp/object.o" >"$tmp/out"
for f in calls drops cc; do
	row "script $f" "script -i $tmp/$f $quiet"
	row "report $f" "report -i $tmp/$f $quiet"
	row "report -g none --no-children $f" "report -g none --no-children -i $tmp/$f $quiet"
	row "flamegraph $f" "flamegraph -i $tmp/$f -o \$x"
	row "count --by comm $f" "count --by comm -i $tmp/$f $quiet"
	row "convert --to perf.data $f" "convert --to perf.data -i $tmp/$f -o \$x"
	row "verify $f" "verify $tmp/$f $quiet"
done
row "script --inline cc" "script --inline -i $tmp/cc $quiet"
row "script -F -j1 drops" "script -j1 -F comm,time,event,ip,sym -i $tmp/drops $quiet"
row "drops drops" "drops -i $tmp/drops $quiet"
row "diff cc cc" "diff $tmp/cc $tmp/cc $quiet"
table "read"
