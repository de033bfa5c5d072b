# SPDX-License-Identifier: GPL-2.0
#
# Damaged recordings and perf.data files: no command crashes, hangs or fills the memory, and none prints something else
# of a recording and ends with 0 (tests/inject/damage.py; `make prove` does more). Under ASan and UBSan, if the compiler has them.
. tests/lib.sh
need_cmd python3
need own

d=$TMP/d
f=$d/plain.own
ok "recordings" sh tests/inject/recordings.sh "$d" --small
ok "of this machine too" test -s "$f"

reader=$PERF_LITE
if [ -x "$O/san/tests/golden/oom" ]; then
	reader=$TMP/perf-lite-san
	printf '#!/bin/sh\n# for damage.py: __asan_init\nexec "%s" --once "$@"\n' "$O/san/tests/golden/oom" >"$reader"
	chmod +x "$reader"
fi
# damaged DESC ARG...
damaged()
{
	desc=$1
	shift
	rc=0
	python3 tests/inject/damage.py "$reader" "$d" "$@" >"$TMP/said" 2>&1 || rc=$?
	[ $rc -eq 0 ] || diag_file "$TMP/said"
	ok "$desc ($(sed -n 's/^damage: seed/seed/p' "$TMP/said"))" test $rc -eq 0
}

damaged "not at all, each command" 1 --runs 0 --seed 1 --only whole
damaged "bytes" 1 --runs 1 --seed 1 --only flip,byte,word,zeros,copied,cut,longer,foreign
damaged "blocks" 3 --runs 1 --seed 1 --only without,again,moved,swapped,blank,strange
damaged "checksums that agree" 4 --runs 1 --seed 1 --only sealed

# The header alone is printed: what of it is missing is told as well.
at=$("$PERF_LITE" verify -v "$f" | awk '$2 == "ATTR" { print $1 }')
cp "$f" "$TMP/bad"
printf '\377\0\377\0' | dd of="$TMP/bad" bs=1 seek=$((at + 100)) conv=notrunc 2>/dev/null
for what in "script --header-only" "report --header-only" evlist; do
	# shellcheck disable=SC2086
	run "$PERF_LITE" $what -i "$TMP/bad"
	rc_is 3 "$what: events that are damaged"
	like "are told of" "$TMP/err" "is damaged: .* passed over from byte $at on"
done

# A block that is gone: its neighbours are whole, but their numbers tell.
at=$("$PERF_LITE" verify -v "$f" | awk '$2 == "SYMS" { print $1; exit }')
next=$("$PERF_LITE" verify -v "$f" | awk -v at="$at" '$1 ~ /^[0-9]+$/ && $2 ~ /^[A-Z]+$/ && $1 > at { print $1; exit }')
{ head -c "$at" "$f"; tail -c +$((next + 1)) "$f"; } >"$TMP/bad"
for what in script report "convert --to gecko -o -"; do
	# shellcheck disable=SC2086
	run "$PERF_LITE" $what -i "$TMP/bad"
	rc_is 3 "$what: a block of names is missing"
	like "which is told" "$TMP/err" "is damaged: 1 block is missing before byte $at"
done
run "$PERF_LITE" pack -q -o "$TMP/packed" "$TMP/bad"
rc_is 1 "pack: refused"
like "which is told" "$TMP/err" "it is damaged at byte $at"
run "$PERF_LITE" pack -q --force -o "$TMP/packed" "$TMP/bad"
rc_is 3 "pack --force: packed without it"

ok "events twice: made" python3 tests/inject/damage.py --late "$f" "$TMP/late"
run "$PERF_LITE" verify "$TMP/late"
rc_is 3 "verify calls events after the first samples damage"
like "and says so" "$TMP/out" "describes events after the first samples"
run "$PERF_LITE" script -i "$TMP/late"
rc_is 3 "script passes over them"
"$PERF_LITE" script -i "$f" >"$TMP/want" 2>/dev/null
is_file "with the text of the original" "$TMP/out" "$TMP/want"
done_testing
