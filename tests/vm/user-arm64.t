# SPDX-License-Identifier: GPL-2.0
#
# The analyser as a program of arm64.
. tests/lib.sh
. tests/vm/user.sh
vm_user arm64
done_testing
