/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symtab.h - address ranges with names, and which of them covers an address.
 *
 * The kernel's symbols, those of an ELF image and those of a JIT are all kept in it. What the
 * addresses mean (virtual, file offset) is the owner's business. A zero-initialised symtab is
 * empty and ready; symtab_add() in any order, symtab_finish() once, then symtab_find() in a few
 * nanoseconds. The table owns its symbols and names.
 *
 * Symbols that share an address are aliases: one of them is kept. Where symbols overlap, the view given to
 * symtab_finish() decides. Lookups may then run in parallel.
 */
#ifndef BASE_SYMTAB_H
#define BASE_SYMTAB_H

#include "util/base/arena.h"
#include "util/base/types.h"
#include "util/base/vec.h"

/*
 * Bytes of a name. Others write them: a damaged or hostile table may have one as long as its file, which would fill memory
 * wherever names are kept, and lines wherever they are printed.
 */
#define SYM_NAME_MAX (64u << 10)

#define SYM_GLOBAL 0x01
#define SYM_WEAK   0x02
#define SYM_NOSIZE 0x04 /* `end` is only how far it may reach: it ends at the next symbol */
#define SYM_DATA   0x08 /* not code */
#define SYM_MARKER 0x10 /* bounds a section or pads a function: every other name is better */
#define SYM_PLT    0x20 /* "NAME@plt" */
#define SYM_PREFER 0x40 /* the best name of its aliases */
#define SYM_MODULE 0x80 /* symtab_module() has its name */

struct sym {
	u64 start, end; /* [start, end) */
	const char *name;
	u32 order; /* its number in the order of adding; of SYMTAB_PERF: its node in the tree */
	u8 flags;
};

enum symtab_view {
	/*
	 * The innermost symbol, which is the one that begins last. A label inside a function is
	 * no symbol of its own. The best of aliases is, in this order: preferred, no marker, with
	 * a size, not weak, global, with fewer leading underscores, with the longer name.
	 */
	SYMTAB_NESTED,
	/* The symbol that was added last: of two that overlap, the older code is gone (JIT). */
	SYMTAB_NEWEST,
	/* What perf 6.1 finds, whose tree assumes that symbols do not overlap (symtab_internal.h). */
	SYMTAB_PERF,
};

/* The address space cut where symbols begin and end, so that each piece has one symbol or none (symtab_pieces.c). */
struct symtab_piece {
	u64 start; /* to the start of the next piece */
	u32 sym;   /* index of the symbol, or ID_NONE for a gap */
};

struct symtab_pieces {
	VEC(struct symtab_piece) cuts; /* in order of address */
	u32 *buckets;                  /* the piece at the first address of each bucket */
	u32 nr_buckets;
	u8 shift; /* log2 of a bucket's size */
};

/* A search tree of perf's shape (symtab_tree.c). */
struct symtab_node {
	u64 start, end; /* [start, end); the end is the owner's, and may change */
	u32 child[2];   /* node + 1, 0: none; left and right */
	u32 parent;     /* likewise */
	bool red;
};

struct symtab_tree {
	VEC(struct symtab_node) nodes;
	u32 root; /* node + 1 */
};

struct symtab {
	/* Optional, set before the first symbol: symtab_better_name() for names that are coded. */
	bool (*better_name)(const char *a, const char *b);
	struct arena arena;
	VEC(void *) adopted;     /* memory that names point into */
	VEC(struct sym) syms;    /* sorted by address after symtab_finish() */
	u32 nr_ordered;          /* the first of syms are sorted by address */
	struct symtab_tree tree; /* of an image in perf's view */
	u32 nr_settled;          /* the first of syms are in the tree */
	struct symtab_pieces pieces;
};

/*
 * Add a symbol; the name is copied. `module` may be NULL. With SYM_NOSIZE, `end` is how far it may
 * reach at most. False when memory is out.
 */
bool symtab_add(struct symtab *st, u64 start, u64 end, const char *name, size_t len, u8 flags);
bool symtab_add_module(struct symtab *st, u64 start, u64 end, const char *name, size_t len,
		       const char *module, size_t module_len, u8 flags);

/*
 * For large tables, without copies: make room, hand over memory of malloc(3), even if that fails, and
 * add symbols whose names are in it. With SYM_MODULE, the module's name follows the symbol's.
 */
bool symtab_reserve(struct symtab *st, u64 more);
bool symtab_adopt(struct symtab *st, void *bytes);
bool symtab_add_adopted(struct symtab *st, u64 start, u64 end, const char *name, u8 flags);

/*
 * SYMTAB_PERF only, at the points where perf does it: sort what was added so far, give symbols
 * without a size an end, and keep one of each group of aliases. `kallsyms`: the last symbol of the
 * kernel, and that of the modules, end with a page instead of at the next symbol. 0 or -ENOMEM.
 */
int symtab_settle(struct symtab *st, bool kallsyms);

/* 0 or -ENOMEM. Nothing may be added afterwards. */
int symtab_finish(struct symtab *st, enum symtab_view view);

/* True if b is a better name than a: fewer leading underscores, else more to read. */
bool symtab_better_name(const char *a, const char *b);

/* The index of the symbol at addr, or ID_NONE. */
u32 symtab_pieces_find(const struct symtab_pieces *p, u64 addr);

/* The symbol at addr, or NULL. */
static inline const struct sym *symtab_find(const struct symtab *st, u64 addr)
{
	u32 sym = symtab_pieces_find(&st->pieces, addr);

	return sym == ID_NONE ? NULL : &st->syms.v[sym];
}

/* "[nf_tables]" of a symbol with SYM_MODULE. */
const char *symtab_module(const struct sym *sym);

/* Bytes of memory, but for what was adopted. */
u64 symtab_bytes(const struct symtab *st);

void symtab_free(struct symtab *st);

#endif
