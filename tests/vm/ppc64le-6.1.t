# SPDX-License-Identifier: GPL-2.0
#
# ppc64le, Linux 6.1: pages of 64 KiB.
. tests/lib.sh
. tests/vm/lib.sh
vm_boot ppc64le-6.1 drops counts samples rings hotplug limits stacks functions call-arguments
vm_read drops.script drops.data
vm_read stacks-dwarf.script stacks-dwarf.data --no-inline
done_testing
