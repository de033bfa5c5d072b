# SPDX-License-Identifier: GPL-2.0
#
# What latency --chrome, --gecko and --pprof write holds every span of the table, with its keys and its stack: by the rules of the
# formats (consumers/spans.py), of pprof after protoc; of traces as the importer of chrome://tracing reads them, too.
. tests/lib.sh
need_root
need first-pids
need_event sched:sched_switch
need_cmd python3 protoc gzip jq

here=tests/oracle/consumers

# holds DESC: what $TMP/table says is in all three
holds()
{
	want=$(jq -r '"\(.spans) spans, \(.sum_ns) ns"' "$TMP/table")
	ok "$1: there are spans" test "${want%% *}" -gt 0
	gzip -dc "$TMP/pprof" | protoc -I $here --decode=perftools.profiles.Profile $here/profile.proto >"$TMP/pprof.text"
	for format in chrome gecko pprof; do
		file=$TMP/$format
		[ $format != pprof ] || file=$TMP/pprof.text
		python3 $here/spans.py $format "$TMP/table" "$file" >"$TMP/holds" 2>&1
		is "$1: $format holds all" "$(sed 's/ [0-9]* slices,//' "$TMP/holds")" "$want"
		[ $format != chrome ] || cp "$TMP/holds" "$TMP/chrome.holds"
	done
}

# all_there DESC OPTION...
all_there()
{
	desc=$1
	shift
	run "$PERF_LITE" latency -q --json --chrome "$TMP/chrome" --gecko "$TMP/gecko" --pprof "$TMP/pprof" "$@"
	rc_is 0 "$desc: measured"
	cp "$TMP/out" "$TMP/table"
	holds "$desc"
}

run_ok "records switches" "$PERF_LITE" record -q -a -g --include-self -m 8M \
	-e sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_waking,raw_syscalls:sys_enter,raw_syscalls:sys_exit \
	-o "$TMP/data" -- "$PROG/waits" locks 20 2
of="-i $TMP/data"
all_there "waits for a CPU" run-queue $of --by comm,tid,stack
like "they are slices of threads" "$TMP/chrome.holds" '^([0-9]+) spans, \1 slices,'
all_there "times off the CPU" off-cpu $of --by tid,prev_state,kstack
all_there "the longer ones" off-cpu $of --by comm --min 1ms
all_there "without stacks" off-cpu $of --by tid,cpu
all_there "system calls and what threads did in them" syscalls $of --by comm,id --split
all_there "spans within spans" --nested --from raw_syscalls:sys_enter,sched:sched_switch:prev_pid \
	--to raw_syscalls:sys_exit,sched:sched_switch:next_pid $of --by tid
like "slices of threads, too" "$TMP/chrome.holds" '^([0-9]+) spans, \1 slices,'
all_there "such as a thread may have several of" --from sched:sched_waking:pid+target_cpu --to sched:sched_switch:next_pid+cpu $of --by tid
like "they are none" "$TMP/chrome.holds" ' spans, 0 slices,'
all_there "such as are of no thread" --from sched:sched_waking:target_cpu --to sched:sched_switch:cpu $of --by cpu
like "neither" "$TMP/chrome.holds" ' spans, 0 slices,'
all_there "stages" --from sched:sched_waking:pid --then sched:sched_switch:next_pid --to sched:sched_switch:prev_pid $of --by stage,tid

# Live: the table of the same run

all_there "live" run-queue --by comm,tid --duration 300ms
all_there "of a command" off-cpu -g -- sh -c 'sleep 0.05; sleep 0.05'

# As the importer of chrome://tracing reads them

version=1.3.0
if ! can node; then
	skip_without "what chrome://tracing reads" node
elif (cd "$TMP" && timeout 60 npm pack --prefer-offline --fetch-retries=1 --fetch-timeout=15000 bigrig@$version >npm.out 2>&1 &&
	tar xzf bigrig-$version.tgz); then
	for what in "X slice run-queue" "b async --from sched:sched_waking:pid+target_cpu --to sched:sched_switch:next_pid+cpu"; do
		# shellcheck disable=SC2086
		set -- $what
		phase=$1 kind=$2
		shift 2
		"$PERF_LITE" latency "$@" $of -q --chrome "$TMP/chrome" >/dev/null
		ok "chrome://tracing reads $kind without a warning" node $here/chrome.js "$TMP/package" "$TMP/chrome"
		is "each one" "$(grep -c "^\[\"$kind\"" "$TMP/ok.out")" "$(grep -c "\"ph\":\"$phase\"" "$TMP/chrome")"
	done
else
	skip_outside "bigrig $version" "npm does not fetch it: $(tail -n 1 "$TMP/npm.out")"
fi
done_testing
