/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_node.h - the tree of one print fmt argument, with C's types and constants folded.
 *
 * Nodes live in an arena of the compilation. A node may be shared (the variables of a statement
 * expression are), so the tree is walked, never changed.
 */
#ifndef TRACEPOINT_TP_NODE_H
#define TRACEPOINT_TP_NODE_H

#include "util/base/arena.h"
#include "util/tracepoint/tp_alu.h"
#include "util/tracepoint/tp_format.h"

/* An integer type. */
struct tp_type {
	u8 bits; /* 8, 16, 32, 64 */
	bool is_signed;
};

enum tp_node_kind {
	/* Numbers. */
	TP_NODE_CONST,
	TP_NODE_FIELD, /* a scalar field */
	TP_NODE_LEN,   /* bytes of a dynamic array */
	TP_NODE_INDEX, /* a[b] where a is bytes; `type` is that of the element */
	TP_NODE_ALU1,
	TP_NODE_ALU2,
	/* A number or a text, as its two branches b and c; a is the condition. */
	TP_NODE_COND,
	/* Bytes of the record: an array, a dynamic array, the address of a scalar. */
	TP_NODE_BYTES,
	/* Texts. */
	TP_NODE_STRING,
	TP_NODE_FLAGS,    /* __print_flags(a, str, list) */
	TP_NODE_SYMBOLIC, /* __print_symbolic(a, list) */
	TP_NODE_HEX,      /* __print_hex(a, b); value: the separator or 0 */
	TP_NODE_ARRAY,    /* __print_array(a, b elements, of c bytes) */
	TP_NODE_BITMASK,  /* __get_bitmask(): ffffffff,00000001 */
	TP_NODE_BITLIST,  /* __get_cpumask(): 0-3,8 */
	TP_NODE_HEXDUMP,  /* __print_hex_dump(a, b bytes) and `dump` */
};

/* One {value, "name"} of a list. */
struct tp_pair {
	struct tp_pair *next;
	const struct tp_node *value; /* a constant */
	const char *str;             /* unescaped */
	size_t len;
};

struct tp_hexdump {
	const char *prefix;
	size_t prefix_len;
	u32 prefix_type, rowsize, groupsize;
	bool ascii;
};

struct tp_node {
	enum tp_node_kind kind;
	struct tp_type type; /* of numbers, and of the elements of bytes */
	u32 op;              /* enum tp_alu1 or tp_alu2 */
	u64 value;
	bool unresolved; /* a constant made from a name that the kernel did not translate */
	bool bare;       /* and that is nothing else than that name */
	bool is_number;  /* of COND: both branches are numbers */
	const struct tp_node *a, *b, *c;
	const struct tp_field *field;
	const char *str; /* of STRING: unescaped; of FLAGS: what goes between two names */
	size_t len;
	const struct tp_pair *list;
	const struct tp_hexdump *dump;
};

/*
 * Builders. Each returns NULL when memory is out or when one of its operands is NULL, so that they
 * can be nested. `compat` makes every number an unsigned 64-bit one, as perf computes.
 */
struct tp_build {
	struct arena *arena;
	bool compat;
};

struct tp_node *tp_node_new(struct tp_build *b, enum tp_node_kind kind);
const struct tp_node *tp_node_const(struct tp_build *b, u64 value, struct tp_type type);
const struct tp_node *tp_node_field(struct tp_build *b, const struct tp_field *f);
const struct tp_node *tp_node_bytes(struct tp_build *b, const struct tp_field *f);
const struct tp_node *tp_node_alu1(struct tp_build *b, enum tp_alu1 op, const struct tp_node *a);
/* `op` is the C operator (TP_OP1, TP_OP2 of tp_lex.h). */
const struct tp_node *tp_node_binary(struct tp_build *b, u32 op, const struct tp_node *l,
				     const struct tp_node *r);
const struct tp_node *tp_node_cond(struct tp_build *b, const struct tp_node *cond,
				   const struct tp_node *yes, const struct tp_node *no);
const struct tp_node *tp_node_cast(struct tp_build *b, const struct tp_node *n, struct tp_type to);

bool tp_node_is_number(const struct tp_node *n);
/* n is a constant; false where it rests on an untranslated name. */
bool tp_node_is_known(const struct tp_node *n);

#endif
