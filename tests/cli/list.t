# SPDX-License-Identifier: GPL-2.0
#
# perf-lite list: what it lists, in which form, and what it says about what is missing.
. tests/lib.sh
need_tracefs

tracefs=/sys/kernel/tracing

# Everything, one name per line

run_ok "all, to a pipe" "$PERF_LITE" list
cp "$TMP/out" "$TMP/all"
is "nothing on standard error" "$(cat "$TMP/err")" ""
like "software events" "$TMP/all" '^context-switches$'
like "tracepoints" "$TMP/all" '^sched:sched_switch$'
unlike "names only" "$TMP/all" '[][ ]'
unlike "no forms among them" "$TMP/all" '^(mem:|rNNN)'
is "each once" "$(sort "$TMP/all" | uniq -d)" ""

run_ok "tracepoints" "$PERF_LITE" list tracepoint
(cd $tracefs/events && ls -d */*/id) | sed 's|/id$||; s|/|:|' | sort >"$TMP/want"
sort "$TMP/out" >"$TMP/got"
is_file "all that have an id" "$TMP/got" "$TMP/want"
ok "sorted by system" sh -c "cut -d: -f1 '$TMP/out' | sort -c"

# Patterns

run_ok "a glob" "$PERF_LITE" list 'sched:sched_sw*'
like "what matches" "$TMP/out" '^sched:sched_switch$'
unlike "nothing else" "$TMP/out" '^sched:sched_w'
run_ok "a text" "$PERF_LITE" list kfree_sk
is "what holds it" "$(cat "$TMP/out")" "$(grep kfree_sk "$TMP/all")"
run_ok "a class and a text" "$PERF_LITE" list sw fault
like "what holds it" "$TMP/out" '^page-faults$'
is "in that class" "$(grep -vc 'fault' "$TMP/out")$(grep -c : "$TMP/out")" 00
run_ok "two texts" "$PERF_LITE" list 'sched:sched_switch' 'skb:kfree_skb'
is "both" "$(wc -l <"$TMP/out")" 2
run_ok "an alias" "$PERF_LITE" list sw cs
is "finds its event" "$(cat "$TMP/out")" context-switches
run_ok "hardware breakpoints are a form" "$PERF_LITE" list bp
like "how they are written" "$TMP/out" '^mem:ADDR'

# Nothing

run "$PERF_LITE" list nosuchevent
rc_is 1 "no match"
is "nothing on standard output" "$(cat "$TMP/out")" ""
like "it says so" "$TMP/err" "^perf-lite: no event matches 'nosuchevent'$"
for words in sdt:usdt:FILE 'metricgroup:stat --metric list'; do
	run "$PERF_LITE" list "${words%%:*}"
	rc_is 1 "${words%%:*}"
	like "has a place of its own" "$TMP/err" "^hint: perf-lite (list )?${words#*:}"
done
for command in record trace stat; do
	run "$PERF_LITE" $command -e sched -- true
	rc_is 1 "$command -e sched: no event"
	like "but a group of events" "$TMP/err" "^hint: did you mean 'sched:\*'\?$"
	run "$PERF_LITE" $command -e mmap -- true
	unlike "$command -e mmap: rather a call than the group of that name" "$TMP/err" "'mmap:"
done
run "$PERF_LITE" list sched:sched_swich
rc_is 1 "a mistyped tracepoint"
like "what was meant" "$TMP/err" '^hint: did you mean sched:sched_switch\?$'
run "$PERF_LITE" list sched_swich
like "without its system" "$TMP/err" '^hint: did you mean sched:sched_switch\?$'
run "$PERF_LITE" list page-fualts
like "a software event" "$TMP/err" '^hint: did you mean page-faults\?$'
while read -r command option word meant; do
	run "$PERF_LITE" $command $option "$word"
	rc_is 1 "$command $word"
	is "may mean" "$(sed -n 's/^hint: did you mean \(.*\)?$/\1/p' "$TMP/err")" "$meant"
done <<'END'
record -e sys_enter_openat syscalls:sys_enter_openat
record -e openatt syscalls:sys_enter_openat
trace -e openatt openat
trace -e sys_enter_* syscalls:sys_enter_*
record -e sched_swi* sched:sched_swi*
END
run "$PERF_LITE" list --field nosuch
like "a field that there is not" "$TMP/err" "^hint: a part of the name: perf-lite list --field '\*nosuch\*'$"
run "$PERF_LITE" list --field '*nosuch*'
unlike "a pattern is not suggested once more" "$TMP/err" '\*\*'
if can tracepoints; then
	run_ok "tracepoint:SYSTEM:NAME" "$PERF_LITE" record -q -o "$TMP/t.data" -e tracepoint:sched:sched_process_exec:u,t:sched:sched_process_exit -- true
	is "is the tracepoint" "$("$PERF_LITE" evlist -i "$TMP/t.data" | grep -c '^sched:sched_process_\(exec\|exit\)')" 2
else
	skip_without "tracepoint:SYSTEM:NAME" tracepoints
fi
run "$PERF_LITE" record -o "$TMP/none" -e t:sched_switch -- true
like "t:NAME without the system" "$TMP/err" '^hint: did you mean sched:sched_switch\?$'
run "$PERF_LITE" record -o "$TMP/none" -e kfunc:vfs_read -- true
if [ -d /sys/bus/event_source/devices/kprobe ]; then
	like "a word of bpftrace" "$TMP/err" '^hint: did you mean fentry:vfs_read\?$'
else
	like "one of them, where the kernel has no probes" "$TMP/err" '^hint: this kernel has no probes in its own code'
fi
run "$PERF_LITE" list sched:sched_switch nosuchevent
rc_is 1 "one of two"
is "the other is listed" "$(cat "$TMP/out")" sched:sched_switch
like "the one is named" "$TMP/err" "no event matches 'nosuchevent'"
run "$PERF_LITE" list "$(printf 'x\033[31m')"
unlike "no control byte comes back" "$TMP/err" "$(printf '\033')"

# A class that is missing says why, when it was asked for.

run "$PERF_LITE" list hw
if [ $rc -eq 0 ]; then
	like "hardware events" "$TMP/out" '^(cpu-cycles|instructions)$'
else
	rc_is 1 "no hardware events"
	is "one line says why" "$(cat "$TMP/err")" \
		"perf-lite: hw: no hardware PMU on this machine (virtual machine?)"
fi

# Forms

run_ok "--raw-dump" "$PERF_LITE" list --raw-dump sw
is "one line" "$(wc -l <"$TMP/out")" 1
is "the same names" "$(tr ' ' '\n' <"$TMP/out")" "$("$PERF_LITE" list sw)"
need_cmd jq
run_ok "--json" "$PERF_LITE" list --json
is "all of them" "$(jq -r '.[].name' "$TMP/out" | cksum)" "$(cksum <"$TMP/all")"
run_ok "an alias in JSON" "$PERF_LITE" list -j sw context
is "is told" "$(jq -c '.[0]' "$TMP/out")" \
	'{"name":"context-switches","alias":"cs","class":"sw"}'
run_ok "perf's --no-desc" "$PERF_LITE" list --no-desc sw
need_cmd script
script -qec "PAGER=cat '$PERF_LITE' list" /dev/null </dev/null | tr -d '\r' >"$TMP/tty"
like "on a terminal: perf's columns" "$TMP/tty" \
	'^  context-switches OR cs {29}\[Software event\]$'
like "tracepoints" "$TMP/tty" '^  sched:sched_switch {33}\[Tracepoint event\]$'
like "and the forms" "$TMP/tty" '^  mem:ADDR.*\[Hardware breakpoint\]$'

run sh -c "'$PERF_LITE' list >/dev/full"
rc_is 3 "an output that is full"
is "is said with its cause" "$(head -n 1 "$TMP/err")" \
	"perf-lite: cannot write to standard output: No space left on device"

# What -v tells of tracepoints, and of the kernel's types

run_ok "all of a tracepoint" "$PERF_LITE" list -v sched:sched_switch
is "its name first" "$(head -n 1 "$TMP/out")" "sched:sched_switch  [Tracepoint event]"
# as the kernel's own lines have it: "field:TYPE NAME[N]; offset:N; size:N; signed:B;"
sed -n 's/^  *\([0-9][0-9]*\)  *\([0-9][0-9]*\)  *\(un\)\{0,1\}signed  */\1 \2 \3signed /p' "$TMP/out" >"$TMP/got"
is "every field of its format" "$(wc -l <"$TMP/got")" "$(grep -c 'field:' $tracefs/events/sched/sched_switch/format)"
is "declared as there" "$(cut -d' ' -f4- "$TMP/got")" "$(sed -n 's/^.field:\([^;]*\);.*/\1/p' $tracefs/events/sched/sched_switch/format)"
is "offsets and sizes" "$(cut -d' ' -f1,2 "$TMP/got")" \
	"$(sed -n 's/^.field:.*offset:\([0-9]*\);.*size:\([0-9]*\);.*/\1 \2/p' $tracefs/events/sched/sched_switch/format)"
is "signs" "$(cut -d' ' -f3 "$TMP/got" | sed 's/^unsigned/0/; s/^signed/1/')" \
	"$(sed -n 's/.*signed:\([01]\);/\1/p' $tracefs/events/sched/sched_switch/format)"
like "names of flags" "$TMP/out" '^ +0x1 S \| 0x2 D '
like "the print fmt" "$TMP/out" '^    print fmt: "prev_comm=%s prev_pid=%d'
if [ -e /sys/kernel/btf/vmlinux ]; then
	like "what it hands out" "$TMP/out" '^    sched_switch\(bool preempt, struct task_struct \*prev, '
	run_ok "a struct" "$PERF_LITE" list -v 'struct list_head'
	is "as C" "$(cat "$TMP/out")" 'struct list_head {
/*      0      8 */     struct list_head *next;
/*      8      8 */     struct list_head *prev;
}; /* 16 bytes */'
	run_ok "an enum and a typedef" "$PERF_LITE" list -v 'enum pid_type' 'typedef pid_t'
	like "its values" "$TMP/out" '^    PIDTYPE_TGID = 1,$'
	like "what it stands for" "$TMP/out" '^typedef __kernel_pid_t pid_t; /\* 4 bytes \*/$'
	run_ok "names of structs" "$PERF_LITE" list 'struct list_h*'
	like "by a glob" "$TMP/out" '^struct list_head$'
	run "$PERF_LITE" list -v 'struct list_heat'
	rc_is 1 "a struct that there is not"
	like "is said" "$TMP/err" "^perf-lite: the kernel has no 'struct list_heat'"
	like "with the nearest" "$TMP/err" "^hint: did you mean 'struct list_head'"
	run "$PERF_LITE" list -v list_head
	rc_is 1 "a struct without its word"
	like "what to type" "$TMP/err" "^hint: a type of the kernel: perf-lite list -v 'struct list_head'$"
	run_ok "all of all, as JSON" "$PERF_LITE" list -v --json tracepoint 'struct list_head' 'enum pid_type'
	need_cmd python3
	is "which is JSON" "$(python3 -c '
