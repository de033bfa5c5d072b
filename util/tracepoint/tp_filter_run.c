// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_filter_internal.h"

#include <ctype.h>
#include <string.h>

#include "util/base/glob.h"
#include "util/tracepoint/tp_field.h"

static enum tp_filter_verdict verdict(bool yes)
{
	return yes ? TP_FILTER_YES : TP_FILTER_NO;
}

/* ---- numbers ---- */

/* Numbers that are declared as arrays, which tp_field_int() does not read. */
static bool array_number(const struct tp_field *f, const struct tp_filter_sample *s, u64 *v)
{
	struct tp_field scalar = *f;

	scalar.is_array = false;
	return tp_field_int(&scalar, s->raw, s->len, v);
}

static bool number(const struct tp_filter_value *v, const struct tp_filter_sample *s, u64 *n)
{
	switch (v->what) {
	case TP_FILTER_FIELD:
		return v->field->is_array ? array_number(v->field, s, n)
					  : tp_field_int(v->field, s->raw, s->len, n);
	case TP_FILTER_ELEMENT:
		return tp_field_elem(v->field, s->raw, s->len, v->index, n);
	case TP_FILTER_CPU:
		*n = s->cpu;
		return s->cpu != ID_NONE;
	case TP_FILTER_TID:
		*n = (u64)(s64)s->tid;
		return s->tid != -1 || tp_field_int(v->field, s->raw, s->len, n);
	case TP_FILTER_COMM:
		break;
	}
	return false;
}

/* <0, 0, >0 of two numbers with or without sign. */
static int order(u64 a, bool a_signed, u64 b, bool b_signed)
{
	bool a_below = a_signed && (s64)a < 0, b_below = b_signed && (s64)b < 0;

	if (a_below != b_below)
		return a_below ? -1 : 1;
	return a < b ? -1 : a > b;
}

static bool holds(enum tp_filter_op op, int o)
{
	switch (op) {
	case TP_FILTER_EQ:
		return o == 0;
	case TP_FILTER_NE:
		return o != 0;
	case TP_FILTER_LE:
		return o <= 0;
	case TP_FILTER_GE:
		return o >= 0;
	case TP_FILTER_LT:
		return o < 0;
	case TP_FILTER_GT:
		return o > 0;
	default:
		return false;
	}
}

static enum tp_filter_verdict run_number(const struct tp_filter_node *n,
					 const struct tp_filter_sample *s)
{
	bool is_signed = tp_filter_is_signed(&n->left);
	u64 v;

	if (!number(&n->left, s, &v))
		return TP_FILTER_UNKNOWN;
	if (n->op == TP_FILTER_BITS)
		return verdict(v & n->number);
	return verdict(holds(n->op, order(v, is_signed, n->number, is_signed)));
}

/* ---- text ---- */

static bool text(const struct tp_filter_value *v, const struct tp_filter_sample *s, const char **t,
		 size_t *len)
{
	if (v->what != TP_FILTER_COMM)
		return tp_field_string(v->field, s->raw, s->len, t, len);
	*t = s->comm;
	*len = s->comm ? strlen(s->comm) : 0;
	return s->comm;
}

static enum tp_filter_verdict run_text(const struct tp_filter_node *n,
				       const struct tp_filter_sample *s)
{
	const char *t;
	size_t len;

	if (!text(&n->left, s, &t, &len))
		return TP_FILTER_UNKNOWN;
	if (n->kind == TP_FILTER_GLOB)
		return verdict(glob_match_n(n->text, t, len));
	return verdict((len == n->len && !memcmp(t, n->text, len)) == (n->op == TP_FILTER_EQ));
}

static enum tp_filter_verdict run_values(const struct tp_filter_node *n,
					 const struct tp_filter_sample *s)
{
	size_t a_len, b_len;
	const char *a, *b;
	u64 x, y;

	if (tp_filter_is_text(&n->left)) {
		if (!text(&n->left, s, &a, &a_len) || !text(&n->right, s, &b, &b_len))
			return TP_FILTER_UNKNOWN;
		return verdict((a_len == b_len && !memcmp(a, b, a_len)) == (n->op == TP_FILTER_EQ));
	}
	if (!number(&n->left, s, &x) || !number(&n->right, s, &y))
		return TP_FILTER_UNKNOWN;
	if (n->op == TP_FILTER_BITS)
		return verdict(x & y);
	return verdict(holds(
		n->op, order(x, tp_filter_is_signed(&n->left), y, tp_filter_is_signed(&n->right))));
}

/* ---- bytes ---- */

static bool same_bits(const u8 *a, const u8 *b, u32 bits)
{
	u32 whole = bits / 8, rest = bits % 8;

	return !memcmp(a, b, whole) && (!rest || !((a[whole] ^ b[whole]) >> (8 - rest)));
}

static enum tp_filter_verdict run_bytes(const struct tp_filter_node *n,
					const struct tp_filter_sample *s)
{
	const void *p;
	size_t len;
	u16 family;
	bool same;

	if (!tp_field_bytes(n->left.field, s->raw, s->len, &p, &len) ||
	    len < n->at + (n->bits + 7) / 8 || (n->family && len < sizeof(family)))
		return TP_FILTER_UNKNOWN;
	same = same_bits((const u8 *)p + n->at, (const u8 *)n->text, n->bits);
	if (n->family) {
		memcpy(&family, p, sizeof(family));
		same = same && family == n->family;
	}
	return verdict(same == (n->op == TP_FILTER_EQ));
}

