# SPDX-License-Identifier: GPL-2.0
#
# Arguments and results of functions, uprobe:FILE:FUNCTION(EXPRESSION, ...): what a program says that it passed.
. tests/lib.sh
need everybody bpf btf uprobes first-pids
need_cmd sed sort nm objdump

f=$TMP/f
p=$TMP/passes-$$

# same DESC EVENT FUNCTION SED: the samples say what the program says of the function, but for what the sed script takes out of it
same()
{
	run_ok "$1" "$PERF_LITE" record -q -o "$f" -e "$2" -- "$p" 5
	sed -n "s/^$3 //p" "$TMP/out" | sed "$4" >"$TMP/want"
	"$PERF_LITE" script -q -i "$f" -F trace | sed 's/^ *//; s/ *$//' >"$TMP/got"
	ok "there are some" test "$(wc -l <"$TMP/want")" -eq 5
	is_file "and the same" "$TMP/got" "$TMP/want"
}

for kind in passes passes-optimised; do
	cp "$PROG/$kind" "$p"
	same "$kind: integers" "uprobe:$p:numbers(i=(int)arg1, u=(unsigned int)arg2, l=arg3, c=(unsigned char)arg4, s=(short)arg5, w=(unsigned long)arg6)" \
		numbers ''
	same "$kind: the size that a cast gives them" "uprobe:$p:numbers(a=arg2 & 0xffffffff, b=arg3 + 1, (short)arg5)" numbers \
		's/.* u=\([0-9]*\) l=\([0-9]*\) .* s=\([-0-9]*\) .*/\1 \2 \3/; s/\(.*\) \(.*\) \(.*\)/echo a=\1 b=$((\2+1)) arg5=\3/e'
	same "$kind: results" "uretprobe:$p:numbers(retval)" numbers-returned ''
	same "$kind: of another size" "uprobe:$p:handle%return((int)retval)" handle-returned ''
	same "$kind: texts" "uprobe:$p:handle(path=str(*(unsigned long *)arg1), method=str(arg1 + 8, 8), len=arg2)" handle \
		's/CONNECTS.* len=/CONNECT len=/'
	same "$kind: bytes" "uprobe:$p:handle(method=buf(arg1 + 8, 4))" handle 's/.*/method=43 4f 4e 4e/'
	same "$kind: floating-point numbers between" "uprobe:$p:mixed(after=arg1)" mixed 's/ text.*//'
	same "$kind: by name" "uprobe:$p:numbers(*)" numbers ''
	same "$kind: what they lead to" "uprobe:$p:handle(req->path, req->method, req->flags, req->kind, req->mode, req->value.number,
		req->header.lines, req->header.id, code=req->codes[1], first=(*req->headers)->id, req->last, len)" handle ''
	same "$kind: a type in a cast" "uprobe:$p:handle(((struct request *)arg1)->path, len)" handle 's/ method.* len/ len/'
	same "$kind: sizes" "uprobe:$p:handle(len, all=sizeof(struct request), some=sizeof req->codes + sizeof(short), one=sizeof(req))" handle \
		's/.* \(len=.*\)/\1 all=96 some=14 one=8/'
	same "$kind: texts by their type" "uprobe:$p:mixed(after, text)" mixed ''
	same "$kind: results by their type" "uretprobe:$p:mixed(retval)" mixed-returned ''
	same "$kind: as numbers" "uretprobe:$p:handle(retval)" handle-returned ''
	same "$kind: behind a result in memory" "uprobe:$p:makes(*)" makes ''
	case $(uname -m) in
	x86_64)
		same "$kind: on the stack" "uprobe:$p:many(a, b, f, g, h)" many ''
		same "$kind: structs" "uprobe:$p:structs(after, first=l.v[0], last=l.v[3], end)" structs ''
		same "$kind: registers" "uprobe:$p:numbers(i=(int)%rdi, u=%esi, l=(long)%rdx, c=%cl, s=(short)%r8w, w=%r9)" numbers ''
		# where the function's last instruction begins
		ret=$(objdump -d --disassemble=numbers "$p" | awk '/<numbers>:/ { first = $1 } $NF == "ret" || $NF == "retq" { sub(":", "", $1); last = $1 }
			END { print first, last }')
		same "$kind: those at an instruction" "uprobe:$p:numbers+$((0x${ret#* } - 0x${ret% *}))(retval=(long)%rax)" numbers-returned ''
		;;
	aarch64)
		same "$kind: registers" "uprobe:$p:numbers(i=(int)%x0, u=%w1, l=(long)%x2, c=(unsigned char)%w3, s=(short)%w4, w=%x5)" numbers ''
		;;
	esac
