// SPDX-License-Identifier: GPL-2.0
#include "util/debuginfo/debug_sections.h"

#include <stdio.h>

struct debug_bytes debug_sections_bytes(const struct image *img, const char *name)
{
	struct debug_bytes none = {0};
	GElf_Shdr sh;
	Elf_Scn *scn = image_section(img, name, &sh);
	Elf_Data *d;

	if (!scn || sh.sh_type == SHT_NOBITS || sh.sh_flags & SHF_COMPRESSED)
		return none;
	d = elf_rawdata(scn, NULL);
	return d && d->d_buf ? (struct debug_bytes){d->d_buf, d->d_size} : none;
}

/* Sections that were compressed in the old way keep their names, those of split DWARF have others. */
static struct debug_bytes find(const struct image *img, const char *name)
{
	static const char *const around[][2] = {
		{".debug_", ""}, {".zdebug_", ""}, {".debug_", ".dwo"}};
	struct debug_bytes b = {0};
	char full[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(around) && !b.p; i++) {
		snprintf(full, sizeof(full), "%s%s%s", around[i][0], name, around[i][1]);
		b = debug_sections_bytes(img, full);
	}
	return b;
}

void debug_sections_get(struct debug_sections *s, Elf *elf)
{
	struct image img = {.elf = elf, .fd = -1};

	*s = (struct debug_sections){
		.info = find(&img, "info"),
		.abbrev = find(&img, "abbrev"),
		.line = find(&img, "line"),
		.line_str = find(&img, "line_str"),
		.str = find(&img, "str"),
	};
	if (gelf_getehdr(elf, &img.ehdr))
		s->swap = image_foreign_endian(&img);
}
