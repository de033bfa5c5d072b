# SPDX-License-Identifier: GPL-2.0
#
# s390x, Linux 6.1, where words are big-endian.
. tests/lib.sh
. tests/vm/lib.sh
vm_boot s390x-6.1 counts
done_testing
