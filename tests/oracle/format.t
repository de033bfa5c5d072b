# SPDX-License-Identifier: GPL-2.0
#
# docs/FORMAT.md is right and says enough: a reader written from it (format.py) gives the same bytes of each
# record as script -D. Recordings of either byte order, of payload version 1, and, where a process can
# record itself, of unwound stacks, of kept copies of stacks, and packed; of tracepoints of everybody.
. tests/lib.sh
need python3

# same NAME FILE
same()
{
	run_ok "$1: read by the page alone" python3 tests/oracle/format.py "$2"
	mv "$TMP/out" "$TMP/page"
	"$PERF_LITE" script -D -i "$2" 2>"$TMP/err" |
		awk '/raw event: size/ { if (nr++) print line; line = "" }
			/^\.  [0-9a-f]+:/ { hex = substr($0, index($0, ":") + 1, 49); gsub(/ /, "", hex); line = line hex }
			END { if (nr) print line }' >"$TMP/program"
	is_file "$1: as the program reads it" "$TMP/page" "$TMP/program"
	ok "$1: there are records" test -s "$TMP/page"
}

same "the example" docs/example/drops.data
same "payload version 1" tests/cli/payload-1.data
same "of a guest" tests/vm/golden/x86_64.data
# the program gives them in this machine's byte order
run_ok "big-endian: read by the page alone" python3 tests/oracle/format.py tests/vm/golden/s390x.data
like "big-endian: a record" "$TMP/out" '^0000000300000038'

if can own; then
	for how in fp dwarf 'dwarf --keep-stacks --inline'; do
		# shellcheck disable=SC2086
		run_ok "record $how" "$PERF_LITE" record -q -e cpu-clock:u,page-faults:u -c 100000 --call-graph $how -o "$TMP/d" -- \
			"$PROG/stacks" 100
		same "$how" "$TMP/d"
		run_ok "pack" "$PERF_LITE" pack -q -o "$TMP/p" "$TMP/d"
		same "$how, packed" "$TMP/p"
	done
else
	skip_without "recordings made here" own
fi
if can everybody && can tracepoints; then
	run_ok "record several events" "$PERF_LITE" record -q -e cpu-clock -e sched:sched_switch -e raw_syscalls:sys_enter -ag \
		-o "$TMP/d" -- "$PROG/forks" 20
	same "several events" "$TMP/d"
else
	skip_without "several events" everybody tracepoints
fi
done_testing
