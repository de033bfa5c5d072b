// SPDX-License-Identifier: GPL-2.0
#include "util/image/image_kallsyms.h"

#include <errno.h>

#include "util/base/text.h"

/* Of code, or without a type, as labels in assembler have it. */
static bool is_code(const struct image *img, const GElf_Sym *sym)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);
	Elf_Scn *scn;
	GElf_Shdr sh;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE ||
	    (type != STT_FUNC && type != STT_NOTYPE))
		return false;
	scn = elf_getscn(img->elf, sym->st_shndx);
	return scn && gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR;
}

static void put_symbol(const GElf_Sym *sym, const char *name, struct buf *out)
{
	unsigned int bind = GELF_ST_BIND(sym->st_info);

	buf_addf(out, "%016llx %c %s\n", (unsigned long long)sym->st_value,
		 bind == STB_WEAK     ? 'W'
		 : bind == STB_GLOBAL ? 'T'
				      : 't',
		 name);
}

int image_kallsyms(const struct image *img, struct buf *out, struct err *err)
{
	Elf_Scn *scn = NULL;
	const char *name;
	Elf_Data *data;
	GElf_Shdr sh;
	GElf_Sym sym;
	int i;

	do {
		scn = elf_nextscn(img->elf, scn);
	} while (scn && (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB));
	data = scn ? elf_getdata(scn, NULL) : NULL;
	if (!data)
		return err_set(err, ENODATA, "stripped; no symbols");
	for (i = 1; gelf_getsym(data, i, &sym); i++) {
		name = elf_strptr(img->elf, sh.sh_link, sym.st_name);
		/* a line for each: nothing that would end it */
		if (name && *name && text_is_plain(name, strlen(name)) && is_code(img, &sym))
			put_symbol(&sym, name, out);
	}
	return out->failed ? err_nomem(err) : 0;
}
