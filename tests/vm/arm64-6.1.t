# SPDX-License-Identifier: GPL-2.0
#
# arm64, Linux 6.1, with counters that count and sample.
. tests/lib.sh
. tests/vm/lib.sh
vm_modules arm64-6.1 bridge
vm_boot arm64-6.1 drops counts samples counters hotplug limits probes rings stacks functions kernel-functions kernel-modules call-arguments
vm_read drops.script drops.data
vm_read stacks-dwarf.script stacks-dwarf.data --no-inline
vm_read fp.script fp.data --no-inline
vm_read period.script period.data
done_testing
