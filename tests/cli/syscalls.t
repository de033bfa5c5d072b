# SPDX-License-Identifier: GPL-2.0
# System calls by name: of a program whose calls are known, live, of recordings, in tables, with losses.
. tests/lib.sh
need_root
need_event raw_syscalls:sys_enter
need_cmd python3

calls="$PROG/calls"

# What the program does between its two marks, without times and the thread. A call that took long on a busy machine has two lines.
known()
{
	sed -n 's,^[^(]*([^)]*): calls/[0-9]* ,,p' "$1" | sed -n '/fd: -77/,$p' |
		awk '/ \.\.\.$/ { sub(/ *\.\.\.$/, ""); held = $0; next }
			held != "" && sub(/^ \.\.\. \[continued\]: [a-z0-9_]*\(\)/, "") { $0 = held $0; held = "" }
			{ if (held != "") print held; held = ""; print }
			END { if (held != "") print held }' |
		sed 's/0x7[ef][0-9a-f]\{10\}/0xADDRESS/g; s/  *= / = /'
}

cat >"$TMP/want" <<EOF
close(fd: -77) = -1 EBADF (Bad file descriptor)
openat(dfd: CWD, filename: "/no/such/\\"file\\\\"~, flags: RDONLY|CLOEXEC) = -1 ENOENT (No such file or directory)
openat(dfd: CWD, filename: "$TMP/made"~, flags: RDWR|CREAT|TRUNC, mode: 0640) = 3
write(fd: 3, buf: 0xADDRESS, count: 6) = 6
lseek(fd: 3, offset: -1, whence: END) = 5
pread64(fd: 3, buf: 0xADDRESS, count: 4, pos: 2) = 4
fcntl(fd: 3, cmd: SETFD, arg: CLOEXEC) = 0
EOF

run "$PERF_LITE" trace -e 'syscalls:*' -- "$calls" "$TMP/made" 5
rc_is 7 "the exit code is the command's"
cp "$TMP/out" "$TMP/live"
known "$TMP/live" >"$TMP/got"
head -n 7 "$TMP/got" >"$TMP/first"
# texts are read when the call may be over: an address may be all that is left
sed 's/"[^~]*"~/TEXT/; s/filename: 0x[0-9A-Za-z]*/filename: TEXT/' "$TMP/want" >"$TMP/want.text"
sed 's/"[^~]*"~/TEXT/; s/filename: 0x[0-9A-Za-z]*/filename: TEXT/' "$TMP/first" >"$TMP/first.text"
is_file "files: names, arguments, results" "$TMP/first.text" "$TMP/want.text"
is "every call is there" "$(wc -l <"$TMP/got")" 53
is "all of getppid" "$(grep -c '^getppid() = [0-9]*$' "$TMP/got")" 5
like "flags of memory" "$TMP/got" '^mmap\(addr: NULL, len: 8192, prot: READ\|WRITE, flags: PRIVATE\|ANONYMOUS, fd: -1, off: 0x0\) = 0xADDRESS$'
like "a signal" "$TMP/got" '^kill\(pid: 2147483632, sig: TERM\) = -1 ESRCH'
like "a futex" "$TMP/got" '^futex\(uaddr: 0xADDRESS, op: WAKE\|PRIVATE_FLAG, val: 1\) = 0$'
like "a socket" "$TMP/got" '^socket\(family: LOCAL, type: STREAM\|CLOEXEC, protocol: 0\) = [0-9]+$'
like "what has no name is a number" "$TMP/got" '^socket\(family: 0x3e7, type: RAW, protocol: 0\) = -1 EAFNOSUPPORT'
like "the end" "$TMP/got" '^exit_group\(error_code: 7\) = \?$'
like "the exec it began with has an end alone" "$TMP/live" '\(         \): calls/[0-9]+  \.\.\. \[continued\]: execve\((filename: "[^"]*/calls"~)?\) = 0$'

# A program that stays where it has named a file: it cannot be gone when the text is read.
mkfifo "$TMP/wait"
"$PERF_LITE" trace -e 'syscalls:sys_*_open*' -- cat "/no/such \"file" - <"$TMP/wait" >"$TMP/out" 2>"$TMP/err" &
exec 9>"$TMP/wait"
ok "a text, marked as read late" wait_for 20 grep -q 'filename: "/no/such \\"file"~, .* = -1 ENOENT' "$TMP/out"
exec 9>&-
wait
unlike "no other call" "$TMP/out" 'close|read\('

# The file of a program: of one that is there, the program knows it; of one that is not, its caller.
mkfifo "$TMP/end"
cat >"$TMP/execs.py" <<'EOF'
import os, sys
try:
    os.execv("/no/such/program", ["x"])
except OSError:
    os.execv("/bin/sh", ["sh", "-c", "read x"])
EOF
"$PERF_LITE" trace -e execve --json -- python3 "$TMP/execs.py" <"$TMP/end" >"$TMP/out" 2>"$TMP/err" &
exec 9>"$TMP/end"
ok "execve tells the file" wait_for 20 grep -q '"filename":{[^}]*"text":"/bin/sh","late":true}.*"ret":0}' "$TMP/out"
exec 9>&-
wait
# A socket that takes no more callers: who calls stays where it has named it.
cat >"$TMP/connects.py" <<'EOF'
import os, select, socket, sys
path = sys.argv[1]
full = socket.socket(socket.AF_UNIX)
full.bind(path)
full.listen(0)
socket.socket(socket.AF_UNIX).connect(path)
if not os.fork():
    full.close()  # or it would wait for itself
    socket.socket(socket.AF_UNIX).connect(path)
    os._exit(0)
sys.stdin.read(1)
full.close()
EOF
"$PERF_LITE" trace -e connect -- python3 "$TMP/connects.py" "$TMP/full" <"$TMP/end" >"$TMP/out" 2>"$TMP/err" &
exec 9>"$TMP/end"
ok "connect tells the address" wait_for 20 grep -q "connect(fd: [0-9]*, uservaddr: {family: LOCAL, path: \"$TMP/full\"}~, addrlen: [0-9]*) *\.\.\.\$" "$TMP/out"
exec 9>&-
wait

# Call chains: below each call, those of its beginning.
below() { awk '/ ms\): calls\/[0-9]* getppid\(/ { getline; n += $0 ~ /^\t +[0-9a-f]+ syscall\+0x/ } END { print n + 0 }' "$1"; }
run "$PERF_LITE" trace -g -- "$calls" "$TMP/made" 5
is "-g: below each" "$(below "$TMP/out")" 5
unlike "the user's half" "$TMP/out" '\[kernel'
run "$PERF_LITE" trace -g --json -- "$calls" "$TMP/made" 5
is "in each object" "$(python3 -c '
import json, sys
calls = [json.loads(line) for line in open(sys.argv[1]) if line.startswith("{")]
print(sum(c["callchain"][0]["symbol"] == "syscall" for c in calls if c["syscall"] == "getppid"))' "$TMP/out")" 5
run "$PERF_LITE" trace -g -e 'syscalls:*,skb:kfree_skb' -- "$PROG/drops" --udp 2
is "beside other events, too: of these both halves" "$(awk '/^[^\t]/ { call = / ms\): / } /\(\[kernel/ { n[call]++ } END { print n[1] + 0, (n[0] > 0) }' "$TMP/out")" "0 1"
"$PERF_LITE" record -q -g -o "$TMP/g.data" -e 'raw_syscalls:*' -- "$calls" "$TMP/made" 5
run "$PERF_LITE" trace -i "$TMP/g.data"
ok "of a recording" grep -q '^	.* syscall+0x' "$TMP/out"

# One call alone is the event itself.
run "$PERF_LITE" trace -e syscalls:sys_enter_close -- "$calls" "$TMP/made" 0
like "beginnings alone" "$TMP/out" 'calls/[0-9]+ close\(fd: -77\)$'
run "$PERF_LITE" trace -e syscalls:sys_exit_close -- "$calls" "$TMP/made" 0
like "ends alone" "$TMP/out" 'calls/[0-9]+ close\(\) = -1 EBADF'
run "$PERF_LITE" trace -e syscalls:sys_enter_close --filter 'fd == 4294967218' -e syscalls:sys_exit_close --filter 'ret != 0' -- "$calls" "$TMP/made" 0
like "filters of one call" "$TMP/out" 'close\(fd: -78\) *= -1 EBADF'
unlike "... leave the others out" "$TMP/out" 'fd: 3'

# Calls by their own names, as strace has them
names()
{
	sed -n 's/^[^:]*: [^ ]* \([a-z0-9_]*\)(.*/\1/p' "$1" | sort | uniq -c | sed 's/^ *//'
}
"$PERF_LITE" trace -e 'syscalls:*' -- "$calls" "$TMP/made" 5 >"$TMP/all" 2>"$TMP/err"
names "$TMP/all" | sed -n '/ close$/p; / getppid$/p' >"$TMP/asked"
for how in '-e close,getppid' '-e getppid -e close' '-e clos?,getppid,close' '-e syscalls:sys_*_getppid,close'; do
	run "$PERF_LITE" trace $how -- "$calls" "$TMP/made" 5
	names "$TMP/out" >"$TMP/named"
	is_file "trace $how: these calls, and each once" "$TMP/named" "$TMP/asked"
done
run "$PERF_LITE" trace -e '!close,get*' -- "$calls" "$TMP/made" 5
unlike "all but these: they are left out" "$TMP/out" ': [^ ]* (close|getppid)\('
like "the others are there" "$TMP/out" ': [^ ]* (mmap|openat)\('
run_ok "a name that could be a raw event" "$PERF_LITE" trace -e read -- cat /dev/null
like "is a call" "$TMP/out" ' read\(fd: 3, '
run "$PERF_LITE" trace -e keyctl,fsconfig -- python3 -c "
import ctypes, platform
c = ctypes.CDLL(None)
c.syscall(431, -1, 6, None, None, 0)
c.syscall({'x86_64': 250}.get(platform.machine(), 219), 6, 0, 0)"
like "commands by their names" "$TMP/out" ' fsconfig\(fd: -1, cmd: CMD_CREATE, '
case $(uname -m) in
x86_64 | aarch64 | riscv64) like "of keys as well" "$TMP/out" ' keyctl\(option: DESCRIBE, ' ;;
esac
run_ok "a call since Linux 5.1" "$PERF_LITE" trace -e clone3,newuname -- true
run "$PERF_LITE" trace -e getppid,sched:sched_process_exit,close -- "$calls" "$TMP/made" 5
like "beside an event: the call" "$TMP/out" ' getppid\('
like "... and the event" "$TMP/out" 'sched:sched_process_exit: '
run "$PERF_LITE" trace -e close,nosuch -- true
rc_is 1 "a name of no call"
like "is pointed at" "$TMP/err" "unknown event 'nosuch'"
run "$PERF_LITE" trace -e '!nosuch' -- true
rc_is 1 "all but one that is none"
like "says so" "$TMP/err" "there is no system call 'nosuch'"
while read -r name why; do
	run "$PERF_LITE" trace -e "$name" -- true
	rc_is 1 "$name"
	like "says why" "$TMP/err" "$why"
