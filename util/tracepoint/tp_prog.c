// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_prog.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/tracepoint/tp_op.h"
#include "util/tracepoint/tp_table.h"

/* Variables of statement expressions are copied where they are used: doubling text is cut here. */
#define OPS_MAX   (1u << 16)
#define DEPTH_MAX 1000

struct compiler {
	struct tp_prog *prog;
	struct tp_parsed parsed;
	struct tp_build build;
	u32 long_bits;
	u32 next_arg;
	size_t at;        /* in the format string, of the conversion at hand */
	size_t text_from; /* literal text not yet in an op */
	unsigned int depth, stack;
	struct err *err;
};

static bool fail(struct compiler *c, const char *what)
{
	if (!c->err->code)
		err_set(c->err, EINVAL, "print fmt of event \"%s\", conversion at byte %zu: %s",
			c->prog->format->name, c->at, what);
	return false;
}

static struct tp_op *emit(struct compiler *c, enum tp_opcode code)
{
	struct tp_op *op;

	if (c->prog->ops.nr >= OPS_MAX) {
		fail(c, "an expression that is too large");
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
static struct tp_op *emit_push(struct compiler *c, enum tp_opcode code)
{
	if (++c->stack > TP_STACK_MAX) {
		fail(c, "an expression that needs too many steps");
		return NULL;
	}
	return emit(c, code);
}

/* An output operation, after which the conversion's operands are gone. */
static struct tp_op *emit_out(struct compiler *c, enum tp_opcode code, unsigned int pops,
			      const struct tp_spec *s)
{
	struct tp_op *op = emit(c, code);

	c->stack -= pops;
	if (op && s) {
		op->spec = *s;
		c->stack -= !!(s->flags & TP_SPEC_STAR_WIDTH) + !!(s->flags & TP_SPEC_STAR_PREC);
	}
	return op;
}

/* Turn the literal text collected since the last op into an op of its own. */
static bool flush_text(struct compiler *c)
{
	size_t from = c->text_from, len = c->prog->text.len - from;
	struct tp_op *op;

	c->text_from += len;
	if (!len)
		return true;
	op = emit(c, TP_OP_TEXT);
	if (op) {
		op->c = (u32)from;
		op->v = len;
	}
	return op != NULL;
}

/* Text that is not in the line, such as the names of a list. */
static u32 keep_text(struct compiler *c, const char *s, size_t len)
{
	size_t at = c->prog->text.len;

	buf_add(&c->prog->text, s, len);
	c->text_from = c->prog->text.len;
	return (u32)at;
}

static bool emit_num(struct compiler *c, const struct tp_node *n);

static bool emit_span(struct compiler *c, const struct tp_node *n)
{
	const struct tp_field *f = n->field;
	struct tp_op *op;

	if (n->kind != TP_NODE_BYTES && n->kind != TP_NODE_FIELD)
		return fail(c, "an argument that is no field");
	op = emit_push(c, f->loc == TP_LOC_FIXED ? TP_OP_SPAN : TP_OP_LOC);
	if (!op)
		return false;
	op->c = f->offset;
	if (f->loc == TP_LOC_FIXED)
		op->v = f->size;
	else
		op->b = f->loc == TP_LOC_REL;
	return true;
}

static bool emit_const(struct compiler *c, u64 v)
{
	struct tp_op *op = emit_push(c, TP_OP_CONST);

	if (op)
		op->v = v;
	return op != NULL;
}

static bool emit_load(struct compiler *c, u32 offset, u32 size, bool is_signed)
{
	struct tp_op *op = emit_push(c, TP_OP_LOAD);

	if (!op)
		return false;
	op->a = (u8)size;
	op->b = is_signed;
	op->c = offset;
	return true;
}

/* array[index]; one with a constant index inside a fixed array is a plain field. */
static bool emit_index(struct compiler *c, const struct tp_node *n)
{
	const struct tp_field *f = n->a->field;
	u32 size = n->a->type.bits / 8;
	bool is_signed = n->a->type.is_signed;
	struct tp_op *op;

	if (f->loc == TP_LOC_FIXED && n->b->kind == TP_NODE_CONST && n->b->value < f->size / size)
		return emit_load(c, f->offset + (u32)n->b->value * size, size, is_signed);
	if (!emit_span(c, n->a) || !emit_num(c, n->b))
		return false;
	op = emit(c, TP_OP_INDEX);
	if (!op)
		return false;
	c->stack--;
	op->a = (u8)size;
	op->b = is_signed;
	return true;
}

static bool emit_alu(struct compiler *c, const struct tp_node *n)
{
	bool two = n->kind == TP_NODE_ALU2;
	struct tp_op *op;

	if (!emit_num(c, n->a) || (two && !emit_num(c, n->b)))
		return false;
	op = emit(c, two ? TP_OP_ALU2 : TP_OP_ALU1);
	if (!op)
		return false;
	op->a = (u8)n->op;
	c->stack -= two;
	return true;
}

static bool emit_num_kind(struct compiler *c, const struct tp_node *n)
{
	const struct tp_field *f = n->field;
	struct tp_op *op;

	switch (n->kind) {
	case TP_NODE_CONST:
		return emit_const(c, n->value);
	case TP_NODE_FIELD:
		return emit_load(c, f->offset, f->size, f->is_signed && !c->prog->compat);
	case TP_NODE_LEN:
		if (f->loc == TP_LOC_FIXED)
			return emit_const(c, f->size);
		op = emit_push(c, TP_OP_LEN);
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
		if (!emit_num(c, n->a) || !emit_num(c, n->b) || !emit_num(c, n->c) ||
		    !emit(c, TP_OP_SELECT))
			return false;
		c->stack -= 2;
		return true;
	default:
		return fail(c, "a text or an array where a number is needed");
	}
}

static bool emit_num(struct compiler *c, const struct tp_node *n)
{
	bool ok;

	if (++c->depth > DEPTH_MAX)
		return fail(c, "an expression that is too deep");
	ok = emit_num_kind(c, n);
	c->depth--;
	return ok;
}

static bool is_plain(const struct tp_spec *s)
{
	return !s->width && !(s->flags & (TP_SPEC_PREC | TP_SPEC_STAR_WIDTH));
}

static bool has_star(const struct tp_spec *s)
{
	return s->flags & (TP_SPEC_STAR_WIDTH | TP_SPEC_STAR_PREC);
}

/* The conversion prints nothing, but its width must leave the stack. */
static void emit_nothing(struct compiler *c, const struct tp_spec *s)
{
	if (s->flags & TP_SPEC_STAR_WIDTH)
		emit_out(c, TP_OP_DROP, 1, NULL);
	if (s->flags & TP_SPEC_STAR_PREC)
		emit_out(c, TP_OP_DROP, 1, NULL);
}

static bool emit_literal(struct compiler *c, const struct tp_node *n, const struct tp_spec *s)
{
	if (has_star(s)) {
		if (!emit_push(c, TP_OP_MARK))
			return false;
		buf_add(&c->prog->text, n->str, n->len);
		return flush_text(c) && emit_out(c, TP_OP_PAD, 1, s);
	}
	tp_table_text(&c->prog->text, n->str, n->len, s);
	return flush_text(c);
}

static bool emit_list(struct compiler *c, const struct tp_node *n, const struct tp_spec *s)
{
	bool symbolic = n->kind == TP_NODE_SYMBOLIC;
	/* perf pads each name of a list, not what became of the list. */
	const struct tp_spec none = {.conv = 's'},
			     *each = c->prog->compat && !has_star(s) ? s : &none;
	struct tp_op *op;
	u32 table;

	if (!emit_num(c, n->a))
		return false;
	if (!tp_table_add(c->prog, n, each, &table))
		return err_nomem(c->err) == 0;
	c->text_from = c->prog->text.len;
	op = emit_out(c, symbolic ? TP_OP_SYMBOLIC : TP_OP_FLAGS, 1, NULL);
	if (op)
		op->c = table;
	return op != NULL;
}

static bool emit_dump(struct compiler *c, const struct tp_node *n)
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
	if (!emit_span(c, n->a) || !emit_num(c, n->b))
		return false;
	op = emit_out(c, TP_OP_HEXDUMP, 2, NULL);
	if (op)
		op->c = c->prog->dumps.nr - 1;
	return op != NULL;
}

/* A text that a helper makes. */
static bool emit_made_text(struct compiler *c, const struct tp_node *n, const struct tp_spec *s)
{
	const struct tp_spec none = {.conv = 's'};
	struct tp_op *op;

	switch (n->kind) {
	case TP_NODE_FLAGS:
	case TP_NODE_SYMBOLIC:
		return emit_list(c, n, s);
	case TP_NODE_HEX:
		if (!emit_span(c, n->a) || !emit_num(c, n->b))
			return false;
		op = emit_out(c, TP_OP_HEXBYTES, 2, NULL);
		if (op)
			op->a = (u8)n->value;
		return op != NULL;
	case TP_NODE_ARRAY:
		return emit_span(c, n->a) && emit_num(c, n->b) && emit_num(c, n->c) &&
		       emit_out(c, TP_OP_ARRAY, 3, NULL);
	case TP_NODE_BITMASK:
		return emit_span(c, n->a) && emit_out(c, TP_OP_BITMASK, 1, NULL);
	case TP_NODE_BITLIST:
		return emit_span(c, n->a) && emit_out(c, TP_OP_BITLIST, 1, &none);
	case TP_NODE_HEXDUMP:
		return emit_dump(c, n);
	default:
		return fail(c, "a number where a text is needed");
	}
}

static bool emit_text(struct compiler *c, const struct tp_node *n, const struct tp_spec *s);

static bool emit_text_cond(struct compiler *c, const struct tp_node *n, const struct tp_spec *s)
{
	unsigned int stack;
	u32 jz, jmp;

	if (!emit_num(c, n->a) || !emit_out(c, TP_OP_JZ, 1, NULL))
		return false;
	jz = c->prog->ops.nr - 1;
	stack = c->stack;
	if (!emit_text(c, n->b, s) || !emit(c, TP_OP_JMP))
		return false;
	jmp = c->prog->ops.nr - 1;
	c->prog->ops.v[jz].c = c->prog->ops.nr;
	c->stack = stack;
	if (!emit_text(c, n->c, s))
		return false;
	c->prog->ops.v[jmp].c = c->prog->ops.nr;
	return true;
}

/* %s of a number is a string somewhere in the kernel. NULL and what has no name print nothing. */
static bool emit_text_number(struct compiler *c, const struct tp_node *n, const struct tp_spec *s)
{
	bool pointer = n->kind == TP_NODE_FIELD && n->field->size * 8 == c->long_bits;

	emit_nothing(c, s);
	if (n->kind == TP_NODE_CONST || (c->prog->compat && !pointer))
		return true;
	return emit_num(c, n) && emit_out(c, TP_OP_STRPTR, 1, NULL);
}

static bool emit_text_kind(struct compiler *c, const struct tp_node *n, const struct tp_spec *s)
{
	bool pad = !is_plain(s) && (!c->prog->compat || has_star(s));

	if (n->kind == TP_NODE_STRING)
		return emit_literal(c, n, s);
	if (n->kind == TP_NODE_COND)
		return emit_text_cond(c, n, s);
	if (n->kind == TP_NODE_BYTES)
		return emit_span(c, n) && emit_out(c, TP_OP_STR, 1, s);
	if (tp_node_is_number(n))
		return emit_text_number(c, n, s);
	if (pad && !emit_push(c, TP_OP_MARK))
		return false;
	return emit_made_text(c, n, s) && (!pad || emit_out(c, TP_OP_PAD, 1, s));
}

/* The stars of `s` are on the stack, and gone afterwards. */
static bool emit_text(struct compiler *c, const struct tp_node *n, const struct tp_spec *s)
{
	bool ok;

	if (++c->depth > DEPTH_MAX)
		return fail(c, "an expression that is too deep");
	ok = flush_text(c) && emit_text_kind(c, n, s);
	c->depth--;
	return ok;
}

static const struct tp_node *next_arg(struct compiler *c)
{
	if (c->next_arg < c->parsed.args.nr)
		return c->parsed.args.v[c->next_arg++];
	fail(c, "there is no argument for it");
	return NULL;
}

static bool emit_number(struct compiler *c, struct tp_spec *s, u32 bits)
{
	const struct tp_type type = {(u8)bits, s->conv == 'd'};
	const struct tp_node *arg = next_arg(c);
	bool plain = !s->width && !s->flags;

	if (!arg)
		return false;
	arg = tp_node_cast(&c->build, arg, type);
	if (!arg)
		return err_nomem(c->err) == 0;
	if (!emit_num(c, arg))
		return false;
	if (plain && s->conv == 'd')
		return emit_out(c, TP_OP_SDEC, 1, NULL);
	if (plain && s->conv == 'u')
		return emit_out(c, TP_OP_DEC, 1, NULL);
	if (plain && s->conv == 'x')
		return emit_out(c, TP_OP_HEX, 1, NULL);
	return emit_out(c, TP_OP_NUM, 1, s);
}

static bool emit_char(struct compiler *c, const struct tp_spec *s)
{
	const struct tp_node *arg = next_arg(c);

	return arg && emit_num(c, arg) && emit_out(c, TP_OP_CHAR, 1, s);
}

/* A conversion of `size` bytes of the record; an array of another size is not of this kind. */
static bool emit_address(struct compiler *c, enum tp_opcode code, const struct tp_node *arg,
			 u32 size, const char *invalid, unsigned int a, unsigned int b)
{
	const struct tp_field *f = arg->field;
	struct tp_op *op;

	if (f && f->loc == TP_LOC_FIXED && size && f->size != size) {
		buf_adds(&c->prog->text, invalid);
		return true;
	}
	if (!emit_span(c, arg))
		return false;
	op = emit_out(c, code, 1, NULL);
	if (!op)
		return false;
	op->a = (u8)a;
	op->b = (u16)b;
	return true;
}

/* What follows %p as far as the kernel takes it. */
struct ext {
	const char *s;
	size_t len;
};

static bool ext_has(const struct ext *e, char ch)
{
	return e->len > 2 && memchr(e->s + 2, ch, e->len - 2);
}

static bool emit_ip(struct compiler *c, const struct tp_node *arg, const struct ext *e)
{
	bool small = e->s[0] == 'i';
	unsigned int flags;
	bool reverse = ext_has(e, 'l');

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	reverse |= ext_has(e, 'h');
#endif
	if (e->len < 2)
		return fail(c, "%pI without a version");
	switch (e->s[1]) {
	case '4':
		return emit_address(c, TP_OP_IP4, arg, 4, "INVALIDIPv4", small, reverse);
	case '6':
		return emit_address(c, TP_OP_IP6, arg, 16, "INVALIDIPv6",
				    small             ? 0
				    : ext_has(e, 'c') ? 2
						      : 1,
				    0);
	case 'S':
		flags = (ext_has(e, 'p') ? TP_SOCK_PORT : 0) |
			(ext_has(e, 'f') ? TP_SOCK_FLOW : 0) |
			(ext_has(e, 's') ? TP_SOCK_SCOPE : 0) |
			(ext_has(e, 'c') ? TP_SOCK_SHORT : 0) | (reverse ? TP_SOCK_REVERSE : 0) |
			(small ? TP_SOCK_ZEROS : 0);
		return emit_address(c, TP_OP_SOCKADDR, arg, 0, "", flags, 0);
	default:
		return fail(c, "%pI of an unknown version");
	}
}

static char separator(const struct ext *e)
{
	switch (e->len > 1 ? e->s[1] : 0) {
	case 'C':
		return ':';
	case 'D':
		return '-';
	case 'N':
		return 0;
	default:
		return ' ';
	}
}

/* %*ph and %*pb: bytes of the record, the width says how many (bits). */
static bool emit_sized(struct compiler *c, const struct tp_node *arg, const struct ext *e,
		       struct tp_spec *s)
{
	struct tp_op *op;

