# SPDX-License-Identifier: GPL-2.0
#
# A recorder that is killed at random moments, other ones each time: tests/inject/kills.sh.
. tests/lib.sh
need_event raw_syscalls:sys_enter

# kills DESC N HOW...
kills()
{
	desc=$1
	n=$2
	seed=$(date +%N | sed 's/^0*//')
	shift 2
	rc=0
	sh tests/inject/kills.sh "$n" "${seed:=1}" "$@" >"$TMP/said" 2>&1 || rc=$?
	[ $rc -eq 0 ] || diag_file "$TMP/said"
	ok "$desc (seed $seed)" test $rc -eq 0
}

kills "20 times with a guardian" 20 storm after rare piped
kills "20 times without one" 20 alone
done_testing
