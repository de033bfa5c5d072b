# SPDX-License-Identifier: GPL-2.0
#
# annotate of programs that are compiled here: lines of source, inlined functions, files that are missing, changed, cut or damaged.
# What is the same on every machine is in tests/golden/annotate.txt; shares are compared with perf's in tests/oracle/annotate.t.
. tests/lib.sh

# A build without capstone links, and says what to install.
LIBS='-ldw -lelf -lunwind-generic -lunwind -llzma -lzstd -lz -lxxhash -liberty -lpthread -ldl -lm'
# shellcheck disable=SC2086
if ${CC:-cc} -I. -D_GNU_SOURCE -c -o "$TMP/none.o" util/disassemble/disassembler.c &&
	${CC:-cc} -Wl,--gc-sections -o "$TMP/without" "$O"/obj/perf-lite/*.o "$O/obj/version.o" "$TMP/none.o" "$O/libperflite.a" \
		$LIBS 2>"$TMP/link"; then
	run "$TMP/without" annotate -i /dev/null
	rc_is 1 "annotate of a build without capstone"
	like "says so" "$TMP/err" '^perf-lite: this perf-lite is built without capstone'
	like "and what to install" "$TMP/err" '^hint: install libcapstone-dev '
else
	diag_file "$TMP/link"
	skip "a build without capstone" "static libraries ($not_installed)"
fi

need own capstone
library=$(ldconfig -p 2>/dev/null | sed -n 's/.*libcapstone\.so\.[0-9]* .*=> //p' | head -n 1)
if can mounts && [ "$library" ]; then
	run unshare -m sh -c 'mount --bind /dev/null "$1" && exec "$2" annotate -i /dev/null' sh "$library" "$PERF_LITE"
	rc_is 1 "annotate where capstone cannot be loaded"
	like "says so" "$TMP/err" '^perf-lite: cannot load capstone, which decodes instructions: .*libcapstone'
	like "and what to install" "$TMP/err" '^hint: install libcapstone[0-9] '
	run_ok "another command" unshare -m sh -c 'mount --bind /dev/null "$1" && exec "$2" --version' sh "$library" "$PERF_LITE"
else
	skip_without "capstone that cannot be loaded" mounts
fi
mkdir "$TMP/src"
cat >"$TMP/src/work.c" <<'EOC'
#include <stdio.h>
#include <time.h>

static inline __attribute__((always_inline)) unsigned long leaf(unsigned long x)
{
	for (int i = 0; i < 10000; i++)
		x = x * 3 + (x >> 7); /* in leaf */
	return x;
}

__attribute__((noinline)) unsigned long outer(unsigned long x)
{
	return leaf(x) + 1; /* call of leaf */
}

int main(void)
{
	unsigned long x = 1;
	struct timespec ts;

	do {
		x = outer(x);
		for (int i = 0; i < 1000; i++)
			x ^= x << 13; /* in main */
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	} while (!ts.tv_sec && ts.tv_nsec < 200000000);
	printf("%lu\n", x);
	return 0;
}
EOC
touch -d 2024-01-01 "$TMP/src/work.c"
build() # FLAG...
{
	(cd "$TMP/src" && ${CC:-cc} -O2 -Wl,--build-id=sha1 "$@" -o "$TMP/work" "$TMP/src/work.c")
}
build -g
run_ok "record" "$PERF_LITE" record -q -e cpu-clock:u -F 2000 -o "$TMP/d" -- "$TMP/work"
annotate()
{
	run "$PERF_LITE" annotate -i "$TMP/d" "$@"
}

