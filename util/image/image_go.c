// SPDX-License-Identifier: GPL-2.0
#include "util/image/image_internal.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/cur.h"

/*
 * The table by which a program of Go names its own functions when it panics: it is loaded, so that strip(1) and the
 * linker's -s leave it alone. All offsets are from its beginning, but those of functions, which are from the program's text.
 *
 * Source: Go's src/runtime/symtab.go (pcHeader, functab) and src/debug/gosym/pclntab.go, of 1.18 and later.
 */
#define GO_1_18 0xfffffff0u
#define GO_1_20 0xfffffff1u

struct functions {
	struct cur all; /* the table */
	struct cur
		entries; /* where a function begins, where it is described; a last beginning is the end */
	u64 nr;
	u64 at; /* of the entries and what they point to */
	u64 text;
	const char *names;
	size_t names_len;
};

static struct cur from(const struct functions *f, u64 offset)
{
	struct cur c = f->all;

	cur_skip(&c, MIN(offset, SIZE_MAX));
	return c;
}

static bool read_header(struct functions *f)
{
	struct cur c = f->all;
	u32 magic = cur_u32(&c);
	u64 words
		[8]; /* functions, files, text, then where names, units, files, lines and functions are */
	u8 size;
	u32 i;

	cur_skip(&c, 3);
	size = cur_u8(&c);
	if ((magic != GO_1_18 && magic != GO_1_20) || (size != 4 && size != 8))
		return false;
	for (i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = size == 8 ? cur_u64(&c) : cur_u32(&c);
	f->nr = words[0];
	f->text = words[2];
	f->at = words[7];
	f->entries = from(f, f->at);
	f->nr = MIN(f->nr, cur_left(&f->entries) / (2 * sizeof(u32)));
	c = from(f, words[3]);
	f->names = (const char *)c.p;
	f->names_len = cur_left(&c);
	if (words[4] > words[3])
		f->names_len = MIN(f->names_len, words[4] - words[3]);
	return !c.bad && !f->entries.bad;
}

/* The name of the function that is described there, in its place in the table; SIZE_MAX: it has none. */
static size_t name_at(const struct functions *f, u32 described)
{
	struct cur c = from(f, f->at + described);
	u32 name;

	cur_u32(&c);
	name = cur_u32(&c);
	return c.bad || name >= f->names_len || !f->names[name] ? SIZE_MAX : name;
}

/*
 * Since 1.26 the table does not say where the text begins. It is where .text does if the program's entry is Go's then: with
 * code of C before it, it is not.
 */
static bool find_text(const struct image *img, struct functions *f, const char *names)
{
	struct cur c = f->entries;
	GElf_Shdr sh;
	size_t name;
	u32 start;
	u64 i;

	if (f->text)
		return true;
	if (!image_section(img, ".text", &sh))
		return false;
	f->text = sh.sh_addr;
	for (i = 0; i < f->nr; i++) {
		start = cur_u32(&c);
		name = name_at(f, cur_u32(&c));
		if (f->text + start == img->ehdr.e_entry)
			return name != SIZE_MAX && !strncmp(names + name, "_rt0_", 5);
	}
	return false;
}

static bool add_functions(const struct image *img, struct functions *f, struct symtab *st,
			  const char *names)
{
	u32 start = cur_u32(&f->entries), described, end;
	size_t name;
	u64 offset, i;

	for (i = 0; i < f->nr; i++, start = end) {
		described = cur_u32(&f->entries);
		end = cur_u32(&f->entries);
		name = name_at(f, described);
		if (f->entries.bad)
			break;
		if (end > start && name != SIZE_MAX &&
		    image_offset(img, f->text + start, &offset) &&
		    !symtab_add_adopted(st, offset, offset + (end - start), names + name,
					SYM_GLOBAL))
			return false;
	}
	return true;
}

bool image_go_add(const struct image *img, struct symtab *st, struct err *why)
{
	struct functions f = {0};
	GElf_Shdr sh;
	Elf_Scn *scn = image_section(img, ".gopclntab", &sh);
	Elf_Data *d;
	char *names;

	if (!scn)
		scn = image_section(img, ".data.rel.ro.gopclntab", &sh);
	d = scn && sh.sh_type == SHT_PROGBITS ? image_section_data(img, scn, why) : NULL;
	if (!d || !d->d_buf)
		return true;
	f.all = cur_init(d->d_buf, d->d_size);
	f.all.swap = image_foreign_endian(img);
	if (!read_header(&f))
		return true;
	names = image_names_keep(st, f.names, f.names_len);
	if (!names)
		return false;
	return !find_text(img, &f, names) ||
	       (symtab_reserve(st, f.nr) && add_functions(img, &f, st, names));
}
