// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_prog.h"

#include <string.h>

#include "util/base/text.h"
#include "util/tracepoint/tp_field.h"
#include "util/tracepoint/tp_prog_internal.h"

struct machine {
	const struct tp_prog *prog;
	const struct tp_run *run;
	const u8 *raw;
	size_t len;
	struct buf *out;
	u64 *sp; /* the next free word */
};

static inline void push(struct machine *m, u64 v)
{
	*m->sp++ = v;
}

static inline u64 pop(struct machine *m)
{
	return *--m->sp;
}

/* Offset and length brought inside the record. */
static inline u64 make_span(const struct machine *m, u64 off, u64 len)
{
	if (off > m->len)
		return 0;
	return off << 32 | MIN(len, m->len - off);
}

static inline const u8 *span_ptr(const struct machine *m, u64 span)
{
	return m->raw + (span >> 32);
}

static inline size_t span_len(u64 span)
{
	return (u32)span;
}

static inline u64 load_at(const struct machine *m, u64 off, unsigned int size, bool is_signed)
{
	if (size > m->len || off > m->len - size)
		return 0;
	return tp_load(m->raw + off, size, is_signed);
}

static u64 loc_span(const struct machine *m, const struct tp_op *op)
{
	u64 word = load_at(m, op->c, 4, false);
	u64 off = (word & 0xffff) + (op->b ? op->c + 4 : 0);

	return make_span(m, off, word >> 16);
}

static u64 element(const struct machine *m, const struct tp_op *op, u64 span, u64 i)
{
	if (i >= span_len(span) / op->a)
		return 0;
	return tp_load(span_ptr(m, span) + i * op->a, op->a, op->b);
}

/* Fill in a width and a precision that are arguments. A negative width means "to the left". */
static struct tp_spec full_spec(struct machine *m, struct tp_spec s)
{
	s64 v;

	if (s.flags & TP_SPEC_STAR_PREC) {
		v = (s64)pop(m);
		if (v < 0)
			s.flags &= (u8)~TP_SPEC_PREC;
		s.prec = (u16)(v < 0 ? 0 : MIN(v, TP_PUT_WIDTH_MAX));
	}
	if (s.flags & TP_SPEC_STAR_WIDTH) {
		v = (s64)pop(m);
		if (v < 0)
			s.flags |= TP_SPEC_LEFT;
		v = v < -TP_PUT_WIDTH_MAX ? TP_PUT_WIDTH_MAX : v < 0 ? -v : v;
		s.width = (u16)MIN(v, TP_PUT_WIDTH_MAX);
	}
	return s;
}

static void put_string(struct machine *m, const struct tp_op *op)
{
	u64 span = pop(m);
	struct tp_spec s = full_spec(m, op->spec);
	const char *p = (const char *)span_ptr(m, span);
	size_t start = m->out->len, n = strnlen(p, span_len(span));

	if (s.flags & TP_SPEC_PREC)
		n = MIN(n, (size_t)s.prec);
	text_escape(m->out, p, n);
	s.flags &= (u8)~TP_SPEC_PREC;
	if (s.width)
		tp_printk_pad(m->out, &s, start);
}

static void put_char(struct machine *m, const struct tp_op *op)
{
	char c = (char)pop(m);
	struct tp_spec s = full_spec(m, op->spec);
	size_t start = m->out->len;

	text_escape(m->out, &c, c != '\0');
	tp_printk_pad(m->out, &s, start);
}

/* The program's text. Most of it is short: a copy of fixed size has no length to be predicted. */
static inline void put_text(struct machine *m, u32 at, u64 len)
{
	const char *text = m->prog->text.data + at;
	char *d = buf_room(m->out, MAX(len, (u64)TP_TEXT_STEP));

	if (!d)
		return;
	memcpy(d, text, TP_TEXT_STEP);
	if (len > TP_TEXT_STEP)
		memcpy(d + TP_TEXT_STEP, text + TP_TEXT_STEP, len - TP_TEXT_STEP);
	buf_wrote(m->out, len);
}

static void put_name(struct machine *m, const struct tp_name *n)
{
	put_text(m, n->text, n->len);
}

static void put_delim(struct machine *m, const struct tp_table *t)
{
	buf_add(m->out, m->prog->text.data + t->delim, t->delim_len);
}

static void put_flags(struct machine *m, const struct tp_table *t, u64 v)
{
	const struct tp_name *n = m->prog->names.v + t->first, *end = n + t->nr;
	bool any = false;

	for (; n < end; n++) {
		/* A flag without a value is only kept for perf's sake, which names no flags so. */
		if ((s64)n->value < 0 && m->prog->compat) {
			if (v)
				continue;
			put_name(m, n);
			break;
		}
		if (!n->value || (v & n->value) != n->value)
			continue;
		if (any)
			put_delim(m, t);
		put_name(m, n);
		any = true;
		v &= ~n->value;
	}
	if (!v)
		return;
	if (any)
		put_delim(m, t);
	tp_printk_0x(m->out, v);
}

