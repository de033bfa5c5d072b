// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_rule.h"

#include <dwarf.h>

#include "util/base/leb128.h"

#define CFA_MAX  0x1fff
#define SLOT_MAX 0xff

static bool is_kept(const struct cfi_rule *r)
{
	return r->how == CFI_UNSPECIFIED || r->how == CFI_SAME;
}

/* Words below the CFA, or 0: it is not so simple. */
static u32 slot_of(const struct cfi_rule *r, const struct arch_unwind *arch)
{
	if (r->how != CFI_OFFSET || r->value >= 0 || r->value % arch->word ||
	    r->value < -(s64)SLOT_MAX * arch->word)
		return 0;
	return (u32)(-r->value / arch->word);
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
	if (cfa->value < 0 || cfa->value % arch->word || cfa->value / arch->word > CFA_MAX)
		return false;
	*words = (u32)(cfa->value / arch->word);
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
	if (!is_kept(sp) && !(sp->how == CFI_VAL_OFFSET && !sp->value))
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
