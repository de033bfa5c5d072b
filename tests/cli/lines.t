# SPDX-License-Identifier: GPL-2.0
#
# Probes at lines of source, uprobe:FILE:SOURCE:LINE(VARIABLE, ...): what a program says that its variables are.
. tests/lib.sh
need everybody bpf btf uprobes first-pids
need_cmd sed grep

f=$TMP/f
p=$TMP/variables-$$
source=tests/prog/variables.c

# The number of the line with that mark.
line()
{
	grep -n "/\* $1 \*/" $source | cut -d: -f1
}

# same DESC MARK EXPRESSIONS [SED]: the samples say what the program says at the mark, but for what the sed script takes out of it
same()
{
	run "$PERF_LITE" record -q -o "$f" -e "uprobe:$p:variables.c:$(line "$2")($3)" -- "$p" 4
	rc_is 0 "$1"
	sed -n "s/^$2 //p" "$TMP/out" | sed "${4:-}" >"$TMP/want"
	"$PERF_LITE" script -q -i "$f" -F trace | sed 's/^ *//; s/ *$//; s/^function=[^ ]* //' >"$TMP/got"
	ok "there are some" test -s "$TMP/want"
	is_file "and the same" "$TMP/got" "$TMP/want"
}

several=yes
case $(uname -r) in
[1-5].* | 6.[0-5].*) several= ;;
esac

for kind in variables variables-optimised; do
	cp "$PROG/$kind" "$p"
	same "$kind: variables of a block" block "i, step, total, y=p->y"
	same "$kind: the innermost of a name" inner "total, n"
	same "$kind: behind the block" outer "total, name=p->name"
	same "$kind: once" early early
	if [ "$several" ]; then
		same "$kind: arrays, structs, what is static, enumerators" memory \
			"n, x=points[0].x, y=points[0].y, last=last->x, text=text:str, calls, small, above, colour"
		same "$kind: through pointers" memory "n, second=points[0].next->name" 's/ x=.*/ second=second/'
		same "$kind: inlined at several sites" scaled "v, by, result"
		is "by the name of the code's function" "$("$PERF_LITE" script -q -i "$f" -F trace | sed 's/.*function=\([a-z_]*\)[+ ].*/\1/' | sort | uniq -c | tr -s ' \n' ' ')" \
			" 4 first_site 8 second_site "
		run_ok "$kind: without variables" "$PERF_LITE" count -q --csv -e "uprobe:$p:prog/variables.c:$(line scaled)" --by function -- "$p" 3
		is "each place" "$(sed -n 's/^\([0-9]*,[a-z]*_site\).*/\1/p' "$TMP/out" | sort | tr '\n' ' ')" "3,first_site 3,second_site 3,second_site "
		run_ok "$kind: by symbol" "$PERF_LITE" count -q --csv -e "uprobe:$p:prog/variables.c:$(line scaled)" --by sym -- "$p" 3
		is "each function" "$(sed -n 's/^\([0-9]*,[a-z]*_site\).*/\1/p' "$TMP/out" | sort | tr '\n' ' ')" "3,first_site 6,second_site "
	fi
	run_ok "$kind: a line without variables" "$PERF_LITE" record -q -g -o "$f" -e "uprobe:$p:$PWD/$source:$(line outer)" -- "$p" 5
	is "each hit" "$("$PERF_LITE" script -q -i "$f" -F ip,sym -G | grep -c blocks)" 5
	run_ok "$kind: the line where a function begins" "$PERF_LITE" record -q -o "$f" -e "uprobe:$p:variables.c:$(grep -n -A1 '^APART void blocks' $source | sed -n 's/^\([0-9]*\)-{$/\1/p')(n, p->y)" -- "$p" 3
	is "its parameters" "$("$PERF_LITE" script -q -i "$f" -F trace | awk "{ printf \"%s %s,\", \$1, \$2 }")" "n=0 y=9,n=1 y=9,n=2 y=9,"
	run_ok "$kind: all that is in scope" "$PERF_LITE" record -q -o "$f" -e "uprobe:$p:variables.c:$(line outer)(*)" -- "$p" 1
	like "is there" "$f" .
	"$PERF_LITE" script -q -i "$f" -F trace >"$TMP/got"
	like "by name" "$TMP/got" 'n=0 .*total=3021'
	is "and what is not is left out" "$(grep -c step= "$TMP/got")" 0
