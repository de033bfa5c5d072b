# SPDX-License-Identifier: GPL-2.0
#
# perf-lite trace -y: the files behind the descriptors of system calls.
. tests/lib.sh
need everybody bpf btf first-pids first-root
need_event raw_syscalls:sys_enter
need_cmd python3
p=$PERF_LITE

cat >"$TMP/files.py" <<'END'
import os, sys
w = sys.argv[1]
a = os.open(w + "/one", os.O_RDWR | os.O_CREAT)
os.write(a, b"x" * 100)
os.pread(a, 10, 5)
os.unlink(w + "/one")
os.fsync(a)
r, p = os.pipe()
os.write(p, b"pipe")
try:
    os.fsync(12345)
except OSError:
    pass
d = os.open(w, os.O_RDONLY | os.O_DIRECTORY)
os.close(os.open("two", os.O_CREAT, 0o600, dir_fd=d))
os.close(a)
END
lines() # of the calls that the program made itself, without what differs
{
	sed -n "s/^[^)]*): //; s/^[^ ]* \\([a-z0-9]*(.*\\)$/\\1/p" "$1" |
		sed "s|$TMP|TMP|g; s/fd: [0-9]*</fd: N</g; s/0x[0-9a-f]*/0xN/g; s/  *= / = /; s/= [3-9]\$/= N/" | grep -F -e TMP/one -e TMP/two -e '<TMP>' -e pipefs: -e 12345 | grep -v 'fd: 1<\|fd: 2<\|fd: 0<\|stat'
}
calls=write,pread64,fsync,openat,close
# with a filter a call has one line, however long it takes
run_ok "named calls" "$p" trace -y -e $calls --filter 'ret >= -4095' -- python3 "$TMP/files.py" "$TMP"
lines "$TMP/out" | grep -v 'openat(dfd: CWD\|close.*<TMP>' >"$TMP/got"
cat >"$TMP/want" <<'END'
write(fd: N<TMP/one>, buf: 0xN, count: 100) = 100
pread64(fd: N<TMP/one>, buf: 0xN, count: 10, pos: 5) = 10
fsync(fd: N<TMP/one>) = 0
write(fd: N<pipefs:>, buf: 0xN, count: 4) = N
fsync(fd: 12345) = -1 EBADF (Bad file descriptor)
openat(dfd: N<TMP>, filename: "two"~, flags: RDONLY|CREAT|CLOEXEC, mode: 0600) = N
close(fd: N<TMP/two>) = 0
close(fd: N<TMP/one>) = 0
END
sed -i 's/dfd: N</fd: N</; s/openat(fd/openat(dfd/' "$TMP/got"
is_file "have the path of the moment" "$TMP/got" "$TMP/want"
unlike "no other call is there" "$TMP/out" ' (mmap|read|brk)\('
run_ok "all calls" "$p" trace -y -- python3 "$TMP/files.py" "$TMP"
like "have it, too" "$TMP/out" "pread64\\(fd: [0-9]+<$TMP/one>, "
like "what is no descriptor has none" "$TMP/out" ' brk\((brk: (NULL|0x[0-9a-f]+))\) '
run_ok "as JSON" "$p" trace -y -e fsync --json -- python3 "$TMP/files.py" "$TMP"
is "a descriptor is an object then" "$(sed -n 's/.*"args":\({.*}\),.*/\1/p' "$TMP/out" | sed "s|$TMP|TMP|; s/value\":[0-9]*/value\":N/")" '{"fd":{"value":N,"file":"TMP/one"}}
{"fd":12345}'
run_ok "as fields" "$p" trace -y -e fsync --fields syscall,fd -- python3 "$TMP/files.py" "$TMP"
like "with the path" "$TMP/out" "syscall=fsync fd=[0-9]+<$TMP/one>$"
run_ok "filtered" "$p" trace -y --filter "file ~ \"*/one\" && ret >= 0" -- python3 "$TMP/files.py" "$TMP"
is "those of the file alone" "$(sed -n 's/.*python3.* \([a-z0-9]*\)(.*/\1/p' "$TMP/out" | grep -v 'fstat\|ioctl\|lseek' | tr '\n' ' ')" "openat write pread64 unlink fsync close "
run_ok "a table" "$p" trace -y -S -e fsync -- python3 "$TMP/files.py" "$TMP"
like "counts them" "$TMP/out" '^ +2 +1 .* fsync$'

