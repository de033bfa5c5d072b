# SPDX-License-Identifier: GPL-2.0
# --filter: names of values become numbers, the kernel tests what it can, perf-lite the rest, and both
# agree on which samples pass.
. tests/lib.sh
need_root
need_event skb:kfree_skb
need_event raw_syscalls:sys_enter
need_event syscalls:sys_enter_openat

# drops FILTER ARG...
drops()
{
	drops_filter=$1
	shift
	"$PERF_LITE" record -q -e skb:kfree_skb --filter "$drops_filter" "$@" -o "$TMP/d" -- \
		"$PROG/drops" --udp 30 --tcp 20 2>"$TMP/err" >"$TMP/out"
}

# The same where the last event lets everything through. An interrupt may bring packets of others, which are then dropped
# in the name of this process, and may leave its own to a thread of the kernel: then once more.
own_drops()
{
	for own_try in 1 2 3 4 5; do
		drops "$@" || return 1
		[ "$(kept | tail -n 1)" != 50 ] || return 0
		diag "drops of others, or not all of its own, try $own_try: $(kept | xargs)"
	done
}

# Samples of each event.
kept()
{
	"$PERF_LITE" verify "$TMP/d" | awk '$1 == "skb:kfree_skb" { print $2 }'
}

# Lines of script on standard input.
lines()
{
	wc -l | tr -d ' '
}

samples()
{
	"$PERF_LITE" script -i "$TMP/d" "$@" | lines
}

# ---- what goes where ----

run_ok "a filter by names" "$PERF_LITE" record -e skb:kfree_skb -o "$TMP/d" \
	--filter 'reason == NO_SOCKET && protocol == IPv4' -- "$PROG/drops" --udp 30 --tcp 20
like "the closing lines show the numbers that the kernel tested" "$TMP/err" \
	'^perf-lite record: filter: the kernel tested reason == [0-9]+ && protocol == 2048$'
is "every drop is there" "$(samples)" 50
is "the type of the field gives the same names" "$(drops 'reason == SKB_DROP_REASON_NO_SOCKET'; samples)" 50
is "what is not so keeps all out" "$(drops 'reason != NO_SOCKET && comm ~ "nobody*"'; samples)" 0

run_ok "a filter that only perf-lite can test" "$PERF_LITE" record -e raw_syscalls:sys_enter \
	-o "$TMP/d" --filter 'id == 110 && args[0] >= 100 && args[0] < 350' -- "$PROG/storm" 1000
like "the part that ran here is told" "$TMP/err" \
	'^perf-lite record: filter: the kernel tested id == 110, perf-lite args\[0\] >= 100 && args\[0\] < 350$'
like "and how many samples it kept" "$TMP/err" '^perf-lite record: filter: 250 of 1000 samples kept$'
is "they are in the recording" "$(samples)" 250
run_ok "the account closes" "$PERF_LITE" verify "$TMP/d"
like "with what was left out" "$TMP/out" 'raw_syscalls:sys_enter +250 +0 +750 +0 +0 +1000 +closes'

run_ok "alternatives of which one is not the kernel's run here whole" "$PERF_LITE" record \
	-e raw_syscalls:sys_enter -o "$TMP/d" --filter 'id == 110 && (args[0] < 10 || id == 39)' -- \
	"$PROG/storm" 1000
like "and are told so" "$TMP/err" 'perf-lite \(args\[0\] < 10 \|\| id == 39\)$'
is "with the samples of both" "$(samples)" 10
run "$PERF_LITE" record --dry-run -e raw_syscalls:sys_enter --filter 'args[0] == 1 && id == 3' -a -o "$TMP/x"
like "a dry run shows the kernel's part" "$TMP/out" '^    filter id == 3'
like "and the other" "$TMP/out" '^    filter here args\[0\] == 1$'

run_ok "perf.data is filtered, too" "$PERF_LITE" record --format=perf -e raw_syscalls:sys_enter \
	-o "$TMP/d" --filter 'id == 110 && args[0] < 7' -- "$PROG/storm" 100
is "as our file" "$(samples)" 7

run "$PERF_LITE" stat -e raw_syscalls:sys_enter --filter 'id == 110 && args[0] < 7' -- "$PROG/storm" 10
rc_is 1 "stat has no samples to test"
like "and says what does" "$TMP/err" 'hint: .*perf-lite count -e raw_syscalls:sys_enter'
run_ok "it counts what the kernel can test" "$PERF_LITE" stat -x, -e raw_syscalls:sys_enter \
	--filter 'id == 110' -o "$TMP/counts" -- "$PROG/storm" 100
like "by number" "$TMP/counts" '^100,'

# ---- kernel and program agree ----

# One event has the filter, a second one none; what script keeps of both by the same filter has to be twice what the kernel
# kept of the first.
agree()
{
	own_drops "$1" -e skb:kfree_skb || { diag_file "$TMP/err"; return 1; }
	grep -q . "$TMP/err" && diag_file "$TMP/err"
	agree_kernel=$(kept | head -n 1)
	agree_both=$(samples --filter "$1" 2>"$TMP/err")
	[ "$agree_kernel" = "$2" ] && [ "$agree_both" = $(($2 * 2)) ] && return 0
	diag "kernel $agree_kernel, both $agree_both of $(samples), should be $2 of each; places:"
	diag_file "$TMP/err"
	"$PERF_LITE" count -i "$TMP/d" --by location >"$TMP/places" 2>&1
	diag_file "$TMP/places"
	return 1
}

while IFS='|' read -r want filter; do
	filter=$(printf '%s' "$filter" | tr '@' '|')
	ok "kernel and perf-lite agree: $filter" agree "$filter" "$want"
