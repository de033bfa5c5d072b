# SPDX-License-Identifier: GPL-2.0
#
# Flame graphs in a real browser, with a pointer and keys: browser.py has the steps.
. tests/lib.sh

browser=
for b in chromium chromium-browser google-chrome; do
	command -v $b >/dev/null && browser=$b && break
done
[ -n "$browser" ] || need chromium
need own
need_cmd python3

if command -v node >/dev/null; then
	ok "the script is good JavaScript" node --check util/draw/flamegraph.js
else
	skip_without "the script is good JavaScript" node
fi

draw()
{
	"$PERF_LITE" flamegraph "$@" || fail "perf-lite flamegraph $*"
}

cat >"$TMP/in" <<'END'
main;idle 25
main;poll_[k] 10
main;work;a+b(int) 20
main;work;leaf 30
other;leaf 15
END
for form in svg html; do
	draw -o "$TMP/a.$form" --title '<T> & T' "$TMP/in"
	cat >>"$TMP/steps" <<END
part $form
size 1024 500
open file://$TMP/a.$form
is the title is the document's :: document.title :: <T> & T
is all frames are there :: document.querySelectorAll('#frames title').length :: 9
is as wide as the window :: document.querySelector('svg').getBoundingClientRect().width :: 1024
is the frames, too :: document.querySelector('#frames .all rect').getAttribute('width') :: 999.5
size 624 500
wait document.querySelector('svg').getBoundingClientRect().width === 624
is and follow it :: document.querySelector('#frames .all rect').getAttribute('width') :: 599.5
size 360 500
wait document.querySelector('svg').getBoundingClientRect().width === 360
is a title of eleven letters has room beside the buttons of a telephone :: document.querySelector('.button rect').getBoundingClientRect().left > 12 + 11 * 12 :: true
size 1024 500
wait document.querySelector('svg').getBoundingClientRect().width === 1024

# Pointing
point main
is the name pointed at :: document.querySelector('.details').textContent :: main
is its numbers :: document.querySelector('.numbers').textContent :: 85 samples, 85.00% of all
is the frame is marked :: document.querySelector('.mark').getBoundingClientRect().width :: 849.5
is with a tooltip :: document.querySelector('.mark title').textContent.split('\n')[0] :: main
point poll
is what class it is of :: document.querySelector('.numbers').textContent :: 10 samples, 10.00% of all, kernel
is the mark has moved :: document.querySelector('.mark').getBoundingClientRect().width :: 99.5

# Zooming
click work
is zoomed: the frame is as wide as the sheet :: document.querySelector('.above ~ g:not(.above) rect').getAttribute('width') :: 999.5
is what is below it is as wide, and faded :: [...document.querySelectorAll('.above text')].map(t => t.textContent).join() :: all,main
is nothing else is there :: document.querySelectorAll('#frames g').length :: 5
is the place is in the address :: location.hash :: #zoom=4
point leaf
is shares of the whole and of the view :: document.querySelector('.numbers').textContent :: 30 samples, 30.00% of all, 60.00% of the view
click main
is further out :: document.querySelectorAll('.above').length :: 1
back
wait document.querySelectorAll('.above').length === 2
is the button of the browser goes back :: location.hash :: #zoom=4
key Escape
is Escape shows all :: document.querySelectorAll('#frames g').length :: 9
is and leaves nothing in the address :: location.hash ::
click work
click all
is so does a click on the root :: document.querySelectorAll('#frames g').length :: 9

