#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Call graphs of report beside those of the installed perf. Programs of one thread: byte for byte. Where there are
# several, perf's order of rows that weigh the same depends on how its tree grew, so rows, each with
# its graph, are compared as a set.
. tests/lib.sh
need_root
need perf-6.1
need_tracefs
need_cmd perl

# A row and its graph as one line. perf calls the rest of a branch inlined where its memory happens to say so, and
# gives code of no file the level of the frame before it. Of lines in the C library it takes the wrong file.
rows()
{
	perl -e '
		while (<STDIN>) {
			next if /^#/ || /^\s*$/;
			s/\[\.\.\.\] \(inlined\)/[...]/;
			s/\[k\]( 0x)/[.]$1/ if /^ {1,6}[0-9.]+%/;
			s/\[k\] (0000)/[.] $1/;
			s/(__libc_start_call_main|__restore_rt|msort_with_tmp.part.0) \S+$/$1/;
			if (/^ {1,6}[0-9.]+%  /) { push @rows, $_ } else { $rows[-1] .= "  $_" if @rows }
		}
		print @ARGV ? @rows : sort @rows;' -- "$@"
}

# by OPTIONS...: what both print of $f with each of these
by()
{
	for how; do
		# shellcheck disable=SC2086
		perf report --stdio -i "$f" $how </dev/null 2>/dev/null | rows $in_order >"$TMP/want"
		# shellcheck disable=SC2086
		"$PERF_LITE" report -q --compat=6.1 -i "$f" $how </dev/null 2>"$TMP/err" | rows $in_order >"$TMP/got"
		is_file "$row: ${how:-no options} ($(wc -l <"$TMP/want") lines)" "$TMP/got" "$TMP/want"
		[ -s "$TMP/want" ] || fail "$row: perf prints something"
	done
}

row()
{
	row=$1 f=$TMP/$1.data
	shift
	perf record -q -o "$f" "$@" >"$TMP/record.out" 2>&1
}

in_order=as-is
row calls -e syscalls:sys_enter_write -g -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do echo $i; done; ls /'
keys='-s comm,dso,sym' # of tracepoints alone perf shows the text by default
by "$keys" "$keys --no-children" "$keys -g callee" "$keys -g fractal" "$keys -g flat" "$keys -g folded" \
	'-s sym' "$keys -g none"

in_order=
row frame-pointers -e cpu-clock -g -- "$PROG/stacks" 100
by '' --no-children '-g callee' '-g fractal' '-g fractal,callee --no-children' '-g caller --no-children' \
	'-g flat' '-g folded' '-g folded,callee --no-children' '-g address --no-children -S leaf,compare' '-s sym' '-s comm' \
	'-s dso' '--percent-limit 5' '-g graph,2,3' '-g count,fractal' '-g period' '-g folded,count,0'
row switches -e sched:sched_switch,sched:sched_waking -g -- "$PROG/threads" 200
by "$keys" "$keys -g fractal,0.5,2,callee" '-s pid --no-children -g caller'
row dwarf -e cpu-clock --call-graph dwarf -F 500 -- "$PROG/spin" 100
by --no-inline '--no-inline --no-children -g folded'

# Our own recordings, which perf reads when they are converted.
run_ok "records" "$PERF_LITE" record -e cpu-clock -g -o "$TMP/own" -- "$PROG/stacks" 100
run_ok "converts" "$PERF_LITE" convert -i "$TMP/own" --to perf.data -o "$TMP/own.data" -f
row=own f=$TMP/own.data
by '' '--no-children -g fractal'
"$PERF_LITE" report -i "$TMP/own" >"$TMP/of-own"
"$PERF_LITE" report -i "$TMP/own.data" >"$TMP/of-converted"
grep -v '^#' "$TMP/of-own" >"$TMP/got"
grep -v '^#' "$TMP/of-converted" >"$TMP/want"
is_file "a recording and what it was converted to have the same graphs" "$TMP/got" "$TMP/want"
done_testing
