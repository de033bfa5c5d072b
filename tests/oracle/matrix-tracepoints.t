# SPDX-License-Identifier: GPL-2.0
#
# The text of script --compat=6.1 beside the installed perf's, for tracepoints and probes.
. tests/lib.sh
need perf-6.1
. tests/oracle/matrix.sh
foreign_files=1

load="ls -R /usr/share/doc"
forks="$PROG/forks 4"
drops="$PROG/drops --udp 20 --tcp 4"
build watched watched.c -O0 -no-pie

# tracepoints: as many print formats as can be had quickly
row sched -e 'sched:*' -a -- $forks
by '-F trace' '-F +pid' --ns
row raw_syscalls -e 'raw_syscalls:*' -- $load
by '-F comm,trace' '-F -comm,-tid,-cpu'
row syscalls -e 'syscalls:sys_enter_*open*,syscalls:sys_*_r*,syscalls:sys_*_w*,syscalls:sys_*_m*' -- $load
row kmem -e kmem:kmalloc,kmem:kfree,kmem:kmem_cache_alloc,kmem:mm_page_alloc,kmem:mm_page_free,kmem:rss_stat -a -- $load
row timer -e timer:hrtimer_start,timer:hrtimer_expire_entry,timer:tick_stop,timer:timer_expire_entry -a -- \
	sh -c 'for i in 1 2 3 4 5; do sleep 0.02; done'
row irq -e 'irq:*' -a -- $load
row mm -e 'exceptions:*,tlb:*,mmap:*,mmap_lock:*,filemap:*,vmalloc:*,percpu:*' -a -- $forks
row fs -e 'ext4:ext4_da_write_begin,ext4:ext4_mark_inode_dirty,ext4:ext4_sync_file_enter,block:block_rq_issue,block:block_rq_complete,writeback:*' \
	-a -- sh -c "$load >$BIN/out; sync $BIN/out"
row net -e 'net:*,skb:*,sock:*,tcp:*,udp:*' -a -- $drops
by '-F trace'
row small -e 'signal:*,task:*,rcu:*,rseq:*,cgroup:*,csd:*,napi:*' -a -- $forks
row filter -e raw_syscalls:sys_enter --filter 'id == 39 || id == 257' -- $load
row tracepoint-addr -e sched:sched_switch -d -- "$PROG/threads" 20
by '-F +addr'
row tracepoint-g -e sched:sched_switch,skb:kfree_skb -ag -- $drops
by -G '-F +pid' '-F -trace' '-F +period' '-F comm,tid,time,event,ip,sym' '-F trace:ip,sym' '--max-stack 2'
cut_short=20
row tracepoint-dwarf -e syscalls:sys_enter_openat,syscalls:sys_exit_newfstatat --call-graph dwarf -- ls -R /usr/share/doc
by -G
cut_short=

# probes of user programs, which perf makes and puts away
probes="matrix_$$"
at_exit perf probe -q -d "$probes:*" '2>/dev/null'
if perf probe -q -x "$BIN/watched" "$probes:touch=touch" >"$TMP/probe.out" 2>&1 &&
	perf probe -q -x "$BIN/watched" "$probes:touched=touch%return" >>"$TMP/probe.out" 2>&1; then
	row uprobes -e "$probes:*" -- "$BIN/watched"
	row uprobes-g -e "$probes:*" -g -- "$BIN/watched"
	by -G '-F trace' '-F +pid'
else
	fail "perf probe makes probes"
	diag_file "$TMP/probe.out"
fi
matrix_done
