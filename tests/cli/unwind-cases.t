# SPDX-License-Identifier: GPL-2.0
#
# perf-lite record --call-graph dwarf: programs that are hard to unwind, or whose files are hard to
# get at: layouts of other linkers, no section headers, no table, .debug_frame alone, 32 bits, a
# file that is gone or in another mount namespace, code loaded where other code was, stacks of
# threads and signal handlers, stacks that are too deep, longjmp, the vdso, exec after exec, a JIT.
. tests/lib.sh
need_root
need_cmd cc
[ "$(uname -m)" = x86_64 ] || skip_all "$outside: its programs are x86-64's"
run "$PERF_LITE" record -e cpu-clock:u -o "$TMP/data" -- true
rc_is 0 "records"

# build NAME FLAGS...: the program $TMP/NAME/cases; fails where a compiler or linker cannot do it
build()
{
	mkdir -p "$TMP/$1" && name=$1 && shift &&
		cc -O2 -fomit-frame-pointer "$@" -o "$TMP/$name/cases" tests/prog/unwind/cases.c -pthread >"$TMP/cc" 2>&1
}

# record CMD...: its folded stacks, one to a line after how many samples had it, in $TMP/folded
record()
{
	"$PERF_LITE" record -v -e cpu-clock:u -F 999 --call-graph dwarf -o "$TMP/data" -- "$@" \
		>"$TMP/out" 2>"$TMP/record" || return 1
	"$PERF_LITE" script -q -i "$TMP/data" --folded --max-stack 2000 2>"$TMP/script.err" |
		awk '{ n = $NF; $NF = ""; stacks[$0] += n / 1001001 }
			END { for (s in stacks) printf "%.0f %s\n", stacks[s], s }' | sort -rn >"$TMP/folded"
}

# matching ERE: the share of the samples of "cases" whose stack matches, in percent; at least 100
# samples, else 0
matching()
{
	grep ' cases;' "$TMP/folded" | sed 's/ $//' | awk -v ere="$1" '
		# while it is loaded, forked or ended, however long that takes
		$2 ~ /;(_dl_start|__libc_fork|exit)(;|$)|;_dl_start_user$|^cases;_start$/ { next }
		$2 ~ /;__libc_start_main[^;]*;(__libc_(setup|init)_[a-z_]*|_dl_[a-z_]*|update_active[^;]*|apply_irel[^;]*)(;|$)/ { next }
		{ all += $1 }
		$2 ~ ere { some += $1 }
		END { print (all >= 100 ? int(100 * some / all) : 0) }'
}

# What outer does: most of it in leaf, and it asks for the time, where one who has to wait for the CPU stands more often.
loop='outer(;mid(;leaf)?|(;(cpu_ms|_dl_[^;]*|[^;]*clock_gettime[^;]*|__kernel_vsyscall))*)$'

# The frame below which all is: a C library may have its own names for what calls main.
chain=";main;$loop"

# unwinds DESC SHARE ERE CMD...: so many percent of the stacks match
unwinds()
{
	desc=$1 share=$2 ere=$3
	shift 3
	if ! record "$@"; then
		fail "$desc: is recorded"
		diag_file "$TMP/record"
		return
	fi
	got=$(matching "$ere")
	ok "$desc: $got % of the stacks are right" test "$got" -ge "$share"
	[ "$got" -ge "$share" ] || diag_file "$TMP/folded"
}

whole() # DESC SHARE: the recorder says that so many are complete
{
	got=$(sed -n 's/^perf-lite record: \([0-9]*\)[0-9.]*% of [0-9]* stacks are complete.*/\1/p' "$TMP/record")
	ok "$1: complete" test "${got:-0}" -ge "$2"
	[ "${got:-0}" -ge "$2" ] || diag_file "$TMP/record"
}

layout() # DESC NAME FLAGS...
{
	desc=$1 name=$2
	shift 2
	if build "$name" "$@"; then
		unwinds "$desc" 99 "$chain" "$TMP/$name/cases" chain
		whole "$desc" 99
	else
		skip_outside "$desc" "$(tail -n 1 "$TMP/cc")"
	fi
}

# How the file is made

