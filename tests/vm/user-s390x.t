# SPDX-License-Identifier: GPL-2.0
#
# The analyser as a program of s390x, where words are big-endian.
. tests/lib.sh
. tests/vm/user.sh
vm_user s390x
done_testing