done <<'EOF'
!getppid:x a system call is its name alone, without ':'
!getppid/x/ a system call is its name alone, without '/'
!sched:sched_switch '!' leaves out system calls, but this is an event
!,getppid '!' leaves out system calls, and names none
EOF
run "$PERF_LITE" trace -e '!*' -- true
rc_is 1 "none"
like "is nothing to trace" "$TMP/err" 'no system call is left'
"$PERF_LITE" record -q -o "$TMP/r.data" -e 'raw_syscalls:*' -- "$calls" "$TMP/made" 5
for how in '-e close,getppid' '-e getppid -e close' '-e syscalls:sys_*_getppid -e close'; do
	run_ok "of a recording, $how" "$PERF_LITE" trace -i "$TMP/r.data" $how
	names "$TMP/out" >"$TMP/named"
	is_file "these calls alone" "$TMP/named" "$TMP/asked"
done
run_ok "of a recording, a filter" "$PERF_LITE" trace -i "$TMP/r.data" --no-syscalls \
	-e raw_syscalls:sys_exit --filter 'ret == -9' -e raw_syscalls:sys_exit --filter 'ret == -2'
like "one of two that name the event" "$TMP/out" ' = -9$'
like "the other" "$TMP/out" ' = -2$'
is "nothing else" "$(grep -vc ' = -[29]$' "$TMP/out")" 0
run "$PERF_LITE" record -o "$TMP/no" -e openat -- true
rc_is 1 "elsewhere"
like "the tracepoint is named" "$TMP/err" 'did you mean syscalls:sys_enter_openat\? .*: perf-lite trace -s -e openat --by ret'