done

# C++: objects, references, base classes, what has a destructor

cp "$PROG/objects" "$p"
add=$(nm "$p" | sed -n 's/.* \(_ZN5label3add.*\)$/\1/p')
named=$(nm "$p" | sed -n 's/.* \(_Z5named.*\)$/\1/p')
same "methods" "uprobe:$p:$add(this->text, this->count, this->id, more, name=name->_M_dataplus._M_p,
	length=name->_M_string_length, other=other->count)" add ''
same "objects" "uprobe:$p:counted(name=name->_M_dataplus._M_p, after)" counted ''
same "arrays" "uprobe:$p:matrix(c, yes, l=l + 0, k=k > 5, e=(*m)[1][2])" matrix ''
same "behind a result that is an object" "uprobe:$p:$named(times)" named ''

# What one unit declares, another one defines

if links "types of other units"; then
	echo 'struct job; int run_job(struct job *j) { return j != 0; }' >"$TMP/a.c"
	echo 'struct job { const char *title; int nr; } j = {"a title", 77}; int run_job(struct job *); int main(void) { return !run_job(&j); }' >"$TMP/b.c"
	run_ok "types of other units" ${CC:-cc} -g -o "$TMP/job" "$TMP/a.c" "$TMP/b.c"
	run_ok "a pointer to one" "$PERF_LITE" record -q -o "$f" -e "uprobe:$TMP/job:run_job(j->title, j->nr)" -- "$TMP/job"
	is "is followed" "$("$PERF_LITE" script -q -i "$f" -F trace | sed 's/^ *//')" "title=a title nr=77"
fi

# Types that casts name are the program's, before the kernel's

