/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_filter_node.h - the tree of a filter: comparisons, and what joins them.
 *
 * Nodes live in the arena of their filter and are never changed once it is made.
 */
#ifndef TRACEPOINT_TP_FILTER_NODE_H
#define TRACEPOINT_TP_FILTER_NODE_H

#include "util/tracepoint/tp_format.h"

enum tp_filter_op {
	TP_FILTER_EQ,
	TP_FILTER_NE,
	TP_FILTER_LE, /* before <, as one begins the other */
	TP_FILTER_GE,
	TP_FILTER_LT,
	TP_FILTER_GT,
	TP_FILTER_NOT_LIKE,
	TP_FILTER_LIKE,
	TP_FILTER_BITS, /* & */
	TP_FILTER_OPS
};

enum tp_filter_what {
	TP_FILTER_FIELD,
	TP_FILTER_ELEMENT,
	TP_FILTER_CPU,
	TP_FILTER_TID,
	TP_FILTER_COMM,
};

/* What stands left of an operator, and may stand right of it. */
struct tp_filter_value {
	enum tp_filter_what what;
	const struct tp_field *field; /* of TID: common_pid; of CPU, COMM: NULL */
	u32 index;                    /* of ELEMENT */
};

enum tp_filter_kind {
	TP_FILTER_ALL,      /* a && b */
	TP_FILTER_ANY,      /* a || b */
	TP_FILTER_NOT,      /* ! a */
	TP_FILTER_NUMBER,   /* left op number */
	TP_FILTER_TEXT,     /* left op text: EQ, NE */
	TP_FILTER_GLOB,     /* left matches text; a pattern of base/glob.h */
	TP_FILTER_BYTES,    /* left op bytes, as far as `bits`: EQ, NE */
	TP_FILTER_CPUS,     /* left op a set of CPUs: EQ, NE, BITS */
	TP_FILTER_FUNCTION, /* left stands in the function `text`: EQ, NE */
	TP_FILTER_VALUES,   /* left op right */
};

struct tp_filter_node {
	enum tp_filter_kind kind;
	enum tp_filter_op op;
	struct tp_filter_value left, right;
	u64 number;       /* cut to the width of left, and sign-extended if that is signed */
	bool hex;         /* it was typed so */
	bool user;        /* the text is in the memory of a process */
	const char *text; /* NUL-terminated, of TEXT, GLOB, FUNCTION; the bytes of BYTES */
	size_t len;       /* of text */
	const char *like; /* GLOB: the pattern for the kernel, NULL: it has none that is right */
	u32 at, bits;     /* BYTES: where in the field, and how many */
	u32 family;       /* BYTES: what the u16 before it must be, 0: anything */
	const char *cpus; /* CPUS: as typed between the braces */
	const u8 *set;    /* CPUS: a bit each ... */
	u32 nr_set;       /* ... in so many bytes */
	u64 start, end;   /* FUNCTION: where it is, 0: not known */
	const struct tp_filter_node *a, *b;
	const char *typed; /* the whole, as it stands in the text */
	size_t typed_len;
};

/* char x[16], __data_loc char[] x. */
static inline bool tp_filter_is_text(const struct tp_filter_value *v)
{
	return v->what == TP_FILTER_COMM || (v->what == TP_FILTER_FIELD && v->field->is_string);
}

/* A pointer that the kernel takes for that of a string. */
bool tp_filter_is_text_pointer(const struct tp_filter_value *v);
/* A number of 1, 2, 4 or 8 bytes, also where it is declared as an array, as the kernel has it. */
bool tp_filter_is_number(const struct tp_filter_value *v);
u32 tp_filter_size(const struct tp_filter_value *v); /* bytes of a number */
bool tp_filter_is_signed(const struct tp_filter_value *v);
/* Its name as the kernel knows it. */
const char *tp_filter_name(const struct tp_filter_value *v);

#endif
