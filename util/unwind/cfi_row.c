// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/cfi.h"

#include <dwarf.h>

#include "util/base/cur.h"

/* DW_CFA_remember_state within another: compilers do it once or twice, macros of assembly more often. */
#define STATES 32
/* Instructions that one row may take: more than any function of a compiler has. */
#define STEP_LIMIT 100000

/* Not in every dwarf.h. It has no operands, as DW_CFA_AARCH64_negate_ra_state. */
#define CFA_AARCH64_NEGATE_RA_STATE_WITH_PC 0x2c

struct program {
	const struct cfi_fde *fde;
	const struct arch_unwind *arch;
	struct cfi_row *row;
	struct cfi_row initial; /* what the CIE says: for DW_CFA_restore */
	struct cfi_row states[STATES];
	u32 nr_states, steps;
	u64 loc, want; /* addresses */
	bool done;     /* the next row begins above `want` */
};

/* NULL: registers of vectors and the like are nothing that unwinding needs. */
static struct cfi_rule *rule_of(struct program *g, u64 dwarf)
{
	u32 reg = arch_unwind_register(g->arch, dwarf);

	return reg < g->arch->nr ? &g->row->regs[reg] : NULL;
}

static void set_rule(struct program *g, u64 reg, enum cfi_how how, s64 value)
{
	struct cfi_rule *r = rule_of(g, reg);

	if (r)
		*r = (struct cfi_rule){.how = how, .value = value};
}

static void set_register(struct program *g, u64 reg, u64 from)
{
	struct cfi_rule *r = rule_of(g, reg);

	if (r)
		*r = (struct cfi_rule){.how = CFI_REGISTER,
				       .arg = arch_unwind_register(g->arch, from)};
}

static bool read_expression(struct cur *c, enum cfi_how how, struct cfi_rule *r)
{
	u64 len = cur_uleb(c);

	*r = (struct cfi_rule){.how = how, .arg = (u32)len};
	r->expr = len > UINT32_MAX ? NULL : cur_bytes(c, (size_t)len);
	return r->expr != NULL;
}

static bool set_expression(struct program *g, struct cur *c, enum cfi_how how)
{
	struct cfi_rule *to = rule_of(g, cur_uleb(c)), r;

	if (!read_expression(c, how, &r))
		return false;
	if (to)
		*to = r;
	return true;
}

static void restore(struct program *g, u64 reg)
{
	struct cfi_rule *r = rule_of(g, reg);

	if (r)
		*r = g->initial.regs[r - g->row->regs];
}

static void set_cfa(struct program *g, u64 reg, s64 offset)
{
	g->row->cfa = (struct cfi_rule){
		.how = CFI_REGISTER, .arg = arch_unwind_register(g->arch, reg), .value = offset};
}

static bool set_cfa_part(struct program *g, const u64 *reg, const s64 *offset)
{
	if (g->row->cfa.how != CFI_REGISTER)
		return false;
	if (reg)
		g->row->cfa.arg = arch_unwind_register(g->arch, *reg);
	if (offset)
		g->row->cfa.value = *offset;
	return true;
}

static bool set_cfa_register(struct program *g, u64 reg)
{
	return set_cfa_part(g, &reg, NULL);
}

static bool set_cfa_offset(struct program *g, s64 offset)
{
	return set_cfa_part(g, NULL, &offset);
}

static void copy_row(const struct program *g, struct cfi_row *to, const struct cfi_row *from)
{
	to->cfa = from->cfa;
	memcpy(to->regs, from->regs, g->arch->nr * sizeof(*to->regs));
}

static bool remember(struct program *g)
{
	if (g->nr_states == STATES)
		return false;
	copy_row(g, &g->states[g->nr_states++], g->row);
	return true;
}

static bool recall(struct program *g)
{
	if (!g->nr_states)
		return false;
	copy_row(g, g->row, &g->states[--g->nr_states]);
	return true;
}

static void advance(struct program *g, u64 delta)
{
	u64 step;

	if (__builtin_mul_overflow(delta, g->fde->cie.code_align, &step) ||
	    step > g->want - g->loc) {
		g->done = true;
		/* a step beyond the FDE, or over the end of all addresses, ends it */
		g->row->to = MIN(g->row->to - g->loc, step) + g->loc;
	} else {
		g->loc += step;
	}
}

/* data_align times a number; an overflow is damage, and any number does then */
static s64 factored(const struct program *g, u64 n)
{
	return (s64)(n * (u64)g->fde->cie.data_align);
}

