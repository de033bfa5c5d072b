# SPDX-License-Identifier: GPL-2.0
#
# The text of script --compat beside the installed perf's (6.1 or 6.12): what is watched, and what it does.
. tests/lib.sh
. tests/oracle/matrix.sh

spin="$PROG/spin"

# targets
background "$spin" 600000
row pid -e cpu-clock -g -p $pid -- sleep 0.05
row tid -e cpu-clock -c 100000 -g -t $pid -- sleep 0.05
row per-thread -e cpu-clock --per-thread -g -- "$PROG/threads" 200
refused '-F comm,pid,tid,time'
row no-inherit -e cpu-clock -i -- "$spin" 40

# tasks
row forks -e cpu-clock -c 100000 -g -- "$PROG/forks" 20
by '-c forks' '-F comm,pid,tid' --show-task-events
row execs -e cpu-clock,sched:sched_process_exec,sched:sched_process_fork -g -- sh -c 'for i in 1 2 3 4; do ls / | wc -l; done'
by '--show-task-events --show-mmap-events'
# perl's $0 is the name of the task
names='for my $n ("a", "two words", "(paren)", "\xc3\xa9t\xc3\xa9", "12345", "x 99", "fifteen-chars-x", "more-than-fifteen-chars",
	"a;b", "#hash", "[kernel]", "end ", " start", ":7", "perf", "kworker/0:1-x", "a/b c") {
	$0 = $n; my $e = times + 0.01; my $x; while (times < $e) { $x += $_ for 1..2000 } select undef, undef, undef, 0.001 }'
row names -e cpu-clock -c 200000 -g -- perl -e "$names"
by -G '-c a' "-c 'two words'" '-F comm' "--comms '12345,(paren)'"
row deleted -e cpu-clock -g -- sh -c "cp $spin $BIN/gone; $BIN/gone 40; rm $BIN/gone"
row mounts -e cpu-clock -g -- unshare -m sh -c "mount -t tmpfs none /mnt; cp $spin /mnt/spin; /mnt/spin 40"
row pid-namespace -e cpu-clock -g --namespaces -- unshare -p -f --mount-proc "$spin" 40
row other-user -e cpu-clock -g -- setpriv --reuid 65534 --clear-groups "$spin" 40
matrix_done
