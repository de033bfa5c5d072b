#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# memory.sh [EVENTS_PER_SECOND] - the memory of the recorder's processes at a million events a second
# (or as many as the machine makes) for four seconds, with and without call chains, beside perf's:
# the peak of their resident sets. Rings are not part of a resident set; memory that the recorder
# shares with its guardian counts in both, and is told apart, as are mapped files. The events are the
# beginnings and ends of system calls. Needs root and perf.
. tests/bench/lib
need_perf
rate=${1:-1000000}
cpus=$(nproc)

# Peaks of all processes of the cgroup, by name and pid, until the file "stop" is there.
watch()
{
	while [ ! -e "$tmp/stop" ]; do
		for p in $(cat "$group/cgroup.procs"); do
			awk -v p="$p" '/^Name:/ { n = $2 } /^VmHWM:/ { h = $2 } /^RssFile:/ { f = $2 } /^RssShmem:/ { s = $2 }
				END { if (n != "") print n, p, h + 0, f + 0, s + 0 }' "/proc/$p/status" 2>/dev/null || :
		done
		sleep 0.05
	done >"$tmp/peaks"
}

one()
{
	label=$1
	shift
	rm -f "$tmp/stop"
	watch &
	watcher=$!
	measured "$@" -- "$tmp/outside" "$PROG/storm" --threads "$cpus" --seconds 4 $((rate * 2))
	touch "$tmp/stop"
	wait $watcher
	[ $status -eq 0 ] || { cat "$tmp/err" >&2; exit 1; }
	taken=$(awk -v cpus="$cpus" '{ sub(/.*ns_per_call=/, ""); printf "%.2f", 2 * cpus * 1000 / $0 }' "$tmp/out")
	# What becomes the load begins in the cgroup.
	awk -v l="$label" -v t="$taken" '$1 !~ /^(outside|inside|sh|storm|perf-exec|awk|true)$/ {
		k = $2
		name[k] = $1
		if ($3 > peak[k]) peak[k] = $3
		if ($4 > file[k]) file[k] = $4
		if ($5 > shared[k]) shared[k] = $5
	} END {
		for (k in peak)
			printf "%-14s %-16s %10s %10.1f %10.1f %10.1f\n", l, name[k], t, peak[k] / 1024,
				file[k] / 1024, shared[k] / 1024
	}' "$tmp/peaks" | sort
	rm -f "$tmp/perf.data"* "$tmp/a"*
}

printf '%-14s %-16s %10s %10s %10s %10s\n' recorder process "M events/s" "peak MiB" files shared
one perf perf record -e 'raw_syscalls:*' --exclude-perf -a -o "$tmp/perf.data"
one "perf -z" perf record -z -e 'raw_syscalls:*' --exclude-perf -a -o "$tmp/perf.data"
one perf-lite "$PERF_LITE" record -e 'raw_syscalls:*' -a -o "$tmp/a"
one "perf -g" perf record -e 'raw_syscalls:*' --exclude-perf -ag -o "$tmp/perf.data"
one "perf-lite -g" "$PERF_LITE" record -e 'raw_syscalls:*' -ag -o "$tmp/a"
