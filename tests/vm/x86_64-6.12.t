# SPDX-License-Identifier: GPL-2.0
#
# x86-64, Linux 6.12: probes and functions of the kernel; counters, of a module of ours.
. tests/lib.sh
. tests/vm/lib.sh
vm_module x86_64-6.12 fakepmu
vm_modules x86_64-6.12 openvswitch
vm_boot x86_64-6.12 drops counts samples hotplug limits probes stacks rings functions pmu drops-dev reasons kernel-functions readers call-arguments
vm_read drops.script drops.data
vm_read probes.script probes.data
done_testing
