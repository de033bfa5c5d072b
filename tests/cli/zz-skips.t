# SPDX-License-Identifier: GPL-2.0
#
# Runs last: lists every test that was skipped, and fails if there are any on a machine that has
# all that the tests ask for. What no package brings (skip_outside) is told, no more. So are the
# tests that failed at first (TEST_TRIES): each is a defect, of the program or of the test.
. tests/lib.sh

skips=$O/tests/skips
[ -f "$skips" ] || : >"$skips"
grep ": $outside: " "$skips" >"$TMP/outside"
grep -v ": $outside: " "$skips" >"$TMP/here"
for file in outside here; do
	[ ! -s "$TMP/$file" ] || diag "skipped: $(wc -l <"$TMP/$file")"
	sed 's/^/#   /' "$TMP/$file" >&2
done

if [ -s "$O/tests/retried" ]; then
	diag "failed at first: $(wc -l <"$O/tests/retried")"
	sed 's/^/#   /' "$O/tests/retried" >&2
fi

all_here()
{
	[ "$(id -u)" -eq 0 ] || return 1
	uname -r | awk -F. '{ exit !($1 > 5 || $1 == 5 && $2 >= 8) }' || return 1
	perf --version >/dev/null 2>&1
}

nr=$(grep -c . "$TMP/here")
if all_here; then
	is "root, Linux 5.8 or newer, perf: nothing is skipped" "$nr" 0
else
	pass "$nr skipped: not root, Linux before 5.8, or no perf"
fi
done_testing
