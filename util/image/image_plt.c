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

/* A section of stubs. */
struct code {
	u32 machine;
	const u8 *data;
	size_t len, entry; /* bytes; of each stub, where they are of one size */
	u64 addr, offset;  /* in memory, in the file */
	u64 got;           /* the address of the global offset table, of i386 */
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

/* Stub n belongs to relocation n, which is not so where there is more than one table. */
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

/*
 * The address of the slot through which a stub jumps: [endbr] [mov $number,%r11d] [bnd] jmp and *disp32(%rip) on
 * x86-64, *address or *disp32(%ebx) on i386, where %ebx is the table's address.
 */
static bool slot_of_x86(const struct code *c, size_t at, size_t size, u64 *slot)
{
	struct cur in = cur_init_le(c->data + at, size);
	u8 op, mode;

	if (size >= 4 && !memcmp(in.p, "\xf3\x0f\x1e", 3) && (in.p[3] == 0xfa || in.p[3] == 0xfb))
		cur_skip(&in, 4);
	if (size >= 10 && !memcmp(in.p, "\x41\xbb", 2)) /* of mold */
		cur_skip(&in, 6);
	op = cur_u8(&in);
	if (op == 0xf2)
		op = cur_u8(&in);
	mode = cur_u8(&in);
	*slot = (u64)(s64)(s32)cur_u32(&in);
	if (in.bad || op != 0xff)
		return false;
	if (c->machine == EM_X86_64) {
		*slot += c->addr + (u64)(in.p - c->data);
		return mode == 0x25;
	}
	*slot = (u32)(*slot + (mode == 0xa3 ? c->got : 0));
	return mode == 0x25 || mode == 0xa3;
}

static u32 instruction(const struct code *c, size_t at)
{
	struct cur in = cur_init_le(c->data, c->len);

	cur_skip(&in, at);
	return cur_u32(&in);
}

/* adrp x16, page; ldr x17, [x16, #offset] */
static bool slot_of_arm64(const struct code *c, size_t at, u64 *slot)
{
	const u32 adrp = instruction(c, at), ldr = instruction(c, at + 4);
	u64 pages = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);

	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	pages = (u64)((s64)(pages << 43) >> 43);
	*slot = ((c->addr + at) & ~4095ull) + (pages << 12) + (u64)(ldr >> 10 & 0xfff) * 8;
	return true;
}

static bool find_x86(const struct code *c, struct stubs *stubs)
{
	struct stub *stub;
	size_t at;
	u64 slot;

	for (at = 0; at + c->entry <= c->len; at += c->entry) {
		if (!slot_of_x86(c, at, c->entry, &slot))
			continue;
		stub = vec_push(stubs);
		if (!stub)
			return false;
		*stub = (struct stub){
			.slot = slot, .offset = c->offset + at, .size = (u32)c->entry};
	}
	return true;
}

#define ARM64_BTI  0xd503245f /* bti c */
#define ARM64_STUB 24

/* They have 16 bytes, or 24 with marks of branch protection: each ends where the next one begins. */
static bool find_arm64(const struct code *c, struct stubs *stubs)
{
	struct stub *stub = NULL;
	size_t at, from;
	u64 slot;

	for (at = 0; at + 8 <= c->len; at += 4) {
		if (!slot_of_arm64(c, at, &slot))
			continue;
		from = at >= 4 && instruction(c, at - 4) == ARM64_BTI ? at - 4 : at;
		if (stub)
			stub->size = (u32)MIN(c->offset + from - stub->offset, ARM64_STUB);
		stub = vec_push(stubs);
		if (!stub)
			return false;
		*stub = (struct stub){.slot = slot,
				      .offset = c->offset + from,
				      .size = (u32)MIN(c->len - from, ARM64_STUB)};
	}
	return true;
}

static bool find_in_section(const struct image *img, const char *section, u64 got,
			    struct stubs *stubs, struct err *why)
{
	GElf_Shdr sh;
	Elf_Scn *scn = image_section(img, section, &sh);
	Elf_Data *d = scn && sh.sh_type == SHT_PROGBITS ? image_section_data(img, scn, why) : NULL;
	struct code c;

