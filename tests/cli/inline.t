# SPDX-License-Identifier: GPL-2.0
#
# Inlined functions and source lines: script --inline and -F +srcline, record --inline.
. tests/lib.sh
need_root
need_cmd gcc strip
# perf's cache of binaries is not looked into
HOME=$TMP
export HOME

src=tests/prog/inlined.c
line_of() { grep -n "/\* $1 \*/" "$src" | cut -d : -f 1; }
in_leaf=$(line_of 'in leaf') first=$(line_of 'first call of leaf')
second=$(line_of 'second call of leaf') of_mid=$(line_of 'call of mid')
of_outer=$(line_of 'call of outer')

# a copy that can be taken away, in a folder of its own
mkdir "$TMP/bin" && cp "$PROG/inlined" "$TMP/bin/inlined"
f=$TMP/a.data
run_ok "records" "$PERF_LITE" record -q -g -F 500 -e cpu-clock:u -o "$f" -- "$TMP/bin/inlined" 300
run_ok "records with --inline" "$PERF_LITE" record -q --inline -g -F 500 -e cpu-clock:u \
	-o "$TMP/inline.data" -- "$TMP/bin/inlined" 300
script() { "$PERF_LITE" script -i "$f" "$@"; }

# the chains whose leaf is FUNCTION, each on a line: names alone
chains() { awk '/^\t/ { s = s " " $2 ($NF == "(inlined)" ? "(i)" : "") } /^$/ { gsub(/\+0x[0-9a-f]*/, "", s); print s; s = "" }' "$1"; }

# Text

run_ok "chains of frame pointers" script
unlike "show nothing inlined by themselves" "$TMP/out" '\(inlined\)|leaf'
like "but the function" "$TMP/out" "outer\+0x[0-9a-f]+ \($TMP/bin/inlined\)\$"
run_ok "--inline" script --inline
like "an inlined function has no file" "$TMP/out" '^	 *[0-9a-f]+ leaf\+0x[0-9a-f]+ \(inlined\)$'
chains "$TMP/out" >"$TMP/chains"
like "innermost first" "$TMP/chains" '^ leaf\(i\) mid\(i\) outer main'
ok "in nearly all samples" test "$(grep -c '^ leaf(i) mid(i) outer main' "$TMP/chains")" -gt 100
awk '/^\t/ && $NF == "(inlined)" { ip = $1; sub(/.*\+/, "", $2); off = $2; n++; next }
	ip != "" { sub(/.*\+/, "", $2); if ($1 != ip || $2 != off) bad++; ip = "" }
	END { exit !(n > 100 && !bad) }' "$TMP/out"
is "at the address and offset of the function that it is in" $? 0
cp "$TMP/out" "$TMP/inlined.txt"
run_ok "--no-inline" script --inline --no-inline
unlike "wins" "$TMP/out" '\(inlined\)'

# Lines

run_ok "-F +srcline" script --inline -F +srcline
like "where it stands, behind two blanks" "$TMP/out" "^  inlined\.c:$in_leaf \(inlined\)\$"
like "where leaf was called" "$TMP/out" "^  inlined\.c:($first|$second) \(inlined\)\$"
like "where mid was called" "$TMP/out" "^  inlined\.c:$of_mid\$"
like "where outer was called" "$TMP/out" "^  inlined\.c:$of_outer\$"
# the loader has no frame pointers: what looks like a caller there may be in no file
is "a line for each frame in a file" "$(grep -c '^  ' "$TMP/out")" "$(grep '^	' "$TMP/out" | grep -vc '(\[unknown\])')"
cp "$TMP/out" "$TMP/lines.txt"
run_ok "without --inline" script -F +srcline
like "the line is that of the innermost function" "$TMP/out" "^  inlined\.c:$in_leaf\$"
run_ok "--full-source-path" script -F +srcline --full-source-path
like "has the folder" "$TMP/out" "^  .*/tests/prog/inlined\.c:$in_leaf\$"
run_ok "in one line" script -G -F ip,sym,srcline
like "the line comes behind it" "$TMP/out" "^  inlined\.c:$in_leaf\$"
run script -F comm,srcline
rc_is 1 "a line of no address"
like "is refused in perf's words" "$TMP/err" 'Display of source line number requested but sample IP'

