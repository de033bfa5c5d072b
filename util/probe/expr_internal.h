/* SPDX-License-Identifier: GPL-2.0 */
/* expr_internal.h - what the pages of expr.h share. */
#ifndef PROBE_EXPR_INTERNAL_H
#define PROBE_EXPR_INTERNAL_H

#include "util/probe/expr.h"

/* What arithmetic gives: 64 bits. */
static inline struct expr_type expr_long_type(bool is_signed)
{
	return expr_number_type(sizeof(u64), is_signed);
}

struct expr_type expr_element_type(const struct btf *b, const struct expr_type *array);

/* A node over `a` and `b`, which may be NULL. NULL and the error: memory is out, or there are too many. */
struct expr *expr_add(struct expr_scope *s, enum expr_op op, struct expr_type type,
		      const struct expr *a, const struct expr *b, struct err *err);
/* What a value points to, as a place. */
const struct expr *expr_follow(struct expr_scope *s, const struct expr *a, struct err *err);

#endif