static bool execute_extended(struct program *g, struct cur *c, u8 op)
{
	u64 reg;

	switch (op) {
	case DW_CFA_nop:
	case DW_CFA_GNU_window_save: /* on AArch64 negate_ra_state: signatures are masked anyway */
	case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
		return true;
	case DW_CFA_advance_loc1:
		advance(g, cur_u8(c));
		return true;
	case DW_CFA_advance_loc2:
		advance(g, cur_u16(c));
		return true;
	case DW_CFA_advance_loc4:
		advance(g, cur_u32(c));
		return true;
	case DW_CFA_offset_extended:
		reg = cur_uleb(c);
		set_rule(g, reg, CFI_OFFSET, factored(g, cur_uleb(c)));
		return true;
	case DW_CFA_restore_extended:
		restore(g, cur_uleb(c));
		return true;
	case DW_CFA_undefined:
		set_rule(g, cur_uleb(c), CFI_UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		set_rule(g, cur_uleb(c), CFI_SAME, 0);
		return true;
	case DW_CFA_register:
		reg = cur_uleb(c);
		set_register(g, reg, cur_uleb(c));
		return true;
	case DW_CFA_remember_state:
		return remember(g);
	case DW_CFA_restore_state:
		return recall(g);
	case DW_CFA_def_cfa:
		reg = cur_uleb(c);
		set_cfa(g, reg, (s64)cur_uleb(c));
		return true;
	case DW_CFA_def_cfa_register:
		return set_cfa_register(g, cur_uleb(c));
	case DW_CFA_def_cfa_offset:
		return set_cfa_offset(g, (s64)cur_uleb(c));
	case DW_CFA_def_cfa_expression:
		return read_expression(c, CFI_VAL_EXPR, &g->row->cfa);
	case DW_CFA_expression:
		return set_expression(g, c, CFI_EXPR);
	case DW_CFA_offset_extended_sf:
		reg = cur_uleb(c);
		set_rule(g, reg, CFI_OFFSET, factored(g, (u64)cur_sleb(c)));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = cur_uleb(c);
		set_cfa(g, reg, factored(g, (u64)cur_sleb(c)));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		return set_cfa_offset(g, factored(g, (u64)cur_sleb(c)));
	case DW_CFA_val_offset:
		reg = cur_uleb(c);
		set_rule(g, reg, CFI_VAL_OFFSET, factored(g, cur_uleb(c)));
		return true;
	case DW_CFA_val_offset_sf:
		reg = cur_uleb(c);
		set_rule(g, reg, CFI_VAL_OFFSET, factored(g, (u64)cur_sleb(c)));
		return true;
	case DW_CFA_val_expression:
		return set_expression(g, c, CFI_VAL_EXPR);
	case DW_CFA_GNU_args_size:
		cur_uleb(c);
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		reg = cur_uleb(c);
		set_rule(g, reg, CFI_OFFSET, -factored(g, cur_uleb(c)));
		return true;
	default: /* DW_CFA_set_loc, too: it is relative to its own address, which is not known here; never seen */
		return false;
	}
}

static bool run_instructions(struct program *g, struct cur c)
{
	u8 op, low;

	while (!g->done && cur_left(&c)) {
		if (++g->steps > STEP_LIMIT)
			return false;
		op = cur_u8(&c);
		low = op & 0x3f;
		switch (op & 0xc0) {
		case DW_CFA_advance_loc:
			advance(g, low);
			break;
		case DW_CFA_offset:
			set_rule(g, low, CFI_OFFSET, factored(g, cur_uleb(&c)));
			break;
		case DW_CFA_restore:
			restore(g, low);
			break;
		default:
			if (!execute_extended(g, &c, op))
				return false;
		}
		if (c.bad)
			return false;
	}
	return true;
}

bool cfi_row_make(const struct cfi_fde *fde, u64 vaddr, const struct arch_unwind *arch,
		  struct cfi_row *row)
{
	struct program g;
	bool ok;

	/* kilobytes, of which little is needed: the rows are written before they are read */
	g.fde = fde;
	g.arch = arch;
	g.row = row;
	g.nr_states = g.steps = 0;
	g.loc = fde->start;
	g.want = vaddr;
	g.done = false;
	row->cfa = (struct cfi_rule){.how = CFI_UNSPECIFIED};
	memset(row->regs, 0, sizeof(row->regs));
	row->ra = arch_unwind_register(arch, fde->cie.ra);
	row->signal = fde->cie.signal;
	row->to = fde->end;
	memset(g.initial.regs, 0, arch->nr * sizeof(*g.initial.regs));
	ok = vaddr >= fde->start && run_instructions(&g, fde->cie.insn);
	if (ok) {
		copy_row(&g, &g.initial, row);
		g.nr_states = 0;
		ok = run_instructions(&g, fde->insn);
	}
	row->steps = g.steps;
	row->from = g.loc;
	return ok && row->cfa.how != CFI_UNSPECIFIED && row->ra < arch->nr;
}
