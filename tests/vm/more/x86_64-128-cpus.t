# SPDX-License-Identifier: GPL-2.0
#
# 128 CPUs. By hand, since an emulator of so many takes minutes: make check-vm VM_T=tests/vm/more/x86_64-128-cpus.t
. tests/lib.sh
. tests/vm/lib.sh
VM_CPUS=128 VM_MEMORY=3G VM_SECONDS=1300
export VM_CPUS VM_MEMORY VM_SECONDS
vm_boot x86_64-6.12 many
done_testing
