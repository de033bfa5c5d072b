# SPDX-License-Identifier: GPL-2.0
#
# The text of script --compat=6.1 beside the installed perf's: symbols of programs of every kind.
. tests/lib.sh
need perf-6.1
. tests/oracle/matrix.sh
need_cmd g++

spin()
{
	${CC:-cc} -O0 -fno-omit-frame-pointer "$@" tests/prog/spin.c
}

build shapes shapes.cc -O1 -g
row c++ -e cpu-clock -g -- "$BIN/shapes" 60
by --no-demangle -G
spin -static -o "$BIN/static"
row static -e cpu-clock -g -- "$BIN/static" 40
spin -static-pie -o "$BIN/static-pie"
row static-pie -e cpu-clock -g -- "$BIN/static-pie" 40
spin -no-pie -o "$BIN/fixed"
row ET_EXEC -e cpu-clock -g -- "$BIN/fixed" 40
spin -s -o "$BIN/stripped"
row stripped -e cpu-clock -g -- "$BIN/stripped" 40
cp "$PROG/spin" "$BIN/gone"
background "$BIN/gone" 60000
row gone-but-running -e cpu-clock -g -p $pid -- sh -c 'rm "$1"; sleep 0.1' - "$BIN/gone"
kill $pid
taken_for_a_map=$(mktemp -d /tmp/perf-test.XXXXXX)
at_exit rm -rf "$taken_for_a_map"
cp "$PROG/spin" "$taken_for_a_map"
row like-a-map -e cpu-clock -g -- "$taken_for_a_map/spin" 40
if links "32-bit programs" -m32; then
	spin -m32 -no-pie -o "$BIN/fixed32"
	row 32-bit -e cpu-clock -g -- "$BIN/fixed32" 40
	spin -m32 -pie -fPIE -o "$BIN/pie32"
	row 32-bit-pie -e cpu-clock:u -c 20000 -g -- "$BIN/pie32" 40
fi
build lazy plt_calls.c -O0 -fno-builtin -Wl,-z,lazy
row plt -e cpu-clock:u -c 20000 -- "$BIN/lazy" 30
build endbr plt_calls.c -O0 -fno-builtin -fcf-protection=full -Wl,-z,now
row plt-endbr -e cpu-clock:u -c 20000 -- "$BIN/endbr" 30
build clocks clocks.c -O0
row vdso -e cpu-clock:u -c 20000 -g -- "$BIN/clocks" 30
by -G
build odd odd_symbols.c -O0
row odd-symbols -e cpu-clock:u -c 20000 -g -- "$BIN/odd" 60
by --no-demangle '-F ip,sym'
build libversioned.so versioned.c -O1 -shared -fPIC -Wl,--version-script=tests/oracle/matrix/versioned.map
libraries="-L$BIN -lversioned"
build versions calls_versions.c -O0 -Wl,-rpath,"$BIN"
libraries=
row versions -e cpu-clock:u -c 20000 -- "$BIN/versions" 30
build cold cold_half.c -O2 -freorder-blocks-and-partition
row cold-half -e cpu-clock:u -c 20000 -g -- "$BIN/cold" 30
libraries=-ldl
build reloads reloads.c -O0
libraries=
build a.so reloaded.c -O1 -shared -fPIC -DNAME=work_a
build b.so reloaded.c -O1 -shared -fPIC -DNAME=work_b '-DPAD="200"'
row dlopen -e cpu-clock -c 50000 -g -- "$BIN/reloads" "$BIN/a.so" "$BIN/b.so" 20
by -G
build made made_code.c -O0
row made-code -e cpu-clock -g -- "$BIN/made" "$BIN"
by -G
row jit -e cpu-clock -g -- "$PROG/jit" 40
by -G '-F +pid'
row perl -e cpu-clock -g -- perl -e 'for (1..60000) { $h{$_ % 999} .= sprintf("%d", $_ * 3) }'
if can node; then
	row node -e cpu-clock -g -F 999 -- \
		sh -c 'cd "$1" && echo "/tmp/perf-$$.map" >>"$PERF_MAPS" && exec node --perf-basic-prof -e "let s = 0; for (let i = 0; i < 3e7; i++) s += i % 7"' - "$BIN"
else
	skip_without "node" node
fi
matrix_done