import json, sys
v = json.load(open(sys.argv[1]))
t = [e for e in v if e.get("class") == "tracepoint"]
assert all(e["fields"] and e["id"] > 0 and "print_fmt" in e for e in t)
s = [e for e in v if e.get("kind") == "struct"][0]
assert [m["offset"] for m in s["members"]] == [0, 8] and s["size"] == 16
assert {"name": "PIDTYPE_TGID", "value": 1} in [e for e in v if e.get("kind") == "enum"][0]["values"]
print(len(t))' "$TMP/out")" "$("$PERF_LITE" list tracepoint | wc -l)"

	# What arguments lead to
	run_ok "members" "$PERF_LITE" list -v sched:sched_switch
	like "of each argument" "$TMP/out" '^    prev->[a-z_]+ +[a-z].*[a-z]'
	like "how to have all" "$TMP/out" "^    prev->\.\.\. +[0-9]+ more: perf-lite list 'sched:sched_switch\(prev\)'$"
	like "but no type twice" "$TMP/out" '^    next->\.\.\. +as prev$'
	is "on a screen" "$(grep -c '^    prev->' "$TMP/out")" 21
	run_ok "further" "$PERF_LITE" list 'sched:sched_switch(prev->mm)'
	like "the type" "$TMP/out" '^    prev->mm +struct mm_struct \*$'
	like "there are members" "$TMP/out" '^    prev->mm->pgd +pgd_t \*$'
	run_ok "all members" "$PERF_LITE" list 'sched:sched_switch(next)'
	is "are those of the type" "$(sed -n 's/^    next->\([a-z_0-9]*\) .*/\1/p' "$TMP/out" | grep -cx 'pid\|comm\|tgid')" 3
	run_ok "more than one tracepoint" "$PERF_LITE" list -v sched:sched_switch sched:sched_wakeup
	unlike "has no members" "$TMP/out" '^    prev->'
	run_ok "of a function" "$PERF_LITE" list kprobe:vfs_read
	like "its prototype" "$TMP/out" '^    ssize_t vfs_read\(struct file \*file, char '
	like "its members" "$TMP/out" '^    file->f_op +const struct file_operations \*$'
	like "and where they lead on" "$TMP/out" "^    further: perf-lite list 'kprobe:vfs_read\(file->f_op\)'$"
	run "$PERF_LITE" list kprobe:vfs_opne
	rc_is 1 "a function that the kernel lacks"
	like "is named" "$TMP/err" "the kernel has no function 'vfs_opne'"
	like "with the one that is meant" "$TMP/err" "did you mean 'vfs_open'\?"
	run "$PERF_LITE" list 'sched:sched_switch(next->pidd)'
	rc_is 1 "a member that there is not"
	like "is said" "$TMP/err" "struct task_struct has no member 'pidd'"
	run "$PERF_LITE" list 'sched:sched_switch(next->pid, prev)'
	rc_is 1 "two expressions"
	like "are too many" "$TMP/err" "one expression and '\)' are expected here"
	run "$PERF_LITE" list 'sched:nosuch(next)'
	rc_is 1 "a tracepoint that there is not"
	# who may not read tracefs learns that it has no types
	like "is unknown" "$TMP/err" "(unknown tracepoint 'sched:nosuch'|no types of what nosuch hands over)\$"
