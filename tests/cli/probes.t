# SPDX-License-Identifier: GPL-2.0
#
# Probes in programs that need no tracefs: -e uprobe:FILE:FUNCTION. Those of the kernel: tests/vm/guest/probes.sh
. tests/lib.sh
need_root
need_cmd nm setpriv unshare
need uprobes
f=$TMP/a.data
# a name of its own, since everybody's calls are recorded
p=$TMP/probed-$$
cp "$PROG/probed" "$p"

script()
{
	"$PERF_LITE" script -q -i "$f" "$@"
}

# At the beginning of a function, and at its return

run_ok "each call of a function" "$PERF_LITE" record -g -o "$f" -e "uprobe:$p:entered" -- "$p" 200
like "none is lost" "$TMP/err" '200 samples.* 0 lost of 200 counted'
is "each at its first instruction" "$(script -G -F comm,event,ip,sym,symoff | grep -c " uprobe:$p:entered:  *[0-9a-f]* entered+0x0$")" 200
is "its callers are known" "$(script -F ip,sym | grep -c ' main$')" 200
run_ok "each return" "$PERF_LITE" record -o "$f" -e "uretprobe:$p:entered" -- "$p" 200
is "in the function that called" "$(script -F ip,sym | grep -c ' called$')" 200
run_ok "%return is the same" "$PERF_LITE" record -o "$f" -e "uprobe:$p:entered%return" -- "$p" 30
is "each of them" "$(script -F ip,sym | grep -c ' called$')" 30
like "of those that are nested, not all are seen, which is said" "$TMP/err" "^uprobe:$p:entered%return: returns of more than 64 nested calls are not seen$"
is "once" "$(grep -c nested "$TMP/err")" 1
run_ok "counted" "$PERF_LITE" count -a -e "uretprobe:$p:entered" -- "$p" 30
like "as many as the kernel knows of" "$TMP/out" '^30 counted in .* by the kernel: none lost that it knows of$'
like "which is said" "$TMP/err" 'entered: returns of more than 64 nested calls are not seen$'
run_ok "calls" "$PERF_LITE" count -a -e "uprobe:$p:entered" -- "$p" 30
like "are all seen" "$TMP/out" '^30 counted in .* by the kernel: nothing can be lost$'
unlike "and nothing is said" "$TMP/err" nested
run_ok "stacks by unwind information" "$PERF_LITE" record --call-graph dwarf -o "$f" -e "uprobe:$p:entered" -- "$p" 20
is "are whole" "$(script -F ip,sym | awk '{ printf "%s%s", $2, NF ? ";" : "\n" }' | grep -c '^entered;called;main;')" 20
run_ok "below a return probe" "$PERF_LITE" record --call-graph dwarf -o "$f" -e "uprobe:$p:entered" -e "uretprobe:$p:called" -- "$p" 20
is "an unknown frame is in the place of the caller" "$(script --event "uprobe:$p:entered" -F ip,sym |
	awk '{ printf "%s%s", $2, NF ? ";" : "\n" }' | grep -c '^entered;called;\[unknown\];')" 20

# At its beginning a function has no frame yet: a chain of frame pointers goes on with its caller, which the kernel's lacks

chains()
{
	"$PERF_LITE" script -q "$@" -F ip,sym | awk '{ printf "%s%s", $2, NF ? ";" : "\n" }'
}
each_entered() # CHAIN [PROGRAM]: how many
{
	chains -i "$f" --event "uprobe:${2:-$p}:entered" | grep -c "^$1;"
}
run_ok "stacks by frame pointers" "$PERF_LITE" record -g -o "$f" -e "uprobe:$p:entered" -e "uretprobe:$p:entered" -e "uprobe:$p:called" -- "$p" 20
is "are whole, too" "$(each_entered "entered;called;main")" 20
is "at the return, the caller is what returned to" "$(chains -i "$f" --event "uretprobe:$p:entered" | grep -c '^called;main;')" 20
is "of the one that called" "$(chains -i "$f" --event "uprobe:$p:called" | grep -c '^called;main;')" 1
run "$PERF_LITE" evlist -v -i "$f"
unlike "the copy of the stack is not kept" "$TMP/out" 'STACK_USER|REGS_USER'
if can bpf && can btf && can first-pids; then
	run_ok "with expressions" "$PERF_LITE" record -g -o "$f" -e "uprobe:$p:entered(arg1)" -- "$p" 20
	is "whole" "$(each_entered "entered;called;main")" 20
	run_ok "results, counted" "$PERF_LITE" count -e "uretprobe:$p:entered(retval)" -- "$p" 20
	like "as many as the kernel knows of" "$TMP/out" '^20 counted in .* by BPF, none lost that the kernel knows of$'
