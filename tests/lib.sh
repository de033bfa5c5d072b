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
#   is_between DESC GOT LEAST MOST passes if the number is one of these, or between them
#   is_file DESC GOT WANT          passes if the files are equal; shows the difference
#   like DESC FILE ERE, unlike     passes if a line matches (no line does)
#   rc_is N DESC        passes if the last run ended with N
#   run_ok DESC CMD...  run it; passes if it ended with 0
#   undisturbed FILE CMD...   run it, which records FILE, until no busy machine kept the recorder from running meanwhile
#   can ABILITY|CMD     true if this process can do it (tests/prog/can.c has the names), or if the command is installed
#   need ABILITY|CMD... skip the rest of the file unless it can
#   need_idle_tasks     go on where the kernel tells of idle tasks alone; skip the rest if that is on no CPU
#   skip_without DESC ABILITY|CMD...  skip one test that needs them
#   libc_names          true if the C library's own functions have names (package libc6-dbg), else skip_libc_names DESC
#   links DESC FLAG...  true if the compiler links programs with these; else DESC is skipped, with the reason
#   skip_outside DESC REASON       skip one that needs what no package brings: an answer from a server, a second CPU
#   need_root           need what recording everything takes: everybody, the kernel's addresses
#   perf_compat         the installed perf, in the words of --compat: 6.1, or 6.12 (ask for perf-known first)
#   as_known_to_both FILE...        names that perf 6.12 has and 6.1 (and we) lack are no difference
#   need_tracefs, need_event EVENT, need_netns, need_perf, need_cmd CMD...
#   at_exit CMD...      run at the end, last one first (words must hold no blanks)
#   wait_for SECONDS CMD...        poll until CMD succeeds
#   said FILE                      its lines, but for the note on a PID namespace, which is true wherever that is so
#   python_with MODULE             $python is a python3 that has it; false: none has, and it is python3
#   handles SIGNAL PID             the process has installed a handler: now a signal ends it as it should
#   watches PID                    a live command or recorder has its events, and waits for more of them
#   diag TEXT...        a remark; diag_file FILE shows its first lines

set -u
LC_ALL=C
export LC_ALL
unset PAGER PERF_CONFIG XDG_CONFIG_HOME
# numbers of descriptors are in what tests expect
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
# what tests run as root, also under sudo, writes as root
unset SUDO_UID SUDO_GID SUDO_USER

: "${O:=build}"
O=$(cd "$O" && pwd) || exit 1
PERF_LITE=$O/perf-lite
PROG=$O/tests/prog
export O PERF_LITE PROG
TMP=$(mktemp -d "${TMPDIR:-/tmp}/pl-test.XXXXXX") || exit 1
PERF_MAPS=$TMP/perf-maps # tests/prog/perf_map.h lists there what is removed at the end
export PERF_MAPS

tap_nr=0 tap_failed=0 tap_done='' tap_at_exit=
rc=0

tap_end()
{
	tap_rc=$?
	trap - EXIT
	eval "$tap_at_exit"
	[ ! -e "$PERF_MAPS" ] || xargs rm -f <"$PERF_MAPS"
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
not_installed="not installed"
outside="no package brings it"

libc_names()
{
	[ -n "${tap_libc_names:-}" ] ||
		{ sh scripts/dev/libc-names && tap_libc_names=yes; } || tap_libc_names=no
	[ $tap_libc_names = yes ]
}

skip_libc_names() # DESC
{
	skip "$1" "names of libc's functions ($not_installed)"
}

skip_outside()
{
	skip "$1" "$outside: $2"
}

# After tests that could be made it skips the rest.
skip_all()
{
	if [ $tap_nr -gt 0 ]; then
		skip "the rest" "$*"
		done_testing
	fi
	echo "1..0 # SKIP $*"
	tap_done=1
	exit 0
}

# The answers of tests/prog/can. make check asks once for all tests.
can_file=$O/tests/can
if [ ! -s "$can_file" ]; then
	can_file=$TMP/can
	"$PROG/can" >"$can_file" || skip_all "$PROG/can is not built"
fi

can()
{
	case $(awk -v name="$1" '$1 == name { print $2 }' "$can_file") in
	yes) return 0 ;;
	no) return 1 ;;
	esac
	# of a compiler with a wrapper before it, that
	command -v "${1%% *}" >/dev/null
}

