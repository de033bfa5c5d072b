# SPDX-License-Identifier: GPL-2.0
#
# 64 CPUs.
. tests/lib.sh
. tests/vm/lib.sh
VM_CPUS=64 VM_MEMORY=2G
export VM_CPUS VM_MEMORY
vm_boot arm64-6.1 many
done_testing
