#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# lines-recording.sh DIR - DIR/lines.data, a recording of a call chain of two frames in the function outer of inlined.c. The program is
# DIR/root/bin/prog (for --symfs), and its symbols and lines are in a file of their own, DIR/root/bin/prog.debug.
# Needs nm, readelf and objcopy. $PROG is the folder of the programs.
set -eu
cd "$1"
one() { sed -n "$1" | head -n 1; }
outer=$(nm "$PROG/inlined" | one 's/^0*\([0-9a-f]*\) t outer$/\1/p')
text=$(readelf -SW "$PROG/inlined" | one 's/.* \.text  *PROGBITS  *\([0-9a-f]*\) \([0-9a-f]*\) .*/0x\1 - 0x\2/p')
at=$((0x400000 + 0x$outer - ($text)))
cat >lines.rec <<END
host box 6.1.0 2
event cpu-clock type=software freq=99 with=chain
comm 100 prog exec
mmap 100 0x400000 0x10000 0 /bin/prog
sample cpu-clock t=1 pid=100 chain=$(printf '0x%x<0x%x' $((at + 7)) $((at + 20)))
END
"$PROG/make_recording" lines.rec .
mkdir -p root/bin
objcopy --only-keep-debug "$PROG/inlined" root/bin/prog.debug
objcopy --strip-all --add-gnu-debuglink=root/bin/prog.debug "$PROG/inlined" root/bin/prog
