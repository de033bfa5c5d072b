# SPDX-License-Identifier: GPL-2.0
#
# x86-64, Linux 6.1: probes in the kernel; counters, of a module of ours.
. tests/lib.sh
. tests/vm/lib.sh

# perf prints what was recorded in the guest, too
as_perf() # FILE FIELDS
{
	run_ok "$1 as perf.data" "$PERF_LITE" convert -f --to perf.data -i "$OUT/$1" -o "$TMP/perf.data"
	perf script -i "$TMP/perf.data" -F "$2" >"$TMP/perf" 2>/dev/null
	ok "$1: perf reads it" test -s "$TMP/perf"
	"$PERF_LITE" script --compat=6.1 -i "$OUT/$1" -F "$2" >"$TMP/ours" 2>/dev/null
	is_file "$1: told as perf tells it" "$TMP/ours" "$TMP/perf"
}

vm_module x86_64-6.1 fakepmu
vm_modules x86_64-6.1 psample bridge
vm_driver x86_64-6.1 CONFIG_NETDEVSIM drivers/net/netdevsim
! command -v devlink >/dev/null || VM_ADD="${VM_ADD-} $(command -v devlink):/usr/sbin"
vm_boot x86_64-6.1 drops counts samples hotplug limits probes pmu traps reasons drops-dev count readers kernel-modules call-arguments
vm_read drops.script drops.data
vm_read probes.script probes.data
if [ -e "$OUT/traps.data" ]; then
	vm_read traps.script traps.data
	run "$PERF_LITE" drops -q -i "$OUT/traps.data"
	is_file "hardware drops are told here as in the guest" "$TMP/out" "$OUT/traps.drops"
fi

if [ ! -e "$OUT/hybrid.data" ]; then
	skip "perf reads branches, memory accesses, sorts of cores" "they were not recorded"
elif perf --version 2>/dev/null | grep -q ' 6\.1\.'; then
	as_perf branches.data comm,tid,time,period,event,ip,brstack
	as_perf memory.data comm,tid,time,event,addr,weight,ip,data_src
	[ ! -e "$OUT/traps.data" ] || as_perf traps.data comm,pid,cpu,time,event,trace
	as_perf hybrid.data comm,tid,cpu,time,event,period,ip
else
	skip "perf reads branches, memory accesses, sorts of cores" "no perf 6.1"
fi
done_testing