# Searching
key /
type leaf
is searched: the share :: document.querySelector('.status').textContent :: matched: 45.00%
is every match is marked :: document.querySelectorAll('#frames .hit').length :: 2
is the term is in the address :: location.hash :: #search=leaf
key Enter
is the search stays :: document.querySelectorAll('#frames .hit').length :: 2
click work
is a search within the view :: document.querySelector('.status').textContent :: matched: 45.00%, 60.00% of the view
key Escape
key Escape
is Escape, once more, ends the search :: document.querySelectorAll('#frames .hit').length + document.querySelector('.status').textContent :: 0
key ctrl+f
is Ctrl-F opens the search :: document.activeElement.localName :: input
type main|leaf
is each stack counts once :: document.querySelector('.status').textContent :: matched: 100.00%
key Escape
key /
type a+b(int)
is what could be an expression is found as text, too :: document.querySelector('.status').textContent :: matched: 20.00%
key Escape
click button:Search
type (
is no expression at all :: document.querySelector('.status').textContent :: matched: 20.00% (as plain text)
key Escape
key /
type LEAF
is a capital letter makes letters count :: document.querySelector('.status').textContent :: matched: 0.00%
key Escape
is in the search Escape ends it :: document.querySelector('.status').textContent + location.hash ::

# Links
open about:blank
open file://$TMP/a.$form#zoom=4&search=leaf&inverted=1
is a link shows the place :: [...document.querySelectorAll('.above text')].map(t => t.textContent).join() :: all,main
is and the search :: document.querySelector('.status').textContent :: matched: 45.00%, 60.00% of the view
is the term can be changed :: document.querySelector('input').value :: leaf
is and what is on top :: document.querySelector('#frames .all rect').getBoundingClientRect().top < document.querySelector('#frames .hit rect').getBoundingClientRect().top :: true
click button:Link
wait document.querySelector('.details').textContent === 'The link is copied.'
is copying changes nothing :: document.querySelector('input').value + location.hash :: leaf#zoom=4&search=leaf&inverted=1
click button:Reset
is Reset ends both :: location.hash + document.querySelector('.status').textContent + document.querySelectorAll('#frames g').length :: #inverted=19
open about:blank
open file://$TMP/a.$form#zoom=77777777777&search=%5B%00&inverted=x&more
is a link that is wrong shows all :: document.querySelectorAll('#frames g').length :: 9

# Keys
open about:blank
open file://$TMP/a.$form
key ArrowUp
is the first arrow begins at the root :: document.querySelector('.details').textContent :: all
is the focus is seen :: document.querySelector('.focus').getAttribute('visibility') :: visible
key ArrowUp
key ArrowUp
key ArrowUp
is upwards, to the widest :: document.querySelector('.details').textContent :: leaf
key ArrowLeft
is left :: document.querySelector('.details').textContent :: a+b(int)
key ArrowLeft
is no further than there are frames :: document.querySelector('.details').textContent :: a+b(int)
key ArrowDown
is down :: document.querySelector('.details').textContent :: work
key Enter
is Enter zooms :: location.hash :: #zoom=4
key i
is i turns it :: document.querySelector('#frames .all rect').getBoundingClientRect().top < document.querySelector('.focus').getBoundingClientRect().top :: true
key ArrowDown
is down is up then :: document.querySelector('.details').textContent :: leaf
key Escape
click button:Icicle
is the button turns it back :: document.querySelector('#frames .all rect').getBoundingClientRect().top > document.querySelector('#frames .kernel rect').getBoundingClientRect().top :: true
is buttons can be reached :: [...document.querySelectorAll('.button')].every(b => b.tabIndex === 0 && b.getAttribute('aria-label')) :: true

# Looks
is light :: getComputedStyle(document.querySelector('.sheet')).fill :: rgb(255, 255, 255)
dark yes
is dark :: getComputedStyle(document.querySelector('.sheet')).fill :: rgb(28, 25, 23)
is the text in frames stays dark :: getComputedStyle(document.querySelector('#frames .kernel text')).fill :: rgb(28, 25, 23)
is that above does not :: getComputedStyle(document.querySelector('.title')).fill :: rgb(245, 245, 244)
dark no
script no
open about:blank
open file://$TMP/a.$form
is without script: all frames :: document.querySelectorAll('#frames rect').length :: 9
is and no buttons :: document.querySelectorAll('.button').length :: 0
script yes
END
done

draw --width 1024 -o "$TMP/b.svg" "$TMP/in"
cat >>"$TMP/steps" <<END
part pictures
size 1024 300
script no
open file://$TMP/b.svg
shot $TMP/b.png
dark yes
shot $TMP/d.png
dark no
script yes
END

# Names are text, whatever they hold.

printf '%s 60\n' '<script>pwned=1</script>"'"'"']]>;--><img src=x onerror=pwned=1>;</title>&lt;${pwned=1}' \
	>"$TMP/hostile"
for form in svg html; do
	draw -o "$TMP/h.$form" --title '</title></style><script>pwned=1</script>]]>' \
		--countname '<b>"]]></script>' "$TMP/hostile"
	cat >>"$TMP/steps" <<END
part hostile names, $form
open file://$TMP/h.$form
is four frames and the root :: document.querySelectorAll('#frames title').length :: 5
key ArrowUp
key ArrowUp
is the name as it is :: document.querySelector('.details').textContent :: <script>pwned=1</script>"']]>
is the unit, too :: document.querySelector('.numbers').textContent :: 60 <b>"]]></script>, 100.00% of all
key Enter
key /
type \${pwned=1}
is it is searched for as text :: document.querySelector('.status').textContent :: matched: 100.00%, 100.00% of the view
is nothing of it has run :: typeof pwned + document.querySelectorAll('img, b').length :: undefined0
END
done

# Rows that hold next to nothing

awk 'BEGIN {
	print "main;work 1000"
	stack = "main"
	for (i = 0; i < 200; i++)
		stack = stack ";f" i
	print stack, 4
}' >"$TMP/tower"
draw -o "$TMP/tower.svg" "$TMP/tower"
cat >>"$TMP/steps" <<END
part a tower
size 1224 500
open file://$TMP/tower.svg
is the sheet is as high as what is shown :: document.querySelector('svg').getBoundingClientRect().height < 200 :: true
is and says what is not :: document.querySelector('.cut').textContent.slice(2) :: 199 more rows
is nothing else of it is there :: document.querySelectorAll('#frames g').length :: 3
key /
type f199
is it is searched through :: document.querySelector('.status').textContent :: matched: 0.40%
key Escape
key ArrowUp
key ArrowUp
key ArrowUp
key ArrowLeft
key ArrowUp
is the keys stay with what is shown :: document.querySelector('.details').textContent :: f0
click text:more rows
is a click on the mark shows the rows :: document.querySelectorAll('.cut').length :: 0
is all of them :: document.querySelector('svg').getBoundingClientRect().height > 200 * 18 :: true
wait [...document.querySelectorAll('#frames text')].some(t => t.textContent === 'f1')
back
wait document.querySelectorAll('.cut').length === 1
is back makes it low again :: document.querySelector('svg').getBoundingClientRect().height < 200 :: true
key i
is upside down: the mark is below :: document.querySelector('.cut').getBoundingClientRect().top > document.querySelector('#frames .all rect').getBoundingClientRect().top :: true
END

