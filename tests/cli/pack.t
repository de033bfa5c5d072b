# SPDX-License-Identifier: GPL-2.0
#
# perf-lite pack: smaller, and nothing of it is lost; in place, elsewhere, through pipes; bad input.
. tests/lib.sh
need_root
f=$TMP/a.data
# rounds into a pipe: many small blocks
# of programs that stay: those of others may have names today and none tomorrow
"$PERF_LITE" record -q -g -e cpu-clock -e sched:sched_switch -o - -- sh -c '"$0/threads" >/dev/null & "$0/forks" >/dev/null
	"$0/spin" 1500 >/dev/null; wait' "$PROG" >"$f" || exit 1
cp "$f" "$TMP/original"
size=$(stat -c %s "$f")
blocks() { "$PERF_LITE" verify -v "$1" | grep -c "^ *[0-9]* $2 "; }
# but for BPF programs that came and went at overlapping addresses: a recording does not say which of them a sample is of
same() # DESC FILE
{
	for side in want got; do
		[ $side = want ] && file=$TMP/original || file=$2
		"$PERF_LITE" script -i "$file" --ns 2>"$TMP/$side.err" |
			sed -E 's/(ffffffffc[0-9a-f]{7}) (bpf_prog_[^ ]*|\[unknown\]) .*/\1 a BPF program/' >"$TMP/$side"
	done
	is_file "$1" "$TMP/got" "$TMP/want"
}

# In place

chmod 640 "$f"
run_ok "in place" "$PERF_LITE" pack "$f"
like "says the sizes" "$TMP/err" "^$f: $size bytes before, [0-9]+ packed \\([0-9.]+ %\\)\$"
is "nothing on standard output" "$(cat "$TMP/out")" ""
ok "smaller" test "$(stat -c %s "$f")" -lt "$size"
is "its mode is kept" "$(stat -c %a "$f")" 640
same "script prints the same" "$f"
"$PERF_LITE" verify -q "$f"
is "verify finds it whole" $? 0
ok "there are fewer blocks" test "$(blocks "$f" DATA)" -lt "$(blocks "$TMP/original" DATA)"
is "nothing else is left" "$(cd "$TMP" && echo *packed* *.old *.tmp)" "*packed* *.old *.tmp"
cp "$f" "$TMP/once"
run_ok "a second time" "$PERF_LITE" pack "$f"
like "is said" "$TMP/err" 'packed already: left as it is$'
is_file "changes nothing" "$f" "$TMP/once"
ln -s a.data "$TMP/link"
cp "$TMP/original" "$f"
run_ok "through a link" "$PERF_LITE" pack -q "$TMP/link"
is "-q says nothing" "$(cat "$TMP/err")" ""
ok "the link stays" test -L "$TMP/link"
ok "what it names is packed" test "$(stat -c %s "$f")" -lt "$size"
cp "$TMP/original" "$TMP/b.data"
cp "$TMP/original" "$TMP/c.data"
run_ok "several files" "$PERF_LITE" pack "$TMP/b.data" "$TMP/c.data"
is "a line each" "$(grep -c packed "$TMP/err")" 2

# whoever owns the folder may have made a link of any name that the new file could have before it takes its place
mkdir "$TMP/shared"
if mknod "$TMP/node" c 1 3 2>/dev/null; then
	chmod 600 "$TMP/node"
	cp "$TMP/original" "$TMP/shared/a.data"
	chmod 644 "$TMP/shared/a.data"
	can users && chown 65534:65534 "$TMP/shared/a.data"
	run_ok "beside links to a device" sh -c 'for name in $$.packed $$-0.tmp; do ln -s ../node "$2.$name"; done; exec "$1" pack -q "$2"' \
		sh "$PERF_LITE" "$TMP/shared/a.data"
	is "the device is as it was" "$(stat -c '%a %u' "$TMP/node")" "600 0"
	ok "the file is packed" test "$(stat -c %s "$TMP/shared/a.data")" -lt "$size"
	is "its mode and owner are kept" "$(stat -c '%a %u' "$TMP/shared/a.data")" "644 $(can users && echo 65534 || echo 0)"
