// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/leaf_caller.h"

#include <string.h>

/* perf's numbers of arm64's registers, in order. */
enum { ARM64_FP = 29, ARM64_LINK, ARM64_SP, ARM64_PC, ARM64_END };

/* Where the link register alone has the return address: that; else 0. */
static u64 return_address(struct unwinder *u, const struct process_model *m, const struct thread *t,
			  const struct sample *s, u64 pc)
{
	/* no stack: what is told without it is told by the registers */
	u64 regs[] = {0, 0, 0, pc};
	const struct unwind_input in = {
		.abi = s->regs_user.abi,
		.mask = (1ull << ARM64_END) - (1ull << ARM64_FP),
		.regs = regs,
		.stack = (const u8 *)regs,
	};
	u64 chain[4];

	memcpy(&regs[ARM64_LINK - ARM64_FP], s->regs_user.reg, sizeof(*regs));
	/* behind a guess stands a mark */
	if (unwind_chain(u, m, t, &in, chain, ARRAY_SIZE(chain)) < 3 || chain[0] != pc ||
	    chain_is_mark(chain[1]))
		return 0;
	return chain[1];
}

u64 leaf_caller(struct unwinder *u, const struct process_model *m, const struct thread *t,
		const struct sample *s, u32 *at)
{
	const struct arch *arch = u->options.arch;
	const u32 kernel = chain_kernel_half(s->chain, s->chain_nr);
	u64 caller;

	/* perf looks at chains that have one more address */
	if (!arch || !arch->link_reg || !s->regs_user.reg || s->regs_user.mask != arch->link_reg ||
	    s->regs_user.abi != PERF_SAMPLE_REGS_ABI_64 || s->chain_nr < kernel + 3 ||
	    s->chain[kernel] != (u64)PERF_CONTEXT_USER)
		return 0;
	caller = return_address(u, m, t, s, s->chain[kernel + 1]);
	if (!caller || --caller == s->chain[kernel + 2])
		return 0;
	*at = kernel + 2;
	return caller;
}