# --limit: calls, not their beginnings and ends.
run "$PERF_LITE" trace -e getppid --limit 2 -- "$calls" "$TMP/made" 50
# its own exit status, if it has ended by then
ok "--limit 2" test $rc -eq 7 -o $rc -eq 0
is "two calls with their results" "$(grep -c 'getppid() *= [0-9]*$' "$TMP/out")" 2
run_ok "--limit 2 --json" "$PERF_LITE" trace -a -e '!getpid' --limit 2 --json
is "two objects" "$(wc -l <"$TMP/out")" 2
# fork() ends twice
run_ok "--limit 2 of forks" "$PERF_LITE" trace -e clone,fork,vfork,clone3 --limit 2 --json -- sh -c '(true); (true); (true); :'
is "are two objects, too" "$(wc -l <"$TMP/out")" 2
run_ok "a fork as JSON" "$PERF_LITE" trace -e clone,fork,vfork,clone3 --json -- sh -c '(true); (true); :'
is "its end in the child continues it" "$(grep '"syscall"' "$TMP/out" | jq -c '[.continued, .duration == null, .ret == 0]' | sort | uniq -c | awk '{ print $1, $2 }')" \
	"2 [null,false,false]
2 [true,true,true]"

# --fields: of calls, arguments and what came of them.
run "$PERF_LITE" trace -e close,getppid --fields comm,fd,ret -- "$calls" "$TMP/made" 5
is "arguments and results" "$(grep -c '^calls fd=-7[78] ret=EBADF$' "$TMP/out")" 2
is "what a call does not have is left out" "$(grep -c '^calls ret=[0-9]*$' "$TMP/out")" 5
run "$PERF_LITE" trace -e close --fields fd,duration,syscall -- "$calls" "$TMP/made" 5
like "lines begin as ever" "$TMP/out" '^ *[0-9.]+ calls/[0-9]+ +\[[0-9]+\] close: fd=-77 duration=[0-9.]+ms syscall=close$'
run "$PERF_LITE" trace -e openat --fields comm,filename -- "$calls" "$TMP/made" 5
like "texts" "$TMP/out" '^calls filename=("/no/such/.*"~|0x[0-9a-f]+)$'
run "$PERF_LITE" trace -e close --json --fields comm,fd,ret -- "$calls" "$TMP/made" 5
like "as objects: these members alone" "$TMP/out" '^\{"comm":"calls","args":\{"fd":-77\},"ret":-9,"error":"EBADF"\}$'
run "$PERF_LITE" trace -e getppid,sched:sched_process_exit --fields comm,ret,prio -- "$calls" "$TMP/made" 5
like "beside other events" "$TMP/out" '^calls prio=[0-9]+$'
run "$PERF_LITE" trace -e raw_syscalls:sys_enter --fields id,args -- "$calls" "$TMP/made" 5
like "the events themselves" "$TMP/out" 'raw_syscalls:sys_enter: id=[a-z0-9_]+ args='
run "$PERF_LITE" trace -e close --fields nosuch -- "$calls" "$TMP/made" 5
rc_is 1 "no such field"
like "says what there is" "$TMP/err" 'of system calls: syscall, duration, ret, and arguments'

