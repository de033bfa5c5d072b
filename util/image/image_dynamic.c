// SPDX-License-Identifier: GPL-2.0
#include "util/image/image_internal.h"

#include <string.h>

#include "util/base/cur.h"
#include "util/base/io.h"
#include "util/base/symtab.h"

/* What the entries of PT_DYNAMIC say; 0: nothing. */
struct tags {
	u64 symbols, names, names_len, hash, gnu_hash;
};

static bool read_tags(const struct image *img, struct tags *t, struct err *why)
{
	GElf_Phdr ph;
	Elf_Data *d = NULL;
	size_t nr, i;
	GElf_Dyn dyn;

	if (elf_getphdrnum(img->elf, &nr))
		return false;
	for (i = 0; !d && i < nr && gelf_getphdr(img->elf, (int)i, &ph); i++)
		if (ph.p_type == PT_DYNAMIC && ph.p_filesz)
			d = image_chunk(img, NULL, ph.p_offset, ph.p_filesz, ELF_T_DYN, why);
	for (i = 0; d && i <= INT32_MAX && gelf_getdyn(d, (int)i, &dyn); i++) {
		switch (dyn.d_tag) {
		case DT_NULL:
			return true;
		case DT_SYMTAB:
			t->symbols = dyn.d_un.d_ptr;
			break;
		case DT_STRTAB:
			t->names = dyn.d_un.d_ptr;
			break;
		case DT_STRSZ:
			t->names_len = dyn.d_un.d_val;
			break;
		case DT_HASH:
			t->hash = dyn.d_un.d_ptr;
			break;
		case DT_GNU_HASH:
			t->gnu_hash = dyn.d_un.d_ptr;
			break;
		}
	}
	return d != NULL;
}

/* How much of the file is behind an address, as its segment is loaded. */
static Elf_Data *chunk_at(const struct image *img, u64 vaddr, u64 most, Elf_Type type,
			  struct err *why)
{
	const GElf_Phdr *ph;
	u64 left;
	u32 i;

	for (i = 0; i < img->loads.nr; i++) {
		ph = &img->loads.v[i];
		if (vaddr < ph->p_vaddr || vaddr - ph->p_vaddr >= ph->p_filesz)
			continue;
		left = MIN(ph->p_filesz - (vaddr - ph->p_vaddr), most);
		if (ph->p_offset > INT64_MAX / 2 || vaddr - ph->p_vaddr > INT64_MAX / 2)
			return NULL;
		return image_chunk(img, NULL, ph->p_offset + (vaddr - ph->p_vaddr), left, type,
				   why);
	}
	return NULL;
}

static struct cur table_at(const struct image *img, u64 vaddr, struct err *why)
{
	Elf_Data *d = vaddr ? chunk_at(img, vaddr, UINT64_MAX, ELF_T_BYTE, why) : NULL;
	struct cur c = cur_init(d ? d->d_buf : NULL, d && d->d_buf ? d->d_size : 0);

	c.swap = image_foreign_endian(img);
	return c;
}

/* The table has a chain word for every symbol. */
static size_t count_by_hash(const struct image *img, u64 vaddr, struct err *why)
{
	struct cur c = table_at(img, vaddr, why);

	cur_u32(&c); /* buckets */
	return cur_u32(&c);
}

/* The last symbol is at the end of the chain that begins last. */
static size_t count_by_gnu_hash(const struct image *img, u64 vaddr, struct err *why)
{
	struct cur c = table_at(img, vaddr, why);
	u32 buckets = cur_u32(&c), first = cur_u32(&c), filter = cur_u32(&c), last = 0, head, i;
	size_t word = gelf_getclass(img->elf) == ELFCLASS64 ? 8 : 4;

	cur_u32(&c); /* shift of the filter */
	cur_skip(&c, filter * word);
	for (i = 0; i < buckets && !c.bad; i++) {
		head = cur_u32(&c);
		last = MAX(last, head);
	}
	if (c.bad || last < first)
		return c.bad ? 0 : first;
	cur_skip(&c, (size_t)(last - first) * 4);
	while (!c.bad && !(cur_u32(&c) & 1))
		last++;
	return c.bad ? 0 : (size_t)last + 1;
}

bool image_dynamic_find(const struct image *img, struct image_dynamic *d, struct err *why)
{
	size_t entry = gelf_fsize(img->elf, ELF_T_SYM, 1, EV_CURRENT);
	struct tags t = {0};
	Elf_Data *names;

	*d = (struct image_dynamic){0};
	if (!read_tags(img, &t, why) || !t.symbols || !t.names || !entry)
		return false;
	if (t.gnu_hash)
		d->nr = count_by_gnu_hash(img, t.gnu_hash, why);
	if (!d->nr && t.hash)
		d->nr = count_by_hash(img, t.hash, why);
	/* linkers put the names behind the symbols */
	if (!d->nr && t.names > t.symbols)
		d->nr = (size_t)(t.names - t.symbols) / entry;
	d->nr = MIN(d->nr, (size_t)INT32_MAX);
	d->symbols = d->nr ? chunk_at(img, t.symbols, d->nr * entry, ELF_T_SYM, why) : NULL;
	names = chunk_at(img, t.names, t.names_len, ELF_T_BYTE, why);
	if (!d->symbols || !d->symbols->d_buf || !names || !names->d_buf)
		return false;
	d->nr = MIN(d->nr, d->symbols->d_size / entry);
	d->names = names->d_buf;
	d->names_len = names->d_size;
	return true;
}

/* To read by itself costs as much as to copy so many bytes. */
#define READ_COSTS 2048
/* So much is read of a name at a time. */
#define NAME_PIECE 256

void image_dynsym_init(struct image_dynsym *d, const struct image *img, u32 section, u32 first,
		       u32 last, u32 nr, struct image_names dynamic, struct err *why)
{
	const size_t entry = gelf_fsize(img->elf, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Scn *scn = elf_getscn(img->elf, section);
	Elf_Data *whole;
	GElf_Shdr sh;

	*d = (struct image_dynsym){.img = img, .first = first, .why = why};
	if (!scn || !gelf_getshdr(scn, &sh) || !entry || sh.sh_offset > INT64_MAX || first > last ||
	    last >= sh.sh_size / entry)
		return;
	d->scn = elf_getscn(img->elf, sh.sh_link);
	if (!d->scn || !gelf_getshdr(d->scn, &d->strings) || d->strings.sh_type != SHT_STRTAB)
		return;
	d->symbols = image_chunk(img, scn, sh.sh_offset + first * entry, (last - first + 1) * entry,
				 ELF_T_SYM, why);
	if (sh.sh_type == SHT_DYNSYM && dynamic.s) {
		d->names = dynamic;
	} else if (img->fd < 0 || (u64)nr * READ_COSTS >= d->strings.sh_size) {
		whole = image_section_data(img, d->scn, why);
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

	buf_reset(&d->name);
	do {
		len = (size_t)MIN(d->strings.sh_size - at, (u64)sizeof(piece));
		n = len ? io_pread(d->img->fd, piece, len, d->strings.sh_offset + at) : 0;
		if (len && n <= 0)
			image_cannot_read(d->img, d->scn, n ? strerror((int)-n) : "it is cut",
					  d->why);
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