else
	skip_without "with expressions" bpf btf first-pids
fi
"$PERF_LITE" record -q -g -o - -e "uprobe:$p:entered" -- sh -c 'exec "$0" 20 >/dev/null' "$p" >"$f" 2>"$TMP/err"
rc=$?
rc_is 0 "through a pipe"
is "whole" "$(each_entered "entered;called;main")" 20
run_ok "for perf" "$PERF_LITE" record -g --format=perf -o "$f" -e "uprobe:$p:entered" -- "$p" 20
is "whole" "$(each_entered "entered;called;main")" 20
run_ok "the last seconds of a flight recorder" "$PERF_LITE" record -g --keep-last 60s -o "$f" -e "uprobe:$p:entered" -- "$p" 20
is "whole" "$(each_entered "entered;called;main")" 20
run_ok "counted by stack while it runs" "$PERF_LITE" count -e "uprobe:$p:entered" --by ustack -- "$p" 20
like "the caller, too" "$TMP/out" 'called\+0x'
cp "$PROG/probed-no-fp" "$p-no-fp"
run_ok "a program without frame pointers" "$PERF_LITE" record -g -o "$f" -e "uprobe:$p-no-fp:entered" -- "$p-no-fp" 20
is "the caller alone" "$(each_entered "entered;called" "$p-no-fp")" 20
run_ok "no more frames than wanted" "$PERF_LITE" record -g -o "$f" -e "uprobe:$p-no-fp:entered/max-stack=1/" -- "$p-no-fp" 20
is "one" "$(chains -i "$f" | grep . | sort | uniq -c | tr -s ' ')" " 20 entered;"

# Code that nobody built for this: both events see each call, and unwind information has the same caller
libc=$(ldd "$(command -v perl)" | sed -n 's/.*libc\.so[^ ]* => \([^ ]*\) .*/\1/p')
if can perl && can python3 && [ -n "$libc" ]; then
	run_ok "malloc in perl" "$PERF_LITE" record -q -m 16M -o "$f" -e "uprobe:$libc:malloc/call-graph=fp,name=frames/" \
		-e "uprobe:$libc:malloc/call-graph=dwarf,stack-size=8192,name=unwound/" -- perl -e '$h{$_} = [$_] for 1 .. 500'
	script --json >"$TMP/json"
	# An unwound address is within the call, one of the kernel's behind it. Where the kernel followed what is no frame pointer to
	# numbers that are marks, the whole chain is left out, by perf as well.
	ok "the callers are the same" python3 - "$TMP/json" <<-'END'
		import json, sys
		chains = {"frames": [], "unwound": []}
		for line in open(sys.argv[1]):
		    sample = json.loads(line)
		    if sample.get("event") in chains:
		        frames = [int(c["ip"], 16) for c in sample["callchain"] if not c.get("inlined")]
		        chains[sample["event"]].append(frames[:2])
		assert len(chains["frames"]) == len(chains["unwound"]) >= 200
		pairs = [p for p in zip(chains["frames"], chains["unwound"]) if p[0]]
		assert len(chains["frames"]) - len(pairs) <= 10
		differ = [p for p in pairs if p[0][0] != p[1][0] or p[0][1] - 1 != p[1][1]]
		assert not differ, (len(differ), [list(map(hex, sum(p, []))) for p in differ[:3]])
	END
else
	skip_without "malloc in perl" perl python3
fi

# An address, two at once, a group, terms

address=0x$(nm "$p" | sed -n 's/^0*\([0-9a-f]*\) . entered$/\1/p')
run_ok "an address of the file" "$PERF_LITE" record -o "$f" -e "uprobe:$p:$address" -e "uprobe:$p:called,uretprobe:$p:called" -- "$p" 50
is "is the function's" "$(script -F event,ip,sym | grep -c "^ *uprobe:$p:$address: *[0-9a-f]* entered$")" 50
is "others beside it" "$(script -F event,sym | grep -c ':called:')" 2
run_ok "an event's own call chain" "$PERF_LITE" record -o "$f" -e "uprobe:$p:called/call-graph=fp/,uprobe:$p:entered" -- "$p" 9
is "and none of the other" "$(script -F event,ip,sym | grep -c '^$').$(script -F ip,sym --event "uprobe:$p:entered" | grep -c ' entered$')" 1.9

# What the target starts can start, and is recorded with -a

