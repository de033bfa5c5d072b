/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_stacks.h - the call chains of a section of a DATA payload.
 *
 * A chain is cut before PERF_CONTEXT_USER, or before DEFERRED_CONTEXT, whose cookie is not among the words
 * here, and each half, of which there are far fewer, stands in
 * a dictionary. Halves share what they have in common from their outer end: each is a node of a
 * tree whose root is outside of main. Half 0 is the empty one.
 */
#ifndef FILE_COLUMNS_STACKS_H
#define FILE_COLUMNS_STACKS_H

#include "util/base/vec.h"
#include "util/file/columns_in.h"
#include "util/file/columns_out.h"

enum { COLUMNS_KERNEL, COLUMNS_USER, COLUMNS_HALVES };

struct columns_half {
	u32 at, nr; /* its words */
};

struct columns_node {
	u32 parent;
	u32 ip; /* 0: its address is a new one, else how many new ones ago it was new */
	u64 address;
};

/* Collecting halves. */
struct columns_halves {
	struct columns_table known; /* hash -> half */
	struct columns_table nodes; /* (parent, address) -> node */
	struct columns_table ips;   /* address -> number */
	VEC(u64) words;             /* the halves, one behind the other */
	VEC(struct columns_half) halves;
	VEC(u32) parents, counts; /* of a half: the node it grows from, nodes that are new */
	VEC(struct columns_node) tree;
	VEC(u64) addresses;
	VEC(u32) path; /* the nodes of the half that was new last, the outermost first */
	u32 path_half; /* that half, 0: none */
	u32 last;      /* the half that came last, 0: none */
	bool failed;   /* sticky: memory ran out */
};

void columns_halves_clear(struct columns_halves *h);
void columns_halves_free(struct columns_halves *h);
/* The number of a half of `nr` words. */
u32 columns_halves_add(struct columns_halves *h, const u8 *p, u32 nr, bool *is_new);
void columns_halves_put(struct columns_halves *h, struct columns_out *o);

/* Where the user half begins among the `nr` words at p. */
u32 columns_halves_cut(const u8 *p, u32 nr);

/* Do these words begin with that half (0: none)? One often comes several times in a row. */
static inline bool columns_halves_again(const struct columns_halves *h, u32 half, const u8 *p,
					u32 nr, u32 *len)
{
	const struct columns_half *f;

	if (!half)
		return false;
	f = &h->halves.v[half - 1];
	*len = f->nr;
	return f->nr <= nr && !memcmp(&h->words.v[f->at], p, (size_t)f->nr * 8);
}

struct columns_found {
	u32 node, nr;
	u32 at; /* where its words are, ID_NONE: not yet asked for */
};

/* Halves that were read. */
struct columns_known {
	VEC(struct columns_found) halves;
	VEC(u32) parents;
	VEC(u64) addresses; /* of the nodes */
	VEC(u64) words;
};

/* Read a dictionary; false, and c->bad. */
bool columns_known_get(struct columns_known *k, struct columns_in *in, struct cur *c);
void columns_known_free(struct columns_known *k);
/*
 * The addresses of a half, valid until the next call; false: there is none with that number, or
 * memory is out (in->nomem).
 */
bool columns_known_half(struct columns_known *k, struct columns_in *in, u32 half, const u64 **words,
			u32 *nr);
/* The second word of the chain made of two halves, 0 if it has none; false: no such halves. */
bool columns_known_second(const struct columns_known *k, const u32 halves[COLUMNS_HALVES],
			  u64 *word);

#endif
