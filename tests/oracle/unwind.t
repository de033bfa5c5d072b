# SPDX-License-Identifier: GPL-2.0
#
# unwind.t - samples of real programs, with registers and stacks as perf records them, unwound by
# each engine (prog/unwind_compare.c): every return address follows a call, the fast engine agrees
# with libdw and libunwind or goes on where they end. And where the code has frame pointers, what
# the kernel finds by them is in its chains (prog/unwind_fp.c).
. tests/lib.sh
need_root
need_perf
[ "$(uname -m)" = x86_64 ] || skip_all "$outside: compares on x86-64"

figure() # NAME: what follows it in the figures
{
	sed -n "s/^$1 //p" "$TMP/figures"
}

# NAME LEAST COMPLETE COMMAND...: of LEAST samples or more, COMPLETE % reach the outermost frame.
agree()
{
	name=$1 least=$2 complete=$3
	shift 3
	# perf 6.12 sometimes dies when it copies what was recorded
	for try in first second third; do
		record_rc=0
		perf record -q -F 997 -e cpu-clock:u --call-graph dwarf,65528 -o "$TMP/data" -- "$@" >/dev/null 2>"$TMP/perf.err" ||
			record_rc=$?
		[ $record_rc -ge 128 ] || break
		diag "$name: perf record failed: $record_rc, $try try"
	done
	[ $record_rc -eq 0 ] || { fail "$name is recorded"; diag_file "$TMP/perf.err"; return; }
	run_ok "$name is unwound" "$O/tests/oracle/unwind_compare" "$TMP/data"
	rm -f "$TMP/data"
	mv "$TMP/out" "$TMP/figures"
	samples=$(figure samples)
	ok "$name: at least $least samples" test "$samples" -ge "$least"
	ok "$name: $complete % of the chains are complete" \
		test $(($(figure "end complete") * 100)) -ge $((samples * complete))
	is "$name: every return address follows a call" "$(figure "not behind a call")" 0
	for engine in libdw libunwind; do
		# same N longer N shorter N other N
		is "$name: $engine goes nowhere further, and nowhere else" \
			"$(figure $engine | sed 's/.*shorter/shorter/')" "shorter 0 other 0"
	done
	[ "$tap_failed" -eq 0 ] || diag_file "$TMP/figures"
}

cat >"$TMP/big.cc" <<'EOF2'
#include <functional>
#include <map>
#include <string>
int main()
{
	std::map<std::string, std::function<int(int)>> m;
	m["a"] = [](int x) { return x; };
	return m["a"](1);
}
EOF2
cat >"$TMP/load.py" <<'EOF2'
import json, re
d = [{"a": i, "b": str(i) * 3} for i in range(3000)]
for _ in range(50):
    s = json.dumps(d)
    json.loads(s)
    re.findall(r"[a-z]+:\d+", s)
sorted(range(100000), key=lambda x: -x)
EOF2
cat >"$TMP/load.js" <<'EOF2'
function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) }
let s = 0, o = []
for (let i = 0; i < 8; i++) s += f(27)
for (let i = 0; i < 50000; i++) o.push({ a: i })
JSON.parse(JSON.stringify(o)).sort((x, y) => y.a - x.a)
console.log(s)
EOF2
seq 1 800000 >"$TMP/text"

agree g++ 100 98 g++ -O2 -c -o /dev/null "$TMP/big.cc"
agree python3 50 98 python3 "$TMP/load.py"
agree gzip 50 100 gzip -c "$TMP/text"
if command -v clang++ >/dev/null; then
	agree clang++ 100 90 clang++ -O1 -c -o /dev/null "$TMP/big.cc"
else
	skip_without "clang++" clang++
fi
if command -v node >/dev/null; then
	agree node 40 95 node "$TMP/load.js"
	ok "node: code that it made itself has no unwind information, and is passed" \
		test "$(figure guessed)" -gt 0
else
	skip_without "node" node
fi

g++ -std=c++20 -O2 -fno-omit-frame-pointer -o "$TMP/frames" tests/prog/unwind/frames.cc || exit 1
run_ok "a program with frame pointers is recorded and unwound" \
	"$O/tests/oracle/unwind_fp" "$TMP/frames" 20000
mv "$TMP/out" "$TMP/figures"
ok "at least 20 samples of its own code" test "$(figure samples)" -ge 20
# realigned_alloca() has one instruction, behind its "pop %rbp", for which gcc describes no caller's %rbp
ok "the kernel's chains are in ours" test $(($(figure contained) * 100)) -ge $(($(figure samples) * 95))
ok "and some of ours hold a caller that the kernel's have not" test "$(figure more)" -gt 0
[ "$tap_failed" -eq 0 ] || diag_file "$TMP/figures"
done_testing
