# SPDX-License-Identifier: GPL-2.0
#
# riscv64, Linux 6.12. Its counters are inexact without -icount, and with that it does not boot.
. tests/lib.sh
. tests/vm/lib.sh
vm_boot riscv64-6.12 drops counts samples hotplug
vm_read drops.script drops.data
done_testing