annotate outer
rc_is 0 "annotate outer"
like "the function and its file" "$TMP/out" "^# [0-9.]+% of cpu-clock(:u)?: [0-9]+ of [0-9]+ samples in outer of $TMP/work\$"
like "the file of its source" "$TMP/out" "^# $TMP/src/work.c\$"
like "the hottest line, with its text" "$TMP/out" '^# +[0-9.]+%  work\.c:7 +x = x \* 3 .*in leaf \*/  \[inlined leaf\]$'
like "the line of the function itself" "$TMP/out" '^# +[0-9.]+%  work\.c:13 +return leaf.*call of leaf \*/$'
like "the line among the instructions" "$TMP/out" '\| work\.c:7 .*in leaf \*/  \[inlined leaf at work\.c:13\]$'
like "instructions with their shares" "$TMP/out" '^ +[0-9]+\.[0-9]+ \| +[0-9a-f]+ '
is "they add up" "$(sed -nE 's/^ +([0-9.]+) \| .*/\1/p' "$TMP/out" | awk '{ s += $1 } END { print (s > 99.5 && s < 100.5) }')" 1
annotate main
like "a call by its name" "$TMP/out" ' [0-9a-f]+ <outer>'
annotate --color outer
like "colours" "$TMP/out" "$(printf '\033')\\[31m"
annotate --no-source outer
unlike "no lines" "$TMP/out" 'work\.c'
annotate --full-paths --context 0 outer
like "full paths" "$TMP/out" "\\| $TMP/src/work.c:7 "
annotate --json outer
ok "JSON" python3 -c "
import json, sys
d = json.load(open('$TMP/out'))
f, = d['functions']
i = f['instructions']
assert f['symbol'] == 'outer'
assert sum(x['samples'] for x in i) == f['samples'] == sum(x['samples'] for x in f['lines'])
assert any('in leaf' in l.get('source', '') and l['inlined'] == 'leaf' and l['at_line'] == 13 for l in f['lines'])
assert all(x['address'].startswith('0x') and x['size'] for x in i)
"

# Pages of HTML