if links "types in casts"; then
	cat >"$TMP/cast.c" <<-'END'
		struct file { int id; int f_flags; const char *name; };
		typedef unsigned short __be16;
		struct mine { long a; union { int i; char c[4]; } u; double d; struct file *to[1]; __be16 low:4, high:12; };
		enum mode { SLOW = 3, FAST = 9 };
		typedef struct { short s; int t; } td_t;
		struct bits { unsigned int p:20, x:24; unsigned short y:9; long z:33; int s:7; unsigned long w:63; } __attribute__((packed));
		struct other *others(void);
		int use(void *p, void *m, void *t, int k, struct bits *b, struct other *o) { return p && m && t && k && b && o; }
		int main(void)
		{
			struct file f = {7, 85, "n"};
			struct mine m = {12, {34}, 1.5, {&f}, 5, 291};
			td_t t = {5, 6};
			struct bits b = {0x12345, 0xabcdef, 300, -4000000000, -5, 0x123456789abcdef};
			return !use(&f, &m, &t, FAST, &b, others());
		}
	END
	echo 'struct other { int x, y; } o = {1, 2}; struct twice { int a; } t; struct other *others(void) { return &o; }' >"$TMP/others.c"
	echo 'struct twice { long b, a; } u;' >"$TMP/more.c"
	run_ok "types in casts" ${CC:-cc} -g -o "$TMP/cast" "$TMP/cast.c" "$TMP/others.c" "$TMP/more.c"
	cast=uprobe:$TMP/cast:use
	said() # DESC EXPRESSIONS WANT
	{
		run_ok "$1" "$PERF_LITE" record -q -o "$f" -e "$cast($2)" -- "$TMP/cast"
		is "is read" "$("$PERF_LITE" script -q -i "$f" -F trace | sed 's/^ *//')" "$3"
	}
	said "a struct of a name that the kernel has, too" 'n=((struct file *)p)->f_flags, s=sizeof(struct file)' "n=85 s=16"
	said "types that no parameter leads to" 'a=((struct mine *)m)->u.i, t=((td_t *)t)->t, k=(enum mode)k' "a=34 t=6 k=FAST"
	said "qualified types" 'i=((struct mine const *)m)->u.i, a=((volatile const struct mine *const)m)->a, t=*(int const *)((td_t volatile *)t)->t ?: 1' "i=34 a=12 t=1"
	run "$PERF_LITE" record -q -o "$f" -e "$cast(((struct other **)p)->y)" -- "$TMP/cast"
	rc_is 1 "a pointer to a pointer"
	like "is refused" "$TMP/err" "one \* is what the type of a cast can have"
	like "and what works" "$TMP/err" '^hint: read the pointer as a number: \(struct NAME \*\)\*\(unsigned long \*\)p$'
	said "which does" 'id=((struct file *)*(unsigned long *)((struct mine *)m)->to)->id' "id=7"
	said "a bit-field of bytes in the order of networks" '((struct mine *)m)->high, h=(int)((struct mine *)m)->high' "high=291 h=291"
	said "one of another unit" 'y=((struct other *)arg6)->y' "y=2"
	said "bit-fields in several units" 'b->p:x, b->x:x, b->y, b->z, b->s' "p=0x12345 x=0xabcdef y=300 z=-4000000000 s=-5"
	run "$PERF_LITE" record -q -o "$f" -e "$cast(b->w)" -- "$TMP/cast"
	rc_is 1 "one in nine bytes"
	like "is refused" "$TMP/err" "'w' is a bit-field in nine bytes"
	said "an array is its address" 'at=(unsigned long)((struct mine *)m)->u.c - arg2' "at=8"
	said "a floating-point number as bits" 'd=*(unsigned long *)&((struct mine *)m)->d:x' "d=0x3ff8000000000000"
	for no in '((struct mine *)m)->d' '*(struct mine *)m'; do
		run "$PERF_LITE" record -q -o "$f" -e "$cast(x=(long)$no)" -- "$TMP/cast"
		rc_is 1 "a cast of $no"
		like "is refused" "$TMP/err" "this is .*, which cannot be cast$"
	done
	run "$PERF_LITE" record -q -o "$f" -e "$cast(((struct twice *)p)->a)" -- "$TMP/cast"
	rc_is 1 "one of two units that differ"
	like "is refused" "$TMP/err" "units of the program define several types of this name"
	run "$PERF_LITE" record -q -o "$f" -e "$cast(((struct thrice *)p)->a)" -- "$TMP/cast"
	rc_is 1 "one of none"
	like "is refused, too" "$TMP/err" "there is no such type"
fi

# Of a parameter that the function does not use, clang says nothing, and those who call it may leave anything there

if can clang && links "an unused parameter"; then
	echo '__attribute__((noinline)) int work(const char *label, int by) { __asm__ volatile(""); return 3 * by; }
		int main(int argc, char **argv) { return !work(argv[0], argc); }' >"$TMP/unused.c"
	run_ok "an unused parameter" clang -g -O2 -o "$TMP/unused" "$TMP/unused.c"
	run "$PERF_LITE" record -q -o "$f" -e "uprobe:$TMP/unused:work(label)" -- "$TMP/unused"
	rc_is 1 "is refused"
	like "with the reason" "$TMP/err" "may be optimised out"
	run_ok "the other one" "$PERF_LITE" record -q -o "$f" -e "uprobe:$TMP/unused:work(by)" -- "$TMP/unused"
	is "is read" "$("$PERF_LITE" script -q -i "$f" -F trace | tr -d ' ')" "by=1"
fi

# What calls on x86-64 want of structs that are packed, aligned, or have vectors

if [ "$(uname -m)" = x86_64 ]; then
	cat >"$TMP/classes.c" <<'END'
