// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_prog.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/tracepoint/tp_prog_internal.h"

#define UNREAD_DEPTH_MAX 16

static const struct tp_node *next_arg(struct tp_compiler *c)
{
	if (c->next_arg < c->parsed.args.nr)
		return c->parsed.args.v[c->next_arg++];
	tp_emit_fail(c, "there is no argument for it");
	return NULL;
}

static bool emit_number(struct tp_compiler *c, struct tp_spec *s, u32 bits)
{
	const struct tp_type type = {(u8)bits, s->conv == 'd'};
	const struct tp_node *arg = next_arg(c);
	bool plain = !s->width && !s->flags;

	if (!arg)
		return false;
	arg = tp_node_cast(&c->build, arg, type);
	if (!arg)
		return err_nomem(c->err) == 0;
	if (!tp_emit_num(c, arg))
		return false;
	if (plain && s->conv == 'd')
		return tp_emit_out(c, TP_OP_SDEC, 1, NULL);
	if (plain && s->conv == 'u')
		return tp_emit_out(c, TP_OP_DEC, 1, NULL);
	if (plain && s->conv == 'x')
		return tp_emit_out(c, TP_OP_HEX, 1, NULL);
	return tp_emit_out(c, TP_OP_NUM, 1, s);
}

static bool emit_char(struct tp_compiler *c, const struct tp_spec *s)
{
	const struct tp_node *arg = next_arg(c);

	return arg && tp_emit_num(c, arg) && tp_emit_out(c, TP_OP_CHAR, 1, s);
}

