# SPDX-License-Identifier: GPL-2.0
#
# report beside perf report --stdio on the same files: the text byte for byte where perf's does not depend on where its memory
# lies; else the same rows.
#
# What is evened out: perf's tip; the plural of a leader's table of its own; the letter of addresses where nothing was mapped, which perf leaves from
# the frame before. perf makes the column of commands as wide as the last names of threads, and cuts there what they
# were called before: so the names of the load are no longer than the title, and what else runs is not asked for by name.
#
# Left out, where perf's answer is an accident or tells of the analysing machine: with children, rows by socket, cgroup and namespace,
# to which perf adds a sample once per caller; dso_size of the kernel; with --mem-mode, rows of mem, snoop, tlb, blocked,
# data_page_size, dcacheline, phys_daddr, symbol_daddr, symbol_iaddr, which perf merges otherwise; with -b, -s symbol..., on which
# perf 6.1 crashes; p_stage_cyc, which perf 6.1 ignores on x86.
. tests/lib.sh
need_root
need perf-6.1
need_tracefs

even()
{
	sed -e '/^# (Tip/d' -e '/ \[unknown\]/s/ \[k\] / [.] /' -e "s/ of events '\([^,{]*\)'/ of event '\1'/" |
		sed -e :a -e '/^[#\n]*$/{$d;N;ba' -e '}'
}

# ask FILE OPTION...: both answers, in $TMP/want and $TMP/got
ask()
{
	ask_file=$1
	shift
	perf report --stdio -i "$ask_file" "$@" 2>"$TMP/want.err" | even >"$TMP/want"
	"$PERF_LITE" report -j2 --compat 6.1 -i "$ask_file" "$@" 2>"$TMP/got.err" | even >"$TMP/got"
}

# same FILE OPTION...: the same bytes
same()
{
	ask "$@"
	rows=$(grep -c '^ *[0-9]' "$TMP/want")
	shift
	is_file "$name: ${*:-no options} ($rows rows)" "$TMP/got" "$TMP/want"
	ok "$name: ${*:-no options}: there are rows" test "$rows" -gt 0
}

# same_lines FILE OPTION...: the same lines, in any order: what weighs the same is in the order of addresses in perf's memory.
# Which of a node's branches is the last is told by a bar that is not there.
same_lines()
{
	ask "$@"
	shift
	for side in want got; do
		sed 's/|/ /g; s/  *$//' "$TMP/$side" | LC_ALL=C sort >"$TMP/$side.lines"
	done
	is_file "$name: ${*:-no options}: lines ($(wc -l <"$TMP/want"))" "$TMP/got.lines" "$TMP/want.lines"
	ok "$name: ${*:-no options}: there are rows" grep -q '^ *[0-9]' "$TMP/want"
}

# rows_only: without call graphs, and in one order
rows_only()
{
	grep -E '^( +[0-9]+(\.[0-9]+%)? |#)' "$1" | sed 's/   */  /g; s/  *$//; s/\.\.\.*/./g' | LC_ALL=C sort >"$1.rows"
}

# same_text FILE OPTION...: the same bytes, of no table
same_text()
{
	ask "$@"
	shift
	is_file "$name: $*" "$TMP/got" "$TMP/want"
}

# same_rows FILE OPTION...: the same rows, those of one weight in any order
same_rows()
{
	ask "$@"
	shift
	rows_only "$TMP/want"
	rows_only "$TMP/got"
	is_file "$name: ${*:-no options}: rows ($(grep -c '^ ' "$TMP/want.rows"))" "$TMP/got.rows" "$TMP/want.rows"
	ok "$name: ${*:-no options}: there are rows" grep -q '^ ' "$TMP/want.rows"
}

