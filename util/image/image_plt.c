// SPDX-License-Identifier: GPL-2.0
#include "util/image/image_internal.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/buf.h"
#include "util/base/cur.h"

struct stub {
	u64 slot;   /* the address of its entry in the global offset table; 0: not known */
	u64 offset; /* in the file */
	u32 size;
	u32 symbol; /* which function; 0: not known */
};

struct stubs {
	struct stub *v;
	u32 nr, cap;
	u32 table; /* the section of the symbols */
};

/* The relocations of a section, without the first ones that are of no symbol. NULL: there are none. */
static Elf_Data *read_relocations(const struct image *img, const char *section, u64 skip,
				  GElf_Shdr *sh, struct err *why)
{
	Elf_Scn *scn = image_section(img, section, sh);
	bool rela = scn && sh->sh_type == SHT_RELA;
	size_t entry;

	if (!scn || (!rela && sh->sh_type != SHT_REL))
		return NULL;
	entry = gelf_fsize(img->elf, rela ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	if (!skip || !entry || skip > sh->sh_size / entry || sh->sh_offset > INT64_MAX / 2)
		return image_section_data(img, scn, why);
	return image_chunk(img, scn, sh->sh_offset + skip * entry, sh->sh_size - skip * entry,
			   rela ? ELF_T_RELA : ELF_T_REL, why);
}

static bool get_relocation(Elf_Data *d, const GElf_Shdr *sh, int i, GElf_Rela *rela)
{
	GElf_Rel rel;

	if (sh->sh_type == SHT_RELA)
		return gelf_getrela(d, i, rela) != NULL;
	if (!gelf_getrel(d, i, &rel))
		return false;
	*rela = (GElf_Rela){.r_offset = rel.r_offset, .r_info = rel.r_info};
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

/* The stubs whose functions are known, by name; `nameless`: and those that have none. */
static bool add_stubs(const struct image *img, struct symtab *st, const struct stubs *stubs,
		      bool nameless, struct image_names dynamic, struct err *why)
{
	u32 first = UINT32_MAX, last = 0, nr = 0, i;
	struct image_dynsym names;
	const struct stub *stub;
	const char *name;
	bool ok = true;

	for (i = 0; i < stubs->nr; i++) {
		if (!stubs->v[i].symbol)
			continue;
		first = MIN(first, stubs->v[i].symbol);
		last = MAX(last, stubs->v[i].symbol);
		nr++;
	}
	image_dynsym_init(&names, img, stubs->table, first, last, nr, dynamic, why);
	for (i = 0; i < stubs->nr && ok; i++) {
		stub = &stubs->v[i];
		name = stub->symbol ? image_dynsym_name(&names, stub->symbol) : "";
		ok = name && (!(nameless || *name) || add_stub(st, stub->offset, stub->size, name));
	}
	image_dynsym_free(&names);
	return ok;
}

/* Stub n belongs to relocation n: what all linkers do, but for those with more than one table. */
static bool find_in_order(const struct image *img, struct stubs *stubs, bool beyond,
			  struct err *why)
{
	u64 header, entry;
	GElf_Shdr plt, sh;
	struct stub *stub;
	GElf_Rela rela;
	Elf_Data *d;
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
	d = read_relocations(img, ".rela.plt", 0, &sh, why);
	if (!d || !d->d_size)
		d = read_relocations(img, ".rel.plt", 0, &sh, why);
	for (i = 0; d && entry && i < INT32_MAX && get_relocation(d, &sh, (int)i, &rela); i++) {
		if (header + (i + 1) * entry > plt.sh_size && !beyond)
			break;
		stub = vec_push(stubs);
		if (!stub)
			return false;
		*stub = (struct stub){.offset = plt.sh_offset + header + i * entry,
				      .size = (u32)entry,
				      .symbol = (u32)GELF_R_SYM(rela.r_info)};
		stubs->table = sh.sh_link;
	}
	return true;
}

static int compare_slots(const void *a, const void *b)
{
	const struct stub *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* The address of the slot through which a stub jumps: [endbr64] [bnd] jmp *disp32(%rip). */
static bool stub_slot(const u8 *code, size_t len, u64 addr, u64 *slot)
{
	static const u8 endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	struct cur c = cur_init_le(code, len);
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

static bool find_in_section(const struct image *img, const char *section, struct stubs *stubs,
			    struct err *why)
{
	GElf_Shdr sh;
	Elf_Scn *scn = image_section(img, section, &sh);
	Elf_Data *d = scn && sh.sh_type == SHT_PROGBITS ? image_section_data(img, scn, why) : NULL;
	size_t size = sh.sh_entsize == 8 ? 8 : 16, at;
	struct stub *stub;
	u64 slot;

	if (!d || !d->d_buf)
		return true;
	for (at = 0; at + size <= d->d_size; at += size) {
		if (!stub_slot((const u8 *)d->d_buf + at, size, sh.sh_addr + at, &slot))
			continue;
		stub = vec_push(stubs);
		if (!stub)
			return false;
		*stub = (struct stub){.slot = slot, .offset = sh.sh_offset + at, .size = (u32)size};
	}
	return true;
}

static struct stub *first_of_slot(const struct stubs *stubs, u64 slot)
{
	u32 low = 0, high = stubs->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (stubs->v[mid].slot < slot)
			low = mid + 1;
		else
			high = mid;
	}
	return &stubs->v[low];
}

/* Which functions the slots are filled with; the stubs are in order of their slots. */
static void find_symbols(const struct image *img, const char *section, u64 skip,
			 struct stubs *stubs, struct err *why)
{
	const struct stub *end = stubs->v + stubs->nr;
	GElf_Shdr sh;
	Elf_Data *d = read_relocations(img, section, skip, &sh, why);
	struct stub *stub;
	GElf_Rela rela;
	int i;

	for (i = 0; d && get_relocation(d, &sh, i, &rela) && i < INT32_MAX; i++) {
		if ((GELF_R_TYPE(rela.r_info) != R_X86_64_JUMP_SLOT &&
		     GELF_R_TYPE(rela.r_info) != R_X86_64_GLOB_DAT) ||
		    rela.r_offset < stubs->v[0].slot || rela.r_offset > end[-1].slot)
			continue;
		stub = first_of_slot(stubs, rela.r_offset);
		for (; stub < end && stub->slot == rela.r_offset; stub++)
			stub->symbol = (u32)GELF_R_SYM(rela.r_info);
		stubs->table = sh.sh_link;
	}
}

/* How many relocations of .rela.dyn, its first ones, are of no symbol: most of a large library's. */
static u64 count_relative(const struct image *img, struct err *why)
{
	GElf_Shdr sh;
	Elf_Scn *scn = image_section(img, ".dynamic", &sh);
	Elf_Data *d = scn ? image_section_data(img, scn, why) : NULL;
	GElf_Dyn dyn;
	int i;

	for (i = 0; d && gelf_getdyn(d, i, &dyn) && dyn.d_tag != DT_NULL; i++)
		if (dyn.d_tag == DT_RELACOUNT)
			return dyn.d_un.d_val;
	return 0;
}

/*
 * On x86-64 the stubs themselves contain their slot. They are in up to three sections, and those of
 * indirect functions come in another order than their relocations.
 */
static bool find_decoded(const struct image *img, struct stubs *stubs, struct err *why)
{
	u32 others;

	if (!find_in_section(img, ".plt", stubs, why) ||
	    !find_in_section(img, ".plt.sec", stubs, why))
		return false;
	others = stubs->nr;
	if (!find_in_section(img, ".plt.got", stubs, why))
		return false;
	if (!stubs->nr)
		return true;
	others = stubs->nr - others;
	qsort(stubs->v, stubs->nr, sizeof(*stubs->v), compare_slots);
	find_symbols(img, ".rela.plt", 0, stubs, why);
	if (others)
		find_symbols(img, ".rela.dyn", count_relative(img, why), stubs, why);
	return true;
}

bool image_plt_add(const struct image *img, struct symtab *st, enum symtab_view view,
		   struct image_names dynamic, struct err *why)
{
	const bool perf = view == SYMTAB_PERF;
	struct stubs stubs = {0};
	bool ok = !perf && img->ehdr.e_machine == EM_X86_64 ? find_decoded(img, &stubs, why)
							    : find_in_order(img, &stubs, perf, why);

	ok = ok && add_stubs(img, st, &stubs, perf, dynamic, why);
	vec_free(&stubs);
	return ok;
}
