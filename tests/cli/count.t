#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# perf-lite count: numbers that are known, live and of a recording made at the same time.

. tests/lib.sh
need_event skb:kfree_skb
need_event raw_syscalls:sys_enter

getppid=$("$PROG/storm" --number)
calls="raw_syscalls:sys_enter --filter id==$getppid"

# Packets that are dropped for want of a socket: drops FLAG NUMBER ...
cat >"$TMP/drops" <<END
exec "$PROG/drops" "\$@" >/dev/null
END
drops="sh $TMP/drops"
# Drops that nobody else makes, each while its maker runs: $dropping NUMBER ...
dropping="$TMP/drop-$$ nothing"
cp "$PROG/dropping" "$TMP/drop-$$"
dropped="reason == NOT_SPECIFIED && comm == \"drop-$$\""

# The rows of a table, keys first, without what it is of.
rows()
{
	sed -n '/^ *count/,$p' "$1" | grep -v ' lost' | sed 's/^ *//'
}

# What is asked for by name is shown, and what is left out is said.
sizes="-e syscalls:sys_exit_getppid --of ret --sum"
run_ok "--sum beside quantiles" "$PERF_LITE" count $sizes --quantiles=50 -- "$PROG/storm" 7
like "sum, mean, least and greatest" "$TMP/out" '^ *count +sum +mean +min +p50 +max  event$'
run_ok "beside those that are ends" "$PERF_LITE" count $sizes --quantiles=min,50,max -- "$PROG/storm" 7
like "once each" "$TMP/out" '^ *count +sum +mean +min +p50 +max  event$'
run_ok "beside a histogram" "$PERF_LITE" count $sizes --hist -- "$PROG/storm" 7
like "all of them" "$TMP/out" '^ *count +sum +mean +min +max  event$'
run "$PERF_LITE" count $sizes --hist --csv -- true
rc_is 0 "a histogram as CSV"
like "has no place there" "$TMP/err" '^histograms are left out of CSV; --json has them$'
for by in event cpu,event; do
	run_ok "--top as CSV, by $by" "$PERF_LITE" count -a -e raw_syscalls:sys_enter,raw_syscalls:sys_exit --by $by --csv --top 1 -- sleep 0.01
	is "has one row" "$(wc -l <"$TMP/out")" 2
	like "what is left out is said" "$TMP/err" '^left out by --top: [0-9]+ rows?, with a count of [0-9]+$'
done

# --- the kernel counts ---

run_ok "counts without rings" \
	"$PERF_LITE" count -e $calls -- "$PROG/storm" --quiet 12345
like "every call is counted" "$TMP/out" '^ +12345  raw_syscalls:sys_enter  id=='
like "and who counted is said" "$TMP/out" 'by the kernel: nothing can be lost'

run_ok "several filters, several counters" "$PERF_LITE" count --json -e raw_syscalls:sys_enter -e $calls \
	-e raw_syscalls:sys_enter --filter "id<$getppid" \
	-e raw_syscalls:sys_enter --filter "id>$getppid" -- "$PROG/storm" --quiet 1000
is "each counts its part" "$(jq -c '[.engine, (.rows | map({(.filter // "all"): .count}) | add |
	.["id=='$getppid'"], .all == .["id=='$getppid'"] + .["id<'$getppid'"] + .["id>'$getppid'"])]' "$TMP/out")" \
	'["counters",1000,true]'

run_ok "a filter that the kernel has not" "$PERF_LITE" count --json -e raw_syscalls:sys_enter \
	--filter "id==$getppid && args[0] < 100" -- "$PROG/storm" --quiet 1000
is "is of samples" "$(jq -c '[.engine, .total.count]' "$TMP/out")" '["samples",100]'

run_ok "as JSON" "$PERF_LITE" count --json -e $calls -- "$PROG/storm" --quiet 77
is "which programs read" "$(jq -c '[.engine, .lost, .rows[0].event, .rows[0].count, .total.count]' "$TMP/out")" \
	'["counters",0,"raw_syscalls:sys_enter",77,77]'
