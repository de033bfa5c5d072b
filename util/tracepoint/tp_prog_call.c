// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_prog_internal.h"

#include <string.h>

static const struct tp_type s32_type = {32, true}, u32_type = {32, false}, u64_type = {64, false};

bool tp_call_constant(const struct tp_tok *name, u64 *v)
{
	/* Kernels before TRACE_DEFINE_ENUM (4.1) print these names. */
	static const struct {
		const char *name;
		u8 value;
	} names[] = {
		{"HI_SOFTIRQ", 0},
		{"TIMER_SOFTIRQ", 1},
		{"NET_TX_SOFTIRQ", 2},
		{"NET_RX_SOFTIRQ", 3},
		{"BLOCK_SOFTIRQ", 4},
		{"BLOCK_IOPOLL_SOFTIRQ", 5},
		{"IRQ_POLL_SOFTIRQ", 5},
		{"TASKLET_SOFTIRQ", 6},
		{"SCHED_SOFTIRQ", 7},
		{"HRTIMER_SOFTIRQ", 8},
		{"RCU_SOFTIRQ", 9},
		{"HRTIMER_NORESTART", 0},
		{"HRTIMER_RESTART", 1},
		{"DUMP_PREFIX_NONE", 0},
		{"DUMP_PREFIX_ADDRESS", 1},
		{"DUMP_PREFIX_OFFSET", 2},
		{"true", 1},
		{"false", 0},
		{"NULL", 0},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!tp_parse_word(name, names[i].name))
			continue;
		*v = names[i].value;
		return true;
	}
	return false;
}

/* The field that a helper names, as in __get_str(field). */
static const struct tp_field *named_field(struct tp_parser *p)
{
	const struct tp_field *f = NULL;

	if (p->tok.kind == TP_TOK_IDENT)
		f = tp_format_field_n(p->f, p->tok.s, p->tok.len);
	if (!f)
		return tp_parse_error(p, p->tok.s, "no field \"%.*s\"",
				      (int)MIN(p->tok.len, (size_t)80), p->tok.s);
	tp_parse_next(p);
	return f;
}

static const struct tp_node *with_field(struct tp_parser *p, enum tp_node_kind kind)
{
	const struct tp_field *f = named_field(p);
	struct tp_node *n;

	if (!f)
		return NULL;
	n = tp_node_new(&p->build, kind);
	if (n) {
		n->a = tp_node_bytes(&p->build, f);
		n->field = f;
	}
	return n && n->a ? n : NULL;
}

static const struct tp_node *get_bytes(struct tp_parser *p, u32 arg)
{
	const struct tp_field *f = named_field(p);

	(void)arg;
	return f ? tp_node_bytes(&p->build, f) : NULL;
}

static const struct tp_node *get_len(struct tp_parser *p, u32 arg)
{
	(void)arg;
	return with_field(p, TP_NODE_LEN);
}

static const struct tp_node *get_mask(struct tp_parser *p, u32 kind)
{
	return with_field(p, kind);
}

static bool comma(struct tp_parser *p)
{
	return tp_parse_expect(p, TP_OP1(','));
}

/*
 * {value, "name"} behind its brace: 1, or 0 for {} and for the {0, NULL} that ends some lists, or
 * -1 on error.
 */
static int pair(struct tp_parser *p, struct tp_pair *pair)
{
	const char *at = p->tok.s;
	const struct tp_node *name;

	if (tp_parse_take(p, TP_OP1('}')))
		return 0;
	pair->value = tp_parse_expr(p);
	if (!pair->value || !comma(p))
		return -1;
	name = tp_parse_expr(p);
	if (!name || !tp_parse_expect(p, TP_OP1('}')))
		return -1;
	if (pair->value->kind != TP_NODE_CONST)
		tp_parse_error(p, at, "a list's value is no constant");
	else if (name->kind == TP_NODE_CONST)
		return 0;
	else if (name->kind != TP_NODE_STRING)
		tp_parse_error(p, at, "a list's name is no string");
	if (p->err->code)
		return -1;
	pair->str = name->str;
	pair->len = name->len;
	return 1;
}