# recorded NAME OPTION... -- COMMAND: $TMP/NAME.data, by perf
recorded()
{
	name=$1 f=$TMP/$1.data
	shift
	# perf 6.1 sometimes dies of what others run, such as a BPF program that is gone
	for try in 1 2 3 4; do
		perf record -q -o "$f" "$@" >"$TMP/record.out" 2>&1
		report_rc=0
		perf report --stdio -i "$f" >/dev/null 2>&1 || report_rc=$?
		[ $report_rc -ge 128 ] || break
		diag "$name: perf report died: $report_rc, try $try"
	done
	ok "$name: perf recorded samples" test "$(perf script -i "$f" 2>/dev/null | wc -l)" -gt 5
}

cat >"$TMP/load" <<'SH'
ls -laR /usr/share/doc >/dev/null
sort /etc/services /etc/services | md5sum >/dev/null
ls -laR /usr/share/doc | sort | tail -1 >/dev/null
SH

# On the CPU that is asked for below.
recorded clock-a -F 999 -e cpu-clock -g -a -- taskset -c 0 sh "$TMP/load"
# What else runs may hold stubs of procedure linkage tables, which perf does not name in every file. Without the command as
# a key, perf hides a row if the first of its samples is filtered.
own='-c ls,sort,md5sum,sh,tail,swapper'
# shellcheck disable=SC2086
same_rows "$f" $own -g none -s comm,dso,sym
# shellcheck disable=SC2086
same_rows "$f" $own -g callee -s comm,dso,sym -n
for options in '-s pid' '-s cpu' '-s time,cpu' '-s pid,cpu,dso -n' "$own -C 0 -s comm,dso,sym" "$own -s comm,pid,dso,sym"; do
	# shellcheck disable=SC2086
	same_rows "$f" -g none --no-children $options
done
recorded clock -F 1500 -e cpu-clock -g -- sh "$TMP/load"
for options in '' '-n' '-g none' '-g none -s dso,sym'; do
	# shellcheck disable=SC2086
	same_rows "$f" $options
done
# a function of the kernel that has samples
busy=$(perf report --stdio -g none --no-children -s sym -i "$f" 2>/dev/null | awk '$2 == "[k]" && $3 ~ /^[a-z_0-9]+$/ { print $3; exit }')
for options in '' '-s comm' '-s dso' '-s sym,dso --show-total-period' '-s dso,sym,comm' '-F overhead,sample,period,comm,dso,sym' \
	'-F sample,comm' '-F overhead,comm -s dso' '-c ls' '-c ls,sort -n' '-d [kernel.kallsyms]' '-d libc.so.6 -s comm,sym' \
	'--time 10%-60%' '--time 20%/2 -s comm' '--percent-limit 1' '--percent-limit 3.5 -n' '--percentage relative -c ls' \
	'--percentage relative -d libc.so.6 -s sym,dso' "-S $busy -s comm,dso,sym" '-U' "-S strcmp,$busy -n"; do
	# shellcheck disable=SC2086
	same_rows "$f" -g none --no-children $options
done

# one thread: the graphs, too. perf orders addresses by their differences as signed numbers, which is no order where a stack's
# garbage lies far apart: it may have the row of an address twice. Then another recording is asked.
for try in 1 2 3 4 5 6 7 8; do
	perf record -q -o "$TMP/one-g.data" -F 2000 -e cpu-clock -g -- ls -laR /usr/share/doc >"$TMP/record.out" 2>&1
	[ -n "$(perf report --stdio -g none -s sym -i "$TMP/one-g.data" 2>/dev/null |
		sed -n 's/.*\[.\] \([0-9][0-9a-fx]*\).*/\1/p' | sort | uniq -d)" ] || break
done
name=one-g f=$TMP/one-g.data
ok "$name: perf recorded samples, and tells their addresses apart (try $try)" test "$(perf script -i "$f" 2>/dev/null | wc -l)" -gt 5
for options in '' '-g none' '-g none --no-children' '--no-children' '-n' '-s sym,dso' '-s dso,sym -g folded' '-g caller --no-children' \
	'-s dso' '-s comm' '-s pid,dso,sym --show-total-period' '-F overhead,overhead_children,dso,sym,sample' \
	'-g none -s comm,dso,sym --percent-limit 2' '-c ls' '-d libc.so.6 -g none --no-children' '--time 0%-50% -s sym,dso -g none' \
	'-F overhead,comm,dso' '-t, -s comm,dso' '-t, -w 4,5 -s comm,dso -g none'; do
	# shellcheck disable=SC2086
	same_lines "$f" $options
