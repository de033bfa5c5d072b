// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_filter_internal.h"

#include <string.h>

#define TEXT_MAX     255 /* bytes of a text, in quotes */
#define FUNCTION_MAX 511 /* of a function */

/* ---- can it? ---- */

static bool takes_text(const struct tp_filter_value *v)
{
	/* char x[] at the end of a record has no size to the kernel */
	return v->what == TP_FILTER_COMM || tp_filter_is_text_pointer(v) ||
	       v->field->loc != TP_LOC_FIXED || v->field->size;
}

static bool quotable(const char *s)
{
	return strlen(s) <= TEXT_MAX && !(strchr(s, '"') && strchr(s, '\''));
}

static bool takes_number(const struct tp_filter_node *n, const struct tp_filter_opts *o)
{
	const struct tp_filter_value *v = &n->left;

	return v->what != TP_FILTER_ELEMENT && !tp_filter_is_text_pointer(v) &&
	       !(v->what == TP_FILTER_TID && o->own_tids);
}

bool tp_filter_kernel_can(const struct tp_filter_node *n, const struct tp_filter_opts *o)
{
	switch (n->kind) {
	case TP_FILTER_ALL:
	case TP_FILTER_ANY:
		return tp_filter_kernel_can(n->a, o) && tp_filter_kernel_can(n->b, o);
	case TP_FILTER_NOT:
		return tp_filter_kernel_can(n->a, o);
	case TP_FILTER_NUMBER:
		return takes_number(n, o);
	case TP_FILTER_TEXT:
		return takes_text(&n->left) && quotable(n->text);
	case TP_FILTER_GLOB:
		return takes_text(&n->left) && n->like && quotable(n->like);
	case TP_FILTER_BYTES:
		return !n->family && !n->at && n->bits == 32 && n->left.field->size == 4;
	case TP_FILTER_CPUS:
		/* one number is never equal to several */
		return !tp_filter_is_number(&n->left) ||
		       (takes_number(n, o) &&
			(n->op == TP_FILTER_BITS || tp_filter_nr_cpus(n) == 1));
	case TP_FILTER_FUNCTION:
		return n->end || (!o->no_functions && strlen(n->text) <= FUNCTION_MAX);
	case TP_FILTER_VALUES:
		break;
	}
	return false;
}

/* ---- its words ---- */

static const char *operator(enum tp_filter_op op)
{
	static const char *const names[TP_FILTER_OPS] = {
		[TP_FILTER_EQ] = "==",  [TP_FILTER_NE] = "!=",  [TP_FILTER_LE] = "<=",
		[TP_FILTER_GE] = ">=",  [TP_FILTER_LT] = "<",   [TP_FILTER_GT] = ">",
		[TP_FILTER_LIKE] = "~", [TP_FILTER_BITS] = "&",
	};

	return names[op] ? names[op] : "~";
}

static void put_number(const struct tp_filter_node *n, u64 number, struct buf *out)
{
	if (n->hex && !((s64)number < 0 && tp_filter_is_signed(&n->left)))
		buf_addf(out, "0x%llx", (unsigned long long)number);
	else if (tp_filter_is_signed(&n->left))
		buf_sdec(out, (s64)number, 0);
	else
		buf_dec(out, number, 0);
}

static void put_text(const struct tp_filter_node *n, const char *op, const char *text,
		     struct buf *out)
{
	char quote = strchr(text, '"') ? '\'' : '"';

	buf_addf(out, "%s%s %s %c%s%c", tp_filter_name(&n->left), n->user ? ".ustring" : "", op,
		 quote, text, quote);
}

/* Bytes as the kernel compares them: a number of this machine. */
static void put_bytes(const struct tp_filter_node *n, struct buf *out)
{
	u32 number;

	memcpy(&number, n->text, sizeof(number));
	buf_addf(out, "%s %s 0x%x", tp_filter_name(&n->left), operator(n->op), number);
}

/* The sets themselves came with Linux 6.7. */
static void put_cpus(const struct tp_filter_node *n, struct buf *out)
{
	const char *name = tp_filter_name(&n->left), *joint = "";
	u32 from, to;

	if (!tp_filter_is_number(&n->left)) {
		buf_addf(out, "%s %s CPUS{%s}", name, operator(n->op), n->cpus);
		return;
	}
	buf_adds(out, n->op == TP_FILTER_NE ? "!(" : "(");
	for (from = 0; from < n->nr_set * 8; from = to + 1) {
		to = from;
		if (!tp_filter_has_cpu(n, from))
			continue;
		while (tp_filter_has_cpu(n, to + 1))
			to++;
		if (from == to)
			buf_addf(out, "%s%s == %u", joint, name, from);
		else
			buf_addf(out, "%s%s >= %u && %s <= %u", joint, name, from, name, to);
		joint = " || ";
	}
	buf_addc(out, ')');
}

static void put_function(const struct tp_filter_node *n, const struct tp_filter_opts *o,
			 struct buf *out)
{
	const char *name = tp_filter_name(&n->left);

	if (!o->no_functions)
		buf_addf(out, "%s.function %s %s ", name, operator(n->op), n->text);
	else
		buf_addf(out, "%s(%s >= 0x%llx && %s < 0x%llx)", n->op == TP_FILTER_NE ? "!" : "",
			 name, (unsigned long long)n->start, name, (unsigned long long)n->end);
}

void tp_filter_kernel_put(const struct tp_filter_node *n, const struct tp_filter_opts *o,
			  bool inner, struct buf *out)
{
	bool any = n->kind == TP_FILTER_ANY;

	switch (n->kind) {
	case TP_FILTER_ALL:
	case TP_FILTER_ANY:
		if (inner && any)
			buf_addc(out, '(');
		tp_filter_kernel_put(n->a, o, !any, out);
		buf_adds(out, any ? " || " : " && ");
		tp_filter_kernel_put(n->b, o, !any, out);
		if (inner && any)
			buf_addc(out, ')');
		break;
	case TP_FILTER_NOT:
		buf_adds(out, "!(");
		tp_filter_kernel_put(n->a, o, false, out);
		buf_addc(out, ')');
		break;
	case TP_FILTER_NUMBER:
		buf_addf(out, "%s %s ", tp_filter_name(&n->left), operator(n->op));
		put_number(n, n->number, out);
		break;
	case TP_FILTER_TEXT:
		put_text(n, operator(n->op), n->text, out);
		break;
	case TP_FILTER_GLOB:
		put_text(n, "~", n->like, out);
		break;
	case TP_FILTER_BYTES:
		put_bytes(n, out);
		break;
	case TP_FILTER_CPUS:
		put_cpus(n, out);
		break;
	case TP_FILTER_FUNCTION:
		put_function(n, o, out);
		break;
	case TP_FILTER_VALUES:
		break;
	}
}
