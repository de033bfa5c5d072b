# SPDX-License-Identifier: GPL-2.0
#
# perf-lite flamegraph: what it draws, what it refuses, and what it makes of hostile input.
. tests/lib.sh

# An XML parser finds no fault with the file.
well_formed()
{
	if command -v xmllint >/dev/null; then
		xmllint --noout "$1"
	else
		python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1"
	fi
}

# draw TEXT [OPTION...]: TEXT (as printf takes it) on standard input, the picture in $TMP/out.
draw()
{
	text=$1
	shift
	rc=0
	printf -- "$text" >"$TMP/in"
	"$PERF_LITE" flamegraph "$@" <"$TMP/in" >"$TMP/out" 2>"$TMP/err" || rc=$?
}

nr_frames()
{
	grep -c '^<g class="[^"]*"><title>' "$1"
}

# A picture, in every way to name input and output

stacks='sh;main;run 30\nsh;main;wait4;do_wait_[k] 50\nsh;main;run 20\n'
draw "$stacks"
rc_is 0 "standard input to standard output"
is "nothing on standard error" "$(cat "$TMP/err")" ""
ok "it is well-formed XML" well_formed "$TMP/out"
is "a group for each frame, and for the root" "$(nr_frames "$TMP/out")" 6
like "equal stacks are added" "$TMP/out" '<title>run \(50 samples, 50\.00%\)</title>'
like "the kernel's function is marked" "$TMP/out" '<title>do_wait \[kernel\] \(50 samples'
unlike "nothing from elsewhere" "$TMP/out" 'href=|src=|url\(|@import'
cp "$TMP/out" "$TMP/want.svg"

run_ok "FILE and -o" "$PERF_LITE" flamegraph -o "$TMP/a.svg" "$TMP/in"
is_file "the same bytes" "$TMP/a.svg" "$TMP/want.svg"
run_ok "options after FILE, --output=" "$PERF_LITE" flamegraph "$TMP/in" --output="$TMP/b.svg"
is_file "the same bytes" "$TMP/b.svg" "$TMP/want.svg"
draw "$stacks" -o - -
is_file "- is standard input and output" "$TMP/out" "$TMP/want.svg"
draw "sh;main;wait4;do_wait_[k] 50\n# any order\r\n\nsh;main;run 50\r\n"
is_file "the order of the lines, comments and CR LF make no difference" "$TMP/out" "$TMP/want.svg"

# Options

draw "$stacks" --title 'A & B' --width 600 --inverted --countname ns
rc_is 0 "title, width, inverted, countname"
ok "it is well-formed XML" well_formed "$TMP/out"
like "the title" "$TMP/out" '>A &amp; B</text>'
like "the width" "$TMP/out" '<svg [^>]*width="600"'
like "the unit" "$TMP/out" '<title>run \(50 ns, 50\.00%\)</title>'
y_of()
{
	sed -n "s|.*<title>$1 .* y=\"\([0-9]*\)\" width.*|\1|p" "$TMP/out"
}
ok "the root is at the top" test "$(y_of all)" -lt "$(y_of run)"
draw "$stacks"
ok "else at the bottom" test "$(y_of all)" -gt "$(y_of run)"
for w in 199 20001 0 -5 wide; do
	draw "$stacks" --width "$w"
	rc_is 1 "--width $w is refused"
done
like "and the limits told" "$TMP/err" '^perf-lite: --width takes a whole number, not .wide.'

# Names of what it does not write

for name in a.png d.x/a.PNG a.svg.gz a.pdf a.txt a.folded a.json; do
	run "$PERF_LITE" flamegraph -o "$TMP/$name" "$TMP/in"
	rc_is 1 "-o $name"
	like "is refused" "$TMP/err" "^perf-lite: a picture is SVG \\(\\.svg\\) or HTML \\(\\.html\\): it cannot be $TMP/$name\$"
	like "with a way to have it" "$TMP/err" '^hint: '
	ok "nothing is written" test ! -e "$TMP/$name"