	if (!d || !d->d_buf)
		return true;
	c = (struct code){
		.machine = img->ehdr.e_machine,
		.data = d->d_buf,
		.len = d->d_size,
		.addr = sh.sh_addr,
		.offset = sh.sh_offset,
		/* linkers of i386 say 4 or 0 of stubs that have 16 */
		.entry = sh.sh_entsize == 8 ? 8 : 16,
		.got = got,
	};
	return c.machine == EM_AARCH64 ? find_arm64(&c, stubs) : find_x86(&c, stubs);
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
	const bool arm64 = img->ehdr.e_machine == EM_AARCH64;
	/* i386 has the numbers of x86-64 */
	const u32 jump = arm64 ? R_AARCH64_JUMP_SLOT : R_X86_64_JUMP_SLOT;
	const u32 data = arm64 ? R_AARCH64_GLOB_DAT : R_X86_64_GLOB_DAT;
	GElf_Shdr sh;
	Elf_Data *d = read_relocations(img, section, skip, &sh, why);
	struct stub *stub;
	GElf_Rela rela;
	int i;

	for (i = 0; d && get_relocation(d, &sh, i, &rela) && i < INT32_MAX; i++) {
		if ((GELF_R_TYPE(rela.r_info) != jump && GELF_R_TYPE(rela.r_info) != data) ||
		    rela.r_offset < stubs->v[0].slot || rela.r_offset > end[-1].slot)
			continue;
		stub = first_of_slot(stubs, rela.r_offset);
		for (; stub < end && stub->slot == rela.r_offset; stub++)
			stub->symbol = (u32)GELF_R_SYM(rela.r_info);
		stubs->table = sh.sh_link;
	}
}

/* An entry of the dynamic section, 0: there is none. */
static u64 dynamic_value(const struct image *img, s64 tag, struct err *why)
{
	GElf_Shdr sh;
	Elf_Scn *scn = image_section(img, ".dynamic", &sh);
	Elf_Data *d = scn ? image_section_data(img, scn, why) : NULL;
	GElf_Dyn dyn;
	int i;

	for (i = 0; d && gelf_getdyn(d, i, &dyn) && dyn.d_tag != DT_NULL; i++)
		if (dyn.d_tag == tag)
			return dyn.d_un.d_val;
	return 0;
}

static bool is_decoded(const struct image *img)
{
	switch (img->ehdr.e_machine) {
	case EM_X86_64:
	case EM_386:
	case EM_AARCH64:
		return true;
	default:
		return false;
	}
}

/*
 * The stubs themselves contain their slot. They are in up to three sections, those of indirect functions come in another
 * order than their relocations, and of some linkers the sizes are not to be believed.
 */
static bool find_decoded(const struct image *img, struct stubs *stubs, struct err *why)
{
	const bool rel = img->ehdr.e_machine == EM_386;
	const u64 got = rel ? dynamic_value(img, DT_PLTGOT, why) : 0;
	u32 others;

	if (!find_in_section(img, ".plt", got, stubs, why) ||
	    !find_in_section(img, ".plt.sec", got, stubs, why))
		return false;
	others = stubs->nr;
	if (!find_in_section(img, ".plt.got", got, stubs, why))
		return false;
	if (!stubs->nr)
		return true;
	others = stubs->nr - others;
	qsort(stubs->v, stubs->nr, sizeof(*stubs->v), compare_slots);
	find_symbols(img, rel ? ".rel.plt" : ".rela.plt", 0, stubs, why);
	/* its first ones, most of a large library's, are of no symbol */
	if (others)
		find_symbols(img, rel ? ".rel.dyn" : ".rela.dyn",
			     dynamic_value(img, rel ? DT_RELCOUNT : DT_RELACOUNT, why), stubs, why);
	return true;
}

bool image_plt_add(const struct image *img, struct symtab *st, enum symtab_view view,
		   struct image_names dynamic, struct err *why)
{
	const bool perf = view == SYMTAB_PERF;
	struct stubs stubs = {0};
	bool ok = !perf && is_decoded(img) ? find_decoded(img, &stubs, why)
					   : find_in_order(img, &stubs, perf, why);

	ok = ok && add_stubs(img, st, &stubs, perf, dynamic, why);
	vec_free(&stubs);
	return ok;
}
