/* SPDX-License-Identifier: GPL-2.0 */
/* tp_filter_internal.h - what the parts of a filter share: text -> tree (parse) -> the kernel's words (kernel), or run here. */
#ifndef TRACEPOINT_TP_FILTER_INTERNAL_H
#define TRACEPOINT_TP_FILTER_INTERNAL_H

#include "util/base/buf.h"
#include "util/tracepoint/tp_filter.h"
#include "util/tracepoint/tp_format.h"

/*
 * The tree of a filter: comparisons, and what joins them.
 *
 * Nodes live in the arena of their filter and are never changed once it is made.
 */

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

/* The left side of an operator; also allowed on the right. */
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
	TP_FILTER_FUNCTION, /* left is in the function `text`: EQ, NE */
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
	const char *typed; /* the whole, as in the text */
	size_t typed_len;
};

/* Of CPUS: is it in the set, and how many are? */
static inline bool tp_filter_has_cpu(const struct tp_filter_node *n, u64 cpu)
{
	return cpu / 8 < n->nr_set && n->set[cpu / 8] >> cpu % 8 & 1;
}

static inline u32 tp_filter_nr_cpus(const struct tp_filter_node *n)
{
	u32 i, nr = 0;

	for (i = 0; i < n->nr_set; i++)
		nr += (u32)__builtin_popcount(n->set[i]);
	return nr;
}

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

/*
 * tp_filter_parse.c: the text of a filter as a tree.
 *
 * The grammar, texts, bytes and functions are here; tp_filter_number.c reads numbers and their names.
 */

struct tp_filter_parser {
	const struct tp_format *f;
	const struct tp_filter_opts *opts;
	struct arena *arena;
	const char *text; /* NUL-terminated */
	const char *p;    /* what is read next */
	const char *at;   /* the comparison that is being read */
	struct err *err;
	u32 depth, nodes;
	int failed; /* -EINVAL with the place; the first error is kept */
};

/* NULL, with `failed` set. */
const struct tp_filter_node *tp_filter_parse_all(struct tp_filter_parser *p);

/* ---- for the readers of values ---- */

/* A piece of the text. */
struct tp_filter_word {
	const char *s;
	size_t len;
};

/* Say what is wrong at `at`; returns NULL. */
void *tp_filter_parse_error(struct tp_filter_parser *p, const char *at, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* What would have been right; the hint of the error that was just said. */
void tp_filter_parse_hint(struct tp_filter_parser *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
void *tp_filter_parse_nomem(struct tp_filter_parser *p);

void tp_filter_parse_blanks(struct tp_filter_parser *p);
/* Up to a blank, a bracket, && or ||, and what else is in `ends`. May be empty. */
struct tp_filter_word tp_filter_parse_word(struct tp_filter_parser *p, const char *ends);
/* A copy that ends in NUL; NULL: memory is out, and the error is set. */
const char *tp_filter_parse_copy(struct tp_filter_parser *p, struct tp_filter_word w);
/* The field (or cpu, comm, tid) of that name; false if there is none, without an error. */
bool tp_filter_parse_value(struct tp_filter_parser *p, struct tp_filter_word w,
			   struct tp_filter_value *v);
struct tp_filter_node *tp_filter_parse_node(struct tp_filter_parser *p, enum tp_filter_kind kind);
/* Two values of the sample beside each other. */
const struct tp_filter_node *tp_filter_parse_values(struct tp_filter_parser *p,
						    const struct tp_filter_value *left,
						    enum tp_filter_op op,
						    const struct tp_filter_value *right);

/* At most so much of a word is quoted in a message: "%.*s", TP_FILTER_WORD(w). */
#define TP_FILTER_WORD_SHOWN 64
#define TP_FILTER_WORD(w)    (int)MIN((w).len, (size_t)TP_FILTER_WORD_SHOWN), (w).s

/*
 * tp_filter_kernel.c: what of a filter the kernel can do, in its words.
 *
 * Names of values have become numbers. The text of a function ends in a blank, since the kernel reads
 * its name up to the next one, brackets included.
 *
 * Source: kernel/trace/trace_events_filter.c, parse_pred().
 *
 * A text of so many bytes it takes: a page, NUL included, less what is added to every filter.
 */
#define TP_FILTER_KERNEL_MAX 3800

/* Can the kernel do all of it? */
bool tp_filter_kernel_can(const struct tp_filter_node *n, const struct tp_filter_opts *o);
/* Append it, in brackets if it is an alternative and `inner`. */
void tp_filter_kernel_put(const struct tp_filter_node *n, const struct tp_filter_opts *o,
			  bool inner, struct buf *out);

/*
 * tp_filter_number.c: the right side of an operator whose left side is a number: numbers, names
 * of values, sets of CPUs, other fields.
 *
 * NULL, with the error set.
 */
const struct tp_filter_node *tp_filter_number_parse(struct tp_filter_parser *p,
						    const struct tp_filter_value *v,
						    enum tp_filter_op op);

/*
 * tp_filter.c: whether a tree holds for one sample.
 */

enum tp_filter_verdict { TP_FILTER_NO, TP_FILTER_YES, TP_FILTER_UNKNOWN };

/* The operand of .function: a name, or an address in it. NULL, with the error set. */
const struct tp_filter_node *tp_filter_text_function(struct tp_filter_parser *p,
						     const struct tp_filter_value *v,
						     enum tp_filter_op op);

/*
 * An address of the network, which is bytes, for a field of them. False where the word is none:
 * without an error. True with *n NULL: it is one, but not for this field.
 */
bool tp_filter_text_address(struct tp_filter_parser *p, const struct tp_filter_value *v,
			    enum tp_filter_op op, struct tp_filter_word w,
			    const struct tp_filter_node **n);

#endif
