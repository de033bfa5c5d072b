# SPDX-License-Identifier: GPL-2.0
#
# lib.sh - TAP for tests in sh. A test starts with
#
#	. tests/lib.sh
#
# makes its checks, and ends with done_testing. It is run from the top of the tree by tests/run.
#
#   $O           the build folder, absolute        $PERF_LITE   the command, absolute
#   $TMP         an empty folder, removed at the end
#
#   run CMD...          run it: exit status in $rc, output in $TMP/out and $TMP/err
#   ok DESC CMD...      passes if CMD succeeds; not CMD... turns a result round
#   is DESC GOT WANT    passes if the strings are equal
#   is_file DESC GOT WANT          passes if the files are equal; shows the difference
#   like DESC FILE ERE, unlike     passes if a line matches (no line does)
#   rc_is N DESC        passes if the last run ended with N
#   run_ok DESC CMD...  run it; passes if it ended with 0
#   skip DESC REASON    one test that cannot be made here
#   skip_outside DESC REASON       ... for want of what no package brings: an answer of a server, a second CPU
#   need_root, need_cmd CMD..., need_perf, need_tracefs, need_netns, need_event EVENT
#                       skip the whole file unless there is one
#   at_exit CMD...      run at the end, last one first (words must hold no blanks)
#   wait_for SECONDS CMD...        poll until CMD succeeds
#   diag TEXT...        a remark; diag_file FILE shows its first lines

set -u
LC_ALL=C
export LC_ALL
unset PAGER PERF_CONFIG

: "${O:=build}"
O=$(cd "$O" && pwd) || exit 1
PERF_LITE=$O/perf-lite
PROG=$O/tests/prog
export O PERF_LITE PROG
TMP=$(mktemp -d "${TMPDIR:-/tmp}/pl-test.XXXXXX") || exit 1

tap_nr=0 tap_failed=0 tap_done='' tap_at_exit=
rc=0

tap_end()
{
	tap_rc=$?
	trap - EXIT
	eval "$tap_at_exit"
	cd / && rm -rf "$TMP"
	if [ -z "$tap_done" ]; then
		echo "# the test ended before done_testing" >&2
		[ $tap_rc -ne 0 ] || tap_rc=1
	elif [ $tap_failed -gt 0 ]; then
		tap_rc=1
	fi
	exit $tap_rc
}
trap tap_end EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

at_exit()
{
	tap_at_exit="$*; $tap_at_exit"
}

diag()
{
	printf '# %s\n' "$*" >&2
}

diag_file()
{
	sed -n '1,20s/^/#   /p' "$1" >&2
}

pass()
{
	tap_nr=$((tap_nr + 1))
	echo "ok $tap_nr - $1"
}

fail()
{
	tap_nr=$((tap_nr + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_nr - $1"
	diag "failed: $1"
}

skip()
{
	tap_nr=$((tap_nr + 1))
	echo "ok $tap_nr - $1 # SKIP $2"
}

# tests/cli/zz-skips.t knows these words.
outside="no package brings it"

skip_outside()
{
	skip "$1" "$outside: $2"
}

skip_all()
{
	echo "1..0 # SKIP $*"
	tap_done=1
	exit 0
}

done_testing()
{
	echo "1..$tap_nr"
	tap_done=1
	exit 0
}

not()
{
	! "$@"
}

run()
{
	rc=0
	"$@" >"$TMP/out" 2>"$TMP/err" </dev/null || rc=$?
}

ok()
{
	tap_desc=$1
	shift
	if "$@" >"$TMP/ok.out" 2>&1; then
		pass "$tap_desc"
	else
		fail "$tap_desc"
		diag "command: $*"
		diag_file "$TMP/ok.out"
	fi
}

is()
{
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1"
		printf 'got:  %s\nwant: %s\n' "$2" "$3" >"$TMP/ok.out"
		diag_file "$TMP/ok.out"
	fi
}

is_file()
{
	if cmp -s "$2" "$3"; then
		pass "$1"
	else
		fail "$1"
		diff -u "$3" "$2" >"$TMP/ok.out" 2>&1
		diag_file "$TMP/ok.out"
	fi
}

like()
{
	if grep -Eq -e "$3" "$2"; then
		pass "$1"
	else
		fail "$1"
		diag "no line of $2 matches: $3"
		diag_file "$2"
	fi
}

unlike()
{
	if grep -E -e "$3" "$2" >"$TMP/ok.out" 2>&1; then
		fail "$1"
		diag "matches $3:"
		diag_file "$TMP/ok.out"
	else
		pass "$1"
	fi
}

rc_is()
{
	if [ "$rc" -eq "$1" ]; then
		pass "$2"
	else
		fail "$2"
		diag "exit status $rc, not $1; standard error:"
		diag_file "$TMP/err"
	fi
}

run_ok()
{
	tap_desc=$1
	shift
	run "$@"
	rc_is 0 "$tap_desc"
}

wait_for()
{
	tap_polls=$(($1 * 20))
	shift
	while ! "$@" >/dev/null 2>&1; do
		[ $tap_polls -gt 0 ] || return 1
		tap_polls=$((tap_polls - 1))
		sleep 0.05
	done
}

need_root()
{
	[ "$(id -u)" -eq 0 ] || skip_all "needs root"
}

need_cmd()
{
	for tap_cmd; do
		command -v "$tap_cmd" >/dev/null || skip_all "needs $tap_cmd"
	done
}

need_perf()
{
	need_cmd perf
	perf --version >/dev/null 2>&1 || skip_all "perf does not run here"
}

# Mounted, as the installed perf wants it; perf-lite itself can do without.
need_tracefs()
{
	need_root
	[ -e /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing ||
		skip_all "no tracefs"
}

need_netns()
{
	need_root
	need_cmd unshare ip tc
	unshare -n true 2>/dev/null || skip_all "no network namespaces"
}

need_event()
{
	need_tracefs
	[ -e "/sys/kernel/tracing/events/$(echo "$1" | tr : /)/id" ] || skip_all "no event $1"
}
