# SPDX-License-Identifier: GPL-2.0
#
# trace: what happens, printed while it happens.
. tests/lib.sh
need_event skb:kfree_skb
need_cmd python3

drops=$PROG/drops

trace()
{
	timeout 60 "$PERF_LITE" trace "$@"
}

# Times of the lines, in ns; in order?
in_order()
{
	grep -oE ' [0-9]+\.[0-9]{9}: ' "$1" | tr -cd '0-9\n' >"$TMP/times"
	[ -s "$TMP/times" ] && sort -nc "$TMP/times"
}

# --- whose events

run_ok "a command" trace -e skb:kfree_skb --ns -- "$drops" --udp 300 --tcp 20
is "each drop is a line" "$(grep -c NO_SOCKET "$TMP/out")" 320
ok "... in order of time" in_order "$TMP/out"
like "who, where, when, what" "$TMP/out" \
	'^ +dns-query +[0-9]+ \[[0-9]{3}\] +[0-9]+\.[0-9]{9}: skb:kfree_skb: skbaddr=0x[0-9a-f]+ .*location=__udp4_lib_rcv\+0x[0-9a-f]+ reason: NO_SOCKET$'
is "nothing is said of losses" "$(grep -c lost "$TMP/err")" 0

"$drops" --udp 60 --seconds 3 >"$TMP/drops.out" &
pid=$!
wait_for 10 test -e "/proc/$pid/task/$pid/children"
run_ok "a process" trace -e skb:kfree_skb -p $pid
wait $pid
ok "... until it ends" grep -q NO_SOCKET "$TMP/out"
unlike "... and nobody else" "$TMP/out" '^ +(python3|metrics2) '

"$drops" --udp 60 --seconds 3 >"$TMP/drops.out" &
pid=$!
wait_for 10 test -e "/proc/$pid/task/$pid/children"
run_ok "a process, for as long as a command runs" trace -e skb:kfree_skb --fields pid -p $pid -- \
	sh -c '"$0" --udp 30 --seconds 1 >/dev/null' "$drops"
wait $pid
is "... of which nothing is told" "$(sort -u "$TMP/out")" "pid=$pid"

run_ok "a CPU" trace -e skb:kfree_skb -C 0 -- "$drops" --udp 40
unlike "... and no other" "$TMP/out" '^ .*\[00[1-9]\]'

run_ok "a name that nobody has yet" trace -e skb:kfree_skb --comm no-such-name-here --duration 200ms
like "is said" "$TMP/err" "no process is named 'no-such-name-here' yet"
is "and nothing is printed" "$(cat "$TMP/out")" ""

run_ok "an error as if it were positive" trace -s --filter 'ret == ENOENT' -- true
like "is noted" "$TMP/err" "^results that are errors are negative: ret == -ENOENT\$"
for words in trace=open,openat %file file; do
	run trace -e "$words" --duration 100ms
	rc_is 1 "strace's word $words"
	like "has a hint" "$TMP/err" "^hint: name system calls, or patterns of names: -e open,close"
done

# Everybody, until the time is up; two at once see the same.
name=two$$
cp "$drops" "$TMP/$name"
for i in 1 2; do
	timeout 30 "$PERF_LITE" trace -a -e skb:kfree_skb --fields time,comm,skbaddr,reason \
		--duration 4s >"$TMP/out.$i" 2>"$TMP/err.$i" &
	eval "pid$i=\$!"
done
ready()
{
	"$drops" --udp 1 >"$TMP/ok.out"
	[ -s "$TMP/out.1" ] && [ -s "$TMP/out.2" ]
}
wait_for 3 ready
"$TMP/$name" --udp 30 --tcp 30 >"$TMP/drops.out"
# shellcheck disable=SC2154
wait "$pid1"
is "--duration ends it" $? 0
# shellcheck disable=SC2154
wait "$pid2"
for i in 1 2; do
	sed -n "s/^ *[^ ]* \(tcp-client\|$name\) //p" "$TMP/out.$i" >"$TMP/of.$i"
	ok "reader $i sees all" test "$(grep -c NO_SOCKET "$TMP/of.$i")" -ge 30
