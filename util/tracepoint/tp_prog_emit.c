// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_prog_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OPS_MAX   (1u << 16)
#define TEXT_MAX  (4 * TP_FORMAT_MAX)
#define NAMES_MAX (TP_FORMAT_MAX / 4)

bool tp_emit_fail(struct tp_compiler *c, const char *what)
{
	if (!c->err->code)
		err_set(c->err, EINVAL, "print fmt of event \"%s\", conversion at byte %zu: %s",
			c->prog->format->name, c->at, what);
	return false;
}

/* A variable of a statement expression may be a text or a list, which is copied wherever it is used. */
static bool check_texts(struct tp_compiler *c)
{
	if (c->prog->text.len > TEXT_MAX || c->prog->names.nr > NAMES_MAX)
		return tp_emit_fail(c, "texts that are too long");
	return true;
}

/* Append a constant string as %s with this width and precision prints it. */
static void add_table_text(struct buf *text, const char *s, size_t len, const struct tp_spec *spec)
{
	size_t start = text->len;

	buf_add(text, s, len);
	tp_printk_pad(text, spec, start);
}

/*
 * The value to compare with; false if the name has none. perf takes a name that it cannot
 * translate for -1, inside a larger expression for 0, and every value past INT64_MAX for -1, too.
 */
static bool pair_value(const struct tp_prog *p, const struct tp_pair *pair, u64 *v)
{
	const struct tp_node *n = pair->value;

	*v = n->value;
	if (!p->compat)
		return !n->unresolved;
	if (n->bare || (s64)*v < 0)
		*v = UINT64_MAX;
	return true;
}

static bool add_names(struct tp_compiler *c, const struct tp_pair *pair, const struct tp_spec *each)
{
	struct tp_prog *p = c->prog;
	struct tp_name *name;
	u64 v;

	for (; pair; pair = pair->next) {
		if (!pair_value(p, pair, &v))
			continue;
		if (!check_texts(c))
			return false;
		name = vec_push(&p->names);
		if (!name)
			return err_nomem(c->err) == 0;
		name->value = v;
		name->text = (u32)p->text.len;
		add_table_text(&p->text, pair->str, pair->len, each);
		name->len = (u32)p->text.len - name->text;
	}
	return true;
}

/* By value; of equal values the first of the list, whose text comes first, wins. */
static int compare(const void *a, const void *b)
{
	const struct tp_name *l = a, *r = b;

	if (l->value != r->value)
		return l->value < r->value ? -1 : 1;
	return l->text < r->text ? -1 : l->text > r->text;
}

static void sort_names(struct tp_prog *p, struct tp_table *t)
{
	struct tp_name *names = p->names.v + t->first;
	u32 i, nr = 0;

	qsort(names, t->nr, sizeof(*names), compare);
	for (i = 0; i < t->nr; i++)
		if (!nr || names[nr - 1].value != names[i].value)
			names[nr++] = names[i];
	p->names.nr -= t->nr - nr;
	t->nr = nr;
}

/* A direct index where it is not much larger than the list. */
static bool index_names(struct tp_prog *p, struct tp_table *t)
{
	const struct tp_name *names = p->names.v + t->first;
	u64 range = t->nr ? names[t->nr - 1].value - names[0].value : UINT64_MAX;
	u32 i, *slot;

	if (range > 4 * (u64)t->nr + 16)
		return true;
	t->base = names[0].value;
	t->index = p->index.nr;
	t->index_nr = (u32)range + 1;
	for (i = 0; i < t->index_nr; i++) {
		slot = vec_push(&p->index);
		if (!slot)
			return false;
	}
	for (i = 0; i < t->nr; i++)
		p->index.v[t->index + (names[i].value - t->base)] = i + 1;
	return true;
}

/* Add the list of a FLAGS or SYMBOLIC node, each name printed by `each`. */
static bool add_table(struct tp_compiler *c, const struct tp_node *n, const struct tp_spec *each,
		      u32 *table)
{
	struct tp_prog *p = c->prog;
	struct tp_table t = {.first = p->names.nr, .delim = (u32)p->text.len};
	struct tp_table *slot;

	if (n->kind == TP_NODE_FLAGS) {
		buf_add(&p->text, n->str, n->len);
		t.delim_len = (u32)n->len;
	}
	if (!add_names(c, n->list, each) || !check_texts(c))
		return false;
	t.nr = p->names.nr - t.first;
	if (n->kind == TP_NODE_SYMBOLIC && t.nr) {
		sort_names(p, &t);
		if (!index_names(p, &t))
			return err_nomem(c->err) == 0;
	}
	slot = vec_push(&p->tables);
	if (!slot)
		return err_nomem(c->err) == 0;
	*slot = t;
	*table = p->tables.nr - 1;
	return true;
}

