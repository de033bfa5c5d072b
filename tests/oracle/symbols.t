#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The symbols of some thousand addresses of the kernel, libraries and programs: perf's, byte by byte.
# The names of all functions of programs and libraries of every layout: those that readelf(1) has there.
. tests/lib.sh
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
	paste -d '|' "$TMP/perf" "$TMP/ours" | awk -F '|' '$1 != $2' >"$TMP/differ"
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

if can perf && can kallsyms; then
	compare kernel kernel
	"$dump" true kernel >"$TMP/true"
	unlike "kernel: no padding and no section bounds as names" "$TMP/true" \
		' (__pfx_|_stext|_etext|__irqentry_text)'
else
	skip_without kernel perf kallsyms
fi

libc=$(ldd "$dump" | awk '/libc\.so/ { print $3 }')
libcxx=$(ldd "$PROG/mangled" | awk '/libstdc\+\+/ { print $3 }')
# Of stubs and parameters of functions other versions have other names.
if can perf-6.1; then
	[ -z "$libc" ] || compare libc "$(realpath "$libc")"
	compare perf "$(realpath "$(command -v perf)")"
	python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))' 2>/dev/null)
	if [ -n "$python" ]; then
		compare python3 "$python"
	else
		skip_without python3 python3
	fi
	[ -z "$libcxx" ] || compare libstdc++ "$(realpath "$libcxx")"
	compare C++ "$PROG/mangled"
	compare C "$PROG/symbols"
	# perf lets a sizeless _init reach over the stubs behind it: what it finds there depends on the shape of its tree
	for small in spin threads stacks faults storm; do
		compare "$small" "$PROG/$small"
	done
else
	skip_without "programs and libraries" perf-6.1
fi
found_all C "$PROG/symbols" ' printf@plt\+0x1$'
found_all C "$PROG/symbols" ' sizeless\+0xf$'
found_all C "$PROG/symbols" ' sized\+0xf$'

# functions FILE [OPTION]: what readelf(1) takes for functions there: address, name
functions()
{
	readelf -W "${2:--s}" "$1" 2>/dev/null | awk '{ sub(/<OS specific>: 10/, "IFUNC") }
		($4 == "FUNC" || $4 == "IFUNC") && $7 != "UND" && NF == 8 {
		sub(/@.*/, "", $8); print $2, $8 }'
}

# names NAME FILE: the first byte of every function of its tables, and of its debug file. Of aliases
# any will do; a version is no part of a name.
names()
{
	name=$1 file=$2
	functions "$file" >"$TMP/functions"
	cut -d ' ' -f 1 "$TMP/functions" | sort -u >"$TMP/addrs"
	id=$(readelf -n "$file" 2>/dev/null | sed -n 's/.*Build ID: \(..\)\(.*\)/\1\/\2/p')
	functions "/usr/lib/debug/.build-id/$id.debug" >>"$TMP/functions"
	"$dump" at "$file" <"$TMP/addrs" 2>"$TMP/err" | sed 's/@.*//' | paste -d ' ' "$TMP/addrs" - |
		sort -u >"$TMP/found"
	sort -u "$TMP/functions" | comm -13 - "$TMP/found" >"$TMP/bad"
	lines=$(wc -l <"$TMP/found") bad=$(wc -l <"$TMP/bad")
	if [ "$lines" -gt 2 ] && [ "$bad" -eq 0 ]; then
		pass "$name: a right name at all functions"
	else
		fail "$name: a right name at all functions ($bad of $lines differ)"
		diag_file "$TMP/bad"
	fi
}

