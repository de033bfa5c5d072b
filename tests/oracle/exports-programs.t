# SPDX-License-Identifier: GPL-2.0
#
# What convert --to=pprof, speedscope and gecko and latency --gecko write, as pprof, speedscope and the Firefox profiler read it, where they
# can be had.
# exports.t asks whether all is in the files.
. tests/lib.sh
need_root
need_tracefs
need_cmd python3 node jq

here=tests/oracle/consumers

# record NAME OPTION... -- COMMAND: $TMP/NAME.data, and what it is converted to
record()
{
	name=$1
	shift
	run_ok "recorded: $name" "$PERF_LITE" record -q -o "$TMP/$name.data" "$@"
	"$PERF_LITE" script -q -i "$TMP/$name.data" --json >"$TMP/$name.json"
	for format in pprof speedscope gecko; do
		"$PERF_LITE" convert -q -i "$TMP/$name.data" --to $format -o "$TMP/$name.$format"
	done
}

record names -e cpu-clock -g -- "$PROG/names"
rm -f "/tmp/perf-$(cat "$TMP/out").map"
record skb -e skb:kfree_skb -g -- "$PROG/consumed"
record dwarf -e cpu-clock:u -c 100000 --call-graph dwarf -- "$PROG/templates"
record events -e cpu-clock,page-faults -g -- "$PROG/consumed"

# pprof

if command -v go >/dev/null && go tool pprof -h >/dev/null 2>&1; then
	for name in names skb dwarf events; do
		want=$(jq -rs 'map(select(.event)) | .[0].event as $e | map(select(.event == $e) | [.period, 1] | max) | add' "$TMP/$name.json")
		event=$(jq -rs 'map(select(.event)) | .[0].event' "$TMP/$name.json")
		go tool pprof -symbolize=none -sample_index="$event" -unit=ns -top -nodecount=1 "$TMP/$name.pprof" >"$TMP/top" 2>"$TMP/err"
		like "go tool pprof adds up $name to $want" "$TMP/top" "of $want(ns)? total"
	done
else
	diag "no go tool pprof here"
fi

# speedscope

# package NAME VERSION: $TMP/package is what npm has
package()
{
	rm -rf "$TMP/package"
	(cd "$TMP" && timeout 60 npm pack --prefer-offline --fetch-retries=1 --fetch-timeout=15000 "$1@$2" >npm.out 2>&1 &&
		tar xzf "$(tail -n 1 npm.out)")
}

if package speedscope 1.25.0; then
	for name in names skb dwarf events; do
		sum=$(python3 $here/exports.py speedscope "$TMP/$name.json" "$TMP/$name.speedscope" 2>&1)
		node $here/exports.js "$TMP"/package/dist/release/speedscope-*.js "$TMP/$name.speedscope" >"$TMP/again" 2>"$TMP/err"
		is "speedscope 1.25.0 reads all of $name" \
			"$(python3 $here/exports.py speedscope "$TMP/$name.json" "$TMP/again" 2>&1)" "$sum"
	done
else
	skip_outside "speedscope 1.25.0" "npm does not fetch it: $(tail -n 1 "$TMP/npm.out")"
fi

# The Firefox profiler, as a service that answers questions

export PROFILER_CLI_SESSION_DIR="$TMP/profiler" PROFILER_CLI_NO_SYMBOLICATE=1
profiler=$TMP/package/dist/profiler-cli.js
server=

stop_profiler()
{
	[ -z "$server" ] || kill "$server" 2>/dev/null
	[ -z "$server" ] || wait "$server" 2>/dev/null
	server=
}

ask()
{
	timeout 30 node "$profiler" "$@" --session test --json
}

start_profiler()
{
	rm -rf "$PROFILER_CLI_SESSION_DIR"
	mkdir "$PROFILER_CLI_SESSION_DIR"
	node "$profiler" --daemon "$1" --session test >"$TMP/server" 2>&1 &
	server=$!
	# Not by asking: who asks while the service publishes its session takes it for a stale one, and removes it.
	wait_for 60 grep -q 'Profile loaded successfully' "$PROFILER_CLI_SESSION_DIR/test.log" || diag_file "$PROFILER_CLI_SESSION_DIR/test.log"
}

if package @firefox-devtools/profiler-cli 0.10.0; then
	at_exit stop_profiler
	for name in names skb dwarf events; do
		start_profiler "$TMP/$name.gecko"
		i=0
		while [ $i -lt "$(jq '.threads | length' "$TMP/$name.gecko")" ]; do
			ask thread samples --thread t-$i --include-idle >"$TMP/answer" 2>"$TMP/err"
			is "the Firefox profiler reads all of $name, thread $i" \
				"$(jq -r '"\(.friendlyThreadName | split(",")[0]) \(.categoryBreakdown.totalSamples | . + 0.5 | floor)"' "$TMP/answer")" \
				"$(jq -r ".threads[$i] | \"\(.name | split(\",\")[0]) \(.samples.weight | add | . + 0.5 | floor)\"" "$TMP/$name.gecko")"
			i=$((i + 1))
		done
		if [ $name = skb ]; then
			ask thread markers --thread t-0 >"$TMP/answer" 2>"$TMP/err"
			is "and its markers" "$(jq '.totalMarkerCount' "$TMP/answer")" "$(jq '.threads[0].markers.length' "$TMP/skb.gecko")"
		fi
		stop_profiler
	done
	# spans of latency: markers with a begin and an end
	run_ok "recorded: waits" "$PERF_LITE" record -q -a -g --include-self -e sched:sched_switch,sched:sched_wakeup -o "$TMP/waits.data" -- \
		"$PROG/waits" locks 20 2
	"$PERF_LITE" latency run-queue -q -i "$TMP/waits.data" --by comm,stack --gecko "$TMP/waits.gecko" >/dev/null
	start_profiler "$TMP/waits.gecko"
	i=0
	while [ $i -lt "$(jq '.threads | length' "$TMP/waits.gecko")" ] && [ $i -lt 5 ]; do
		ask thread markers --thread t-$i >"$TMP/answer" 2>"$TMP/err"
		is "and all spans of thread $i" \
			"$(jq -r '"\(.friendlyThreadName) \(.totalMarkerCount) \(.byType[0] | .markerName, .isInterval, .topMarkers[0].hasStack)"' "$TMP/answer")" \
			"$(jq -r ".threads[$i] | \"\(.name) \(.markers.length) \(\"run-queue\", true, true)\"" "$TMP/waits.gecko")"
		i=$((i + 1))
	done
	stop_profiler
else
	skip_outside "the Firefox profiler" "npm does not fetch it: $(tail -n 1 "$TMP/npm.out")"
fi

done_testing
