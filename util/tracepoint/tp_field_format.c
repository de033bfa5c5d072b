// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_field_format.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/tracepoint/tp_prog_internal.h"

#define DEPTH_MAX 64

/* One conversion of the format string: its text, and its arguments, the shown one last. */
struct conversion {
	const char *at, *end;
	const char *kind; /* the letter, and what follows %p */
	u32 first, nr;
};

/* The next conversion from c->end on; false: no more. */
static bool next_conversion(const char *end, struct conversion *c)
{
	const char *p = c->end;

	c->first += c->nr;
	c->nr = 1;
	for (;;) {
		p = memchr(p, '%', (size_t)(end - p));
		if (!p)
			return false;
		if (p + 1 < end && p[1] == '%')
			p += 2;
		else
			break;
	}
	c->at = p++;
	for (; p < end && strchr("-+ #0123456789.*hlLqjzZt", *p) && *p; p++)
		c->nr += *p == '*';
	if (p == end)
		return false;
	c->kind = p++;
	while (*c->kind == 'p' && p < end && isalnum((u8)*p))
		p++;
	c->end = p;
	return true;
}

/* Is nothing but this field, and constants, in the expression? */
static bool only(const struct tp_node *n, const struct tp_field *field, unsigned int depth)
{
	if (!n)
		return true;
	if (depth > DEPTH_MAX || (n->field && n->field != field))
		return false;
	return only(n->a, field, depth + 1) && only(n->b, field, depth + 1) &&
	       only(n->c, field, depth + 1);
}

static bool is_of(const struct tp_node *n, const struct tp_field *field)
{
	return n && n->kind == TP_NODE_BYTES && n->field == field;
}

/* An address of code: a number that is the field as it is. */
static bool shows_symbol(const struct conversion *c, const struct tp_node *n,
			 const struct tp_field *field)
{
	return *c->kind == 'p' && c->end - c->kind > 1 && strchr("SsFfB", c->kind[1]) &&
	       n->kind == TP_NODE_FIELD && n->field == field;
}

static bool shows_bytes(const struct conversion *c, const struct tp_node *n,
			const struct tp_field *field)
{
	switch (n->kind) {
	case TP_NODE_BYTES:
		return *c->kind == 'p' && c->end - c->kind > 1 && is_of(n, field);
	case TP_NODE_HEX:
	case TP_NODE_ARRAY:
	case TP_NODE_BITMASK:
	case TP_NODE_BITLIST:
		return *c->kind == 's' && is_of(n->a, field);
	default:
		return false;
	}
}

static enum tp_field_format_as shown_as(const struct tp_parsed *parsed, const struct conversion *c,
					const struct tp_field *field)
{
	const struct tp_node *n;
	u32 i;

	if (c->first + c->nr > parsed->args.nr)
		return TP_SHOWN_PLAIN;
	for (i = c->first; i < c->first + c->nr; i++)
		if (!only(parsed->args.v[i], field, 0))
			return TP_SHOWN_PLAIN;
	n = parsed->args.v[c->first + c->nr - 1];
	if (shows_symbol(c, n, field))
		return TP_SHOWN_SYMBOL;
	return shows_bytes(c, n, field) ? TP_SHOWN_BYTES : TP_SHOWN_PLAIN;
}

/* Leave this conversion alone of the format and of its arguments. */
static void cut_to(struct tp_parsed *parsed, const struct conversion *c)
{
	size_t len = (size_t)(c->end - c->at);

	memmove(parsed->fmt.data, c->at, len);
	parsed->fmt.data[len] = '\0';
	parsed->fmt.len = len;
	memmove(parsed->args.v, parsed->args.v + c->first, c->nr * sizeof(*parsed->args.v));
	parsed->args.nr = c->nr;
}

static struct tp_prog *compile(struct tp_compiler *c, const struct tp_format *f)
{
	c->prog = tp_prog_new(f, c->build.compat, c->err);
	return c->prog ? tp_prog_take(c, tp_prog_emit(c)) : NULL;
}

int tp_field_format_compile(const struct tp_format *f, const struct tp_field *field,
			    const struct tp_opts *opts, struct tp_field_format *shown,
			    struct err *err)
{
	struct arena arena = {0};
	struct err why = {0};
	struct tp_compiler c = {
		.err = &why,
		.long_bits = opts->long_size == 4 ? 32 : 64,
		.build = {.arena = &arena, .compat = opts->compat},
	};
	struct conversion at;
	const char *end;

	*shown = (struct tp_field_format){TP_SHOWN_PLAIN, NULL};
	if (field->is_string || tp_parse(f, opts, &arena, &c.parsed, &why))
		goto out;
	at = (struct conversion){.end = buf_str(&c.parsed.fmt)};
	end = at.end + c.parsed.fmt.len;
	while (shown->as == TP_SHOWN_PLAIN && next_conversion(end, &at))
		shown->as = shown_as(&c.parsed, &at, field);
	if (shown->as != TP_SHOWN_PLAIN) {
		cut_to(&c.parsed, &at);
		shown->prog = compile(&c, f);
	}
	if (!shown->prog)
		shown->as = TP_SHOWN_PLAIN;
	tp_parse_free(&c.parsed);
out:
	arena_free(&arena);
	return why.code == ENOMEM ? err_nomem(err) : 0;
}