struct tp_op *tp_emit(struct tp_compiler *c, enum tp_opcode code)
{
	struct tp_op *op;

	if (c->prog->ops.nr >= OPS_MAX) {
		tp_emit_fail(c, "an expression that is too large");
		return NULL;
	}
	op = vec_push(&c->prog->ops);
	if (op)
		op->code = (u8)code;
	else
		err_nomem(c->err);
	return op;
}

/* Account for one more word on the stack. */
struct tp_op *tp_emit_push(struct tp_compiler *c, enum tp_opcode code)
{
	if (++c->stack > TP_STACK_MAX) {
		tp_emit_fail(c, "an expression that needs too many steps");
		return NULL;
	}
	return tp_emit(c, code);
}

/* An output operation, after which the conversion's operands are gone. */
struct tp_op *tp_emit_out(struct tp_compiler *c, enum tp_opcode code, unsigned int pops,
			  const struct tp_spec *s)
{
	struct tp_op *op = tp_emit(c, code);

	c->stack -= pops;
	if (op && s) {
		op->spec = *s;
		c->stack -= !!(s->flags & TP_SPEC_STAR_WIDTH) + !!(s->flags & TP_SPEC_STAR_PREC);
	}
	return op;
}

/* Turn the literal text collected since the last op into an op of its own. */
bool tp_emit_flush(struct tp_compiler *c)
{
	size_t from = c->text_from, len = c->prog->text.len - from;
	struct tp_op *op;

	c->text_from += len;
	if (!len)
		return true;
	if (!check_texts(c))
		return false;
	op = tp_emit(c, TP_OP_TEXT);
	if (op) {
		op->c = (u32)from;
		op->v = len;
	}
	return op != NULL;
}

/* Text that is not in the line, such as the names of a list. */
static u32 keep_text(struct tp_compiler *c, const char *s, size_t len)
{
	size_t at = c->prog->text.len;

	buf_add(&c->prog->text, s, len);
	c->text_from = c->prog->text.len;
	return (u32)at;
}

bool tp_emit_span(struct tp_compiler *c, const struct tp_node *n)
{
	const struct tp_field *f = n->field;
	struct tp_op *op;

	if (n->kind != TP_NODE_BYTES && n->kind != TP_NODE_FIELD)
		return tp_emit_fail(c, "an argument that is no field");
	op = tp_emit_push(c, f->loc == TP_LOC_FIXED ? TP_OP_SPAN : TP_OP_LOC);
	if (!op)
		return false;
	op->c = f->offset;
	if (f->loc == TP_LOC_FIXED)
		op->v = f->size;
	else
		op->b = f->loc == TP_LOC_REL;
	return true;
}

bool tp_emit_const(struct tp_compiler *c, u64 v)
{
	struct tp_op *op = tp_emit_push(c, TP_OP_CONST);

	if (op)
		op->v = v;
	return op != NULL;
}

static bool emit_load(struct tp_compiler *c, u32 offset, u32 size, bool is_signed)
{
	struct tp_op *op = tp_emit_push(c, TP_OP_LOAD);

	if (!op)
		return false;
	op->a = (u8)size;
	op->b = is_signed;
	op->c = offset;
	return true;
}

/* array[index]; one with a constant index inside a fixed array is a plain field. */
static bool emit_index(struct tp_compiler *c, const struct tp_node *n)
{
	const struct tp_field *f = n->a->field;
	u32 size = n->a->type.bits / 8;
	bool is_signed = n->a->type.is_signed;
	struct tp_op *op;

	if (f->loc == TP_LOC_FIXED && n->b->kind == TP_NODE_CONST && n->b->value < f->size / size)
		return emit_load(c, f->offset + (u32)n->b->value * size, size, is_signed);
	if (!tp_emit_span(c, n->a) || !tp_emit_num(c, n->b))
		return false;
	op = tp_emit(c, TP_OP_INDEX);
	if (!op)
		return false;
	c->stack--;
	op->a = (u8)size;
	op->b = is_signed;
	return true;
}

