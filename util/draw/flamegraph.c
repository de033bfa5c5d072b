// SPDX-License-Identifier: GPL-2.0
#include "util/draw/flamegraph.h"

#include <errno.h>
#include <string.h>

#include "util/base/text.h"

/*
 * The sheet, in px:
 *
 *     MARGIN | title                              | MARGIN
 *            | subtitle              legend       |
 *     HEAD --+------------------------------------+
 *            | ROW: frames of the greatest depth  |
 *            | ...                                |
 *            | ROW: the root                      |
 *            +------------------------------------+ MARGIN
 *
 * Lengths along x are in hundredths of a px from here on ("cpx"), so that integers do.
 */
#define MARGIN    12
#define HEAD      64
#define ROW       18
#define BAR       17 /* height of a frame: a line of background stays between the rows */
#define CPX       100
#define MIN_CPX   10  /* narrower frames are left out */
#define GAP_CPX   50  /* of background between neighbours */
#define FRAME_CPX 745 /* width of a letter in a frame: 12 px monospace, rounded up */
#define TITLE_CPX 1050

#define LEGEND 115 /* px */

#define SHADES 8

static const char *const user_shades[SHADES] = {"#f7d774", "#f5cf62", "#fadd83", "#f3c552",
						"#f8d269", "#f1cb5f", "#fbe193", "#f4bd4c"};
static const char *const kernel_shades[SHADES] = {"#f29a6b", "#ee8a5c", "#f5a97c", "#ea7c52",
						  "#f0906a", "#f3a06a", "#e9845f", "#ef9560"};

static const char style[] =
	"text{font:12px ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace;fill:#1c1917}\n"
	".t,.s{font-family:system-ui,\"DejaVu Sans\",Helvetica,Arial,sans-serif}\n"
	".t{font-size:18px;font-weight:600}\n"
	".s{fill:#57534e}\n"
	".bg{fill:#fff}svg{background:#fff}\n"
	".all rect{fill:#d6d3d1}\n"
	"g:hover>rect{stroke:#1c1917;stroke-width:1}\n";

static const char style_dark[] =
	"@media (prefers-color-scheme:dark){\n"
	".bg{fill:#1c1917}svg{background:#1c1917}.t{fill:#f5f5f4}.s{fill:#a8a29e}\n"
	".all rect{fill:#a8a29e}\n"
	"g:hover>rect{stroke:#fafaf9}}\n";

struct sheet {
	const struct flamegraph *g;
	const struct frame_tree *t;
	struct buf *out;
	struct buf text;  /* a name, escaped */
	u64 whole;        /* counts in all */
	u64 room_cpx;     /* the width of the root */
	u64 least;        /* counts that make MIN_CPX */
	u32 rows, height; /* px */
	u32 omitted;
	bool has_kernel;
};

/* ---- numbers ---- */

static void put_cpx(struct buf *b, u64 cpx)
{
	buf_dec(b, cpx / 100, 0);
	if (cpx % 100 == 0)
		return;
	buf_addc(b, '.');
	if (cpx % 10)
		buf_dec0(b, cpx % 100, 2);
	else
		buf_dec(b, cpx % 100 / 10, 0);
}

/* 1234567 as 1,234,567 */
static void put_count(struct buf *b, u64 n)
{
	if (n >= 1000) {
		put_count(b, n / 1000);
		buf_addc(b, ',');
		buf_dec0(b, n % 1000, 3);
	} else {
		buf_dec(b, n, 0);
	}
}

static void put_amount(struct sheet *s, u64 n)
{
	put_count(s->out, n);
	buf_addc(s->out, ' ');
	if (s->g->unit)
		text_xml(s->out, s->g->unit, strlen(s->g->unit));
	else
		buf_adds(s->out, n == 1 ? "sample" : "samples");
}

static void put_percent(struct sheet *s, u64 n)
{
	u64 v = (u64)(((unsigned __int128)n * 10000 + s->whole / 2) / s->whole);

	buf_dec(s->out, v / 100, 0);
	buf_addc(s->out, '.');
	buf_dec0(s->out, v % 100, 2);
	buf_addc(s->out, '%');
}

static u64 cpx_of(const struct sheet *s, u64 n)
{
	return (u64)((unsigned __int128)n * s->room_cpx / s->whole);
}

/* ---- text ---- */

/* Columns of the character that begins with this byte of good UTF-8; wide for all that may be. */
static unsigned int columns(u8 c)
{
	return (c & 0xc0) == 0x80 ? 0 : c >= 0xe1 ? 2 : 1;
}

