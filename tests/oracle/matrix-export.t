# SPDX-License-Identifier: GPL-2.0
#
# Recordings that perf-lite writes as perf.data, read by the installed perf: its text is that of script --compat=6.1 of the
# recording, and of what was exported, byte for byte.
. tests/lib.sh
need perf-6.1
. tests/oracle/matrix.sh

load="ls -R /usr/share/doc"
build watched watched.c -O0 -no-pie
build clocks clocks.c -O0
# perf names functions of a [vdso] with a build-id only if it has put that aside once
perf record -q -e cpu-clock:u -o "$TMP/vdso.data" -- "$BIN/clocks" 30 >"$TMP/vdso.out" 2>&1
watched=$(nm "$BIN/watched" | awk '$3 == "watched" { print "0x" $1 }')

# exported NAME OPTION... -- COMMAND: perf-lite record, convert; $f: perf.data, $own: the recording
exported()
{
	row=$1 own=$TMP/$1.own f=$TMP/$1.data
	shift
	rows=$((rows + 1))
	run_ok "$row: records" "$PERF_LITE" record -q -o "$own" "$@"
	run_ok "$row: converts" "$PERF_LITE" convert --to perf.data -i "$own" -o "$f"
	by ''
	ok "$row: there are samples" test "$(wc -l <"$TMP/want")" -gt 5
}

# what perf says of the export is what script says of the recording itself
from_own()
{
	for how; do
		eval "set -- $how"
		perf_prints "$@"
		"$PERF_LITE" script -q --compat=6.1 -i "$own" "$@" >"$TMP/got" 2>"$TMP/got.err" </dev/null
		comparisons=$((comparisons + 1))
		leave_out_foreign
		is_file "$row, itself: ${how:-no options} ($(wc -l <"$TMP/want") lines)" "$TMP/got" "$TMP/want"
		perf_failed
	done
}

exported clock -e cpu-clock -F 2000 -- $load
from_own ''
by -G '-F +pid' --ns
from_own '-F +pid' --ns
exported clock-g -e cpu-clock -g -- $load
from_own ''
by -G '-F ip,sym,dso' '--max-stack 3'
from_own -G '-F ip,sym,dso'
foreign_files=1
exported clock-ag -e cpu-clock -ag -- $load
from_own ''
by '-C 0' '--comms ls' --show-task-events --show-mmap-events
foreign_files=
exported vdso -e cpu-clock:u -F 2000 -- "$BIN/clocks" 30
from_own ''
foreign_files=1
exported drops -e skb:kfree_skb -ag -- "$PROG/drops" --udp 30 --tcp 4
from_own ''
by -G '-F trace'
from_own -G '-F trace'
foreign_files=
exported sched -e 'sched:*' -a -- "$PROG/forks" 4
from_own ''
by '-F +pid'
exported syscalls -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -- $load
from_own ''
exported one-syscall -e raw_syscalls:sys_enter -a -- $load
from_own ''
foreign_files=1
exported mixed -e cpu-clock,faults,sched:sched_switch -ag -- $load
from_own ''
by -G '-F +period'
foreign_files=
exported faults -e page-faults -c 1 -d -- $load
from_own ''
by '-F +addr'
if can breakpoints; then
	exported breakpoint -e "mem:$watched:rw" -c 1 -g -- "$BIN/watched"
	from_own ''
else
	skip_without "breakpoints" breakpoints
fi
exported forks -e cpu-clock -c 100000 -g -- "$PROG/forks" 20
from_own ''
by --show-task-events
exported threads -e cpu-clock -c 50000 -g -- "$PROG/threads" 200
from_own ''
exported switches -e cpu-clock --switch-events -- $load
from_own ''
by --show-switch-events
exported mounts -e cpu-clock -g -- unshare -m sh -c "mount -t tmpfs none /mnt; cp $PROG/spin /mnt/spin; /mnt/spin 40"
exported deleted -e cpu-clock -g -- sh -c "cp $PROG/spin $BIN/gone; $BIN/gone 40; rm $BIN/gone"
# what was unwound while recording is a plain call chain to perf
exported dwarf -e cpu-clock --call-graph dwarf -F 2000 -- "$PROG/stacks" 40
by -G '--max-stack 3'
from_own --no-inline '--no-inline -F ip,sym,dso'

# written as perf.data from the first
direct()
{
	row=$1 f=$TMP/$1.data
	shift
	rows=$((rows + 1))
	run_ok "$row: records" "$PERF_LITE" record -q --format=perf -o "$f" "$@"
	by ''
	ok "$row: there are samples" test "$(wc -l <"$TMP/want")" -gt 5
}

direct direct -e cpu-clock -g -- $load
by -G '-F +pid'
foreign_files=1
direct direct-drops -e skb:kfree_skb,sched:sched_switch -ag -- "$PROG/drops" --udp 30 --tcp 4
by '-F trace'
foreign_files=
direct direct-dwarf -e cpu-clock --call-graph dwarf -- "$PROG/stacks" 40
matrix_done