run_ok "a command that forks" "$PERF_LITE" record -o "$f" -e "uprobe:$p:entered" -- sh -c "'$p' 4; '$p' 5; exec '$p' 6"
like "what is left out is said" "$TMP/err" 'hits of threads and processes that the targets start are left out; with -a, or with an argument, as in .*:entered\(pid\), they are not$'
is "its own calls" "$(script -F event | grep -c ':entered:')" 6
run_ok "counted" "$PERF_LITE" count -q -e "uprobe:$p:entered" -- sh -c "'$p' 4; exec '$p' 6"
like "what is left out is in the table's last line" "$TMP/out" '^6 counted in .* by the kernel: not of what the targets started$'
run_ok "stat of a command that forks" "$PERF_LITE" stat -x, -o "$TMP/stat" -e "uprobe:$p:entered" -- sh -c "'$p' 4; exec '$p' 6"
is "its own calls" "$(grep -c '^6,,uprobe:' "$TMP/stat")" 1
run_ok "with -a" "$PERF_LITE" record -a -o "$f" -e "uprobe:$p:entered" -- sh -c "'$p' 4; '$p' 5; exec '$p' 6"
is "all calls" "$(script -F event | grep -c ':entered:')" 15

# Everybody, and a process that runs already; the recorder itself is not recorded

libc=$(ldd "$PERF_LITE" | sed -n 's/.*libc\.so[^ ]* => \([^ ]*\) .*/\1/p')
# by a name that no other recorder has
own=own-$$
ln -s "$PERF_LITE" "$TMP/$own"
# with room for the calls of malloc on a busy machine
run_ok "everybody's" "$TMP/$own" record -a -m 32M -o "$f" -e "uprobe:$p:entered" -e "uprobe:$libc:malloc" -- "$p" 40
is "all calls" "$(script -F event --comm "${p##*/}" | grep -c ':entered:')" 40
# guardians of other recorders have the name that its own has
is "of all but the recorder" "$(script -F comm | grep -c "^ *$own")" 0
mkfifo "$TMP/go"
sh -c "read x <'$TMP/go'; exec '$p' 60" >"$TMP/sh.out" &
pid=$!
: >"$TMP/err"
"$PERF_LITE" record -o "$f" -e "uprobe:$p:entered" -p $pid 2>"$TMP/err" &
recorder=$!
wait_for 20 grep -q recording "$TMP/err"
echo >"$TMP/go"
wait $pid $recorder
is "a process's" "$(script -F event | grep -c ':entered:')" 60

# Other commands

run_ok "stat counts" "$PERF_LITE" stat -x, -o "$TMP/stat" -e "uprobe:$p:entered" -- "$p" 70
is "each" "$(grep -c '^70,,uprobe:' "$TMP/stat")" 1
run_ok "trace" "$PERF_LITE" trace -q -e "uprobe:$p:entered" -- "$p" 5
is "each" "$(grep -c 'entered+0x0' "$TMP/out")" 5

# Without tracefs

if need=$(unshare -m sh -c 'umount -l /sys/kernel/tracing && ! [ -e /sys/kernel/tracing/events ]' 2>&1); then
	run_ok "where tracefs is not mounted" unshare -m sh -c \
		'umount -l /sys/kernel/tracing; exec "$@"' sh "$PERF_LITE" record -o "$f" -e "uprobe:$p:entered" -- "$p" 25
	is "each call" "$(script -F event | grep -c ':entered:')" 25
else
	skip_outside "where tracefs is not mounted" "it cannot be unmounted here: $need"
fi

# Mistakes

refused()
{
	run "$PERF_LITE" record -o "$TMP/none" -e "$1" -- true
	ok "$1 is refused" [ $rc -ne 0 ]
	like "with the reason" "$TMP/err" "$2"
	like "and what to do" "$TMP/err" '^hint: '
	ok "no file" not [ -e "$TMP/none" ]
}
refused "uprobe:$p:nothing" "there is no function 'nothing' in $p"
refused "uprobe:$TMP/nothing:main" "$TMP/nothing: No such file"
echo '7f0000001000 10 LazyCompile:handle' >"$TMP/perf-4711.map"
refused "uprobe:$TMP/perf-4711.map:handle" "the functions in $TMP/perf-4711.map were compiled while the program ran"
refused "uprobe:$p" "a file and a function in it are expected here"
refused "uprobe:$p:nothing*" "no function of $p matches 'nothing\*'"
[ -e /sys/bus/event_source/devices/kprobe ] || refused kprobe:vfs_read CONFIG_KPROBE_EVENTS
chmod 755 "$TMP"
cp "$PERF_LITE" "$TMP/pl"
run setpriv --reuid 65534 --regid 65534 --clear-groups "$TMP/pl" record -o /dev/null -e "uprobe:$p:main" -- true
ok "another user is refused" [ $rc -ne 0 ]
like "with what is missing" "$TMP/err" 'probes need CAP_PERFMON'
# Functions that are called once, to choose another one; instructions at which no probe can be

cat >"$TMP/odd.c" <<'END'
static int count;
static int one(int x) { return x + ++count; }
static int (*choose(void))(int) { return one; }
int odd_work(int) __attribute__((ifunc("choose")));
void odd_locked(int *);
__asm__(".globl odd_locked; .type odd_locked, @function; odd_locked: lock incl (%rdi); ret; .size odd_locked, . - odd_locked");
int odd_plain(int x) { return odd_work(x); }
int main(void) { int i, n = 0; for (i = 0; i < 50; i++) odd_locked(&n), n += odd_plain(i); return n == 0; }
END
if [ "$(uname -m)" = x86_64 ] && cc -O1 -fno-inline -o "$TMP/odd" "$TMP/odd.c" 2>"$TMP/cc"; then
	refused "uprobe:$TMP/odd:odd_work" "'odd_work' of $TMP/odd is called once, to choose one of several functions \(IFUNC\)"
	refused "uprobe:$TMP/odd:odd_locked" "no probe at an instruction with a lock or a segment prefix"
	refused "uprobe:$TMP/odd:odd_l*" "nothing that matches 'odd_l\*' can be probed: not odd_locked, which is no place for a probe"
	run_ok "behind it" "$PERF_LITE" record -o "$f" -e "uprobe:$TMP/odd:odd_locked+3" -- "$TMP/odd"
	is "each call" "$(script -F event | wc -l)" 50
	run_ok "the one that was chosen" "$PERF_LITE" record -o "$f" -e "uprobe:$TMP/odd:one" -- "$TMP/odd"
	is "each call of it" "$(script -F event | wc -l)" 50
	if can bpf && can btf && can first-pids; then
		run "$PERF_LITE" record -o "$f" -e "uprobe:$TMP/odd:odd_*" -- "$TMP/odd"
		case $rc in
		0)
			is "of a pattern the others" "$(script -F trace | sort | uniq -c | sed 's/^ *//; s/ *$//')" "50 function=odd_plain"
			like "which is said" "$TMP/err" 'odd_\*: not in 1, each of which is only called once.*; nor in 1, each of which is no place'
			;;
		*) skip_outside "of a pattern the others" "uprobe_multi" ;;
		esac
	else
		skip_without "of a pattern the others" bpf btf first-pids
	fi