static bool emit_alu(struct tp_compiler *c, const struct tp_node *n)
{
	bool two = n->kind == TP_NODE_ALU2;
	struct tp_op *op;

	if (!tp_emit_num(c, n->a) || (two && !tp_emit_num(c, n->b)))
		return false;
	op = tp_emit(c, two ? TP_OP_ALU2 : TP_OP_ALU1);
	if (!op)
		return false;
	op->a = (u8)n->op;
	c->stack -= two;
	return true;
}

static bool emit_num_kind(struct tp_compiler *c, const struct tp_node *n)
{
	const struct tp_field *f = n->field;
	struct tp_op *op;

	switch (n->kind) {
	case TP_NODE_CONST:
		return tp_emit_const(c, n->value);
	case TP_NODE_FIELD:
		return emit_load(c, f->offset, f->size, f->is_signed && !c->prog->compat);
	case TP_NODE_LEN:
		if (f->loc == TP_LOC_FIXED)
			return tp_emit_const(c, f->size);
		op = tp_emit_push(c, TP_OP_LEN);
		if (op)
			op->c = f->offset;
		return op != NULL;
	case TP_NODE_INDEX:
		return emit_index(c, n);
	case TP_NODE_ALU1:
	case TP_NODE_ALU2:
		return emit_alu(c, n);
	case TP_NODE_COND:
		/* Nothing here has effects or can fail: both branches are computed. */
		if (!tp_emit_num(c, n->a) || !tp_emit_num(c, n->b) || !tp_emit_num(c, n->c) ||
		    !tp_emit(c, TP_OP_SELECT))
			return false;
		c->stack -= 2;
		return true;
	default:
		return tp_emit_fail(c, "a text or an array where a number is needed");
	}
}

bool tp_emit_num(struct tp_compiler *c, const struct tp_node *n)
{
	bool ok;

	if (++c->depth > TP_DEPTH_MAX)
		return tp_emit_fail(c, "an expression that is too deep");
	ok = emit_num_kind(c, n);
	c->depth--;
	return ok;
}

bool tp_emit_is_plain(const struct tp_spec *s)
{
	return !s->width && !(s->flags & (TP_SPEC_PREC | TP_SPEC_STAR_WIDTH));
}

static bool has_star(const struct tp_spec *s)
{
	return s->flags & (TP_SPEC_STAR_WIDTH | TP_SPEC_STAR_PREC);
}

/* The conversion prints nothing, but its width must leave the stack. */
void tp_emit_nothing(struct tp_compiler *c, const struct tp_spec *s)
{
	if (s->flags & TP_SPEC_STAR_WIDTH)
		tp_emit_out(c, TP_OP_DROP, 1, NULL);
	if (s->flags & TP_SPEC_STAR_PREC)
		tp_emit_out(c, TP_OP_DROP, 1, NULL);
}

static bool emit_literal(struct tp_compiler *c, const struct tp_node *n, const struct tp_spec *s)
{
	if (has_star(s)) {
		if (!tp_emit_push(c, TP_OP_MARK))
			return false;
		buf_add(&c->prog->text, n->str, n->len);
		return tp_emit_flush(c) && tp_emit_out(c, TP_OP_PAD, 1, s);
	}
	add_table_text(&c->prog->text, n->str, n->len, s);
	return tp_emit_flush(c);
}

static bool emit_list(struct tp_compiler *c, const struct tp_node *n, const struct tp_spec *s)
{
	bool symbolic = n->kind == TP_NODE_SYMBOLIC;
	/* perf pads each name of a list, not what became of the list. */
	const struct tp_spec none = {.conv = 's'},
			     *each = c->prog->compat && !has_star(s) ? s : &none;
	struct tp_op *op;
	u32 table = 0;

	if (!tp_emit_num(c, n->a))
		return false;
	if (!add_table(c, n, each, &table))
		return false;
	c->text_from = c->prog->text.len;
	op = tp_emit_out(c, symbolic ? TP_OP_SYMBOLIC : TP_OP_FLAGS, 1, NULL);
	if (op)
		op->c = table;
	return op != NULL;
}

static bool emit_dump(struct tp_compiler *c, const struct tp_node *n)
{
	struct tp_dump *d = vec_push(&c->prog->dumps);
	struct tp_op *op;

	if (!d)
		return err_nomem(c->err) == 0;
	*d = (struct tp_dump){
		.prefix = keep_text(c, n->dump->prefix, n->dump->prefix_len),
		.prefix_len = (u32)n->dump->prefix_len,
		.prefix_type = n->dump->prefix_type,
		.rowsize = n->dump->rowsize,
		.groupsize = n->dump->groupsize,
		.ascii = n->dump->ascii,
	};
	if (!check_texts(c) || !tp_emit_span(c, n->a) || !tp_emit_num(c, n->b))
		return false;
	op = tp_emit_out(c, TP_OP_HEXDUMP, 2, NULL);
	if (op)
		op->c = c->prog->dumps.nr - 1;
	return op != NULL;
}