else
	skip_outside "links to a device" "mknod is refused here"
fi

# Elsewhere

run_ok "-o" "$PERF_LITE" pack -o "$TMP/out.data" "$TMP/original"
same "script prints the same" "$TMP/out.data"
is "the original stays" "$(stat -c %s "$TMP/original")" "$size"
run_ok "through pipes" sh -c "cat '$TMP/original' | '$PERF_LITE' pack -z 3 - | cat >'$TMP/piped.data'"
same "script prints the same" "$TMP/piped.data"
run_ok "-o -" sh -c "'$PERF_LITE' pack -z 1 -o - '$TMP/original' >'$TMP/z1.data'"
run_ok "-z 22" "$PERF_LITE" pack -z 22 -o "$TMP/z22.data" "$TMP/original"
ok "a higher level is smaller" test "$(stat -c %s "$TMP/z22.data")" -lt "$(stat -c %s "$TMP/z1.data")"

# Damaged

data=$("$PERF_LITE" verify -v "$TMP/original" | awk '$2 == "DATA" && $5 > 5 { print $1; exit }')
cp "$TMP/original" "$TMP/bad.data"
printf '\377\0\377\0' | dd of="$TMP/bad.data" bs=1 seek=$((data + 90)) conv=notrunc 2>/dev/null
cp "$TMP/bad.data" "$TMP/bad.copy"
run "$PERF_LITE" pack "$TMP/bad.data"
rc_is 1 "a damaged file is refused"
like "where" "$TMP/err" "^perf-lite: .*bad.data: it is damaged at byte $data"
like "what to do" "$TMP/err" '^hint: .*verify.*--force'
is_file "and stays as it is" "$TMP/bad.data" "$TMP/bad.copy"
run "$PERF_LITE" pack --force -o "$TMP/forced.data" "$TMP/bad.data"
rc_is 3 "--force"
run "$PERF_LITE" verify "$TMP/forced.data"
like "the hole stays known" "$TMP/out" "^  missing +$("$PERF_LITE" verify "$TMP/bad.data" | awk '$1 == "missing" { print $2 }') samples"
unlike "and nothing else is wrong with its blocks" "$TMP/out" '^  byte [0-9]'
"$PERF_LITE" script -G -i "$TMP/bad.data" >"$TMP/want" 2>/dev/null
"$PERF_LITE" script -G -i "$TMP/forced.data" >"$TMP/got" 2>/dev/null
is_file "what is whole is kept" "$TMP/got" "$TMP/want"
head -c $((size - 30)) "$TMP/original" >"$TMP/cut.data"
run "$PERF_LITE" pack "$TMP/cut.data"
rc_is 1 "a cut file is refused"
head -c "$data" "$TMP/original" >"$TMP/open.data"
run "$PERF_LITE" pack "$TMP/open.data"
rc_is 1 "an unfinished one, too"
like "where it ends" "$TMP/err" "it has not been finished: it ends at byte $data$"
like "since its recorder may be at work" "$TMP/err" '^hint: .*recorder'

# Wrong usage

for bad in '' "-o $TMP/x $f $f" "-z 0 $f" "-z 23 $f" "$TMP/none" "$TMP" "/dev/null"; do
	# shellcheck disable=SC2086
	run "$PERF_LITE" pack $bad
	rc_is 1 "refused: pack $(echo "$bad" | sed "s|$TMP/||g")"
	like "with a reason" "$TMP/err" '^perf-lite: '
done
echo PERFILE2 >"$TMP/perf.data"
run "$PERF_LITE" pack "$TMP/perf.data"
rc_is 1 "perf's file"
run "$PERF_LITE" pack -o /dev/full "$TMP/original"
rc_is 3 "a full disk"
done_testing
