# SPDX-License-Identifier: GPL-2.0
#
# What path(), argv() and sockaddr() read: programs that are executed by paths of all sorts, files that are in no directory,
# connections; and what a program says that it passed.
. tests/lib.sh
need everybody bpf btf first-pids first-root
f=$TMP/f
p=$PERF_LITE
w=$TMP/w

# texts [ARG...]: what the samples say
texts()
{
	"$p" script -q -i "$f" -F trace "$@" | sed 's/^ *//'
}

# Paths

x=$(printf '%0255d' 0 | tr 0 x)
y=$(printf '%099d' 0 | tr 0 y)
deep=$(seq -f d%g 40 | tr '\n' /)
hostile=$(printf 'n\tl\033[31m')
mkdir -p "$w/a/b" "$w/bind" "$w/$y/$y/$y" "$w/$deep" "$w/root" "$w/in"
for d in "$w/a/b/t" "$w/t" "$w/$x" "$w/$y/$y/$y/t" "$w/${deep}t" "$w/$hostile"; do
	cp /bin/true "$d"
done
cat >"$TMP/runs" <<'END'
w=$1 x=$2 y=$3 deep=$4 hostile=$5
"$w/t" ''
"$w/$x"
"$w/$y/$y/$y/t"
"$w/${deep}t"
"$w/$hostile"
END
paths='path(bprm->file), whole=path(&bprm->file->f_path, 1024), dentry=path(bprm->file->f_path.dentry, 400), short=path(*bprm->file, 16)'
run_ok "programs" "$p" record -q -o "$f" -e "sched:sched_process_exec($paths)" -- sh "$TMP/runs" "$w" "$x" "$y" "$deep" "$hostile"
texts | tail -n 5 >"$TMP/got"
line()
{
	sed -n "$1s/ dentry=.*//p" "$TMP/got"
}
# the last bytes of what is too long
tail_of() # SIZE TEXT
{
	printf '%s' "$2" | tail -c $(($1 - 4))
}
is "a path" "$(line 1)" "file=$w/t whole=$w/t"
is "a name that is as long as the room" "$(line 2)" "file=...$(tail_of 256 "$x") whole=$w/$x"
like "names of 300 characters" "$TMP/got" "^file=\.\.\./$y/$y/t whole=$w/$y/$y/$y/t dentry=.*/$y/$y/$y/t short=\.\.\./t$"
like "too many names" "$TMP/got" "^file=\.\.\./d10/d11/.*/d40/t whole=\.\.\./d10/d11/.*/d40/t dentry=\.\.\./d10/.* short=\.\.\./d39/d40/t$"
is "bytes that are none of text" "$(line 5)" "file=$w/n\\x09l\\x1b[31m whole=$w/n\\x09l\\x1b[31m"
"$p" script -q -i "$f" --json | tail -n 1 >"$TMP/json"
like "the same in JSON" "$TMP/json" '"file":"[^"]*/n\\\\x09l\\\\x1b\[31m"'
is "as a key" "$("$p" count -q -i "$f" --by file --csv | grep -c "^1,$w/t$(printf '\r')*\$")" 1
is "in a filter" "$(texts --filter "file ~ \"*/t\" && whole != \"$w/t\"" | wc -l)" 2
run_ok "counted in the kernel" "$p" count --csv --engine=bpf -e 'sched:sched_process_exec(path(bprm->file, 100))' --by file -- sh -c "'$w/t'; '$w/t'; '$w/a/b/t'"
like "by path" "$TMP/out" "^2,$w/t"
if can mounts; then
	cat >"$TMP/mounts" <<'END'
w=$1
mount -t tmpfs none "$w/root"
cp "$w/t" "$w/root/t"
"$w/root/t"
for i in 1 2 3; do
	mount --bind "$w/a" "$w/bind"
	"$w/bind/b/t"
done
mount --bind "$w/root/t" "$w/a/b/t"
"$w/a/b/t"
END
	run_ok "mounts" "$p" record -q -o "$f" -e 'sched:sched_process_exec(path(bprm->file), dentry=path(bprm->file->f_path.dentry))' -- \
		unshare -m sh "$TMP/mounts" "$w"
	texts | grep '/t ' >"$TMP/got"
	is "names across them" "$(sed 's/ dentry.*//' "$TMP/got")" "file=$w/root/t
