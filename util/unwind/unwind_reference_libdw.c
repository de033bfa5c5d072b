// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_reference_internal.h"

#include <dwarf.h>
#include <stdlib.h>

#define DEPTH      64
#define MOST_STEPS 1000 /* a damaged expression may branch back for ever */

struct machine {
	struct unwind_expression *x;
	u64 v[DEPTH];
	u32 nr;
	bool bad;
};

static void push(struct machine *s, u64 value)
{
	if (s->nr >= DEPTH) {
		s->bad = true;
		return;
	}
	s->v[s->nr++] = s->x->word == 4 ? (u32)value : value;
}

/* The n-th from the top. */
static u64 peek(struct machine *s, u64 n)
{
	if (n >= s->nr) {
		s->bad = true;
		return 0;
	}
	return s->v[s->nr - 1 - n];
}

static u64 pop(struct machine *s)
{
	u64 v = peek(s, 0);

	if (s->nr)
		s->nr--;
	return v;
}

static void push_register(struct machine *s, u64 reg, u64 add)
{
	if (!unwind_register_known(s->x->regs, reg)) {
		s->x->why = CHAIN_BAD_STACK;
		s->bad = true;
		return;
	}
	push(s, s->x->regs->value[reg] + add);
}

static void deref(struct machine *s, u32 len)
{
	u64 addr = pop(s), value;

	if (!len || len > sizeof(value) || s->bad) {
		s->bad = true;
	} else if (unwind_stack_read(s->x->stack, addr, len, &value)) {
		push(s, value);
	} else {
		s->x->why = unwind_stack_why(s->x->stack, addr);
		s->bad = true;
	}
}

static s64 extend(const struct machine *s, u64 v)
{
	return s->x->word == 4 ? (s32)v : (s64)v;
}

static u64 divide(struct machine *s, s64 a, s64 b)
{
	if (!b || (b == -1 && a == INT64_MIN)) {
		s->bad = true;
		return 0;
	}
	return (u64)(a / b);
}

static u64 modulo(struct machine *s, u64 a, u64 b)
{
	if (!b) {
		s->bad = true;
		return 0;
	}
	return a % b;
}

static bool binary(struct machine *s, u8 op)
{
	u64 b = peek(s, 0), a = peek(s, 1), bits = s->x->word * 8, r;

	switch (op) {
	case DW_OP_and:
		r = a & b;
		break;
	case DW_OP_or:
		r = a | b;
		break;
	case DW_OP_xor:
		r = a ^ b;
		break;
	case DW_OP_plus:
		r = a + b;
		break;
	case DW_OP_minus:
		r = a - b;
		break;
	case DW_OP_mul:
		r = a * b;
		break;
	case DW_OP_div:
		r = divide(s, extend(s, a), extend(s, b));
		break;
	case DW_OP_mod:
		r = modulo(s, a, b);
		break;
	case DW_OP_shl:
		r = b < bits ? a << b : 0;
		break;
	case DW_OP_shr:
		r = b < bits ? a >> b : 0;
		break;
	case DW_OP_shra:
		r = (u64)(extend(s, a) >> (b < bits ? b : bits - 1));
		break;
	case DW_OP_eq:
		r = a == b;
		break;
	case DW_OP_ne:
		r = a != b;
		break;
	case DW_OP_lt:
		r = extend(s, a) < extend(s, b);
		break;
	case DW_OP_le:
		r = extend(s, a) <= extend(s, b);
		break;
	case DW_OP_gt:
		r = extend(s, a) > extend(s, b);
		break;
	case DW_OP_ge:
		r = extend(s, a) >= extend(s, b);
		break;
	default:
		return false;
	}
	pop(s);
	pop(s);
	push(s, r);
	return true;
}

static bool unary(struct machine *s, const Dwarf_Op *op)
{
	u64 v = peek(s, 0);

	switch (op->atom) {
	case DW_OP_neg:
		v = 0 - v;
		break;
	case DW_OP_not:
		v = ~v;
		break;
	case DW_OP_abs:
		v = extend(s, v) < 0 ? 0 - v : v;
		break;
	case DW_OP_plus_uconst:
		v += op->number;
		break;
	default:
		return false;
	}
	pop(s);
	push(s, v);
	return true;
}

static bool shuffle(struct machine *s, const Dwarf_Op *op)
{
	u64 a, b, c;

	switch (op->atom) {
	case DW_OP_dup:
		push(s, peek(s, 0));
		break;
	case DW_OP_drop:
		pop(s);
		break;
	case DW_OP_over:
		push(s, peek(s, 1));
		break;
	case DW_OP_pick:
		push(s, peek(s, op->number));
		break;
	case DW_OP_swap:
		a = pop(s);
		b = pop(s);
		push(s, a);
		push(s, b);
		break;
	case DW_OP_rot:
		a = pop(s);
		b = pop(s);
		c = pop(s);
		push(s, a);
		push(s, c);
		push(s, b);
		break;
	default:
		return false;
	}
	return true;
}

/* Constants, registers and memory. */
static bool load(struct machine *s, const Dwarf_Op *op)
{
	u8 atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		push(s, atom - DW_OP_lit0);
	else if ((atom >= DW_OP_const1u && atom <= DW_OP_consts) || atom == DW_OP_addr)
		push(s, op->number);
	else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		push_register(s, atom - DW_OP_breg0, op->number);
	else if (atom == DW_OP_bregx)
		push_register(s, op->number, op->number2);
	else if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
		push_register(s, atom - DW_OP_reg0, 0);
	else if (atom == DW_OP_regx)
		push_register(s, op->number, 0);
	else if (atom == DW_OP_call_frame_cfa)
		push(s, s->x->cfa);
	else if (atom == DW_OP_deref)
		deref(s, s->x->word);
	else if (atom == DW_OP_deref_size)
		deref(s, (u32)op->number);
	else
		return false;
	if (atom == DW_OP_regx || (atom >= DW_OP_reg0 && atom <= DW_OP_reg31))
		s->x->is_value = true;
	return true;
}

/* The index of the operation that a branch leads to; nr is the end. */
static size_t target(struct machine *s, const Dwarf_Op *ops, size_t nr, size_t at)
{
	/* its number counts from behind the branch: one byte of opcode, two of distance */
	u64 to = ops[at].offset + 3 + (u64)(s16)ops[at].number;
	size_t i;

	for (i = 0; i < nr; i++)
		if (ops[i].offset == to)
			return i;
	if (to < ops[nr - 1].offset)
		s->bad = true;
	return nr;
}

static size_t run_operation(struct machine *s, const Dwarf_Op *ops, size_t nr, size_t at)
{
	const Dwarf_Op *op = &ops[at];

	switch (op->atom) {
	case DW_OP_nop:
		return at + 1;
	case DW_OP_skip:
		return target(s, ops, nr, at);
	case DW_OP_bra:
		return pop(s) ? target(s, ops, nr, at) : at + 1;
	case DW_OP_stack_value:
		s->x->is_value = true;
		return at + 1;
	}
	if (!load(s, op) && !unary(s, op) && !shuffle(s, op) && !binary(s, op->atom))
		s->bad = true;
	return at + 1;
}

bool unwind_expression_run(struct unwind_expression *x, const Dwarf_Op *ops, size_t nr)
{
	struct machine s = {.x = x};
	size_t at = 0;
	u32 steps = 0;

	x->is_value = false;
	x->why = CHAIN_BAD_CFI;
	while (at < nr && !s.bad) {
		if (steps++ == MOST_STEPS)
			return false;
		at = run_operation(&s, ops, nr, at);
	}
	x->value = pop(&s);
	return !s.bad;
}

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