page_text() # FILE: the functions on a page, as text
{
	sed -n '/^<pre>/,/<\/pre>/p' "$1" | sed -e 's/<[^>]*>//g' -e 's/&lt;/</g' -e 's/&gt;/>/g' -e 's/&quot;/"/g' -e "s/&apos;/'/g" -e "s/&#39;/'/g" -e 's/&amp;/\&/g'
}
sed -i 's/in main \*/in main: a<b> \&amp; "c" <\/script> *''/' "$TMP/src/work.c"
touch -d 2024-01-01 "$TMP/src/work.c"
annotate --functions 20 --percent-limit 0.5 -d work
grep -v '^# [0-9.]*% of .* samples in ' "$TMP/out" | sed -e 's/^# \([^ ]\)/\1/' -e 's/^#//' -e '/^$/d' >"$TMP/want"
annotate -d work -o "$TMP/page.html"
rc_is 0 "a page"
is "nothing is printed" "$(cat "$TMP/out")" ""
page_text "$TMP/page.html" | sed '/^$/d' >"$TMP/got"
is_file "has the text that is printed" "$TMP/got" "$TMP/want"
like "with a line of source that looks like HTML" "$TMP/page.html" 'in main: a&lt;b&gt; &amp;amp; &quot;c&quot; &lt;/script&gt;'
like "its functions have names" "$TMP/page.html" '^<section id="function-[0-9]+" data-function="outer" data-file="work">$'
like "that a list leads to" "$TMP/page.html" '^<tr><td>[0-9.]+%</td><td><a href="#function-[0-9]+">outer</a></td><td>'
like "shares have a bar" "$TMP/page.html" '<b class="high" style="--share:[0-9.]+"> +[0-9.]+</b>'
is "each share that is printed in colour" "$(grep -c '<b class="high"' "$TMP/page.html")" "$("$PERF_LITE" annotate -q -i "$TMP/d" -d work --functions 20 \
	--percent-limit 0.5 --color=always | grep -c "$(printf '\033')\\[31m")"
like "what was recorded is its headline" "$TMP/page.html" "^<h1>$TMP/work</h1>\$"
if command -v xmllint >/dev/null; then
	ok "elements are closed" sh -c "sed -e 1d -e 's/<meta[^>]*>//' '$TMP/page.html' | xmllint --noout -"
else
	skip_without "elements are closed" xmllint
fi
head -c -20 "$TMP/d" >"$TMP/cut"
run "$PERF_LITE" annotate -q -i "$TMP/cut" -d work -o "$TMP/page.html"
rc_is 3 "of a recording that was cut"
like "the page says so" "$TMP/page.html" '^<p class="warning">.*cut'
annotate --no-source -d work -o "$TMP/page.html"
unlike "without lines of source" "$TMP/page.html" 'in main'
annotate outer -o "$TMP/text"
rc_is 0 "text to a file"
annotate outer
is_file "is what is printed" "$TMP/text" "$TMP/out"
annotate --json -o "$TMP/page.html"
rc_is 1 "JSON to a page"
like "is refused" "$TMP/err" "^perf-lite: $TMP/page.html is a page: JSON cannot be written to it\$"
annotate nothing -o "$TMP/none.html"
rc_is 1 "a page of nothing"
ok "is not written" test ! -e "$TMP/none.html"
annotate -o "$TMP/d"
rc_is 1 "over the recording"
like "says so" "$TMP/err" "^perf-lite: $TMP/d is the recording that is to be read\$"
run sh -c "'$PERF_LITE' annotate -q -i '$TMP/d' -d work -o /dev/full"
rc_is 3 "no room for a file"

run sh -c "'$PERF_LITE' annotate outer -i - <'$TMP/d'"
rc_is 0 "of standard input"
run sh -c "'$PERF_LITE' annotate -i '$TMP/d' >/dev/full"
rc_is 3 "no room for the output"

# Sources

touch "$TMP/src/work.c"
annotate outer
like "a source that was changed since" "$TMP/err" "^$TMP/src/work.c is newer than $TMP/work: "
mv "$TMP/src/work.c" "$TMP/src/away.c"
annotate outer
like "one that is away" "$TMP/out" "^# $TMP/src/work.c, which is not here\$"
like "lines behind instructions" "$TMP/out" '\| +[0-9a-f]+ .*  work\.c:7  \[inlined leaf at work\.c:13\]$'
mkfifo "$TMP/src/work.c"
annotate outer
rc_is 0 "a FIFO in its place is not waited for"
rm "$TMP/src/work.c"
printf 'a\n\tb\033[31m\xff\n\n\n\n\n\033]0;x\a\n' >"$TMP/src/work.c"
annotate outer
rc_is 0 "other lines in its place"
unlike "no control bytes of it" "$TMP/out" "$(printf '\033')"
rm "$TMP/src/work.c"
mv "$TMP/src/away.c" "$TMP/src/work.c"

# Programs

cp "$TMP/work" "$TMP/first"
strip -o "$TMP/work" "$TMP/first"
annotate outer
rc_is 0 "a stripped one: names are in the recording"
like "no lines" "$TMP/out" '^# no lines of source: '
run_ok "record a stripped one" "$PERF_LITE" record -q -e cpu-clock:u -F 2000 -o "$TMP/stripped" -- "$TMP/work"
at=$(nm "$TMP/first" | awk '$3 == "outer" { sub(/^0*/, "", $1); print $1 }')
run "$PERF_LITE" annotate -d work -i "$TMP/stripped"
rc_is 0 "annotate: no symbol tells of its functions"
like "their bounds are known nevertheless" "$TMP/out" "^# [0-9.]+% of .* in the function at 0x$at of $TMP/work\$"
of_stripped=$(grep -c '^ *[0-9.]* | *[0-9a-f]' "$TMP/out")
run "$PERF_LITE" annotate "0x$at" -i "$TMP/stripped"
rc_is 0 "by its address"
ok "instructions" test "$of_stripped" -gt 3
run "$PERF_LITE" annotate 0x1 -i "$TMP/stripped"
rc_is 1 "another address"
like "has none" "$TMP/err" "^perf-lite: no sample is in a function '0x1'"
build -g -DOTHER -fno-inline
annotate outer
rc_is 1 "another program in its place"
like "is not taken for it" "$TMP/err" "^perf-lite: $TMP/work is not the program that was recorded: its build-id differs\$"
like "what to do" "$TMP/err" '^hint: .*--symfs DIR'
rm "$TMP/work"
annotate outer
rc_is 1 "none"
like "it is not there" "$TMP/err" "^perf-lite: .*/work: No such file"
annotate -d work
rc_is 1 "nothing of it can be shown"
mkdir -p "$TMP/root$TMP"
cp "$TMP/first" "$TMP/root$TMP/work"
annotate --symfs "$TMP/root" outer
rc_is 0 "--symfs"
at=$(nm "$TMP/first" | awk '$3 == "outer" { print $1 }')
# a program that ends within the function, and one that ends before
head -c $((0x$at + 8)) "$TMP/first" >"$TMP/root$TMP/work"
annotate --symfs "$TMP/root" outer
ok "one that is cut short: what is there, or why not ($rc)" test $rc -le 1
head -c 64 "$TMP/first" >"$TMP/root$TMP/work"
annotate --symfs "$TMP/root" outer
rc_is 1 "a head alone"
ok "a message" grep -q '^perf-lite: ' "$TMP/err"

# Bytes of the program changed at random, each of which keeps its build-id or is refused: no crash, no hang.
if command -v python3 >"$TMP/which"; then
	python3 - "$TMP/first" "$TMP" <<'EOP'
import random, sys
data = open(sys.argv[1], 'rb').read()
for seed in range(12):
    r, b = random.Random(seed), bytearray(data)
    for _ in range(200):
        at = r.randrange(0x400, len(b))
        b[at] = r.randrange(256)
    open('%s/damaged-%d' % (sys.argv[2], seed), 'wb').write(b)
EOP
	bad=0
	for seed in 0 1 2 3 4 5 6 7 8 9 10 11; do
		cp "$TMP/damaged-$seed" "$TMP/root$TMP/work"
		timeout 60 "$PERF_LITE" annotate --symfs "$TMP/root" -i "$TMP/d" outer >"$TMP/out" 2>"$TMP/err"
		[ $? -le 1 ] || bad=$((bad + 1))
	done
	is "damaged programs are read or refused" $bad 0
else
	skip_without "damaged programs" python3
fi

# Several that cannot be shown: the reason is that of the hottest

mkdir "$TMP/two"
cat >"$TMP/two/lib.c" <<'EOC'
__attribute__((noinline)) void in_library(void) { for (volatile int i = 0; i < 100000; i++); }
EOC
cat >"$TMP/two/main.c" <<'EOC'
void in_library(void);
__attribute__((noinline)) void in_program(void) { for (volatile int i = 0; i < 1000000; i++); }
int main(void) { for (int i = 0; i < 60; i++) { in_program(); in_library(); } return 0; }
EOC
(cd "$TMP/two" && ${CC:-cc} -O1 -shared -fPIC -Wl,--build-id=sha1 -Wl,-soname,liblesser.so -o liblesser.so lib.c &&
	${CC:-cc} -O1 -Wl,--build-id=sha1 -o hottest main.c ./liblesser.so -Wl,-rpath,"$TMP/two")
run_ok "a program and its library" "$PERF_LITE" record -q -e cpu-clock:u -F 2000 -o "$TMP/two.data" -- "$TMP/two/hottest"
rm "$TMP/two/hottest" "$TMP/two/liblesser.so"
run "$PERF_LITE" annotate -i "$TMP/two.data" --functions 1 -d hottest,liblesser.so
rc_is 1 "are both gone"
like "the one with most samples is named" "$TMP/err" "^perf-lite: $TMP/two/hottest: No such file"
like "what to do" "$TMP/err" '^hint: .*--symfs DIR'

# Names of anybody: nothing of them reaches a terminal as it is

evil=$(printf '\033[31mevil\033]0;own\007.c')
printf 'volatile unsigned long x;\n#line 1 "%s/src/%s"\n__attribute__((noinline)) void hot(void) { for (long i = 0; i < 100000000; i++) x += i; }\nint main(void) { hot(); return 0; }\n' \
	"$TMP" '\033[31mevil\033]0;own\007.c' >"$TMP/src/evil-source.c"
(cd "$TMP/src" && ${CC:-cc} -O1 -g -Wl,--build-id=none -o "$TMP/evil" evil-source.c)
echo hi >"$TMP/src/$evil"
touch -d 2040-01-01 "$TMP/src/$evil"
run_ok "a hostile name" "$PERF_LITE" record -q -e cpu-clock:u -F 2000 -o "$TMP/evil.data" -- "$TMP/evil"
run "$PERF_LITE" annotate -i "$TMP/evil.data" hot
like "is in a note" "$TMP/err" 'evil.*is newer than'
is "without what terminals obey" "$(cat "$TMP/out" "$TMP/err" | tr -d '\n\t -~' | wc -c)" 0

# A file that was changed, without a build-id

unlike "as long as it is the recorded one" "$TMP/err" 'was changed after the recording'
touch -d 2040-01-01 "$TMP/evil"
run "$PERF_LITE" annotate -i "$TMP/evil.data"
is "and once else" "$(grep -c "evil was changed after the recording, and has no build-id" "$TMP/err")" 1

# Paths that begin nowhere are no files here, but below --symfs

mkdir -p "$TMP/other" "$TMP/below/src"
sed 's/in leaf/wrong file/' "$TMP/src/work.c" >"$TMP/other/work.c"
touch -d 2024-01-01 "$TMP/other/work.c"
(cd "$TMP/src" && ${CC:-cc} -O2 -g -ffile-prefix-map="$TMP/src=." -o "$TMP/relative" work.c)
run_ok "relative paths" "$PERF_LITE" record -q -e cpu-clock:u -F 2000 -o "$TMP/relative.data" -- "$TMP/relative"
(cd "$TMP/other" && "$PERF_LITE" annotate -i "$TMP/relative.data" outer) >"$TMP/out" 2>"$TMP/err"
like "the line is known" "$TMP/out" 'work\.c:7'
unlike "and not another file's" "$TMP/out" 'wrong file'

# What is left out is part of all

run_ok "all but one" "$PERF_LITE" annotate -i "$TMP/relative.data" -S '!main'
like "shares are of all samples" "$TMP/out" '^# [0-9.]+% of cpu-clock:u: [0-9]+ of [0-9]+ samples in outer '
all=$("$PERF_LITE" annotate -q -i "$TMP/relative.data" outer | sed -n 's/^# .*: [0-9]* of \([0-9]*\) samples in outer.*/\1/p')
is "as if it were not" "$(sed -n 's/^# .*: [0-9]* of \([0-9]*\) samples in outer.*/\1/p' "$TMP/out")" "$all"
run "$PERF_LITE" annotate -i "$TMP/relative.data" -S '!main' outer
rc_is 1 "both"
like "is refused" "$TMP/err" 'functions are named, and others left out by -S'

# A line as long as a file, of many inlined functions: it is not printed as often

{
	printf 'volatile unsigned long x;\nstatic inline __attribute__((always_inline)) void f(unsigned long i) { x += i; } /* '
	head -c 300000 /dev/zero | tr '\0' z
	printf ' */\n__attribute__((noinline)) void hot(void) {\n'
	seq 300 | sed 's/.*/f(&);/'
	printf '}\nint main(void) { for (int i = 0; i < 200000; i++) hot(); return 0; }\n'
} >"$TMP/src/long.c"
(cd "$TMP/src" && ${CC:-cc} -O1 -g -o "$TMP/long" "$TMP/src/long.c")
run_ok "a long line" "$PERF_LITE" record -q -e cpu-clock:u -F 2000 -o "$TMP/long.data" -- "$TMP/long"
run_ok "as JSON" "$PERF_LITE" annotate --json -i "$TMP/long.data" hot
ok "is cut" test "$(wc -c <"$TMP/out")" -lt 2000000
like "and that is said" "$TMP/out" '"source_cut":true'

# Code that a process made while it ran

jit()
{
	run "$PERF_LITE" annotate -i "$TMP/jit.data" --functions 3 -d "perf-$pid.map" "$@"
}
case $(uname -m) in
x86_64 | aarch64)
	mkdir "$TMP/dump"
	"$PERF_LITE" record -q -e cpu-clock:u -F 2000 -o "$TMP/jit.data" -- "$PROG/jit" --dump "$TMP/dump" 100 again >"$TMP/pid"
	pid=$(cat "$TMP/pid")
	dump=$TMP/dump/jit-$pid.dump
	jit --functions 0
	rc_is 0 "a jitdump"
	for f in jit_alpha jit_beta jit_gamma jit_delta; do
		like "has $f" "$TMP/out" "^# [0-9.]+% of .* samples in $f of /tmp/perf-$pid.map\$"
	done
	is "a line names the file" "$(grep -c "^# code of $dump\$" "$TMP/out")" 5
	# processors differ in which of the two has the interrupt
	is "instructions, at the addresses that ran" "$(awk '/^#/ { seen = 0 }
		/[0-9][0-9]\.[0-9]+ \| +[0-9a-f]+  (,> (decq|subs)|.- (jne|b\.ne)) / && !seen { seen = 1; n++ }
		END { print n + 0 }' "$TMP/out")" 5
	is "they add up" "$(sed -nE 's/^ +([0-9.]+) \| .*/\1/p' "$TMP/out" | awk '{ s += $1 } END { print (s > 498 && s < 502) }')" 1
	jit --json jit_beta
	like "JSON names it" "$TMP/out" "\"code_file\":\"$dump\""
	jit -o "$TMP/jit.html"
	like "a page, too" "$TMP/jit.html" "code of $dump"
	cp "$dump" "$TMP/whole"
	mkdir -p "$TMP/below$TMP/dump"
	mv "$dump" "$TMP/below$dump"
	jit
	rc_is 1 "one that is gone"
	like "is named" "$TMP/err" "^perf-lite: /tmp/perf-$pid.map: the code is in the jitdump $dump, which cannot be read: No such file"
	like "with what to do" "$TMP/err" '^hint: .*--symfs DIR'
	jit --symfs "$TMP/below" jit_beta
	rc_is 0 "--symfs"
	echo nothing of the kind, though it is long enough for a header >"$dump"
	jit
	rc_is 1 "another file in its place"
	like "says so" "$TMP/err" "which cannot be read: no jitdump"
	mkfifo "$TMP/fifo"
	mv "$TMP/fifo" "$dump"
	jit
	rc_is 1 "a FIFO in its place is not waited for"
	if command -v python3 >"$TMP/which"; then
		python3 - "$TMP/whole" "$TMP" <<'EOP'
