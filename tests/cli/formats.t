# SPDX-License-Identifier: GPL-2.0
#
# Recordings of older versions are read. payload-1.data has DATA payloads of version 1: 400 calls of
# getppid that carry their number ("storm 400"), with call chains, and what else that program called.
. tests/lib.sh
f=tests/cli/payload-1.data
seq 0 399 | while read -r i; do printf '%x\n' "$i"; done >"$TMP/numbers"

run_ok "it is whole" "$PERF_LITE" verify "$f"
is "and says so" "$(head -n 1 "$TMP/out")" "$f: whole, and its account closes"
"$PERF_LITE" script -G -F trace -i "$f" >"$TMP/trace" 2>"$TMP/err"
is "all of its calls" "$(wc -l <"$TMP/trace")" 452
sed -n 's/^NR 110 (\([0-9a-f]*\),.*/\1/p' "$TMP/trace" >"$TMP/called"
run_ok "each with its number" cmp "$TMP/numbers" "$TMP/called"
"$PERF_LITE" script -F ip,sym,time,comm -i "$f" >"$TMP/stacks" 2>"$TMP/err"
is "and its call chain, with names" "$(grep -c ' do_syscall_64$' "$TMP/stacks")" 452

run_ok "recoded as of now" "$PERF_LITE" pack -q -o "$TMP/new.data" "$f"
"$PERF_LITE" script -G -F trace -i "$TMP/new.data" >"$TMP/trace.new" 2>"$TMP/err"
"$PERF_LITE" script -F ip,sym,time,comm -i "$TMP/new.data" >"$TMP/stacks.new" 2>"$TMP/err"
run_ok "it says the same" cmp "$TMP/trace" "$TMP/trace.new"
run_ok "in its stacks, too" cmp "$TMP/stacks" "$TMP/stacks.new"

done_testing