file=$w/bind/b/t
file=$w/bind/b/t
file=$w/bind/b/t
file=$w/a/b/t"
	is "but of a dentry alone" "$(grep -c '^file=[^ ]*/root/t dentry=/t$' "$TMP/got") $(grep -c '^file=[^ ]*/a/b/t dentry=/t$' "$TMP/got")" "1 1"
	run_ok "another root" "$p" record -q -o "$f" -e 'sched:sched_process_exec(path(bprm->file))' -- \
		unshare -m sh -c 'mount --rbind / "$1/in"; exec chroot "$1/in" "$1/t"' sh "$w"
	is "is part of the path" "$(texts | tail -n 1)" "file=$w/in$w/t"
else
	skip_without "mounts" mounts
fi
if can python3 && "$p" list -v filelock:flock_lock_inode 2>/dev/null | grep -q 'struct file_lock \*fl,'; then
	cat >"$TMP/locks.py" <<-'END'
		import fcntl, os, socket
		for fd in os.pipe()[0], socket.socket(), os.memfd_create("mine"), os.open("/", 0):
		    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
	END
	run "$p" record -q -o "$f" -e 'filelock:flock_lock_inode(path(fl->c.flc_file))' -- python3 "$TMP/locks.py"
	if [ $rc -eq 0 ]; then
		texts | sort -u >"$TMP/got"
		like "a pipe" "$TMP/got" '^flc_file=pipefs:$'
		like "a socket" "$TMP/got" '^flc_file=sockfs:TCP$'
		like "a file in memory" "$TMP/got" '^flc_file=tmpfs:memfd:mine$'
		like "the root" "$TMP/got" '^flc_file=/$'
	else
		skip_outside "files in no directory" "this kernel has no file_lock.c"
	fi
else
	skip_without "files in no directory" python3
fi

# Arguments, and addresses of sockets

many=$(seq 1 40 | tr '\n' ' ')
run_ok "arguments" "$p" record -q -o "$f" -e 'sched:sched_process_exec(argv(bprm->p + 8), cut=argv(bprm->p + 8, 16))' -- \
	sh -c '/bin/true "one two" "" three; /bin/true "$1"; /bin/true 234; /bin/true 2345; /bin/true $2' sh "$(printf 'a\nb')" "$many"
texts | tail -n 5 >"$TMP/got"
is "with blanks between them" "$(sed -n 1p "$TMP/got")" "argv=/bin/true one two  three cut=/bin/true on..."
is "bytes that are none of text" "$(sed -n 2p "$TMP/got")" 'argv=/bin/true a\x0ab cut=/bin/true a\x0a...'
is "what there is room for" "$(sed -n 3p "$TMP/got")" 'argv=/bin/true 234 cut=/bin/true 23...'
is "too many" "$(sed -n '5s/ cut.*//p' "$TMP/got")" "argv=/bin/true $(seq 1 31 | tr '\n' ' ' | sed 's/ $//')..."
if links "a program's memory"; then
	cat >"$TMP/calls.c" <<-'END'
		#include <arpa/inet.h>
		#include <stdio.h>
		#include <string.h>
		#include <sys/socket.h>
		#include <sys/un.h>
		__attribute__((noinline)) int takes(const struct sockaddr *a, socklen_t len, const char *const *v) { return a->sa_family + (int)len + (v != NULL); }
		int main(void)
		{
			static const char *const words[] = {"some", "words", NULL};
			struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(4711)};
			struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(80), .sin6_flowinfo = 5};
			struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "/run/\001me"};
			struct sockaddr other = {.sa_family = AF_NETLINK};

			inet_pton(AF_INET, "10.1.2.3", &in.sin_addr);
			inet_pton(AF_INET6, "fd00::7", &in6.sin6_addr);
			takes((void *)&in, sizeof(in), words);
			takes((void *)&in6, sizeof(in6), NULL);
			takes((void *)&un, sizeof(un), words + 1);
			memset(&un.sun_path, 'x', sizeof(un.sun_path));
			takes((void *)&un, sizeof(un), words + 2);
			takes((void *)&un, sizeof(un) - 1, words + 2);
			un.sun_path[0] = '\0';
			takes((void *)&un, 2 + 5, words);
			takes((void *)&un, 2, words);
			takes(&other, sizeof(other), words);
			takes((void *)&in, 7, words);
			takes((void *)&in6, 23, words);
			takes((void *)&in, 1, words);
			takes((void *)&in, 0, words);
			return 0;
		}
	END
	run_ok "a program's memory" ${CC:-cc} -g -O0 -o "$TMP/calls" "$TMP/calls.c"
	run_ok "is read" "$p" record -q -o "$f" -e "uprobe:$TMP/calls:takes(sockaddr(a, len), argv(v))" -- "$TMP/calls"
	cat >"$TMP/want" <<-END
		family=AF_INET addr=10.1.2.3 port=4711 sun_path=- argv=some words
		family=AF_INET6 addr=fd00::7 port=80 sun_path=- argv=-
		family=AF_UNIX addr=- port=- sun_path=/run/\x01me argv=words
		family=AF_UNIX addr=- port=- sun_path=$(printf '%0108d' 0 | tr 0 x) argv=
		family=AF_UNIX addr=- port=- sun_path=$(printf '%0107d' 0 | tr 0 x) argv=
		family=AF_UNIX addr=- port=- sun_path=@xxxx argv=some words
		family=AF_UNIX addr=- port=- sun_path= argv=some words
		family=AF_NETLINK addr=- port=- sun_path=- argv=some words
		family=AF_INET addr=- port=- sun_path=- argv=some words
		family=AF_INET6 addr=- port=- sun_path=- argv=some words
		family=- addr=- port=- sun_path=- argv=some words
		family=- addr=- port=- sun_path=- argv=some words
	END
	texts >"$TMP/got"
	is_file "and what was passed" "$TMP/got" "$TMP/want"
	run_ok "without lengths" "$p" record -q -o "$f" -e "uprobe:$TMP/calls:takes(sockaddr(arg1))" -- "$TMP/calls"
	is "an abstract name has no end" "$(texts | sed -n 's/ addr.* sun/ sun/; 6p')" "family=AF_UNIX sun_path=-"
