# SPDX-License-Identifier: GPL-2.0
#
# x86-64, the newest kernel that is packaged: no hardware counters, but probes in the kernel.
. tests/lib.sh
. tests/vm/lib.sh
vm_modules x86_64-newest openvswitch bridge
vm_boot x86_64-newest drops counts samples hotplug limits probes kernel-code drops-dev reasons live deferred count arguments readers kernel-functions kernel-modules call-arguments
vm_read drops.script drops.data
vm_read deferred.script deferred.data
vm_read probes.script probes.data
vm_read functions.script functions.data -F event,trace -G
done_testing