done
like "such as this" "$TMP/err" '^hint: perf-lite convert writes JSON'
run "$PERF_LITE" flamegraph -o "$TMP/a.png" "$TMP/in"
like "or this" "$TMP/err" '^hint: write \.svg; rsvg-convert, inkscape or a browser make \.png of it$'
mkdir -p "$TMP/d.png"
for name in d.png/a .png a.tmp a.svg.1; do
	run_ok "-o $name" "$PERF_LITE" flamegraph -o "$TMP/$name" "$TMP/in"
	like "is SVG" "$TMP/$name" '<svg '
done
run_ok "capitals" "$PERF_LITE" flamegraph -o "$TMP/a.HTML" "$TMP/in"
like "are HTML, too" "$TMP/a.HTML" '^<!DOCTYPE html>'

# Files that are there

mkdir "$TMP/d"
echo old >"$TMP/d/old.svg"
chmod 640 "$TMP/d/old.svg"
ln -s old.svg "$TMP/d/link.svg"
run_ok "through a link" "$PERF_LITE" flamegraph -o "$TMP/d/link.svg" "$TMP/in"
ok "the link stays" test -L "$TMP/d/link.svg"
is_file "its target is the picture" "$TMP/d/old.svg" "$TMP/want.svg"
is "which keeps its mode" "$(stat -c %a "$TMP/d/old.svg")" 640
(umask 027 && "$PERF_LITE" flamegraph -o "$TMP/d/new.svg" "$TMP/in")
is "a new file gets the mode of the umask" "$(stat -c %a "$TMP/d/new.svg")" 640
is "no temporary file is left" "$(ls "$TMP/d" | tr '\n' ' ')" "link.svg new.svg old.svg "
mkfifo "$TMP/pipe"
cat "$TMP/pipe" >"$TMP/through" &
run_ok "a pipe is written, not replaced" "$PERF_LITE" flamegraph -o "$TMP/pipe" "$TMP/in"
ok "it is still one" test -p "$TMP/pipe"
[ -p "$TMP/pipe" ] || kill $!
wait $!
is_file "the picture went through" "$TMP/through" "$TMP/want.svg"
run "$PERF_LITE" flamegraph -o "$TMP/none/a.svg" "$TMP/in"
rc_is 1 "no such folder"
like "it says so" "$TMP/err" '^perf-lite: cannot create .*/none/a\.svg: No such file or directory$'
(
	trap '' XFSZ
	ulimit -f 1
	"$PERF_LITE" flamegraph -o "$TMP/d/old.svg" "$TMP/in" 2>"$TMP/d.err"
)
rc=$?
rc_is 3 "no room for the file"
like "it says so" "$TMP/d.err" '^perf-lite: cannot write .*/d/old\.svg: File too large$'
is_file "the old picture is untouched" "$TMP/d/old.svg" "$TMP/want.svg"
is "and nothing is left beside it" "$(ls "$TMP/d" | tr '\n' ' ')" "link.svg new.svg old.svg "
rc=0
"$PERF_LITE" flamegraph "$TMP/in" >/dev/full 2>"$TMP/err" || rc=$?
rc_is 3 "a full disk as standard output"

# A terminal

if command -v script >/dev/null; then
	script -qec "'$PERF_LITE' flamegraph '$TMP/in'" /dev/null >"$TMP/out" 2>&1 </dev/null
	rc=$?
	rc_is 1 "no picture to a terminal"
	like "it says what to do" "$TMP/out" '^hint: add -o flame\.svg'
	unlike "not a byte of SVG" "$TMP/out" '<svg'
	script -qec "cd '$TMP/d' && '$PERF_LITE' flamegraph -o '$TMP/t.svg'" /dev/null >"$TMP/out" 2>&1 </dev/null
	rc=$?
	rc_is 1 "no waiting for stacks from a terminal"
	like "it says what to do" "$TMP/out" '^hint: perf-lite flamegraph -i FILE '
else
	skip_without "no picture to a terminal" script
fi

# Input that is missing, empty, wrong, or wrong in part