fi
if can python3 && [ "$(uname -m)" = x86_64 ]; then
	cat >"$TMP/connect.py" <<-'END'
		import socket
		for family, address in ((socket.AF_INET, ("127.0.0.1", 9)), (socket.AF_UNIX, "/nowhere"), (socket.AF_UNIX, "\0abstract")):
		    try:
		        socket.socket(family).connect(address)
		    except OSError:
		        pass
	END
	run_ok "connections" "$p" record -q -o "$f" -e 'raw_syscalls:sys_enter(id, sockaddr(regs->si, regs->dx))' --filter 'id == 42' -- \
		python3 "$TMP/connect.py"
	is "of system calls" "$(texts | grep -v '=@*/run' | tail -n 3)" "id=42 family=AF_INET addr=127.0.0.1 port=9 sun_path=-
id=42 family=AF_UNIX addr=- port=- sun_path=/nowhere
id=42 family=AF_UNIX addr=- port=- sun_path=@abstract"
	is "by a filter" "$(texts --filter 'family == AF_INET && port == 9' | wc -l)" 1
else
	skip_outside "connections" "x86-64 and python3 are needed"
fi

# Mistakes

refused() # EVENT MESSAGE
{
	run "$p" record -o "$f.no" -e "$1" -- true
	rc_is 1 "$1"
	like "what" "$TMP/err" "$2"
}
refused 'sched:sched_process_exec(path(bprm))' "path\(\) wants a struct path, dentry or file, or the number of a descriptor, not struct linux_binprm \*"
like "where" "$TMP/err" '^ *\\___ path'
refused 'sched:sched_process_exec(path(bprm->file, 15))' "a size from 16 to 1024 is expected here"
refused 'sched:sched_process_exec(argv(p))' "argv\(\) wants a char \*\* or an address, not struct task_struct \*"
refused 'sched:sched_process_exec(sockaddr(p))' "sockaddr\(\) wants a struct sockaddr \* or an address, not struct task_struct \*"
refused 'sched:sched_process_exec(sockaddr(bprm->p), sockaddr(bprm->p))' "sockaddr\(\) makes fields of its own names, and once"
refused 'sched:sched_process_exec(sockaddr(bprm->p, bprm))' "a number is expected here: the length of the address"
refused "uprobe:$p:main(path(arg1))" "path\(\) reads the kernel's memory, and this is a program's"
run "$p" record -o "$f.no" -e "sched:sched_process_exec($(seq -s , -f 'p%g=path(bprm->file, 16)' 20))" -- true
ok "too many paths" test $rc -ne 0
like "have no room in a program" "$TMP/err" "no program can be made of these fields"
like "what to do" "$TMP/err" "record fewer of them"
done_testing
