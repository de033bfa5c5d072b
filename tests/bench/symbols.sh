#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# symbols.sh [FILE...] - what tables of symbols cost (tests/bench/symbols.c): of the kernel, and of the
# images given; without any, of libc, libstdc++ and a library of 260 000 functions that it makes. Needs
# root and a compiler.
. tests/bench/lib
need_cmd "${CC:=cc}" perl ldd

# shellcheck disable=SC2086
$CC -std=gnu11 -O2 -I. -D_GNU_SOURCE ${CFLAGS:-} ${LDFLAGS:-} -o "$tmp/symbols" tests/bench/symbols.c \
	"$O/libperflite.a" -ldw -lelf -llzma -lzstd -lxxhash -liberty -lpthread -ldl

if [ $# -eq 0 ]; then
	perl -e 'print ".text\n"; for $i (0 .. 259_999) {
		my $class = "class$i";
		my $name = sprintf "_ZN4llvm%d%s6methodEv", length $class, $class;
		print ".globl $name\n.type $name,\@function\n$name:\n.skip ", 16 + $i * 7 % 50 * 16,
			"\n.size $name, .-$name\n" }' >"$tmp/large.s"
	$CC -shared -Wl,-z,noexecstack -o "$tmp/large.so" "$tmp/large.s"
	for lib in libc libstdc++; do
		f=$(ldd "$PROG/mangled" | awk -v lib="$lib.so" 'index($0, lib) { print $3; exit }')
		set -- "$@" "$(realpath "$f")"
	done
	set -- "$@" "$tmp/large.so"
fi
"$tmp/symbols" "$@"