run "$PERF_LITE" flamegraph "$TMP/nosuch"
rc_is 1 "no such file"
like "it says so" "$TMP/err" '^perf-lite: cannot open .*/nosuch: No such file or directory$'
run "$PERF_LITE" flamegraph "$TMP/d"
rc_is 1 "a folder"
like "it says so" "$TMP/err" '^perf-lite: .*/d is a directory, and there is no recording in it$'
run "$PERF_LITE" flamegraph "$TMP/in" "$TMP/in"
rc_is 1 "two files"
set -- nothing '' 'an empty line' '\n' 'a comment' '# x;y 1\n' 'a count of 0' 'a;b 0\n'
while [ $# -gt 0 ]; do
	draw "$2"
	rc_is 1 "no samples: $1"
	shift 2
	ok "still a picture" well_formed "$TMP/out"
	like "that says so" "$TMP/out" '>No samples: '
	like "as does standard error" "$TMP/err" '^perf-lite: standard input holds no samples'
done
draw 'a;b 1\nnonsense\nc 1.5\na;b 2\n'
rc_is 3 "some bad lines"
is "one line says how many, and which is the first" "$(cat "$TMP/err")" \
	"perf-lite: standard input: 2 of 4 lines left out, the first is line 2: it is not a stack, a blank and a count"
like "the good ones are drawn" "$TMP/out" '<title>b \(3 samples, 100\.00%\)'
draw 'to be or not to be\nthat is the question\nof the year 1\nwhether it is nobler\n'
rc_is 1 "a text in which a line looks like a stack"
like "is none" "$TMP/err" 'holds no folded stacks: line 1: '
is "and is not drawn" "$(cat "$TMP/out")" ""
rm -f "$TMP/x.svg"
run "$PERF_LITE" flamegraph -o "$TMP/x.svg" "$TMP/want.svg"
rc_is 1 "a file that is something else"
like "it says so" "$TMP/err" 'want\.svg is no recording, and holds no folded stacks: line 1: '
ok "nothing is written" test ! -e "$TMP/x.svg"
draw 'a 18446744073709551615\nb 1\n'
rc_is 1 "counts that pass 64 bits together"
like "it says so" "$TMP/err" 'more than 64 bits'

# Names

draw 'a"b'"'"'c<d>&e;</text><script>x</script>;]]><!--;\001\033[31m\177\000x;\377\300\200;\357\277\276\357\277\277;; 1\n'
rc_is 0 "hostile names"
ok "they leave well-formed XML" well_formed "$TMP/out"
is "each is one frame" "$(nr_frames "$TMP/out")" 9
unlike "none is a comment" "$TMP/out" '<!--'
is "none is a script, beside the table and ours" "$(grep -c '<script' "$TMP/out")" 2
is "no control byte comes through" "$(tr -d '\t\n\040-\176\200-\377' <"$TMP/out" | wc -c)" 0
draw 'ключ;関数;naïve 1\n'
ok "names in UTF-8 are well-formed" well_formed "$TMP/out"
like "and stay as they are" "$TMP/out" '<title>関数 \('
draw "$stacks" --title "$(printf 'x\033]0;y\007<b>')"
ok "a hostile title" well_formed "$TMP/out"
draw 'operator new(unsigned long);std::map<int, A b>;(anonymous namespace)::f 2\n'
like "blanks belong to the name" "$TMP/out" '<title>std::map&lt;int, A b&gt; \(2 samples'

# Frames of which nothing is known

draw 'a;[unknown];[unknown];[unknown];b 2\na;[unknown];b 3\nc;c;c 1\nd;[unknown];e;[unknown] 1\n'
is "in a row they are one" "$(sed -n 's|.*<title>\(.*\), [0-9.]*%.*</title>.*|\1|p' "$TMP/out" | tr '\n' ' ')" \
	"all (7 samples a (5 samples [unknown] (5 samples b (5 samples c (1 sample c (1 sample c (1 sample d (1 sample [unknown] (1 sample e (1 sample [unknown] (1 sample "

# Text of perf script: periods are what the event counts

samples() # EVENT [PERIOD]
{
	for text in 1 2 3; do
		printf 'spin 12 [000] 1.00000%s: %s %s: \n\t    55eb5b738a56 hot+0x6 (/bin/spin)\n\n' "$text" "${2:-}" "$1"
	done >"$TMP/samples"
	run "$PERF_LITE" flamegraph "$TMP/samples"
}
for event in cpu-clock task-clock:ppp cpu-clock:u; do
	samples $event 1001001
	like "$event: time" "$TMP/out" '<title>hot \(3\.00 ms, 100\.00%\)</title>'
	like "and samples" "$TMP/out" '<desc>Flame graph of 3\.00 ms, 3 samples</desc>'
done
samples cycles:P 1001001
like "cycles" "$TMP/out" '<title>hot \(3,003,003 cycles, 100\.00%\)</title>'
samples sched:sched_stat_runtime 1001001
like "a tracepoint: counts" "$TMP/out" '<title>hot \(3,003,003 counts, 100\.00%\)</title>'
for period in '' 1; do
	samples cpu-clock $period
	like "period '$period': samples" "$TMP/out" '<title>hot \(3 samples, 100\.00%\)</title>'
done
run "$PERF_LITE" flamegraph "$TMP/samples" --event cycles
rc_is 1 "an event that the text has not"
samples cpu-clock 1001001
run_ok "--countname" "$PERF_LITE" flamegraph "$TMP/samples" --countname ns
like "goes before" "$TMP/out" '<title>hot \(3,003,003 ns, 100\.00%\)</title>'

# A few deep stacks: 200 rows with less than 0.5 %

deep=$(awk 'BEGIN { for (i = 0; i < 200; i++) printf ";f%d", i }')
height()
{
	sed -n 's|.*<svg [^>]* height="\([0-9]*\)".*|\1|p' "$TMP/out"
}
draw "main;work 1000\nmain$deep 3\nmain;f0;g 1\n"
like "are not shown, which the head says" "$TMP/out" '>1,004 samples; 199 rows with less than 0\.5% of it are shown when zoomed to<'
like "as does a mark" "$TMP/out" '<text class="cut" [^>]*>[^ ]+ 199 more rows</text>'
ok "the sheet is low: $(height)" test "$(height)" -lt 200
unlike "what is not shown is not there" "$TMP/out" '<title>f1 '
is "but for the script's table" "$(sed -n 's/^,"depth":\[\(.*\)\]$/\1/p' "$TMP/out" | tr , '\n' | wc -l)" 204
ok "it is well-formed XML" well_formed "$TMP/out"
draw "main;work 1000\nmain$deep 3\nmain;f0;g 1\n" --inverted
like "below, too" "$TMP/out" '<text class="cut" '
draw "main;work 1000\nmain$deep 6\n"
unlike "more of them are shown" "$TMP/out" 'class="cut'
draw "main;work 1000\nmain$(echo "$deep" | cut -d';' -f1-30) 1\n"
unlike "as are fewer rows" "$TMP/out" 'class="cut'
draw "main$deep 1\n"
unlike "and what is all there is" "$TMP/out" 'class="cut'

# Size

awk 'BEGIN { for (i = 0; i < 100000; i++) printf "p;q%d;r%d;s%d 3\n", i % 10, i % 1000, i }' \
	>"$TMP/big"
run_ok "100,000 functions" "$PERF_LITE" flamegraph "$TMP/big"
ok "well-formed" well_formed "$TMP/out"
like "what is too narrow is told" "$TMP/out" '100,000 frames narrower than 0\.1 px are not drawn'
is "what is wide enough has a title" "$(nr_frames "$TMP/out")" 12
is "the table has that, 1,000 of 1.2 px, and what is too narrow on each" \
	"$(sed -n 's/^,"depth":\[\(.*\)\]$/\1/p' "$TMP/out" | tr , '\n' | wc -l)" 2012
awk 'BEGIN { for (i = 0; i < 2000; i++) printf "f%d;", i; print "leaf 1" }' >"$TMP/deep"
run_ok "2,000 frames deep" "$PERF_LITE" flamegraph "$TMP/deep"
ok "well-formed" well_formed "$TMP/out"
is "all of them" "$(nr_frames "$TMP/out")" 2002

done_testing
