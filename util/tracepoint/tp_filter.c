// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_filter.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "util/base/glob.h"
#include "util/tracepoint/tp_field.h"
#include "util/tracepoint/tp_filter_internal.h"

bool tp_filter_is_text_pointer(const struct tp_filter_value *v)
{
	const struct tp_field *f = v->field;

	return v->what == TP_FILTER_FIELD && !f->is_array && f->loc == TP_LOC_FIXED &&
	       (!strcmp(f->type, "char *") || !strcmp(f->type, "const char *"));
}

u32 tp_filter_size(const struct tp_filter_value *v)
{
	switch (v->what) {
	case TP_FILTER_FIELD:
		return v->field->size;
	case TP_FILTER_ELEMENT:
		return v->field->elem_size;
	default:
		return sizeof(u32);
	}
}

bool tp_filter_is_number(const struct tp_filter_value *v)
{
	u32 size = tp_filter_size(v);

	if (v->what == TP_FILTER_COMM || tp_filter_is_text(v) ||
	    (v->what == TP_FILTER_FIELD && v->field->loc != TP_LOC_FIXED))
		return false;
	return size == 1 || size == 2 || size == 4 || size == 8;
}

bool tp_filter_is_signed(const struct tp_filter_value *v)
{
	return v->what == TP_FILTER_TID || (v->field && v->field->is_signed);
}

const char *tp_filter_name(const struct tp_filter_value *v)
{
	switch (v->what) {
	case TP_FILTER_CPU:
		return "cpu";
	case TP_FILTER_COMM:
		return "comm";
	default:
		return v->field->name;
	}
}

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
		b = tp_filter_has_cpu(n, cpu);
		any |= a && b;
		same &= a == b;
	}
	return verdict(n->op == TP_FILTER_BITS ? any : same == (n->op == TP_FILTER_EQ));
}