else
	skip_without "types of the kernel" btf
fi
p=$PROG/passes
run_ok "of a program" "$PERF_LITE" list -v "uprobe:$p:handle" "uprobe:$p:handle(req->header.next->id)"
is "its types" "$(cat "$TMP/out")" "uprobe:$p:handle  [Probe]
    int handle(struct request *req, size_t len)
    expression    type
    req->path     const char *
    req->method   char [8]
    req->flags    unsigned int:3
    req->kind     unsigned int:5
    req->mode     enum mode
    req->value    union value
    req->header   struct header
    req->headers  const struct header *const *
    req->codes    int [3]
    req->share    double
    req->last     _Bool
    req->done     void (*)(void)
uprobe:$p:handle  [Probe]
    expression            type
    req->header.next->id  int"
run_ok "as JSON" "$PERF_LITE" list --json "uprobe:$p:numbers" "uprobe:$p:handle(req->header)"
is "the same" "$(sed 's/"prototype":"[^"]*"/"prototype":""/' "$TMP/out")" '[
{"name":"uprobe:'"$p"':numbers","class":"pmu","prototype":"","members":[]},
{"name":"uprobe:'"$p"':handle","class":"pmu","members":[{"expression":"req->header","type":"struct header"},{"expression":"req->header.next","type":"struct header *"},{"expression":"req->header.lines","type":"short int"},{"expression":"req->header.id","type":"int"},{"expression":"req->header.bytes","type":"unsigned char [4]"}]}
]'
run "$PERF_LITE" list "uprobe:$p:nowhere"
rc_is 1 "a function that a program has not"
like "is said" "$TMP/err" "there is no function 'nowhere'"
run_ok "events that have a field" "$PERF_LITE" list --field skbaddr 'net:*' 'skb:*'
(cd $tracefs/events && grep -l 'field:[^;]* \**skbaddr;' net/*/format skb/*/format) |
	sed 's|/format||; s|/|:|' | sort >"$TMP/want"
sort "$TMP/out" >"$TMP/got"
is_file "all of them" "$TMP/got" "$TMP/want"
run "$PERF_LITE" list --field no_such_field
rc_is 1 "no event has it"
like "which is said" "$TMP/err" "^perf-lite: no tracepoint has a field 'no_such_field'"

# tracefs that is not mounted, or closed

need mounts users unshare setpriv
run unshare -m sh -c "umount -l $tracefs; umount -l /sys/kernel/debug/tracing 2>/dev/null
	n=\$(grep -cw tracefs /proc/self/mounts)
	! [ -e $tracefs/events ] && '$PERF_LITE' list skb:kfree_skb && echo \$((\$(grep -cw tracefs /proc/self/mounts) - n))"
is "not mounted: still listed, and still not mounted" "$(cat "$TMP/out")" "skb:kfree_skb
0"
run unshare -m sh -c "umount -l $tracefs; umount -l /sys/kernel/debug 2>/dev/null
	mount -t debugfs debugfs /sys/kernel/debug || exit 99
	'$PERF_LITE' list skb:kfree_skb && grep -cw /sys/kernel/debug/tracing /proc/self/mounts"
is "where debugfs is mounted the kernel is not made to mount tracefs below it" "$(cat "$TMP/out")" "skb:kfree_skb
0"
cp "$PERF_LITE" "$TMP/perf-lite" && chmod 755 "$TMP" "$TMP/perf-lite"
run setpriv --reuid=65534 --regid=65534 --clear-groups "$TMP/perf-lite" list
case $(stat -c %A $tracefs) in
d??????--x | d??????r-x)
	pass "anybody may read tracefs here"
	;;
