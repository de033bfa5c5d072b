#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The one-liners of bpftrace's tutorial and what docs/questions.md has for each: both look at the same load at the same
# time, and have the same numbers. (Those that need kprobes: tests/vm/guest/kernel-functions.sh.)
. tests/lib.sh
need_root
need first-pids
need_event sched:sched_switch
need_event syscalls:sys_exit_read
need bpf bpftrace
need_cmd jq

load=one-$$
cp "$PROG/waits" "$TMP/$load"
cat >"$TMP/load.sh" <<END
ln -s /bin/cat $TMP/cat-$$
head -c 70000 /dev/zero >$TMP/zeros
for file in $TMP/zeros /etc/hostname /etc/passwd; do $TMP/cat-$$ \$file; done >/dev/null
$TMP/$load sleeps 20 1 >/dev/null
END

# both BPFTRACE PERF-LITE-ARG...: the program and the command, of which the page has a line; $TMP/theirs, $TMP/out
both()
{
	program=$1
	shift
	run_ok "both run: perf-lite $*" "$PERF_LITE" "$@" -- bpftrace -o "$TMP/theirs" -e "$program" -c "/bin/sh $TMP/load.sh"
	rm -f "$TMP/cat-$$"
}

# row BPFTRACE PERF-LITE: is in the table of the page
row()
{
	ok "the page has: $2" grep -qF "| \`$1\` | \`$2\` |" docs/questions.md
}

# "KEY N" of a map of bpftrace, of the lines with that in their key
map_of()
{
	sed -n 's/^@[a-z]*\[\(.*\)\]: \([0-9]*\)$/\1 \2/p' "$TMP/theirs" | grep -- "$1" | sort
}

# "FROM N" of a histogram of bpftrace
hist_of()
{
	awk -F '|' '/^\[/ {
		n = split($1, word, /[][(), ]+/)
		from = word[2]
		at = index("KMG", substr(from, length(from)))
		from += 0
		while (at-- > 0)
			from *= 1024
		if (word[n] == "") n--
		if (word[n]) print from, word[n]
	}' "$TMP/theirs"
}

same()
{
	ok "$1: there are some" test -s "$TMP/want"
	is_file "$1: the same" "$TMP/got" "$TMP/want"
}

row 'tracepoint:syscalls:sys_enter_*' "perf-lite list 'syscalls:sys_enter_*'"
"$PERF_LITE" list 'syscalls:sys_enter_*' | grep '^syscalls:' | sort >"$TMP/got"
bpftrace -l 'tracepoint:syscalls:sys_enter_*' | sed 's/^tracepoint://' | sort >"$TMP/want"
same "a list of tracepoints"

row 'tracepoint:syscalls:sys_enter_openat { printf("%s %s\n", comm, str(args->filename)); }' 'perf-lite trace -e openat'
both "tracepoint:syscalls:sys_enter_openat /comm == \"cat-$$\"/ { printf(\"%s %s\\n\", comm, str(args->filename)); }" \
	trace -a --comm "cat-$$" -e openat
sed -n 's/.* filename: "\([^"]*\)".*/\1/p' "$TMP/out" >"$TMP/got"
sed -n 's/^cat-[0-9]* //p' "$TMP/theirs" >"$TMP/want"
same "files that are opened"

row 'tracepoint:raw_syscalls:sys_enter { @[comm] = count(); }' 'perf-lite count -e raw_syscalls:sys_enter --by comm'
both 'tracepoint:raw_syscalls:sys_enter { @[comm] = count(); }' count --json -a -e raw_syscalls:sys_enter --by comm
jq -r ".rows[] | select(.comm | test(\"-$$\$\")) | \"\\(.comm) \\(.count)\"" "$TMP/out" | sort >"$TMP/got"
map_of "-$$" >"$TMP/want"
same "system calls of each program"

row 'tracepoint:syscalls:sys_exit_read /pid == 18644/ { @bytes = hist(args->ret); }' \
	'perf-lite count -e syscalls:sys_exit_read -p 18644 --of ret --hist'
both "tracepoint:syscalls:sys_exit_read /comm == \"cat-$$\"/ { @bytes = hist(args->ret); }" \
	count --json -a -e syscalls:sys_exit_read --filter "comm == \"cat-$$\"" --of ret --hist
