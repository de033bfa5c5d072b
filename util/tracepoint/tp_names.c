// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_names.h"

#include <errno.h>
#include <stdlib.h>

#include "util/tracepoint/tp_emit.h"
#include "util/tracepoint/tp_op.h"

struct search {
	const struct tp_field *field;
	bool lists;  /* a list of names */
	bool others; /* something else than the field */
	unsigned int depth;
};

#define DEPTH_MAX 64

static void look(struct search *s, const struct tp_node *n)
{
	if (!n || s->others)
		return;
	if (++s->depth > DEPTH_MAX) {
		s->others = true;
		return;
	}
	switch (n->kind) {
	case TP_NODE_CONST:
	case TP_NODE_STRING:
		break;
	case TP_NODE_FIELD:
		s->others = n->field != s->field;
		break;
	case TP_NODE_FLAGS:
	case TP_NODE_SYMBOLIC:
		s->lists = true;
		look(s, n->a);
		break;
	case TP_NODE_ALU1:
	case TP_NODE_ALU2:
	case TP_NODE_COND:
		look(s, n->a);
		look(s, n->b);
		look(s, n->c);
		break;
	default:
		s->others = true;
	}
	s->depth--;
}

static bool names_field(const struct tp_node *n, const struct tp_field *field)
{
	struct search s = {.field = field};

	look(&s, n);
	return s.lists && !s.others;
}

static const struct tp_node *find_argument(const struct tp_parsed *p, const struct tp_field *field)
{
	u32 i;

	for (i = 0; i < p->args.nr; i++)
		if (names_field(p->args.v[i], field))
			return p->args.v[i];
	return NULL;
}

int tp_names_compile(const struct tp_format *f, const struct tp_field *field,
		     const struct tp_opts *opts, struct tp_prog **prog, struct err *err)
{
	const struct tp_spec plain = {.conv = 's'};
	const struct tp_node *n = NULL;
	struct arena arena = {0};
	struct err why = {0};
	struct tp_compiler c = {
		.err = &why,
		.long_bits = opts->long_size == 4 ? 32 : 64,
		.build = {.arena = &arena, .compat = opts->compat},
	};
	bool ok;

	*prog = NULL;
	if (tp_parse(f, opts, &arena, &c.parsed, &why))
		goto out;
	n = find_argument(&c.parsed, field);
	if (!n)
		goto out_parsed;
	c.prog = calloc(1, sizeof(*c.prog));
	if (!c.prog) {
		err_nomem(&why);
		goto out_parsed;
	}
	c.prog->format = f;
	c.prog->compat = opts->compat;
	buf_add(&c.prog->text, "", 0); /* never a null pointer */
	ok = tp_emit_text(&c, n, &plain) && tp_emit_flush(&c) && tp_emit(&c, TP_OP_END);
	if (c.prog->text.failed || (!ok && !why.code))
		err_nomem(&why);
	if (ok && !why.code)
		*prog = c.prog;
	else
		tp_prog_free(c.prog);
out_parsed:
	tp_parse_free(&c.parsed);
out:
	arena_free(&arena);
	return why.code == ENOMEM ? err_nomem(err) : 0;
}
