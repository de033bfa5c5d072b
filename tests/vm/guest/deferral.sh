# SPDX-License-Identifier: GPL-2.0
#
# What the user half of a call chain costs, walked at once and later. By hand, with -icount, so that a nanosecond is an instruction:
#
#	VM_CPUS=1 VM_QEMU='-icount shift=0,sleep=off' tests/vm/run x86_64-newest build/vm/host.img DIR deferral
. /tests/lib.sh
need_event kmem:mm_page_alloc

cost() # ARG... -- DEPTH PAGES: instructions of one stay in the kernel, recorded so
{
	args=''
	while [ "$1" != -- ]; do
		args="$args $1"
		shift
	done
	if [ -z "$args" ]; then
		"$PROG/entries" cost "$2" "$3" 400
	else
		# shellcheck disable=SC2086
		"$PERF_LITE" record -q -m 8M -o "$TMP/a.data" $args -- "$PROG/entries" cost "$2" "$3" 400 2>>"$TMP/err"
	fi
}

diag "instructions of one stay in the kernel"
diag "frames pages   untraced  no chains  kernel's   at once  deferred"
for depth in 8 32 100; do
	for pages in 0 1 4 16 64; do
		events='-e kmem:mm_page_alloc'
		[ "$pages" != 0 ] || events='-e raw_syscalls:sys_enter'
		[ "$pages" != 1 ] || events='-e kmem:mm_page_alloc,raw_syscalls:sys_enter,raw_syscalls:sys_exit'
		none=$(cost -- $depth $pages)
		plain=$(cost $events -- $depth $pages)
		kernel=$(cost $events -g --kernel-callchains -- $depth $pages)
		once=$(cost $events --call-graph fp,nodefer -- $depth $pages)
		later=$(cost $events --call-graph fp,defer -- $depth $pages)
		diag "$(printf '%6d %5d %10d %10d %9d %9d %9d' $depth $pages "$none" "$plain" "$kernel" "$once" "$later")"
		ok "$depth frames, $pages pages: all were measured" test "$none" -gt 0 -a "$later" -gt "$none"
	done
done
run "$PERF_LITE" verify "$TMP/a.data"
rc_is 0 "verify"
done_testing
