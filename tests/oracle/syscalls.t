# SPDX-License-Identifier: GPL-2.0
# System calls of the same programs, told by strace, by perf trace and here: names, arguments, results, sums.
. tests/lib.sh
need_root
need_perf
need_event raw_syscalls:sys_enter
need_cmd strace python3 setarch

# Addresses are the same in each run, and as few things around as can be.
fixed()
{
	env -i PATH=/usr/bin:/bin HOME=/ setarch "$(uname -m)" -R "$@"
}

compare()
{
	python3 tests/oracle/syscalls.py "$@" 2>&1
}

check()
{
	what=$1
	shift
	fixed strace -s 4096 -o "$TMP/strace" -- "$@" >/dev/null 2>&1
	fixed "$PERF_LITE" record -q -m 4M -e 'raw_syscalls:*' -o "$TMP/d" -- "$@" >/dev/null 2>&1
	"$PERF_LITE" trace -i "$TMP/d" >"$TMP/ours" 2>/dev/null
	is "$what: as strace tells it" "$(compare strace "$TMP/strace" "$TMP/ours")" "many calls alike"
	# perf misses a call now and then, with and without knowing: it is asked again
	for try in 1 2 3 4 5; do
		# with -o the program would have one descriptor more
		fixed perf trace -- "$@" >/dev/null 2>"$TMP/perf"
		alike=$(compare perf "$TMP/perf" "$TMP/ours")
		[ "$alike" != "many calls alike" ] || break
		diag "$what: perf trace differs, try $try"
	done
	if [ "$alike" != "many calls alike" ] && grep -q LOST "$TMP/perf"; then
		skip_outside "$what: as perf tells it" "perf has lost some"
		return
	fi
	is "$what: as perf trace tells it" "$alike" "many calls alike"
}

check "known calls" "$PROG/calls" "$TMP/made" 20
check "cat" cat /etc/passwd
check "ls" ls -l /usr
check "sort" sort --parallel=1 /etc/passwd
check "sed" sed -n '$p' /etc/group

# Sums. perf misses a call now and then and does not know: it is asked again.
sums()
{
	awk '$1 ~ /^[a-z_0-9]+$/ && NF == 8 && $2 ~ /^[0-9]+$/ && $1 != "exit_group" { print $1, $2, $3 }' "$1" | sort
}
fixed "$PERF_LITE" trace -s -q -- "$PROG/calls" "$TMP/made" 500 >"$TMP/ours" 2>&1
# the name comes last here, and below all calls their total
awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ && $NF != "exit_group" && $NF != "total" { print $NF, $1, $2 }' "$TMP/ours" |
	sort >"$TMP/ours.sums"
like "all calls are in the table" "$TMP/ours.sums" '^getppid 500 0$'
for try in 1 2 3 4 5; do
	fixed perf trace -s -- "$PROG/calls" "$TMP/made" 500 >"$TMP/perf" 2>&1
	sums "$TMP/perf" >"$TMP/perf.sums"
	! cmp -s "$TMP/ours.sums" "$TMP/perf.sums" || break
	diag "perf: $(grep '^getppid' "$TMP/perf.sums"), try $try"
done
is_file "calls and errors of each sort" "$TMP/ours.sums" "$TMP/perf.sums"

# With the texts: this program prints nothing.
fixed "$PERF_LITE" trace -q -m 4M -e 'syscalls:*' -- "$PROG/calls" "$TMP/made" 20 >"$TMP/ours" 2>/dev/null
fixed strace -s 4096 -o "$TMP/strace" -- "$PROG/calls" "$TMP/made" 20
is "texts, as strace tells them" "$(compare strace "$TMP/strace" "$TMP/ours")" "many calls alike"

done_testing
