# SPDX-License-Identifier: GPL-2.0
#
# Expressions at system calls: their arguments by name, the files behind descriptors, and what of the task that runs.
. tests/lib.sh
need everybody bpf btf first-pids first-root
need_event raw_syscalls:sys_enter
need_event syscalls:sys_enter_read
need_cmd python3
f=$TMP/f
p=$PERF_LITE

texts() # [ARG...]: what the samples say
{
	"$p" script -q -i "$f" -F trace "$@" | sed 's/^ *//'
}

# What a program did that says it

cat >"$TMP/files.py" <<'END'
import os, socket, sys, time
w = sys.argv[1]
os.makedirs(w)
mark = lambda: os.getppid()
mark()
d = os.open(w, os.O_RDONLY)
a = os.open("one", os.O_RDWR | os.O_CREAT, 0o640, dir_fd=d)
os.write(a, b"x" * 100)
os.dup2(a, 700)
os.write(700, b"y" * 11)
os.unlink(w + "/one")
os.write(a, b"z" * 3)
r, p = os.pipe()
os.write(p, b"in a pipe")
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
for n in (-1, 699, 5000, 1 << 30):
    try:
        os.write(n, b"nowhere")
    except OSError:
        pass
os.fsync(a)
os.fsync(700)
mark()
END
run_ok "writes" "$p" record -q -o "$f" -e 'syscalls:sys_enter_write(fd=(int)fd, path(fd), count, text=ustr(buf, 8))' \
	-e 'syscalls:sys_exit_write(ret, path(fd))' -e 'syscalls:sys_enter_fsync(path(fd, 16))' \
	-e 'syscalls:sys_enter_openat(*, of=path(dfd))' -e 'syscalls:sys_enter_getppid(a=curtask->tgid, b=curtask->pid)' -- \
	python3 "$TMP/files.py" "$TMP/w"
texts | sed -n '/^a=/,/^a=/p' | sed 's/=[0-9]* path=\//=N path=\//; s/^a=\([0-9]*\) b=\1$/a task/' |
	sed "s|$TMP|TMP|g; s/^fd=[0-9]* path=pipefs:/fd=N path=pipefs:/; s/of=TMP/of=TMP/" >"$TMP/got"
cat >"$TMP/want" <<'END'
a task
dfd=-100 filename=TMP/w flags=524288 mode=0 of=-
dfd=3 filename=one flags=524354 mode=416 of=TMP/w
fd=N path=TMP/w/one count=100 text=xxxxxxx
ret=N path=TMP/w/one
fd=N path=TMP/w/one count=11 text=yyyyyyy
ret=N path=TMP/w/one
fd=N path=TMP/w/one count=3 text=zzz
ret=N path=TMP/w/one
fd=N path=pipefs: count=9 text=in a pi
ret=9 path=pipefs:
fd=-1 path=- count=7 text=nowhere
ret=-9 path=-
fd=699 path=- count=7 text=nowhere
ret=-9 path=-
fd=5000 path=- count=7 text=nowhere
ret=-9 path=-
fd=1073741824 path=- count=7 text=nowhere
ret=-9 path=-
END
printf 'path=.../w/one\npath=.../w/one\na task\n' >>"$TMP/want"
if cmp -s "$TMP/want" "$TMP/got"; then
	pass "are what the program did"
else
	fail "are what the program did"
	diff -u "$TMP/want" "$TMP/got" >"$TMP/ok.out"
	diag_file "$TMP/ok.out"
fi
is "no byte is missing" "$("$p" count -q -i "$f" --csv -e syscalls:sys_exit_write --by path --of ret | tr -d '\r' | grep -c "^3,114,.*$TMP/w/one\$")" 1
is "null in JSON" "$("$p" script -q -i "$f" --json | grep -c '"fd":699,"path":null,')" 1

# The same as the plain events, of calls of one to six arguments

cat >"$TMP/calls.sh" <<'END'
for i in 1 2 3 4 5 6 7 8 9 10; do
	cat /proc/self/status /etc/services >/dev/null
done
END
set --
for c in close read openat mmap pread64; do
	set -- "$@" -e "syscalls:sys_enter_$c(*)" -e "syscalls:sys_exit_$c(ret)" -e "syscalls:sys_enter_$c" -e "syscalls:sys_exit_$c"
