#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# script.sh [N] - what it costs to print N packet drops with their stacks (default 420000), a
# scheduler's switches and the samples of a compiler, beside the installed perf: CPU seconds (user +
# system) and the largest memory, each the median of interleaved rounds; then how soon the first
# line comes, and stacks unwound from copies. Needs root and perf. ROUNDS=N: so many (default 5);
# BIG=1: also of a gigabyte.
set -eu
: "${O:=build}"
count=${1:-420000}
rounds=${ROUNDS:-5}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

[ "$(id -u)" -eq 0 ] || { echo "script: recording a kernel event needs root" >&2; exit 1; }
command -v perf >/dev/null || { echo "script: compares with perf, which is not installed" >&2; exit 1; }

# Splits perf's text into stacks and counts them, as stackcollapse-perf.pl of FlameGraph does.
cat >"$tmp/collapse.pl" <<'EOF'
my (%count, @stack, $comm);
while (<STDIN>) {
	chomp;
	if (/^\s*$/) {
		$count{join ";", $comm, reverse @stack}++ if defined $comm;
		undef $comm;
		@stack = ();
	} elsif (/^(\S.+?)\s+(\d+)\/*(\d+)*\s+/) {
		($comm = $1) =~ s/\s/_/g;
	} elsif (/^\s*(\w+)\s*(.+) \((.*)\)/) {
		my $name = $2;
		$name =~ s/\+0x[\da-f]+$//;
		$name =~ s/;/:/g;
		push @stack, $name;
	}
}
print "$_ $count{$_}\n" for sort keys %count;
EOF
collapse=$(command -v stackcollapse-perf.pl || echo "perl $tmp/collapse.pl")

# contender NAME CMD: one of those that are compared; the first is what the others are compared with.
nr=0
contender()
{
	nr=$((nr + 1))
	echo "$1" >"$tmp/name.$nr"
	echo "$2" >"$tmp/command.$nr"
	: >"$tmp/runs.$nr"
}

median()
{
	sort -n "$1" | sed -n "$(((rounds + 1) / 2))p"
}

# Runs them all in turn, and prints a line for each.
compare()
{
	round=0
	while [ $round -lt "$rounds" ]; do
		round=$((round + 1))
		i=0
		while [ $i -lt $nr ]; do
			i=$((i + 1))
			command time -o "$tmp/time" -f '%U %S %M' sh -c "$(cat "$tmp/command.$i")" \
				>/dev/null 2>"$tmp/err" || { cat "$tmp/err" >&2; exit 1; }
			awk '{ print $1 + $2, $3 / 1024 }' "$tmp/time" >>"$tmp/runs.$i"
		done
	done
	printf '%-40s %8s %8s %8s\n' "$1" 'CPU s' times 'MB'
	i=0
	while [ $i -lt $nr ]; do
		i=$((i + 1))
		echo "$(median "$tmp/runs.1") $(median "$tmp/runs.$i")" |
			awk -v n="$(cat "$tmp/name.$i")" '{ printf "%-40s %8.2f %8.1f %8.0f\n", n, $3, $1 / ($3 > 0 ? $3 : 0.01), $4 }'
	done
	echo
	nr=0
}

both()
{
	contender "perf script" "exec perf script -i $tmp/perf.data"
	contender "perf-lite script -i perf.data" "exec $O/perf-lite script -q -i $tmp/perf.data"
	contender "perf-lite script" "exec $O/perf-lite script -q -i $tmp/own"
	contender "perf-lite script -j1" "exec $O/perf-lite script -q -j1 -i $tmp/own"
	compare "$1"
}

# record OPTIONS CMD...: to own, and by perf to perf.data.
record()
{
	options=$1
	shift
	# shellcheck disable=SC2086
	"$O/perf-lite" record -q -m 16M $options -o "$tmp/own" -- "$@" >"$tmp/out" 2>&1
	# shellcheck disable=SC2086
	perf record -q -m 16M $options -o "$tmp/perf.data" -- "$@" >"$tmp/out" 2>&1
}

# The milliseconds until the first line is there, median of five; then the reader goes away.
first_line()
{
	for round in 1 2 3 4 5; do
		perl -MTime::HiRes=time -e '
			my $t = time; open my $p, "-|", @ARGV or die; <$p> // die "no line\n";
			printf "%.0f\n", (time - $t) * 1000' "$@" 2>"$tmp/err"
	done | sort -n | sed -n 3p
}

record "-e skb:kfree_skb -ag" "$O/tests/prog/drops" --udp "$count"
both "$count drops: perf.data $(wc -c <"$tmp/perf.data") bytes, own $(wc -c <"$tmp/own")"
all=$rounds
rounds=1
contender "perf script | stackcollapse-perf.pl" "perf script -i $tmp/perf.data | $collapse"
contender "perf-lite script --folded -i perf.data" "exec $O/perf-lite script -q --folded -i $tmp/perf.data"
contender "perf-lite script --folded" "exec $O/perf-lite script -q --folded -i $tmp/own"
compare "folded"
rounds=$all
echo "first line after, ms: perf $(first_line perf script -i "$tmp/perf.data")," \
	"perf.data $(first_line "$O/perf-lite" script -q -i "$tmp/perf.data")," \
	"own $(first_line "$O/perf-lite" script -q -i "$tmp/own")"
echo

record "-e sched:sched_switch,sched:sched_waking -ag" "$O/tests/prog/threads" 60000
both "sched_switch, sched_waking"

record "-e cpu-clock -F 9000 -g" "$O/tests/prog/stacks" 6000 40
both "cpu-clock of frame pointers"

record "-e cpu-clock -F 9000 -g" \
	sh -c 'for i in 1 2 3 4; do cc -std=gnu11 -D_GNU_SOURCE -I. -O2 -c -o "$1" util/format/script_text.c; done' \
	sh "$tmp/object.o"
both "cpu-clock of a compiler, without frame pointers"

if [ -n "${BIG:-}" ]; then
	rounds=1
	record "-e skb:kfree_skb -ag" "$O/tests/prog/drops" --udp 3400000
	both "3400000 drops: perf.data $(wc -c <"$tmp/perf.data") bytes"
	echo "first line after, ms: perf $(first_line perf script -i "$tmp/perf.data")," \
		"perf.data $(first_line "$O/perf-lite" script -q -i "$tmp/perf.data")," \
		"own $(first_line "$O/perf-lite" script -q -i "$tmp/own")"
	echo
fi

perf record -q -m 32M -F 4000 -e cpu-clock --call-graph dwarf,65528 -o "$tmp/dwarf.data" -- \
	cc -std=gnu11 -D_GNU_SOURCE -I. -O2 -c -o "$tmp/object.o" util/format/script_text.c >"$tmp/out" 2>&1
rounds=3
contender "perf script --no-inline" "exec perf script --no-inline -i $tmp/dwarf.data"
for unwinder in fast libdw libunwind; do
	contender "perf-lite script --unwinder=$unwinder" \
		"exec $O/perf-lite script -q --no-inline --unwinder=$unwinder -i $tmp/dwarf.data"
done
contender "perf-lite script --quality" "exec $O/perf-lite script -q --quality -i $tmp/dwarf.data"
compare "stacks copied: perf.data $(wc -c <"$tmp/dwarf.data") bytes"
