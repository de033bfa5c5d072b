# SPDX-License-Identifier: GPL-2.0
#
# Runs last: lists every test that was skipped, and fails if there are any on a machine that has
# all that the tests ask for.
. tests/lib.sh

skips=$O/tests/skips
[ -f "$skips" ] || : >"$skips"
[ -s "$skips" ] && { diag "skipped:"; sed 's/^/#   /' "$skips" >&2; }

all_here()
{
	[ "$(id -u)" -eq 0 ] || return 1
	uname -r | awk -F. '{ exit !($1 > 5 || $1 == 5 && $2 >= 8) }' || return 1
	perf --version >/dev/null 2>&1
}

if all_here; then
	is "root, Linux 5.8 or newer, perf: nothing is skipped" "$(grep -c . "$skips")" 0
else
	pass "$(grep -c . "$skips") skipped: not root, Linux before 5.8, or no perf"
fi
done_testing