done <<'EOF'
50|reason == NO_SOCKET
50|reason == NO_SOCKET@SOCKET_FILTER
0|reason != NO_SOCKET
50|reason <= NO_SOCKET && reason >= NO_SOCKET
50|reason & 1
50|protocol == 0x800
0|protocol == IPv6@ARP
30|location == __udp4_lib_rcv
20|location.function != __udp4_lib_rcv
20|!(location == __udp4_lib_rcv)
50|location >= 0xff
50|cpu & CPUS{0-8000}
0|!(cpu & CPUS{0-8000})
50|comm != nobody
0|comm == nobody@@reason < 3
50|comm ~ *
50|comm ~ "[!0-9]*"
0|comm ~ "0*"
0|comm ~ *nobody
50|comm !~ "*[*]*"
50|skbaddr != 0 && (reason == 3 @@ protocol == 1)
50|common_pid > 0 && tid > 0
EOF

# comm is "storm": patterns that the kernel misreads unless they are put otherwise
need_event syscalls:sys_enter_getppid
for pattern in 'comm ~ *orm' 'comm ~ "*torm"' 'comm ~ storm' 'comm ~ s*m' 'comm ~ "[^a]torm"' 'comm ~ "?torm"' \
	'comm !~ *sh' 'comm ~ "!*sh"' 'comm ~ "st[n-p]rm"' 'comm ~ "s\torm"'; do
	"$PERF_LITE" record -q -e syscalls:sys_enter_getppid --filter "$pattern" -o "$TMP/d" -- \
		"$PROG/storm" 5 >/dev/null 2>&1
	is "the kernel finds storm by $pattern" "$(samples)" 5
	is "and so does perf-lite" "$(samples --filter "$pattern")" 5
done

"$PERF_LITE" record -q -e syscalls:sys_enter_openat --filter 'filename ~ "/etc/host*"' -o "$TMP/d" -- \
	cat /etc/hostname /etc/hosts /etc/passwd >/dev/null 2>&1
is "text in the memory of the caller is tested by the kernel" "$(samples)" 2
"$PERF_LITE" record -q -e syscalls:sys_enter_openat --filter 'dfd == -100 && filename == /etc/passwd' \
	-o "$TMP/d" -- cat /etc/passwd >/dev/null 2>&1
is "a negative int in a word" "$(samples)" 1
# the descriptor of fchmod(2) is unsigned to the kernel: who calls may have extended its sign or not
cat >"$TMP/minus.py" <<-'END'
	import ctypes, os
	for i in range(3):
	    ctypes.CDLL(None).fchmod(-1, 0)
	for i in range(4):
	    try:
	        os.fchmod(-1, 0)
	    except OSError:
	        pass
END
"$PERF_LITE" count --csv -e syscalls:sys_enter_fchmod --filter 'fd == -1' -- python3 "$TMP/minus.py" >"$TMP/out" 2>"$TMP/err"
is "-1 as a descriptor" "$(sed -n '2s/,.*//p' "$TMP/out")" 7
is "is one here, too" "$(samples --filter 'dfd == -100')" 1

# ---- recordings ----

own_drops 'cpu >= 0'
is "script chooses by fields" "$(samples --filter 'location == __udp4_lib_rcv && reason == NO_SOCKET')" 30
run_ok "so does report" "$PERF_LITE" report -i "$TMP/d" --filter 'location != __udp4_lib_rcv' --stdio
like "and counts them" "$TMP/out" 'Samples: 20 '
for how in "script --filter reason==TCP_CSUM" "script --comms nobody" "report --comms nobody --stdio" "report --time 0,1" \
	"count --comm nobody" "trace --comm nobody" "drops --comm nobody" "convert --to csv -o $TMP/csv --pid 2147483646"; do
	# shellcheck disable=SC2086
	run "$PERF_LITE" $how -i "$TMP/d"
	like "$how: nothing matches, and it says so" "$TMP/err" "^no sample of $TMP/d matches what was asked for: (fields|command|time|process)\$"
done
run_ok "what matches" "$PERF_LITE" script -i "$TMP/d" --filter 'reason == NO_SOCKET'
unlike "needs no word" "$TMP/err" 'no sample'
run "$PERF_LITE" script -i "$TMP/d" --filter 'reson == 3'
rc_is 1 "a field that no event has is refused"
like "with an arrow to it" "$TMP/err" '^ +\\___ the event has no field .reson.$'
like "and what may be meant" "$TMP/err" "^hint: did you mean 'reason'"
run "$PERF_LITE" script -i "$TMP/d" --filter 'reason == NO_SOKET'
like "so is a value" "$TMP/err" "^hint: did you mean 'NO_SOCKET'"
"$PERF_LITE" record -q -e skb:kfree_skb -e raw_syscalls:sys_enter --filter 'id == 110' -o "$TMP/d" -- \
	"$PROG/drops" --udp 3 >/dev/null 2>&1
is "of several events, only those with the fields pass" "$(samples --filter 'reason == NO_SOCKET')" 3

# ---- mistakes ----

mistake()
{
	"$PERF_LITE" record -e skb:kfree_skb --filter "$1" -o "$TMP/none" -- true 2>"$TMP/err"
	[ $? = 1 ] && grep -q '^ *\\___ ' "$TMP/err" && grep -q "$2" "$TMP/err" && [ ! -e "$TMP/none" ]
}
ok "an unknown function" mistake 'location == __udp4_lib_rcvv' "did you mean '__udp4_lib_rcv'"
ok "an empty comparison" mistake 'reason ==' 'is missing here'
ok "a number that does not fit" mistake 'protocol == 0x10000' 'does not fit into the 16 bits'
ok "a task's name in an alternative that runs here" mistake 'comm == x || reason == protocol' 'join them with &&'
done_testing
