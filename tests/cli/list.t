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
run "$PERF_LITE" list sched:sched_swich
rc_is 1 "a mistyped tracepoint"
like "what was meant" "$TMP/err" '^hint: did you mean sched:sched_switch\?$'
run "$PERF_LITE" list sched_swich
like "without its system" "$TMP/err" '^hint: did you mean sched:sched_switch\?$'
run "$PERF_LITE" list page-fualts
like "a software event" "$TMP/err" '^hint: did you mean page-faults\?$'
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

# tracefs that is not mounted, or closed

need_cmd unshare setpriv
run unshare -m sh -c "umount -l $tracefs; umount -l /sys/kernel/debug/tracing 2>/dev/null
	n=\$(grep -cw tracefs /proc/self/mounts)
	! [ -e $tracefs/events ] && '$PERF_LITE' list skb:kfree_skb && echo \$((\$(grep -cw tracefs /proc/self/mounts) - n))"
is "not mounted: still listed, and still not mounted" "$(cat "$TMP/out")" "skb:kfree_skb
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
like "and the command" "$TMP/err" '^hint: sudo mount -t tracefs nodev /sys/kernel/tracing$'
done_testing