: | "$PERF_LITE" flamegraph -o "$TMP/e.svg" 2>/dev/null
cat >>"$TMP/steps" <<END
part no samples
open file://$TMP/e.svg
is the picture says so :: document.querySelector('.note').textContent :: No samples: there is nothing to draw.
key ArrowUp
END

# What scripts write of time is what stands in the picture.

"$PERF_LITE" record -q -e cpu-clock:u -F 999 -g -o "$TMP/data" -- "$PROG/spin" 200 >"$TMP/out" 2>&1 || diag_file "$TMP/out"
draw -q -i "$TMP/data" -o "$TMP/t.svg"
for name in all leaf; do
	told=$(sed -n "s|.*<title>$name (\\([^)]*\\))</title>.*|\\1|p" "$TMP/t.svg" | head -n 1)
	cat >>"$TMP/steps" <<END
part time
open file://$TMP/t.svg
point $name
is $name: as without script :: document.querySelector('.numbers').textContent.replace(/ of all.*/, '') :: $told
is which is a time :: /^[0-9.]+ m?s, [0-9.]+%$/.test('$told') :: true
END
done

# Instructions of functions, below the picture

shown="[...document.querySelectorAll('#code section')].filter(s => s.getBoundingClientRect().height).map(s => s.dataset.function).join()"
panel="document.getElementById('code').getBoundingClientRect()"
if can capstone; then
	draw -q -i "$TMP/data" --annotate -o "$TMP/code.html"
	cat >>"$TMP/steps" <<END
