# SPDX-License-Identifier: GPL-2.0
#
# riscv64, Linux 6.12, with counters.
. tests/lib.sh
. tests/vm/lib.sh
vm_boot riscv64-6.12 drops counts samples counters hotplug limits
vm_read drops.script drops.data
vm_read period.script period.data
done_testing
