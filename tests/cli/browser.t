# SPDX-License-Identifier: GPL-2.0
#
# The flame graph in a real browser: it is drawn, in the colours it should have, and every frame
# is in the document that the browser made of it.
. tests/lib.sh

browser=
for b in chromium chromium-browser google-chrome; do
	command -v $b >/dev/null && browser=$b && break
done
[ -n "$browser" ] || skip_all "needs chromium"
need_cmd python3

# browse OPTION...: in a profile of its own, without the network.
browse()
{
	rm -rf "$TMP/profile"
	HOME=$TMP timeout -k 5 120 $browser --headless --no-sandbox --disable-gpu --disable-quic \
		--no-first-run --disable-background-networking --disable-component-update \
		--disable-sync --disable-dev-shm-usage --hide-scrollbars \
		--user-data-dir="$TMP/profile" --window-size=800,300 "$@" 2>"$TMP/browser.err"
}

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

# The root, 400 px of main, and on it 200 px of the kernel's.
printf 'main 1\nmain;do_it_[k] 1\nmore 2\n' |
	"$PERF_LITE" flamegraph --width 824 --title '<T> & T' -o "$TMP/a.svg" || exit 1
colour_of()
{
	class=$(sed -n "s|^<g class=\"\([^\"]*\)\"><title>$1 .*|\1|p" "$TMP/a.svg")
	sed -n "s|.*\.$class rect{fill:#\([0-9a-f]*\)}.*|\1|p" "$TMP/a.svg" | head -n 1
}
y_of()
{
	echo $(($(sed -n "s|.*<title>$1 .* y=\"\([0-9]*\)\" width.*|\1|p" "$TMP/a.svg") + 2))
}

browse --screenshot="$TMP/a.png" "file://$TMP/a.svg" >"$TMP/out"
ok "there is a screenshot" test -s "$TMP/a.png" || diag_file "$TMP/browser.err"
main=300,$(y_of main) kernel=150,$(y_of do_it) above=600,$(y_of do_it)
python3 "$TMP/pixels.py" "$TMP/a.png" 2,2 $main $kernel $above >"$TMP/out" 2>"$TMP/err"
is "background, user, kernel and nothing are where they should be" \
	"$(tr '\n' ' ' <"$TMP/out")" "ffffff $(colour_of main) $(colour_of do_it) ffffff "
diag_file "$TMP/err"

browse --blink-settings=preferredColorScheme=0 --screenshot="$TMP/d.png" \
	"file://$TMP/a.svg" >"$TMP/out"
python3 "$TMP/pixels.py" "$TMP/d.png" 2,2 $main >"$TMP/out" 2>"$TMP/err"
is "a dark background for who prefers it" "$(tr '\n' ' ' <"$TMP/out")" "1c1917 $(colour_of main) "
diag_file "$TMP/err"

browse --dump-dom "file://$TMP/a.svg" >"$TMP/dom"
is "the browser read every rectangle: 4 frames, 2 of the legend, the background" \
	"$(grep -o '<rect ' "$TMP/dom" | wc -l)" 7
like "and the title" "$TMP/dom" '&lt;T&gt; &amp; T</text>'
unlike "and found no error" "$TMP/dom" 'parsererror|error on line'

: | "$PERF_LITE" flamegraph -o "$TMP/e.svg" 2>/dev/null
browse --dump-dom "file://$TMP/e.svg" >"$TMP/dom"
like "the empty picture opens, too" "$TMP/dom" '>No samples: '

done_testing
