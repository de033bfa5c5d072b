/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_chain.h - the call chain of a record as the numbers of its two halves (columns_stacks.h),
 * where it mostly is the one of the record before it of the same event.
 */
#ifndef FILE_COLUMNS_CHAIN_H
#define FILE_COLUMNS_CHAIN_H

#include "util/file/columns.h"
#include "util/file/columns_stacks.h"

/* So many words at most are kept, of a chain that came so often in a row. */
#define COLUMNS_CHAIN_MAX   32
#define COLUMNS_CHAIN_TIMES 4

/* The last call chain of an event in this block; all zeros: there was none. */
struct columns_chain {
	u32 kernel, user; /* its halves */
	u32 times;        /* that it came again in a row */
	u32 nr;           /* of its words; 0: they are not kept */
	u64 words[COLUMNS_CHAIN_MAX];
};

/*
 * The `nr` words at p, of a record of that type: the numbers of their halves then stand in *c. `s`
 * has what columns_add() says of a record without any; NULL: nothing is to be said.
 */
void columns_chain_any(struct columns_chain *c, struct columns_halves halves[COLUMNS_HALVES],
		       u32 type, const u8 *p, u32 nr, struct columns_stacks *s);

static inline void columns_chain_tell(const struct columns_chain *c, struct columns_stacks *s)
{
	s->kernel = c->kernel ? c->kernel : ID_NONE;
	s->user = c->user ? c->user : ID_NONE;
}

/* The same, of a sample. */
static inline void columns_chain_sample(struct columns_chain *c,
					struct columns_halves halves[COLUMNS_HALVES], const u8 *p,
					u32 nr, struct columns_stacks *s)
{
	if (!nr || nr != c->nr || memcmp(c->words, p, (size_t)nr * 8)) {
		columns_chain_any(c, halves, PERF_RECORD_SAMPLE, p, nr, s);
		return;
	}
	halves[COLUMNS_USER].last = c->user;
	if (s)
		columns_chain_tell(c, s);
}

#endif
