// SPDX-License-Identifier: GPL-2.0
#include "util/record/chain.h"

u32 chain_kernel_half(const u64 *chain, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (chain[i] == (u64)PERF_CONTEXT_USER || chain_is_mark(chain[i]))
			break;
	return i;
}

const char *chain_end_text(enum chain_end end)
{
	static const char *const texts[CHAIN_ENDS] = {
		[CHAIN_ROOT] = "complete",
		[CHAIN_CUT] = "stack copy too short",
		[CHAIN_NO_MAP] = "address not mapped",
		[CHAIN_NO_FILE] = "file gone",
		[CHAIN_NO_CFI] = "no unwind information",
		[CHAIN_BAD_CFI] = "unwind information damaged",
		[CHAIN_BAD_STACK] = "stack damaged",
		[CHAIN_LIMIT] = "too many frames",
		[CHAIN_NO_UNWIND] = "not unwound",
		[CHAIN_NO_STACK] = "no copy of the stack",
		[CHAIN_NO_RETURN] = "not back in user space",
	};

	return end < CHAIN_ENDS ? texts[end] : "unknown";
}
