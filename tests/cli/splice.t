# SPDX-License-Identifier: GPL-2.0
# Recordings whose blocks were doubled, swapped, moved or left out: no command may crash or hang.
. tests/lib.sh
need_cmd python3
need own

run_ok "records two events" "$PERF_LITE" record -e cpu-clock:u,context-switches -g -o "$TMP/d" -- "$PROG/spin" 300
ok "40 spliced recordings, all that reads them" \
	python3 tests/inject/splice.py "$PERF_LITE" "$TMP/d" "${SPLICES:-40}"
run_ok "events twice: made" python3 tests/inject/splice.py --late "$TMP/d" "$TMP/late"
run "$PERF_LITE" verify "$TMP/late"
rc_is 3 "verify calls events after the first samples damage"
like "and says so" "$TMP/out" "describes events after the first samples"
run "$PERF_LITE" script -i "$TMP/late"
rc_is 3 "script passes over them"
"$PERF_LITE" script -i "$TMP/d" >"$TMP/want" 2>/dev/null
is_file "with the text of the original" "$TMP/out" "$TMP/want"
done_testing