static enum tp_filter_verdict run_cpus(const struct tp_filter_node *n,
				       const struct tp_filter_sample *s)
{
	bool in, alone;
	u64 v;

	if (!tp_filter_is_number(&n->left))
		return run_mask(n, s);
	if (!number(&n->left, s, &v))
		return TP_FILTER_UNKNOWN;
	in = tp_filter_has_cpu(n, v);
	alone = in && tp_filter_nr_cpus(n) == 1;
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

/* Unknown rests on what the sample lacks: it stays so whatever it is joined to that does not decide. */
static enum tp_filter_verdict tp_filter_run(const struct tp_filter_node *n,
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

/* Can it be run where samples come without the name of their task? NULL, or the node that cannot. */
static const struct tp_filter_node *tp_filter_run_lacks(const struct tp_filter_node *n,
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

/* The two halves of a filter while they grow. */
struct halves {
	struct tp_filter_parser *p;
	const struct tp_filter_opts *opts;
	struct buf kernel, here;
	const struct tp_filter_node *rest;
};

static void run_here(struct halves *h, const struct tp_filter_node *n)
{
	struct tp_filter_node *both;

	buf_addf(&h->here, "%s%.*s", h->here.len ? " && " : "",
		 (int)MIN(n->typed_len, (size_t)INT32_MAX), n->typed);
	if (!h->rest) {
		h->rest = n;
		return;
	}
	both = tp_filter_parse_node(h->p, TP_FILTER_ALL);
	if (!both)
		return;
	both->a = h->rest;
	both->b = n;
	h->rest = both;
}

static void to_kernel(struct halves *h, const struct tp_filter_node *n)
{
	size_t before = h->kernel.len;

	if (before)
		buf_adds(&h->kernel, " && ");
	tp_filter_kernel_put(n, h->opts, true, &h->kernel);
	if (h->kernel.failed || h->kernel.len <= TP_FILTER_KERNEL_MAX)
		return;
	h->kernel.len = before;
	h->kernel.data[before] = '\0';
	run_here(h, n);
}

/* Each of what must hold goes to the one or to the other, whole. */
static void split(struct halves *h, const struct tp_filter_node *n)
{
	if (n->kind == TP_FILTER_ALL) {
		split(h, n->a);
		split(h, n->b);
	} else if (!h->opts->here_only && tp_filter_kernel_can(n, h->opts)) {
		to_kernel(h, n);
	} else {
		run_here(h, n);
	}
}

/* What has to be run here has to be something that can be. */
static void check_rest(struct halves *h)
{
	const struct tp_filter_node *lacks = h->rest ? tp_filter_run_lacks(h->rest, h->opts) : NULL;
	const char *name = lacks ? tp_filter_name(&lacks->left) : NULL;

	if (!lacks)
		return;
	if (tp_filter_is_text_pointer(&lacks->left))
		tp_filter_parse_error(h->p, lacks->typed,
				      "'%s' is a pointer: samples do not have what it points to",
				      name);
	else if (lacks->kind == TP_FILTER_FUNCTION)
		tp_filter_parse_error(h->p, lacks->typed, "where that function is is not known");
	else
		tp_filter_parse_error(h->p, lacks->typed,
				      "samples do not have the name of their task");
	if (!h->opts->here_only)
		tp_filter_parse_hint(h->p, "the kernel can test it, but not all that || joins it "
					   "to: join them with &&");
}

static const char *keep(struct halves *h, const struct buf *b)
{
	const char *s = NULL;

	if (b->failed || (b->len && !(s = arena_strndup(h->p->arena, b->data, b->len))))
		tp_filter_parse_nomem(h->p);
	return s;
}

struct tp_filter *tp_filter_parse(const struct tp_format *f, const char *text,
				  const struct tp_filter_opts *opts, struct err *err)
{
	struct tp_filter_opts o = *opts;
	struct arena arena = {0};
	struct tp_filter_parser p = {
		.f = f, .opts = &o, .arena = &arena, .text = text, .p = text, .err = err};
	struct halves h = {.p = &p, .opts = &o};
	const struct tp_filter_node *all;
	struct tp_filter *filter;

	if (!o.print.long_size)
		o.print.long_size = sizeof(u64);
	filter = arena_alloc(&arena, sizeof(*filter));
	if (!filter) {
		err_nomem(err);
		return NULL;
	}
	all = tp_filter_parse_all(&p);
	if (all)
		split(&h, all);
	if (!p.failed)
		check_rest(&h);
	if (!p.failed) {
		filter->kernel = keep(&h, &h.kernel);
		filter->here = keep(&h, &h.here);
		filter->rest = h.rest;
	}
	buf_free(&h.kernel);
	buf_free(&h.here);
	if (p.failed) {
		arena_free(&arena);
		return NULL;
	}
	filter->arena = arena;
	return filter;
}

void tp_filter_free(struct tp_filter *f)
{
	struct arena arena;

	if (!f)
		return;
	/* The filter lies in its own arena. */
	arena = f->arena;
	arena_free(&arena);
}

const char *tp_filter_join(struct arena *arena, const char *a, const char *op, const char *b)
{
	return a ? arena_printf(arena, "(%s) %s (%s)", a, op, b) : arena_strdup(arena, b);
}

bool tp_filter_pass(const struct tp_filter *f, const struct tp_filter_sample *s)
{
	return !f->rest || tp_filter_run(f->rest, s) == TP_FILTER_YES;
}

struct tests {
	struct tp_filter_test *v; /* what comes next is before, until all are turned round */
	u32 nr, room;
};

/*
 * The number of the one that begins; ID_NONE: it is none. What is not known is in the end not let through, so it goes on as
 * what does not hold; behind an odd number of !, as what does.
 */
static u32 add_tests(struct tests *t, const struct tp_filter_node *n, u32 yes, u32 no, bool lacking)
{
	static const enum tp_filter_test_op ops[TP_FILTER_OPS] = {
		[TP_FILTER_EQ] = TP_FILTER_TEST_EQ,     [TP_FILTER_NE] = TP_FILTER_TEST_NE,
		[TP_FILTER_LE] = TP_FILTER_TEST_LE,     [TP_FILTER_GE] = TP_FILTER_TEST_GE,
		[TP_FILTER_LT] = TP_FILTER_TEST_LT,     [TP_FILTER_GT] = TP_FILTER_TEST_GT,
		[TP_FILTER_BITS] = TP_FILTER_TEST_BITS,
	};

	u32 second;

	if (n->kind == TP_FILTER_NOT)
		return add_tests(t, n->a, no, yes, !lacking);
	if (n->kind == TP_FILTER_ALL || n->kind == TP_FILTER_ANY) {
		second = add_tests(t, n->b, yes, no, lacking);
		if (second == ID_NONE)
			return ID_NONE;
		return n->kind == TP_FILTER_ALL ? add_tests(t, n->a, second, no, lacking)
						: add_tests(t, n->a, yes, second, lacking);
	}
	if (n->kind != TP_FILTER_NUMBER || n->left.what != TP_FILTER_FIELD || t->nr == t->room)
		return ID_NONE;
	t->v[t->nr] =
		(struct tp_filter_test){n->left.field, ops[n->op], n->number, yes, no, lacking};
	return t->nr++;
}

static u32 turned(const struct tests *t, u32 number)
{
	return number < t->nr ? t->nr - 1 - number : number;
}

u32 tp_filter_tests(const struct tp_filter *f, struct tp_filter_test *tests, u32 room)
{
	struct tests t = {.v = tests, .room = room};
	struct tp_filter_test test;
	u32 i;

	if (f->rest &&
	    add_tests(&t, f->rest, TP_FILTER_TEST_PASS, TP_FILTER_TEST_FAIL, false) == ID_NONE)
		return ID_NONE;
	for (i = 0; i < t.nr; i++) {
		t.v[i].yes = turned(&t, t.v[i].yes);
		t.v[i].no = turned(&t, t.v[i].no);
	}
	for (i = 0; i < t.nr / 2; i++) {
		test = t.v[i];
		t.v[i] = t.v[t.nr - 1 - i];
		t.v[t.nr - 1 - i] = test;
	}
	return t.nr;
}
