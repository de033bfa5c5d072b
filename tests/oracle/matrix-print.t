# SPDX-License-Identifier: GPL-2.0
#
# The text of script --compat=6.1 beside the installed perf's: fields and switches.
. tests/lib.sh
need perf-6.1
. tests/oracle/matrix.sh
foreign_files=1

row mixed -e cpu-clock,faults,sched:sched_switch -F 500 -ag -- sh -c "ls -R /usr/share/doc; $PROG/spin 20"
# fields
by '-F comm,tid,pid,time,cpu,event,trace,ip,sym,dso,symoff,period' '-F -comm' '-F -tid' '-F +pid,-tid' '-F +ip' '-F -dso' \
	'-F -symoff' '-F -ip' '-F +misc,+pid' '-F sym' '-F dso' '-F ip,dso' '-F trace:ip' '-F trace:sym' '-F pid -F comm' \
	'-F comm,comm' '-F event,comm' '-F comm,' '-F +bpf-output' '-F +synth' '-F +brstack' '-F brstack' '-F sw:+addr' '-F trace:+addr' \
	'-F trace:+pid -F sw:-comm' '-F sw:comm,tid -F +pid' '-F raw:comm' '-F break:comm' '-F synth:comm' "-F 'sw: '" '-F trace:trace' \
	'-F sw:comm,ip' '-F sw:comm,ip -F trace:-trace' '-F trace:comm,trace -F comm,time' '-F comm,cpu,event'
refused '-F +addr' '-F +phys_addr' '-F +iregs' '-F +tod' '-F comm,foo' '-F +comm,tid' '-F comm,-tid' '-F xx:comm' "-F ''" \
	'-F hw:trace' '-F sw:trace'
both_refuse '-F symoff' '-F ip,symoff' '-F srcline' '-F insn,foo' '--reltime --deltatime' '-C abc' \
	'--time 5,1' --nosuch
# times
by --ns --reltime --deltatime '--reltime --ns' '--deltatime --ns' '--ns -G' '--time 10%/1' '--time 10%/2' '--time 0%-50%' \
	'--time 10%/1,10%/3' '--time 1,2' '--time ,' \
	'--reltime --time 0.01,0.03'
# columns
by -G -L '-L -G'
# which samples
by '-S do_syscall_64' '-S main,schedule' '--dsos libc.so.6' '--dsos /usr/bin/ls' '--dsos [kernel.kallsyms]' '-c nosuch' '--pid 99999' '--tid 0,1' \
	'-C 0,1' '-C 0' '-c ls,swapper' '--pid 0'
# how much of the stacks
by '--stop-bt main' '--stop-bt do_syscall_64,asm_exc_page_fault' '--max-stack 5 -G' '--max-stack 0' '--max-stack 1'
# names
by --inline --no-inline --no-demangle --demangle
# perf has no names in the vdso below another root: perf-lite reads its own
without '\(\[vdso\]\)$' '--symfs /nonexistent --comms ls' '--symfs /nonexistent --kallsyms /proc/kallsyms --comms ls'
# what is no sample
by --show-task-events --show-mmap-events --show-switch-events --show-lost-events --show-namespace-events --show-cgroup-events \
	'--show-task-events --show-mmap-events -F +pid' '--show-task-events -F comm,pid' '--show-mmap-events --no-itrace' '--show-mmap-events -G'
matrix_done