# --filter: by what came of calls, by arguments, by the texts that they name.
run "$PERF_LITE" trace --filter 'ret < 0 && fd < 0' -- "$calls" "$TMP/made" 5
is "results and arguments" "$(known "$TMP/out" | grep -c '^close(fd: -7[78]) = -1 EBADF')" 2
unlike "no other call" "$TMP/out" ' getppid\(|= [0-9]+$'
run "$PERF_LITE" trace -e getppid,close --filter 'syscall == getppid || ret == -EBADF' --json -- "$calls" "$TMP/made" 5
is "as objects" "$(grep -c '"syscall":"getppid"' "$TMP/out") $(grep -c '"error":"EBADF"' "$TMP/out")" "5 2"
is "no others" "$(wc -l <"$TMP/out")" 7
run "$PERF_LITE" trace -s --filter 'duration >= 0 && syscall == getppid' -- "$calls" "$TMP/made" 50
like "in a table" "$TMP/out" '^ +50 +0 .* getppid$'
is "of nothing else" "$(wc -l <"$TMP/out")" 2
"$PERF_LITE" trace --filter 'filename ~ "/no/such/*"' -- cat "/no/such/file" - <"$TMP/wait" >"$TMP/out" 2>"$TMP/err" &
exec 9>"$TMP/wait"
ok "by a text" wait_for 20 grep -q 'openat(dfd: CWD, filename: "/no/such/file"~, .* = -1 ENOENT' "$TMP/out"
exec 9>&-
wait
is "alone" "$(wc -l <"$TMP/out")" 1
"$PERF_LITE" record -q -o "$TMP/f.data" -e 'raw_syscalls:*' -- "$calls" "$TMP/made" 5
for how in '' '-e close' '-e syscalls:sys_*_close' '-e !getppid'; do
	run_ok "of a recording, $how" "$PERF_LITE" trace -i "$TMP/f.data" $how --filter 'syscall == close && fd < 0'
	is "the two" "$(grep -c 'close(fd: -7[78]) *= -1 EBADF' "$TMP/out")/$(grep -c . "$TMP/out")" 2/2
