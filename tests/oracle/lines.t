#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Inlined functions and lines at hundreds of addresses of programs built in many ways: what
# perf-lite finds in their DWARF, against addr2line of binutils, that of elfutils and LLVM's.
#
# Each of the three has faults (functions without a linkage name, split DWARF, units without
# .debug_aranges): an answer is right if one of them gives it, too.
. tests/lib.sh
need_cmd g++ clang++ readelf objdump objcopy addr2line eu-addr2line llvm-symbolizer dwz dwp llvm-dwp python3

dump=$O/tests/oracle/line_dump
src=$(pwd)/tests/prog
count=400

# COUNT addresses of instructions, spread over the code
addresses()
{
	objdump -d --no-show-raw-insn -j .text "$1" | awk -v count=$count '
		/^ +[0-9a-f]+:/ { sub(":", "", $1); a[nr++] = "0x" $1 }
		END {
			step = nr > count ? nr / count : 1
			for (i = 0; i < nr; i += step)
				print a[int(i)]
		}'
}

# One line for each address: "ADDRESS functions|lines". The name of the outermost function is that
# of the symbol table with some, and is left out.
join_answers()
{
	awk '
	function flush() {
		if (addr == "")
			return
		line = ""
		for (i = 1; i <= nr; i++)
			line = line "|" (i % 2 && i + 1 >= nr ? "*" : answer[i])
		print addr, line
	}
	/^0x/ { flush(); addr = $1; sub(/^0x0*/, "", addr); nr = 0; next }
	/^$/ { next }
	{
		sub(/ inlined at .*/, "")
		if (nr % 2) {
			sub(/ \(discriminator [0-9]*\)$/, "")
			if ($0 ~ /:[0-9]+:[0-9]+$/)
				sub(/:[0-9]+$/, "")
			sub(/:\?$/, ":0")
			while (sub(/\/\.\//, "/")) ;
			while (sub(/\/[^\/]+\/\.\.\//, "/")) ;
		}
		answer[++nr] = $0
	}
	END { flush() }'
}

# compare NAME FILE MINIMUM [OTHERS]: at least MINIMUM answers go through inlined functions; OTHERS
# of them (default 0) no tool needs to give
compare()
{
	name=$1 file=$2 minimum=$3 others=${4:-0}
	addresses "$file" >"$TMP/addresses"
	"$dump" "$file" <"$TMP/addresses" 2>"$TMP/dump.err" | join_answers >"$TMP/ours"
	addr2line -a -i -f -e "$file" <"$TMP/addresses" 2>"$TMP/binutils.err" |
		join_answers >"$TMP/binutils"
	eu-addr2line -a -i -f -e "$file" <"$TMP/addresses" 2>&1 | join_answers >"$TMP/elfutils"
	llvm-symbolizer --obj="$file" --output-style=GNU -i -f -a --no-demangle \
		<"$TMP/addresses" | join_answers >"$TMP/llvm"
	# the startup code of the C library has no DWARF, and some find another unit's there
	addr2line -a -f -e "$file" <"$TMP/addresses" 2>"$TMP/binutils.err" | awk '
		/^0x/ { addr = $1; sub(/^0x0*/, "", addr); getline
			if ($0 ~ /^(_start|(de)?register_tm_clones|__do_global_dtors_aux|frame_dummy|_dl_relocate_static_pie|__libc_csu_.*)$/)
				print addr }' >"$TMP/startup"
	awk -v ours="$TMP/ours" -v startup="$TMP/startup" '
		FILENAME == startup { skip[$1] = 1; next }
		FILENAME == ours { if (!($1 in skip)) { mine[$1] = $0; left[$1] = 1 }; next }
		mine[$1] == $0 { delete left[$1] }
		{ other[$1] = other[$1] "\n    " $0 }
		END { for (a in left) print mine[a] other[a] }' \
		"$TMP/startup" "$TMP/ours" "$TMP/binutils" "$TMP/elfutils" "$TMP/llvm" >"$TMP/differ"
	deep=$(awk -F '|' 'NF > 3' "$TMP/ours" | wc -l)
	ok "$name: $minimum of the addresses are in inlined functions ($deep)" \
		test "$deep" -ge "$minimum"
	if [ "$(grep -c '^[0-9a-f]' "$TMP/differ")" -gt "$others" ]; then
		fail "$name: $(wc -l <"$TMP/ours") answers are those of another tool"
		cut -c 1-400 "$TMP/differ" >"$TMP/differ.cut"
		diag_file "$TMP/differ.cut"
	else
		pass "$name: $(wc -l <"$TMP/ours") answers are those of another tool"
	fi
}

has_section() # FILE NAME
{
	readelf -SW "$1" | grep -q "[ ]$2[ ]"
}

# build NAME COMMAND...: in a folder of its own, since the files of split DWARF stay there
build()
{
	mkdir -p "$TMP/$1" && cd "$TMP/$1" || exit 1
	what=$1
	shift
	"$@" >"$TMP/build.out" 2>&1 || { fail "$what: builds"; diag_file "$TMP/build.out"; }
	cd "$OLDPWD" || exit 1
}

for version in 2 3 4 5; do
	build gcc-$version g++ -O2 -gdwarf-$version -o prog "$src/templates.cc"
	compare "g++, DWARF $version" "$TMP/gcc-$version/prog" 150
done
for version in 4 5; do
	build clang-$version clang++ -O2 -gdwarf-$version -o prog "$src/templates.cc"
	compare "clang++, DWARF $version" "$TMP/clang-$version/prog" 150
done
# clang leaves it to the units to tell their addresses; what gcc says besides can be taken away
ok "clang++ writes no .debug_aranges" not has_section "$TMP/clang-5/prog" .debug_aranges
ok "g++ does" has_section "$TMP/gcc-5/prog" .debug_aranges
build no-aranges objcopy --remove-section .debug_aranges "$TMP/gcc-5/prog" prog
compare "g++, without .debug_aranges" "$TMP/no-aranges/prog" 150
build lines-only clang++ -O2 -gline-tables-only -o prog "$src/templates.cc"
compare "clang++, line tables only" "$TMP/lines-only/prog" 150
build lto g++ -O2 -g -flto -o prog "$src/templates.cc" "$src/mangled.cc" -Wl,-z,muldefs
compare "g++, optimised when linked" "$TMP/lto/prog" 100
build static g++ -O2 -g -static -o prog "$src/templates.cc"
compare "g++, static" "$TMP/static/prog" 1
build exec g++ -O2 -g -no-pie -o prog "$src/templates.cc"
compare "g++, at fixed addresses" "$TMP/exec/prog" 150
build packed g++ -O2 -g -gz=zlib -o prog "$src/templates.cc"
compare "g++, compressed sections" "$TMP/packed/prog" 150
build types g++ -O2 -g -fdebug-types-section -o prog "$src/templates.cc"
compare "g++, types in units of their own" "$TMP/types/prog" 150
build sections g++ -O2 -g -ffunction-sections -Wl,--gc-sections -o prog "$src/templates.cc"
compare "g++, functions left out by the linker" "$TMP/sections/prog" 150
build lld clang++ -O2 -g -ffunction-sections -fuse-ld=lld -Wl,--gc-sections -o prog \
	"$src/templates.cc"
compare "clang++ and lld" "$TMP/lld/prog" 150
for version in 4 5; do
	build split-$version g++ -O2 -gdwarf-$version -gsplit-dwarf -o prog "$src/templates.cc"
	compare "g++, split DWARF $version" "$TMP/split-$version/prog" 150
	build split-clang-$version clang++ -O2 -gdwarf-$version -gsplit-dwarf -o prog \
		"$src/templates.cc"
	compare "clang++, split DWARF $version" "$TMP/split-clang-$version/prog" 150
	build split-types-$version clang++ -O2 -gdwarf-$version -gsplit-dwarf -fdebug-types-section -o prog \
		"$src/templates.cc"
	compare "clang++, split DWARF $version with units of types" "$TMP/split-types-$version/prog" 150
done

# g++ puts each unit of types into a section of its own, and that of the functions behind them
build split-sections g++ -O2 -gdwarf-5 -gsplit-dwarf -fdebug-types-section -o prog "$src/templates.cc"
addresses "$TMP/split-sections/prog" | "$dump" "$TMP/split-sections/prog" >"$TMP/got" 2>"$TMP/dump.err"
like "g++, split DWARF 5 with units of types: what is missing is said" "$TMP/dump.err" 'of another build, damaged, or made with -fdebug-types-section'

# The same units in a package: the same answers, without the files that it was made of. What GNU's dwp and LLVM's can
# pack differs by version.
package()
{
	file=$TMP/$1/prog how=$2
	shift 2
	addresses "$file" >"$TMP/addresses"
	"$dump" "$file" <"$TMP/addresses" >"$TMP/want" 2>"$TMP/dump.err"
	(cd "${file%/*}" && timeout 60 "$@" -e prog -o prog.dwp) >"$TMP/build.out" 2>&1 || diag_file "$TMP/build.out"
	rm "${file%/*}"/*.dwo
	"$dump" "$file" <"$TMP/addresses" >"$TMP/got" 2>"$TMP/dump.err"
	for tool; do :; done
	is_file "$how, a package by ${tool##*/}" "$TMP/got" "$TMP/want"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		"$PROG/mutate" $i "$file.dwp" >"$TMP/mutated"
		cp "$file.dwp" "$TMP/whole"
		cp "$TMP/mutated" "$file.dwp"
		timeout 20 "$dump" "$file" <"$TMP/addresses" >"$TMP/got" 2>"$TMP/dump.err" || break
		cp "$TMP/whole" "$file.dwp"
	done
	# what of it cannot be read may be said
	is "$how, a damaged package is survived" "$i:$(grep -cE 'Sanitizer|runtime error|ssertion' "$TMP/dump.err")" 16:0
	rm "$file.dwp"
	"$dump" "$file" <"$TMP/addresses" >"$TMP/got" 2>"$TMP/dump.err"
	like "$how, what is missing without the package is named" "$TMP/dump.err" '\.dwo: not found; its inlined functions are missing$'
	ok "$how, without the package there is less" test "$(wc -l <"$TMP/got")" -lt "$(wc -l <"$TMP/want")"
}
package split-4 "g++, split DWARF 4" dwp
package split-clang-4 "clang++, split DWARF 4" llvm-dwp
package split-clang-5 "clang++, split DWARF 5" llvm-dwp
build split-two g++ -O2 -gdwarf-5 -gsplit-dwarf -o prog "$src/templates.cc" "$src/mangled.cc" -Wl,-z,muldefs
package split-two "g++, two units of split DWARF 5" python3 "$(pwd)/tests/oracle/dwp.py"

# what the program names as its other file need not be one
rm "$TMP/split-5/"*.dwo
dwo=$(readelf --debug-dump=info "$TMP/split-5/prog" 2>/dev/null | sed -n 's/.*DW_AT_dwo_name.*: \([^ ]*\.dwo\)$/\1/p' | head -n 1)
ok "the file of a split unit is named" test -n "$dwo"
mkfifo "$TMP/split-5/$dwo"
addresses "$TMP/split-5/prog" >"$TMP/addresses"
ok "a FIFO in its place is not waited for" timeout 20 "$dump" -t "$TMP/split-5/prog" <"$TMP/addresses"

build dwz cp "$TMP/gcc-5/prog" prog
build dwz cp prog other
build dwz dwz -m common -M "$TMP/dwz/common" prog other
# what has no linkage name is found by binutils alone, and that cannot read common files
compare "packed by dwz, with a common file" "$TMP/dwz/prog" 150 4

build separate cp "$TMP/gcc-5/prog" prog
build separate objcopy --only-keep-debug prog prog.debug
build separate strip prog
build separate objcopy --add-gnu-debuglink=prog.debug prog
compare "a separate debug file" "$TMP/separate/prog" 150

# The text, where perf is right: it takes the C library's aliases for inlined functions, and has
# another text for no line.
# frames FILE: of the program and what was inlined into it, each with its line
frames()
{
	awk -v prog="($PROG/inlined)" '
		/^\t/ { frame = ($NF == prog && $2 !~ /^_start/) || (NF == 2 && $2 ~ /^(leaf|mid)\+/) ? $0 : ""; next }
		/^  / && frame != "" { print frame "|" $0 }
		{ frame = "" }' "$1"
}
if can perf-6.1 && can everybody && HOME=$TMP perf record -q -F 500 -e cpu-clock:u --call-graph dwarf,4096 \
	-o "$TMP/perf.data" "$PROG/inlined" 200 >"$TMP/perf.out" 2>&1; then
	perf script -f -i "$TMP/perf.data" -F +srcline 2>/dev/null >"$TMP/theirs.txt"
	run_ok "reads perf's stacks" "$PERF_LITE" script --compat=6.1 -i "$TMP/perf.data" -F +srcline
	frames "$TMP/theirs.txt" >"$TMP/theirs"
	frames "$TMP/out" >"$TMP/ours"
	ok "perf shows inlined functions" test "$(grep -c '(inlined)$' "$TMP/theirs")" -gt 100
	is_file "in stacks that were unwound, inlined functions and lines are perf's" \
		"$TMP/ours" "$TMP/theirs"
else
	skip_without "perf's text" perf-6.1 everybody
fi

# What addr2line calls functions without a linkage name goes by what it was asked before; so do perf's names of what is
# inlined. Stacks of which perf loses frames at the outer end are as far as it has them; before and after main() it may make
# some up.
cat >"$TMP/unlinked.cc" <<-'END'
	#include <algorithm>
	#include <cstdio>
	#include <cstdlib>
	#include <vector>
	namespace
	{
	struct times {
		int v;
		int operator()(int x) const { return x * v; }
	};
	}
	int main(int argc, char **argv)
	{
		long sum = 0;
		for (int i = 0; i < atoi(argv[1]); i++) {
			std::vector<int> v(2000);
			for (auto &x : v)
				x = atoi("12") * rand();
			std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
			std::transform(v.begin(), v.end(), v.begin(), times{argc});
			for (int x : v)
				sum += x;
		}
		return printf("%ld\n", sum) < 0;
	}
END
for built in "g++ -O2 -g" "g++ -O3 -gdwarf-4" "clang++ -O2 -gdwarf-4"; do
	if can perf-6.1 && can everybody && $built -o "$TMP/unlinked" "$TMP/unlinked.cc" 2>"$TMP/build.out" &&
		HOME=$TMP perf record -q -m 16M -F 1999 -e cpu-clock:u --call-graph dwarf,8192 -o "$TMP/perf.data" \
			"$TMP/unlinked" 2000 >"$TMP/perf.out" 2>&1; then
		perf script -f -i "$TMP/perf.data" >"$TMP/theirs" 2>/dev/null
		run_ok "reads perf's stacks of $built" "$PERF_LITE" script -q --compat=6.1 -i "$TMP/perf.data"
		ok "perf shows functions of main as main" \
			grep -Pzq 'main\+0x\w+ \(/.*\n.* main\+0x|main\+0x\w+ \(/.*\n.*\(inlined\)' "$TMP/theirs"
		awk -v RS= -v ours="$TMP/out" '
			{ if ((getline own <ours) <= 0 || / main\+0x/ && substr(own, 1, length($0)) != $0) { print "want:\n" $0 "\ngot:\n" own; exit } }
			' "$TMP/theirs" >"$TMP/differs"
		is "$built: inlined functions are called as perf calls them" "$(sed 40q "$TMP/differs")" ""
	else
		skip_without "perf's names of $built" perf-6.1 everybody "${built%% *}"
	fi
done

if rustc -vV >/dev/null 2>&1; then # a proxy without a toolchain is none
	cat >"$TMP/prog.rs" <<-'END'
	use std::collections::HashMap;
	#[inline(always)] fn leaf(x: u64) -> u64 { x.wrapping_mul(3) ^ (x >> 7) }
	#[inline(always)] fn mid(v: &[u64]) -> u64 { v.iter().map(|&x| leaf(x)).sum() }
	#[inline(never)] fn outer(v: &[u64]) -> u64 { mid(v) + 1 }
	fn main() {
	    let mut m = HashMap::new();
	    for i in 0..1000u64 { m.insert(i.to_string(), outer(&vec![i, i + 1, i * 7])); }
	    println!("{}", m.values().fold(0u64, |a, b| a ^ b));
	}
	END
	build rust rustc -O -g -o prog "$TMP/prog.rs"
	compare "rustc" "$TMP/rust/prog" 100
else
	diag "no rustc: its DWARF was not looked at"
fi
done_testing
