# SPDX-License-Identifier: GPL-2.0
#
# System calls of commands that read recordings fail: what they print does not silently lack something, and what was at the
# path of their output is not harmed (tests/inject/calls.py; `make prove` does more).
. tests/lib.sh
need_cmd python3 strace

ok "recordings" sh tests/inject/recordings.sh "$TMP/d" --small
rc=0
python3 tests/inject/calls.py "$PERF_LITE" "$TMP/d" 1 --seed 1 --some 2 --spin "$PROG/spin" >"$TMP/said" 2>&1 || rc=$?
[ $rc -eq 0 ] || diag_file "$TMP/said"
ok "calls that fail ($(sed -n 's/^calls: seed/seed/p' "$TMP/said"))" test $rc -eq 0
done_testing