done
for options in '--hierarchy' '--hierarchy -s dso,sym -n' '-p ^vfs_ -s dso,sym -g none' '-p getdents -s parent -n' \
	'-p getdents -x -s comm,dso --no-children' '-F period,comm -p ^vfs_ -g none --no-children' '-p ^vfs_ -x --percentage relative -s comm --no-children -g none' '-U -s dso,sym' \
	'-U -s sym -g folded --no-children' '-g graph,0.5,caller -s sym,dso --percent-limit 12' \
	'--percent-limit 12 -s sym,dso -g graph,0.5,caller'; do
	# shellcheck disable=SC2086
	same_lines "$f" $options
done
# and the order
recorded one -F 3000 -e cpu-clock -- ls -laR /usr/share/doc
for options in '' '-s dso' '-s sym,dso -n' '-s time' '-s symbol' '-s symbol_size' '-s sym,symbol_size,socket' '-s comm,cgroup' \
	'-s comm,overhead_us' '-s comm,dso --show-cpu-utilization -n' \
	'--show-cpu-utilization --hierarchy -s comm,dso' '-s overhead_guest_sys,comm,overhead_guest_us' '--hierarchy' '--hierarchy -s pid,sym -n' '--hierarchy --percent-limit 3' '-F period,sample,comm,dso,sym' '-q' \
	'-t, -n' '-t: -s sym,dso --show-total-period' '-tm -s comm,dso' '-t; --hierarchy -n' '-w 5,10,8 -s comm,dso' '-w 9,20,30 -s comm,dso,sym -c ls' '-w 0,5 -s sym,dso' '-s comm -c ls' \
	'-w 20,20,20 --hierarchy -s comm,dso' '-F +period' '-s comm,time,cpu -F +period' '-F period -s time,dso' \
	'-F sample,dso,comm -s dso,sym' '-F overhead,dso -s cpu,sym' '-w 30,2 -n' '-w 9,3 -s pid,dso' '-w 9,7,5 -s pid,sym' '-w 9,8 -s pid' \
	'-t, -w 0,3 -n' '--percentage relative -d libc.so.6 -s sym,dso'; do
	# shellcheck disable=SC2086
	same "$f" $options
done
# addresses without a name that weigh the same have no order of perf's
for options in '-s overhead_sys,sym' '-F overhead_us,sym,overhead_sys'; do
	# shellcheck disable=SC2086
	same_lines "$f" $options
done
same_text "$f" -s comm -c nobody
# perf makes the kernel's mapping end where the last symbol does that it knows now
ask "$f" -s dso,dso_size
sed -i '/kernel/d' "$TMP/want" "$TMP/got"
is_file "$name: -s dso,dso_size" "$TMP/got" "$TMP/want"
# With the callers perf adds a sample to the row of a socket, a group or a namespace once for each of them.
recorded namespaces -F 2000 -e cpu-clock -g --namespaces --all-cgroups -- sh -c 'ls -laR /usr/share/doc; unshare -C ls -laR /usr/share/doc'
for options in '-s cgroup' '-s comm,cgroup' '-s cgroup_id,comm' '-s comm,cgroup_id' '-s socket,comm' '-s symbol_size,sym'; do
	# shellcheck disable=SC2086
	same "$f" --no-children -g none $options
done
recorded dwarf -F 400 -e cpu-clock --call-graph dwarf,8192 -- "$PROG/spin" 200
same "$f" --no-children -g none
same_rows "$f" --no-children

# tracepoints and their fields
recorded switches -e sched:sched_switch -a -- sh "$TMP/load"
same_rows "$f" -s dso,sym
same_rows "$f" -s prev_comm,next_prio
if can first-pids; then
	same_rows "$f" -s pid,prev_pid,next_pid -n