import random, struct, sys
data = open(sys.argv[1], 'rb').read()
begin = data.index(b'jit_beta\0') - 56
end = begin + struct.unpack_from('=I', data, begin + 4)[0]
def write(name, b):
    open(sys.argv[2] + '/' + name, 'wb').write(b)
write('dump-cut', data[:end - 1])
again = bytearray(data[begin:end])
write('dump-same', data + again)
again[-2] ^= 1
write('dump-other', data + again)
# code that would be longer than its record
long = bytearray(data)
struct.pack_into('=Q', long, begin + 40, 1 << 40)
write('dump-long', long)
for seed in range(12):
    r, b = random.Random(seed), bytearray(data)
    for _ in range(20):
        b[r.randrange(len(b))] = r.randrange(256)
    write('dump-bad-%d' % seed, b)
EOP
		rm "$dump"
		for cut in cut long; do
			cp "$TMP/dump-$cut" "$dump"
			jit jit_beta
			rc_is 1 "a record that does not hold its code ($cut)"
			like "says so" "$TMP/err" "^perf-lite: $dump has no code of jit_beta at 0x"
		done
		cp "$TMP/dump-same" "$dump"
		jit jit_beta
		rc_is 0 "made again, of the same bytes"
		cp "$TMP/dump-other" "$dump"
		jit jit_beta
		rc_is 1 "made again, of other bytes"
		like "is not shown" "$TMP/err" "^perf-lite: $dump has several versions of jit_beta at 0x[0-9a-f]+: it is not known which of them ran\$"
		bad=0
		for seed in 0 1 2 3 4 5 6 7 8 9 10 11; do
			cp "$TMP/dump-bad-$seed" "$dump"
			timeout 60 "$PERF_LITE" annotate -i "$TMP/jit.data" -d "perf-$pid.map" >"$TMP/out" 2>"$TMP/err"
			[ $? -le 1 ] || bad=$((bad + 1))
		done
		is "damaged jitdumps are read or refused" $bad 0
	else
		skip_without "damaged jitdumps" python3
	fi
	"$PERF_LITE" record -q -e cpu-clock:u -F 2000 -o "$TMP/jit.data" -- "$PROG/jit" 50 >"$TMP/pid"
	pid=$(cat "$TMP/pid")
	rm -f "/tmp/perf-$pid.map"
	jit
	rc_is 1 "a perf-PID.map alone"
	like "has no code" "$TMP/err" "^perf-lite: /tmp/perf-$pid.map: its process had no jitdump, "
	;;
*)
	skip_outside "code made while it ran" "tests/prog/jit makes none for this machine"
	;;
esac
done_testing