/* A text that a helper makes. */
static bool emit_made_text(struct tp_compiler *c, const struct tp_node *n, const struct tp_spec *s)
{
	const struct tp_spec none = {.conv = 's'};
	struct tp_op *op;

	switch (n->kind) {
	case TP_NODE_FLAGS:
	case TP_NODE_SYMBOLIC:
		return emit_list(c, n, s);
	case TP_NODE_HEX:
		if (!tp_emit_span(c, n->a) || !tp_emit_num(c, n->b))
			return false;
		op = tp_emit_out(c, TP_OP_HEXBYTES, 2, NULL);
		if (op)
			op->a = (u8)n->value;
		return op != NULL;
	case TP_NODE_ARRAY:
		return tp_emit_span(c, n->a) && tp_emit_num(c, n->b) && tp_emit_num(c, n->c) &&
		       tp_emit_out(c, TP_OP_ARRAY, 3, NULL);
	case TP_NODE_BITMASK:
		return tp_emit_span(c, n->a) && tp_emit_out(c, TP_OP_BITMASK, 1, NULL);
	case TP_NODE_BITLIST:
		return tp_emit_span(c, n->a) && tp_emit_out(c, TP_OP_BITLIST, 1, &none);
	case TP_NODE_HEXDUMP:
		return emit_dump(c, n);
	default:
		return tp_emit_fail(c, "a number where a text is needed");
	}
}

static bool emit_text_cond(struct tp_compiler *c, const struct tp_node *n, const struct tp_spec *s)
{
	unsigned int stack;
	u32 jz, jmp;

	if (!tp_emit_num(c, n->a) || !tp_emit_out(c, TP_OP_JZ, 1, NULL))
		return false;
	jz = c->prog->ops.nr - 1;
	stack = c->stack;
	if (!tp_emit_text(c, n->b, s) || !tp_emit(c, TP_OP_JMP))
		return false;
	jmp = c->prog->ops.nr - 1;
	c->prog->ops.v[jz].c = c->prog->ops.nr;
	c->stack = stack;
	if (!tp_emit_text(c, n->c, s))
		return false;
	c->prog->ops.v[jmp].c = c->prog->ops.nr;
	return true;
}

/* %s of a number is a string somewhere in the kernel. NULL and what has no name print nothing. */
static bool emit_text_number(struct tp_compiler *c, const struct tp_node *n,
			     const struct tp_spec *s)
{
	bool pointer = n->kind == TP_NODE_FIELD && n->field->size * 8 == c->long_bits;

	tp_emit_nothing(c, s);
	if (n->kind == TP_NODE_CONST || (c->prog->compat && !pointer))
		return true;
	return tp_emit_num(c, n) && tp_emit_out(c, TP_OP_STRPTR, 1, NULL);
}

static bool emit_text_kind(struct tp_compiler *c, const struct tp_node *n, const struct tp_spec *s)
{
	bool pad = !tp_emit_is_plain(s) && (!c->prog->compat || has_star(s));

	if (n->kind == TP_NODE_STRING)
		return emit_literal(c, n, s);
	if (n->kind == TP_NODE_COND)
		return emit_text_cond(c, n, s);
	if (n->kind == TP_NODE_BYTES)
		return tp_emit_span(c, n) && tp_emit_out(c, TP_OP_STR, 1, s);
	if (tp_node_is_number(n))
		return emit_text_number(c, n, s);
	if (pad && !tp_emit_push(c, TP_OP_MARK))
		return false;
	return emit_made_text(c, n, s) && (!pad || tp_emit_out(c, TP_OP_PAD, 1, s));
}

/* The stars of `s` are on the stack, and gone afterwards. */
bool tp_emit_text(struct tp_compiler *c, const struct tp_node *n, const struct tp_spec *s)
{
	bool ok;

	if (++c->depth > TP_DEPTH_MAX)
		return tp_emit_fail(c, "an expression that is too deep");
	ok = tp_emit_flush(c) && emit_text_kind(c, n, s);
	c->depth--;
	return ok;
}