part instructions
size 1200 500
open file://$TMP/code.html
is nothing of them at first :: $panel.height :: 0
click leaf
is a click on a frame shows those of its function :: $shown :: leaf
is at the foot of the window :: Math.round($panel.bottom) :: 500
is what was clicked is above it :: document.querySelector('.above ~ g:not(.above)').getBoundingClientRect().bottom < $panel.top :: true
is with shares :: /^ +[0-9.]+ \| +[0-9a-f]+ /m.test(document.querySelector('#code section[data-function=leaf] pre').textContent) :: true
back
wait $panel.height === 0
is back hides them :: $shown ::
click leaf
click text:Close
is Close does :: $panel.height :: 0
key c
is c shows them :: $shown :: leaf
key Escape
is and no others :: $panel.height :: 0
click button:Code
is the button lists functions :: [...document.querySelectorAll('#code li')].some(l => / leaf$/.test(l.textContent)) :: true
click text:% leaf
is which zooms to one of them :: $shown + (location.hash.startsWith('#zoom=') ? ' zoomed' : '') :: leaf zoomed
open about:blank
dark yes
open file://$TMP/code.html
is dark :: getComputedStyle(document.getElementById('code')).backgroundColor :: rgb(28, 25, 23)
dark no
size 400 600
wait document.querySelector('svg').getBoundingClientRect().width === 400
is in a narrow window the title ends before the buttons :: document.querySelector('.title').getBoundingClientRect().right <= document.querySelector('.button rect').getBoundingClientRect().left :: true
script no
open about:blank
open file://$TMP/code.html
is without script, behind the picture :: $shown.split(',').includes('leaf') && document.getElementById('code').getBoundingClientRect().top >= document.querySelector('svg').getBoundingClientRect().bottom :: true
script yes
END
else
	skip_without "instructions" capstone
fi

# An inlined function has those of the function that it is in

if can capstone && can cc; then
	cat >"$TMP/inlined.c" <<'EOC'
#include <time.h>
static inline __attribute__((always_inline)) unsigned long within(unsigned long x)
{
	for (int i = 0; i < 100000; i++)
		x = x * 3 + (x >> 7);
	return x;
}
__attribute__((noinline)) unsigned long around(unsigned long x)
{
	return within(x) + 1;
}
int main(void)
{
	unsigned long x = 1;
	while (clock() < CLOCKS_PER_SEC / 5)
		x = around(x);
	return !x;
}
EOC
	${CC:-cc} -g -O2 -o "$TMP/inlined" "$TMP/inlined.c"
	"$PERF_LITE" record -q -e cpu-clock:u -F 999 -g -o "$TMP/inlined.data" -- "$TMP/inlined"
	draw -q -i "$TMP/inlined.data" --annotate -o "$TMP/inlined.html"
	cat >>"$TMP/steps" <<END
part inlined
size 1200 500
open file://$TMP/inlined.html
click within
is the function that it is in :: $shown :: around
END
else
	skip_without "inlined" capstone cc
fi

# In a narrow window what is too long is cut, with an ellipsis

draw -q -i "$TMP/data" -o "$TMP/t.svg" --title 'a title that does not fit into a narrow window beside the buttons'
cat >>"$TMP/steps" <<END
part narrow
size 400 600
open file://$TMP/t.svg
is all lines end in the window :: [...document.querySelectorAll('#head > text')].every(t => t.getBoundingClientRect().right <= 400) :: true
is the title before the buttons :: document.querySelector('.title').getBoundingClientRect().right <= document.querySelector('.button rect').getBoundingClientRect().left :: true
is it says that it goes on :: document.querySelector('.title').textContent.endsWith('\u2026') :: true
size 1200 600
wait document.querySelector('svg').getBoundingClientRect().width === 1200
is and does where there is room :: document.querySelector('.title').textContent :: a title that does not fit into a narrow window beside the buttons
END

# A timeline: dragging shows the flame graph of what ran then. A fifth of the time is one program's, then nobody's, then
# another's.

cat >"$TMP/make.py" <<'PY'
import struct, sys

# attr: software, cpu-clock, every sample with IP, TID, TIME, CPU
attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1, 1 | 2 | 4 | 128, 0, 1 << 18).ljust(128, b"\0")
def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
out = sys.stdout.buffer
out.write(b"PERFILE2" + struct.pack("<Q", 16) + record(64, 0, attr + struct.pack("<Q", 1)))
for tid, comm, first, last in (7, b"spin", 0, 200), (8, b"parts", 500, 1000):
    out.write(record(3, 0, struct.pack("<II", tid, tid) + comm.ljust(8, b"\0") + struct.pack("<IIQII", tid, tid, 10 ** 9, 0, 0)))
    for ms in range(first, last):
        out.write(record(9, 2, struct.pack("<QIIQII", 0x1000, tid, tid, 10 ** 9 + ms * 10 ** 6, 0, 0)))
PY
python3 "$TMP/make.py" >"$TMP/data"
for form in html svg; do
	draw -q --timeline -i "$TMP/data" -o "$TMP/time.$form"
	cat >>"$TMP/steps" <<END
