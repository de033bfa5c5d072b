# SPDX-License-Identifier: GPL-2.0
#
# The main job: record -e skb:kfree_skb -ag, script, a flame graph; every drop is there, with its reason.
. tests/lib.sh
need_netns
f=$TMP/drops.data
need_event skb:kfree_skb

run_ok "record -e skb:kfree_skb -ag" "$PERF_LITE" record -e skb:kfree_skb -ag -o "$f" -- "$PROG/drops" --udp 300 --tcp 30
like "the load says what it sent" "$TMP/out" '^udp=300 tcp=30$'
# others' packets may be dropped meanwhile
like "nothing is lost" "$TMP/err" ' 0 lost of [0-9]+ counted, '
run_ok "script" "$PERF_LITE" script -i "$f"
cp "$TMP/out" "$TMP/text"
ok "every drop" test "$(grep -c 'skb:kfree_skb: skbaddr=' "$TMP/text")" -ge 330
ok "every datagram to a closed port" test "$(grep -c 'location=__udp4_lib_rcv+0x[0-9a-f]* reason: NO_SOCKET$' "$TMP/text")" -ge 300
ok "every refused connection" test "$(grep -c 'location=tcp_v4_rcv+0x[0-9a-f]* reason: NO_SOCKET$' "$TMP/text")" -ge 30
like "the stack of the kernel" "$TMP/text" '^	 *ffffffff[0-9a-f]+ __udp4_lib_rcv\+0x[0-9a-f]+ \(\[kernel\.kallsyms\]\)$'
# From glibc 2.41 on one function makes the system calls of all others, and hides them from frame pointers.
send='sendto|syscall_cancel'
libc_names || send="$send|[[]unknown[]]"
like "and of the program" "$TMP/text" "^	 *[0-9a-f]+ [^ ]*($send)[^ ]* \(.*libc"
ok "below one another" awk -v send="$send" '/^\t/ { s = s " " $2 } /^$/ { if (s ~ "__udp4_lib_rcv.* udp_sendmsg.* __x64_sys_sendto.* [^ ]*(" send ")") n++; s = "" } END { exit !(n >= 300) }' "$TMP/text"

run_ok "folded" "$PERF_LITE" script -i "$f" --folded
cp "$TMP/out" "$TMP/folded"
is "each drop counts once" "$(awk '{ n += $NF } END { print n }' "$TMP/folded")" "$(grep -c skb:kfree_skb: "$TMP/text")"
run_ok "flamegraph" "$PERF_LITE" flamegraph "$TMP/folded"
like "is a picture" "$TMP/out" '<svg '
like "with the function that dropped" "$TMP/out" '__udp4_lib_rcv'

# The picture of the recording itself stands on the reasons, without an option

reasons()
{
	sed -n 's|.*<title>reason=\([A-Z0-9_]*\) (\([0-9,]*\) samples\{0,1\}, .*|\1 \2|p' "$1" | tr -d , | sort
}
sed -n 's/.*skb:kfree_skb:.* reason: \([A-Z0-9_]*\).*/\1/p' "$TMP/text" | sort | uniq -c | awk '{ print $2, $1 }' >"$TMP/want"
if [ -s "$TMP/want" ]; then
	run_ok "flamegraph of the recording" "$PERF_LITE" flamegraph --min-width 0.01 -i "$f"
	reasons "$TMP/out" >"$TMP/got"
	is_file "each reason, with its drops" "$TMP/got" "$TMP/want"
	"$PERF_LITE" flamegraph --min-width 0.01 <"$f" >"$TMP/out" 2>"$TMP/err"
	reasons "$TMP/out" >"$TMP/got"
	is_file "of standard input, too" "$TMP/got" "$TMP/want"
	"$PERF_LITE" convert -q --to perf.data -i "$f" -o "$TMP/perf" >"$TMP/out" 2>&1
	run_ok "flamegraph of perf's file" "$PERF_LITE" flamegraph --min-width 0.01 -i "$TMP/perf"
	reasons "$TMP/out" >"$TMP/got"
	is_file "the same reasons" "$TMP/got" "$TMP/want"
	run_ok "--by comm" "$PERF_LITE" flamegraph --by comm -i "$f"
	is "without reasons" "$(reasons "$TMP/out")" ""
	like "on the command" "$TMP/out" '<g class="group[^"]*"><title>'
else
	skip_outside "reasons of drops" "this kernel tells none"
fi

# Drops that traffic control makes, in a network namespace of their own

made=0
for kind in egress ingress qdisc; do
	case $kind in
	egress) reason=TC_EGRESS ;;
	ingress) reason=TC_INGRESS ;;
	qdisc) reason=QDISC_DROP ;;
	esac
	rc=0
	"$PERF_LITE" record -q -e skb:kfree_skb -ag -o "$f" -- sh tests/prog/netns-drop.sh $kind 50 >"$TMP/out" 2>"$TMP/err" || rc=$?
	# a kernel without this kind of drop: 77
	[ $rc -ne 77 ] || continue
	made=$((made + 1))
	dropped=$(sed -n "s/^$kind dropped=//p" "$TMP/out")
	"$PERF_LITE" script -i "$f" -F trace >"$TMP/text" 2>&1
	ok "$kind: the kernel counted drops" test "${dropped:-0}" -gt 0
	is "$kind: all of them, as $reason" "$(grep -c "reason: $reason\$" "$TMP/text")" "$dropped"
done
ok "at least one kind of drop by traffic control" test $made -gt 0

# tracefs that is not mounted is opened without mounting it for anybody

if can mounts; then
	run unshare -m sh -c "umount /sys/kernel/tracing 2>/dev/null; umount -l /sys/kernel/debug/tracing 2>/dev/null
		[ ! -e /sys/kernel/tracing/events ] || exit 99
		n=\$(grep -cw tracefs /proc/self/mounts)
		'$PERF_LITE' record -q -e skb:kfree_skb -a -o '$f' -- '$PROG/drops' --udp 3 &&
			[ \$(grep -cw tracefs /proc/self/mounts) -eq \$n ]"
	rc_is 0 "without a mounted tracefs"
	run_ok "it can be read" "$PERF_LITE" script -i "$f"
	like "and holds the format" "$TMP/out" 'reason: NO_SOCKET'
else
	skip_without "without a mounted tracefs" mounts
fi

# As it happens

"$PERF_LITE" record -q -e skb:kfree_skb -a -o - --duration 20s 2>"$TMP/err" | "$PERF_LITE" script -i - -F trace >"$TMP/live" 2>&1 &
sleep 0.5
"$PROG/drops" --udp 20 >"$TMP/out"
ok "a pipe prints within seconds" wait_for 8 grep -q NO_SOCKET "$TMP/live"
pkill -INT -f "perf-lite record -q -e skb:kfree_skb -a -o - --duration 20s"
wait
done_testing
