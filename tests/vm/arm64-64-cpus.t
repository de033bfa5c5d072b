# SPDX-License-Identifier: GPL-2.0
#
# 64 CPUs.
. tests/lib.sh
. tests/vm/lib.sh
# Whenever a mapping changes qemu stops all CPUs, which costs the square of their number: so fewer and larger mappings of the kernel.
VM_CPUS=64 VM_MEMORY=2G VM_APPEND=rodata=off
export VM_CPUS VM_MEMORY VM_APPEND
vm_boot arm64-6.1 many
done_testing