# Folded

run_ok "--folded --inline" script --folded --inline
like "inlined functions are frames" "$TMP/out" '^inlined;(.*;)?main;outer;mid;leaf [0-9]+$'
run_ok "--folded" script --folded
unlike "only if asked for" "$TMP/out" 'leaf'

# On another machine: --symfs names a folder with nothing in it

mkdir "$TMP/empty"
run_ok "a recording made with --inline, here" "$PERF_LITE" script -i "$TMP/inline.data" --inline -F +srcline
cp "$TMP/out" "$TMP/here.txt"
like "shows the lines" "$TMP/here.txt" "^  inlined\.c:$in_leaf \(inlined\)\$"
rm -r "$TMP/bin"
run_ok "elsewhere" "$PERF_LITE" script -i "$TMP/inline.data" --symfs "$TMP/empty" --inline -F +srcline
is_file "shows the same" "$TMP/out" "$TMP/here.txt"
run_ok "packed" "$PERF_LITE" pack -q -o "$TMP/packed.data" "$TMP/inline.data"
run_ok "elsewhere" "$PERF_LITE" script -i "$TMP/packed.data" --symfs "$TMP/empty" --inline -F +srcline
is_file "shows the same" "$TMP/out" "$TMP/here.txt"
"$PERF_LITE" script -i - --symfs "$TMP/empty" --inline -F +srcline <"$TMP/inline.data" >"$TMP/out"
is_file "through a pipe, too" "$TMP/out" "$TMP/here.txt"
run_ok "verify" "$PERF_LITE" verify -v "$TMP/inline.data"
like "knows the block" "$TMP/out" ' FRAMES '
run_ok "a recording made without, elsewhere" script --symfs "$TMP/empty" --inline -F +srcline
unlike "knows nothing of it" "$TMP/out" '\(inlined\)|inlined\.c'
like "and says where it was" "$TMP/out" '^  inlined\[[0-9a-f]+\]$'

# A file that is not the recorded one tells nothing

mkdir "$TMP/bin" && gcc -O0 -g -o "$TMP/bin/inlined" "$src" -DOTHER -Wl,--build-id=0x1234567890 || exit 1
run_ok "a program that was built again" script --inline -F +srcline
unlike "tells no lines" "$TMP/out" 'inlined\.c'
is "and says why" "$(cat "$TMP/err")" "$TMP/bin/inlined: build-id differs from the recorded one; no source lines"
cp "$PROG/inlined" "$TMP/bin/inlined"
strip -g "$TMP/bin/inlined"
run_ok "one without debug information" script --inline -F +srcline --dsos inlined
unlike "tells none" "$TMP/out" 'inlined\.c|\(inlined\)'
like "but names" "$TMP/out" 'outer\+0x'

# Names longer than those of symbols may be

name=f$(head -c 70000 /dev/zero | tr '\0' x)
printf '%s\n' 'volatile long s;' "static inline __attribute__((always_inline)) void $name(void)" \
	'{ for (long i = 0; i < 200000000; i++) s += i; }' "int main(void) { $name(); return 0; }" >"$TMP/long.c"
gcc -O2 -g -o "$TMP/bin/long" "$TMP/long.c" || exit 1
f=$TMP/long.data
run_ok "a name of 70,000 characters" "$PERF_LITE" record -q -g -F 500 -e cpu-clock:u -o "$f" -- "$TMP/bin/long"
run_ok "is none" script --inline
like "in its place" "$TMP/out" '^	 *[0-9a-f]+ \[unknown\] \(inlined\)$'
is "of any line" "$(awk 'length > 1000' "$TMP/out" | wc -l)" 0
done_testing