done
is_file "two at once see the same" "$TMP/of.1" "$TMP/of.2"

# --- which of them, and how many

run_ok "--filter" trace -e skb:kfree_skb --filter 'protocol == 2048' -- "$drops" --udp 20
is "... in the kernel" "$(grep -c NO_SOCKET "$TMP/out")" 20
run_ok "... that nothing passes" trace -e skb:kfree_skb --filter 'protocol == 1' -- "$drops" --udp 20
is "... leaves nothing" "$(grep -c NO_SOCKET "$TMP/out")" 0
run_ok "--limit" trace -e skb:kfree_skb --limit 7 -- "$drops" --udp 200
is "... prints so many" "$(grep -c NO_SOCKET "$TMP/out")" 7
run_ok "--duration, a number alone" trace -a -e sched:sched_process_exec --duration 0.1
like "says what it is" "$TMP/err" '^it ends after 0\.1s: '
run_ok "... with a unit" trace -a -e sched:sched_process_exec --duration 100ms
unlike "needs no word" "$TMP/err" 'it ends after'
run_ok "--limit ends at once" trace -a -e sched:sched_switch --limit 3
is "... everybody's" "$(wc -l <"$TMP/out")" 3

# --- what is printed of each

run_ok "--fields" trace -e skb:kfree_skb --fields reason,location,protocol -- "$drops" --udp 5
is "time comm/tid cpu event: and what was chosen" "$(grep -cE '^[ 0-9]+\.[0-9]{6} [a-z-]+/[0-9]+ +\[[0-9]{3}\] skb:kfree_skb: reason=NO_SOCKET location=__udp4_lib_rcv\+0x[0-9a-f]+ protocol=[0-9a-zA-Z]+$' "$TMP/out")" 5
run_ok "their order is that of the list" trace -e skb:kfree_skb --fields reason,comm,cpu,tid,kfree_skb.protocol -- "$drops" --udp 5
is "... with nothing else" "$(grep -cE '^reason=NO_SOCKET (dns-query|metrics|syslog) \[[0-9]{3}\] tid=[0-9]+ protocol=[0-9a-zA-Z]+$' "$TMP/out")" 5
run_ok "the address" trace -e skb:kfree_skb --fields sym,ip -- "$drops" --udp 5
is "... without call chains" "$(grep -cE 'skb:kfree_skb: sym=[a-z_]+\+0x[0-9a-f]+ ip=0xffff[0-9a-f]{12}$' "$TMP/out")" 5
run_ok "fields that one of two events has" trace -e skb:kfree_skb,net:net_dev_queue --fields reason,len -- "$drops" --udp 5
is "of the one" "$(grep -cE 'skb:kfree_skb: +reason=NO_SOCKET$' "$TMP/out")" 5
ok "of the other" grep -qE 'net:net_dev_queue: +len=[0-9]+$' "$TMP/out"
run_ok "the event's own field of that name" trace -e sched:sched_process_exec --fields comm,sched_process_exec.pid,filename -- sh -c 'exec true'
like "pid" "$TMP/out" '^true pid=[0-9]+ filename=/[^ ]*true$'
run_ok "texts with blanks" trace -e task:task_rename --fields newcomm -- python3 -c 'open("/proc/self/comm", "w").write("a b=\"c")'
like "are in quotes" "$TMP/out" 'newcomm="a b=\\"c"$'

for list in resaon kfree_skb.resaon cmm nonsense.reason , ''; do
	run trace -e skb:kfree_skb --fields "$list" -- touch "$TMP/started"
	rc_is 1 "--fields '$list' is refused"
done
ok "before anything starts" test ! -e "$TMP/started"
run trace -e skb:kfree_skb --fields resaon -- true
like "what was meant" "$TMP/err" "did you mean 'reason'"
run trace -e skb:kfree_skb --fields nonesuch -- true
like "what there is" "$TMP/err" 'fields: .*comm.*skbaddr'