*)
	rc_is 3 "not root: an incomplete list"
	like "software events are there" "$TMP/out" '^cpu-clock$'
	like "why it is incomplete" "$TMP/err" '^perf-lite: no permission to read the tracepoints'
	like "and what to do" "$TMP/err" '^hint: run as root, or: sudo mount -o remount,mode=750,gid=65534 /sys/'
	;;
esac
run unshare -m sh -c "umount -l $tracefs; umount -l /sys/kernel/debug/tracing 2>/dev/null
	setpriv --reuid=65534 --regid=65534 --clear-groups '$TMP/perf-lite' list 'skb:*'"
rc_is 1 "not root and not mounted"
like "the reason" "$TMP/err" '^perf-lite: tracefs is not mounted, and only root can open it$'
like "and the command" "$TMP/err" '^hint: sudo mount -t tracefs -o mode=750,gid=65534 nodev /sys/kernel/tracing$'
run unshare -m sh -c "umount -l $tracefs; umount -l /sys/kernel/debug/tracing 2>/dev/null
	mount -t tracefs -o mode=750,gid=65534 nodev /sys/kernel/tracing
	nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
	\$nobody ls /sys/kernel/tracing/events/skb >/dev/null && { \$nobody '$TMP/perf-lite' list 'skb:*'; rc=\$?; }
	mount -o remount,mode=$(stat -c %a $tracefs),gid=$(stat -c %g $tracefs) /sys/kernel/tracing
	exit \${rc:-77}"