#define APART __attribute__((noinline, noclone))
#define HERE __asm__ volatile("" ::: "memory")
struct __attribute__((packed)) header { unsigned char type; unsigned int len; unsigned short id; };
typedef long four __attribute__((vector_size(32)));
struct wide { four v; };
struct real { long double d; int i; };
struct aligned { _Alignas(16) long x[4]; };
APART struct header packed(int a, int b) { struct header h = {1, (unsigned)a, (unsigned short)b}; HERE; return h; }
APART four vector(int a, int b) { four v = {a, b}; HERE; return v; }
APART struct wide wide(int a, int b) { struct wide w = {{a, b}}; HERE; return w; }
APART long real(long a, long b, long c, long d, long e, long f, long g, struct real s, int z) { HERE; return s.i + z + g; }
APART long aligned(long a, long b, long c, long d, long e, long f, long g, struct aligned s, int z) { HERE; return s.x[1] + z + g; }
int main(void)
{
	struct real r = {1, 4242};
	struct aligned a = {{11, 22, 33, 44}};
	long sum = packed(11, 22).id + vector(33, 44)[1] + wide(55, 66).v[0];
	return sum + real(1, 2, 3, 4, 5, 6, 7, r, 99) + aligned(1, 2, 3, 4, 5, 6, 7, a, 98) == 0;
}
END
	run_ok "classes" cc -g -O0 -Wno-psabi -o "$TMP/classes" "$TMP/classes.c"
	run_ok "optimised" cc -g -O1 -Wno-psabi -o "$TMP/classes-1" "$TMP/classes.c"
	c=uprobe:$TMP/classes
	run_ok "are passed" "$PERF_LITE" record -q -o "$f" -e "$c:packed(a, b)" -- "$TMP/classes"
	is "as they are" "$("$PERF_LITE" script -q -i "$f" -F trace | tr -d ' ' | tr '\n' ' ')" "a=11b=22 "
	run_ok "are put on the stack" "$PERF_LITE" record -q -o "$f" -e "$c-1:real(g, i=s.i, z),$c-1:aligned(g, x=s.x[1], z)" -- "$TMP/classes-1"
	is "where they belong" "$("$PERF_LITE" script -q -i "$f" -F trace | tr -d ' ' | tr '\n' ' ')" "g=7i=4242z=99 g=7x=22z=98 "
	run "$PERF_LITE" record -q -o "$f" -e "$c:wide(a)" -- "$TMP/classes"
	rc_is 1 "a struct with a vector"
	run "$PERF_LITE" record -q -o "$f" -e "$c:vector(a)" -- "$TMP/classes"
	rc_is 1 "and a vector"
	like "takes registers that are not known" "$TMP/err" "it follows one, or a result, of which it is not known"
fi

# A type of the program that has the name of one of the kernel

printf 'struct file { int number; char name[8]; struct { int deep; }; };\nstruct two { struct file first, second; };\n__attribute__((noinline, noclone)) int of_file(struct two *p) { __asm__ volatile("" ::: "memory"); return p->first.number; }\nint main(void) { struct two t = {0}; return of_file(&t); }\n' >"$TMP/file.c"
run_ok "types of a program" cc -g -O1 -o "$TMP/file" "$TMP/file.c"
run "$PERF_LITE" record -q -o "$f" -e "uprobe:$TMP/file:of_file(p->first.f_mode_of_all)" -- "$TMP/file"
like "a member that there is not" "$TMP/err" "struct file has no member 'f_mode_of_all'"
like "its members are those of the program's" "$TMP/err" "^hint: name one of its members; they are number, name, deep$"
run "$PERF_LITE" record -q -o "$f" -e "uprobe:$TMP/file:of_file(p->second)" -- "$TMP/file"
like "what is no value, likewise" "$TMP/err" "^hint: name one of its members; they are number, name, deep$"
run "$PERF_LITE" record -q -o "$f" -e "uprobe:$TMP/file:of_file(((struct task_struct *)p)->qqqqqqqqqqqqqqq)" -- "$TMP/file"
like "of the kernel's are shown elsewhere" "$TMP/err" "^hint: name one of its members; perf-lite list -v 'struct task_struct' shows them$"

# A function in parts, of which another comes before the one that it is called at

if [ "$(uname -m)" = x86_64 ] && can clang && links "a function in parts"; then
	cat >"$TMP/parts.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) int work(int a, const char *s)
{
	if (a > 1000) {
		printf("%s %d\n", s, a);
		exit(1);
	}
	__asm__ volatile("nop");
	return 2 * a;
}
int main(int argc, char **argv) { return work(argc, argv[0]) + work(argc + 1, argv[0]) == 0; }
END
	run_ok "a function in parts" clang -g -O1 -fbasic-block-sections=all -o "$TMP/parts" "$TMP/parts.c"
	run_ok "has its names" "$PERF_LITE" record -q -o "$f" -e "uprobe:$TMP/parts:work(a, s)" -- "$TMP/parts"
	is "where it is called" "$("$PERF_LITE" script -q -i "$f" -F trace | tr -d ' ' | tr '\n' ' ')" "a=1s=$TMP/parts a=2s=$TMP/parts "
