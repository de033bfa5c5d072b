// SPDX-License-Identifier: GPL-2.0
#include "util/format/text_dialect.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "util/base/text.h"

static const struct text_dialect consumers[] = {
	/* the Perl scripts and inferno both draw flame graphs: what suits the one suits the other */
	{.name = "stackcollapse", .trace_line = true, .offsets = true, .symbol_no_arrow = true},
	{.name = "flamegraph", .trace_line = true, .offsets = true, .symbol_no_arrow = true},
	{.name = "inferno", .trace_line = true, .offsets = true, .symbol_no_arrow = true},
	{.name = "speedscope", .trace_line = true, .offsets = true},
	{.name = "firefox",
	 .trace_line = true,
	 .offsets = true,
	 .comm_blanks = true,
	 .modules_ko = true},
	{.name = "perfetto", .offsets = true},
	{.name = "gprof2dot", .trace_line = true, .offsets = true},
	{.name = "flamescope",
	 .trace_line = true,
	 .comm_no_digits = true,
	 .symbol_no_plus = true,
	 .symbol_no_arrow = true},
	{.name = "bolt", .perf_fields = true},
};

const struct text_dialect *text_dialect_find(const char *name, struct err *err)
{
	struct buf names = {0};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(consumers); i++)
		if (!strcmp(consumers[i].name, name))
			return &consumers[i];
	for (i = 0; i < ARRAY_SIZE(consumers); i++)
		buf_addf(&names, "%s%s", i ? ", " : "", consumers[i].name);
	err_set(err, EINVAL, "--for: nothing is known of '%s'", name);
	err_hint(err, "use one of %s", buf_str(&names));
	buf_free(&names);
	return NULL;
}

/* Bytes of the blank or line end at s that is none of ASCII's; 0 if there is another character. */
static unsigned int wide_blank(const char *s, size_t len)
{
	static const char *const blanks[] = {
		"\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004",
		"\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u2028",
		"\u2029", "\u202f", "\u205f", "\u3000", "\ufeff",
	};
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(blanks); i++) {
		n = strlen(blanks[i]);
		if (n <= len && !memcmp(s, blanks[i], n))
			return (unsigned int)n;
	}
	return 0;
}

static void put_wide(struct buf *out, char c)
{
	/* U+FF01 is '!', U+FF5E is '~' */
	unsigned int code = 0xff00u + (u8)c - 0x20;

	buf_addc(out, (char)(0xe0 | code >> 12));
	buf_addc(out, (char)(0x80 | (code >> 6 & 0x3f)));
	buf_addc(out, (char)(0x80 | (code & 0x3f)));
}

/* The escaped name, in b, with every blank as `blank`. */
static void escape(const char *name, char blank, struct buf *b)
{
	struct buf plain = {0};
	unsigned int n;
	size_t i;

	text_escape(&plain, name, strlen(name));
	for (i = 0; i < plain.len; i += n) {
		n = plain.data[i] == ' ' ? 1 : 0;
		if ((u8)plain.data[i] >= 0xc2)
			n = wide_blank(plain.data + i, plain.len - i);
		if (n)
			buf_addc(b, blank);
		else
			buf_addc(b, plain.data[i]);
		n = n ? n : 1;
	}
	b->failed |= plain.failed;
	buf_free(&plain);
}

void text_dialect_comm(const struct text_dialect *c, const char *comm, struct buf *out)
{
	struct buf b = {0};
	size_t i;

	escape(comm, c->comm_blanks ? ' ' : '_', &b);
	for (i = 0; i < b.len; i++) {
		char ch = b.data[i];

		if (ch == ';')
			ch = ':';
		else if (!i && (ch == '#' || ch == '{' || ch == ' '))
			ch = '_'; /* a comment, JSON, a line without a command */
		if (isdigit((u8)ch) && c->comm_no_digits)
			put_wide(out, ch);
		else
			buf_addc(out, ch);
	}
	if (!b.len)
		buf_adds(out, "[unknown]");
	else if (b.len == 1)
		buf_addc(out, '_'); /* for patterns that want two */
	out->failed |= b.failed;
	buf_free(&b);
}

void text_dialect_event(const char *event, struct buf *out)
{
	struct buf b = {0};
	unsigned int colons = 0;
	size_t i;

	escape(event, '_', &b);
	if (isdigit((u8)buf_str(&b)[0]))
		buf_addc(out, '_'); /* "1:2:" would be a time */
	for (i = 0; i < b.len; i++) {
		char ch = b.data[i];

		/* inferno takes what follows a third colon for a frame */
		if (ch == ':' && colons++)
			ch = '_';
		buf_addc(out, ch);
	}
	if (!b.len)
		buf_addc(out, '_');
	out->failed |= b.failed;
	buf_free(&b);
}

/* "(x)y" becomes "{x}y": what begins with a parenthesis is passed over by most. */
static void brace(struct buf *b)
{
	unsigned int depth = 0;
	size_t i;

	if (!b->len || b->data[0] != '(')
		return;
	for (i = 0; i < b->len; i++) {
		depth += b->data[i] == '(';
		if (b->data[i] == ')' && !--depth) {
			b->data[i] = '}';
			break;
		}
	}
	b->data[0] = '{';
}

static void put_symbol_char(const struct text_dialect *c, const char *s, struct buf *out)
{
	if (*s == '+' && c->symbol_no_plus)
		put_wide(out, '+');
	else if (*s == ';')
		buf_addc(out, ':');
	else
		buf_addc(out, *s);
}

void text_dialect_symbol(const struct text_dialect *c, const char *symbol, struct buf *out)
{
	static const char space[] = "(anonymous namespace)", arrow[] = "operator->";
	struct buf b = {0};
	const char *s;

	escape(symbol, ' ', &b);
	s = buf_str(&b);
	if (strncmp(s, space, strlen(space)) != 0) {
		brace(&b);
		s = buf_str(&b);
	}
	while (*s) {
		if (!strncmp(s, space, strlen(space))) {
			buf_adds(out, "{anonymous}");
			s += strlen(space);
		} else if (c->symbol_no_arrow && !strncmp(s, arrow, strlen(arrow))) {
			buf_adds(out, "operator-");
			put_wide(out, '>');
			s += strlen(arrow);
		} else {
			put_symbol_char(c, s++, out);
		}
	}
	if (!b.len)
		buf_adds(out, "[unknown]");
	out->failed |= b.failed;
	buf_free(&b);
}

void text_dialect_dso(const char *name, struct buf *out)
{
	static const char deleted[] = "_(deleted)";
	struct buf b = {0};
	size_t i, len;

	escape(name, '_', &b);
	len = b.len;
	if (len > strlen(deleted) && !strcmp(b.data + len - strlen(deleted), deleted))
		len -= strlen(deleted);
	for (i = 0; i < len; i++)
		buf_addc(out, b.data[i] == '(' || b.data[i] == ')' ? '_' : b.data[i]);
	if (!len)
		buf_adds(out, "[unknown]");
	out->failed |= b.failed;
	buf_free(&b);
}
