# SPDX-License-Identifier: GPL-2.0
#
# perf-lite script --quality and --strict: how many stacks are complete and frames named, and where and why the others are not.
. tests/lib.sh
need_root
need_perf
need_cmd cc strip objcopy setpriv unshare

# perf takes files whose path begins with /tmp/perf- for maps of JIT code
bin=$(mktemp -d /tmp/stacks.XXXXXX) || exit 1
at_exit rm -rf "$bin"
export HOME="$TMP" # perf's cache of binaries may have some of these, of other tests
build() { cc -O1 -fno-inline -fomit-frame-pointer -D_GNU_SOURCE -pthread "$@" tests/prog/stacks.c; }
build -o "$bin/good" || exit 1

# recorded OPTION... -- COMMAND: what perf records of it; -N: it keeps no copies of the binaries
recorded()
{
	perf record -q -N -m 16M -e cpu-clock -F 499 -o "$TMP/data" "$@" >"$TMP/record.out" 2>&1 || diag_file "$TMP/record.out"
}
script() { "$PERF_LITE" script -i "$TMP/data" "$@"; }
quality() { run_ok "$1" script --quality; }

# sum WORD: the number behind it in the first lines
sum() { awk -v w="$1" '$1 == w && NF <= 3 { print $2; exit }' "$TMP/out"; }

# row DESC COLUMN WHERE CAUSE: there is a row of the table, below the header of COLUMN
row()
{
	awk -v unit="$2" -v where="$3" -v cause="$4" '
		/what helps$/ { in_it = $1 == unit }
		in_it && index($0, where) && index($0, "  " cause "  ") { found = 1 }
		END { exit !found }' "$TMP/out"
	is "$1" $? 0
	[ $? -eq 0 ] && awk -v w="$3" 'index($0, w)' "$TMP/out" >"$TMP/row"
}

# Good stacks

recorded --call-graph dwarf,65528 -- "$bin/good" 200
quality "good stacks"
all=$(sum stacks)
ok "there are stacks" test "$all" -gt 50
ok "complete, $(sum complete) of $all" test "$(sum complete)" -ge $((all * 98 / 100))
is "what is not is counted" $(($(sum complete) + $(sum truncated) + $(sum unknown))) "$all"
is "so are the names" $(($(sum named) + $(sum unnamed))) "$(sum frames)"
unlike "no sample is printed" "$TMP/out" '^good '
is "nothing on standard error" "$(cat "$TMP/err")" ""
if libc_names; then
	strict=2
else
	strict=60
	row "the C library's own functions have none" frames libc "no symtab"
	like "which a package has" "$TMP/row" 'install libc6-dbg'
fi
run_ok "--strict=$strict" script --strict=$strict
like "prints the samples" "$TMP/out" '^good '
run_ok "--quality --strict=$strict%" script --quality --strict=$strict%
recorded --call-graph dwarf,65528 -- "$bin/good" 200
for bad in x -1 101 1.5.2 %; do
	run script --strict=$bad
	rc_is 1 "--strict=$bad"
	like "is refused" "$TMP/err" "^perf-lite: --strict: '$bad' is no share"
done

# A copy that is too short

recorded --call-graph dwarf,512 -- "$bin/good" 200
quality "a short copy"
all=$(sum stacks)
ok "truncated: $(sum truncated) of $all" test "$(sum truncated)" -gt $((all / 5))
row "by the copy" stacks "$bin/good" "stack copy too short"
like "and what helps" "$TMP/out" 'record with --call-graph dwarf,65528 or, beyond that, auto$'
is "the worst row first" "$(awk '/^ +stacks/ { getline; print $1 }' "$TMP/out")" \
	"$(awk '/^ +stacks/ { on = 1; next } /^$/ { on = 0 } on && $1 + 0 > max { max = $1 + 0 } END { print max }' "$TMP/out")"
run script --strict
rc_is 3 "--strict"
like "says the shares" "$TMP/err" '^perf-lite: [0-9]+ of [0-9]+ stacks are not complete, [0-9]+ of [0-9]+ frames have no name: more than 1%$'
like "and how to learn more" "$TMP/err" '^hint: script --quality shows where and why$'
like "all has been printed" "$TMP/out" '^good '
run script --quality --strict=5
rc_is 3 "--quality --strict=5"
like "prints the table" "$TMP/out" '^complete '
run_ok "--strict=100" script --strict=100
run_ok "without either" script
like "one line says it" "$TMP/err" '% of [0-9]+ stacks are complete; record with --call-graph dwarf,65528 or, beyond that, auto; .*: stack copy too short; script --quality shows all$'
is "only one" "$(wc -l <"$TMP/err")" 1

# No unwind information: where a frame is small the caller is guessed, so they are large here

