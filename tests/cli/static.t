# SPDX-License-Identifier: GPL-2.0
#
# make STATIC=1: the same objects, linked into one file that works where there is nothing else.
. tests/lib.sh
need_cmd make strip

# A folder for building that has the compiled objects already.
out=$TMP/out.d
mkdir "$out"
ln -s "$O/obj" "$O/libperflite.a" "$out"
cp -p "$O/flags" "$O/flags.capstone" "$O/flags.curl" "$O/libs.ok" "$O/version.c" "$out"
made()
{
	run make --no-print-directory O="$out" -o "$out/version.c" "$@" "$out/perf-lite"
}

if ! CC="${CC:-cc} -static" sh scripts/dev/check-libs 2>"$TMP/missing"; then
	diag_file "$TMP/missing"
	skip_all "static libraries ($not_installed)"
fi
made STATIC=1
rc_is 0 "make STATIC=1"
is "it only links" "$(awk 'NF == 2 && $1 ~ /^[A-Z]+$/ { print $1 }' "$TMP/out" | sort -u)" LINK
grep -v jobserver "$TMP/err" >"$TMP/warnings" # of the make that runs the tests
unlike "without a warning" "$TMP/warnings" 'warning'
ok "no program loads libraries for it" not grep -q "$(printf '/ld-linux\|/ld-musl\|/ld64')" "$out/perf-lite"
made STATIC=1
unlike "nothing is done again" "$TMP/out" "^  [A-Z]+ "
strip -o "$TMP/perf-lite" "$out/perf-lite"
size=$(($(wc -c <"$TMP/perf-lite") / 1024))
ok "stripped it has less than 12 MiB: $size KiB" test $size -lt 12288
made LDFLAGS=-static
rc_is 0 "make LDFLAGS=-static"
ok "no program loads libraries for it, either" not grep -q "$(printf '/ld-linux\|/ld-musl\|/ld64')" "$out/perf-lite"

# Users are those of /etc/passwd; nothing is loaded that wants another C library.
run "$out/perf-lite" record --uid=nosuchuser -e cpu-clock -o "$TMP/x"
rc_is 1 "a user that there is not"
like "it says so" "$TMP/err" "^perf-lite: unknown user 'nosuchuser'"
run "$out/perf-lite" record --uid=root -e no:such -o "$TMP/x"
unlike "one that there is" "$TMP/err" 'unknown user'
if can own; then
	run env DEBUGINFOD_URLS=http://127.0.0.1:1 "$out/perf-lite" record --debuginfod -e cpu-clock:u -o "$TMP/x" -- true
	like "servers cannot be asked" "$TMP/err" 'a static perf-lite cannot load it'
else
	skip_without "servers cannot be asked" own
fi

# In a folder with nothing else but what the kernel shows.
if ! can mounts || ! can everybody || ! can chroot; then
	skip_without "in an empty folder" mounts everybody chroot
	done_testing
fi
root=$TMP/root
mkdir -p "$root/proc" "$root/sys"
cp "$out/perf-lite" "$root"
alone()
{
	run unshare -m sh -c "mount -t proc proc '$root/proc' && mount --rbind /sys '$root/sys' && exec chroot '$root' \"\$@\"" sh "$@"
}
alone /perf-lite --version
rc_is 0 "--version in an empty folder"
like "the same" "$TMP/out" "^$("$PERF_LITE" --version)$"
alone /perf-lite record -e cpu-clock -F 5000 --call-graph dwarf -o /d -- /perf-lite list -v
rc_is 0 "record"
alone /perf-lite script -i /d
rc_is 0 "script"
like "up to main" "$TMP/out" '^[[:space:]]+[0-9a-f]+ main\+0x[0-9a-f]+ \(/perf-lite\)$'
like "functions of the kernel" "$TMP/out" '^[[:space:]]+ffff[0-9a-f]+ [a-z_0-9]+\+0x[0-9a-f]+ \(\[kernel'
alone /perf-lite record -e cpu-clock -F 5000 --call-graph dwarf --keep-stacks -o /d -- /perf-lite list -v
rc_is 0 "record --keep-stacks"
alone /perf-lite script -i /d --unwinder=libdw
rc_is 0 "script --unwinder=libdw"
like "up to main" "$TMP/out" '^[[:space:]]+[0-9a-f]+ main\+0x[0-9a-f]+ \(/perf-lite\)$'
alone /perf-lite report -i /d --no-children
rc_is 0 "report"
like "a table" "$TMP/out" '[0-9]%.* perf-lite '
alone /perf-lite verify /d
rc_is 0 "verify"
if grep -q undefined=cs_open "$out/flags.link"; then
	alone /perf-lite annotate -i /d
	rc_is 0 "annotate"
	like "instructions" "$TMP/out" '[[:blank:]](mov|cmp|add|ldr|bl?)[a-z]*[[:blank:]]'
else
	skip "annotate" "static libcapstone ($not_installed)"
fi
alone /perf-lite stat -e task-clock,page-faults -- /perf-lite --version
rc_is 0 "stat"
like "counts" "$TMP/err" '[1-9][0-9]* +page-faults'
alone /perf-lite flamegraph -i /d -o /f.svg
rc_is 0 "flamegraph"
ok "a picture" grep -q '</svg>' "$root/f.svg"
done_testing
