# SPDX-License-Identifier: GPL-2.0
#
# --time=FORM of script and trace: the times of a recording by other clocks, after the fact.
. tests/lib.sh
need_event skb:kfree_skb
need_cmd python3

# A moment by all clocks, before and after what is recorded.
now()
{
	python3 -c 'import time; print(*[time.clock_gettime_ns(c) for c in
		(time.CLOCK_REALTIME, time.CLOCK_MONOTONIC, time.CLOCK_BOOTTIME, time.CLOCK_TAI)])'
}

now >"$TMP/before"
run_ok "a recording" "$PERF_LITE" record -e skb:kfree_skb -o "$TMP/data" -- "$PROG/drops" --udp 9
now >"$TMP/after"

# in NUMBER LINES CLOCK: are so many times, in ns, all between the two moments of that clock?
between()
{
	cut -d' ' -f"$2" "$TMP/before" "$TMP/after" | tr '\n' ' ' >"$TMP/span"
	python3 - "$TMP/times" "$TMP/span" "$1" <<-END
	import sys
	times = [int(x) for x in open(sys.argv[1])]
	first, last = map(int, open(sys.argv[2]).read().split())
	if len(times) != int(sys.argv[3]) or times != sorted(times) or times[0] < first or times[-1] > last:
	    sys.exit(f"{times} are not {sys.argv[3]} within {first} {last}")
	END
}

# Seconds as they are printed become ns.
seconds()
{
	grep -oE '\] +[0-9]+\.[0-9]{9}: ' "$TMP/out" | tr -cd '0-9\n'
}

n=1
for clock in wall mono boot tai; do
	[ $clock = wall ] || {
		run_ok "--time=$clock" "$PERF_LITE" script -i "$TMP/data" --time=$clock --ns
		seconds >"$TMP/times"
		ok "... is the time of that clock" between 9 $n
		run_ok "trace --time=$clock" "$PERF_LITE" trace -i "$TMP/data" --time=$clock --ns
		seconds >"$TMP/again"
		is_file "... the same" "$TMP/again" "$TMP/times"
	}
	run_ok "--json --time=$clock" "$PERF_LITE" script -i "$TMP/data" --json --time=$clock
	python3 -c 'import sys, json
for l in sys.stdin: print(json.loads(l)["time"])' <"$TMP/out" >"$TMP/times"
	ok "... is the time of that clock" between 9 $n
	n=$((n + 1))
done

# Dates: of the zone that TZ names, or of UTC.
dates()
{
	grep -oE '\] [0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{9}[Z:]' "$TMP/out" | sed 's/^\] //'
}

to_ns='import sys, datetime as d, os
for l in sys.stdin:
    day, ns = l.strip().rstrip("Z:").split(".")
    t = d.datetime.fromisoformat(day) - d.timedelta(hours=float(sys.argv[1]))
    print(int(t.replace(tzinfo=d.timezone.utc).timestamp()) * 10**9 + int(ns))'
run env TZ=XYZ-5:30 "$PERF_LITE" script -i "$TMP/data" --time=wall --ns
dates | python3 -c "$to_ns" 5.5 >"$TMP/times"
ok "--time=wall has the time of day, of the zone" between 9 1
run env TZ=XYZ-5:30 "$PERF_LITE" script -i "$TMP/data" --time=utc --ns
dates | python3 -c "$to_ns" 0 >"$TMP/times"
ok "--time=utc has that of Greenwich" between 9 1
is "... and says so" "$(dates | grep -c 'Z$')" 9
run env TZ=XYZ-5:30 "$PERF_LITE" script -i "$TMP/data" --time=wall --json
python3 -c 'import sys, json, datetime as d
for l in sys.stdin:
    o = json.loads(l)
    date = o["date"]
    t = d.datetime.fromisoformat(date[:19] + date[29:])
    assert date[29:] == "+05:30" and int(t.timestamp()) == o["time"] // 10**9, date
    assert int(date[20:29]) == o["time"] % 10**9, date
    print(o["time"])' <"$TMP/out" >"$TMP/times"
