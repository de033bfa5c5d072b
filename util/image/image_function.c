// SPDX-License-Identifier: GPL-2.0
#include "util/image/image_function.h"

#include <errno.h>
#include <string.h>

struct search {
	const struct image *img;
	const char *name;
	u64 vaddr;
	bool found, global, several;
};

static u64 entry(const struct image *img, const GElf_Sym *sym)
{
	/* the three highest bits say how many instructions it is behind: 4 << (n - 2) bytes */
	unsigned int local = sym->st_other >> 5;

	if (img->ehdr.e_machine == EM_PPC64 && local > 1 && local < 7)
		return sym->st_value + (4u << (local - 2));
	/* the lowest bit of a function's address says that it is Thumb code */
	if (img->ehdr.e_machine == EM_ARM)
		return sym->st_value & ~(u64)1;
	return sym->st_value;
}

static void meet(struct search *s, const GElf_Sym *sym)
{
	bool global = GELF_ST_BIND(sym->st_info) != STB_LOCAL;
	u64 at = entry(s->img, sym);

	if (!s->found || (global && !s->global)) {
		*s = (struct search){s->img, s->name, at, true, global, false};
		return;
	}
	if (global == s->global && at != s->vaddr)
		s->several = true;
}

static bool is_function(const GElf_Sym *sym)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
	       (type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC);
}

static void search_table(struct search *s, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const char *name;
	GElf_Sym sym;
	int i, nr;

	nr = data && sh->sh_entsize ? (int)MIN(sh->sh_size / sh->sh_entsize, (u64)INT32_MAX) : 0;
	for (i = 0; i < nr && gelf_getsym(data, i, &sym); i++) {
		name = is_function(&sym) ? elf_strptr(elf, sh->sh_link, sym.st_name) : NULL;
		if (name && !strcmp(name, s->name))
			meet(s, &sym);
	}
}

static void search_image(struct search *s, const struct image *table)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(table->elf, scn)))
		if (gelf_getshdr(scn, &sh) &&
		    (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM))
			search_table(s, table->elf, scn, &sh);
}

int image_function_find(const struct image *img, const struct image *debug, const char *name,
			u64 *vaddr)
{
	struct search s = {.img = img, .name = name};

	search_image(&s, img);
	if (debug)
		search_image(&s, debug);
	if (!s.found)
		return -ENOENT;
	*vaddr = s.vaddr;
	return s.several ? -ENOTUNIQ : 0;
}