build -DBLOCK=1024 -fno-asynchronous-unwind-tables -fno-unwind-tables -o "$bin/nocfi" || exit 1
recorded --call-graph dwarf,65528 -- "$bin/nocfi" 200
quality "no unwind information"
row "is the cause" stacks "$bin/nocfi" "no unwind information"
ok "of most: $(sum truncated) of $(sum stacks)" test "$(sum truncated)" -gt $(($(sum stacks) / 2))

# Frame pointers. Who did not ask is told where there are none, by every command that draws conclusions from callers.

poor='[0-9.]+% of [0-9]+ stacks are complete; record with --call-graph dwarf, or build with -fno-omit-frame-pointer; [0-9]+ of the other [0-9]+ end in .*: no frame pointer'
run_ok "record -g" "$PERF_LITE" record -F 499 -g -o "$TMP/poor" -- "$bin/good" 200
like "tells at the end what helps" "$TMP/err" "^perf-lite record: $poor\$"
run_ok "record --format perf" "$PERF_LITE" record --format perf -F 499 -g -o "$TMP/poor.perf" -- "$bin/good" 200
like "does, too" "$TMP/err" "^perf-lite record: $poor\$"
run_ok "record -q" "$PERF_LITE" record -q -F 499 -g -o "$TMP/quiet" -- "$bin/good" 100
is "does not" "$(cat "$TMP/err")" ""
run_ok "report" "$PERF_LITE" report -i "$TMP/poor"
like "tells it above the table" "$TMP/out" "^# $poor\$"
is "and nowhere else" "$(cat "$TMP/err")" ""
run_ok "report -g none --no-children" "$PERF_LITE" report -g none --no-children -i "$TMP/poor"
unlike "needs no callers" "$TMP/out" "stacks are complete"
run_ok "report --compat" "$PERF_LITE" report --compat=6.1 -i "$TMP/poor"
unlike "has perf's text" "$TMP/out" "stacks are complete"
run_ok "report --json" "$PERF_LITE" report --json -i "$TMP/poor"
like "tells it on standard error" "$TMP/err" "^$poor\$"
run_ok "flamegraph" "$PERF_LITE" flamegraph -i "$TMP/poor" -o "$TMP/poor.svg"
like "tells it on standard error" "$TMP/err" "^$poor\$"
like "and in the picture" "$TMP/poor.svg" "<text class=\"warning\"[^>]*>[0-9.]+% of [0-9]+ stacks are complete; record with --call-graph dwarf, "
run_ok "flamegraph --timeline" "$PERF_LITE" flamegraph --timeline -i "$TMP/poor" -o "$TMP/poor.svg"
like "tells it on standard error" "$TMP/err" "^$poor\$"
like "and in the picture" "$TMP/poor.svg" "<text class=\"note\"[^>]*>[0-9.]+% of [0-9]+ stacks are complete; record with --call-graph dwarf, "
run_ok "script" "$PERF_LITE" script -i "$TMP/poor"
like "tells it on standard error" "$TMP/err" "^$poor; script --quality shows all\$"
run_ok "record -g of frame pointers" "$PERF_LITE" record -F 499 -g -o "$TMP/fine" -- "$PROG/spin" 200
unlike "has nothing to tell" "$TMP/err" "stacks are complete"
for cmd in "report" "flamegraph -o $TMP/fine.svg" "script"; do
	run_ok "nor has $cmd" "$PERF_LITE" $cmd -i "$TMP/fine"
	is "on standard error" "$(cat "$TMP/err")" ""
	unlike "on standard output" "$TMP/out" "stacks are complete"
done
unlike "nor the picture" "$TMP/fine.svg" "stacks are complete"
run_ok "record -v -g" "$PERF_LITE" record -v -F 499 -g -o "$TMP/fine" -- "$PROG/spin" 200
like "tells it all the same" "$TMP/err" "^perf-lite record: (9[0-9]|100)\.[0-9]% of [0-9]+ stacks are complete(;|\$)"
run_ok "record of no call chains" "$PERF_LITE" record -v -F 499 -o "$TMP/none" -- "$bin/good" 100
unlike "has none to tell of" "$TMP/err" "stacks are complete"

recorded -g -- "$bin/good" 100
quality "no frame pointers"
row "are the cause" stacks "$bin/good" "no frame pointer"
like "and what helps" "$TMP/out" 'record with --call-graph dwarf, or build with -fno-omit-frame-pointer$'
build -fno-omit-frame-pointer -static -o "$bin/framed" || exit 1
recorded -g -- "$bin/framed" 200
quality "frame pointers"
ok "lead to the end: $(sum complete) of $(sum stacks)" test "$(sum complete)" -gt $(($(sum stacks) / 2))

# Stacks that cannot be told to their end

