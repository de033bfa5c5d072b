/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug_variables.h - the variables and parameters in scope at places in code, and where their values are there, as DWARF says.
 *
 *	debug_variables_find() -> debug_types_make_of(): their types -> debug_variables_free(), before debug_source_close()
 *
 * In scope is what C sees at the line: of the function that it is in, also where that was inlined, and not of its callers; the innermost
 * block first; not what is declared below the line. Variables of files are not looked for.
 *
 * Where a value is, is computed in steps on a stack that begins empty and ends with one number: the value, or its address. Locations
 * for which that takes more are unknown, which a message says.
 *
 * Source: DWARF 5, sections 2.5, 2.6, 3.3.8.2, 3.5, 4.1, 6.4.
 */
#ifndef DEBUGINFO_DEBUG_VARIABLES_H
#define DEBUGINFO_DEBUG_VARIABLES_H

#include "util/debuginfo/debug_places.h"

enum debug_step_kind {
	DEBUG_STEP_NUMBER,   /* push v */
	DEBUG_STEP_REGISTER, /* push what is in register `reg` (DWARF's number), plus v */
	DEBUG_STEP_STATIC,   /* push where the virtual address v of the image is in the process */
	DEBUG_STEP_READ,     /* replace an address by the number of `size` bytes there */
	DEBUG_STEP_UNARY,    /* replace a number: sign - ~ */
	DEBUG_STEP_BINARY, /* replace two: sign + - * & | ^ l (<<) r (>>); with a sign: s (>>) < > { (<=) } (>=) = n (!=) */
	DEBUG_STEP_CONVERT, /* replace a number by its lowest `size` bytes, with sign or without */
};

struct debug_step {
	enum debug_step_kind kind;
	char sign;
	bool is_signed;
	u8 size;
	u32 reg;
	s64 v;
};

enum debug_spot_kind {
	DEBUG_SPOT_NOWHERE,
	DEBUG_SPOT_REGISTER, /* the value is that of the only step, a register */
	DEBUG_SPOT_VALUE,    /* the steps compute it */
	DEBUG_SPOT_MEMORY,   /* the steps compute its address */
};

/* Where a variable is at a place. */
struct debug_spot {
	enum debug_spot_kind kind;
	u32 first, nr; /* steps */
};

struct debug_variable {
	const char *name;
	const char *why;           /* it can be read at none of the places; NULL: it can */
	bool in_scope;             /* at any place */
	struct debug_entry *entry; /* which has its type */
	u64 line;                  /* of its declaration */
};

struct debug_variables {
	struct arena arena;
	VEC(struct debug_variable) v;
	VEC(struct debug_spot) spots; /* of each variable, one for each place */
	VEC(struct debug_step) steps;
};

/* -ENOMEM. Of places in code of which no function is known there are none. */
int debug_variables_find(struct debug_variables *v, struct debug_source *s,
			 const struct debug_places *p, struct err *err);
void debug_variables_free(struct debug_variables *v);

#endif
