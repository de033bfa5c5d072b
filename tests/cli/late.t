#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A machine so busy that the recorder waits for longer than it was to record: that it does all the same.
. tests/lib.sh
need_root
need_cmd "${CC:-cc}"
${CC:-cc} -shared -fPIC -O1 -D_GNU_SOURCE -o "$TMP/late.so" tests/inject/late.c -ldl || skip_all "no shared objects"

# Samples of a CPU clock of 999 Hz in 200 ms, whose beginning comes 400 ms late: 100 are enough.
late()
{
	rc=0
	LATE_MS=400 LD_PRELOAD="$TMP/late.so" timeout 30 "$PERF_LITE" record -q -o "$TMP/data" -C 0 -F 999 -e cpu-clock \
		--duration 200ms "$@" >"$TMP/out" 2>"$TMP/err" || rc=$?
	rc_is 0 "enabled late${1:+, $1}"
	n=$("$PERF_LITE" script -q -F time -i "$TMP/data" | wc -l)
	ok "it was recorded for as long as was asked for" test "$n" -gt 100
	[ "$n" -gt 100 ] || diag "$n samples"
}
late
late -D 50
late -- sleep 5
done_testing
