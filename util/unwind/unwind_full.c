// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_internal.h"

struct full {
	struct unwind_lookup *k;
	struct unwind_walk *w;
	struct unwind_frame *f;
	u64 regs[ARCH_UNWIND_REGS];
	u64 known;  /* a bit for each */
	u64 missed; /* the address that could not be read */
	bool misread;
};

static bool get_register(void *ctx, u64 reg, u64 *value)
{
	const struct full *x = ctx;
	const struct arch_unwind *a = x->w->arch;

	/* the column of the return address means the instruction pointer */
	if (reg == a->ra && !a->link) {
		*value = x->f->ip;
		return true;
	}
	if (reg >= a->nr || !(x->known >> reg & 1))
		return false;
	*value = x->regs[reg];
	return true;
}

static bool get_dwarf_register(void *ctx, u64 dwarf, u64 *value)
{
	const struct full *x = ctx;

	return get_register(ctx, arch_unwind_register(x->w->arch, dwarf), value);
}

static bool load(void *ctx, u64 addr, u32 bytes, u64 *value)
{
	struct full *x = ctx;

	if (unwind_walk_load(x->w, addr, bytes, value))
		return true;
	x->missed = addr;
	x->misread = true;
	return false;
}

static const struct cfi_expr_ops expr_ops = {.reg = get_dwarf_register, .load = load};

static enum chain_end why(const struct full *x)
{
	return x->misread ? unwind_walk_why(x->w, x->missed) : CHAIN_BAD_STACK;
}

static enum cfi_expr_result evaluate_expression(struct full *x, const struct cfi_rule *r,
						const u64 *initial, u64 *value)
{
	return cfi_expr(cur_init(r->expr, r->arg), x->w->arch->word, &expr_ops, x, initial, value);
}

static enum cfi_expr_result find_cfa(struct full *x, const struct cfi_rule *cfa, u64 *value)
{
	if (cfa->how == CFI_VAL_EXPR)
		return evaluate_expression(x, cfa, NULL, value);
	if (!get_register(x, cfa->arg, value))
		return CFI_EXPR_VALUE;
	*value += (u64)cfa->value;
	return CFI_EXPR_OK;
}

/* The caller's value of a register; *known says whether it can be computed. */
static enum cfi_expr_result apply_rule(struct full *x, const struct cfi_rule *r, u32 reg, u64 cfa,
				       u64 *value, bool *known)
{
	enum cfi_expr_result result = CFI_EXPR_OK;
	u32 word = x->w->arch->word;

	*known = true;
	switch (r->how) {
	case CFI_UNDEFINED:
		*known = false;
		break;
	case CFI_OFFSET:
		/* popped already: GCC goes on saying where the register was */
		if (cfa + (u64)r->value < x->f->sp && cfa >= x->f->sp)
			*known = get_register(x, reg, value);
		else if (!load(x, cfa + (u64)r->value, word, value))
			result = CFI_EXPR_VALUE;
		break;
	case CFI_VAL_OFFSET:
		*value = cfa + (u64)r->value;
		break;
	case CFI_REGISTER:
		*known = get_register(x, r->arg, value);
		*value += (u64)r->value;
		break;
	case CFI_EXPR:
		result = evaluate_expression(x, r, &cfa, value);
		if (result == CFI_EXPR_OK && !load(x, *value, word, value))
			result = CFI_EXPR_VALUE;
		break;
	case CFI_VAL_EXPR:
		result = evaluate_expression(x, r, &cfa, value);
		break;
	default:
		*known = reg < x->w->arch->nr && x->known >> reg & 1;
		*value = x->regs[reg];
	}
	return result;
}

/*
 * A register that cannot be had is just not known in the caller, unless it is what the chain goes
 * on with: the return address or the stack pointer.
 */
static enum cfi_expr_result caller_registers(struct full *x, const struct cfi_row *row, u64 cfa,
					     u64 *regs, u64 *known)
{
	const struct arch_unwind *a = x->w->arch;
	enum cfi_expr_result result;
	bool has;
	u64 v;
	u32 i;

	*known = 0;
	for (i = 0; i < a->nr; i++) {
		bool needed = i == row->ra || i == a->sp;

		v = cfa - a->cfa_words * a->word;
		if (i == a->sp && row->regs[i].how <= CFI_SAME) {
			has = true;
		} else {
			if (needed)
				x->misread = false;
			result = apply_rule(x, &row->regs[i], i, cfa, &v, &has);
			if (result != CFI_EXPR_OK && needed)
				return result;
			has &= result == CFI_EXPR_OK;
		}
		if (needed && !has)
			return CFI_EXPR_VALUE;
		regs[i] = a->word == 4 ? (u32)v : v;
		*known |= (u64)has << i;
	}
	return CFI_EXPR_OK;
}

