/* SPDX-License-Identifier: GPL-2.0 */
/*
 * call_rows.h - stacks as the tables of numbers that files of other programs hold.
 *
 *	name       a string, each once
 *	function   a name in a file; the same function at other addresses is the same
 *	frame      a line of a function, or the function, and how deep it is inlined
 *	row        a frame that was called from another row: a stack is the row of its innermost frame
 *
 * All are numbered from 0 without gaps, in order of first sight; the parent of a row has a lower
 * number. Inlined functions are rows of their own, above the function they are in. Names are
 * escaped as text_escape() does. A frame without a symbol is named after its file, "[libc.so.6]",
 * or "[unknown]", as is a sample without any address; what is missing of a stack that was not
 * unwound to its end is "[truncated]".
 */
#ifndef EXPORT_CALL_ROWS_H
#define EXPORT_CALL_ROWS_H

#include "util/profile/stack_tree.h"

enum call_class {
	CALL_UNKNOWN, /* no file, or missing */
	CALL_USER,
	CALL_MADE, /* code that a JIT compiler made */
	CALL_KERNEL,
	NR_CALL_CLASSES,
};

struct call_function {
	u32 name;
	u32 dso;  /* of the process model, ID_NONE: not known */
	u32 file; /* of the source, a name; ID_NONE: not known */
	enum call_class class;
};

struct call_frame {
	u32 function;
	u32 line;  /* 0: not known */
	u32 depth; /* 0: not inlined */
};

struct call_row {
	u32 parent; /* ID_NONE: outermost */
	u32 frame;
};

struct call_rows {
	struct stack_tree stacks;
	bool source;           /* look up the source lines of all frames */
	bool lines;            /* distinguish the lines of a function */
	struct strtab names;   /* others may add theirs */
	struct strtab keys[3]; /* of functions, frames, rows: what each was made of */
	VEC(u32) files;        /* of functions */
	VEC(u32) of_node;      /* innermost row of each node of the stacks */
};

/*
 * lines: frames are lines, else functions. The source is looked up unless it is not wanted for
 * inlined functions. The symboliser stays the caller's.
 */
int call_rows_init(struct call_rows *c, struct symboliser *symboliser, bool lines, struct err *err);
/* The row of a sample's stack; ID_NONE when memory is out. */
u32 call_rows_get(struct call_rows *c, const struct session_sample *s);
/* Likewise, of these frames, innermost first. */
u32 call_rows_path(struct call_rows *c, const struct stack_frame *frames, u32 nr);

/* The number of an escaped name; ID_NONE when memory is out. */
u32 call_rows_name(struct call_rows *c, const char *name);

static inline u32 call_rows_nr_functions(const struct call_rows *c)
{
	return c->keys[0].nr;
}

static inline u32 call_rows_nr_frames(const struct call_rows *c)
{
	return c->keys[1].nr;
}

static inline u32 call_rows_nr(const struct call_rows *c)
{
	return c->keys[2].nr;
}

struct call_function call_rows_function(const struct call_rows *c, u32 function);
struct call_frame call_rows_frame(const struct call_rows *c, u32 frame);
struct call_row call_rows_row(const struct call_rows *c, u32 row);

void call_rows_free(struct call_rows *c);

#endif