done

# All, with names that fields cannot have, and more than an event has fields

cat >"$TMP/all.c" <<'END'
static inline __attribute__((always_inline)) long twice(long function, long common_part)
{
	volatile long other = function + common_part;
	return other; /* 4 */
}
__attribute__((noinline)) long one(long n) { return twice(n, 3); }
__attribute__((noinline)) long two(long n) { return twice(n, 5); }
int main(int argc, char **argv)
{
END
i=0
while [ $i -lt 40 ]; do
	echo "	volatile int v$i = argc + $i;" >>"$TMP/all.c"
	i=$((i + 1))
done
printf '\t(void)argv;\n\treturn one(v1) + two(v2) == 1; /* 51 */\n}\n' >>"$TMP/all.c"
run_ok "a program with many variables" cc -g -O0 -o "$TMP/all" "$TMP/all.c"
run_ok "all of many" "$PERF_LITE" record -o "$f" -e "uprobe:$TMP/all:all.c:51(*)" -- "$TMP/all"
is "as many as there is room for" "$("$PERF_LITE" script -q -i "$f" -F trace | tr ' ' '\n' | grep -c =)" 32
like "and how many are left out" "$TMP/err" "all\.c:51: no room for 10 of all that can be read, from 'v[0-9]+' on: name those that you want$"
if [ "$several" ]; then
	run_ok "all with other names" "$PERF_LITE" record -o "$f" -e "uprobe:$TMP/all:all.c:4(*)" -- "$TMP/all"
	like "which is said" "$TMP/err" "all\.c:4: fields whose own names are taken, those of all events, or no words: other_common_part, other_function$"
	is "each" "$("$PERF_LITE" script -q -i "$f" -F trace | sed 's/^ *//; s/ *$//; s/function=[^ ]* //' | tr '\n' ,)" \
		"other_common_part=3 other_function=2 other=5,other_common_part=5 other_function=3 other=8,"
fi

# One list of events, other commands

run_ok "beside others" "$PERF_LITE" record -q -o "$f" -e "uprobe:$p:variables.c:$(line outer),uprobe:$p:blocks(n)" -- "$p" 3
is "each" "$("$PERF_LITE" script -q -i "$f" -F event | wc -l)" 6
run_ok "with terms" "$PERF_LITE" record -q -o "$f" -e "uprobe:$p:prog/variables.c:$(line outer)/call-graph=fp/" -- "$p" 3
like "each has its call chain" "$f" .
is "that leads to main" "$("$PERF_LITE" script -q -i "$f" -F ip,sym | grep -c ' main$')" 3
run_ok "latency" "$PERF_LITE" latency --from "uprobe:$p:blocks:tid" --to "uprobe:$p:variables.c:$(line outer)(total):tid" -- "$p" 3
like "from a function to a line of it" "$TMP/out" '^3 spans in '
run_ok "a filter" "$PERF_LITE" record -q -o "$f" -e "uprobe:$p:variables.c:$(line block)(i)" --filter 'i > 1' -- "$p" 3
is "of values" "$("$PERF_LITE" script -q -i "$f" -F trace | grep -c 'i=2')" 3

# What can be named there

cp "$PROG/variables" "$p"
run_ok "list" "$PERF_LITE" list "uprobe:$p:variables.c:$(line block)"
is "shows what is in scope" "$(cat "$TMP/out")" "uprobe:$p:variables.c:$(line block)  [Probe]
    in blocks
    expression  type
    step        long int
    n           int
    p           struct point *
    p->x        long int
    p->y        int
    p->name     const char *
    p->next     struct point *
    total       long int
    i           int"
run_ok "several places" "$PERF_LITE" list "uprobe:$p:variables.c:$(line scaled)"
like "are said" "$TMP/out" 'in first_site and others, at 3 places'
run_ok "an expression" "$PERF_LITE" list "uprobe:$p:variables.c:$(line block)(p->next)"
like "has its members" "$TMP/out" 'p->next->name +const char \*'
run_ok "as JSON" "$PERF_LITE" list --json "uprobe:$p:variables.c:$(line late)"
like "likewise" "$TMP/out" '"places":1,"members":\[\{"expression":"n","type":"int"\}'
cp "$PROG/variables-optimised" "$p"
run_ok "what is optimised out" "$PERF_LITE" list "uprobe:$p:variables.c:$(line late)"
like "what is not" "$TMP/out" '^    late +long int$'

# Mistakes

refused() # EVENT MESSAGE HINT
{
	run "$PERF_LITE" record -o "$f.no" -e "$1" -- true
	rc_is 1 "$1"
	like "what" "$TMP/err" "$2"
	like "what to do" "$TMP/err" "$3"
}
refused "uprobe:$p:variable.c:10" "no code comes from a file 'variable\.c'" "did you mean 'variables\.c'\?"
refused "uprobe:$p:other/variables.c:10" "no code comes from a file 'other/variables\.c'" "there is /.*/tests/prog/variables\.c"
refused "uprobe:$p:variables.c:1" "line 1 of variables\.c has no code" "the next lines with code: [0-9]+, [0-9]+, [0-9]+"
refused "uprobe:$p:variables.c:100000" "line 100000 of variables\.c has no code" "the last line with code: [0-9]+"
refused "uprobe:$p:variables.c:99999999999" "no file has a line 99999999999" .
refused "uprobe:$p:variables.c:$(line outer)(totl)" "'totl' is no argument of this event" "did you mean 'total'\? names are those that are in scope"
refused "uprobe:$p:variables.c:$(line outer)(step)" "'step' cannot be read here" "it is not in scope at 0x[0-9a-f]+; it can be read in lines [0-9]"
refused "uprobe:$p:variables.c:$(line outer)(sum)" "'sum' is no argument of this event" "."
cat >"$TMP/lk.c" <<'END'
static int n;
static inline __attribute__((always_inline)) void bump(int locked)
{
	if (locked) __asm__ volatile("lock; incl %0" : "+m"(n)); else __asm__ volatile("incl %0" : "+m"(n)); /* 4 */
}
__attribute__((noinline)) void with_lock(void)
{
	bump(1);
}
__attribute__((noinline)) void without(void)
{
	bump(0);
}
int main(void)
{
	with_lock();
	without();
	__asm__ volatile("lock; incl %0" : "+m"(n)); /* 18 */
	return 0;
}
END
if [ "$(uname -m)" = x86_64 ] && cc -g -O1 -o "$TMP/lk" "$TMP/lk.c"; then
	for with in '' '(pid)'; do
		refused "uprobe:$TMP/lk:lk.c:18$with" "the code of the line begins with an instruction with a lock or a segment prefix" \
			"objdump -d --start-address=0x[0-9a-f]+ $TMP/lk shows it"
	done
	if [ "$several" ]; then
		run_ok "some places of a line" "$PERF_LITE" record -o "$f" -e "uprobe:$TMP/lk:lk.c:4" -- "$TMP/lk"
		is "are recorded" "$("$PERF_LITE" script -q -i "$f" -F trace | tr -d ' ')" "function=without"
		like "and the rest is said" "$TMP/err" "lk\.c:4: not in 1 of the line's 2 places: the kernel refuses the instruction there"
	fi
else
	skip_outside "lines that begin with a lock" "a compiler of x86-64"
fi
refused "uprobe:$p:variables.c:$(line late)(late):u" "has no modifiers" "."
refused "uretprobe:$p:variables.c:$(line outer)" "a line of source has no return" "uretprobe:FILE:FUNCTION"
refused "uprobe:$p:variables.c:$(line outer)%return" "a line of source has no return" "uretprobe:FILE:FUNCTION"
refused "uprobe:$p:variables.c:$(line outer)+4" "a line of source has no offset" "0xADDRESS"
refused "uprobe:$p:blocks(total)" "'total' is no argument of this event" "variables are read at lines, uprobe:FILE:SOURCE\.c:LINE"
refused "uprobe:$TMP/nothing:variables.c:4" "$TMP/nothing: No such file" .
case $(${CC:-cc} --version 2>/dev/null) in
*clang*) ;;
*) refused "uprobe:$p:variables.c:$(line late)(early)" "'early' cannot be read here" "it is optimised out at 0x[0-9a-f]+; it can be read in lines [0-9]+" ;;
esac
if command -v objcopy >/dev/null; then
	objcopy --strip-debug "$p" "$p-bare"
	refused "uprobe:$p-bare:variables.c:20" "the file has no debug information of its lines" "compile it with -g"
	objcopy -R .debug_line "$p" "$p-no-lines"
	refused "uprobe:$p-no-lines:variables.c:20" "the file has no debug information of its lines" "compile it with -g"
	# names without types of locations
	objcopy --only-keep-debug "$p" "$p.debug"
	objcopy --strip-debug --add-gnu-debuglink="$p.debug" "$p" "$p-apart"
	run_ok "a separate debug file" "$PERF_LITE" record -q -o "$f" -e "uprobe:$p-apart:variables.c:$(line block)(i, total)" -- "$p-apart" 2
	is "has the same" "$("$PERF_LITE" script -q -i "$f" -F trace | grep -c 'total=')" 6