part timeline, $form
size 1240 700
open file://$TMP/time.$form
is as wide as it was made :: document.querySelector('svg').getBoundingClientRect().width :: 1200
is nothing but the map :: document.querySelectorAll('#graph').length :: 0
drag 130 135 270 135
wait document.querySelector('#graph').contentDocument.querySelectorAll('#frames g').length === 3
is the first program ran then :: [...document.querySelector('#graph').contentDocument.querySelectorAll('#frames title')].some(t => /^spin /.test(t.textContent)) :: true
is and the other did not :: [...document.querySelector('#graph').contentDocument.querySelectorAll('#frames title')].some(t => /^parts /.test(t.textContent)) :: false
is colours are explained :: [...document.querySelector('#graph').contentDocument.querySelectorAll('#head .note')].some(t => t.textContent === 'unknown') :: true
is all of it is in sight :: document.querySelector('#graph').getBoundingClientRect().height >= document.querySelector('#graph').contentDocument.querySelector('svg').getBoundingClientRect().height :: true
is the samples are those of the columns :: JSON.parse(document.querySelector('#graph').contentDocument.querySelector('#table').textContent).count[0] === [...document.querySelectorAll('.sums rect')].filter(r => { const b = document.querySelector('#chosen').getBoundingClientRect(), x = r.getBoundingClientRect(); return x.left > b.left - 1 && x.right < b.right + 1; }).reduce((n, r) => n + Number(r.textContent.match(/ s: ([0-9,]+) /)[1].replace(',', '')), 0) :: true
is the span is told, too :: /^--time [0-9.]+,[0-9.]+\$/.test(document.querySelector('#choice').textContent) :: true
drag 800 135 900 135
wait [...document.querySelector('#graph').contentDocument.querySelectorAll('#frames title')].some(t => /^parts /.test(t.textContent))
is another span shows another :: [...document.querySelector('#graph').contentDocument.querySelectorAll('#frames title')].some(t => /^spin /.test(t.textContent)) :: false
is one at a time :: document.querySelectorAll('iframe').length :: 1
drag 400 135 500 135
is nothing where nothing ran :: document.querySelectorAll('#graph').length :: 0
drag 800 135 900 135
wait document.querySelector('#graph') !== null
key Escape
is Escape ends it :: document.querySelectorAll('#graph').length + document.querySelector('#choice').textContent.slice(0, 4) :: 0Drag
size 1000 700
wait document.querySelector('svg').getBoundingClientRect().width === 1000
is a narrower window has all of the map :: document.documentElement.scrollWidth :: 1000
size 400 700
is a telephone can read it :: document.querySelector('svg').getBoundingClientRect().width :: 800
END
done

# A heat map of latency is as wide as the window, and its texts stay in it.

(cd tests/golden && "$PROG/make_recording" latency.rec "$TMP")
for form in html svg; do
	"$PERF_LITE" latency run-queue -q -i "$TMP/latency.data" --timeline "$TMP/heat.$form" >/dev/null
	for width in 320 640 641 1400; do
		cat >>"$TMP/steps" <<END
part heat map, $form, $width px
size $width 600
open file://$TMP/heat.$form
is is as wide as the window :: document.documentElement.scrollWidth :: $width
is all that is seen ends in it :: [...document.querySelectorAll('text, .plot rect')].filter(t => getComputedStyle(t).visibility === 'visible').every(t => t.getBoundingClientRect().left >= 0 && t.getBoundingClientRect().right <= $width) :: true
is times are where the plot has them :: (() => { const x = e => e.getBoundingClientRect(), p = x(document.querySelector('.plot .empty')), a = [...document.querySelectorAll('.axis')].find(e => getComputedStyle(e).visibility === 'visible'), l = a.querySelector('line'); return Math.abs(x(l).left - p.left - p.width * parseFloat(l.getAttribute('x1')) / 100) < 2; })() :: true
is a cell can be seen :: x = document.querySelector('.plot .h4').getBoundingClientRect(), x.width >= 1 && x.height >= 8 :: true
END
	done
done

# 1,000 stacks of 100 frames, each frame another function, and what is too narrow beside them.

