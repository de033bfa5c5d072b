# SPDX-License-Identifier: GPL-2.0
#
# s390x, Linux 6.1, where words are big-endian.
. tests/lib.sh
. tests/vm/lib.sh
vm_boot s390x-6.1 drops counts samples hotplug limits rings stacks functions call-arguments
vm_read drops.script drops.data
vm_read stacks-dwarf.script stacks-dwarf.data --no-inline
done_testing