done

run "$PERF_LITE" trace -a --filter 'syscall == getppid && comm == calls' --limit 3 -- "$calls" "$TMP/made" 50
is "of everybody" "$(grep -c 'getppid() *= [0-9]*$' "$TMP/out")" 3

# Behind an -e of both kinds it is for those that have what it names.
both=getppid,close,sched:sched_process_exit
run "$PERF_LITE" trace -e $both --filter 'ret == -EBADF' -- "$calls" "$TMP/made" 5
is "calls, and every event" "$(grep -c ' = -1 EBADF' "$TMP/out") $(grep -c exit: "$TMP/out") $(grep -c . "$TMP/out")" "2 1 3"
run "$PERF_LITE" trace -e $both --filter 'prio == 999' -- "$calls" "$TMP/made" 5
is "events, and every call" "$(grep -c 'getppid(' "$TMP/out") $(grep -c exit: "$TMP/out")" "5 0"
run "$PERF_LITE" trace -e $both --filter 'comm == nobody' -- "$calls" "$TMP/made" 5
is "both" "$(grep -c . "$TMP/out")" 0
run "$PERF_LITE" trace -e $both --filter 'nosuch == 1' -- "$calls" "$TMP/made" 5
rc_is 1 "none"
like "blames an event that was named" "$TMP/err" 'filter of sched:sched_process_exit: '
run "$PERF_LITE" trace --no-syscalls -e getppid,close --filter 'id == getppid' -- "$calls" "$TMP/made" 5
is "as plain events, entries and exits" "$(grep -c 'raw_syscalls:sys_' "$TMP/out") $(grep -c . "$TMP/out")" "10 10"

# Other events come between, in order of time.
run "$PERF_LITE" trace -e 'syscalls:*' -e sched:sched_process_exit -- "$calls" "$TMP/made" 0
like "another event" "$TMP/out" 'sched:sched_process_exit: .*comm=calls'
run sort -c -n -k1,1 "$TMP/out"
grep -v '^ *calls' "$TMP/live" >"$TMP/lines"
ok "lines are in the order of their times" sort -c -n -s -k1,1 "$TMP/lines"
run "$PERF_LITE" trace -e 'syscalls:*' --no-syscalls -- "$calls" "$TMP/made" 0
like "as events" "$TMP/out" 'raw_syscalls:sys_enter: NR [0-9]+ \('

# The same of a recording, whose texts nobody has read.
run "$PERF_LITE" record -q -o "$TMP/d" -e 'raw_syscalls:*' -- "$calls" "$TMP/made" 5
run "$PERF_LITE" trace -i "$TMP/d"
rc_is 0 "a recording"
known "$TMP/out" | sed 's/getppid() = .*/getppid()/; s/: 0x[0-9A-Za-z]*/: X/g; s/= 0x[0-9A-Za-z]*/= X/' >"$TMP/recorded"
sed 's/getppid() = .*/getppid()/; s/: 0x[0-9A-Za-z]*/: X/g; s/: "[^~]*"~/: X/; s/= 0x[0-9A-Za-z]*/= X/' "$TMP/got" >"$TMP/want"
is_file "a recording says the same" "$TMP/recorded" "$TMP/want"
if [ "$(uname -m)" = x86_64 ]; then
	run "$PERF_LITE" record -q -o "$TMP/e" -e 'syscalls:sys_enter_close,syscalls:sys_exit_close' -- "$calls" "$TMP/made" 5
	run "$PERF_LITE" trace -i "$TMP/e"
	is "events of one call, recorded" "$(grep -c 'close(fd: -7[78]) *= -1 EBADF' "$TMP/out")" 2
fi