awk 'BEGIN {
	for (i = 0; i < 1000; i++) {
		stack = "main"
		for (d = 0; d < 100; d++)
			stack = stack ";f" i "_" d
		print stack, 9000
	}
	for (i = 0; i < 500; i++)
		print "main;g" i, 1
}' >"$TMP/big"
draw -o "$TMP/big.html" "$TMP/big"
cat >>"$TMP/steps" <<END
part 100,000 frames
size 1224 1000
open file://$TMP/big.html
is 100,000 frames :: JSON.parse(document.getElementById('table').textContent).depth.length :: 100002
is few elements :: document.querySelectorAll('*').length < 500 :: true
is it is told what has no place :: document.querySelector('.note').textContent.includes('500 frames narrower than 0.1 px') :: true
key ArrowUp
key ArrowUp
key ArrowUp
key ArrowRight
key Enter
is zoomed :: document.querySelectorAll('.above').length :: 2
is to 100 frames :: document.querySelectorAll('#frames g').length :: 102
size 1224 300
wait document.querySelectorAll('#frames g').length < 90
is what is far out of sight is not drawn :: [...document.querySelectorAll('#frames text')].some(t => /_99$/.test(t.textContent)) :: false
scroll 0
wait [...document.querySelectorAll('#frames text')].some(t => /_99$/.test(t.textContent))
is it is when it comes in sight :: document.querySelectorAll('#frames g').length < 90 :: true
size 1224 1000
wait document.querySelectorAll('#frames g').length === 102
is the name fits now :: document.querySelector('.focus').getAttribute('width') > 1100 :: true
key Escape
key /
type f.*_99$
is searched through :: document.querySelector('.status').textContent :: matched: at least 99.99%
key Enter
key Escape
key i
pointer 612 140
is the pointer finds one among them :: /^f[0-9]+_0$/.test(document.querySelector('.details').textContent) :: true
END

# Each "is" of the steps is a test; so is that all steps were made, without an error of a page.

HOME=$TMP timeout -k 5 200 python3 tests/cli/browser.py $browser "$TMP/profile" \
	<"$TMP/steps" >"$TMP/said" 2>"$TMP/err"
drive_rc=$?
while read -r verdict desc; do
	case $verdict in
	ok) pass "$desc" ;;
	*) fail "${desc#ok }" ;;
	esac
done <"$TMP/said"
is "every step was made, and no page found an error" "$drive_rc $(head -n 3 "$TMP/err")" "0 "

# pixels PNG X,Y...: the colours there, as rrggbb; fails if the file is no whole PNG. Its five line
# filters are those of the PNG specification, section 9.
cat >"$TMP/pixels.py" <<'PY'
import struct, sys, zlib

data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG"
at, packed = 8, b""
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    body = data[at + 8:at + 8 + size]
    assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
    if kind == b"IHDR":
        width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
        assert depth == 8 and colour in (2, 6) and not interlaced
        bpp = 3 if colour == 2 else 4
    packed += body if kind == b"IDAT" else b""
    at += size + 12
raw = zlib.decompress(packed)
rows, above = [], bytes(width * bpp)
for y in range(height):
    kind = raw[y * (width * bpp + 1)]
    line = bytearray(raw[y * (width * bpp + 1) + 1:(y + 1) * (width * bpp + 1)])
    for i in range(len(line)):
        a = line[i - bpp] if i >= bpp else 0
        b = above[i]
        c = above[i - bpp] if i >= bpp else 0
        p = a + b - c
        paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
        line[i] = (line[i] + (0, a, b, (a + b) // 2, paeth)[kind]) & 255
    rows.append(line)
    above = line
for point in sys.argv[2:]:
    x, y = map(int, point.split(","))
    print(rows[y][x * bpp:x * bpp + 3].hex())
PY

# The root, main on it, and on that the kernel's, on which there is nothing.
y_of()
{
	echo $(($(sed -n "s|.*<title>$1 .* y=\"\([0-9]*\)\" width.*|\1|p" "$TMP/b.svg") + 2))
}
points="2,2 500,$(y_of all) 300,$(y_of poll) 300,$(y_of a+b)"
# shellcheck disable=SC2086
is "background, root, kernel and nothing are where they should be" \
	"$(python3 "$TMP/pixels.py" "$TMP/b.png" $points 2>&1 | tr '\n' ' ')" \
	"ffffff d6d3d1 f0946a ffffff "
# shellcheck disable=SC2086
is "and on a dark background" \
	"$(python3 "$TMP/pixels.py" "$TMP/d.png" $points 2>&1 | tr '\n' ' ' | cut -c1-14)" \
	"1c1917 b5b0ab "

done_testing