	if (!s->width && !(s->flags & TP_SPEC_STAR_WIDTH))
		s->width = e->s[0] == 'h' ? 1 : 0;
	if (!emit_span(c, arg))
		return false;
	if (e->s[0] == 'h') {
		op = emit_out(c, TP_OP_RAWHEX, 1, s);
		if (op)
			op->a = (u8)separator(e);
		return op != NULL;
	}
	if (e->len > 1 && e->s[1] == 'l')
		return emit_out(c, TP_OP_BITLIST, 1, s);
	if (!emit_out(c, TP_OP_BITMASK, 1, NULL))
		return false;
	emit_nothing(c, s);
	return true;
}

static bool emit_address_of(struct compiler *c, const struct tp_node *arg, bool symbol,
			    bool with_offset)
{
	struct tp_op *op;

	/* Where the record lies in memory says nothing. */
	if (tp_node_is_number(arg) ? !emit_num(c, arg) : !emit_const(c, 0))
		return false;
	op = emit_out(c, symbol ? TP_OP_SYM : TP_OP_PTR, 1, NULL);
	if (op)
		op->a = with_offset;
	return op != NULL;
}

static bool emit_pointer(struct compiler *c, struct tp_spec *s, const struct ext *e)
{
	const struct tp_node *arg = next_arg(c);
	char kind = e->len ? e->s[0] : 0;
	bool sized = kind == 'h' || kind == 'b', pad = !is_plain(s) && !sized && !c->prog->compat;
	bool ok, last;

	if (!arg)
		return false;
	if (pad && !emit_push(c, TP_OP_MARK))
		return false;
	switch (kind) {
	case 'F':
	case 'f':
	case 'S':
	case 's':
	case 'B':
		ok = emit_address_of(c, arg, true, kind != 'f' && kind != 's');
		break;
	case 'M':
	case 'm':
		last = e->len > 1 && e->s[1] == 'R';
		ok = emit_address(c, TP_OP_MAC, arg, 6, "INVALIDMAC",
				  kind == 'm'                    ? 0
				  : e->len > 1 && e->s[1] == 'F' ? '-'
								 : ':',
				  last);
		break;
	case 'I':
	case 'i':
		ok = emit_ip(c, arg, e);
		break;
	case 'U':
		last = e->len > 1 && (e->s[1] | 32) == 'l';
		ok = emit_address(c, TP_OP_UUID, arg, 16, "INVALIDUUID", last,
				  e->len > 1 && (e->s[1] == 'L' || e->s[1] == 'B'));
		break;
	case 'h':
	case 'b':
		return emit_sized(c, arg, e, s);
	default:
		ok = emit_address_of(c, arg, false, false);
	}
	if (!ok || !flush_text(c))
		return false;
	if (pad)
		return emit_out(c, TP_OP_PAD, 1, s);
	emit_nothing(c, s);
	return true;
}

/* Flags, width, precision; *p is moved past them. The stars' arguments go on the stack. */
static bool spec_head(struct compiler *c, const char **p, const char *end, struct tp_spec *s)
{
	static const char flags[] = "-0#+ ";
	const struct tp_node *star;
	bool prec;
	u32 v;

	for (; *p < end && **p && strchr(flags, **p); ++*p)
		s->flags |= (u8)(1u << (strchr(flags, **p) - flags));
	for (prec = false;; prec = true) {
		v = 0;
		if (*p < end && **p == '*') {
			++*p;
			s->flags |= prec ? TP_SPEC_STAR_PREC : TP_SPEC_STAR_WIDTH;
			star = next_arg(c);
			star = star ? tp_node_cast(&c->build, star, (struct tp_type){32, true})
				    : NULL;
			if (!star || !emit_num(c, star))
				return false;
		}
		for (; *p < end && isdigit((u8) * *p); ++*p)
			v = MIN(v * 10 + (u32)(**p - '0'), (u32)TP_PUT_WIDTH_MAX);
		*(prec ? &s->prec : &s->width) = (u16)v;
		if (prec || *p == end || **p != '.')
			return true;
		s->flags |= TP_SPEC_PREC;
		++*p;
	}
}

/* hh, h, l, ll, ...: the bits of the number. */
static u32 spec_bits(const struct compiler *c, const char **p, const char *end)
{
	u32 bits = 32;

	for (; *p < end && **p && strchr("hlLqjzZt", **p); ++*p) {
		if (**p == 'h')
			bits = bits == 16 ? 8 : 16;
		else if (**p == 'l' && bits == 32)
			bits = c->long_bits;
		else if (strchr("zZt", **p))
			bits = c->long_bits;
		else
			bits = 64;
		/* A second l: on a 64-bit machine the first had done it. */
		if (**p == 'l' && *p + 1 < end && (*p)[1] == 'l') {
			bits = 64;
			++*p;
		}
	}
	return bits;
}

/* One conversion; p is behind its '%'. Returns where the text goes on, or NULL. */
static const char *conversion(struct compiler *c, const char *p, const char *end)
{
	struct tp_spec s = {0};
	const struct tp_node *arg;
	struct ext e;
	u32 bits;
	bool ok;

	if (!flush_text(c) || !spec_head(c, &p, end, &s))
		return NULL;
	bits = spec_bits(c, &p, end);
	s.conv = p < end ? *p++ : 0;
	if (s.conv == 'i')
		s.conv = 'd';
	switch (s.conv) {
	case 'd':
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		ok = emit_number(c, &s, bits);
		break;
	case 'c':
		ok = emit_char(c, &s);
		break;
	case 's':
		arg = next_arg(c);
		ok = arg && emit_text(c, arg, &s);
		break;
	case 'p':
		for (e = (struct ext){p, 0}; p < end && isalnum((u8)*p); p++)
			e.len++;
		ok = emit_pointer(c, &s, &e);
		break;
	default:
		ok = fail(c, s.conv ? "an unknown conversion" : "it is cut short");
	}
	return ok ? p : NULL;
}

static bool compile(struct compiler *c)
{
	const char *start = buf_str(&c->parsed.fmt), *end = start + c->parsed.fmt.len, *p = start;
	const char *percent;

	while (p < end) {
		percent = memchr(p, '%', (size_t)(end - p));
		if (!percent)
			percent = end;
		buf_add(&c->prog->text, p, (size_t)(percent - p));
		p = percent;
		if (p == end)
			break;
		if (++p < end && *p == '%') {
			buf_addc(&c->prog->text, '%');
			p++;
			continue;
		}
		c->at = (size_t)(percent - start);
		p = conversion(c, p, end);
		if (!p)
			return false;
	}
	return flush_text(c) && emit(c, TP_OP_END);
}

static struct tp_prog *finish(struct compiler *c, bool ok, struct err *err)
{
	struct tp_prog *p = c->prog;