else
	skip_outside "functions that choose another one" "a compiler of x86-64 and IFUNC"
fi

# VEX: the kernel takes the opcode behind it for one of a byte, and refuses some; what it does with others is seen of each

cat >"$TMP/vex.c" <<'END'
#define OF(name, text) __asm__(".globl " #name "; .type " #name ", @function; " #name ": " text "; ret; .size " #name ", . - " #name)
OF(vex_xor, "vpxor %xmm0, %xmm0, %xmm0");
OF(vex_load, "vmovdqu (%rsp), %xmm1");
OF(vex_or, "vpor %xmm0, %xmm0, %xmm0");
OF(vex_3, "vpxor %xmm8, %xmm8, %xmm8");
OF(vex_upper, "vzeroupper");
OF(evex_move, "{evex} vmovdqu32 (%rsp), %xmm1");
OF(wide_xor, "pxor %xmm0, %xmm0");
OF(wide_rex, "movq %r8, %r9");
OF(wide_halt, "hlt");
int main(void) { return 0; }
END
if [ "$(uname -m)" = x86_64 ] && cc -o "$TMP/vex" "$TMP/vex.c" 2>"$TMP/cc"; then
	"$TMP/vex"
	for name in vex_xor vex_load vex_3 evex_move; do
		refused "uprobe:$TMP/vex:$name" 'no probe at this instruction of AVX'
	done
	refused "uprobe:$TMP/vex:wide_halt" 'no probe at this instruction$'
	for name in vex_or vex_upper wide_xor wide_rex; do
		run_ok "$name" "$PERF_LITE" record -o "$f" -e "uprobe:$TMP/vex:$name" -- "$TMP/vex"
	done
	refused "uprobe:$TMP/vex:vex_x*" "nothing that matches 'vex_x\*' can be probed: not vex_xor, which is no place for a probe"
else
	skip_outside "instructions of AVX" "an assembler of x86-64"
fi
done_testing
