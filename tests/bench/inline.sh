#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# inline.sh [FILE...] - what inlined functions and lines cost: microseconds of CPU time for each
# address that is new, spread over all of a program's code, and for each one that was asked for
# before, beside addr2line of binutils and of LLVM (whole runs). Without a FILE: perf-lite, a C++
# program, and Python's library where it has debug information. Opening a file, which decompresses
# its sections, is told apart. Then the text of a profile with lines, beside perf script. Root, perf.
. tests/bench/lib
need_perf
need_cmd "${CC:=cc}" "${CXX:=g++}" objdump addr2line llvm-symbolizer
dump=$tmp/line_dump

# shellcheck disable=SC2086
$CC -std=gnu11 -O2 -I. -D_GNU_SOURCE ${CFLAGS:-} ${LDFLAGS:-} -o "$dump" tests/oracle/prog/line_dump.c \
	"$O/libperflite.a" -ldw -lelf -llzma -lzstd -lxxhash -liberty -lpthread -ldl

# FILE: addresses of instructions, not closer than 20 to each other
addresses()
{
	objdump -d --no-show-raw-insn -j .text "$1" | awk '
		/^ +[0-9a-f]+:/ { sub(":", "", $1); a[nr++] = "0x" $1 }
		END {
			step = nr / 1500 > 20 ? nr / 1500 : 20
			for (i = 0; i < nr; i += step)
				print a[int(i)]
		}'
}

# They read the addresses, which "measured" would keep from them.
cat >"$tmp/addr2line" <<'END'
#!/bin/sh
exec addr2line -a -i -f -e "$1" <"$2"
END
cat >"$tmp/llvm" <<'END'
#!/bin/sh
exec llvm-symbolizer --obj="$1" -i -f --no-demangle <"$2"
END
chmod +x "$tmp/addr2line" "$tmp/llvm"

one()
{
	case $1 in
	ours) figure ours "$("$dump" -t "$file" <"$tmp/addresses")" ;;
	*)
		measured "$tmp/$1" "$file" "$tmp/addresses"
		figure "$1" "$cpu_us"
		;;
	esac
}

row()
{
	file=$1
	rm -f "$tmp/figures"
	addresses "$file" >"$tmp/addresses"
	in_turn 5 one ours addr2line llvm
	awk -v name="$(basename "$file")" -v nr="$(wc -l <"$tmp/addresses")" \
		-v o="$(median ours 2)" -v n="$(median ours 3)" -v k="$(median ours 4)" \
		-v b="$(median addr2line 1)" -v l="$(median llvm 1)" 'BEGIN {
		printf "%-24s %9d %9.1f %9.1f %9.2f %9.1f %9.1f\n", name, nr, o / 1000, n, k, b / nr, l / nr }'
}

if [ $# -eq 0 ]; then
	"$CXX" -O2 -g -o "$tmp/templates" tests/prog/templates.cc
	set -- "$PERF_LITE" "$tmp/templates"
	python=$(python3 -c 'import os, sysconfig as s
print(os.path.join(s.get_config_var("LIBDIR"), s.get_config_var("INSTSONAME") or ""))' 2>/dev/null || :)
	if [ -f "$python" ] && echo 0 | "$dump" "$python" >"$tmp/out" 2>&1; then
		set -- "$@" "$python"
	fi
fi
printf '%-24s %9s %9s %9s %9s %9s %9s\n' '' addresses 'open, ms' 'new, us' 'known, us' \
	addr2line 'LLVM, us'
for file; do
	row "$file"
done

print()
{
	case $1 in
	perf) measured perf script -i "$tmp/perf.data" -F +srcline ;;
	theirs) measured "$PERF_LITE" script -i "$tmp/perf.data" -F +srcline ;;
	ours) measured "$PERF_LITE" script --inline -i "$tmp/own" -F +srcline ;;
	esac
	figure "$1" "$cpu_us"
}

text()
{
	awk -v what="$1" -v us="$(median "$2" 1)" -v perf="$(median perf 1)" 'BEGIN {
		printf "%-52s %9.1f %9.1f\n", what, us / 1000, perf / us }'
}

"$PERF_LITE" record -q -F 1000 -e cpu-clock:u -g --inline -o "$tmp/own" -- "$PROG/inlined" 2000
perf record -q -F 1000 -e cpu-clock:u --call-graph dwarf,4096 -o "$tmp/perf.data" \
	"$PROG/inlined" 2000 >"$tmp/out" 2>&1
rm -f "$tmp/figures"
in_turn 5 print perf theirs ours
printf '\n%-52s %9s %9s\n' 'text of 2000 samples with inlined functions, lines' 'CPU, ms' times
text "perf script -F +srcline, perf.data" perf
text "perf-lite script -F +srcline, perf.data" theirs
text "perf-lite script --inline -F +srcline, own" ours
