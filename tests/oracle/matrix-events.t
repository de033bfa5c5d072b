# SPDX-License-Identifier: GPL-2.0
#
# The text of script --compat beside the installed perf's (6.1 or 6.12), for events of every kind but tracepoints.
. tests/lib.sh
. tests/oracle/matrix.sh

load="ls -R /usr/share/doc"
build watched watched.c -O0 -no-pie
address()
{
	nm "$BIN/watched" | awk -v name="$1" '$3 == name { print "0x" $1 }'
}

# what the kernel counts
row cpu-clock -e cpu-clock -F 2000 -- $load
by '-F +pid' --ns '-F +misc'
row task-clock -e task-clock:u -c 200000 -- "$PROG/spin" 60
by -G '-F comm,pid,tid,time,period,event'
row page-faults -e page-faults -c 1 -- $load
by '-F -period' '-F ip,sym,symoff,dso'
row minor-faults -e minor-faults,major-faults -c 1 -d -- $load
by '-F +addr' '-F addr,sym,dso' '-F addr' '-F +addr,-dso'
row hardware -e cycles -- $load
by '-F hw:comm,ip -F sw:comm,time' '-F hw:comm'
row group -e '{cpu-clock,page-faults,cs}' -- $load
by '-F +period'

if can breakpoints; then
	row mem:rw -e "mem:$(address watched):rw" -c 1 -- "$BIN/watched"
	refused '-F +addr'
	row mem:w -e "mem:$(address watched)/8:w:u" -c 1 -d -- "$BIN/watched"
	by '-F +addr' '-F +period' '-F addr'
	row mem:x -e "mem:$(address touch):x" -c 1 -g -- "$BIN/watched"
	by -G '-F break:comm,ip,sym' '-F +pid'
else
	skip_without "breakpoints" breakpoints
fi
matrix_done
