// SPDX-License-Identifier: GPL-2.0
#include "util/image/image_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/image/image_plt.h"

struct section {
	u64 addr, size;
	u64 offset; /* means nothing in a debug file, which has no code */
	bool code;
	bool text_or_data; /* by its name */
};

struct loader {
	const struct image *img;   /* has the program headers */
	const struct image *table; /* has the symbols: img or its debug file */
	struct symtab *st;
	enum symtab_view view;
	VEC(struct section) sections; /* by index */
};

static bool read_sections(struct loader *l)
{
	struct section *s = vec_push(&l->sections); /* number 0 is none */
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(l->table->elf, &names))
		names = 0;
	while (s && (scn = elf_nextscn(l->table->elf, scn))) {
		s = vec_push(&l->sections);
		if (!s || !gelf_getshdr(scn, &sh))
			continue;
		name = elf_strptr(l->table->elf, names, sh.sh_name);
		*s = (struct section){
			.addr = sh.sh_addr,
			.offset = sh.sh_offset,
			.size = sh.sh_size,
			.code = sh.sh_flags & SHF_EXECINSTR,
			.text_or_data = name && (strstr(name, "text") || strstr(name, "data"))};
	}
	return s != NULL;
}

/* "$x", "$d.12": where an instruction set or a pool of constants begins. */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

static bool is_wanted(const struct loader *l, const GElf_Sym *sym, const struct section *s)
{
	bool perf = l->view == SYMTAB_PERF;
	unsigned int visibility = GELF_ST_VISIBILITY(sym->st_other);

	if (sym->st_name == 0 || sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS)
		return false;
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_OBJECT:
		return perf;
	case STT_NOTYPE:
		if (!perf)
			return s && s->code;
		return s && s->text_or_data && visibility != STV_HIDDEN &&
		       visibility != STV_INTERNAL;
	default:
		return false;
	}
}

/* How many bytes of its section are at and behind a symbol; in a relocatable file addr is 0. */
static u64 section_left(const struct section *s, u64 value)
{
	u64 at = value - s->addr;

	return at < s->size ? s->size - at : 0;
}

static bool add_symbol(struct loader *l, GElf_Sym *sym, const char *name)
{
	const struct section *s =
		sym->st_shndx < l->sections.nr ? &l->sections.v[sym->st_shndx] : NULL;
	u64 offset, end;
	u8 flags = 0;

	if (!is_wanted(l, sym, s) || is_mapping_symbol(name))
		return true;
	/* the lowest bit of a function's address says that it is Thumb code */
	if (l->img->ehdr.e_machine == EM_ARM && GELF_ST_TYPE(sym->st_info) == STT_FUNC)
		sym->st_value &= ~(u64)1;
	if (!image_offset(l->img, sym->st_value, &offset)) {
		if (!s || l->table != l->img)
			return true;
		offset = sym->st_value - s->addr + s->offset;
	}
	end = offset + MIN(sym->st_size, UINT64_MAX - offset);
	if (GELF_ST_BIND(sym->st_info) == STB_WEAK)
		flags |= SYM_WEAK;
	else if (GELF_ST_BIND(sym->st_info) == STB_GLOBAL)
		flags |= SYM_GLOBAL;
	if (GELF_ST_TYPE(sym->st_info) == STT_OBJECT)
		flags |= SYM_DATA;
	if (!sym->st_size && l->view != SYMTAB_PERF) {
		flags |= SYM_NOSIZE;
		end = offset + (s ? section_left(s, sym->st_value) : 0);
	}
	return symtab_add(l->st, offset, end, name, strlen(name), flags);
}

/* Adds a symbol table, if there is one. False when memory is out. */
static bool add_table(struct loader *l, u32 type)
{
	Elf_Scn *scn = NULL;
	const char *name;
	size_t entry, nr, i;
	Elf_Data *d;
	GElf_Shdr sh;
	GElf_Sym sym;

	do {
		scn = elf_nextscn(l->table->elf, scn);
	} while (scn && (!gelf_getshdr(scn, &sh) || sh.sh_type != type));
	d = scn ? elf_getdata(scn, NULL) : NULL;
	entry = gelf_fsize(l->table->elf, ELF_T_SYM, 1, EV_CURRENT);
	if (!d || !entry)
		return true;
	nr = MIN(d->d_size / entry, (size_t)INT32_MAX);
	for (i = 1; i < nr && gelf_getsym(d, (int)i, &sym); i++) {
		name = elf_strptr(l->table->elf, sh.sh_link, sym.st_name);
		if (name && !add_symbol(l, &sym, name))
			return false;
	}
	return l->view != SYMTAB_PERF || !symtab_settle(l->st, false);
}

int image_symbols_load(const struct image *img, const struct image *debug, struct symtab *st,
		       enum symtab_view view, struct err *err)
{
	struct loader l = {.img = img, .table = debug ? debug : img, .st = st, .view = view};
	bool ok = read_sections(&l) && add_table(&l, SHT_SYMTAB) && add_table(&l, SHT_DYNSYM) &&
		  image_plt_add(img, st, view);

	vec_free(&l.sections);
	if (!ok || symtab_finish(st, view))
		return err_nomem(err);
	return 0;
}

bool image_symbols_stripped(const struct image *img)
{
	GElf_Shdr sh;

	return !image_section(img, ".symtab", &sh);
}
