/* SPDX-License-Identifier: GPL-2.0 */
/*
 * functions.h - the payload of a SYMS block: functions of several DSOs (docs/FORMAT.md).
 *
 *	writing: { functions_dso() -> functions_add() ... } ... -> functions_put() ...
 *	reading: functions_get(), then dsos and list
 *
 * Fields of one kind are together, and a DSO's functions are sorted, so that they compress well.
 */
#ifndef FILE_FUNCTIONS_H
#define FILE_FUNCTIONS_H

#include "util/base/vec.h"
#include "util/file/dso_head.h"

struct function {
	u64 start, size;
	size_t name; /* where in names it begins; NUL-terminated */
};

struct functions_dso {
	size_t head, head_len; /* in heads: dso_head.h */
	u32 nr;                /* of its functions in list, behind those of the DSOs before */
};

/* Zero-initialised, it is empty and ready. */
struct functions {
	VEC(struct functions_dso) dsos;
	VEC(struct function) list;
	struct buf heads, names;
	bool failed; /* sticky: memory ran out */
};

/* The functions that follow are of this DSO. */
void functions_dso(struct functions *f, const struct dso_head *head);
void functions_add(struct functions *f, u64 start, u64 size, const char *name, size_t len);
/* Where the next payload begins; zero-initialised, at the first function. */
struct functions_at {
	u32 dso;      /* the end: the number of DSOs */
	u32 function; /* of its own */
	u32 listed;   /* functions of the DSOs before it */
};

/*
 * Append the payload of one block and move `at` behind what is in it: all that is left, or so much
 * of it that the block cannot be too large. False: memory ran out, here or before.
 */
bool functions_put(struct functions *f, struct functions_at *at, struct buf *payload);

/* Append what a payload says: 0, -EBADMSG, -ENOMEM. */
int functions_get(struct functions *f, struct cur c);

/* Append what `from` holds, which then is empty. False: memory ran out, here or before. */
bool functions_move(struct functions *to, struct functions *from);

void functions_clear(struct functions *f); /* keeps the memory */
void functions_free(struct functions *f);

#endif
