# SPDX-License-Identifier: GPL-2.0
#
# What a process writes about the code that it makes, and the files that it runs, may be of any size: the
# recording of all others stays whole, small and quick, and says what it left out.
. tests/lib.sh
need own

f=$TMP/f
"$PROG/hostile_map" names 1 >"$TMP/pid" 2>/dev/null || skip_all "no code is made on this machine"
rm -f "/tmp/perf-$(cat "$TMP/pid").map"

# record_hostile KIND: its samples beside those of `spin`; $pid, $limit is what was said of it
record_hostile()
{
	# shellcheck disable=SC2016
	run prlimit --as=2000000000 "$PERF_LITE" record -o "$f" -e cpu-clock -F 2000 -- \
		sh -c '"$0/hostile_map" "$1" 500 >"$2/pid" & "$0/spin" 300 >/dev/null; wait' "$PROG" "$1" "$TMP"
	pid=$(cat "$TMP/pid")
	rm -f "/tmp/perf-$pid.map"
	rc_is 0 "$1: recorded"
	sed -n "s,^/tmp/perf-$pid.map: ,,p" "$TMP/err" >"$TMP/limit"
	run_ok "$1: the file is whole" "$PERF_LITE" verify "$f"
	ok "$1: the file is small" test "$(stat -c %s "$f")" -lt 4000000
	run_ok "$1: it is read" sh -c "\"$PERF_LITE\" script -q -i '$f' -F comm,ip,sym | cut -c 1-70 >'$TMP/syms'"
	like "$1: the others' functions have names" "$TMP/syms" "^ *spin .* leaf"
}

record_hostile names
like "of names of 100,000 bytes the first ones" "$TMP/syms" "hostile_map .*hostile_[0-9]+[a-z]+$"
like "the file is named, and what was left out" "$TMP/limit" "^only its first 64 MiB are read; functions may lack names"
is "none is longer than 64 KiB" "$("$PERF_LITE" script -q -i "$f" -F ip,sym | awk 'length($0) > 65600' | wc -l)" 0
run_ok "the recording is packed" "$PERF_LITE" pack -o "$f.packed" "$f"
run_ok "what was packed is whole" "$PERF_LITE" verify "$f.packed"
# but for BPF programs that came and went at overlapping addresses, as in pack.t
for file in "$f" "$f.packed"; do
	"$PERF_LITE" script -q -i "$file" -F comm,ip,sym | sed -E 's/(ffffffffc[0-9a-f]{7}) (bpf_prog_[^ ]*|\[unknown\])/\1 a BPF program/'
	[ "$file" != "$f" ] || echo =====
done | awk -v one="$TMP/one" -v two="$TMP/two" '/^=====$/ { one = two; next } { print >one }'
is_file "and says the same" "$TMP/two" "$TMP/one"

record_hostile line
like "a name of 80 MB: cut" "$TMP/syms" "hostile_map .*hostile_0A*$"
like "the file is named" "$TMP/limit" "^only its first 64 MiB are read"

record_hostile holes
like "8 GiB of holes: what stands before them" "$TMP/syms" "hostile_map .*hostile_[0-9]+$"
like "the file is named" "$TMP/limit" "^only its first 64 MiB are read"

record_hostile many
like "2,000,000 functions: too many" "$TMP/limit" "^only its first 1,048,576 functions are read"

# A program with 8 GiB of holes behind it, as large as one likes

cp "$PROG/spin" "$TMP/hollow"
truncate -s 8G "$TMP/hollow"
run_ok "a program of holes" prlimit --as=2000000000 "$PERF_LITE" record -o "$f" -e cpu-clock -F 2000 -- "$TMP/hollow" 200
run_ok "the file is whole" "$PERF_LITE" verify "$f"
ok "it has samples" test "$("$PERF_LITE" script -q -i "$f" -F comm | grep -c hollow)" -gt 10

done_testing