fi

# Whose hits they are: those of what the target starts, and of nobody else

cp "$PROG/passes" "$p"
"$p" 100000 >/dev/null &
others=$!
run_ok "a program that forks" "$PERF_LITE" record -q -o "$f" -e "uprobe:$p:nothing(arg1)" -e "uprobe:$p:makes(seed=arg2)" -- "$p" 20 -fork
kill $others 2>/dev/null
wait $others 2>/dev/null
is "both have their hits" "$("$PERF_LITE" count -i "$f" -e "uprobe:$p:makes" --by tid --csv 2>/dev/null | sed 1d | cut -d, -f1 | tr '\n' ' ')" "20 20 "
is "and the other event its own" "$("$PERF_LITE" script -q -i "$f" --event "uprobe:$p:nothing" -F tid | wc -l)" 1
run_ok "a shell that starts it" "$PERF_LITE" record -q -o "$f" -e "uprobe:$p:makes(seed=arg2)" -- sh -c "'$p' 3; '$p' 4"
is "each call" "$("$PERF_LITE" script -q -i "$f" -F trace | grep -c seed=4)" 7

# A thread that ended without a hit, and a process of another one that has its number then

cat >"$TMP/number.c" <<'END'
#define _GNU_SOURCE
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void hit(void) { __asm__ volatile(""); }
static void *wait_for_line(void *x)
{
	printf("%ld\n", syscall(SYS_gettid));
	fflush(stdout);
	getchar();
	return x;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	pid_t want = argc > 1 ? atoi(argv[1]) : 0, pid;
	struct clone_args args = {.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&want, .set_tid_size = 1};

	if (want) {
		pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
		if (!pid) {
			hit();
			_exit(0);
		}
		return pid != want || waitpid(pid, NULL, 0) != pid;
	}
	pthread_create(&thread, NULL, wait_for_line, NULL);
	pthread_join(thread, NULL);
	puts("ended");
	fflush(stdout);
	getchar();
	hit();
	return 0;
}
END
if cc -o "$TMP/number" "$TMP/number.c" -pthread 2>"$TMP/cc"; then
	mkfifo "$TMP/lines"
	: >"$TMP/said"
	"$TMP/number" <"$TMP/lines" >"$TMP/said" &
	pid=$!
	exec 8>"$TMP/lines"
	wait_for 10 test -s "$TMP/said"
	tid=$(cat "$TMP/said")
	"$PERF_LITE" record -q -o "$f" -e "uprobe:$TMP/number:hit(tid)" -p $pid &
	recorder=$!
	wait_for 10 watches $recorder
	echo >&8
	wait_for 10 grep -q ended "$TMP/said"
	# it has its number until it is freed
	if wait_for 10 "$TMP/number" "$tid"; then
		echo >&8
		wait $pid $recorder
		is "the number of a thread that ended is nobody's" "$("$PERF_LITE" script -q -i "$f" -F trace | tr -d ' ')" "tid=$pid"
	else
		kill $recorder $pid
		wait $pid $recorder
		skip_outside "the number of a thread that ended is nobody's" "processes with a number that is asked for"
	fi
	exec 8>&-
else
	skip_outside "the number of a thread that ended is nobody's" "<linux/sched.h> with struct clone_args"
fi

# Call chains are those of the program

run_ok "call chains" "$PERF_LITE" record -q -g -o "$f" -e "uprobe:$p:makes(arg2)" -- "$p" 4
is "begin where the probe is" "$("$PERF_LITE" script -q -i "$f" -F ip,sym,symoff -G | grep -c 'makes+0x0')" 4
is "and lead to main" "$("$PERF_LITE" script -q -i "$f" -F ip,sym | awk '{ printf "%s%s", $2, NF ? ";" : "\n" }' | grep -c '^makes;.*main;')" 4
run_ok "by unwind information" "$PERF_LITE" record -q --call-graph dwarf -o "$f" -e "uprobe:$p:makes(arg2)" -- "$p" 4
is "each frame" "$("$PERF_LITE" script -q -i "$f" -F ip,sym | awk '{ printf "%s%s", $2, NF ? ";" : "\n" }' |
	grep -c '^makes;call_others;call_all;main;')" 4
