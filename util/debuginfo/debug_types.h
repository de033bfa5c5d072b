/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug_types.h - what DWARF says of a function's parameters and result, as BTF (btf.h), which expressions are read over.
 *
 *	debug_types_make() -> btf_init(b, base, t.data) -> t.function is the FUNC_PROTO -> debug_types_free() behind that
 *
 * All types that the parameters and the result lead to are there, up to so many; of further ones, and of those that no unit
 * defines, there is the name alone. Ids and strings come behind those of `base`, so that its types are found, too, where the
 * program has none of that name. A base class is a member without a name. What C++ passes by reference is a pointer.
 *
 * Source: DWARF 5, chapters 5 and 2.6.
 */
#ifndef DEBUGINFO_DEBUG_TYPES_H
#define DEBUGINFO_DEBUG_TYPES_H

#include "util/base/buf.h"
#include "util/base/vec.h"
#include "util/btf/btf.h"
#include "util/debuginfo/debug_variables.h"
#include "util/debuginfo/debuginfo.h"

/* Where a parameter is at the first instruction. */
enum debug_where {
	DEBUG_BY_RULE,     /* where the machine's rules of calls say */
	DEBUG_IN_REGISTER, /* reg */
	DEBUG_IN_MEMORY,   /* at reg + offset */
	DEBUG_CONSTANT,    /* it is `offset` */
	DEBUG_NOWHERE,
};

#define DEBUG_CFA UINT32_MAX /* for a register: the canonical frame address */

struct debug_location {
	enum debug_where where;
	u32 reg; /* DWARF's number */
	s64 offset;
	u32 align; /* of its type, in bytes; 0: not known, or it has vectors */
};

struct debug_types {
	struct buf data; /* BTF */
	u32 function;    /* its id */
	VEC(struct debug_location) parameters;
	bool hides_result; /* the first argument is where the result is put */
	u32 result_align;  /* as of a parameter */
};

/*
 * Of the function that begins at a virtual address of the image. -ENODATA: nothing is known of it; -ENOMEM. `base` may be NULL. `named`:
 * expressions, or NULL; the program's types that they name are there, too, and of a struct that units define differently the name alone.
 */
int debug_types_make(struct debug_types *t, struct debug_source *s, u64 vaddr,
		     const struct btf *base, const char *named, struct err *err);
/* Of variables: `function` has them as its parameters; where they are `v` says. */
int debug_types_make_of(struct debug_types *t, const struct debug_variables *v,
			const struct btf *base, const char *named, struct err *err);
void debug_types_free(struct debug_types *t);

#endif
