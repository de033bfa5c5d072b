# SPDX-License-Identifier: GPL-2.0
#
# A call of the recorder fails: it ends well, or says what is wrong; what it leaves can be read.
. tests/lib.sh
need_event raw_syscalls:sys_enter
getconf GNU_LIBC_VERSION >/dev/null 2>&1 ||
	skip_all "$outside: glibc, whose functions the library that lets them fail stands before"

# faults NAME N CALL...: up to N of each of these calls
faults()
{
	name=$1
	shift
	rc=0
	sh tests/inject/faults.sh "$@" >"$TMP/said" 2>&1 || rc=$?
	[ $rc -eq 0 ] || diag_file "$TMP/said"
	ok "$name ($(sed -n 's/^faults: seed/seed/p' "$TMP/said"))" test $rc -eq 0
}

faults "files" 5 open read
faults "writing" 13 write ftruncate fallocate rename
faults "events" 6 ioctl perf_event_open
faults "waiting" 6 poll epoll_ctl
faults "memory" 12 mmap malloc
faults "processes and threads" 3 fork pthread_create
done_testing
