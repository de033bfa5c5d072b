// SPDX-License-Identifier: GPL-2.0
#include "util/image/image_plt.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/buf.h"
#include "util/base/cur.h"

struct slot {
	u64 addr;         /* of the entry in the global offset table */
	const char *name; /* libelf's */
};

struct slots {
	struct slot *v;
	u32 nr, cap;
};

static const char *symbol_name(const struct image *img, Elf_Data *syms, const GElf_Shdr *table,
			       u64 i)
{
	const char *name = NULL;
	GElf_Sym sym;

	if (i <= INT32_MAX && gelf_getsym(syms, (int)i, &sym))
		name = elf_strptr(img->elf, table->sh_link, sym.st_name);
	return name ? name : "";
}

/* The slots that the relocations of a section fill, in its order. False when memory is out. */
static bool read_slots(const struct image *img, const char *section, bool jumps_only,
		       struct slots *slots)
{
	GElf_Shdr sh, table;
	Elf_Scn *scn = image_section(img, section, &sh), *sym_scn;
	Elf_Data *data, *syms;
	size_t entry, nr, i;
	struct slot *slot;
	GElf_Rela rela;
	GElf_Rel rel;

	if (!scn || (sh.sh_type != SHT_RELA && sh.sh_type != SHT_REL))
		return true;
	sym_scn = elf_getscn(img->elf, sh.sh_link);
	data = elf_getdata(scn, NULL);
	syms = sym_scn ? elf_getdata(sym_scn, NULL) : NULL;
	entry = gelf_fsize(img->elf, sh.sh_type == SHT_RELA ? ELF_T_RELA : ELF_T_REL, 1,
			   EV_CURRENT);
	if (!data || !syms || !entry || !gelf_getshdr(sym_scn, &table))
		return true;
	nr = MIN(data->d_size / entry, (size_t)INT32_MAX);
	for (i = 0; i < nr; i++) {
		if (sh.sh_type == SHT_RELA ? !gelf_getrela(data, (int)i, &rela)
					   : !gelf_getrel(data, (int)i, &rel))
			break;
		if (sh.sh_type == SHT_REL)
			rela = (GElf_Rela){.r_offset = rel.r_offset, .r_info = rel.r_info};
		if (jumps_only && GELF_R_TYPE(rela.r_info) != R_X86_64_JUMP_SLOT &&
		    GELF_R_TYPE(rela.r_info) != R_X86_64_GLOB_DAT)
			continue;
		slot = vec_push(slots);
		if (!slot)
			return false;
		slot->addr = rela.r_offset;
		slot->name = symbol_name(img, syms, &table, GELF_R_SYM(rela.r_info));
	}
	return true;
}

static bool add_stub(struct symtab *st, u64 offset, u64 size, const char *name)
{
	struct buf b = {0};
	bool ok;

	buf_adds(&b, name);
	buf_adds(&b, "@plt");
	ok = !b.failed &&
	     symtab_add(st, offset, offset + size, b.data, b.len, SYM_GLOBAL | SYM_PLT);
	buf_free(&b);
	return ok;
}

/* Stub n belongs to relocation n: what all linkers do, but for those with more than one table. */
static bool add_in_order(const struct image *img, struct symtab *st, bool nameless)
{
	u64 header, entry;
	struct slots slots = {0};
	GElf_Shdr plt;
	bool ok;
	u32 i;

	if (!image_section(img, ".plt", &plt))
		return true;
	header = entry = plt.sh_entsize;
	if (img->ehdr.e_machine == EM_ARM) {
		header = 20;
		entry = 12;
	} else if (img->ehdr.e_machine == EM_AARCH64 || img->ehdr.e_machine == EM_RISCV) {
		header = 32;
		entry = 16;
	}
	ok = read_slots(img, ".rela.plt", false, &slots) &&
	     (slots.nr || read_slots(img, ".rel.plt", false, &slots));
	for (i = 0; ok && entry && i < slots.nr; i++) {
		if (header + (i + 1) * entry > plt.sh_size && !nameless)
			break;
		if (nameless || *slots.v[i].name)
			ok = add_stub(st, plt.sh_offset + header + i * entry, entry,
				      slots.v[i].name);
	}
	vec_free(&slots);
	return ok;
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The address of the slot through which a stub jumps: [endbr64] [bnd] jmp *disp32(%rip). */
static bool stub_slot(const u8 *code, size_t len, u64 addr, u64 *slot)
{
	static const u8 endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	struct cur c = cur_init(code, len);
	u8 op;

	if (len >= sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64)))
		cur_skip(&c, sizeof(endbr64));
	op = cur_u8(&c);
	if (op == 0xf2)
		op = cur_u8(&c);
	if (op != 0xff || cur_u8(&c) != 0x25)
		return false;
	*slot = (u64)(s64)(s32)cur_u32(&c);
	*slot += addr + (u64)(c.p - code);
	return !c.bad;
}

static bool add_section(const struct image *img, struct symtab *st, const char *section,
			const struct slots *slots)
{
	struct slot key, *slot;
	GElf_Shdr sh;
	Elf_Scn *scn = image_section(img, section, &sh);
	Elf_Data *d = scn && sh.sh_type == SHT_PROGBITS ? elf_getdata(scn, NULL) : NULL;
	size_t size = sh.sh_entsize == 8 ? 8 : 16, at;

	if (!d || !d->d_buf)
		return true;
	for (at = 0; at + size <= d->d_size; at += size) {
		if (!stub_slot((const u8 *)d->d_buf + at, size, sh.sh_addr + at, &key.addr))
			continue;
		slot = bsearch(&key, slots->v, slots->nr, sizeof(key), compare_slots);
		if (slot && *slot->name && !add_stub(st, sh.sh_offset + at, size, slot->name))
			return false;
	}
	return true;
}

/*
 * On x86-64 the stubs themselves tell their slot. They are in up to three sections, and those of
 * indirect functions come in another order than their relocations.
 */
static bool add_decoded(const struct image *img, struct symtab *st)
{
	struct slots slots = {0};
	GElf_Shdr sh;
	bool ok;

	ok = read_slots(img, ".rela.plt", true, &slots);
	if (ok && image_section(img, ".plt.got", &sh))
		ok = read_slots(img, ".rela.dyn", true, &slots);
	if (ok && slots.nr) {
		qsort(slots.v, slots.nr, sizeof(*slots.v), compare_slots);
		ok = add_section(img, st, ".plt", &slots) &&
		     add_section(img, st, ".plt.sec", &slots) &&
		     add_section(img, st, ".plt.got", &slots);
	}
	vec_free(&slots);
	return ok;
}

bool image_plt_add(const struct image *img, struct symtab *st, enum symtab_view view)
{
	if (view != SYMTAB_PERF && img->ehdr.e_machine == EM_X86_64)
		return add_decoded(img, st);
	return add_in_order(img, st, view == SYMTAB_PERF);
}
