# SPDX-License-Identifier: GPL-2.0
#
# perf-lite script on stacks that are unwound when they are read: files of perf record --call-graph dwarf and recordings
# that kept their stacks.
. tests/lib.sh
need_root
need_perf
need_cmd cc

# perf takes files whose path begins with /tmp/perf- for maps of JIT code
bin=$(mktemp -d /tmp/stacks.XXXXXX) || exit 1
at_exit rm -rf "$bin"
build() { cc -O1 -g -fno-inline -fomit-frame-pointer -D_GNU_SOURCE -pthread "$@" tests/prog/stacks.c; }
build -o "$bin/stacks" || exit 1
recorded()
{
	f=$TMP/$1.data
	shift
	perf record -q -m 16M -e cpu-clock -F 499 -o "$f" "$@" >"$TMP/record.out" 2>&1 || diag_file "$TMP/record.out"
}
script() { "$PERF_LITE" script -i "$f" "$@"; }

# whole DESC: all stacks in $TMP/out begin where programs and threads do
whole()
{
	# execve names the task before it has a stack
	grep -v ';[^;]*sys_execve;' "$TMP/out" >"$TMP/whole"
	unlike "$1: all from the outermost frame" "$TMP/whole" '^stacks;(\[truncated\]|main|around|deep|leaf)'
}

# what a function of the C library is called that others do not call: its file, if Debian's libc6-dbg is not there
libc_names && own= || own='|\[libc[^;]*\]'

# folded_ok DESC: deep() is as often in the stacks of $TMP/out as the source says
folded_ok()
{
	like "$1: through main" "$TMP/out" '^stacks;_start;.*;main;around;(deep;){13}leaf [0-9]+$'
	like "$1: of the thread" "$TMP/out" "^stacks;((__GI_)?(__)?clone3?$own);(start_thread$own);thread;(deep;){4}leaf [0-9]+\$"
	like "$1: through the C library" "$TMP/out" ';sorting;.*qsort.*;compare(;leaf)? [0-9]+$'
	like "$1: through a signal" "$TMP/out" ";around;(__GI_)?raise(@[^;]*)?;.*;(__restore_rt$own);handler;leaf [0-9]+\$"
	like "$1: into the vdso" "$TMP/out" ';cpu_ms;.*;__vdso_clock_gettime [0-9]+$'
}

recorded dwarf --call-graph dwarf,65528 -- "$bin/stacks" 1000
run_ok "--folded" script --no-inline --folded
is "nothing to say" "$(cat "$TMP/err")" ""
whole "perf.data"
folded_ok "perf.data"
cp "$TMP/out" "$TMP/fast"
run_ok "--unwinder=fast" script --no-inline --folded --unwinder=fast
is_file "is the default" "$TMP/out" "$TMP/fast"
run_ok "--unwinder=libdw" script --no-inline --folded --unwinder=libdw
folded_ok "libdw"
run_ok "--unwinder=libunwind" script --no-inline --folded --unwinder=libunwind
folded_ok "libunwind"
run script --unwinder=none
rc_is 1 "another unwinder"
like "is refused, with those that there are" "$TMP/err" '^hint: use fast, libdw or libunwind$'
run_ok "frames" script --no-inline -F ip,sym,dso
like "a caller is shown where it calls" "$TMP/out" "^	 *[0-9a-f]+ main \($bin/stacks\)\$"
run_ok "a pipe" sh -c "'$PERF_LITE' script -i - --no-inline --folded <'$f'"
is_file "gives the same" "$TMP/out" "$TMP/fast"

# Every stack is unwound by what was mapped at its time

recorded fork --call-graph dwarf,65528 -- sh -c "'$bin/stacks' 500; '$bin/stacks' 500"
run_ok "fork and exec" script --no-inline --folded -c stacks
whole "fork and exec"
folded_ok "fork and exec"

# Deep ones are not cut where they are shown whole

build -DBLOCK=8 -o "$bin/deep" || exit 1
recorded deep --call-graph dwarf,65528 -- "$bin/deep" 300 1300
run_ok "1300 frames" script --no-inline --folded
like "all in one line" "$TMP/out" '^deep;_start;.*;main;around;(deep;){1301}leaf [0-9]+$'
run_ok "as text" script --no-inline
# a sample in the kernel has its frames above those
is "127 of them" "$(awk '/^\t/ && !/\(\[kernel/ { n++ } /^$/ { if (n > max) max = n; n = 0 } END { print max }' "$TMP/out")" 127

# What is missing is said

recorded short --call-graph dwarf,512 -- "$bin/stacks" 200
run_ok "a short copy" script --no-inline --folded -c stacks
like "is marked" "$TMP/out" '^stacks;\[truncated\];(deep;)+leaf [0-9]+$'
like "and said in one line" "$TMP/err" '^[0-9.]+% of [0-9]+ stacks are complete; .*: stack copy too short; script --quality shows all$'
is "which is the only one" "$(wc -l <"$TMP/err")" 1
run_ok "-q" script -q --no-inline --folded -c stacks
is "is quiet" "$(cat "$TMP/err")" ""
run_ok "text" script --no-inline -c stacks
unlike "has no such mark" "$TMP/out" truncated

# Without the files there is nothing to unwind by

recorded gone --call-graph dwarf,65528 -B -- "$bin/stacks" 100
mv "$bin/stacks" "$bin/moved"
run_ok "the program is gone" script --no-inline --folded -c stacks
like "its stacks end in it" "$TMP/err" "end in $bin/stacks: (file gone|no unwind information)"
build -DOTHER -o "$bin/stacks" -O1 || exit 1
mv "$bin/moved" "$bin/right"

# Kept by our own recorder

if "$PERF_LITE" record --help | grep -q -e --keep-stacks; then
	f=$TMP/kept.data
	run_ok "record --keep-stacks" "$PERF_LITE" record -q --call-graph dwarf --keep-stacks -e cpu-clock -F 499 -o "$f" -- "$bin/right" 1000
	run_ok "as it was recorded" script --no-inline --folded
	sed 's/^right/stacks/' "$TMP/out" >"$TMP/kept"
	cp "$TMP/kept" "$TMP/out"
	whole "recorded"
	folded_ok "recorded"
	run_ok "unwound again" script --no-inline --folded --unwinder=fast
	sed -i 's/^right/stacks/' "$TMP/out"
	is_file "gives the same" "$TMP/out" "$TMP/kept"
	run_ok "unwound again by libdw" script --no-inline --folded --unwinder=libdw
	sed -i 's/^right/stacks/' "$TMP/out"
	folded_ok "libdw"
fi
done_testing
