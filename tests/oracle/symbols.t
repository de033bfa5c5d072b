#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The symbols of some thousand addresses of the kernel, libraries and programs: perf's, byte by byte.
. tests/lib.sh
need_perf
need_cmd ldd realpath paste

dump=$O/tests/oracle/sym_dump

# compare NAME FILE|kernel: a perf.data is made up, whose call chains hold the addresses
compare()
{
	name=$1 file=$2
	"$dump" data "$file" "$TMP/data" || { fail "$name: addresses"; return; }
	# an unused cache: perf prefers what it finds there to the file itself
	HOME=$TMP perf --buildid-dir "$TMP/cache" script -f -i "$TMP/data" -F ip,sym,symoff \
		2>/dev/null | grep . >"$TMP/perf"
	"$dump" names "$file" >"$TMP/ours" 2>/dev/null
	lines=$(wc -l <"$TMP/perf")
	ok "$name: perf finds symbols" test "$(grep -vc unknown "$TMP/perf")" -gt 50
	# perf lets the sizeless _init reach over the stubs behind it. Which one it then finds
	# depends on the shape of its tree, so such lines are left out.
	paste -d '|' "$TMP/perf" "$TMP/ours" | awk -F '|' '
		$1 == $2 { next }
		($1 ~ / _(init|fini)\+|unknown/) && ($2 ~ /@plt\+| _(init|fini)\+/) { next }
		{ print }' >"$TMP/differ"
	if [ "$(wc -l <"$TMP/ours")" -eq "$lines" ] && ! [ -s "$TMP/differ" ]; then
		pass "$name: the same $lines lines"
	else
		fail "$name: the same $lines lines"
		diag_file "$TMP/differ"
	fi
}

# what is where, without regard to perf
found_all()
{
	"$dump" true "$2" >"$TMP/true" 2>/dev/null
	like "$1: finds $3" "$TMP/true" "$3"
}

if [ "$(id -u)" -eq 0 ] && grep -q '[1-9a-f].* [tT] ' /proc/kallsyms; then
	compare kernel kernel
	"$dump" true kernel >"$TMP/true"
	unlike "kernel: no padding and no section bounds as names" "$TMP/true" \
		' (__pfx_|_stext|_etext|__irqentry_text)'
else
	skip kernel "the kernel's addresses are hidden"
fi

libc=$(ldd "$dump" | awk '/libc\.so/ { print $3 }')
[ -z "$libc" ] || compare libc "$(realpath "$libc")"
compare perf "$(realpath "$(command -v perf)")"
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))' 2>/dev/null)
if [ -n "$python" ]; then
	compare python3 "$python"
else
	skip python3 "needs python3"
fi
libcxx=$(ldd "$PROG/mangled" | awk '/libstdc\+\+/ { print $3 }')
[ -z "$libcxx" ] || compare libstdc++ "$(realpath "$libcxx")"
compare C++ "$PROG/mangled"
compare C "$PROG/symbols"
found_all C "$PROG/symbols" ' printf@plt\+0x1$'
found_all C "$PROG/symbols" ' sizeless\+0xf$'
found_all C "$PROG/symbols" ' sized\+0xf$'

done_testing
