// SPDX-License-Identifier: GPL-2.0
#include "util/debuginfo/debug_package.h"

#include "util/base/cur.h"

#define COLUMNS_MAX 16u

/* Numbers of sections in the index. */
#define SECTION_INFO        1u
#define SECTION_ABBREV      3u
#define SECTION_LINE        4u
#define SECTION_STR_OFFSETS 6u
#define SECTION_RNGLISTS    8u /* of DWARF 5; before, of macros */

static const char *const names[PACKAGE_PARTS] = {
	[PACKAGE_INFO] = ".debug_info.dwo",
	[PACKAGE_ABBREV] = ".debug_abbrev.dwo",
	[PACKAGE_LINE] = ".debug_line.dwo",
	[PACKAGE_STR_OFFSETS] = ".debug_str_offsets.dwo",
	[PACKAGE_RNGLISTS] = ".debug_rnglists.dwo",
};

static const u32 numbers[PACKAGE_PARTS] = {
	[PACKAGE_INFO] = SECTION_INFO,         [PACKAGE_ABBREV] = SECTION_ABBREV,
	[PACKAGE_LINE] = SECTION_LINE,         [PACKAGE_STR_OFFSETS] = SECTION_STR_OFFSETS,
	[PACKAGE_RNGLISTS] = SECTION_RNGLISTS,
};

const char *debug_package_section(enum debug_package_part part)
{
	return names[part];
}

void debug_package_get(struct debug_package *p, const struct image *img)
{
	u32 i;

	for (i = 0; i < PACKAGE_PARTS; i++)
		p->sections[i] = debug_sections_bytes(img, names[i]);
	p->str = debug_sections_bytes(img, ".debug_str.dwo");
	p->index = debug_sections_bytes(img, ".debug_cu_index");
	p->swap = image_foreign_endian(img);
}

struct index {
	u32 version, columns, units, slots;
	struct cur ids, rows, sections, offsets, sizes;
};

static struct cur table(struct cur *c, u64 nr, u32 size)
{
	return cur_sub(c, nr > cur_left(c) / size ? SIZE_MAX : (size_t)nr * size);
}

static bool read_index(const struct debug_package *p, struct index *x)
{
	struct cur c = cur_init(p->index.p, p->index.p ? p->index.len : 0);

	c.swap = p->swap;
	x->version = cur_u32(&c);
	/* it was a word, and is half of one since */
	if (x->version != 2) {
		c = cur_init(p->index.p, p->index.p ? p->index.len : 0);
		c.swap = p->swap;
		x->version = cur_u16(&c);
		cur_u16(&c);
	}
	x->columns = cur_u32(&c);
	x->units = cur_u32(&c);
	x->slots = cur_u32(&c);
	if (c.bad || (x->version != 2 && x->version != 5) || x->columns > COLUMNS_MAX)
		return false;
	x->ids = table(&c, x->slots, 8);
	x->rows = table(&c, x->slots, 4);
	x->sections = table(&c, x->columns, 4);
	x->offsets = table(&c, (u64)x->units * x->columns, 4);
	x->sizes = table(&c, (u64)x->units * x->columns, 4);
	return !c.bad;
}

/* The row of an id, from 1; 0: there is none. A table of hashes, but looked at once for each unit. */
static u32 find_row(struct index *x, u64 dwo_id)
{
	u32 row;

	while (cur_left(&x->ids)) {
		row = cur_u32(&x->rows);
		if (cur_u64(&x->ids) == dwo_id && row)
			return row <= x->units ? row : 0;
	}
	return 0;
}

static void take_part(const struct debug_package *p, struct debug_package_unit *u, u32 version,
		      u32 section, u64 offset, u64 size)
{
	const struct debug_bytes *all;
	u32 i;

	if (section == SECTION_RNGLISTS && version < 5)
		return;
	for (i = 0; i < PACKAGE_PARTS; i++) {
		all = &p->sections[i];
		if (numbers[i] == section && all->p && offset <= all->len &&
		    size <= all->len - offset)
			u->parts[i] = (struct debug_bytes){all->p + offset, (size_t)size};
	}
}

bool debug_package_find(const struct debug_package *p, u64 dwo_id, struct debug_package_unit *out)
{
	struct index x;
	u32 row, i;

	*out = (struct debug_package_unit){0};
	if (!read_index(p, &x))
		return false;
	row = find_row(&x, dwo_id);
	if (!row)
		return false;
	cur_skip(&x.offsets, (size_t)(row - 1) * x.columns * 4);
	cur_skip(&x.sizes, (size_t)(row - 1) * x.columns * 4);
	for (i = 0; i < x.columns; i++)
		take_part(p, out, x.version, cur_u32(&x.sections), cur_u32(&x.offsets),
			  cur_u32(&x.sizes));
	return out->parts[PACKAGE_INFO].p && out->parts[PACKAGE_ABBREV].p;
}