	if (ok && p->text.failed)
		ok = err_nomem(c->err) == 0;
	if (ok)
		return p;
	if (!c->err->code)
		err_nomem(c->err);
	if (err)
		*err = *c->err;
	tp_prog_free(p);
	return NULL;
}

/* The text is never a null pointer, also when it is empty. */
static struct tp_prog *new_prog(const struct tp_format *f, struct err *err)
{
	struct tp_prog *p = calloc(1, sizeof(*p));

	if (!p) {
		err_nomem(err);
		return NULL;
	}
	p->format = f;
	buf_add(&p->text, "", 0);
	return p;
}

struct tp_prog *tp_prog_compile(const struct tp_format *f, const struct tp_opts *opts,
				struct err *err)
{
	static const struct tp_opts none;
	struct arena arena = {0};
	struct err local = {0};
	struct compiler c = {.err = &local};
	bool ok;

	if (!opts)
		opts = &none;
	c.prog = new_prog(f, err);
	if (!c.prog)
		return NULL;
	c.prog->compat = opts->compat;
	c.build = (struct tp_build){.arena = &arena, .compat = opts->compat};
	c.long_bits = opts->long_size == 4 ? 32 : 64;
	ok = !tp_parse(f, opts, &arena, &c.parsed, &local);
	if (ok) {
		ok = compile(&c);
		tp_parse_free(&c.parsed);
	}
	arena_free(&arena);
	return finish(&c, ok, err);
}

struct tp_prog *tp_prog_fields(const struct tp_format *f, struct err *err)
{
	struct err local = {0};
	struct compiler c = {.prog = new_prog(f, err), .err = &local};
	struct tp_op *op;
	bool ok = true;
	u32 i;

	if (!c.prog)
		return NULL;
	buf_adds(&c.prog->text, "[FAILED TO PARSE]");
	for (i = 0; ok && i < f->nr_fields; i++) {
		if (f->fields[i].is_common)
			continue;
		buf_addc(&c.prog->text, ' ');
		buf_adds(&c.prog->text, f->fields[i].name);
		buf_addc(&c.prog->text, '=');
		ok = flush_text(&c);
		op = ok ? emit(&c, TP_OP_FIELD) : NULL;
		if (op)
			op->c = i;
		ok = op != NULL;
	}
	return finish(&c, ok && flush_text(&c) && emit(&c, TP_OP_END), err);
}

void tp_prog_free(struct tp_prog *p)
{
	if (!p)
		return;
	vec_free(&p->ops);
	vec_free(&p->names);
	vec_free(&p->tables);
	vec_free(&p->dumps);
	vec_free(&p->index);
	buf_free(&p->text);
	free(p);
}
