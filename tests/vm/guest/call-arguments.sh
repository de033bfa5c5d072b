# SPDX-License-Identifier: GPL-2.0
#
# Arguments of system calls and the files behind descriptors, on the registers and types of this kernel.
. /tests/lib.sh
need everybody bpf btf
f=$TMP/calls.data

texts() # what the samples say
{
	"$PERF_LITE" script -q -i "$f" -F trace "$@" | sed 's/^ *//; s/ *$//'
}

printf '%1000s' x >"$TMP/thousand"
run_ok "reads" "$PERF_LITE" record -q -o "$f" -e 'syscalls:sys_enter_openat(filename, dfd)' -e 'syscalls:sys_enter_read(path(fd), count)' \
	-e 'syscalls:sys_exit_read(n=ret, path(fd))' -e 'syscalls:sys_enter_close(path(fd), fd=(int)fd)' -- md5sum "$TMP/thousand"
texts >"$TMP/got"
like "a text of the process" "$TMP/got" "^filename=$TMP/thousand dfd=-100$"
like "the file of a descriptor" "$TMP/got" "^path=$TMP/thousand count=[1-9]"
is "where the call ends, too" "$(sed -n "s|^n=\([0-9]*\) path=$TMP/thousand\$|\1|p" "$TMP/got" | awk '{ n += $1 } END { print n }')" 1000
like "when it is closed" "$TMP/got" "^path=$TMP/thousand fd=3$"
run_ok "the plain events beside them" "$PERF_LITE" record -q -o "$f" -e 'syscalls:sys_enter_openat(*)' -e syscalls:sys_enter_openat \
	-e 'syscalls:sys_exit_openat(ret)' -e syscalls:sys_exit_openat -- sh -c "cat $TMP/thousand /nowhere; true"
"$PERF_LITE" script -q -i "$f" -F event,trace >"$TMP/got"
is "have as many" "$(grep -c 'filename=/nowhere ' "$TMP/got") $(grep -c 'sys_exit_openat: *ret=' "$TMP/got")" \
	"1 $(grep 'sys_exit_openat: *0x' "$TMP/got" | wc -l)"
if [ "$(uname -m)" = x86_64 ] && "$PROG/foreign" 1 0; then
	run_ok "calls of other numbers" "$PERF_LITE" record -q -o "$f" -e 'syscalls:sys_enter_close(fd=(int)fd)' -e 'syscalls:sys_exit_close(ret, fd=(int)fd)' -- "$PROG/foreign" 5 3
	is "are other calls" "$(texts | grep -c -- 'fd=-1')" 6
else
	skip_outside "calls of other numbers" "there are none on this machine"
fi
done_testing