if [ $rc -eq 77 ]; then
	skip_outside "which mends it" "a kernel that gives all of tracefs to a group"
else
	rc_is 0 "which mends it"
fi

# A program with capabilities of its own

echo of-root >"$TMP/of-root" && chmod 600 "$TMP/of-root"
cp "$(command -v cat)" "$TMP/cat" && chmod 755 "$TMP/cat"
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
if ! can setcap; then
	skip_without "not root, but cap_dac_read_search" setcap
elif ! setcap cap_dac_read_search+ep "$TMP/cat" 2>/dev/null || ! as_nobody "$TMP/cat" "$TMP/of-root" >/dev/null 2>&1; then
	skip_outside "not root, but cap_dac_read_search" "capabilities of files in ${TMPDIR:-/tmp}"
else
	setcap cap_dac_read_search+ep "$TMP/perf-lite"
	run as_nobody "$TMP/perf-lite" list 'skb:*'
	rc_is 0 "not root, but cap_dac_read_search"
fi
if can tracepoints && can btf; then
	for event in 'nosuch:foo' 'sched:'; do
		run "$PERF_LITE" list "$event(bar)"
		rc_is 1 "members of $event, which there is not"
		like "is unknown" "$TMP/err" "unknown tracepoint '$event'\$"
	done
else
	skip_without "members of tracepoints that there are not" tracepoints btf
fi
# Somebody's probe that is removed meanwhile: its folder was listed, and its files cannot be opened

removed() # ARG...: perf-lite, where sched:sched_switch is so
{
	run strace -o "$TMP/strace" -P events/sched/sched_switch/format -P events/sched/sched_switch/id -e trace=openat \
		-e inject=openat:error=ENODEV "$PERF_LITE" "$@"
	ok "it was looked for" grep -q INJECTED "$TMP/strace"
}
if can tracepoints && command -v strace >/dev/null; then
	"$PERF_LITE" list 'sched:*' | sed 's/ .*//' | grep -v '^sched:sched_switch$' >"$TMP/others"
	removed list -v 'sched:*'
	rc_is 0 "a tracepoint that is removed meanwhile is left out"
	is "of details" "$(sed -n 's/^\(sched:[^ ]*\) .*/\1/p' "$TMP/out")" "$(cat "$TMP/others")"
	is "without a word" "$(cat "$TMP/err")" ""
	removed list -v --json 'sched:*'
	is "of JSON" "$(jq -r '.[].name' "$TMP/out")" "$(cat "$TMP/others")"
	removed list --field '*pid' 'sched:*'
	rc_is 0 "of those with a field"
	unlike "where it is not, either" "$TMP/out" '^ *sched:sched_switch '
	removed list -v sched:sched_switch
	rc_is 1 "alone it is missed"
	like "as the message says" "$TMP/err" '^perf-lite: there is no tracepoint sched:sched_switch$'
	removed record -q -e 'sched:*' -o "$TMP/recorded" -- true
	rc_is 0 "a pattern opens the others"
	"$PERF_LITE" evlist -i "$TMP/recorded" >"$TMP/out"
	is "and only them" "$(grep '^sched:' "$TMP/out" | sort)" "$(sort "$TMP/others")"
else
	skip_without "a tracepoint that is removed meanwhile is left out" tracepoints strace
fi
run "$PERF_LITE" list "uprobe:$PROG/probed:entered+4"
rc_is 1 "a place inside of a function"
like "has no arguments" "$TMP/err" 'arguments are where they are at the beginning of a function$'
done_testing