run_ok "--json" trace -e skb:kfree_skb --json -- "$drops" --udp 6
grep '^{' "$TMP/out" >"$TMP/json"
ok "objects, as of script" python3 -c 'import sys, json
lines = [json.loads(l) for l in open(sys.argv[1])]
assert len(lines) == 6
for o in lines:
    assert o["event"] == "skb:kfree_skb" and o["fields"]["reason"]["name"] == "NO_SOCKET", o
    assert o["cpu"] >= 0 and o["tid"] > o["pid"] > 0 and o["time"] > 0 and "trace" in o, o' "$TMP/json"
run_ok "--json --fields" trace -e skb:kfree_skb --json --fields reason,comm -- "$drops" --udp 6
grep '^{' "$TMP/out" >"$TMP/json"
ok "those members alone" python3 -c 'import sys, json
lines = [json.loads(l) for l in open(sys.argv[1])]
assert len(lines) == 6
for o in lines:
    assert set(o) == {"comm", "fields"} and list(o["fields"]) == ["reason"], o' "$TMP/json"

run_ok "-g" trace -g -e skb:kfree_skb --fields reason -- "$drops" --udp 2
is "frames below the line" "$(grep -cE '^	 *[0-9a-f]+ __udp4_lib_rcv\+0x[0-9a-f]+ ' "$TMP/out")" 2
libc_names && send='send|syscall_cancel' || send='send|syscall_cancel|unknown' # as in drops.t
like "the user's, too" "$TMP/out" "^	 *[0-9a-f]+ .*($send).* \(/.*libc"

# --- of a recording

run_ok "a recording" "$PERF_LITE" record -e skb:kfree_skb -g -o "$TMP/data" -- "$drops" --udp 30
run_ok "script" "$PERF_LITE" script -i "$TMP/data"
cp "$TMP/out" "$TMP/want"
run_ok "-i" trace -i "$TMP/data"
is_file "... prints what script prints" "$TMP/out" "$TMP/want"
"$PERF_LITE" trace -i - <"$TMP/data" >"$TMP/out" 2>"$TMP/err"
is_file "... of a pipe, too" "$TMP/out" "$TMP/want"
run trace -i "$TMP/data" -- true
rc_is 1 "a recording runs no command"
run trace -i "$TMP/nothing"
rc_is 1 "a file that is not there"
like "is named" "$TMP/err" "$TMP/nothing"

# --- how it ends

run trace -e skb:kfree_skb -- sh -c "$drops --udp 1; exit 9"
rc_is 9 "with the exit code of the command"
run trace -e skb:kfree_skb -- "$TMP/no-such-command"
rc_is 127 "or that there is none"
run trace
rc_is 1 "no event"
like "says what to type" "$TMP/err" 'trace -e skb:kfree_skb'
run trace -e skb:kfree_skbb -- true
rc_is 1 "an event that is not there"
like "what was meant" "$TMP/err" 'kfree_skb'

trace -a -e sched:sched_switch >"$TMP/live" 2>"$TMP/err" &
pid=$!
wait_for 10 test -s "$TMP/live"
"$drops" --udp 1 >"$TMP/drops.out"
kill -INT "$(cat /proc/$pid/task/$pid/children)"
rc=0
wait $pid || rc=$?
rc_is 0 "SIGINT ends it well"
is "... after whole lines" "$(tail -c 1 "$TMP/live" | od -An -c | tr -d ' ')" '\n'

# A reader that goes away, while nothing is printed any more.
rc=0
# shellcheck disable=SC2016
timeout 20 sh -c '"$1" trace -a -e sched:sched_process_exec 2>"$2"; echo $? >"$3"' sh \
	"$PERF_LITE" "$TMP/err" "$TMP/rc" | { "$drops" --udp 1 >"$TMP/drops.out"; } || rc=$?
is "a closed pipe ends it" "$rc $(cat "$TMP/rc")" "0 0"
is "... without a word" "$(said "$TMP/err")" ""

# Full buffers: a page each, and nobody who reads them.
trace -e raw_syscalls:sys_enter --no-syscalls -m 1 -- \
	sh -c "kill -STOP \$PPID; $PROG/storm 200000; kill -CONT \$PPID" >"$TMP/out" 2>"$TMP/err" &
