/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind.h - the user call chain of a sample, from its registers and a copy of its stack.
 *
 *	unwinder_new() -> unwind_chain() for every sample, in order of time -> unwinder_free()
 *
 * An unwinder works with a process model as of the moment of the sample. It opens the
 * file behind a mapping when an address in it is first met, through `open`, and keeps what it
 * needs of it. One owner, no locks: threads have one each.
 *
 * Source: DWARF 5, section 6.4; the LSB on .eh_frame and .eh_frame_hdr; the psABIs.
 */
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

#include "arch/arch.h"
#include "util/base/err.h"
#include "util/image/debug_file.h"
#include "util/image/image.h"
#include "util/process/process.h"
#include "util/record/chain.h"
#include "util/record/sample_layout.h"

/* Words of a chain at most, its end mark included: what 64 KiB of stack can hold. */
#define UNWIND_MAX 4096

enum unwind_engine {
	UNWIND_FAST,  /* ours */
	UNWIND_LIBDW, /* references to compare with */
	UNWIND_LIBUNWIND,
};

struct unwind_input {
	u64 abi;         /* PERF_SAMPLE_REGS_ABI_32 or _64 */
	u64 mask;        /* which registers, by perf's numbers */
	const u64 *regs; /* one for each bit of mask; need not be aligned */
	const u8 *stack; /* from the stack pointer upward */
	size_t size;     /* bytes of it */
	bool cut;        /* as many as were asked for: the stack may go on behind them */
};

/* Those of a sample; `cut` as above. */
static inline struct unwind_input unwind_input_of(const struct sample *s, bool cut)
{
	return (struct unwind_input){
		.abi = s->regs_user.abi,
		.mask = s->regs_user.mask,
		.regs = s->regs_user.reg,
		.stack = s->stack,
		.size = s->stack_dyn_size,
		.cut = cut,
	};
}

struct unwind_options {
	enum unwind_engine engine;
	const struct arch *arch; /* of the recording's machine */
	/*
	 * The ELF image behind a mapping of m->maps (a file, the vdso); `pid` is of a process that
	 * has it mapped. The image becomes the unwinder's. <0: it cannot be had.
	 */
	int (*open)(void *ctx, const struct process_model *m, u32 map, u32 pid, struct image *img);
	void *ctx;
	struct debug_file_options
		debug; /* where the debug file of an image is, for its .debug_frame */
};

struct unwinder;

struct unwinder *unwinder_new(const struct unwind_options *o, struct err *err);
void unwinder_free(struct unwinder *u);

/*
 * Close the files that no process of the model maps, since an open one keeps its file system from being unmounted. They are opened
 * again when they are asked for. Our own engine; the references keep all to the end.
 */
void unwinder_close_unmapped(struct unwinder *u, const struct process_model *m);

/*
 * Fill chain[] with addresses and marks (record/chain.h), leaf first; the last word is CHAIN_END +
 * why it ends there. `max` is at least 2. Returns the number of words, never 0.
 */
u32 unwind_chain(struct unwinder *u, const struct process_model *m, const struct thread *t,
		 const struct unwind_input *in, u64 *chain, u32 max);

/*
 * The caller of a function without a frame, for chains of frame pointers.
 *
 * Where a call leaves the return address in a register (arch.h, link_reg), a function that calls
 * nothing may keep it there. The frame pointer is its caller's then, and the kernel's chain goes
 * from the function to its caller's caller:
 *
 *	kernel   leaf           around  main
 *	link     leaf  through  around  main
 *
 * The unwind information says whether the register has the caller at an address. Likewise where the sample has all registers and
 * CHAIN_CALLER_STACK bytes of the stack: there a call leaves the return address, and a probe where the function begins finds
 * the frame pointer of its caller, or no frame pointers at all.
 *
 * What is missing from the sample's chain, and where: before chain[*at]. From the link register it is an address within the
 * call, as perf has it, from the stack the return address. 0: nothing is known to be missing.
 */
u64 unwind_leaf_caller(struct unwinder *u, const struct process_model *m, const struct thread *t,
		       const struct sample *s, u32 *at);

/*
 * One user call chain of two: the one that was unwound from a copy of the stack, and
 * the one that the kernel made by following frame pointers.
 *
 *	unwound  a b c d END_CUT          exact, as far as the copy reaches
 *	kernel   a   c d e f              misses callers of what keeps no frame pointer
 *	both     a b c d e f
 *
 * The kernel's is a part of the truth while its addresses come in the unwound chain in turn. It
 * continues the chain where that ends early, and replaces addresses that were guessed
 * (CHAIN_GUESSED), as long as the two agreed until just before.
 *
 * A chain that goes on to the end of the kernel's has no CHAIN_END: why the kernel stopped is not
 * known.
 *
 * unwound[0..nr) as unwind_chain() gives it; frames[0..nr_frames): addresses only, leaf first.
 * Fills out[], at most `max` words, and returns how many. out is neither of the two.
 */
u32 unwind_merge_chains(const u64 *unwound, u32 nr, const u64 *frames, u32 nr_frames, u64 *out,
			u32 max);

#endif
