# SPDX-License-Identifier: GPL-2.0
#
# What readers of expressions make of the structs of this kernel: paths, arguments, addresses of sockets.
. /tests/lib.sh
need everybody bpf btf
f=$TMP/readers.data

texts() # what the samples say
{
	"$PERF_LITE" script -q -i "$f" -F trace "$@" | sed 's/^ *//; s/ *$//'
}

w=$TMP/w
y=$(printf '%099d' 0)
deep=$w/deep
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34; do
	deep=$deep/d$i
done
mkdir -p "$w" && mount -t tmpfs none "$w"
mkdir -p "$w/a/b" "$w/bind" "$w/$y/$y/$y" "$deep" "$w/root"
mount --bind "$w/a" "$w/bind"
mount -t tmpfs none "$w/root"
# a script needs nothing but the shell, whose own path is left out below
for d in "$w/a/b" "$w/$y/$y/$y" "$deep" "$w/root"; do
	cp "$PROG/can" "$d/t"
done
cat >"$TMP/runs" <<END
$w/a/b/t
$w/bind/b/t 'one word' two
$w/$y/$y/$y/t
$deep/t
$w/root/t
END
run_ok "programs" "$PERF_LITE" record -q -o "$f" \
	-e 'sched:sched_process_exec(path(bprm->file, 400), argv(bprm->p + 8, 400), d=path(bprm->file->f_path.dentry, 400), short=path(bprm->file, 16))' \
	-- sh "$TMP/runs"
texts | grep '/t ' >"$TMP/got"
like "a path" "$TMP/got" "^file=$w/a/b/t argv=$w/a/b/t d=/a/b/t short="
like "across a mount" "$TMP/got" "^file=$w/bind/b/t argv=$w/bind/b/t one word two d=/a/b/t "
like "of 300 characters" "$TMP/got" "^file=$w/$y/$y/$y/t argv=$w/$y/$y/$y/t d=/$y/$y/$y/t short=\.\.\./t$"
like "with too many names" "$TMP/got" "^file=\.\.\./d4/d5/.*/d34/t argv=$deep/t d=\.\.\./d4/d5/.*/d34/t short=\.\.\./d33/d34/t$"
like "on a mount" "$TMP/got" "^file=$w/root/t argv=$w/root/t d=/t "
case $(uname -r) in
[0-5].* | 6.0.*) skip_outside "counted in the kernel" "this kernel does not count by programs" ;;
*)
	run_ok "counted in the kernel" "$PERF_LITE" count --engine=bpf -e 'sched:sched_process_exec(path(bprm->file, 64))' --by file -- \
		sh -c "$w/a/b/t; $w/a/b/t"
	like "by path" "$TMP/out" "^ *2 +$w/a/b/t$"
	;;
esac
umount "$w/root" "$w/bind"
umount "$w"

if [ -e /sys/bus/event_source/devices/kprobe ]; then
	run_ok "connections" "$PERF_LITE" record -q -o "$f" -e 'kprobe:__sys_connect(sockaddr(uservaddr, addrlen))' \
		-e 'kprobe:tcp_v4_connect(sockaddr(uaddr))' -- "$PROG/drops" --udp 0 --tcp 1
	is "of the process's memory, and of the kernel's" "$(texts)" "family=AF_INET addr=127.0.0.1 port=19 sun_path=-
family=AF_INET addr=127.0.0.1 port=19 sun_path=-"
else
	skip_outside "connections" "no kprobes in this kernel"
fi
done_testing