# The table by file: by descriptor, by name, and by a name below the directory of a descriptor
run_ok "a table by file" "$p" trace -s --by file -- python3 "$TMP/files.py" "$TMP"
awk -v w="$TMP/" 'index($(NF - 1), w) == 1 && $(NF - 1) !~ /files.py/ { print substr($(NF - 1), length(w) + 1), $NF, $1, $2 }' "$TMP/out" |
	grep -v 'stat\|ioctl\|lseek\|fcntl' | sort >"$TMP/got"
cat >"$TMP/want" <<'END'
one close 1 0
one fsync 1 0
one openat 1 0
one pread64 1 0
one unlink 1 0
one write 1 0
two close 1 0
two openat 1 0
END
is_file "has what was done to each" "$TMP/got" "$TMP/want"
like "also to pipes" "$TMP/out" ' pipefs: +write$'
like "what is no descriptor has no file" "$TMP/out" ' 1 +1 .* - +fsync$'
like "it says that names took time" "$TMP/out" '^texts were read from the processes, so calls took some microseconds longer$'
run_ok "below the root" "$p" trace -s --by file -e openat -- python3 -c 'import os; os.open("etc/passwd", 0, dir_fd=os.open("/", 0))'
ok "there is one slash" grep -q ' /etc/passwd ' "$TMP/out"
run_ok "of calls without names" "$p" trace -s --by file -e write,fsync -- python3 "$TMP/files.py" "$TMP"
like "there are files, too" "$TMP/out" " 1 +0 .* $TMP/one +write\$"
unlike "and nothing took time" "$TMP/out" 'longer'
run_ok "a filter of numbers" "$p" trace -s --filter 'ret < 0' -- python3 "$TMP/files.py" "$TMP"
unlike "takes no time either" "$TMP/out" 'longer'
run_ok "one of names" "$p" trace -s --filter 'filename ~ "*one"' -- python3 "$TMP/files.py" "$TMP"
like "does" "$TMP/out" 'longer'
run_ok "by what they returned" "$p" trace -s --by filename,ret --json -e openat,unlink -- python3 "$TMP/files.py" "$TMP"
is "names are as they were given" "$(grep -c '"filename":"two","ret":"[0-9]*","syscall":"openat","calls":1,' "$TMP/out")" 1
like "as JSON it is said, too" "$TMP/out" '"unfinished":0,"delayed":true'

# The calls of a process that runs, and of its threads
python3 -c 'import os, sys, threading, time
f = os.open(sys.argv[1] + "/three", os.O_CREAT | os.O_RDWR)
def work():
    for i in range(5):
        os.pwrite(f, b"x", i)
print("ready", flush=True)
while not os.path.exists(sys.argv[1] + "/go"):
    os.pwrite(f, b"waiting", 100)
    time.sleep(0.01)
t = [threading.Thread(target=work) for i in range(4)]
[x.start() for x in t]
[x.join() for x in t]' "$TMP" >"$TMP/ready" &
pid=$!
wait_for 20 grep -q ready "$TMP/ready"
: >"$TMP/out"
"$p" trace -y -e pwrite64 -p $pid >"$TMP/out" 2>"$TMP/err" &
tracer=$!
ok "a process that runs" wait_for 60 grep -q 'pwrite64(' "$TMP/out"
: >"$TMP/go"
wait $pid
wait $tracer
is "of all threads" "$(grep -v waiting "$TMP/out" | grep -c "pwrite64(fd: [0-9]*<$TMP/three>.*count: 1,")" 20

refuse() # WHAT MESSAGE ARG...
{
	what=$1 message=$2
	shift 2
	run "$p" trace "$@"
	rc_is 1 "$what"
	like "is said so" "$TMP/err" "$message"
}
refuse "no call" 'none begins among the events' -y -e sched:sched_switch -- true
refuse "a recording" "x is a recording" -y -i x
refuse "plain events" 'leave out --no-syscalls' -y --no-syscalls -- true
refuse "lines of ftrace" 'leave out --ftrace' -y --ftrace -- true
refuse "paths that nobody reads" 'with --paths file, too' --filter 'file == x' -- true
done_testing
