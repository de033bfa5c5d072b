// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_stub.h"

/*
 * Bytes of _start, where nothing tells them: it sets up a few registers and calls. That of glibc's
 * ld.so calls twice, the second time all constructors of libraries; there, all code that a compiler
 * made has unwind information, so that none of it is taken for this.
 */
#define ENTRY_SIZE      32
#define ENTRY_SIZE_LONG 64

static void row_clear(struct cfi_row *row, const struct arch_unwind *arch)
{
	memset(row, 0, sizeof(*row));
	row->ra = arch->ra;
}

/* The return address is the last of `words` words on the stack. */
static bool row_words(struct cfi_row *row, const struct arch_unwind *arch, u32 words)
{
	row_clear(row, arch);
	row->cfa = (struct cfi_rule){.how = CFI_REGISTER,
				     .arg = arch->sp,
				     .value = (s64)(words + arch->cfa_words) * arch->word};
	if (!arch->link)
		row->regs[arch->ra] = (struct cfi_rule){.how = CFI_OFFSET, .value = -arch->word};
	return true;
}

/* Not if the entry has unwind information of its own: then this is some other function behind it. */
static bool entry_row(struct unwind_dso *d, u64 vaddr, const struct arch_unwind *arch,
		      struct cfi_row *row)
{
	u64 entry = d->img.ehdr.e_entry;
	struct cfi_fde fde;

	if (!entry || vaddr < entry ||
	    vaddr - entry >= (d->has_eh ? ENTRY_SIZE_LONG : ENTRY_SIZE) ||
	    (d->has_eh && cfi_find(&d->eh, entry, &fde) == CFI_FOUND))
		return false;
	row_words(row, arch, 1);
	row->regs[arch->ra] = (struct cfi_rule){.how = CFI_UNDEFINED};
	return true;
}

static bool sigreturn_row(struct unwind_dso *d, u64 offset, const struct arch_unwind *arch,
			  struct cfi_row *row)
{
	const struct arch_sigreturn *g;
	const u8 *code;
	u32 i;

	for (g = arch->sigreturns; g->code; g++) {
		code = unwind_bytes_at(&d->bytes, offset, g->len);
		if (!code || memcmp(code, g->code, g->len))
			continue;
		row_clear(row, arch);
		row->signal = true;
		row->cfa = (struct cfi_rule){
			.how = CFI_VAL_EXPR, .arg = g->block_len, .expr = (const u8 *)g->block};
		for (i = 0; i < arch->nr; i++)
			row->regs[i] = (struct cfi_rule){.how = CFI_OFFSET,
							 .value = g->slots[i] * arch->word};
		return true;
	}
	return false;
}

/* Behind its system call, in which the kernel is; i386 has moved the stack pointer by then. */
static bool in_sigreturn_row(struct unwind_dso *d, u64 offset, const struct arch_unwind *arch,
			     struct cfi_row *row)
{
	const struct arch_sigreturn *g;

	for (g = arch->sigreturns; g->code && arch->word == 8; g++)
		if (offset >= g->len && sigreturn_row(d, offset - g->len, arch, row))
			return true;
	return false;
}

/*
 * An entry of 16 bytes is "jmp *slot; push number; jmp first", where the push ends at byte 11, or with
 * IBT "endbr; push number; jmp first", where it ends at byte 9: in the other kind no instruction
 * begins there. The first entry is "push; jmp".
 */
static bool lazy_plt_row(const GElf_Shdr *sh, u64 vaddr, const struct arch_unwind *arch,
			 struct cfi_row *row)
{
	u64 at = vaddr - sh->sh_addr;

	if (at < 16)
		return row_words(row, arch, at < 6 ? 2 : 3);
	return row_words(row, arch, (at & 15) >= 9 ? 2 : 1);
}

/* "[endbr]; sub $n,%sp" ... "add $n,%sp; ret", as _init and _fini are put together by the linker. */
static bool init_row(struct unwind_dso *d, u64 at, u64 offset, const struct arch_unwind *arch,
		     struct cfi_row *row)
{
	static const u8 endbr[] = {0xf3, 0x0f, 0x1e}, sub[] = {0x48, 0x83, 0xec};
	u64 begin = offset - at, size = 0;
	const u8 *p;
	u8 bytes;

	if (arch->elf_machine != EM_X86_64)
		return false;
	p = unwind_bytes_at(&d->bytes, begin, 8);
	if (!p)
		return false;
	if (!memcmp(p, endbr, sizeof(endbr)))
		size = 4;
	if (memcmp(p + size, sub, sizeof(sub)))
		return false;
	bytes = p[size + 3];
	if (bytes & 0x87)
		return false;
	p = unwind_bytes_at(&d->bytes, offset, 1);
	if (!p)
		return false;
	if (at < size + 4 || *p == 0xc3)
		return row_words(row, arch, 1);
	return row_words(row, arch, 1 + bytes / 8);
}

/* "[std r2,24(r1)]; addis r12,r2; ld r12; mtctr r12; bctr" or a part of it: lld says nothing of its own. */
static bool ppc64_stub_row(struct unwind_dso *d, u64 offset, const struct arch_unwind *arch,
			   struct cfi_row *row)
{
	static const struct {
		u32 mask, value;
	} known[] = {
		{0xffffffff, 0xf8410018},
		{0xffff0000, 0x3d820000},
		{0xffff0003, 0xe98c0000},
		{0xffffffff, 0x7d8903a6},
	};
	struct cur c;
	const u8 *p;
	u32 insn, i, n;

	if (arch->elf_machine != EM_PPC64 || offset % 4)
		return false;
	for (n = 0; n <= ARRAY_SIZE(known); n++, offset += 4) {
		p = unwind_bytes_at(&d->bytes, offset, 4);
		if (!p)
			return false;
		c = cur_init(p, 4);
		insn = cur_u32(&c);
		if (insn == 0x4e800420)
			return row_words(row, arch, 0);
		for (i = 0; i < ARRAY_SIZE(known); i++)
			if ((insn & known[i].mask) == known[i].value)
				break;
		if (i == ARRAY_SIZE(known))
			return false;
	}
	return false;
}

static bool section_row(struct unwind_dso *d, u64 vaddr, u64 offset, const struct arch_unwind *arch,
			struct cfi_row *row)
{
	static const struct {
		const char *name;
		enum { LAZY_PLT, PLT, INIT } kind;
	} known[] = {
		{".plt", LAZY_PLT}, {".plt.sec", PLT}, {".plt.got", PLT},
		{".iplt", PLT},     {".init", INIT},   {".fini", INIT},
	};
	GElf_Shdr sh;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (!image_section(&d->img, known[i].name, &sh) || vaddr < sh.sh_addr ||
		    vaddr - sh.sh_addr >= sh.sh_size)
			continue;
		if (known[i].kind == INIT)
			return init_row(d, vaddr - sh.sh_addr, offset, arch, row);
		if (known[i].kind == LAZY_PLT && !arch->link)
			return lazy_plt_row(&sh, vaddr, arch, row);
		return row_words(row, arch, arch->link ? 0 : 1);
	}
	return false;
}

bool unwind_stub_row(struct unwind_dso *d, u64 vaddr, u64 offset, const struct arch_unwind *arch,
		     struct cfi_row *row)
{
	/* callers are looked up one byte before the return address: the code begins behind it */
	return sigreturn_row(d, offset, arch, row) || sigreturn_row(d, offset + 1, arch, row) ||
	       in_sigreturn_row(d, offset, arch, row) || section_row(d, vaddr, offset, arch, row) ||
	       ppc64_stub_row(d, offset, arch, row) || entry_row(d, vaddr, arch, row);
}
