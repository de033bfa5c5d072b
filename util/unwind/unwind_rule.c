// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_rule.h"

#include <dwarf.h>

#include "util/base/leb128.h"

#define TOP_MAX  0x1fff
#define SLOT_MAX 0xff

static bool is_kept(const struct cfi_rule *r)
{
	return r->how == CFI_UNSPECIFIED || r->how == CFI_SAME;
}

static s64 cfa_to_top(const struct arch_unwind *arch)
{
	return arch->save_words - arch->cfa_words;
}

/* Words below the top, or 0: it is not so simple. */
static u32 slot_of(const struct cfi_rule *r, const struct arch_unwind *arch)
{
	s64 words = cfa_to_top(arch) - r->value / arch->word;

	if (r->how != CFI_OFFSET || r->value % arch->word || words <= 0 || words > SLOT_MAX)
		return 0;
	return (u32)words;
}

/* The stack pointer is what the distance from the CFA says, whether it was saved too or not. */
static bool is_usual_sp(const struct cfi_rule *r, const struct arch_unwind *arch)
{
	return is_kept(r) || (arch->cfa_words && r->how == CFI_OFFSET) ||
	       (r->how == CFI_VAL_OFFSET && r->value == -(s64)arch->cfa_words * arch->word);
}

/*
 * Linkers describe the lazy procedure linkage table with one expression for all its entries:
 * sp + word + ((ip & 15) >= N) * word. For one address this is a constant.
 */
static bool plt_words(const struct cfi_rule *cfa, const struct arch_unwind *arch, u64 vaddr,
		      u32 *words)
{
	struct cur c = cur_init(cfa->expr, cfa->arg);
	u8 n;

	if (cur_u8(&c) != DW_OP_breg0 + arch->sp || leb128_s(&c) != arch->word ||
	    cur_u8(&c) != DW_OP_breg0 + arch->ra || leb128_s(&c) || cur_u8(&c) != DW_OP_lit15 ||
	    cur_u8(&c) != DW_OP_and)
		return false;
	n = cur_u8(&c) - DW_OP_lit0;
	if (n > 15 || cur_u8(&c) != DW_OP_ge ||
	    cur_u8(&c) != DW_OP_lit0 + (arch->word == 8 ? 3 : 2) || cur_u8(&c) != DW_OP_shl ||
	    cur_u8(&c) != DW_OP_plus || c.bad || cur_left(&c))
		return false;
	*words = (vaddr & 15) >= n ? 2 : 1;
	return true;
}

static bool simple_cfa(const struct cfi_row *row, const struct arch_unwind *arch, u64 vaddr,
		       enum unwind_rule_kind *kind, u32 *words)
{
	const struct cfi_rule *cfa = &row->cfa;

	*kind = UNWIND_RULE_SP;
	if (cfa->how == CFI_VAL_EXPR)
		return plt_words(cfa, arch, vaddr, words);
	if (cfa->arg == arch->fp)
		*kind = UNWIND_RULE_FP;
	else if (cfa->arg != arch->sp)
		return false;
	if (cfa->value < 0 || cfa->value % arch->word ||
	    cfa->value / arch->word > TOP_MAX - arch->save_words)
		return false;
	*words = (u32)(cfa->value / arch->word + cfa_to_top(arch));
	return true;
}

u32 unwind_rule_make(const struct cfi_row *row, const struct arch_unwind *arch, u64 vaddr)
{
	const struct cfi_rule *ra = &row->regs[arch->ra], *fp = &row->regs[arch->fp];
	const struct cfi_rule *sp = &row->regs[arch->sp];
	u32 words, ra_slot, fp_slot;
	enum unwind_rule_kind kind;

	if (row->signal || row->ra != arch->ra)
		return UNWIND_RULE_SLOW;
	if (ra->how == CFI_UNDEFINED)
		return UNWIND_RULE_END;
	if (!is_usual_sp(sp, arch))
		return UNWIND_RULE_SLOW;
	ra_slot = slot_of(ra, arch);
	fp_slot = slot_of(fp, arch);
	/* a call pushes just below the CFA */
	if ((arch->link ? !ra_slot && !is_kept(ra) : ra_slot != 1) ||
	    (!fp_slot && !is_kept(fp) && fp->how != CFI_UNDEFINED) ||
	    !simple_cfa(row, arch, vaddr, &kind, &words))
		return UNWIND_RULE_SLOW;
	return kind | words << 3 | fp_slot << 16 | ra_slot << 24;
}