/* , {value, "name"}, ... up to the closing parenthesis */
static bool pairs(struct tp_parser *p, const struct tp_pair **list)
{
	struct tp_pair *new, *last = NULL;
	int ret;

	while (tp_parse_take(p, TP_OP1(','))) {
		/* A list may end in a comma. */
		if (!tp_parse_take(p, TP_OP1('{')))
			break;
		new = arena_alloc(p->build.arena, sizeof(*new));
		ret = new ? pair(p, new) : -1;
		if (ret < 0)
			return false;
		if (!ret)
			continue;
		if (last)
			last->next = new;
		else
			*list = new;
		last = new;
	}
	return true;
}

static const struct tp_node *print_flags(struct tp_parser *p, u32 arg)
{
	struct tp_node *n = tp_node_new(&p->build, TP_NODE_FLAGS);

	(void)arg;
	if (!n)
		return NULL;
	n->a = tp_parse_expr(p);
	if (!n->a || !comma(p))
		return NULL;
	n->str = "";
	if (p->tok.kind == TP_TOK_IDENT) /* NULL */
		tp_parse_next(p);
	else if (!tp_parse_string(p, &n->str, &n->len))
		return NULL;
	return pairs(p, &n->list) ? n : NULL;
}

static const struct tp_node *print_symbolic(struct tp_parser *p, u32 arg)
{
	struct tp_node *n = tp_node_new(&p->build, TP_NODE_SYMBOLIC);

	(void)arg;
	if (!n)
		return NULL;
	n->a = tp_parse_expr(p);
	return n->a && pairs(p, &n->list) ? n : NULL;
}

/* (bytes, count) -> hexadecimal, `separator` between two bytes */
static const struct tp_node *print_hex(struct tp_parser *p, u32 separator)
{
	struct tp_node *n = tp_node_new(&p->build, TP_NODE_HEX);

	if (!n)
		return NULL;
	n->value = separator;
	n->a = tp_parse_expr(p);
	if (!n->a || !comma(p))
		return NULL;
	n->b = tp_parse_expr(p);
	return n->b ? n : NULL;
}

/* (bytes, number of elements, bytes of one) */
static const struct tp_node *print_array(struct tp_parser *p, u32 arg)
{
	struct tp_node *n = tp_node_new(&p->build, TP_NODE_ARRAY);

	(void)arg;
	if (!n)
		return NULL;
	n->a = tp_parse_expr(p);
	if (!n->a || !comma(p))
		return NULL;
	n->b = tp_parse_expr(p);
	if (!n->b || !comma(p))
		return NULL;
	n->c = tp_parse_expr(p);
	return n->c ? n : NULL;
}

/* (field, bytes of one element) */
static const struct tp_node *print_dynamic_array(struct tp_parser *p, u32 arg)
{
	struct tp_node *n = tp_node_new(&p->build, TP_NODE_ARRAY);
	const struct tp_node *len = with_field(p, TP_NODE_LEN);

	(void)arg;
	if (!n || !len || !comma(p))
		return NULL;
	n->a = len->a;
	n->c = tp_parse_expr(p);
	n->b = tp_node_binary(&p->build, TP_OP1('/'), len, n->c);
	return n->b ? n : NULL;
}

static bool small_const(struct tp_parser *p, u32 *v)
{
	const char *at = p->tok.s;
	const struct tp_node *n = tp_parse_expr(p);

	if (!n)
		return false;
	if (!tp_node_is_known(n) || n->value > 256) {
		tp_parse_error(p, at, "a small constant is missing");
		return false;
	}
	*v = (u32)n->value;
	return true;
}

/* (prefix, prefix type, row size, group size, bytes, count, with characters) */
static const struct tp_node *print_hex_dump(struct tp_parser *p, u32 arg)
{
	struct tp_node *n = tp_node_new(&p->build, TP_NODE_HEXDUMP);
	struct tp_hexdump *d = arena_alloc(p->build.arena, sizeof(*d));
	u32 ascii;

	(void)arg;
	if (!n || !d || !tp_parse_string(p, &d->prefix, &d->prefix_len) || !comma(p) ||
	    !small_const(p, &d->prefix_type) || !comma(p) || !small_const(p, &d->rowsize) ||
	    !comma(p) || !small_const(p, &d->groupsize) || !comma(p))
		return NULL;
	n->dump = d;
	n->a = tp_parse_expr(p);
	if (!n->a || !comma(p))
		return NULL;
	n->b = tp_parse_expr(p);
	if (!n->b || !comma(p) || !small_const(p, &ascii))
		return NULL;
	d->ascii = ascii != 0;
	return n;
}