jq -r '.total.histogram[] | select(.count > 0) | "\(.from) \(.count)"' "$TMP/out" >"$TMP/got"
hist_of >"$TMP/want"
same "bytes that were read"

row 'tracepoint:sched:sched* { @[probe] = count(); }' "perf-lite count -e 'sched:sched*' --by event"
both "tracepoint:sched:sched_process_e* /comm == \"cat-$$\"/ { @[probe] = count(); }" \
	count --json -a -e 'sched:sched_process_e*' --filter "comm == \"cat-$$\"" --by event
jq -r '.rows[] | "tracepoint:\(.event) \(.count)"' "$TMP/out" | sort >"$TMP/got"
map_of tracepoint >"$TMP/want"
same "what processes do"

# the function itself in guests, the steps here
row 'kretprobe:vfs_read { @bytes = lhist(retval, 0, 2000, 200); }' \
	"perf-lite count -e 'kretprobe:vfs_read(retval)' --of retval --hist=linear:0:2000:200"
both "tracepoint:syscalls:sys_exit_read /comm == \"cat-$$\"/ { @bytes = lhist(args->ret, 0, 2000, 200); }" \
	count --json -a -e syscalls:sys_exit_read --filter "comm == \"cat-$$\"" --of ret --hist=linear:0:2000:200
jq -r '.total.histogram[] | select(.count > 0) | "\(.from) \(.count)"' "$TMP/out" >"$TMP/got"
hist_of >"$TMP/want"
same "bytes that were read, in steps"
# in guests
row 'kprobe:vfs_open { printf("%s\n", str(((struct path *)arg0)->dentry->d_name.name)); }' \
	"perf-lite trace -e 'kprobe:vfs_open(str(path->dentry->d_name.name))'"

row 'profile:hz:99 { @[kstack] = count(); }' 'perf-lite count -e cpu-clock -F 99 --by kstack'
both 'profile:hz:99 { @[kstack] = count(); }' count --json -a -e cpu-clock -F 99 --by kstack
ok "both have samples" sh -c "grep -q '^\\]: [0-9]' '$TMP/theirs' && jq -e '.samples > 0' '$TMP/out' >/dev/null"

row 'tracepoint:sched:sched_switch { @[kstack] = count(); }' 'perf-lite count -e sched:sched_switch --by kstack'
both "tracepoint:sched:sched_switch /comm == \"$load\" && args->prev_state == 1/ { @[kstack] = count(); }" \
	count --json -a -e sched:sched_switch --filter "comm == \"$load\" && prev_state == 1" --by kstack
jq .total.count "$TMP/out" >"$TMP/got"
awk '/^\]: / { n += $2 } END { print n }' "$TMP/theirs" >"$TMP/want"
same "sleeps"
ok "all of them in nanosleep()" sh -c "jq -e '.rows | map(.kstack | tostring | test(\"nanosleep\")) | any' '$TMP/out' >/dev/null && grep -q nanosleep '$TMP/theirs'"

row 'tracepoint:block:block_rq_issue { @ = hist(args->bytes); }' 'perf-lite count -e block:block_rq_issue --of bytes --hist'
dd if=/dev/zero of="$TMP/disk" bs=64k count=16 2>/dev/null
if disk=$(losetup --find --show "$TMP/disk" 2>"$TMP/err"); then
	at_exit "losetup -d $disk"
	IFS=: read -r major minor <"/sys/block/${disk#/dev/}/dev"
	dev=$((major << 20 | minor))
	echo "exec dd if=$disk of=/dev/null bs=32k iflag=direct status=none" >"$TMP/load.sh"
	both "tracepoint:block:block_rq_issue /args->dev == $dev/ { @ = hist(args->bytes); }" \
		count --json -a -e block:block_rq_issue --filter "dev == $dev" --of bytes --hist
	jq -r '.total.histogram[] | select(.count > 0) | "\(.from) \(.count)"' "$TMP/out" >"$TMP/got"
	hist_of >"$TMP/want"
	same "sizes of requests"
else
	skip_outside "sizes of requests" "a loop device: $(head -n 1 "$TMP/err")"
fi
done_testing
