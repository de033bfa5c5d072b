// SPDX-License-Identifier: GPL-2.0
/*
 * Text tables of symbols: whatever is found contains the address that was asked for.
 * The first byte selects the format and the view, the rest is the text.
 */
#include <stdlib.h>
#include <string.h>

#include "util/kernel/kallsyms.h"
#include "util/process/jit_limits.h"
#include "util/process/perf_map.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void look_up(const struct symtab *st, u64 addr)
{
	const struct sym *sym = symtab_find(st, addr);

	if (sym && (addr < sym->start || addr >= sym->end || !sym->name[0]))
		abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct symtab st = {0};
	struct buf copy = {0};
	enum symtab_view view;
	const char *text, *limit;
	int ret;
	u32 i;

	if (!size)
		return 0;
	view = data[0] & 2 ? SYMTAB_PERF : SYMTAB_NESTED;
	text = (const char *)data + 1;
	if (data[0] & 1) {
		ret = perf_map_parse(&st, text, size - 1, view, &limit, NULL);
	} else {
		buf_add(&copy, text, size - 1);
		ret = kallsyms_take(&st, &copy, view, NULL);
	}
	for (i = 0; !ret && i < st.syms.nr; i++) {
		if (data[0] & 1 && strlen(st.syms.v[i].name) > JIT_NAME_MAX)
			abort();
		look_up(&st, st.syms.v[i].start - 1);
		look_up(&st, st.syms.v[i].start);
		look_up(&st, st.syms.v[i].end - 1);
		look_up(&st, st.syms.v[i].end);
	}
	look_up(&st, 0);
	look_up(&st, UINT64_MAX);
	symtab_free(&st);
	return 0;
}