run_ok "without" "$PERF_LITE" count --csv -e "uprobe:$p:makes(seed=arg2)" --by sym,seed -- "$p" 2
is "the place" "$(grep -c '^1,makes,4[01]' "$TMP/out")" 2

# Functions by a pattern, as one event

run "$PERF_LITE" record -q -g -o "$f" -e "uprobe:$p:m[ai]*(second=(int)arg2)" -e "uretprobe:$p:mak*(retval)" -- "$p" 4
case $(uname -r) in
[1-5].* | 6.[0-5].*)
	[ $rc -eq 0 ] || like "an older kernel" "$TMP/err" 'no probe of many functions of programs \(uprobe_multi, Linux 6\.6\)'
	;;
*) rc_is 0 "functions by a pattern" ;;
esac
if [ $rc -eq 0 ]; then
	"$PERF_LITE" script -q -i "$f" -F event,trace -G >"$TMP/trace"
	is "each call" "$(grep -c 'function=makes second=4[0-3] *$' "$TMP/trace")" 4
	is "of each that matches" "$(sed -n 's/.*function=\([a-z]*\) second.*/\1/p' "$TMP/trace" | sort | uniq -c | awk '{ printf "%s %s,", $2, $1 }')" "main 1,makes 4,many 4,mixed 4,"
	is "each return" "$(grep -c 'function=makes retval=' "$TMP/trace")" 4
	is "call chains begin there" "$("$PERF_LITE" script -q -i "$f" --event "uprobe:$p:m[ai]*" -F ip,sym,symoff | grep -c 'makes+0x0')" 4
	rm "$p"
	is "names need no file" "$("$PERF_LITE" count -q --csv -i "$f" -e "uprobe:$p:m[[]ai]*" --by 'function' | grep -c '^[14],ma[a-z]*$')" 3
	cp "$PROG/passes-optimised" "$p"
	run_ok "texts" "$PERF_LITE" record -q -o "$f" -e "uprobe:$p:handl*(path=str(*(unsigned long *)arg1))" -- "$p" 3
	is "that nobody has touched yet" "$("$PERF_LITE" script -q -i "$f" -F trace | grep -c 'function=handle path=/')" 3
	run_ok "any of the names of a function" "$PERF_LITE" record -q -o "$f" -e "uprobe:$PROG/symbols:weak*" -- "$PROG/symbols"
	is "is one" "$("$PERF_LITE" script -q -i "$f" -F trace | sed 's/ *//g' | sort -u)" "function=weak_name"
	run_ok "of several, the plain one" "$PERF_LITE" record -q -o "$f" -e "uprobe:$PROG/symbols:*strong_name" -- "$PROG/symbols"
	is "is shown" "$("$PERF_LITE" script -q -i "$f" -F trace | sed 's/ *//g' | sort -u)" "function=strong_name"
fi

# Other commands, and the file

for engine in perf bpf; do
	run_ok "counted by $engine" "$PERF_LITE" count --engine=$engine --csv -e "uprobe:$p:makes(seed=arg2)" --by seed -- "$p" 3
	is "each value" "$(grep -c '^1,4[012]$' "$TMP/out")" 3
done
run_ok "latency" "$PERF_LITE" latency --from "uprobe:$p:handle(len)" --to "uretprobe:$p:handle(retval)" --on tid -- "$p" 3
like "of each call" "$TMP/out" '^3 spans in '
run_ok "a filter" "$PERF_LITE" record -q -o "$f" -e "uprobe:$p:makes(seed=arg2)" --filter 'seed > 41' -- "$p" 5
is "of values" "$("$PERF_LITE" script -q -i "$f" | grep -c seed=)" 3
run_ok "perf.data" "$PERF_LITE" convert --to perf.data -i "$f" -o "$TMP/perf.data"
is "has the same" "$("$PERF_LITE" script -q -i "$TMP/perf.data" -F comm,tid,time,event,trace)" "$("$PERF_LITE" script -q -i "$f" -F comm,tid,time,event,trace)"
run_ok "everybody's" "$PERF_LITE" record -q -a -o "$f" -e "uprobe:$p:makes(seed=arg2)" -- "$p" 6
is "each call" "$("$PERF_LITE" script -q -i "$f" | grep -c seed=)" 6