static const struct tp_node *expect_likely(struct tp_parser *p, u32 arg)
{
	const struct tp_node *n = tp_parse_expr(p);

	(void)arg;
	return n && comma(p) && tp_parse_expr(p) ? n : NULL;
}

static const struct tp_node *binary_const(struct tp_parser *p, u32 op, const struct tp_node *n,
					  u64 value, struct tp_type type)
{
	return tp_node_binary(&p->build, op, n, tp_node_const(&p->build, value, type));
}

/* __print_ns_to_secs(ns), __print_ns_without_secs(ns) */
static const struct tp_node *ns(struct tp_parser *p, u32 op)
{
	const struct tp_node *n = tp_node_cast(&p->build, tp_parse_expr(p), u64_type);

	n = binary_const(p, op, n, 1000000000, u64_type);
	return op == TP_OP1('%') ? tp_node_cast(&p->build, n, u32_type) : n;
}

/* jiffies_to_msecs(j), jiffies_to_usecs(j): `per_second` units, rounded up as the kernel does. */
static const struct tp_node *jiffies(struct tp_parser *p, u32 per_second)
{
	const char *at = p->tok.s;
	const struct tp_node *n = tp_node_cast(&p->build, tp_parse_expr(p), u64_type);

	if (!p->opts.hz)
		return tp_parse_error(p, at, "jiffies, and CONFIG_HZ of the machine is unknown");
	n = binary_const(p, TP_OP1('*'), n, per_second, u64_type);
	if (per_second % p->opts.hz)
		n = binary_const(p, TP_OP1('+'), n, p->opts.hz - 1, u64_type);
	n = binary_const(p, TP_OP1('/'), n, p->opts.hz, u64_type);
	return tp_node_cast(&p->build, n, u32_type);
}

/* Errors as pointers: the last 4095 addresses. */
static const struct tp_node *is_err(struct tp_parser *p, u32 or_null)
{
	const struct tp_node *n = tp_node_cast(&p->build, tp_parse_expr(p), u64_type), *err;

	err = binary_const(p, TP_OP2('>', '='), n, (u64)-4095, u64_type);
	if (!or_null || !err)
		return err;
	return tp_node_binary(&p->build, TP_OP2('|', '|'), tp_node_alu1(&p->build, TP_NOT, n), err);
}

static const struct tp_node *ptr_err(struct tp_parser *p, u32 arg)
{
	const struct tp_type long_type = {(u8)(p->opts.long_size * 8), true};

	(void)arg;
	return tp_node_cast(&p->build, tp_parse_expr(p), p->opts.compat ? u64_type : long_type);
}

static const struct tp_node *ptr_err_or_zero(struct tp_parser *p, u32 arg)
{
	const struct tp_node *n = tp_parse_expr(p), *err;

	(void)arg;
	if (!n)
		return NULL;
	err = binary_const(p, TP_OP2('>', '='), tp_node_cast(&p->build, n, u64_type), (u64)-4095,
			   u64_type);
	n = tp_node_cast(&p->build, n, s32_type);
	return tp_node_cond(&p->build, err, n, tp_node_const(&p->build, 0, s32_type));
}

static const struct tp_node *swap(struct tp_parser *p, u32 op)
{
	return tp_node_alu1(&p->build, op, tp_parse_expr(p));
}

static const struct tp_node *same(struct tp_parser *p, u32 arg)
{
	(void)arg;
	return tp_parse_expr(p);
}