if command -v readelf >/dev/null; then
	for f in "$libc" "$libcxx" "$(command -v perl)" "$(! can perf-6.1 || command -v perf)"; do
		[ -z "$f" ] || names "${f##*/}" "$(realpath "$f")"
	done
	names mangled "$PROG/mangled"
	names perf-lite "$PERF_LITE"

	# every way in which linkers lay out the same program
	while read -r name flags; do
		# shellcheck disable=SC2086
		links "$name: a right name at all functions" $flags || continue
		# shellcheck disable=SC2086
		${CC:-cc} $flags -o "$TMP/p" tests/prog/symbols.c 2>"$TMP/err" || fail "builds $name"
		names "$name" "$TMP/p"
	done <<-'EOF'
		ET_EXEC -no-pie
		PIE -pie -fPIE
		static -static
		static-PIE -static-pie -fPIE
		separate-code -Wl,-z,separate-code
		one-segment -Wl,-z,noseparate-code
		lld -fuse-ld=lld
		lld-ET_EXEC -fuse-ld=lld -no-pie
		shared -shared -fPIC
		32-bit -m32
		sections -ffunction-sections -Wl,--gc-sections
	EOF

	# stubs of other machines: those that a disassembler finds
	seq 40 | sed 's/.*/void import_&(void);/' >"$TMP/imports.c"
	cp "$TMP/imports.c" "$TMP/importing.c"
	{ echo 'void _start(void) {'; seq 40 -1 1 | sed 's/.*/import_&();/'; echo '}'; } >>"$TMP/importing.c"
	seq 40 | sed 's/.*/void import_&(void) { }/' >"$TMP/imported.c"
	while read -r name disassembler flags; do
		if ! can clang || ! can ld.lld; then
			skip_without "$name: stubs have the names that a disassembler gives them" clang ld.lld
			continue
		fi
		# shellcheck disable=SC2086
		clang $flags -nostdlib -shared -fPIC -o "$TMP/libimported.so" "$TMP/imported.c" &&
			clang $flags -nostdlib -o "$TMP/importing" "$TMP/importing.c" "$TMP/libimported.so" || fail "builds $name"
		$disassembler -d "$TMP/importing" | sed -n 's/^0*\([0-9a-f]*\) <\(.*@plt\)>:$/\1 \2/p' >"$TMP/want"
		cut -d ' ' -f 1 "$TMP/want" | "$dump" at "$TMP/importing" | cut -d ' ' -f 1 | paste -d ' ' - "$TMP/want" |
			awk '$1 == $3' >"$TMP/got"
		is "$name: stubs have the names that a disassembler gives them" "$(wc -l <"$TMP/got")" 40
	done <<-'EOF'
		i386 llvm-objdump --target=i386-linux-gnu -fuse-ld=lld -no-pie
		i386-PIE llvm-objdump --target=i386-linux-gnu -fuse-ld=lld -pie -fPIE
		i386-GNU objdump -m32 -fuse-ld=bfd -no-pie
		i386-GNU-IBT objdump -m32 -fuse-ld=bfd -pie -fPIE -fcf-protection -Wl,-z,ibtplt
		arm64 llvm-objdump --target=aarch64-linux-gnu -fuse-ld=lld
		arm64-BTI llvm-objdump --target=aarch64-linux-gnu -fuse-ld=lld -mbranch-protection=standard
	EOF

	# mold names its stubs in .symtab, which strip(1) takes away
	if links "mold: stubs have the names that it gives them" -m64 -fuse-ld=mold; then
		${CC:-cc} -nostdlib -shared -fPIC -o "$TMP/libimported.so" "$TMP/imported.c" &&
			${CC:-cc} -fuse-ld=mold -nostdlib -o "$TMP/importing" "$TMP/importing.c" "$TMP/libimported.so" ||
			fail "builds with mold"
		nm "$TMP/importing" | sed -n 's/^0*\([0-9a-f]*\) t \(.*\)\$plt$/\1 \2@plt/p' >"$TMP/want"
		strip "$TMP/importing"
		cut -d ' ' -f 1 "$TMP/want" | "$dump" at "$TMP/importing" | paste -d ' ' - "$TMP/want" | awk '$1 == $3' >"$TMP/got"
		is "mold: stubs have the names that it gives them" "$(wc -l <"$TMP/got")" 40
	fi

	# a name that says which instructions follow is none of a function
	if command -v riscv64-linux-gnu-as >/dev/null; then
		printf '%s\n' '.globl written' '.type written, @function' 'written:' nop '.option arch, +zba' nop nop |
			riscv64-linux-gnu-as -o "$TMP/riscv.o"
		riscv64-linux-gnu-ld -shared -o "$TMP/riscv.so" "$TMP/riscv.o"
		at=$(functions "$TMP/riscv.so" | sed -n 's/ written$//p;T;q')
		is "RISC-V: a function that changes its instruction set" \
			"$(printf '%x\n' $((0x$at + 6)) | "$dump" at "$TMP/riscv.so")" written
	else
		skip_without "RISC-V" riscv64-linux-gnu-as
	fi

	# what is left when there are no section headers: the loader's own tables
	seq 300 | sed 's/.*/int function_&(void) { return &; }/' >"$TMP/many.c"
	for hash in sysv gnu both; do
		${CC:-cc} -shared -fPIC "-Wl,--hash-style=$hash" -o "$TMP/lib.so" "$TMP/many.c"
		cp "$TMP/lib.so" "$TMP/bare.so"
		# e_shoff; e_shnum and e_shstrndx
		printf '\0\0\0\0\0\0\0\0' | dd of="$TMP/bare.so" bs=1 seek=40 conv=notrunc 2>/dev/null
		printf '\0\0\0\0' | dd of="$TMP/bare.so" bs=1 seek=60 conv=notrunc 2>/dev/null
		functions "$TMP/lib.so" --dyn-syms | cut -d ' ' -f 1 | sort -u >"$TMP/addrs"
		"$dump" at "$TMP/lib.so" <"$TMP/addrs" >"$TMP/whole"
		"$dump" at "$TMP/bare.so" <"$TMP/addrs" >"$TMP/bare"
		ok "$hash: there are dynamic symbols" test "$(grep -c function_ "$TMP/bare")" -eq 300
		is_file "$hash: the same names without section headers" "$TMP/bare" "$TMP/whole"
	done
else
	skip_without "a right name at all functions" readelf
fi

done_testing