# Without the kernel's types there are the program's

if unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf' 2>/dev/null; then
	no_btf()
	{
		run unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf; exec "$@"' sh "$PERF_LITE" record -q -o "$f" "$@" -- "$p" 6
	}
	no_btf -a -e "uprobe:$p:handle(req->path, len)"
	rc_is 0 "a kernel without types"
	is "everybody's calls" "$("$PERF_LITE" script -q -i "$f" | grep -c 'path=/index-. len=')" 6
	no_btf -e "uprobe:$p:handle(len)"
	ok "of a command" test $rc -ne 0
	like "it is not known who is of it" "$TMP/err" "no type of tasks"
else
	skip_outside "a kernel without types" "mounts are not allowed"
fi

# Nothing is lost without a word, and nothing stays

run_ok "many" "$PERF_LITE" record -o "$f" -m 1 -e "uprobe:$p:makes(seed=arg2)" -- "$p" 20000
"$PERF_LITE" verify "$f" >"$TMP/verify" 2>&1
is "samples and losses are as many as there were" \
	"$(awk '/:makes/ { for (i = 2; i <= NF && $i !~ /^[0-9]/; i++); print $i + $(i + 1) + $(i + 2); exit }' "$TMP/verify")" 20000
"$PERF_LITE" record -q -a -o "$f" -e "uprobe:$p:makes(killed_here=arg2)" -- sh -c 'echo $$ >"$1"; exec sleep 60' sh "$TMP/pid" 2>"$TMP/err" &
recorder=$!
# its command starts once everything is recorded
ok "a recorder is up" wait_for 40 test -s "$TMP/pid"
"$p" 3 >/dev/null
kill -KILL $recorder
wait $recorder 2>/dev/null
kill -KILL "$(cat "$TMP/pid")" 2>/dev/null
readable()
{
	test "$("$PERF_LITE" script -q -i "$f" 2>/dev/null | grep -c killed_here=)" -eq 3
}
ok "what was before it was killed is there" wait_for 40 readable

# Static probes

cp "$PROG/markers" "$TMP/markers-$$"
m=$TMP/markers-$$
run_ok "a static probe" "$PERF_LITE" record -q -o "$f" -e "usdt:$m:markers:round(round=arg1, text=str(arg2))" -- "$m" 3
"$PERF_LITE" script -q -i "$f" -F trace | sed 's/^ *//; s/ *$//' >"$TMP/got"
is "each value" "$(sed 's/ text=.*//' "$TMP/got" | tr '\n' ' ')" "round=0 round=1 round=2 "
# nobody has touched the page of the text yet
case $(uname -r) in
[0-5].*) skip_outside "a constant" "this kernel does not wait for memory" ;;
*) is "a constant" "$(grep -c 'text=text$' "$TMP/got")" 3 ;;
esac
run_ok "several, one without arguments" "$PERF_LITE" record -q -o "$f" -e "usdt:$m:markers:*(*)" -- "$m" 2
is "each" "$("$PERF_LITE" script -q -i "$f" -F event | wc -l)" 8

# Mistakes

refused() # EVENT MESSAGE HINT
{
	run "$PERF_LITE" record -o "$f.no" -e "$1" -- true
	rc_is 1 "$1"
	like "what" "$TMP/err" "$2"
	like "what to do" "$TMP/err" "$3"
}
refused "uprobe:$p:handle(argh1)" "'argh1' is no argument of this event" "did you mean 'arg1'"
refused "uretprobe:$p:handle(arg1)" "'arg1' is no argument of this event" "it has retval|did you mean 'retval'"
refused "uprobe:$p:handle(retval)" "'retval' is no argument of this event" "it has .*arg1, arg2|did you mean"
refused "uprobe:$p:handle(req->pth)" "struct request has no member 'pth'" "did you mean 'path'"
refused "uprobe:$p:handle(lenn)" "'lenn' is no argument of this event" "did you mean 'len'"
refused "uprobe:$p:handle(req.path)" "this is a pointer" "."
refused "uprobe:$p:handle(x=*req)" "this is struct request, which is no value" "name one of its members"
refused "uprobe:$p:mixed(d)" "'d' cannot be read here" "floating-point|registers that probes do not see"
refused "uretprobe:$p:makes(retval)" "'retval' cannot be read here" "."
refused "uretprobe:$p:nothing(retval)" "'retval' cannot be read here" "returns nothing"
if command -v objcopy >/dev/null; then
	objcopy --strip-debug "$p" "$p-bare"
	refused "uprobe:$p-bare:handle(req->path)" "'req' is no argument of this event" "arg1, arg2.*no debug information"