/* A conversion of `size` bytes of the record; an array of another size is not of this kind. */
static bool emit_address(struct tp_compiler *c, enum tp_opcode code, const struct tp_node *arg,
			 u32 size, const char *invalid, unsigned int a, unsigned int b)
{
	const struct tp_field *f = arg->field;
	struct tp_op *op;

	if (f && f->loc == TP_LOC_FIXED && size && f->size != size) {
		buf_adds(&c->prog->text, invalid);
		return true;
	}
	if (!tp_emit_span(c, arg))
		return false;
	op = tp_emit_out(c, code, 1, NULL);
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

static bool emit_ip(struct tp_compiler *c, const struct tp_node *arg, const struct ext *e)
{
	bool small = e->s[0] == 'i';
	unsigned int flags;
	bool reverse = ext_has(e, 'l');

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	reverse |= ext_has(e, 'h');
#endif
	if (e->len < 2)
		return tp_emit_fail(c, "%pI without a version");
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
		return tp_emit_fail(c, "%pI of an unknown version");
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
static bool emit_sized(struct tp_compiler *c, const struct tp_node *arg, const struct ext *e,
		       struct tp_spec *s)
{
	struct tp_op *op;

	if (!s->width && !(s->flags & TP_SPEC_STAR_WIDTH))
		s->width = e->s[0] == 'h' ? 1 : 0;
	if (!tp_emit_span(c, arg))
		return false;
	if (e->s[0] == 'h') {
		op = tp_emit_out(c, TP_OP_RAWHEX, 1, s);
		if (op)
			op->a = (u8)separator(e);
		return op != NULL;
	}
	if (e->len > 1 && e->s[1] == 'l')
		return tp_emit_out(c, TP_OP_BITLIST, 1, s);
	if (!tp_emit_out(c, TP_OP_BITMASK, 1, NULL))
		return false;
	tp_emit_nothing(c, s);
	return true;
}

static bool emit_address_of(struct tp_compiler *c, const struct tp_node *arg, bool symbol,
			    bool with_offset)
{
	struct tp_op *op;

	/* Where the record lies in memory says nothing. */
	if (tp_node_is_number(arg) ? !tp_emit_num(c, arg) : !tp_emit_const(c, 0))
		return false;
	op = tp_emit_out(c, symbol ? TP_OP_SYM : TP_OP_PTR, 1, NULL);
	if (op)
		op->a = with_offset;
	return op != NULL;
}

static bool emit_pointer(struct tp_compiler *c, struct tp_spec *s, const struct ext *e)
{
	const struct tp_node *arg = next_arg(c);
	char kind = e->len ? e->s[0] : 0;
	bool sized = kind == 'h' || kind == 'b',
	     pad = !tp_emit_is_plain(s) && !sized && !c->prog->compat;
	bool ok, last;

	if (!arg)
		return false;
	if (pad && !tp_emit_push(c, TP_OP_MARK))
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
	if (!ok || !tp_emit_flush(c))
		return false;
	if (pad)
		return tp_emit_out(c, TP_OP_PAD, 1, s);
	tp_emit_nothing(c, s);
	return true;
}

/* Flags, width, precision; *p is moved past them. The stars' arguments go on the stack. */
static bool spec_head(struct tp_compiler *c, const char **p, const char *end, struct tp_spec *s)
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
			if (!star || !tp_emit_num(c, star))
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
static u32 spec_bits(const struct tp_compiler *c, const char **p, const char *end)
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
static const char *conversion(struct tp_compiler *c, const char *p, const char *end)
{
	struct tp_spec s = {0};
	const struct tp_node *arg;
	struct ext e;
	u32 bits;
	bool ok;

	if (!tp_emit_flush(c) || !spec_head(c, &p, end, &s))
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
		ok = arg && tp_emit_text(c, arg, &s);
		break;
	case 'p':
		for (e = (struct ext){p, 0}; p < end && isalnum((u8)*p); p++)
			e.len++;
		ok = emit_pointer(c, &s, &e);
		break;
	default:
		ok = tp_emit_fail(c, s.conv ? "an unknown conversion" : "it is cut short");
	}
	return ok ? p : NULL;
}

/* A field of the next argument that a record may lack; NULL: there is none. */
static const struct tp_field *may_be_unread(const struct tp_node *n, unsigned int depth)
{
	const struct tp_field *f = n ? n->field : NULL;

	if (!n || depth > UNREAD_DEPTH_MAX || (f && f->unread))
		return n && depth <= UNREAD_DEPTH_MAX ? f : NULL;
	f = may_be_unread(n->a, depth + 1);
	if (!f)
		f = may_be_unread(n->b, depth + 1);
	return f ? f : may_be_unread(n->c, depth + 1);
}

/*
 * Of a record without the field print "-" and jump: *jump is to be told where; 0: no jump is needed. `hex`: the text ends with "0x", which is
 * of the number.
 */
static bool emit_guard(struct tp_compiler *c, bool hex, u32 *jump)
{
	const struct tp_node *arg =
		c->next_arg < c->parsed.args.nr ? c->parsed.args.v[c->next_arg] : NULL;
	const struct tp_field *f = may_be_unread(arg, 0);
	struct tp_op *op;
	u32 there;

	*jump = 0;
	if (!f)
		return true;
	if (hex)
		c->prog->text.len -= 2;
	op = tp_emit_flush(c) ? tp_emit_push(c, TP_OP_LOAD) : NULL;
	if (!op)
		return false;
	op->a = sizeof(u32);
	op->c = f->unread_at;
	if (!tp_emit_const(c, f->unread) || !(op = tp_emit(c, TP_OP_ALU2)))
		return false;
	op->a = TP_AND;
	c->stack--;
	if (!tp_emit_out(c, TP_OP_JZ, 1, NULL))
		return false;
	there = c->prog->ops.nr - 1;
	buf_addc(&c->prog->text, '-');
	if (!tp_emit_flush(c) || !tp_emit(c, TP_OP_JMP))
		return false;
	*jump = c->prog->ops.nr - 1;
	c->prog->ops.v[there].c = c->prog->ops.nr;
	if (hex)
		buf_adds(&c->prog->text, "0x");
	return true;
}

bool tp_prog_emit(struct tp_compiler *c)
{
	const char *start = buf_str(&c->parsed.fmt), *end = start + c->parsed.fmt.len, *p = start;
	const char *percent;
	u32 jump;
	bool hex;

	while (p < end) {
		percent = memchr(p, '%', (size_t)(end - p));
		if (!percent)
			percent = end;
		buf_add(&c->prog->text, p, (size_t)(percent - p));
		hex = percent - p >= 2 && !memcmp(percent - 2, "0x", 2) && !c->prog->text.failed;
		p = percent;
		if (p == end)
			break;
		if (++p < end && *p == '%') {
			buf_addc(&c->prog->text, '%');
			p++;
			continue;
		}
		c->at = (size_t)(percent - start);
		p = emit_guard(c, hex, &jump) ? conversion(c, p, end) : NULL;
		if (!p || !tp_emit_flush(c))
			return false;
		if (jump)
			c->prog->ops.v[jump].c = c->prog->ops.nr;
	}
	return tp_prog_end(c);
}

bool tp_prog_end(struct tp_compiler *c)
{
	bool ok = tp_emit_flush(c) && tp_emit(c, TP_OP_END);

	buf_pad(&c->prog->text, '\0', TP_TEXT_STEP);
	return ok && !c->prog->text.failed;
}

struct tp_prog *tp_prog_take(struct tp_compiler *c, bool ok)
{
	if (ok)
		return c->prog;
	if (!c->err->code)
		err_nomem(c->err);
	tp_prog_free(c->prog);
	return NULL;
}

static struct tp_prog *finish(struct tp_compiler *c, bool ok, struct err *err)
{
	struct tp_prog *p = tp_prog_take(c, ok);

	if (!p && err)
		*err = *c->err;
	return p;
}

struct tp_prog *tp_prog_new(const struct tp_format *f, bool compat, struct err *err)
{
	struct tp_prog *p = calloc(1, sizeof(*p));

	if (!p) {
		err_nomem(err);
		return NULL;
	}
	p->format = f;
	p->compat = compat;
	buf_add(&p->text, "", 0);
	return p;
}

struct tp_prog *tp_prog_compile(const struct tp_format *f, const struct tp_opts *opts,
				struct err *err)
{
	static const struct tp_opts none;
	struct arena arena = {0};
	struct err local = {0};
	struct tp_compiler c = {.err = &local};
	bool ok;

	if (!opts)
		opts = &none;
	c.prog = tp_prog_new(f, opts->compat, err);
	if (!c.prog)
		return NULL;
	c.build = (struct tp_build){.arena = &arena, .compat = opts->compat};
	c.long_bits = opts->long_size == 4 ? 32 : 64;
	ok = !tp_parse(f, opts, &arena, &c.parsed, &local);
	if (ok) {
		ok = tp_prog_emit(&c);
		tp_parse_free(&c.parsed);
	}
	arena_free(&arena);
	return finish(&c, ok, err);
}

struct tp_prog *tp_prog_fields(const struct tp_format *f, struct err *err)
{
	struct err local = {0};
	struct tp_compiler c = {.prog = tp_prog_new(f, false, err), .err = &local};
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
		ok = tp_emit_flush(&c);
		op = ok ? tp_emit(&c, TP_OP_FIELD) : NULL;
		if (op)
			op->c = i;
		ok = op != NULL;
	}
	return finish(&c, ok && tp_prog_end(&c), err);
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