/* include/linux/edac.h: the name of an error's type. */
static const struct tp_node *mc_event_error_type(struct tp_parser *p, u32 arg)
{
	static const char *const names[] = {"Corrected", "Uncorrected", "Deferred", "Fatal",
					    "Info"};
	const struct tp_node *type = tp_parse_expr(p), *text = NULL, *is;
	struct tp_node *s;
	size_t i;

	(void)arg;
	for (i = ARRAY_SIZE(names); type && i--;) {
		s = tp_node_new(&p->build, TP_NODE_STRING);
		if (!s)
			return NULL;
		s->str = names[i];
		s->len = strlen(names[i]);
		is = binary_const(p, TP_OP2('=', '='), type, i, s32_type);
		text = text ? tp_node_cond(&p->build, is, s, text) : s;
	}
	return text;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BIG    swap
#define LITTLE same
#else
#define BIG    same
#define LITTLE swap
#endif

static const struct call {
	const char *name;
	const struct tp_node *(*parse)(struct tp_parser *p, u32 arg);
	u32 arg;
} calls[] = {
	{"__print_flags", print_flags, 0},
	{"__print_flags_u64", print_flags, 0},
	{"__print_symbolic", print_symbolic, 0},
	{"__print_symbolic_u64", print_symbolic, 0},
	{"__print_hex", print_hex, ' '},
	{"__print_hex_str", print_hex, 0},
	{"__print_array", print_array, 0},
	{"__print_dynamic_array", print_dynamic_array, 0},
	{"__print_hex_dump", print_hex_dump, 0},
	{"__print_ns_to_secs", ns, TP_OP1('/')},
	{"__print_ns_without_secs", ns, TP_OP1('%')},
	{"__get_str", get_bytes, 0},
	{"__get_rel_str", get_bytes, 0},
	{"__get_dynamic_array", get_bytes, 0},
	{"__get_rel_dynamic_array", get_bytes, 0},
	{"__get_dynamic_array_len", get_len, 0},
	{"__get_rel_dynamic_array_len", get_len, 0},
	{"__get_sockaddr", get_bytes, 0},
	{"__get_rel_sockaddr", get_bytes, 0},
	{"__get_sockaddr_rel", get_bytes, 0},
	{"__get_bitmask", get_mask, TP_NODE_BITMASK},
	{"__get_rel_bitmask", get_mask, TP_NODE_BITMASK},
	{"__get_cpumask", get_mask, TP_NODE_BITLIST},
	{"__get_rel_cpumask", get_mask, TP_NODE_BITLIST},
	{"__builtin_expect", expect_likely, 0},
	{"jiffies_to_msecs", jiffies, 1000},
	{"jiffies_to_usecs", jiffies, 1000000},
	{"IS_ERR", is_err, false},
	{"IS_ERR_VALUE", is_err, false},
	{"IS_ERR_OR_NULL", is_err, true},
	{"PTR_ERR", ptr_err, 0},
	{"PTR_ERR_OR_ZERO", ptr_err_or_zero, 0},
	{"ERR_PTR", ptr_err, 0},
	{"mc_event_error_type", mc_event_error_type, 0},
	{"ntohs", BIG, TP_SWAP16},
	{"htons", BIG, TP_SWAP16},
	{"ntohl", BIG, TP_SWAP32},
	{"htonl", BIG, TP_SWAP32},
	{"be16_to_cpu", BIG, TP_SWAP16},
	{"be32_to_cpu", BIG, TP_SWAP32},
	{"be64_to_cpu", BIG, TP_SWAP64},
	{"cpu_to_be16", BIG, TP_SWAP16},
	{"cpu_to_be32", BIG, TP_SWAP32},
	{"cpu_to_be64", BIG, TP_SWAP64},
	{"__be16_to_cpu", BIG, TP_SWAP16},
	{"__be32_to_cpu", BIG, TP_SWAP32},
	{"__be64_to_cpu", BIG, TP_SWAP64},
	{"le16_to_cpu", LITTLE, TP_SWAP16},
	{"le32_to_cpu", LITTLE, TP_SWAP32},
	{"le64_to_cpu", LITTLE, TP_SWAP64},
	{"__le16_to_cpu", LITTLE, TP_SWAP16},
	{"__le32_to_cpu", LITTLE, TP_SWAP32},
	{"__le64_to_cpu", LITTLE, TP_SWAP64},
	{"__builtin_bswap16", swap, TP_SWAP16},
	{"__builtin_bswap32", swap, TP_SWAP32},
	{"__builtin_bswap64", swap, TP_SWAP64},
};

const struct tp_node *tp_call_parse(struct tp_parser *p, const struct tp_tok *name)
{
	const struct tp_node *n;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls) && !tp_parse_word(name, calls[i].name); i++)
		;
	if (i == ARRAY_SIZE(calls))
		return tp_parse_error(p, name->s, "unknown function \"%.*s\"",
				      (int)MIN(name->len, (size_t)80), name->s);
	tp_parse_next(p);
	n = calls[i].parse(p, calls[i].arg);
	return n && tp_parse_expect(p, TP_OP1(')')) ? n : NULL;
}