else
	skip_without "no debug information" objcopy
fi
refused "uprobe:$p:handle+4(arg1)" "'arg1' is no argument of this event" "arguments are where they are at the beginning"
refused "uprobe:$p:handle(%nothing)" "there is no register '%nothing'" "names are those of assembly"
refused "uprobe:$p:handle(%)" "there is no register '%'" "."
refused "skb:kfree_skb(%ax)" "registers can be read at uprobe:, usdt: and kprobe: alone" "."
refused "uprobe:$p:handle(flow(arg1))" "flow\(\) reads the kernel's memory" "."
refused "uprobe:$p:handle(arg1):u" "has no modifiers" "."
refused "uprobe:$p:handle(arg1" "',' or '\)' is expected here" "."
refused "uprobe:$p:nowhere(arg1)" "there is no function 'nowhere'" "nm"
refused "uprobe:$p:numbres(arg1)" "there is no function 'numbres'" "did you mean uprobe:$p:numbers\?"
refused 'skb:kfree_skb(flwo(skb))' "nothing is read by 'flwo'" "did you mean 'flow'\?"
refused 'skb:kfree_skb(read(skb))' "nothing is read by 'read'" "there are str, ustr, buf, "
refused 'skb:kfree_skb(((struct tcp_sok *)skb)->x)' "there is no such type" "did you mean 'struct tcp_sock'\?"
refused "usdt:$m:markers:round(arg3)" "'arg3' is no argument of this event" "arg1|did you mean"
refused "{uprobe:$p:handle(arg1),cs}" "cannot be in a group" "outside of the braces"
if ! [ -e /sys/bus/event_source/devices/kprobe ]; then
	refused "kprobe:vfs_read(file->f_flags)" CONFIG_KPROBE_EVENTS "tracepoints need none"
fi
refused "uprobe:$p:c*(len)" "'len' is no argument of this event" "arg1.*functions of a pattern differ"
refused "uretprobe:$p:c*(arg1)" "'arg1' is no argument of this event" "retval"
refused "uprobe:$p:c*+4" "a pattern has no offset" "."
refused "uprobe:$p:c*:u" "has no modifiers" "."
# functions of the kernel, by type and by pattern: where they are allowed, guests try them (tests/vm/guest/kernel-functions.sh)
refused "fentry:vfs_opne(path)" "the types of the kernel and its modules have no function 'vfs_opne'" "did you mean fentry:vfs_open\?"
refused "fentry:vfs_open(pathh)" "'pathh' is no argument of this event" "did you mean 'path'"
refused "fentry:vfs_open(retval)" "'retval' is no argument of this event" "."
refused "fexit:fput(retval)" "'retval' cannot be read here" "returns nothing"
refused "fexit:vfs_read(retval, retval)" "there are two fields 'retval'" "name one"
refused "fentry:vfs_*" "a probe of this kind is of one function" "kprobe:vfs_\*"
refused "fexit:vfs_read%ret" "'return' is expected here" "."
refused "fentry:vfs_read+4" "at the beginning of a function" "."
refused "kprobe:vfs_*+4" "a pattern has no offset" "."
refused "fentry:" "the name of a function is expected here" "."
run "$PERF_LITE" record -q -o "$f.no" -e fentry:vfs_read -- true
if [ $rc -ne 0 ]; then
	like "what is not allowed" "$TMP/err" "fentry:vfs_read: this kernel (allows no programs at functions|attaches no program there)"
	like "names what may be" "$TMP/err" '^hint: .*kprobe:vfs_read'
fi
if can setpriv; then
	cp "$PERF_LITE" "$TMP/pl" && chmod 755 "$TMP" "$TMP/pl"
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$TMP/pl" record -o /dev/null -e "uprobe:$p:handle(len)" -- true
	ok "not everybody may" test $rc -ne 0
	like "who may" "$TMP/err" 'root|CAP_'
else
	skip_without "not everybody may" setpriv
fi
done_testing
