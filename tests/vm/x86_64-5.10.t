# SPDX-License-Identifier: GPL-2.0
#
# x86-64, Linux 5.10: no hardware counters, but probes in the kernel.
. tests/lib.sh
. tests/vm/lib.sh
vm_boot x86_64-5.10 drops counts samples hotplug limits probes kernel-code reasons live count arguments readers kernel-functions call-arguments
vm_read drops.script drops.data
vm_read probes.script probes.data
done_testing
