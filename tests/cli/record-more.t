# SPDX-License-Identifier: GPL-2.0
#
# What samples carry only if it is asked for: registers, pages, control groups, namespaces; and targets by user.
. tests/lib.sh
need_root
. tests/cli/recording.sh

record() { "$PERF_LITE" record -q -o "$f" "$@"; }
text() { "$PERF_LITE" script -q -i "$f" "$@"; }

# Registers

run_ok "-I" record -I -e page-faults -c 1 -- true
text -F iregs >"$TMP/out"
like "all that the machine has" "$TMP/out" '^ ABI:2 +[A-Z0-9]+:0x[0-9a-f]+ .*:0x[0-9a-f]+ .*:0x'
unlike "of every sample" "$TMP/out" '^ *$'
names=$("$PERF_LITE" record '--intr-regs=?' true 2>&1 | sed -n 's/^hint: there are //p')
ok "--intr-regs=? names them" test "$(echo "$names" | tr , '\n' | wc -l)" -gt 10
two=$(echo "$names" | cut -d, -f1,8 | tr '[:upper:]' '[:lower:]')
run_ok "those that are named" record "-I$two" "--user-regs=${two#*,}" -e page-faults -c 1 -- true
text -F iregs,uregs >"$TMP/out"
is "two of the moment, one of the user" "$(tr ' ' '\n' <"$TMP/out" | grep -c ':0x')" "$(($(wc -l <"$TMP/out") * 3))"
run record --user-regs=nosuch true
rc_is 1 "a register that there is not"
like "is said" "$TMP/err" "^perf-lite: --user-regs: unknown register 'nosuch'"
run record --user-regs -e page-faults --call-graph dwarf true
rc_is 1 "--user-regs of stacks that are unwound"
like "needs --keep-stacks" "$TMP/err" "^hint: add --keep-stacks"
run_ok "with --keep-stacks" record --user-regs -e page-faults --call-graph dwarf --keep-stacks -- true
like "they are there" /dev/stdin ':0x' <<EOT
$(text -F uregs | head -n 3)
EOT

# Addresses and pages. Only the kernel knows physical ones, so it is asked for the page that they are in.

run_ok "of data and code" record -d --phys-data --data-page-size --code-page-size -e page-faults -c 1 -- "$PROG/faults" 50
text -F addr,phys_addr,data_page_size,code_page_size >"$TMP/pages"
like "each has its place" "$TMP/pages" '^ +[0-9a-f]+ +[0-9a-f]+ (N/A|[0-9]+[KMG]) (N/A|[0-9]+[KMG])$'
like "sizes of pages" "$TMP/pages" ' [0-9]+[KMG]$'
run_ok "into perf.data" "$PERF_LITE" convert --to perf.data -f -i "$f" -o "$TMP/perf.data"
"$PERF_LITE" script -q -i "$TMP/perf.data" -F addr,phys_addr,data_page_size,code_page_size >"$TMP/there"
is_file "with the same" "$TMP/there" "$TMP/pages"

# Control groups: one of the kernel's own names, made for this test

cgroup2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
group=perf-lite-more-$$
if can cgroups; then
	mkdir "$cgroup2/$group"
	at_exit rmdir "$cgroup2/$group/inner" "$cgroup2/$group"
	mkdir "$cgroup2/$group/inner"
	cat >"$TMP/both" <<-'END'
		within() { sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group$1" "$STORM" "$2" >/dev/null; }
		group=$1
		within '' 30
		within /inner 20
		mkdir "$group/late"
		within /late 10
		rmdir "$group/late"
	END
	export STORM
	record_start --all-cgroups -a -e raw_syscalls:sys_enter --filter "$filter"
	sh "$TMP/both" "$cgroup2/$group"
	record_end
	rc_is 0 "--all-cgroups"
	text -F cgroup | grep "$group" | sort | uniq -c | sed 's/^ *//' >"$TMP/out"
	printf '%s\n' "30  /$group" "20  /$group/inner" "10  /$group/late" >"$TMP/want"
	is_file "groups that were there, and one that came" "$TMP/out" "$TMP/want"
	run_ok "report -s cgroup" "$PERF_LITE" report -q -i "$f" -s cgroup -n -g none
	like "counts them" "$TMP/out" "%  +30  /$group *$"
	run_ok "count --by cgroup" "$PERF_LITE" count -i "$f" --by cgroup
	like "counts them" "$TMP/out" "^ +20  /$group/inner$"
	is "as JSON" "$("$PERF_LITE" script -i "$f" --json -F cgroup | grep -c "\"cgroup\":\"/$group/inner\"")" 20
	run_ok "live" "$PERF_LITE" count -a -e raw_syscalls:sys_enter --filter "$filter" --by cgroup -- sh "$TMP/both" "$cgroup2/$group"
	like "counts them" "$TMP/out" "^ +30  /$group$"
	like "and one that came" "$TMP/out" "^ +10  /$group/late$"