static const struct tp_name *find_name(const struct tp_prog *p, const struct tp_table *t, u64 v)
{
	const struct tp_name *names = p->names.v + t->first;
	u32 lo = 0, hi = t->nr, mid;

	if (t->index_nr) {
		if (v - t->base >= t->index_nr)
			return NULL;
		mid = p->index.v[t->index + (v - t->base)];
		return mid ? names + mid - 1 : NULL;
	}
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (names[mid].value == v)
			return names + mid;
		if (names[mid].value < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

static void put_symbolic(struct machine *m, const struct tp_table *t, u64 v)
{
	const struct tp_name *n = find_name(m->prog, t, v);

	if (n)
		put_name(m, n);
	else
		tp_printk_0x(m->out, v);
}

static void put_symbol(struct machine *m, u64 addr, bool with_offset)
{
	if (!m->run->symbol || !m->run->symbol(m->run->arg, addr, with_offset, m->out))
		tp_printk_0x(m->out, addr);
}

static void put_string_at(struct machine *m, u64 addr)
{
	const char *s = m->run->string ? m->run->string(m->run->arg, addr) : NULL;

	if (s)
		text_escape(m->out, s, strlen(s));
	else
		buf_hex(m->out, addr, 0);
}

static void put_array(struct machine *m)
{
	u64 size = pop(m), count = pop(m), span = pop(m), i;
	const u8 *p = span_ptr(m, span);

	if (size != 1 && size != 2 && size != 4 && size != 8) {
		buf_addf(m->out, "BAD SIZE:%llu", (unsigned long long)size);
		return;
	}
	count = MIN(count, span_len(span) / size);
	if (m->prog->compat) {
		for (i = 0; i < count; i++) {
			if (i)
				buf_addc(m->out, ' ');
			buf_dec(m->out, tp_load(p + i * size, (unsigned int)size, false), 0);
		}
		return;
	}
	buf_addc(m->out, '{');
	for (i = 0; i < count; i++) {
		if (i)
			buf_addc(m->out, ',');
		tp_printk_0x(m->out, tp_load(p + i * size, (unsigned int)size, false));
	}
	buf_addc(m->out, '}');
}

static void put_bytes(struct machine *m, const struct tp_op *op)
{
	u64 count = pop(m), span = pop(m);

	tp_printk_hex(m->out, span_ptr(m, span), MIN(count, span_len(span)), (char)op->a);
}

static void put_raw_hex(struct machine *m, const struct tp_op *op)
{
	u64 span = pop(m);
	struct tp_spec s = full_spec(m, op->spec);

	tp_printk_hex(m->out, span_ptr(m, span), MIN((size_t)s.width, span_len(span)), (char)op->a);
}

static void put_bitlist(struct machine *m, const struct tp_op *op)
{
	u64 span = pop(m);
	struct tp_spec s = full_spec(m, op->spec);
	size_t bits = span_len(span) * 8;

	if (s.width)
		bits = MIN(bits, (size_t)s.width);
	tp_printk_bitlist(m->out, span_ptr(m, span), bits);
}

/* The span's bytes if there are `need` of them, else the word that says so. */
static const u8 *address(struct machine *m, size_t need, const char *invalid)
{
	u64 span = pop(m);

	if (span_len(span) >= need)
		return span_ptr(m, span);
	buf_adds(m->out, invalid);
	return NULL;
}

static void put_address(struct machine *m, const struct tp_op *op)
{
	const u8 *p;
	u64 span;

	switch (op->code) {
	case TP_OP_MAC:
		p = address(m, 6, "INVALIDMAC");
		if (p)
			tp_printk_mac(m->out, p, (char)op->a, op->b);
		break;
	case TP_OP_IP4:
		p = address(m, 4, "INVALIDIPv4");
		if (p)
			tp_printk_ip4(m->out, p, op->a, op->b);
		break;
	case TP_OP_IP6:
		p = address(m, 16, "INVALIDIPv6");
		if (p && op->a == 2)
			tp_printk_ip6c(m->out, p);
		else if (p)
			tp_printk_ip6(m->out, p, op->a);
		break;
	case TP_OP_UUID:
		p = address(m, 16, "INVALIDUUID");
		if (p)
			tp_printk_uuid(m->out, p, op->a, op->b);
		break;
	default:
		span = pop(m);
		tp_printk_sockaddr(m->out, span_ptr(m, span), span_len(span), op->a);
	}
}

static void put_hexdump(struct machine *m, const struct tp_dump *d)
{
	u64 count = pop(m), span = pop(m);

	tp_printk_hexdump(m->out, d, m->prog->text.data + d->prefix, span_ptr(m, span),
			  MIN(count, span_len(span)));
}

static void put_pad(struct machine *m, const struct tp_op *op)
{
	u64 start = pop(m);
	struct tp_spec s = full_spec(m, op->spec);

	tp_printk_pad(m->out, &s, start);
}

static void put_num(struct machine *m, const struct tp_op *op)
{
	u64 v = pop(m);
	struct tp_spec s = full_spec(m, op->spec);

	tp_printk_number(m->out, &s, v);
}

static void put_call(struct machine *m, u64 nr)
{
	const char *name = arch_syscalls_name(m->prog->calls, nr);

	if (name)
		buf_adds(m->out, name);
	else
		buf_sdec(m->out, (s64)nr, 0);
}

static void put_ptr(struct machine *m, u64 v)
{
	if (m->run->bare_pointers) {
		buf_addf(m->out, "%016llx", (unsigned long long)v);
		return;
	}
	if (v)
		tp_printk_0x(m->out, v);
	else
		buf_adds(m->out, "(nil)");
}

/* The operations that only compute. */
static inline void compute(struct machine *m, const struct tp_op *op)
{
	u64 a, b;

	switch (op->code) {
	case TP_OP_CONST:
		push(m, op->v);
		break;
	case TP_OP_LEN:
		push(m, load_at(m, op->c, 4, false) >> 16);
		break;
	case TP_OP_INDEX:
		b = pop(m);
		a = pop(m);
		push(m, element(m, op, a, b));
		break;
	case TP_OP_ALU1:
		push(m, tp_alu1(op->a, pop(m)));
		break;
	case TP_OP_ALU2:
		b = pop(m);
		a = pop(m);
		push(m, tp_alu2(op->a, a, b));
		break;
	case TP_OP_SELECT:
		b = pop(m);
		a = pop(m);
		push(m, pop(m) ? a : b);
		break;
	case TP_OP_SPAN:
		push(m, make_span(m, op->c, op->v ? op->v : m->len));
		break;
	case TP_OP_LOC:
		push(m, loc_span(m, op));
		break;
	}
}

static void print(struct machine *m, const struct tp_op *op)
{
	const struct tp_prog *p = m->prog;

	switch (op->code) {
	case TP_OP_NUM:
		put_num(m, op);
		break;
	case TP_OP_CHAR:
		put_char(m, op);
		break;
	case TP_OP_STRPTR:
		put_string_at(m, pop(m));
		break;
	case TP_OP_FLAGS:
		put_flags(m, &p->tables.v[op->c], pop(m));
		break;
	case TP_OP_CALL:
		put_call(m, pop(m));
		break;
	case TP_OP_HEXBYTES:
		put_bytes(m, op);
		break;
	case TP_OP_RAWHEX:
		put_raw_hex(m, op);
		break;
	case TP_OP_ARRAY:
		put_array(m);
		break;
	case TP_OP_BITMASK:
		tp_printk_bitmask(m->out, span_ptr(m, m->sp[-1]), span_len(m->sp[-1]));
		m->sp--;
		break;
	case TP_OP_BITLIST:
		put_bitlist(m, op);
		break;
	case TP_OP_HEXDUMP:
		put_hexdump(m, &p->dumps.v[op->c]);
		break;
	case TP_OP_FIELD:
		tp_field_print(&p->format->fields[op->c], m->raw, m->len, m->out);
		break;
	case TP_OP_PAD:
		put_pad(m, op);
		break;
	default:
		put_address(m, op);
	}
}

void tp_prog_run(const struct tp_prog *p, const struct tp_run *run, struct buf *out)
{
	u64 stack[TP_STACK_MAX];
	struct machine m = {.prog = p,
			    .run = run,
			    .raw = (const u8 *)(run->raw ? run->raw : ""),
			    .len = MIN(run->len, (size_t)UINT32_MAX),
			    .out = out,
			    .sp = stack};
	const struct tp_op *op = p->ops.v;

	for (;; op++) {
		switch (op->code) {
		case TP_OP_END:
			return;
		case TP_OP_TEXT:
			put_text(&m, op->c, op->v);
			break;
		case TP_OP_LOAD:
			push(&m, load_at(&m, op->c, op->a, op->b));
			break;
		case TP_OP_JZ:
			if (!pop(&m))
				op = p->ops.v + op->c - 1;
			break;
		case TP_OP_JMP:
			op = p->ops.v + op->c - 1;
			break;
		case TP_OP_DROP:
			m.sp--;
			break;
		case TP_OP_MARK:
			push(&m, out->len);
			break;
		case TP_OP_DEC:
			buf_dec(out, pop(&m), 0);
			break;
		case TP_OP_SDEC:
			buf_sdec(out, (s64)pop(&m), 0);
			break;
		case TP_OP_HEX:
			buf_hex(out, pop(&m), 0);
			break;
		case TP_OP_STR:
			put_string(&m, op);
			break;
		case TP_OP_PTR:
			put_ptr(&m, pop(&m));
			break;
		case TP_OP_SYM:
			put_symbol(&m, pop(&m), op->a);
			break;
		case TP_OP_SYMBOLIC:
			put_symbolic(&m, &p->tables.v[op->c], pop(&m));
			break;
		default:
			if (op->code < TP_OP_DEC && op->code > TP_OP_PAD)
				compute(&m, op);
			else
				print(&m, op);
		}
	}
}