ok "JSON has the number, and the date with its offset" between 9 1
run "$PERF_LITE" script -i "$TMP/data" --time=wall -F tod,time --ns
is "-F tod is the same moment" "$(sed -E 's/^ *([-0-9]+) ([0-9:.]+) \1T\2: *$/same/' "$TMP/out" | sort | uniq -c | tr -d ' ')" 9same

# Words that stand for what were options before.
run "$PERF_LITE" script -i "$TMP/data" --reltime
cp "$TMP/out" "$TMP/want"
run "$PERF_LITE" script -i "$TMP/data" --time=reltime
is_file "--time=reltime is --reltime" "$TMP/out" "$TMP/want"
run "$PERF_LITE" script -i "$TMP/data" --deltatime
cp "$TMP/out" "$TMP/want"
run "$PERF_LITE" script -i "$TMP/data" --time=delta
is_file "--time=delta is --deltatime" "$TMP/out" "$TMP/want"
run "$PERF_LITE" script -i "$TMP/data"
cp "$TMP/out" "$TMP/want"
run "$PERF_LITE" script -i "$TMP/data" --time=raw
is_file "--time=raw is as it was recorded" "$TMP/out" "$TMP/want"

# A number is a span of time as before, beside a word too.
fourth=$(sed -n 4p "$TMP/want" | grep -oE '[0-9]+\.[0-9]{6}: ' | tr -d ': ')
run_ok "a form and a span" "$PERF_LITE" script -i "$TMP/data" --time=wall --time "$fourth,"
is "the span is of the recording's clock" "$(wc -l <"$TMP/out")" \
	"$(grep -oE '[0-9]+\.[0-9]{6}: ' "$TMP/want" | tr -d ': ' | awk -v t="$fourth" '$1 >= t' | wc -l)"

run "$PERF_LITE" script -i "$TMP/data" --time=wal
rc_is 1 "a word that is none"
like "what was meant" "$TMP/err" "did you mean 'wall'"
run "$PERF_LITE" script -i "$TMP/data" --time=wall --reltime
rc_is 1 "a time is one thing or the other"
run "$PERF_LITE" report -i "$TMP/data" --time=wall
rc_is 1 "report prints no times"

# What a recording of perf tells.
if can perf; then
	now >"$TMP/before"
	perf record -k mono -o "$TMP/perf.data" -e skb:kfree_skb -- "$PROG/drops" --udp 4 >/dev/null 2>&1
	now >"$TMP/after"
	run_ok "wall-clock time of perf's recording" "$PERF_LITE" script -i "$TMP/perf.data" --time=utc --ns
	dates | python3 -c "$to_ns" 0 >"$TMP/times"
	ok "... is right" between 4 1
	run_ok "its own clock" "$PERF_LITE" script -i "$TMP/perf.data" --time=mono --ns
	run "$PERF_LITE" script -i "$TMP/perf.data" --time=boot
	rc_is 1 "the time since boot it does not tell"
	like "... which is said" "$TMP/err" 'does not have CLOCK_BOOTTIME'
	perf record -o "$TMP/perf.data" -e skb:kfree_skb -- "$PROG/drops" --udp 4 >/dev/null 2>&1
	run "$PERF_LITE" script -i "$TMP/perf.data" --time=wall
	rc_is 1 "without -k perf tells no time of day"
	like "... what to do" "$TMP/err" 'perf record -k mono'
else
	skip_without "recordings of perf" perf
fi

# trace tells it at once.
now >"$TMP/before"
run_ok "trace" "$PERF_LITE" trace -e skb:kfree_skb --time=utc --ns -- "$PROG/drops" --udp 5
now >"$TMP/after"
dates | python3 -c "$to_ns" 0 >"$TMP/times"
ok "... the time of day, of now" between 5 1

done_testing