layout "position-independent" pie -pie -fPIE
layout "at fixed addresses" exec -no-pie -fno-PIE
layout "static" static -static
layout "static, position-independent" static-pie -static-pie -fPIE
layout "no .eh_frame_hdr" nohdr -Wl,--no-eh-frame-hdr
layout ".debug_frame alone" debugframe -g -fno-asynchronous-unwind-tables
ok "it has no .eh_frame for its functions" sh -c \
	"! readelf --debug-dump=frames-interp '$TMP/debugframe/cases' | sed '/debug_frame section/,\$d' |
		grep -q \$(nm '$TMP/debugframe/cases' | sed -n 's/^0*\([0-9a-f]*\) T outer/\1/p')"
if command -v objcopy >/dev/null; then
	mkdir "$TMP/apart"
	objcopy --only-keep-debug "$TMP/debugframe/cases" "$TMP/apart/cases.debug"
	objcopy --strip-debug --add-gnu-debuglink="$TMP/apart/cases.debug" "$TMP/debugframe/cases" "$TMP/apart/cases"
	unwinds ".debug_frame in a debug file beside it" 99 "$chain" "$TMP/apart/cases" chain
	whole ".debug_frame in a debug file beside it" 99
else
	skip_without ".debug_frame in a debug file beside it" objcopy
fi
layout "with a frame pointer" fp -fno-omit-frame-pointer
layout "no unwind information at all, but frame pointers" fponly -fno-omit-frame-pointer \
	-fno-asynchronous-unwind-tables -fno-unwind-tables
if links "linked by lld" -fuse-ld=lld; then
	layout "linked by lld" lld -fuse-ld=lld
	is "its code is not at the address that is its offset" "$(readelf -lW "$TMP/lld/cases" |
		awk '$1 == "LOAD" && $2 != $3 { n++ } END { print (n > 0) }')" 1
fi
if links "32 bits" -m32; then
	layout "32 bits" bits32 -m32
	layout "32 bits, static" bits32static -m32 -static
fi

# No section headers: only program headers and what they point at are left.
build sections -rdynamic || exit 1
printf '\0\0\0\0\0\0\0\0' | dd of="$TMP/sections/cases" bs=1 seek=40 conv=notrunc 2>/dev/null
printf '\0\0\0\0' | dd of="$TMP/sections/cases" bs=1 seek=60 conv=notrunc 2>/dev/null
is "the section headers are gone" "$(readelf -SW "$TMP/sections/cases" 2>/dev/null | grep -c text)" 0
unwinds "no section headers" 99 "$chain" "$TMP/sections/cases" chain
whole "no section headers" 99

# How the file is reached

build away || exit 1
unwinds "a program that removed itself" 99 "$chain" "$TMP/away/cases" -u chain
whole "a program that removed itself" 99
ok "it is gone" test ! -e "$TMP/away/cases"

mkdir "$TMP/private" "$TMP/empty"
cp "$TMP/pie/cases" "$TMP/private/cases"
if can mounts; then
	unwinds "a program in another mount namespace" 99 "$chain" unshare -m sh -c \
		"mount --bind '$TMP/private' '$TMP/empty' && exec '$TMP/empty/cases' chain"
	whole "a program in another mount namespace" 97
	ok "it cannot be seen from here" test ! -e "$TMP/empty/cases"
else
	skip_without "a program in another mount namespace" mounts
fi

# What runs before it in the process, and how it came there

unwinds "exec from a shell" 99 "$chain" sh -c "exec '$TMP/pie/cases' chain"
unwinds "exec after exec" 99 "$chain" \
	sh -c "exec sh -c 'exec env A=1 $TMP/exec/cases chain'"
unwinds "fork without exec" 99 "$chain" "$TMP/pie/cases" fork
unwinds "a thread with a stack of its own" 99 ";thread_main;$loop" "$TMP/pie/cases" thread
whole "a thread with a stack of its own" 99
unwinds "between jumps" 97 ';main;jumps;below(;below)*;mid(;leaf)?$' "$TMP/pie/cases" longjmp
whole "between jumps" 99
unwinds "in the vdso" 97 ';main;(clocks|cpu_ms)(;.*clock_gettime.*)?$' "$TMP/pie/cases" clock
whole "in the vdso" 99
ok "much of it below the system call's wrapper" test "$(matching 'clocks;.*clock_gettime.*;__vdso_clock_gettime(;\[vdso\])?$')" -ge 50