else
	skip_without "--all-cgroups" cgroups
fi
run_ok "without them" record -e page-faults -c 1 -- true
run "$PERF_LITE" count -i "$f" --by cgroup
rc_is 1 "there is nothing to count by"
like "which is said" "$TMP/err" '^hint: record it: perf-lite record --all-cgroups'

run_ok "report -s cgroup" "$PERF_LITE" report -i "$f" -s cgroup
like "says that there are none" "$TMP/err" '^cgroup was not recorded: perf-lite record --all-cgroups$'

# Namespaces

run_ok "--namespaces" record --namespaces -e page-faults -c 1 -- sh -c 'unshare -u true 2>/dev/null; true'
is "of what ran before" "$(text --show-namespace-events | grep -c "PERF_RECORD_NAMESPACES $$/$$ - nr_namespaces: 7")" 0
run_ok "--namespaces -a" record -a --namespaces -e page-faults --duration 100ms
"$PERF_LITE" script -q -i "$f" -D >"$TMP/out" 2>/dev/null || :
like "with the inodes that /proc has" "$TMP/out" "$(stat -L -c '%i' /proc/$$/ns/net | awk '{ printf "0x%x", $1 }')"

# One CPU: what begins on another and moves there has its name and its mappings

if can everybody && [ "$(nproc)" -gt 1 ]; then
	cat >"$TMP/moves.sh" <<-'END'
		taskset -pc 0 $$ >/dev/null; i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done
	END
	ln -s "$(command -v sh)" "$TMP/moves$$"
	run_ok "-C 0" record -e cpu-clock -C 0 -- taskset -c 1 "$TMP/moves$$" "$TMP/moves.sh"
	"$PERF_LITE" script -i "$f" --comm "moves$$" -F cpu,dso,ip >"$TMP/out" 2>"$TMP/err"
	ok "a task from CPU 1 has its name" test "$(wc -l <"$TMP/out")" -gt 20
	unlike "and its files" "$TMP/out" '\(\[unknown\]\)$'
	unlike "samples are of CPU 0 alone" "$TMP/out" '\[00[1-9]\]'
elif can everybody; then
	skip_outside "-C 0" "a second CPU"
else
	skip_without "-C 0" everybody
fi

# By user

# by names that no other process of the machine has
user=$(id -un 65534 2>/dev/null) && cp "$PROG/spin" "$TMP/theirs-$$" && cp "$PROG/spin" "$TMP/roots-$$" &&
	chmod 755 "$TMP" "$TMP/theirs-$$" || user=''
if [ -n "$user" ] && can users; then
	setpriv --reuid 65534 --clear-groups "$TMP/theirs-$$" 60000 >/dev/null &
	pid=$!
	wait_for 10 sh -c "[ \$(stat -c %u /proc/$pid) = 65534 ]"
	for name in "$user" 65534; do
		run_ok "-u $name" record -u "$name" -e cpu-clock -- "$TMP/roots-$$" 300
		is "the process of this user, and none of another" "$(text -F comm,pid | tr -s ' ' | grep -- "-$$ " | sort -u)" " theirs-$$ $pid "
	done
	kill $pid
	wait $pid 2>/dev/null
else
	skip_without "-u" users
fi
# The recorder of everybody's, by a name that no other has: the kernel filters tracepoints, we filter clocks

own=own-$$
ln -s "$PERF_LITE" "$TMP/$own"
# by_itself OPTION...: $rows, what is recorded of the recorder, with its guardian, while it has something to do
by_itself()
{
	run_ok "everybody's: ${*:-no options}" "$TMP/$own" record -q -o "$f" -a -m 4M -F 10000 -e cpu-clock \
		-e raw_syscalls:sys_enter "$@" -- \
		sh -c "pgrep -P \$PPID -x perf-lite-guard >'$TMP/guard'; exec '$PROG/storm' --quiet 200000"
	rows=$(text -F comm,pid,event | awk -v own="$own" -v guard="$(cat "$TMP/guard")" '$1 == own || $2 == guard')
}
by_itself
is "the recorder is not recorded" "$rows" ""
by_itself --include-self
for event in cpu-clock raw_syscalls:sys_enter; do
	ok "--include-self: it is, $event" test "$(echo "$rows" | grep -c " $event: *\$")" -gt 0
done

run record -u 4294967290 -e cpu-clock
rc_is 2 "a user without processes"
like "is said" "$TMP/err" '^perf-lite: user 4294967290 has no process'
run record -u no-such-user -e cpu-clock
rc_is 1 "no such user"
# Tracepoints beside events that are sampled

run_ok "an event given twice, with two filters" "$PERF_LITE" record -q -e raw_syscalls:sys_enter --filter "$filter" \
	-e raw_syscalls:sys_enter --filter "!($filter)" -e raw_syscalls:sys_exit -o "$f" -- "$STORM" 300