run_ok "as CSV" "$PERF_LITE" count --csv -e $calls -- "$PROG/storm" --quiet 77
is "with titles" "$(cat "$TMP/out")" "count,event,filter
77,raw_syscalls:sys_enter,id==$getppid"

run_ok "on each CPU" "$PERF_LITE" count -a --by cpu --json -e $calls -- "$PROG/storm" --quiet 500
is "these add up" "$(jq '[.engine == "counters", ([.rows[].count] | add) >= 500]' -c "$TMP/out")" '[true,true]'

units="-e task-clock,cs,page-faults"
run_ok "a clock beside events" "$PERF_LITE" count $units -- "$PROG/storm" --quiet 20000
like "has a unit" "$TMP/out" '^ *[0-9]{6,} ns  task-clock$'
like "which others have not" "$TMP/out" '^ *[0-9]+ {5}page-faults$'
unlike "these have no total" "$TMP/out" total
like "nor is there one below" "$TMP/out" '^counted in [0-9.]+ s by the kernel'
run_ok "as JSON" "$PERF_LITE" count --json $units --top 2 -- "$PROG/storm" --quiet 20000
is "there is none" "$(jq -c '[.samples, .total, .rest, .rows[0].unit, .rows[1].unit]' "$TMP/out")" '[null,null,{"rows":1},"ns",null]'
run_ok "as CSV" "$PERF_LITE" count --csv $units --top 2 -- "$PROG/storm" --quiet 20000
is "there is a column" "$(sed -n '1p; 2s/^[0-9]*//p' "$TMP/out")" "count,event,filter,unit
,task-clock,,ns"
run_ok "as metrics" "$PERF_LITE" count --openmetrics=- $units -- "$PROG/storm" --quiet 20000
like "there is a label" "$TMP/out" '^perf_lite_count_total\{event="task-clock",unit="ns"\} '
run_ok "of CPUs" "$PERF_LITE" count -a --by cpu -C 0 $units -- "$PROG/storm" --quiet 20000
is "each unit has its row" "$(rows "$TMP/out" | grep -v counted | awk '{ print $NF, NF }' | sort)" "0 2
0 3
cpu 2"
run_ok "two clocks" "$PERF_LITE" count -e task-clock,duration_time -- "$PROG/storm" --quiet 20000
like "are a sum" "$TMP/out" '^ *[0-9]+ ns  total$'

run_ok "intervals" "$PERF_LITE" count -I 0.1 --json -e $calls -- "$PROG/storm" --quiet --seconds 0.35 1000
is "add up to all" "$(jq -s 'map(.total.count) | add' "$TMP/out")" 1000
is "and follow each other" \
	"$(jq -s '[range(1; length) as $i | .[$i].from == .[$i - 1].to] | all' "$TMP/out")" true

"$PERF_LITE" count -q -e cs -- sh -c 'trap "" INT TERM; sleep 3' >"$TMP/out" 2>&1 &
pid=$!
grandchild() { pgrep -P "$(pgrep -P $pid -x sh)" -x sleep; }
wait_for 20 grandchild
sleeper=$(grandchild)
kill -TERM $pid
wait $pid
is "a signal ends counting" $? 0
ok "its command goes on" kill -0 "$sleeper"

# What adds up nanoseconds is no count.
run_ok "run times are sampled" "$PERF_LITE" count --json -e sched:sched_stat_runtime -- true
is "so that hits are counted" "$(jq -c '[.engine != "counters", .total.count < 1000]' "$TMP/out")" '[true,true]'

# --- samples ---