for at in a:300 b:400; do
	cc -O2 -fomit-frame-pointer -shared -fPIC -DWORK="work_${at%:*}" -DFRAME="${at#*:}" -o "$TMP/lib${at%:*}.so" \
		tests/prog/unwind/library.c || exit 1
done
unwinds "libraries that take turns at one address" 97 \
	';main;((libraries;)?from_library(;library_run(;work_[ab])?|;[^;]*dl.*)?|[^;]*dl(open|close).*)$' \
	"$TMP/pie/cases" libraries "$TMP/liba.so" "$TMP/libb.so"
whole "libraries that take turns" 99
"$PERF_LITE" script -q -i "$TMP/data" -F ip,sym 2>/dev/null |
	awk '$2 ~ /^work_[ab]$/ { seen[$1] = seen[$1] $2 }
		END { for (a in seen) n += seen[a] ~ /work_a/ && seen[a] ~ /work_b/; print n + 0 }' >"$TMP/shared"
ok "there are addresses that were in the one and in the other" test "$(cat "$TMP/shared")" -ge 1
for one in a b; do
	ok "samples in both: work_$one" test "$(matching "work_$one$")" -ge 20
done

# What the dynamic linker runs before main.
mkdir "$TMP/ctor"
cat >"$TMP/ctor/begin.c" <<'END'
#include <time.h>
volatile unsigned long sum;
static __attribute__((noinline)) void leaf(void) { for (int i = 0; i < 100000; i++) sum += i; sum++; }
static __attribute__((constructor)) void begin(void) { while (clock() < CLOCKS_PER_SEC * 4 / 10) leaf(); sum++; }
END
echo 'extern volatile unsigned long sum; int main(void) { return sum == 1; }' >"$TMP/ctor/main.c"
cc -O2 -fomit-frame-pointer -shared -fPIC -o "$TMP/ctor/libbegin.so" "$TMP/ctor/begin.c" &&
	cc -O2 -o "$TMP/ctor/cases" "$TMP/ctor/main.c" -L"$TMP/ctor" -lbegin -Wl,-rpath,"$TMP/ctor" || exit 1
# without Debian's libc6-dbg the loader's functions have the name of its file
libc_names && own= || own='|\[(ld-|libc)[^;]*\]'
unwinds "a constructor of a library" 97 ";(_dl_init$own);((call_init$own);)*begin(;leaf|(;[^;]*clock[^;]*)*)\$" "$TMP/ctor/cases"
whole "a constructor of a library" 99

# Its return address is in a register, and it has no frame.
if can tracepoints; then
	run_ok "vfork is recorded" "$PERF_LITE" record -q -e sched:sched_switch --call-graph dwarf -o "$TMP/data" -- "$TMP/pie/cases" vfork
	run_ok "and printed" "$PERF_LITE" script -q -i "$TMP/data" --folded
	ok "who waits in vfork() has callers" test "$(awk '/;main;spawn;[^;]*(vfork|libc)[^;]*;/ { n += $NF } END { print n + 0 }' "$TMP/out")" -ge 20
else
	skip_without "vfork" tracepoints
fi

# Stacks that cannot be had whole

# also on its way down; whatever runs while it is loaded is whole, a few percent where loading is slow
unwinds "a stack deeper than its copy" 97 ";(down;)+(down|$loop)" "$TMP/pie/cases" deep
like "the recorder says why it has no end" "$TMP/record" \
	'^perf-lite record: [0-9]\.[0-9]% of [0-9]+ stacks are complete; .*: stack copy too short' # but those of the loader
like "and so does the quality report" "$TMP/folded" '\[truncated\];(down;){100,}outer;mid;leaf'
unwinds "a handler on an alternate stack, up to where it interrupted" 99 \
	";[^;]+;([^;]*restore[^;]*$own);handler;$loop" "$TMP/pie/cases" handler

# A JIT: what it made has frame pointers and no unwind information.
if command -v node >/dev/null; then
	cat >"$TMP/load.js" <<-'EOF2'
	function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
	let s = 0
	for (let i = 0; i < 30; i++) s += fib(25)
	console.log(s)
	EOF2
	record sh -c "exec node '$TMP/load.js'"
	whole "a JIT" 95
else
	skip_without "a JIT" node
fi
done_testing
