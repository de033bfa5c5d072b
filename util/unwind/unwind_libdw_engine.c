// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_libdw_engine.h"

#include <stdlib.h>

#include "util/unwind/unwind_expression.h"

struct unwind_libdw {
	struct unwind_modules modules;
};

/* One walk up one stack. */
struct walk {
	struct unwind_libdw *e;
	const struct process_model *m;
	const struct thread *t;
	const struct arch_unwind *k;
	struct unwind_registers regs;
	struct unwind_stack stack;
	bool exact;  /* the address is of the instruction itself, not of the one behind a call */
	bool signal; /* the frame was a signal's: the next one was interrupted */
	enum chain_end why;
};

struct unwind_libdw *unwind_libdw_new(const struct unwind_options *o, struct err *err)
{
	struct unwind_libdw *e = calloc(1, sizeof(*e));

	if (!e) {
		err_nomem(err);
		return NULL;
	}
	e->modules.options = o;
	return e;
}

void unwind_libdw_free(struct unwind_libdw *e)
{
	if (!e)
		return;
	unwind_modules_free(&e->modules);
	free(e);
}

/* The rules at the address; the caller frees them. */
static Dwarf_Frame *find_frame(struct walk *w, u64 addr)
{
	Dwarf_Frame *frame = NULL;
	struct unwind_module *mod;
	u64 bias;

	mod = unwind_modules_find(&w->e->modules, w->m, w->t, addr, &bias, &w->why);
	if (!mod)
		return NULL;
	w->why = CHAIN_NO_CFI;
	if (mod->img.ehdr.e_machine != w->k->elf_machine)
		return NULL;
	if (mod->eh && !dwarf_cfi_addrframe(mod->eh, addr - bias, &frame))
		return frame;
	if (mod->debug && !dwarf_cfi_addrframe(mod->debug, addr - bias, &frame))
		return frame;
	return NULL;
}

static bool evaluate(struct walk *w, struct unwind_expression *x, const Dwarf_Op *ops, size_t nr)
{
	if (unwind_expression_run(x, ops, nr))
		return true;
	w->why = x->why;
	return false;
}

/* What register `reg` held in the caller; false: not known, w->why says why. */
static bool caller_register(struct walk *w, struct unwind_expression *x, Dwarf_Frame *frame,
			    u32 reg, u64 *value)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;

	w->why = CHAIN_BAD_CFI;
	if (dwarf_frame_register(frame, (int)arch_unwind_dwarf(w->k, reg), mem, &ops, &nr))
		return false;
	if (!nr && ops == mem) {
		w->why = CHAIN_ROOT; /* undefined */
		return false;
	}
	if (!nr) {
		*value = w->regs.value[reg];
		return unwind_register_known(&w->regs, reg);
	}
	if (!evaluate(w, x, ops, nr))
		return false;
	*value = x->value;
	if (x->is_value || unwind_stack_read(&w->stack, x->value, w->k->word, value))
		return true;
	w->why = unwind_stack_why(&w->stack, x->value);
	return false;
}

/* Replace the registers by the caller's. */
static bool apply_frame(struct walk *w, Dwarf_Frame *frame)
{
	struct unwind_expression x = {.regs = &w->regs, .stack = &w->stack, .word = w->k->word};
	struct unwind_registers up = {0};
	u64 ra, was = w->regs.value[w->k->sp];
	bool trampoline = false;
	Dwarf_Op *ops;
	size_t nr;
	int ra_dwarf;
	u32 reg, ra_column;

	w->why = CHAIN_BAD_CFI;
	ra_dwarf = dwarf_frame_info(frame, NULL, NULL, &trampoline);
	ra_column = ra_dwarf < 0 ? ARCH_UNWIND_NONE : arch_unwind_register(w->k, (u64)ra_dwarf);
	if (ra_column >= w->k->nr || dwarf_frame_cfa(frame, &ops, &nr) || !nr ||
	    !evaluate(w, &x, ops, nr))
		return false;
	x.cfa = x.value;
	for (reg = 0; reg < w->k->nr; reg++) {
		if (caller_register(w, &x, frame, reg, &up.value[reg]))
			up.known |= 1ull << reg;
	}
	if (!unwind_register_known(&up, w->k->sp)) {
		up.value[w->k->sp] = x.cfa - w->k->cfa_words * w->k->word;
		up.known |= 1ull << w->k->sp;
	}
	if (!caller_register(w, &x, frame, ra_column, &ra))
		return false;
	/* a caller's frame lies above, except that a leaf of AArch64 has none */
	w->why = CHAIN_BAD_STACK;
	if (!trampoline && (up.value[w->k->sp] < was || (up.value[w->k->sp] == was && !w->exact)))
		return false;
	up.ip = ra & w->k->user_mask;
	w->regs = up;
	w->signal = w->exact = trampoline;
	return true;
}

static bool walk_up(struct walk *w)
{
	Dwarf_Frame *frame = find_frame(w, w->exact ? w->regs.ip : w->regs.ip - 1);
	bool ok;

	if (!frame)
		return false;
	ok = apply_frame(w, frame);
	free(frame);
	if (ok && !w->regs.ip) {
		w->why = CHAIN_ROOT;
		return false;
	}
	return ok;
}

u32 unwind_libdw_chain(struct unwind_libdw *e, const struct process_model *m,
		       const struct thread *t, const struct unwind_input *in, u64 *chain, u32 max)
{
	struct walk w = {
		.e = e,
		.m = m,
		.t = t,
		.k = arch_unwind_find(e->modules.options->arch, in->abi),
		.exact = true,
	};
	u32 nr = 0;

	if (!w.k || !unwind_registers_load(&w.regs, w.k, in)) {
		chain[0] = CHAIN_END + CHAIN_NO_UNWIND;
		return 1;
	}
	w.stack = (struct unwind_stack){.start = w.regs.value[w.k->sp],
					.size = in->size,
					.bytes = in->stack,
					.cut = in->cut};
	for (;;) {
		if (nr + 2 + w.signal > max) {
			w.why = CHAIN_LIMIT;
			break;
		}
		if (w.signal)
			chain[nr++] = CHAIN_SIGNAL;
		w.signal = false;
		chain[nr++] = w.regs.ip;
		if (!walk_up(&w))
			break;
	}
	chain[nr++] = CHAIN_END + w.why;
	return nr;
}
