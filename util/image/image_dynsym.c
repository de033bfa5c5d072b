// SPDX-License-Identifier: GPL-2.0
#include "util/image/image_dynsym.h"

#include <string.h>

#include "util/base/io.h"
#include "util/base/sym.h"

/* To read by itself costs as much as to copy so many bytes. */
#define READ_COSTS 2048
/* So much is read of a name at a time. */
#define NAME_PIECE 256

void image_dynsym_init(struct image_dynsym *d, const struct image *img, u32 section, u32 first,
		       u32 last, u32 nr, struct image_names dynamic)
{
	const size_t entry = gelf_fsize(img->elf, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Scn *scn = elf_getscn(img->elf, section);
	Elf_Data *whole;
	GElf_Shdr sh;

	*d = (struct image_dynsym){.img = img, .first = first};
	if (!scn || !gelf_getshdr(scn, &sh) || !entry || sh.sh_offset > INT64_MAX || first > last ||
	    last >= sh.sh_size / entry)
		return;
	d->scn = elf_getscn(img->elf, sh.sh_link);
	if (!d->scn || !gelf_getshdr(d->scn, &d->strings) || d->strings.sh_type != SHT_STRTAB)
		return;
	d->symbols = elf_getdata_rawchunk(img->elf, (s64)(sh.sh_offset + first * entry),
					  (last - first + 1) * entry, ELF_T_SYM);
	if (sh.sh_type == SHT_DYNSYM && dynamic.s) {
		d->names = dynamic;
	} else if (img->fd < 0 || (u64)nr * READ_COSTS >= d->strings.sh_size) {
		whole = elf_getdata(d->scn, NULL);
		if (whole && whole->d_buf && whole->d_size &&
		    !((const char *)whole->d_buf)[whole->d_size - 1])
			d->names = (struct image_names){whole->d_buf, whole->d_size};
	}
}

void image_dynsym_free(struct image_dynsym *d)
{
	buf_free(&d->name);
}

/* NULL when memory is out. */
static const char *read_name(struct image_dynsym *d, u64 at)
{
	char piece[NAME_PIECE];
	size_t len;
	ssize_t n;

	buf_clear(&d->name);
	do {
		len = (size_t)MIN(d->strings.sh_size - at, (u64)sizeof(piece));
		n = len ? io_pread(d->img->fd, piece, len, d->strings.sh_offset + at) : 0;
		if (n <= 0)
			return "";
		len = strnlen(piece, (size_t)n);
		buf_add(&d->name, piece, len);
		at += len;
	} while (len == (size_t)n && !d->name.failed && d->name.len <= SYM_NAME_MAX);
	if (d->name.failed)
		return NULL;
	return d->name.len <= SYM_NAME_MAX ? buf_str(&d->name) : "";
}

static const char *as_name(const char *s)
{
	return strnlen(s, SYM_NAME_MAX + 1) <= SYM_NAME_MAX ? s : "";
}

const char *image_dynsym_name(struct image_dynsym *d, u32 number)
{
	GElf_Sym sym;

	if (!d->symbols || number < d->first || number - d->first > INT32_MAX ||
	    !gelf_getsym(d->symbols, (int)(number - d->first), &sym))
		return "";
	if (d->names.s)
		return sym.st_name < d->names.len ? as_name(d->names.s + sym.st_name) : "";
	if (d->img->fd < 0 || sym.st_name >= d->strings.sh_size)
		return "";
	return read_name(d, sym.st_name);
}
