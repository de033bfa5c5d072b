/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_emit.h - operations for the arguments of a print fmt: numbers, texts, spans of the record.
 *
 * The compiler (tp_prog.c) walks the conversions of the format and asks here for the argument of
 * each. All return false (or NULL) with `err` set when it cannot be compiled.
 */
#ifndef TRACEPOINT_TP_EMIT_H
#define TRACEPOINT_TP_EMIT_H

#include "util/tracepoint/tp_op.h"
#include "util/tracepoint/tp_parse.h"

struct tp_compiler {
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

bool tp_emit_fail(struct tp_compiler *c, const char *what);
struct tp_op *tp_emit(struct tp_compiler *c, enum tp_opcode code);
/* Account for one more word on the stack. */
struct tp_op *tp_emit_push(struct tp_compiler *c, enum tp_opcode code);
/* An output operation, after which the conversion's operands are gone. */
struct tp_op *tp_emit_out(struct tp_compiler *c, enum tp_opcode code, unsigned int pops,
			  const struct tp_spec *s);
/* Turn the literal text collected since the last op into an op of its own. */
bool tp_emit_flush(struct tp_compiler *c);

/* Push the value of an expression; where a field lies; a constant. */
bool tp_emit_num(struct tp_compiler *c, const struct tp_node *n);
bool tp_emit_span(struct tp_compiler *c, const struct tp_node *n);
bool tp_emit_const(struct tp_compiler *c, u64 v);
/* Print an expression that is a text (%s); nothing at all, but with the width it would take. */
bool tp_emit_text(struct tp_compiler *c, const struct tp_node *n, const struct tp_spec *s);
void tp_emit_nothing(struct tp_compiler *c, const struct tp_spec *s);
/* Has the conversion neither width nor precision? */
bool tp_emit_is_plain(const struct tp_spec *s);

#endif
