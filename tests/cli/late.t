#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A machine so busy that the recorder waits for longer than it was to record: that it does all the same.
. tests/lib.sh
need_root
need_cmd "${CC:-cc}"
${CC:-cc} -shared -fPIC -O1 -D_GNU_SOURCE -o "$TMP/late.so" tests/inject/late.c -ldl || exit 1

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

# Enabled late on purpose: a time begins when events are enabled first, not at the start.

# enabled_later COMMAND...: whose 100 ms begin after 400 ms; it reads the fifo
enabled_later()
{
	rm -f "$TMP/fifo"
	mkfifo "$TMP/fifo"
	(
		exec 9>"$TMP/fifo"
		sleep 0.4
		echo enable >&9
		sleep 2
	) &
	writer=$!
	run timeout 30 "$@"
	rc_is 0 "$1: enabled by --control"
	kill $writer
	wait $writer 2>/dev/null
}
pl=$PERF_LITE
enabled_later "$pl" record -q -o "$TMP/data" -C 0 -F 999 -e cpu-clock -D -1 --control "fifo:$TMP/fifo" --duration 200ms
n=$("$pl" script -q -F time -i "$TMP/data" | wc -l)
ok "record: of 200 ms there are samples ($n)" test "$n" -gt 100
enabled_later "$pl" stat -x, -C 0 -e cpu-clock -D -1 --control "fifo:$TMP/fifo" --timeout 200
ms=$(sed -n 's/^\([0-9]*\)[.,].*/\1/p' "$TMP/err")
ok "stat: 200 ms are counted ($ms)" test "$ms" -ge 195
run_ok "stat -D" "$pl" stat -x, -C 0 -e cpu-clock -D 300 --timeout 200
ms=$(sed -n 's/^\([0-9]*\)[.,].*/\1/p' "$TMP/err")
ok "200 ms are counted ($ms)" test "$ms" -ge 195
run_ok "count -D" "$pl" count -q -C 0 -e cpu-clock -D 300 --duration 200ms --json
like "200 ms are counted" "$TMP/out" '"total":\{"count":(19[5-9]|[2-9][0-9][0-9])[0-9]{6}\}'
run_ok "stat -D: rates" "$pl" stat -C 0 -e cpu-clock,duration_time -x, -D 400 --timeout 100
ok "the time is that of what is counted" awk -F, '$3 == "duration_time" { d = $1 } $3 == "cpu-clock" { c = $1 * 1000000 }
	END { exit !(d >= 100000000 && d < 1.5 * c) }' "$TMP/err"
run_ok "intervals" "$pl" stat -C 0 -e cpu-clock -x, -I 50 -D 300 --timeout 100
ok "begin then" awk -F, 'NR == 1 { exit !($1 < 0.2 && $2 >= 45) }' "$TMP/err"
run_ok "trace -D" "$pl" trace -q -C 0 -F 999 -e cpu-clock -D 300 --duration 200ms
n=$(wc -l <"$TMP/out")
ok "200 ms of samples are printed ($n)" test "$n" -gt 100
done_testing