# Objects.
run "$PERF_LITE" trace --json -i "$TMP/d"
cat >"$TMP/check.py" <<'EOF'
import json, sys
calls = [json.loads(l) for l in sys.stdin]
by = {}
for c in calls:
    by.setdefault(c["syscall"], []).append(c)
    assert c["comm"] and c["pid"] and c["tid"] == c["pid"], c
assert by["mmap"][-2]["args"]["prot"] == {"value": 3, "name": "READ|WRITE"}, by["mmap"][-2]
assert by["close"][-1]["args"] == {"fd": -78} and by["close"][-1]["error"] == "EBADF"
assert by["close"][-1]["ret"] == -9 and by["close"][-1]["duration"] > 0
assert len(by["getppid"]) == 5 and all(c["args"] == {} for c in by["getppid"])
assert by["exit_group"][0]["args"] == {"error_code": 7} and "ret" not in by["exit_group"][0]
assert "args" not in by["execve"][0] and "duration" not in by["execve"][0]
print("fine")
EOF
is "objects" "$(python3 "$TMP/check.py" <"$TMP/out" 2>&1)" fine

# Tables.
run "$PERF_LITE" trace -s --errno-summary -- "$calls" "$TMP/made" 1000
rc_is 7 "tables: the exit code"
like "calls of one sort" "$TMP/out" '^ +1000 +0 .* getppid$'
like "errors, by name" "$TMP/out" '^ +2 +1 .* unlinkat +1 ENOENT$'
run "$PERF_LITE" trace -s --errno-summary --json -- sh -c '"$1" "$2" 1 & "$1" "$2.too" 1; wait' sh "$calls" "$TMP/made"
is "errors of all processes add up" "$(python3 -c '
import json, sys
rows = [r for r in map(json.loads, sys.stdin) if r.get("syscall")]
assert all(sum(r["by_error"].values()) == r["errors"] for r in rows)
print([r["by_error"] for r in rows if r["syscall"] == "unlinkat"][-1])' <"$TMP/out" 2>&1)" "{'ENOENT': 2}"
run "$PERF_LITE" trace -s --errno-summary -- "$calls" "$TMP/made" 1000
is "one table" "$(grep -c '^ *calls  errors ' "$TMP/out")" 1
unlike "no lines" "$TMP/out" 'getppid\(\)'
run "$PERF_LITE" trace -S -e 'syscalls:sys_*_getppid' -- "$calls" "$TMP/made" 3
is "lines and tables: lines" "$(grep -c 'getppid()' "$TMP/out")" 3
like "lines and tables: tables" "$TMP/out" '^ +3 +0 .* getppid$'
run "$PERF_LITE" trace -s --json -i "$TMP/d"
is "tables as objects add up" "$(python3 -c '
import json, sys
rows = [json.loads(l) for l in sys.stdin]
assert sum(r["calls"] for r in rows[:-1]) == rows[-1]["seen"] == rows[-1]["calls"], rows[-1]
print([r["calls"] for r in rows if r.get("syscall") == "getppid"][0])' <"$TMP/out" 2>&1)" 5

# Several processes and threads: all together, theirs only when asked for.
for half in enter exit; do
	run "$PERF_LITE" trace -s -e syscalls:sys_${half}_getppid -- "$PROG/storm" 7
	rc_is 0 "the half of calls, $half"
	like "has no times" "$TMP/out" '^ *7 +0 +- +- +- +- +-  getppid$'
	like "and says so" "$TMP/out" '^of 7 calls the (beginning|end) alone is traced: '
	unlike "that none had begun before" "$TMP/out" 'before the first'
