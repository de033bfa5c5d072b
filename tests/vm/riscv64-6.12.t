# SPDX-License-Identifier: GPL-2.0
#
# riscv64, Linux 6.12: one CPU, with counters that count and sample.
. tests/lib.sh
. tests/vm/lib.sh
vm_boot riscv64-6.12 drops counts samples counters limits stacks call-arguments
vm_read drops.script drops.data
vm_read stacks-dwarf.script stacks-dwarf.data --no-inline
vm_read period.script period.data
done_testing