n=$("$PERF_LITE" script -q -i "$f" | grep -c ' raw_syscalls:sys_enter: ')
is "is one by its name: script" "$("$PERF_LITE" script -q -i "$f" --event raw_syscalls:sys_enter | wc -l)" "$n"
is "and in CSV" "$("$PERF_LITE" convert -q -i "$f" --to csv --event raw_syscalls:sys_enter -o - | sed 1d | wc -l)" "$n"
like "and report" "$("$PERF_LITE" report -q -i "$f" --event raw_syscalls:sys_enter -n -s comm >"$TMP/out"; echo "$TMP/out")" " $n +storm"
run_ok "a single sample" "$PERF_LITE" record -e raw_syscalls:sys_enter --filter "$filter" -o "$f" -- "$STORM" 1
like "is one" "$TMP/err" '^perf-lite record: 1 sample in [0-9.]+ s, 0 lost'
run_ok "an event with a field of a key's name" "$PERF_LITE" record -q -a -e sched:sched_waking -o "$f" -- sleep 0.2
next=$("$PERF_LITE" report -q --brief -i "$f" | sed -n 's/^next  *perf-lite //p')
run_ok "what to ask next" sh -c "'$PERF_LITE' $next"
like "is about the field" "$TMP/out" '^ +count +sched_waking.comm +comm$'
run_ok "two events with stacks" "$PERF_LITE" record -q -g -o "$f" -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit \
	-e cpu-clock -- "$STORM" 3000
next=$("$PERF_LITE" report -q --brief --json -i "$f" | sed 's/.*"next":"\([^"]*\)".*/\1/')
run_ok "what to ask next: $next" sh -c "cd '$TMP' && $(echo "$next" | sed "s|perf-lite |'$PERF_LITE' |g")"
like "is a picture of one of them" "$TMP/flame.svg" '>raw_syscalls:sys_(enter|exit), [0-9.]+ to'
half="--cpu !4095 --time 0%-50%"
# shellcheck disable=SC2086
{
	next=$("$PERF_LITE" report -q --brief --json -i "$f" --event cpu-clock $half | sed 's/.*"next":"\([^"]*\)".*/\1/')
	n=$("$PERF_LITE" script -q -G -F time --event cpu-clock -i "$f" $half | wc -l)
}
run_ok "of a part of the samples: $next" sh -c "cd '$TMP' && $(echo "$next" | sed "s|perf-lite |'$PERF_LITE' |g")"
like "is a picture of these" "$TMP/flame.svg" ", $n samples?(;.*)?<"
run_ok "two events, one with stacks" "$PERF_LITE" record -q -o "$f" -e raw_syscalls:sys_enter -e 'cpu-clock/call-graph=fp,name=my*clock/' -- "$STORM" 3000
like "is a picture of that" "$("$PERF_LITE" report -q --brief -i "$f" >"$TMP/out"; echo "$TMP/out")" \
	"perf-lite flamegraph .* --event 'my[*]clock' -o flame.svg"
run "$PERF_LITE" record -q --all-user --all-kernel -o "$f" -- true
rc_is 1 "neither user code nor the kernel"
like "leaves nothing" "$TMP/err" 'leaves nothing$'
run "$PERF_LITE" record -q -g --user-callchains --kernel-callchains -o "$f" -- true
rc_is 1 "neither part of call chains"
like "leaves nothing" "$TMP/err" '^perf-lite: call chains of user code only and of the kernel only leave nothing$'
like "and a hint says what to leave out" "$TMP/err" '^hint: leave out --user-callchains or --kernel-callchains$'
for part in user kernel; do
	run_ok "--$part-callchains without -g" "$PERF_LITE" record -e cpu-clock --$part-callchains -o "$f" -- true
	like "has no effect, which is said" "$TMP/err" "^--$part-callchains does nothing: no call chains are recorded; add -g$"
	run_ok "with an event that has them" "$PERF_LITE" record -e cpu-clock/call-graph=fp/ --$part-callchains -o "$f" -- true
	unlike "it has an effect" "$TMP/err" "does nothing"
done
run "$PERF_LITE" record -q -k real -e raw_syscalls:sys_enter -o "$f" -- true
ok "a clock that tracepoints cannot have" [ $rc -ne 0 ]
like "is named as the cause" "$TMP/err" 'the kernel does not give tracepoints this clock$'

run_ok "-F with a tracepoint" "$PERF_LITE" record -F 99 -e cpu-clock -e sched:sched_waking -o "$TMP/rate" -- true
is "that it is sampled, too, is said once" "$(grep -c 'tracepoints are sampled 99 times a second' "$TMP/err")" 1
run_ok "without -F" "$PERF_LITE" record -e cpu-clock -e sched:sched_waking -o "$TMP/rate" -- true
unlike "it is not" "$TMP/err" "tracepoints are sampled"
done_testing