/* ---- CPUs ---- */

static bool cpu_of_mask(const u8 *mask, size_t len, u32 cpu)
{
	unsigned long word;
	size_t at = cpu / (8 * sizeof(word)) * sizeof(word);

	if (at + sizeof(word) > len)
		return false;
	memcpy(&word, mask + at, sizeof(word));
	return word >> cpu % (8 * sizeof(word)) & 1;
}

static bool cpu_of_set(const struct tp_filter_node *n, u64 cpu)
{
	return cpu / 8 < n->nr_set && n->set[cpu / 8] >> cpu % 8 & 1;
}

static enum tp_filter_verdict run_mask(const struct tp_filter_node *n,
				       const struct tp_filter_sample *s)
{
	bool any = false, same = true, a, b;
	const void *mask;
	size_t len;
	u32 cpu;

	if (!tp_field_bytes(n->left.field, s->raw, s->len, &mask, &len))
		return TP_FILTER_UNKNOWN;
	for (cpu = 0; cpu < MAX(len, (size_t)n->nr_set) * 8; cpu++) {
		a = cpu_of_mask(mask, len, cpu);
		b = cpu_of_set(n, cpu);
		any |= a && b;
		same &= a == b;
	}
	return verdict(n->op == TP_FILTER_BITS ? any : same == (n->op == TP_FILTER_EQ));
}

static enum tp_filter_verdict run_cpus(const struct tp_filter_node *n,
				       const struct tp_filter_sample *s)
{
	bool in, alone;
	u32 i, nr = 0;
	u64 v;

	if (!tp_filter_is_number(&n->left))
		return run_mask(n, s);
	if (!number(&n->left, s, &v))
		return TP_FILTER_UNKNOWN;
	for (i = 0; i < n->nr_set; i++)
		nr += (u32)__builtin_popcount(n->set[i]);
	in = cpu_of_set(n, v);
	alone = in && nr == 1;
	if (n->op == TP_FILTER_BITS)
		return verdict(in);
	return verdict(alone == (n->op == TP_FILTER_EQ));
}

/* ---- functions ---- */

static enum tp_filter_verdict run_function(const struct tp_filter_node *n,
					   const struct tp_filter_sample *s)
{
	struct buf name = {0};
	bool same;
	u64 v;

	if (!number(&n->left, s, &v))
		return TP_FILTER_UNKNOWN;
	if (n->end)
		return verdict((v >= n->start && v < n->end) == (n->op == TP_FILTER_EQ));
	if (!s->symbol || !s->symbol(s->arg, v, false, &name)) {
		buf_free(&name);
		return TP_FILTER_UNKNOWN;
	}
	same = !strcmp(buf_str(&name), n->text);
	buf_free(&name);
	return verdict(same == (n->op == TP_FILTER_EQ));
}

/* ---- the tree ---- */

enum tp_filter_verdict tp_filter_run(const struct tp_filter_node *n,
				     const struct tp_filter_sample *s)
{
	enum tp_filter_verdict a, b, decides;

	switch (n->kind) {
	case TP_FILTER_ALL:
	case TP_FILTER_ANY:
		decides = n->kind == TP_FILTER_ANY ? TP_FILTER_YES : TP_FILTER_NO;
		a = tp_filter_run(n->a, s);
		if (a == decides)
			return a;
		b = tp_filter_run(n->b, s);
		return b == decides || a != TP_FILTER_UNKNOWN ? b : a;
	case TP_FILTER_NOT:
		a = tp_filter_run(n->a, s);
		return a == TP_FILTER_UNKNOWN ? a : verdict(a == TP_FILTER_NO);
	case TP_FILTER_NUMBER:
		return run_number(n, s);
	case TP_FILTER_TEXT:
	case TP_FILTER_GLOB:
		return run_text(n, s);
	case TP_FILTER_BYTES:
		return run_bytes(n, s);
	case TP_FILTER_CPUS:
		return run_cpus(n, s);
	case TP_FILTER_FUNCTION:
		return run_function(n, s);
	case TP_FILTER_VALUES:
		return run_values(n, s);
	}
	return TP_FILTER_UNKNOWN;
}

const struct tp_filter_node *tp_filter_run_lacks(const struct tp_filter_node *n,
						 const struct tp_filter_opts *o)
{
	const struct tp_filter_node *lacks = NULL;

	switch (n->kind) {
	case TP_FILTER_ALL:
	case TP_FILTER_ANY:
	case TP_FILTER_NOT:
		lacks = tp_filter_run_lacks(n->a, o);
		return lacks || n->kind == TP_FILTER_NOT ? lacks : tp_filter_run_lacks(n->b, o);
	case TP_FILTER_TEXT:
	case TP_FILTER_GLOB:
		if (tp_filter_is_text_pointer(&n->left))
			return n;
		break;
	case TP_FILTER_FUNCTION:
		return n->end || (o->here_only && !isdigit((u8)*n->text)) ? NULL : n;
	default:
		break;
	}
	if (n->left.what == TP_FILTER_COMM ||
	    (n->kind == TP_FILTER_VALUES && n->right.what == TP_FILTER_COMM))
		return o->comm_known ? NULL : n;
	return NULL;
}