run_ok "by a field" "$PERF_LITE" count --engine=perf --json -e $calls --by id,comm -- "$PROG/storm" --quiet 20000
is "every call" "$(jq -c '[.rows[] | [.comm, .count]]' "$TMP/out")" '[["storm",20000]]'
is "none lost" "$(jq -c '[.engine, .lost, .samples]' "$TMP/out")" '["samples",0,20000]'

# 100 writes of known sizes.
cat >"$TMP/writes" <<END
dd if=/dev/zero bs=100 count=50 status=none
dd if=/dev/zero bs=1000 count=30 status=none
dd if=/dev/zero bs=3000 count=20 status=none
END
writes()
{
	run_ok "writes: $*" "$PERF_LITE" count --json -e syscalls:sys_enter_write --filter 'count >= 100' --of count "$@" \
		-- sh -c "sh '$TMP/writes' >/dev/null"
}
writes --sum --by comm
is "their sum" "$(jq -c '.rows[] | select(.comm == "dd") | [.count, .sum, .min, .max, .mean]' "$TMP/out")" \
	'[100,95000,100,3000,950]'
if [ -e /sys/kernel/tracing/events/sched/sched_stat_runtime/id ]; then
	run_ok "a field with a unit" "$PERF_LITE" count -e sched:sched_stat_runtime --of runtime --sum -- "$PROG/spin" 50
	like "columns have it" "$TMP/out" '^ +count +sum \(ns\) +mean \(ns\) +min \(ns\) +max \(ns\) +event$'
	run_ok "... as JSON" "$PERF_LITE" count -e sched:sched_stat_runtime --of runtime --sum --json -- "$PROG/spin" 50
	is "too" "$(grep "^{" "$TMP/out" | jq -r .unit)" ns
fi
for by in event comm; do
	run_ok "-I, as long as three intervals" "$PERF_LITE" count -a -e sched:sched_switch --by $by -I 0.2 --duration 600ms --json
	# a busy machine may leave no time for a table until the next one is due
	ok "--by $by: up to three, and none of no length" jq -es 'length > 0 and length <= 3 and all(.[]; .to - .from > 0.1)' "$TMP/out"
done
writes --quantiles=50,80,81,max --by comm
is "their quantiles" "$(jq -c '.rows[] | select(.comm == "dd") | .quantiles | [.[]]' "$TMP/out")" '[100,1000,3000,3000]'
writes --hist --by comm
is "powers of two" "$(jq -c '.rows[] | select(.comm == "dd") | [.histogram[] | select(.count > 0)] |
	map([.from, .to, .count])' "$TMP/out")" '[[64,127,50],[512,1023,30],[2048,4095,20]]'
writes --hist=linear:0:4000:500 --by comm
is "equal steps" "$(jq -c '.rows[] | select(.comm == "dd") | [.histogram[] | select(.count > 0)] |
	map([.from, .to, .count])' "$TMP/out")" '[[0,499,50],[1000,1499,30],[3000,3499,20]]'

run_ok "drops by reason" "$PERF_LITE" count --json -e skb:kfree_skb --filter 'reason == NO_SOCKET' \
	--by reason,comm -- $drops --udp 30 --tcp 10
is "all that there are" "$(jq '.total.count' "$TMP/out")" 40
is "names of values" "$(jq -r '.rows[0].reason.name' "$TMP/out")" NO_SOCKET

run_ok "by stack" "$PERF_LITE" count -e skb:kfree_skb --filter 'reason == NO_SOCKET' --by kstack:6 -- \
	$drops --udp 12
like "the way to the drop" "$TMP/out" '^	[0-9a-f]+ __udp4_lib_rcv\+0x'
run_ok "folded" "$PERF_LITE" count --folded -e skb:kfree_skb --filter 'reason == NO_SOCKET' --by comm,kstack \
	-- $drops --udp 12
is "all of them" "$(awk '{ n += $NF } END { print n }' "$TMP/out")" 12
cp "$TMP/out" "$TMP/folded"
run_ok "is what flamegraph draws" "$PERF_LITE" flamegraph -o "$TMP/f.svg" "$TMP/folded"

# What keys are made of is asked for
ns=$(stat -L -c %i /proc/self/ns/cgroup | awk '{ printf "0x%x", $1 }')
run_ok "the namespace of control groups" "$PERF_LITE" count -e skb:kfree_skb --filter 'reason == NO_SOCKET' --by cgroup_id -- \
	$drops --udp 7
like "of those who drop" "$TMP/out" "^ *7  [0-9]+/$ns\$"
run_ok "recorded without" "$PERF_LITE" record -q -o "$TMP/a.data" -e cpu-clock -- true
run "$PERF_LITE" count -i "$TMP/a.data" --by cgroup_id
rc_is 1 "is refused"
like "with what records it" "$TMP/err" '^hint: record it: perf-lite record --namespaces'
if grep -q '^physical id' /proc/cpuinfo; then
	run_ok "the socket" "$PERF_LITE" count -e skb:kfree_skb --filter 'reason == NO_SOCKET' --by socket -- $drops --udp 7
	unlike "is known" "$TMP/out" ' -$'
else
	run "$PERF_LITE" count -e skb:kfree_skb --by socket -- true
	rc_is 1 "a socket that /proc/cpuinfo does not name is refused"
fi

run_ok "-g is a key" "$PERF_LITE" count --json -e skb:kfree_skb --filter 'reason == NO_SOCKET' -g -- $drops --udp 3
is "the whole stack" "$(jq -c .keys "$TMP/out")" '["stack"]'

# Addresses of code have names, in whatever way samples are read.
for by in location comm,location location.function; do
	run_ok "--by $by" "$PERF_LITE" count -e skb:kfree_skb --filter 'reason == NO_SOCKET' --by $by -- "$PROG/drops" --udp 2
	like "names the function" "$TMP/out" '__udp4_lib_rcv'
done

# --- live, and of a recording that was made at the same time ---

"$PROG/drops" --udp 1 >/dev/null
"$PERF_LITE" record -q -a -e skb:kfree_skb --filter "$dropped" -o "$TMP/d" 2>/dev/null -- \
	"$PERF_LITE" count --csv -a -e skb:kfree_skb --filter "$dropped" --by reason,comm,location \
	-- $dropping 70 2>"$TMP/err" | grep -v dropped= >"$TMP/live"
run_ok "of the recording" "$PERF_LITE" count --csv -i "$TMP/d" --by reason,comm,location
is_file "is what was seen live" "$TMP/out" "$TMP/live"
run_ok "-e chooses among what is recorded" "$PERF_LITE" count -i "$TMP/d" -e skb:kfree_skb
rows "$TMP/out" >"$TMP/one"
run_ok "without it, all" "$PERF_LITE" count -i "$TMP/d"
rows "$TMP/out" >"$TMP/two"
is_file "the same here" "$TMP/two" "$TMP/one"
run "$PERF_LITE" count -i "$TMP/d" -e raw_syscalls:sys_enter
rc_is 1 "an event that is not in it"
"$PERF_LITE" count -i - --json <"$TMP/d" >"$TMP/out"
is "from standard input" "$(jq .total.count "$TMP/out")" 70
run_ok "intervals of a recording" "$PERF_LITE" count -i "$TMP/d" -I 0.001 --json
is "add up" "$(jq -s 'map(.total.count) | add' "$TMP/out")" 70

head -c 3000 "$TMP/d" >"$TMP/cut"
run "$PERF_LITE" count -i "$TMP/cut"
ok "a cut recording is an error" test $rc -ne 0

# --- the end of it ---

# counts_all PID: it has its rings, and sleeps
counts_all()
{
	[ "$(grep -c 'perf_event' "/proc/$1/maps")" -ge "$(nproc)" ] && grep -q '^State:.S' "/proc/$1/status" && sleep 0.2
}

for signal in INT TERM; do
	"$PERF_LITE" count -e sched:sched_switch --by prev_comm >"$TMP/out" 2>"$TMP/err" &
	pid=$!
	wait_for 20 counts_all $pid
	kill -$signal $pid
	rc=0
	wait $pid || rc=$?
	rc_is 0 "SIG$signal ends it"
	like "with a table" "$TMP/out" '(samples|counted) in .* lost'
done
run "$PERF_LITE" count -e $calls -- sh -c 'exit 7'
rc_is 7 "the command's exit code, counters"
run "$PERF_LITE" count -e $calls --by id -- sh -c 'exit 7'
rc_is 7 "the command's exit code, samples"
run "$PERF_LITE" count -e $calls -- /nonexistent
rc_is 127 "no such command, counters"
run "$PERF_LITE" count -e $calls --by id -- /nonexistent
rc_is 127 "no such command, samples"
run_ok "a time" "$PERF_LITE" count -e $calls --by id --duration 100ms
run_ok "a time, counters" "$PERF_LITE" count -e $calls --duration 100ms

# Neither the time nor a signal ends the command, whoever counts.
for by in event comm; do
	rm -f "$TMP/went.on"
	run_ok "a time, by $by" "$PERF_LITE" count -e cs --by $by --duration 50ms -- sh -c "sleep 0.5; echo >'$TMP/went.on'"
	wait_for 10 [ -e "$TMP/went.on" ]
	ok "its command goes on" test -e "$TMP/went.on"
	rm -f "$TMP/went.on"
	"$PERF_LITE" count -e cs --by $by -- sh -c "echo >'$TMP/begun.$by'; sleep 0.7; echo >'$TMP/went.on'" >"$TMP/out" 2>&1 &
	wait_for 10 [ -e "$TMP/begun.$by" ]
	kill $!
	rc=0
	wait $! || rc=$?
	rc_is 0 "a signal, by $by"
	wait_for 10 [ -e "$TMP/went.on" ]
	ok "its command goes on, too" test -e "$TMP/went.on"
done

# With -D, times are of what is counted.
for by in event comm; do
	run_ok "-D, by $by" "$PERF_LITE" count -a -e cs --by $by -D 400 --duration 100ms --json
	is "from and to, by $by" "$(jq '.from == 0 and .to >= 0.1 and .to < 0.45' "$TMP/out")" true
done

# Several at once see the same; one that is killed leaves nothing.
events=$(cat /sys/kernel/tracing/events/skb/kfree_skb/enable)
for i in 1 2 3 4 5 6 7; do
	"$PERF_LITE" count -a --csv -e skb:kfree_skb --filter "$dropped" --by reason,comm -- \
		sh -c "echo >'$TMP/ready.$i'; until [ -e '$TMP/end' ]; do sleep 0.1; done" >"$TMP/many.$i" 2>/dev/null &
	killed=$!
done
for i in 1 2 3 4 5 6 7; do
	wait_for 60 [ -e "$TMP/ready.$i" ]
done
$dropping 25 >/dev/null
kill -KILL $killed
echo >"$TMP/end"
wait
for i in 2 3 4 5 6; do
	is_file "number $i sees what the first one sees" "$TMP/many.$i" "$TMP/many.1"
done
is "all of it" "$(awk -F, '{ n += $1 } END { print n }' "$TMP/many.1")" 25
is "tracefs is as it was" "$(cat /sys/kernel/tracing/events/skb/kfree_skb/enable)" "$events"
ok "nothing of the killed one is left" not kill -0 $killed

# A reader that goes away ends it without a word.
rc=0
"$PERF_LITE" count -I 0.05 -e sched:sched_switch --by cpu,prev_pid --duration 5s 2>"$TMP/err" | head -n 1 >"$TMP/out"
is "no complaint" "$(said "$TMP/err")" ""

# --- mistakes ---

bad()
{
	bad_desc=$1 bad_ere=$2
	shift 2
	run "$PERF_LITE" count "$@"
	rc_is 1 "$bad_desc"
	like "$bad_desc: it says so" "$TMP/err" "$bad_ere"
}
bad "no event" 'no event'
bad "an unknown key" "did you mean 'reason'" -e skb:kfree_skb --by reasn
bad "an unknown number" 'len' -e skb:kfree_skb --of len
bad "--sum of nothing" 'none is named' -e skb:kfree_skb --sum
bad "an unknown order" 'did you mean --sort count' -e skb:kfree_skb --sort cont
bad "two forms" 'only one of' -e skb:kfree_skb --json --csv
bad "two views" 'two views' -e skb:kfree_skb --of protocol --hist --quantiles
bad "folded intervals" 'interval' -e skb:kfree_skb --by kstack --folded -I 1
bad "no interval" 'not a time' -e skb:kfree_skb -I 0
bad "no histogram" "hist" -e skb:kfree_skb --of protocol --hist=round
bad "no quantiles" 'quantiles' -e skb:kfree_skb --of protocol --quantiles=1000
bad "no file" 'nonexistent' -i /nonexistent
bad "a recording and a command" 'cannot be combined with a command' -i "$TMP/d" -- true
printf 'not a recording' >"$TMP/bad"
bad "something else" 'neither' -i "$TMP/bad"

# Keys that no field of an event is called by, of samples as they come out of the rings

run_ok "by source file" "$PERF_LITE" count -e cpu-clock:u --by srcfile -- "$PROG/parts" 200 0 0 0
like "the program's" "$TMP/out" '^ +[0-9]+  parts\.c$'
run_ok "by the page size of the code" "$PERF_LITE" count -e cpu-clock:u --by code_page_size -- "$PROG/parts" 200 0 0 0
like "it is asked for" "$TMP/out" '^ +[0-9]+  4K$'
run_ok "by time and text" "$PERF_LITE" count -e cpu-clock:u --by time,trace -- "$PROG/parts" 200 0 0 0
like "in steps" "$TMP/out" '^ +[0-9]+ +[0-9]+\.[0-9]00000 *$'

# What was lost is that of the chosen events: the recorder is stopped while the calls are made

cat >"$TMP/stopped" <<END
kill -STOP \$PPID
"$PROG/storm" --quiet 20000
kill -CONT \$PPID
END
run "$PERF_LITE" record -q -m 8K -e syscalls:sys_enter_getppid -e syscalls:sys_enter_chdir -o "$TMP/lossy" -- sh "$TMP/stopped"
run "$PERF_LITE" count -i "$TMP/lossy" --json
all=$(jq .lost "$TMP/out")
ok "calls were lost" test "$all" -gt 0
run "$PERF_LITE" count -i "$TMP/lossy" --json -e syscalls:sys_enter_getppid
is "all of one event" "$(jq -c '[.lost, .lost_of_all]' "$TMP/out")" "[$all,null]"
run "$PERF_LITE" count -i "$TMP/lossy" -e syscalls:sys_enter_chdir
like "none of the other" "$TMP/out" '^0 samples in .*, none lost$'
run "$PERF_LITE" count -i "$TMP/lossy" --comm nobody
like "nobody knows whose they were" "$TMP/out" "^0 samples in .*, $all lost, chosen or not\$"

# A long recording takes no more memory than some blocks of it

run_ok "many samples, with what they stood in" "$PERF_LITE" record -q -m 16M -e raw_syscalls:sys_enter -g -o "$TMP/long" -- "$PROG/storm" --quiet 600000
for how in 'count --by id' 'report -s id -g none' 'flamegraph --timeline' 'script -F time'; do
	# shellcheck disable=SC2016,SC2086
	run sh -c 'ulimit -d 60000; exec "$@"' sh "$PERF_LITE" $how -j1 -i "$TMP/long"
	rc_is 0 "in 60 MB: $how"
done

done_testing
