// SPDX-License-Identifier: GPL-2.0
#include "util/profile/symboliser.h"

/* Bits of an answer that an hmap can keep. */
#define LEVELS_MAX 31
#define DSO_SHIFT  44

enum { OWN_NAME, SYMBOLS_NAME };

static u64 key_of(const struct debug_entry *e)
{
	return (u64)(uintptr_t)e;
}

/* It is the innermost: what it is called now, and what from now on. */
static bool ask_innermost(struct addr2line_names *a, const struct debug_frame *f, u64 into)
{
	u32 known = hmap_get(&a->functions, key_of(f->entry));

	if (debug_entry_is_linkage(f->entry))
		return false;
	if (known != ID_NONE)
		return known == SYMBOLS_NAME;
	/* for lack of memory it is asked anew */
	hmap_set(&a->functions, key_of(f->entry),
		 debug_entry_begin(f->entry) == f->vaddr - into ? SYMBOLS_NAME : OWN_NAME);
	return true;
}

u32 addr2line_names_ask(struct addr2line_names *a, u32 dso, u64 addr, const struct debug_frame *f,
			u32 nr, u64 into)
{
	u64 key = (u64)dso << DSO_SHIFT | addr;
	u32 known = hmap_get(&a->answers, key), names = 0, i;

	if (known != ID_NONE)
		return known;
	if (!f[0].entry)
		/* not from DWARF: a name without namespaces would look inlined */
		return nr == 1;
	names = ask_innermost(a, f, into);
	for (i = 1; i < nr && i < LEVELS_MAX; i++)
		if (hmap_get(&a->functions, key_of(f[i].entry)) == SYMBOLS_NAME)
			names |= 1u << i;
	hmap_set(&a->answers, key, names);
	return names;
}

void addr2line_names_free(struct addr2line_names *a)
{
	hmap_free(&a->answers);
	hmap_free(&a->functions);
}
