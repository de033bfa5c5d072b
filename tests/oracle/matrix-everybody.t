# SPDX-License-Identifier: GPL-2.0
#
# The text of script --compat=6.1 beside the installed perf's: recordings of everybody, or of a CPU.
. tests/lib.sh
need perf-6.1
. tests/oracle/matrix.sh
foreign_files=1

load="ls -R /usr/share/doc"
forks="$PROG/forks 4"
spin="$PROG/spin"

# targets
row all -e cpu-clock -a -- $load
row cpu -e cpu-clock -C 1 -g -- sh -c "$load; $spin 20"
by '-F comm,cpu,time' '-C 0' '-C 1'
row cgroup -e cpu-clock -a -G / -- $load
# perl's $0 is the name of the task
names='for my $n ("a", "two words", "(paren)", "\xc3\xa9t\xc3\xa9", "12345", "x 99", "fifteen-chars-x", "more-than-fifteen-chars",
	"a;b", "#hash", "[kernel]", "end ", " start", ":7", "perf", "kworker/0:1-x", "a/b c") {
	$0 = $n; my $e = times + 0.01; my $x; while (times < $e) { $x += $_ for 1..2000 } select undef, undef, undef, 0.001 }'
row names-all -e sched:sched_switch,cpu-clock -a -- perl -e "$names"

# events
row task-clock:k -e task-clock:k -c 100000 -a -- $load
row context-switches -e context-switches,cpu-migrations -c 1 -a -- $forks
by '-F +misc' '-F event,time'
row rare -e alignment-faults,emulation-faults,dummy,bpf-output/no-inherit=1,name=out/,cgroup-switches,cs -c 1 -a -- $load
row names -e "cs/period=1/, faults ,cpu-clock/name='a:b=x,y'/,{cpu-clock/name=in-group/,page-faults}:u" -a -- $load
by '-F comm,event' '-F +pid -G'
row numbers -e '1:2,1:0:u,software/config=3,period=1/' -a -- $load
row leader-samples -e '{cpu-clock,page-faults,cs}:S' -a -- $load
by '-F event,period,time'
row msr -e '{cpu-clock,msr/tsc/}:S' -a -- $load
row several-types -e cpu-clock,faults,sched:sched_switch -a -- $load
by '-F trace:comm,trace' '-F trace:comm,trace -F sw:ip,sym' '-F -event' '-F sw:-period'
row modifiers -e sched:sched_switch:k,raw_syscalls:sys_enter:u -a -- $load

# call graphs
row fp:k -e cpu-clock:k -g -a -- $load
row fp-terms -e cpu-clock/call-graph=fp/,faults/call-graph=no/ -a -- $load

# the file
row compressed -e cpu-clock -z -g -a -- $load
row compressed-9 -e sched:sched_switch,raw_syscalls:sys_enter -z9 -a -- $load
ties=1
row directory -e cpu-clock --threads -a -- $load
ties=
row small-buffers -e cpu-clock -m 1 -ag -F 20000 -- $load
matrix_done