/* The bytes of s[0..len) that fit `max` columns, by whole characters. */
static size_t fitting(const char *s, size_t len, u64 max)
{
	size_t i;
	u64 used = 0;

	for (i = 0; i < len; i++) {
		used += columns((u8)s[i]);
		if (used > max)
			break;
	}
	return i;
}

/* <text> at x, y with as much of s->text as fits, or nothing if that is too little to tell. */
static void put_text(struct sheet *s, const char *attr, u64 x, u64 y, u64 room, u64 letter)
{
	const char *p = buf_str(&s->text);
	size_t len = s->text.len, fit = fitting(p, len, room / letter);

	if (fit < len)
		fit = room / letter > 2 ? fitting(p, len, room / letter - 2) : 0;
	if (!fit)
		return;
	buf_adds(s->out, "<text ");
	buf_adds(s->out, attr);
	buf_adds(s->out, "x=\"");
	put_cpx(s->out, x);
	buf_adds(s->out, "\" y=\"");
	put_cpx(s->out, y);
	buf_adds(s->out, "\">");
	text_xml(s->out, p, fit);
	buf_adds(s->out, fit < len ? "..</text>" : "</text>");
}

static const char *title_of(const struct flamegraph *g)
{
	return g->title ? g->title : "Flame graph";
}

/* ---- the walk ---- */

/*
 * Depth first over the frames that are drawn. `at` counts what lies to the left of the frame: its
 * children begin where it begins, and what is its own follows them.
 */
struct walk {
	u32 node; /* ID_NONE: before the root */
	u32 depth;
	u64 at;
};

#define WALK_START ((struct walk){.node = ID_NONE})

static bool walk_next(const struct sheet *s, struct walk *w)
{
	const struct frame_node *v = s->t->nodes.v;
	u32 next;

	if (w->node == ID_NONE) {
		w->node = 0;
		return true;
	}
	next = v[w->node].child;
	w->depth++;
	for (;;) {
		while (next != ID_NONE && v[next].total < s->least) {
			w->at += v[next].total;
			next = v[next].sibling;
		}
		if (next != ID_NONE)
			break;
		w->at += v[w->node].self;
		next = v[w->node].sibling;
		w->node = v[w->node].parent;
		w->depth--;
		if (w->node == ID_NONE)
			return false;
	}
	w->node = next;
	return true;
}

/* True for a kernel function, whose mark is taken off *len. */
static bool is_kernel(const char *name, size_t *len)
{
	if (*len < 4 || memcmp(name + *len - 4, "_[k]", 4))
		return false;
	*len -= 4;
	return true;
}

static void put_frame(struct sheet *s, const struct walk *w)
{
	const struct frame_node *n = &s->t->nodes.v[w->node];
	u64 x = cpx_of(s, w->at), end = cpx_of(s, w->at + n->total), width;
	u32 row = s->g->inverted ? w->depth : s->rows - 1 - w->depth;
	u64 y = HEAD + (u64)row * ROW;
	struct buf *out = s->out;
	const char *name;
	bool kernel;
	size_t len;

	name = frame_tree_node_name(s->t, w->node, &len);
	kernel = is_kernel(name, &len);
	buf_clear(&s->text);
	if (!w->node)
		buf_adds(&s->text, "all");
	else if (!len)
		buf_adds(&s->text, "(no name)");
	else
		text_escape(&s->text, name, len);

	if (w->node) {
		buf_addf(out, "<g class=\"%c%u\"><title>", kernel ? 'k' : 'u',
			 (unsigned int)(hash_bytes(name, len) % SHADES));
	} else {
		buf_adds(out, "<g class=\"all\"><title>");
	}
	text_xml(out, buf_str(&s->text), s->text.len);
	buf_adds(out, kernel ? " [kernel] (" : " (");
	put_amount(s, n->total);
	buf_adds(out, ", ");
	put_percent(s, n->total);

	width = MAX(end - x, (u64)MIN_CPX);
	x += MARGIN * CPX;
	buf_adds(out, ")</title><rect x=\"");
	put_cpx(out, x);
	buf_adds(out, "\" y=\"");
	buf_dec(out, y, 0);
	buf_adds(out, "\" width=\"");
	put_cpx(out, width > 6 * GAP_CPX ? width - GAP_CPX : width);
	buf_addf(out, "\" height=\"%u\"/>", BAR);
	if (width > 6 * CPX)
		put_text(s, "", x + 3 * CPX, y * CPX + 1250, width - 6 * CPX, FRAME_CPX);
	buf_adds(out, "</g>\n");
}

/* ---- the sheet ---- */