done
run_ok "plain events beside them" "$p" record -q -o "$f" "$@" -- sh "$TMP/calls.sh"
"$p" script -q -i "$f" --json >"$TMP/json"
python3 - "$TMP/json" >"$TMP/out" 2>"$TMP/err" <<'END'
import json, sys
own, plain = {}, {}
for line in open(sys.argv[1]):
    s = json.loads(line)
    f = s.get("fields")
    if f is None:
        continue
    name = s["event"]
    is_plain = "__syscall_nr" in f
    values = tuple(v for k, v in f.items() if k not in ("__syscall_nr", "filename", "buf") and isinstance(v, int))
    # numbers of 32 bits are 64 there
    values = tuple(v & 0xffffffff for v in values)
    (plain if is_plain else own).setdefault(name, []).append((s["tid"], values))
for name in sorted(set(own) | set(plain)):
    a, b = sorted(own.get(name, [])), sorted(plain.get(name, []))
    print("same" if a == b and a else "differs: %s %s %s" % (len(a), len(b), [x for x in zip(a, b) if x[0] != x[1]][:3]), name)
END
is "the same calls, arguments and results" "$(cat "$TMP/out" "$TMP/err")" "same syscalls:sys_enter_close
same syscalls:sys_enter_mmap
same syscalls:sys_enter_openat
same syscalls:sys_enter_pread64
same syscalls:sys_enter_read
same syscalls:sys_exit_close
same syscalls:sys_exit_mmap
same syscalls:sys_exit_openat
same syscalls:sys_exit_pread64
same syscalls:sys_exit_read"

# Memory of the process behind pointers

run_ok "structs and vectors" "$p" record -q -o "$f" -e 'syscalls:sys_enter_writev(first=ustr(vec->iov_base, 3), second=ustr(vec[1].iov_base, 4), vlen, bytes=buf(vec[0].iov_base, 2))' \
	-e 'syscalls:sys_enter_execve(filename, argv(argv), n=filename:x, at=argv)' \
	-e 'syscalls:sys_enter_connect(sockaddr(uservaddr, addrlen))' -- \
	python3 -c 'import os, socket
os.writev(1, [b"ab", b"cde"])
try:
    socket.socket().connect(("127.0.0.1", 9))
except OSError:
    pass
os.execve("/bin/true", ["true", "a b", ""], {})'
texts | grep -v 'filename=.*python' | sed 's/ n=0x[1-9a-f][0-9a-f]* at=0x[1-9a-f][0-9a-f]*$/ n=N at=N/' >"$TMP/got"
is "are read" "$(cat "$TMP/got")" 'first=ab second=cde vlen=2 bytes=61 62
family=AF_INET addr=127.0.0.1 port=9 sun_path=-
filename=/bin/true argv=true a b  n=N at=N'

# Arguments that are not what they seem

run_ok "what is declared otherwise" "$p" record -q -o "$f" -e 'syscalls:sys_exit_shmctl(size=buf->shm_segsz)' -e 'syscalls:sys_enter_capget(version=header->version:x)' \
	-e 'syscalls:sys_enter_futex_wake(nr, flags:x)' -e 'syscalls:sys_enter_getuid(*)' -e 'syscalls:sys_enter_readv(path(fd), n=vlen)' \
	-e 'syscalls:sys_enter_poll(fd=ufds->fd, path(ufds->fd), pos=curtask->files->fdt->fd[ufds->fd]->f_pos)' -- \
	python3 -c 'import ctypes, os, select
c = ctypes.CDLL(None)
m = c.shmget(0, 12345, 0o1600)
buf = (ctypes.c_char * 512)()
c.shmctl(m, 2, buf)
c.shmctl(m, 0, None)
header = (ctypes.c_uint * 2)(0x20080522, 0)
c.syscall('"$(case $(uname -m) in x86_64) echo 125 ;; *) echo 90 ;; esac)"', header, None)
c.syscall(454, None, ctypes.c_ulong(1), 3, 0x12)
os.getuid()
fd = os.open("/etc/passwd", os.O_RDONLY)
os.readv(fd, [bytearray(7)])
p = select.poll()
p.register(fd)
p.poll(0)'
texts | sed 's/^fd=[0-9]* /fd=N /' >"$TMP/got"
like "the struct that the kernel fills" "$TMP/got" '^size=12345$'
like "a pointer by another name" "$TMP/got" '^version=0x20080522$'
like "a number called nr" "$TMP/got" '^nr=3 flags=0x12$'
"$p" script -q -i "$f" --json >"$TMP/json"
like "which is no call" "$TMP/json" '"nr":3[,}]'
ok "a call without arguments" grep -q '"sys_enter_getuid"\|"syscalls:sys_enter_getuid"' "$TMP/json"
unlike "has no field" "$TMP/got" 'regs='
like "a descriptor in a word" "$TMP/got" '^path=/etc/passwd n=1$'
like "one in memory of the process finds what is the kernel's" "$TMP/got" '^fd=N path=/etc/passwd pos=7$'