broken() { cc -O1 -fno-inline -fomit-frame-pointer "$@" tests/prog/unwind/broken.c 2>"$TMP/cc"; }
if [ "$(uname -m)" = x86_64 ] && broken -o "$bin/broken"; then
	recorded --call-graph dwarf,65528 -- "$bin/broken" cfi
	quality "unwind information with an instruction that does not exist"
	row "is damaged" stacks "$bin/broken" "unwind information damaged"
	recorded --call-graph dwarf,65528 -- "$bin/broken" stack
	quality "unwind information that leads down the stack"
	row "is a damaged stack" stacks "$bin/broken" "stack damaged"
	recorded --call-graph dwarf,65528 -- "$bin/broken" jump
	quality "a handler of a jump astray"
	row "ends where nothing is mapped" stacks libc "address not mapped"
	row "which is a frame without name" frames '[unknown]' "nothing mapped"
	recorded -g -e cpu-clock:u --kernel-callchains -- "$bin/broken" deep
	quality "no user half"
	row "is not unwound" stacks '[unknown]' "not unwound"
	all=$(sum stacks)
	ok "of no stack is anything known: $(sum unknown) of $all" test "$(sum unknown)" -ge $((all * 9 / 10))
	[ "$(sum unknown)" -ge $((all * 98 / 100)) ] || diag_file "$TMP/out"

	broken -fno-omit-frame-pointer -static -o "$bin/deep" || exit 1
	recorded -g -e cpu-clock:u -- "$bin/deep" deep
	quality "more frames than the kernel walks"
	row "are too many" stacks "$bin/deep" "too many frames"

	# those before it know how long they are
	objcopy --strip-symbol=burn "$bin/broken" "$bin/nameless" || exit 1
	recorded --call-graph dwarf,65528 -- "$bin/nameless" deep
	quality "a symbol that is missing"
	row "is said so" frames "$bin/nameless" "no symbol here"

	# neither its text, nor a lookup by BPF, nor perf's own copy
	recorded -g -e cpu-clock:k -- "$bin/broken" kernel </dev/zero
	: >"$TMP/kallsyms"
	if can mounts; then
		run_ok "a kernel that hides its symbols" unshare -m sh -c "mount --bind '$TMP/kallsyms' /proc/kallsyms &&
			exec setpriv --bounding-set -bpf,-sys_admin,-syslog '$PERF_LITE' script -i '$TMP/data' --quality"
		row "has no names" frames '[kernel.kallsyms]' "no kernel symbols"
	else
		skip_without "a kernel that hides its symbols" mounts
	fi
else
	skip_outside "stacks that cannot be told to their end" "x86-64's: $(tail -n 1 "$TMP/cc")"
fi

strip -o "$bin/untold" "$bin/framed" || exit 1
recorded -g -e cpu-clock:u -- "$bin/untold" 200
quality "frame pointers in a stripped program"
row "end in what has no name" stacks "$bin/untold" "last frame has no name"

# Between two programs a process has no stack: what is freed then is told with none
run "$PERF_LITE" record --call-graph dwarf -e kmem:kmem_cache_free -o "$TMP/data" -- env true
rc_is 0 "records execve"
quality "execve"
row "leaves no copy" stacks / "no copy of the stack"

# Names

cp "$bin/good" "$bin/stripped" && strip "$bin/stripped" || exit 1
recorded --call-graph dwarf,65528 -- "$bin/stripped" 200
quality "a stripped program"
all=$(sum stacks)
ok "is unwound: $(sum complete) of $all" test "$(sum complete)" -ge $((all * 98 / 100))
row "but has no names" frames "$bin/stripped" "no symtab"
run script --strict
rc_is 3 "--strict counts names"

cp "$bin/good" "$bin/replaced"
recorded --call-graph dwarf,65528 -- "$bin/replaced" 100
rm "$bin/replaced" && build -DBLOCK=128 -o "$bin/replaced" || exit 1
quality "a program that was replaced"
row "has no names" frames "$bin/replaced" "build-id differs"
row "and cannot be unwound" stacks "$bin/replaced" "file gone"
rm "$bin/replaced"
quality "a program that is gone"
row "has none either" frames "$bin/replaced" "file gone"

recorded --call-graph dwarf,65528 -- "$PROG/jit" 200
pid=$(head -n 1 "$TMP/record.out")
quality "generated code"
if libc_names; then
	ok "is named by its map: $(sum named) of $(sum frames)" test "$(sum named)" -ge $(($(sum frames) * 98 / 100))
else
	skip_libc_names "is named by its map"
fi
rm -f "/tmp/perf-$pid.map"
quality "generated code without map"
row "has no names" frames "perf-$pid.map" "no JIT map"

# Nothing to judge

recorded -- "$bin/good" 50
quality "no call chains"
is "no stacks" "$(sum stacks)" 0
ok "but frames" test "$(sum frames)" -gt 10

done_testing