/* How many rows there are, how many frames are not drawn, and whether any is the kernel's. */
static void measure(struct sheet *s)
{
	struct walk w = WALK_START;
	u32 drawn = 0;
	size_t len;

	if (!s->whole)
		return;
	s->least = (u64)(((unsigned __int128)s->whole * MIN_CPX + s->room_cpx - 1) / s->room_cpx);
	while (walk_next(s, &w)) {
		const char *name = frame_tree_node_name(s->t, w.node, &len);

		drawn++;
		s->rows = MAX(s->rows, w.depth + 1);
		s->has_kernel |= is_kernel(name, &len);
	}
	s->omitted = s->t->nodes.nr - drawn;
}

static void put_style(struct sheet *s)
{
	unsigned int i;

	buf_adds(s->out, "<style>\n");
	buf_adds(s->out, style);
	for (i = 0; i < SHADES; i++)
		buf_addf(s->out, ".u%u rect{fill:%s}.k%u rect{fill:%s}\n", i, user_shades[i], i,
			 kernel_shades[i]);
	buf_adds(s->out, style_dark);
	buf_adds(s->out, "</style>\n");
}

static void put_omitted(struct sheet *s)
{
	put_count(s->out, s->omitted);
	buf_addf(s->out, " frame%s narrower than 0.1 px %s not drawn", s->omitted == 1 ? "" : "s",
		 s->omitted == 1 ? "is" : "are");
}

static void put_subtitle(struct sheet *s)
{
	u64 room = s->room_cpx;

	buf_addf(s->out, "<text class=\"s\" x=\"%u\" y=\"50\">", MARGIN);
	put_amount(s, s->whole);
	if (s->omitted && room > 600 * CPX) {
		buf_adds(s->out, "; ");
		put_omitted(s);
	}
	buf_adds(s->out, "</text>\n");
	if (s->has_kernel && room > 400 * CPX) {
		u32 x = s->g->width - MARGIN - LEGEND;

		buf_addf(s->out,
			 "<g class=\"k0\"><rect x=\"%u\" y=\"40\" width=\"12\" height=\"12\"/>"
			 "<text class=\"s\" x=\"%u\" y=\"50\">kernel</text></g>\n",
			 x, x + 18);
		buf_addf(s->out,
			 "<g class=\"u0\"><rect x=\"%u\" y=\"40\" width=\"12\" height=\"12\"/>"
			 "<text class=\"s\" x=\"%u\" y=\"50\">user</text></g>\n",
			 x + 72, x + 90);
	}
}

static void put_head(struct sheet *s)
{
	const char *title = title_of(s->g);
	struct buf *out = s->out;

	buf_clear(&s->text);
	text_escape(&s->text, title, strlen(title));
	buf_addf(out,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
		 "viewBox=\"0 0 %u %u\">\n<title>",
		 s->g->width, s->height, s->g->width, s->height);
	text_xml(out, buf_str(&s->text), s->text.len);
	buf_adds(out, "</title>\n<desc>Flame graph of ");
	put_amount(s, s->whole);
	if (s->omitted) {
		buf_adds(out, "; ");
		put_omitted(s);
	}
	buf_adds(out, "</desc>\n");
	put_style(s);
	buf_adds(out, "<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n");
	put_text(s, "class=\"t\" ", MARGIN * CPX, 28 * CPX, s->room_cpx, TITLE_CPX);
	buf_addc(out, '\n');
}

int flamegraph_draw(const struct flamegraph *g, const struct frame_tree *t, struct buf *out,
		    struct err *err)
{
	struct sheet s = {.g = g, .t = t, .out = out, .whole = t->total};
	struct walk w = WALK_START;
	u64 height;
	bool failed;

	if (g->width < FLAMEGRAPH_WIDTH_MIN || g->width > FLAMEGRAPH_WIDTH_MAX)
		return err_set(err, EINVAL, "the width must be %u to %u px, not %u",
			       FLAMEGRAPH_WIDTH_MIN, FLAMEGRAPH_WIDTH_MAX, g->width);
	s.room_cpx = (g->width - 2 * MARGIN) * (u64)CPX;
	measure(&s);
	height = HEAD + (u64)MAX(s.rows, 3u) * ROW + MARGIN;
	if (height > UINT32_MAX)
		return err_set(err, E2BIG, "stacks of %u frames are too deep to draw", s.rows);
	s.height = (u32)height;
	put_head(&s);
	if (s.whole) {
		put_subtitle(&s);
		while (walk_next(&s, &w))
			put_frame(&s, &w);
	} else {
		buf_addf(out,
			 "<text class=\"s\" x=\"%u\" y=\"%u\">No samples: there is nothing to "
			 "draw.</text>\n",
			 MARGIN, HEAD + 10);
	}
	buf_adds(out, "</svg>\n");
	failed = out->failed || s.text.failed;
	buf_free(&s.text);
	return failed ? err_nomem(err) : 0;
}