else
	skip_without "no debug information" objcopy
fi

# Files of one name

if links "files of one name"; then
	mkdir "$TMP/a" "$TMP/b"
	printf 'int one(int x)\n{\n\tint y = x + 1;\n\treturn y * 2;\n}\n' >"$TMP/a/same.c"
	printf 'int two(int x)\n{\n\tint y = x + 2;\n\treturn y * 3;\n}\nint main(void) { extern int one(int); return one(1) + two(2) != 16; }\n' >"$TMP/b/same.c"
	run_ok "two files of one name" ${CC:-cc} -g -o "$TMP/twice" "$TMP/a/same.c" "$TMP/b/same.c"
	refused "uprobe:$TMP/twice:same.c:4(y)" "several files are called 'same\.c'" "type more of the path: .*/same\.c, or .*/same\.c"
	run_ok "with a folder" "$PERF_LITE" record -q -o "$f" -e "uprobe:$TMP/twice:b/same.c:4(x, y)" -- "$TMP/twice"
	is "it is known which" "$("$PERF_LITE" script -q -i "$f" -F trace | tr -d ' ' )" "x=2y=4"
	run_ok "a line that one of them has" "$PERF_LITE" record -q -o "$f" -e "uprobe:$TMP/twice:same.c:6" -- "$TMP/twice"
	is "is found" "$("$PERF_LITE" script -q -i "$f" -F ip,sym -G | grep -c main)" 1