# Counted and paired, in the kernel and by samples

printf '%1000s' x >"$TMP/thousand"
for engine in perf bpf; do
	run_ok "bytes by file, --engine=$engine" "$p" count --csv --engine=$engine -e 'syscalls:sys_exit_read(path(fd), ret)' --by path --of ret -- \
		sh -c "cat $TMP/thousand $TMP/thousand >/dev/null; od $TMP/thousand >/dev/null"
	is "each byte that was read" "$(tr -d '\r' <"$TMP/out" | awk -F , -v f="$TMP/thousand" '$NF == f { print $2 }')" 3000
done
run_ok "time by file" "$p" latency --csv --from 'syscalls:sys_enter_read(path(fd))' --to syscalls:sys_exit_read --on tid --by path -- \
	sh -c "cat $TMP/thousand >/dev/null; sleep 1 | cat"
is "two reads of a file" "$(tr -d '\r' <"$TMP/out" | awk -F , -v f="$TMP/thousand" '$NF == f { print $1 }')" 2
is "and one that waited for the other end" "$(tr -d '\r' <"$TMP/out" | awk -F , '$NF == "pipefs:" { print $1, ($2 > 90000000) }')" "1 1"
cat >"$TMP/sync.py" <<'END'
import os, sys
w = sys.argv[1]
fd = os.open(w + "/synced", os.O_RDWR | os.O_CREAT)
for i in range(30):
    os.pwrite(fd, b"x", i)
for i in range(20):
    os.pread(fd, 1, i)
os.writev(fd, [b"a", b"b"])
os.readv(fd, [bytearray(1)])
os.fsync(fd)
os.fdatasync(fd)
END
run_ok "latency files" "$p" latency files --engine=bpf --csv -- python3 "$TMP/sync.py" "$TMP"
is "has each call of a file" "$(tr -d '\r' <"$TMP/out" | awk -F , -v f="$TMP/synced" '$NF == f { print $1 }')" 54
run_ok "of one file" "$p" latency files --filter "path == \"$TMP/synced\"" --csv -- python3 "$TMP/sync.py" "$TMP"
is "nothing else" "$(tr -d '\r' <"$TMP/out" | awk -F , 'NR > 1 { n++; sum += $1 } END { print n, sum }')" "1 54"
like "the others are told of" "$TMP/err" ', [1-9][0-9]* of them left out by the filter'
if can 32-bit; then
	run_ok "calls of other numbers" "$p" count --csv -e 'syscalls:sys_enter_close(fd=(int)fd)' -e 'syscalls:sys_exit_close(fd=(int)fd, ret)' --filter 'fd == -1' --by event,fd -- "$PROG/foreign" 5 3
	is "are other calls" "$(grep -c '^3,' "$TMP/out")" 2
else
	skip_without "calls of other numbers" 32-bit
fi

# What can be read, and mistakes

run_ok "a list" "$p" list -v syscalls:sys_enter_nanosleep
like "has what pointers lead to" "$TMP/out" 'rqtp->tv_sec .*time'
run_ok "of the end of a call, too" "$p" list 'syscalls:sys_exit_nanosleep(rqtp)'
like "by type" "$TMP/out" '^    rqtp  *struct __kernel_timespec \*$'
run_ok "the task that runs" "$p" list 'syscalls:sys_exit_nanosleep(curtask)'
like "has members" "$TMP/out" '^    curtask->pid  *pid_t$'
refuse() # EVENT MESSAGE
{
	run "$p" trace -e "$1" -- true
	rc_is 1 "$1 is refused"
	like "and why" "$TMP/err" "$2"
}
refuse 'syscalls:sys_enter_read(cout)' "did you mean 'count'"
refuse 'syscalls:sys_enter_read(curtusk->pid)' "did you mean 'curtask'"
refuse 'syscalls:sys_enter_read(ret)' "'ret' is no argument of this event"
refuse 'syscalls:sys_enter_read(path(buf))' 'path\(\) wants a struct path, dentry or file, or the number of a descriptor, not '
refuse 'syscalls:sys_enter_read(path(fd == 3))' 'this may be no descriptor'
refuse 'syscalls:sys_enter_nosuch(x)' "unknown tracepoint 'syscalls:sys_enter_nosuch'"
refuse 'syscalls:sys_enter_*(x)' "expressions are of one tracepoint"
done_testing
