/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symtab.h - address ranges with names, and which of them covers an address.
 *
 * The kernel's symbols, those of an ELF image and those of a JIT are all kept in it. What the
 * addresses mean (virtual, file offset) is the owner's business. A zero-initialised symtab is
 * empty and ready; symtab_add() in any order, symtab_finish() once, then symtab_find() in a few
 * nanoseconds. The table owns its symbols and names.
 *
 * Symbols that share an address are aliases: one of them is kept. Symbols that overlap are told
 * apart by the view that symtab_finish() is asked for. Lookups may then run in parallel.
 */
#ifndef BASE_SYMTAB_H
#define BASE_SYMTAB_H

#include "util/base/arena.h"
#include "util/base/sym.h"
#include "util/base/symtab_pieces.h"
#include "util/base/symtab_tree.h"
#include "util/base/types.h"
#include "util/base/vec.h"

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
 * add symbols whose names are in it. With SYM_MODULE, the module's name stands behind the symbol's.
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