done
# the ends of others are no ends of theirs: what begins is printed at once
run "$PERF_LITE" trace --fields time,event,syscall -e getppid,syscalls:sys_enter_rt_sigaction -- sh -c '"$1" --quiet 2; trap : USR1; "$1" --quiet 2; trap - USR1' sh "$PROG/storm"
rc_is 0 "calls, and the beginnings of others"
like "these are there" "$TMP/out" 'rt_sigaction$'
ok "all are in the order of their times" sort -C -n "$TMP/out"
run "$PERF_LITE" trace -s -e getppid,syscalls:sys_enter_rt_sigaction -- sh -c 'trap : USR1'
like "nothing is missing of them" "$TMP/out" '^of [0-9]+ calls the beginning alone is traced: '
run "$PERF_LITE" trace -s -- sh -c '"$1" "$2" 40; "$1" "$2" 60; :' sh "$calls" "$TMP/made"
like "one row of all processes" "$TMP/out" '^ +10[01] +0 .* getppid$'
run "$PERF_LITE" trace -s --by comm,tid -- sh -c '"$1" "$2" 40; "$1" "$2" 60; :' sh "$calls" "$TMP/made"
is "--by tid: one table" "$(grep -c '^ *calls  errors ' "$TMP/out")" 1
is "with a row of each" "$(awk '$NF == "getppid" && / calls / { print $1 }' "$TMP/out" | sort -n | xargs)" "40 60"
run "$PERF_LITE" trace -s --json --by comm,pid -- sh -c '"$1" "$2" 40; "$1" "$2" 60; :' sh "$calls" "$TMP/made"
is "by process, as objects" "$(python3 -c '
import json, sys
rows = [json.loads(l) for l in sys.stdin]
print(sorted(r["calls"] for r in rows if r.get("syscall") == "getppid" and r["comm"] == "calls"))' <"$TMP/out" 2>&1)" "[40, 60]"

# Quantiles are those of the calls themselves, as the lines have them.
run "$PERF_LITE" trace -i "$TMP/d" -s --json
cp "$TMP/out" "$TMP/rows"
run "$PERF_LITE" trace -i "$TMP/d" --json
is "quantiles" "$(python3 -c '
import json, math, sys
times = {}
for c in map(json.loads, open(sys.argv[1])):
    if "duration" in c:
        times.setdefault(c["syscall"], []).append(c["duration"])
rows = [r for r in map(json.loads, open(sys.argv[2])) if r.get("timed")]
assert len(rows) == len(times), (len(rows), len(times))
for r in rows:
    t = sorted(times[r["syscall"]])
    assert (r["timed"], r["total"], r["min"], r["max"]) == (len(t), sum(t), t[0], t[-1]), r
    assert r["p50"] == t[math.ceil(len(t) * 0.5) - 1] and r["p99"] == t[math.ceil(len(t) * 0.99) - 1], r
print("fine")' "$TMP/out" "$TMP/rows" 2>&1)" fine

# What was lost is part of the sum: the recorder is stopped while the calls are made.
cat >"$TMP/stopped" <<EOF
kill -STOP \$PPID
"$PROG/storm" 30000 >/dev/null
kill -CONT \$PPID
EOF
run "$PERF_LITE" trace -m 8 -s --json -e 'syscalls:sys_*_getppid' -- sh "$TMP/stopped"
cp "$TMP/out" "$TMP/lossy"
is "of all calls the lost ones are counted" "$(python3 -c '
import json, sys
rows = [json.loads(l) for l in sys.stdin]
end = rows[-1]
assert end["lost"] > 0 and end["lost"] + end["seen"] == end["calls"], end
assert abs(end["calls"] - 30000) <= 2, end
print("fine")' <"$TMP/lossy" 2>&1)" fine
run "$PERF_LITE" trace -m 8 -s -e 'syscalls:sys_*_getppid' -- sh "$TMP/stopped"
like "and said" "$TMP/out" '^of 3000[0-2] calls [0-9]+ were lost \([0-9.]+ %\)$'

# Wrong use.
run_ok "--min" "$PERF_LITE" trace --min 40ms -- sh -c 'sleep 0.05; exit'
like "has slow calls" "$TMP/out" ' sleep/[0-9]+ clock_nanosleep\('
unlike "and no others" "$TMP/out" ' (openat|mmap|close|brk)\('
run "$PERF_LITE" trace -e sched:sched_process_exit --min 1ms -- true
rc_is 1 "--min without system calls"
like "is refused" "$TMP/err" 'there are no events of them'
run "$PERF_LITE" trace -s --summary-mode some -- true
rc_is 1 "no such mode"
like "... says which there are" "$TMP/err" 'thread, process or total'
run "$PERF_LITE" record -q -o "$TMP/n" -e sched:sched_process_exit -- true
run "$PERF_LITE" trace -s -i "$TMP/n"
rc_is 1 "a table of a recording without system calls"
like "... says what to record" "$TMP/err" "raw_syscalls"
run "$PERF_LITE" trace -e 'syscalls:sys_*_no_such*' -- true
rc_is 1 "a pattern that matches no call"
like "... says so" "$TMP/err" "no tracepoint matches"

done_testing