enum step {
	STEP_ON,
	STEP_GUESSED, /* on, by a guess */
	STEP_END,     /* *end says why */
};

/* A guess has found stack and frame pointer; other registers are kept, as most functions do. */
static enum step guessed_registers(struct full *x)
{
	const struct arch_unwind *a = x->w->arch;

	x->regs[a->sp] = x->f->sp;
	x->regs[a->fp] = x->f->fp;
	x->known |= 1ull << a->sp | 1ull << a->fp;
	return STEP_GUESSED;
}

static enum step fail_step(const struct full *x, enum cfi_expr_result result, enum chain_end *end)
{
	*end = result == CFI_EXPR_BAD ? CHAIN_BAD_CFI : why(x);
	return STEP_END;
}

/* The frame of the caller, from its registers. */
static enum step enter_caller(struct full *x, const struct cfi_row *row, const u64 *regs, u64 known,
			      enum chain_end *end)
{
	const struct arch_unwind *a = x->w->arch;
	struct unwind_frame *f = x->f;
	u64 ip = regs[row->ra], sp = regs[a->sp];
	/*
	 * No frame of its own: a function that has its return address in a register, as vfork() has, has not
	 * called either, and what is saved in the caller's frame needs none.
	 */
	const u32 ra = row->regs[row->ra].how;
	bool in_register = ra == CFI_REGISTER || (a->link && ra <= CFI_SAME);
	bool unmoved = a->save_words ? ip != f->ip : f->exact && in_register;

	/* where a signal has interrupted is not what the link register holds */
	if (row->signal && a->link && a->pc < a->nr && row->regs[a->pc].how == CFI_OFFSET)
		ip = regs[a->pc];
	else
		ip &= a->user_mask;
	if (!unwind_walk_is_address(ip) && !row->signal && unwind_guess_above(x->k, x->w, f, sp))
		return guessed_registers(x);
	/* only a signal changes to another stack, which may lie anywhere */
	if (!unwind_walk_is_address(ip) || (!row->signal && (unmoved ? sp < f->sp : sp <= f->sp))) {
		*end = ip ? CHAIN_BAD_STACK : CHAIN_ROOT;
		return STEP_END;
	}
	memcpy(x->regs, regs, sizeof(x->regs));
	x->known = known;
	*f = (struct unwind_frame){.ip = ip, .sp = sp, .exact = row->signal, .signal = row->signal};
	if (known >> a->fp & 1)
		f->fp = regs[a->fp];
	if (a->link && known >> a->ra & 1)
		f->link = regs[a->ra];
	return STEP_ON;
}

static enum step step_by_row(struct full *x, const struct cfi_row *row, enum chain_end *end)
{
	enum cfi_expr_result result;
	u64 regs[ARCH_UNWIND_REGS] = {0}, known, cfa = 0;

	x->misread = false;
	if (row->regs[row->ra].how == CFI_UNDEFINED) {
		*end = CHAIN_ROOT;
		return STEP_END;
	}
	/* the return address must have been saved, unless nothing was called yet */
	if (row->regs[row->ra].how <= CFI_SAME && !(x->w->arch->link && x->f->exact)) {
		*end = CHAIN_BAD_CFI;
		return STEP_END;
	}
	result = find_cfa(x, &row->cfa, &cfa);
	if (result == CFI_EXPR_OK)
		result = caller_registers(x, row, cfa, regs, &known);
	if (result != CFI_EXPR_OK)
		return fail_step(x, result, end);
	return enter_caller(x, row, regs, known, end);
}

enum chain_end unwind_full(struct unwind_lookup *k, struct unwind_walk *w, struct unwind_frame *f)
{
	struct full x = {.k = k, .w = w, .f = f};
	const struct cfi_row *row;
	enum chain_end end;
	enum step step;
	u32 i;

	for (i = 0; i < w->arch->nr; i++)
		if (unwind_walk_register(w, i, &x.regs[i]))
			x.known |= 1ull << i;
	if (!unwind_walk_add(w, f, false))
		return CHAIN_LIMIT;
	for (;;) {
		if (unwind_lookup_row(k, w, unwind_frame_pc(f), &row, &end))
			step = step_by_row(&x, row, &end);
		else
			step = unwind_guess(k, w, f, &end) ? guessed_registers(&x) : STEP_END;
		if (step == STEP_END)
			return end;
		if (!unwind_walk_add(w, f, step == STEP_GUESSED))
			return CHAIN_LIMIT;
	}
}