wait $!
like "losses are told" "$TMP/err" '^[0-9]+ samples were lost .*: buffer full'
run "$PERF_LITE" trace -q -e getppid -m 1 -r 0 -- "$PROG/storm" 200000
like "with -q, too" "$TMP/err" '^[0-9]+ samples were lost .*: buffer full'
run "$PERF_LITE" trace -q -e getppid -m 1 -r 0 --json -- "$PROG/storm" 200000
like "and as JSON" "$TMP/out" '^\{"lost":[0-9]+,"cause":"buffer full"'

# Killed, it leaves nothing in the kernel.
events()
{
	cat /sys/kernel/tracing/events/enable /sys/kernel/tracing/tracing_on /sys/kernel/tracing/set_event 2>"$TMP/ok.out"
	ls /sys/kernel/tracing/instances
	# but for that of count-engine.t
	grep -v ':pl_of_user' /sys/kernel/tracing/dynamic_events 2>"$TMP/ok.out"
}
events >"$TMP/before"
"$PERF_LITE" trace -a -e skb:kfree_skb >"$TMP/live" 2>"$TMP/err" &
pid=$!
some_line()
{
	"$drops" --udp 1 >"$TMP/drops.out"
	[ -s "$TMP/live" ]
}
wait_for 10 some_line
kill -KILL $pid
wait $pid 2>"$TMP/ok.out"
events >"$TMP/after"
is_file "SIGKILL leaves nothing in tracefs" "$TMP/after" "$TMP/before"

# A file of its own

run_ok "to a file" "$PERF_LITE" trace -o "$TMP/o" -e sched:sched_process_exit -- echo said
is "standard output is the command's" "$(cat "$TMP/out")" said
is "the events are in the file" "$(grep -c 'sched:sched_process_exit: comm=echo' "$TMP/o")" 1
run_ok "a table" "$PERF_LITE" trace -s -o "$TMP/o" -- echo said
is "the file is another one" "$(grep -c sched_process_exit "$TMP/o")" 0
like "with the table" "$TMP/o" 'total$'
run_ok "JSON" "$PERF_LITE" trace --json -o "$TMP/o" -e sched:sched_process_exit -- echo said
is "it needs not give way" "$(cat "$TMP/out")" said
run_ok "a recording" "$PERF_LITE" record -q -e sched:sched_process_exit -o "$TMP/o.data" -- true
size=$(wc -c <"$TMP/o.data")
mkfifo "$TMP/unread"
run timeout -s INT -k 20 1 "$PERF_LITE" trace -o "$TMP/unread" -e sched:sched_process_exit -- true
ok "Ctrl-C ends one whose FIFO nobody reads" test $rc -eq 124
run "$PERF_LITE" trace -i "$TMP/o.data" -o "$TMP/o.data"
rc_is 1 "over the recording itself"
is "it is not harmed" "$(wc -c <"$TMP/o.data")" "$size"
run "$PERF_LITE" trace -o /dev/full -e sched:sched_process_exit -- true
rc_is 3 "a full disk"

# Words of perf trace and strace

for how in '--max-events=3' '--pf=all' '--failure' '--filter-pids 1' -P/etc -z --stack-traces --attach=1 --trace=open; do
	run "$PERF_LITE" trace $how -- true
	rc_is 1 "$how"
	like "says what to use" "$TMP/err" '^hint: '
	unlike "not only where to look" "$TMP/err" 'lists the options'
done
while IFS='|' read -r words hint; do
	run "$PERF_LITE" trace $words true
	rc_is 1 "$words has a value here"
	like "what it is elsewhere, and what is missing" "$TMP/err" "$hint"
done <<'EOF'
-c|^hint: a table of all calls: -s; .*-c 100000$
-F|^hint: page faults are events: .*-F max$
-k|^hint: call chains: -g; clocks:
-r|^hint: .*--time=delta; 1 to 99
-tt|^hint: .*--time=wall; give numbers
EOF
run_ok "what changes nothing" "$PERF_LITE" trace -T -v --sort-events --libtraceevent_print -e sched:sched_process_exit -- true
run sh -c "'$PERF_LITE' trace -e sched:sched_process_exit -- true >/dev/full"
rc_is 3 "a full disk behind standard output"
like "is said" "$TMP/err" 'No space left'

done_testing