else
	skip_without "numbers of processes" first-pids # of others there is none: perf prints -1 where we have 0
fi
same_rows "$f" -s prev_prio
same_rows "$f" -s prev_state
same_rows "$f" -s trace
same_rows "$f" -s cpu,prev_comm
recorded drops -e skb:kfree_skb -- "$PROG/drops" --udp 20 --tcp 10
same_rows "$f" -s location,protocol
recorded exits -e sched:sched_process_exit -e sched:sched_process_fork -e sched:sched_process_exec -- sh -c \
	'for i in 1 2 3 4 5 6 7 8; do /bin/true; done'
same_rows "$f"
same_rows "$f" -s comm
same_rows "$f" -s child_comm,prio
same_rows "$f" -s filename
same_text "$f" --stats

# several events, a group, one without samples
recorded two -F 1000 -e cpu-clock,task-clock,alignment-faults,page-faults -- ls -laR /usr/share/doc
same_rows "$f" -s comm,dso,sym
same_rows "$f" -s dso -n
recorded group -F 1000 -e '{cpu-clock,task-clock}' -- ls -laR /usr/share/doc
same_rows "$f" -s dso,sym --no-group
for options in '' '-s dso' '-n -s comm,dso' '-F overhead,sample,sym' '--group-sort-idx 1 -s sym' '--hierarchy -s dso,sym' '-t, -n -s dso' '-w 4,6 -s dso -n' \
	'--percent-limit 2' '-c ls -s sym'; do
	# shellcheck disable=SC2086
	same "$f" $options
done
same_text "$f" --stats
ask "$f" --tasks
LC_ALL=C sort "$TMP/want" >"$TMP/want.rows"
LC_ALL=C sort "$TMP/got" >"$TMP/got.rows"
ok "$name: --tasks: perf's threads, in their places" \
	test -z "$(LC_ALL=C comm -23 "$TMP/want.rows" "$TMP/got.rows")"

for options in '-s dso --show-cpu-utilization -n' '--hierarchy -s comm,dso --show-cpu-utilization' '-s comm,overhead_us' \
	'-s sym,symbol_size'; do
	# shellcheck disable=SC2086
	same "$f" $options
done
recorded group-g -F 1000 -e cpu-clock,page-faults -g -- ls -laR /usr/share/doc
for options in '--group' '--group --no-children' '--group --hierarchy -s dso,sym'; do
	# shellcheck disable=SC2086
	same_lines "$f" $options
done

# Branches, and accesses to memory, of a file made by hand: perf counts chunks that were lost for nothing, and adds sums of
# the kinds of branches
rare=$TMP/rare.data
away=$(mktemp -d /var/tmp/report-away.XXXXXX)
at_exit rm -rf "$away"
cp "$PROG/spin" "$away/program"
run_ok "a file of rare records" "$O/tests/oracle/rare_records" "$rare" "$away/program"
name=rare
for options in '-s socket,comm' '-s weight' '-s weight,local_weight' '-s ins_lat,local_ins_lat -n' '-s transaction' \
	'-s transaction,cpu,comm' '-s cgroup_id,comm' '-s dso_size,dso' '-s symbol' '-s sym,symbol_size,dso_size' \
	'-s comm,sym --show-cpu-utilization -n' '-F overhead_us,dso,weight'; do
	# shellcheck disable=SC2086
	ask "$rare" --no-branch-stack $options
	for side in want got; do
		sed -i -e '/^# Total Lost/d' -e '/^#$/d' -e '/^$/d' "$TMP/$side"
	done
	is_file "$name: $options ($(wc -l <"$TMP/want"))" "$TMP/got" "$TMP/want"
	ok "$name: $options: there are rows" grep -q '^ *[0-9]' "$TMP/want"
