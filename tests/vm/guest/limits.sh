# SPDX-License-Identifier: GPL-2.0
#
# What kernels do that a recorder must know of.
. /tests/lib.sh

# The length of a record has 16 bits, and the kernel lets its own sums wrap around: the copy of the stack must leave room.
# Samples of the program's start have the dynamic linker's stacks, and on s390x the host's own time makes many of them.
for size in 8192 65528; do
	run "$PERF_LITE" record -e cpu-clock:u -F 200 --call-graph dwarf,$size --keep-stacks -o "$TMP/deep.data" -- "$PROG/deep" 40 500
	rc_is 0 "copies of $size bytes of stacks"
	run "$PERF_LITE" verify "$TMP/deep.data"
	rc_is 0 "verify"
	"$PERF_LITE" script -q -i "$TMP/deep.data" -F comm,ip,sym >"$TMP/deep" 2>&1
	samples=$(grep -c ' burn$' "$TMP/deep")
	whole=$(grep -c ' main$' "$TMP/deep")
	diag "$size: $samples samples, $whole with main"
done
ok "samples with all of their stack" test "$samples" -gt 5 -a "$whole" -ge $((samples * 8 / 10))
ok "each of its frames" test "$(grep -c ' down$' "$TMP/deep")" -ge $((whole * 38))
# Behind the copy too: registers of the interrupted code
run "$PERF_LITE" record -e cpu-clock:u -F 200 --call-graph dwarf,65528 --intr-regs --keep-stacks -o "$TMP/deep.data" -- "$PROG/deep" 40 500
rc_is 0 "copies of stacks, and registers behind them"
"$PERF_LITE" script -q -i "$TMP/deep.data" -F comm,ip,sym >"$TMP/deep" 2>&1
samples=$(grep -c ' burn$' "$TMP/deep")
ok "samples with all of their stack" test "$samples" -gt 5 -a "$(grep -c ' main$' "$TMP/deep")" -ge $((samples * 8 / 10))
run "$PERF_LITE" record -e cpu-clock --call-graph dwarf,65536 -o "$TMP/deep.data" -- true
ok "more than the kernel can copy: refused, or less is copied" test $rc -le 2

# A filter can be set once for each event: several events, CPUs and a filter each
run_ok "two events with a filter each" "$PERF_LITE" record -a -o "$TMP/filter.data" \
	-e raw_syscalls:sys_enter --filter 'id == 173' -e raw_syscalls:sys_exit --filter 'id == 173' -- "$PROG/storm" 100
run "$PERF_LITE" verify "$TMP/filter.data"
rc_is 0 "verify"

# Inherited groups whose members are read together: EINVAL before 6.12
run_ok "a group with read counts, inherited" "$PERF_LITE" record -e '{cpu-clock,page-faults}:S' -o "$TMP/group.data" -- "$PROG/faults" 3000
run_ok "script" "$PERF_LITE" script -i "$TMP/group.data"
run_ok "stat of a group, inherited" "$PERF_LITE" stat -e '{task-clock,page-faults}' -- "$PROG/threads" 20
unlike "is counted" "$TMP/err" "not (counted|supported)"

# Rings count against what a user may lock, and root is asked, too, by BPF before 5.11
run sh -c 'ulimit -l 64; exec "$@"' sh "$PERF_LITE" record -m 8M -a -e dummy -o "$TMP/locked.data" -- true
rc_is 0 "rings of 8M while little memory may be locked"

# Who is not root: with what is allowed to everybody, it says what is not allowed
chmod 1777 /tmp
mkdir -p /etc
echo 'nobody:x:65534:65534:nobody:/:/bin/sh' >/etc/passwd
chmod 755 "$TMP"
mkdir -p "$TMP/nobody" && chmod 777 "$TMP/nobody"
echo 2 >/proc/sys/kernel/perf_event_paranoid
run su nobody -s /bin/sh -c "$PERF_LITE record -e cpu-clock:u -o $TMP/nobody/d -- $PROG/spin 50"
rc_is 0 "somebody else records a program of theirs"
run su nobody -s /bin/sh -c "$PERF_LITE record -a -e cpu-clock -o $TMP/nobody/d -- true"
rc_is 2 "and not everybody"
like "and is told why" "$TMP/err" "perf_event_paranoid|CAP_PERFMON|root"
echo 3 >/proc/sys/kernel/perf_event_paranoid 2>/dev/null
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 3 ]; then
	run su nobody -s /bin/sh -c "$PERF_LITE record -e cpu-clock:u -o $TMP/nobody/d -- $PROG/spin 50"
	like "Debian's level 3 is told of" "$TMP/err" "perf_event_paranoid"
fi
done_testing