fi

# What compilers do: a value may be told to be unreadable, and never wrong

if links "programs that are hard to read"; then
	cat >"$TMP/tmpl.h" <<-'END'
		static __attribute__((noinline)) long NAME(TYPE *p, NUM v)
		{
			NUM w = v - 1;
			sink += w;
			sink += p->x; /* template */
			return sink;
		}
	END
	cat >"$TMP/aligned.h" <<-'END'
		N int NAME(int n)
		{ /* aligned */
			_Alignas(64) int box[16];
			int vla[n + 1];
			box[3] = n;
			vla[n] = n;
			sink = box[n & 3] + vla[n];
			return n;
		}
	END
	cat >"$TMP/odd.c" <<-'END'
		#include <stdbool.h>
		#include <stdio.h>
		#define N __attribute__((noinline, noclone))
		volatile long sink;
		volatile int vi;
		struct one { long pad; int x; };
		struct two { int x; long pad[4]; };
		#define NAME f1
		#define TYPE struct one
		#define NUM int
		#include "tmpl.h"
		#undef NAME
		#undef TYPE
		#undef NUM
		#define NAME f2
		#define TYPE struct two
		#define NUM unsigned
		#include "tmpl.h"
		N void use(long v) { sink += v; }
		N long big(long a) { return 0x123456789a00l + a + sink * 0; }
		N bool is_one(long v) { return big(v) == 1; }
		static inline int helper(int n, int k)
		{
			int r;
			use(n + k);
			r = n * 2; /* helper */
			return r;
		}
		N int caller(int n)
		{
			int r = n + 77;
			use(r);
			int t = helper(n + 1000, 3);
			use(n);
			return t + r;
		}
		N int shadow(int n)
		{
			int v = n + 1, total = 0;
			use(v);
			if (n) {
				int v = n + 500;
				use(v);
				total = v; /* shadow */
			}
			use(total);
			return v + total;
		}
		#undef NAME
		#define NAME aligned
		#include "aligned.h"
		#undef NAME
		#define NAME as_aligned
		#include "aligned.h"
		N int truth(long a)
		{
			bool b = is_one(a);
			vi = 3;
			vi = 7; /* truth */
			return b ? 5 : 6;
		}
		N void constants(void)
		{
			int small = 200;
			long large = 40000;
			use(1);
			printf("%d %ld\n", small, large); /* constants */
		}
		int outside = 9;
		N int declared(int n)
		{
			int outside = n;
			{
				extern int outside;
				use(outside); /* declared */
			}
			return outside;
		}
		N int many(int n, const struct two *p, bool b)
		{
			short s = n;
			return printf("%d %d %d %d %ld %d %d %d\n", n, s, b ? 1 : 2, n > 3 ? s : n, p->pad[1], p->x, (int)(n + p->pad[2]), n & 3); /* once */
		}
		int main(void)
		{
			struct one o = {77, 11};
			struct two t = {22, {99, 98, 97, 96}};
			f1(&o, 0), f2(&t, 0);
			constants();
			return !(caller(1) + shadow(1) + aligned(11) + as_aligned(12) + truth(256) + declared(2) + many(4, &t, true));
		}
	END
	odd_line() { grep -n "/\* $1 \*/" "$2" | cut -d: -f1; }
	# right LEVEL NAME EXPRESSION VALUE...: each hit has one of the values, or "-"; or it is refused
	right()
	{
		source=odd.c
		case $2 in
		template) source=tmpl.h ;;
		aligned) source=aligned.h ;;
		esac
		run "$PERF_LITE" record -q -o "$f" -e "uprobe:$TMP/odd$1:$source:$(odd_line "$2" "$TMP/$source")(v=$3)" -- "$TMP/odd$1"
		desc="-O$1: $3 at $2"
		if [ $rc -ne 0 ]; then
			like "$desc: is refused for a reason" "$TMP/err" "^hint: .*(optimised out|its location is not understood|another one of its name|not stored it yet|defined elsewhere|names are those that are in scope|in several pieces|in registers)"
			return
		fi
		shift 3
		"$PERF_LITE" script -q -i "$f" -F trace | sed 's/.*v=//; s/ *$//' | sort -u >"$TMP/got"
		{ echo -; printf '%s\n' "$@"; } | sort >"$TMP/want"
		is "$desc" "$(comm -23 "$TMP/got" "$TMP/want")" ""
		ok "$desc: is hit" test -s "$TMP/got"
	}
	for level in 0 2; do
		run_ok "-O$level" ${CC:-cc} -g -O$level -fno-ipa-cp -o "$TMP/odd$level" "$TMP/odd.c"
		right $level template 'p->x' 11 22
		right $level template w -1 4294967295
		right $level helper n 1001
		right $level shadow v 501
		right $level aligned n 11 12
		right $level truth b 0
		right $level constants small 200
		right $level constants large 40000
		right $level declared outside 9
	done
	run_ok "a line of many arguments" "$PERF_LITE" record -q -o "$f" -e "uprobe:$TMP/odd0:odd.c:$(odd_line once "$TMP/odd.c")" -- "$TMP/odd0"
	is "is hit once" "$("$PERF_LITE" script -q -i "$f" -F event | wc -l)" 1
fi
done_testing