done
for options in '-b -s dso_from,dso_to' '-b -s dso_to,cycles -n' '-b -s dso_from' '--mem-mode -s local_weight,local_ins_lat' \
	'--mem-mode -s locked' '--mem-mode -s comm,local_weight -n'; do
	# shellcheck disable=SC2086
	ask "$rare" $options
	for side in want got; do
		sed -i -e '/^# Total Lost/d' -e '/^#$/d' -e '/^$/d' -e '/^# Branch Statistics/,$d' "$TMP/$side"
		LC_ALL=C sort -o "$TMP/$side" "$TMP/$side"
	done
	is_file "$name: $options" "$TMP/got" "$TMP/want"
	ok "$name: $options: there are rows" grep -q '^ *[0-9]' "$TMP/want"
done

# Ends of branches. perf cuts functions short where the column is narrow, takes the letter before them from the sample, and has
# other words for where there is no line.
for key in addr_from addr_to srcline_from srcline_to; do
	perf report --stdio -b -w 0,60 -s $key -i "$rare" >"$TMP/want.all" 2>"$TMP/want.err"
	"$PERF_LITE" report --compat 6.1 -b -w 0,60 -s $key -i "$rare" >"$TMP/got.all" 2>"$TMP/got.err"
	for side in want got; do
		sed -n 's/^ *[0-9.]*%  \(\[.\] \)*//p' "$TMP/$side.all" | sed 's/ *$//' | LC_ALL=C sort -u >"$TMP/$side"
		case $key in
		srcline_*) sed -i '/\.c:[1-9]/!d' "$TMP/$side" ;;
		esac
	done
	is_file "$name: $key: the same places ($(wc -l <"$TMP/want"))" "$TMP/got" "$TMP/want"
	ok "$name: $key: there are some" test -s "$TMP/want"
done

# Where accesses went. perf looks addresses of data up only where the sampled instruction is a program's, and tells no offset
# in functions.
recorded data -e page-faults -c 1 -d -- ls -laR /usr/share/doc
perf report --stdio --mem-mode -s symbol_daddr -i "$f" >"$TMP/want.all" 2>"$TMP/want.err"
"$PERF_LITE" report --compat 6.1 --mem-mode -s symbol_daddr -i "$f" >"$TMP/got.all" 2>"$TMP/got.err"
sed -n 's/^ *[0-9.]*%  \[\.\] \([^ ]*+0x[0-9a-f]*\) .*/\1/p' "$TMP/want.all" | LC_ALL=C sort -u >"$TMP/want"
sed -n 's/^ *[0-9.]*%  \[\.\] \([^ ]*+0x[0-9a-f]*\) .*/\1/p' "$TMP/got.all" | LC_ALL=C sort -u >"$TMP/got"
ok "$name: symbol_daddr: there are variables ($(wc -l <"$TMP/want"))" test -s "$TMP/want"
is "$name: symbol_daddr: each of them at its offset" "$(LC_ALL=C comm -23 "$TMP/want" "$TMP/got")" ""
same_lines "$f" --mem-mode -s mem,tlb,locked,blocked,local_weight -n

# a recording of ours, written for perf
name=own
"$PERF_LITE" record -q -o "$TMP/own" -F 1500 -e cpu-clock -g -- ls -laR /usr/share/doc >/dev/null 2>&1
"$PERF_LITE" convert -i "$TMP/own" -o "$TMP/own.data" --to perf.data >"$TMP/convert.out" 2>&1 || diag_file "$TMP/convert.out"
ok "ours as perf.data" test -s "$TMP/own.data"
same_rows "$TMP/own.data" -g none --no-children -s comm,dso,sym -n
"$PERF_LITE" report --compat 6.1 -q -g none --no-children -s comm,dso,sym -n -i "$TMP/own" >"$TMP/before"
"$PERF_LITE" report --compat 6.1 -q -g none --no-children -s comm,dso,sym -n -i "$TMP/own.data" >"$TMP/after"
is_file "and read by us before and after" "$TMP/after" "$TMP/before"
done_testing