why_not() # ABILITY|CMD
{
	awk -v name="$1" '$1 == name { sub(/^[^ ]* no /, ""); print; known = 1 } END { exit !known }' "$can_file" ||
		echo "$1 ($not_installed)"
}

need()
{
	for tap_need; do
		can "$tap_need" || skip_all "$(why_not "$tap_need")"
	done
}

# For what pairs switches from and to the idle task: not every kernel tells of those of all CPUs.
need_idle_tasks()
{
	can idle-tasks && return
	tap_cpus=$(why_not idle-tasks | sed -n 's/.*they come on CPU \([0-9,]*\) alone.*/\1/p')
	[ -n "$tap_cpus" ] || need idle-tasks
	taskset -pc "$tap_cpus" $$ >/dev/null || skip_all "$outside: taskset"
}

skip_without() # DESC ABILITY|CMD...
{
	tap_desc=$1
	shift
	for tap_need; do
		can "$tap_need" || break
	done
	skip "$tap_desc" "$(why_not "$tap_need")"
}

links()
{
	tap_desc=$1
	shift
	if echo 'int main(void) { return 0; }' | ${CC:-cc} "$@" -o "$TMP/links" -x c - 2>/dev/null; then
		case " $* " in
		*" -m32 "*) can 32-bit || { skip_without "$tap_desc" 32-bit; return 1; } ;;
		esac
		return 0
	fi
	case " $(uname -m) $* " in
	*" -fuse-ld=lld "*) can ld.lld || { skip_without "$tap_desc" ld.lld; return 1; } ;;
	" x86_64"*" -m32 "*) skip "$tap_desc" "32-bit programs ($not_installed)"; return 1 ;;
	esac
	skip_outside "$tap_desc" "${CC:-cc} cannot link with $*"
	return 1
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

is_between() { ok "$1: $3 <= $2 <= $4" awk "BEGIN { exit !($2 >= $3 && $2 <= $4) }"; }

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

undisturbed()
{
	undisturbed_file=$1
	shift
	for undisturbed_try in 1 2 3 4 5; do
		run "$@"
		"$PERF_LITE" verify "$undisturbed_file" >"$TMP/undisturbed" 2>&1
		grep -q 'recorder not running' "$TMP/undisturbed" || return 0
		diag "$undisturbed_file: the recorder had to wait for a CPU, try $undisturbed_try"
	done
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

said()
{
	grep -v '^running in a PID namespace: ' "$1"
}

# A python3 of somebody's own may be in front, without what Debian's packages bring.
python_with()
{
	for python in python3 /usr/bin/python3; do
		! PYTHONWARNINGS=ignore $python -c "import $1" 2>/dev/null || return 0
	done
	python=python3
	return 1
}

# A child of a shell has the shell's handlers until it executes a command.
handles()
{
	tap_executed=$(readlink "/proc/$2/exe") && [ "$tap_executed" != "$(readlink "/proc/$$/exe")" ] || return 1
	tap_caught=$(sed -n 's/^SigCgt:[^0-9a-f]*//p' "/proc/$2/status") &&
		test $((0x$tap_caught >> ($(env kill -l "$1") - 1) & 1)) -eq 1
}

watches()
{
	grep -q epoll_wait "/proc/$1/wchan" && sleep 0.2 && grep -q epoll_wait "/proc/$1/wchan"
}

need_root()
{
	need everybody kallsyms
}

need_cmd()
{
	need "$@"
}

need_perf()
{
	need perf
}

perf_compat()
{
	if can perf-6.1; then echo 6.1; else echo 6.12; fi
}

as_known_to_both()
{
	can perf-6.1 || sed -E -i \
		's/ ([^ ]*@plt|\.plt|_init|\[unknown\])(\+0x[0-9a-f]+)?( |$)/ ?\3/g; s/ [^ ]+ (\(\[vdso\]\))/ ? \1/g' "$@"
}

need_tracefs()
{
	need tracepoints
}

need_netns()
{
	need netns ip tc
}

need_event()
{
	need tracepoints
	[ -e "/sys/kernel/tracing/events/$(echo "$1" | tr : /)/id" ] && return
	need events
	skip_all "$1 (no such event)"
}
