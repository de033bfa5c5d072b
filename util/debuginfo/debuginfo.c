// SPDX-License-Identifier: GPL-2.0
#include "util/debuginfo/debuginfo.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/hash.h"
#include "util/debuginfo/debug_unit.h"
#include "util/image/image_unpack.h"

/* What is at an address. Units, their functions and rows stay where they are. */
struct debug_answer {
	struct debug_unit *unit;         /* NULL: nothing */
	struct debug_function *function; /* NULL: not told */
	u32 inlined;                     /* the innermost function that was inlined, or ID_NONE */
	const struct line_row *row;      /* NULL: not told */
};

struct debuginfo {
	Dwarf *dwarf, *alt;
	struct debug_sections sections;
	char *folder; /* of the file with them, NULL: not known */
	struct debug_package package;
	bool packaged;
	bool indexed;
	VEC(struct debug_unit) units; /* in order of their offsets */
	struct range_index index;     /* of units */
	struct hmap known;            /* addresses that were asked for -> answers */
	VEC(struct debug_answer) answers;
};

int debuginfo_open(struct debuginfo **out, const struct debuginfo_images *images, struct err *err)
{
	const struct image *img = images->debug ? images->debug : images->image;
	struct debuginfo *d;
	GElf_Shdr sh;
	int ret;

	/* what is not linked yet has no addresses */
	if (img->ehdr.e_type == ET_REL)
		return err_set(err, ENODATA, "a file that is not linked");
	if (!image_section(img, ".debug_info", &sh) && !image_section(img, ".zdebug_info", &sh))
		return err_set(err, ENODATA, "no debug information");
	ret = image_unpack_check(img, err);
	if (!ret && images->alt)
		ret = image_unpack_check(images->alt, err);
	if (!ret && images->package)
		ret = image_unpack_check(images->package, err);
	if (ret)
		return ret;
	d = calloc(1, sizeof(*d));
	if (!d)
		return err_nomem(err);
	d->dwarf = dwarf_begin_elf(img->elf, DWARF_C_READ, NULL);
	if (!d->dwarf) {
		debuginfo_close(d);
		return err_set(err, ENODATA, "libdw: %s", dwarf_errmsg(-1));
	}
	if (images->alt)
		d->alt = dwarf_begin_elf(images->alt->elf, DWARF_C_READ, NULL);
	if (d->alt)
		dwarf_setalt(d->dwarf, d->alt);
	debug_sections_get(&d->sections, img->elf);
	d->folder = images->folder ? strdup(images->folder) : NULL;
	d->packaged = images->package != NULL;
	if (d->packaged)
		debug_package_get(&d->package, images->package);
	*out = d;
	return 0;
}

void debuginfo_close(struct debuginfo *d)
{
	u32 i;

	if (!d)
		return;
	for (i = 0; i < d->units.nr; i++)
		debug_unit_free(&d->units.v[i]);
	vec_free(&d->units);
	range_index_free(&d->index);
	hmap_free(&d->known);
	vec_free(&d->answers);
	dwarf_end(d->dwarf);
	dwarf_end(d->alt);
	free(d->folder);
	free(d);
}

/* The unit whose entries begin at an offset, by number. */
static u32 unit_at(const struct debuginfo *d, Dwarf_Off offset)
{
	u32 lo = 0, hi = d->units.nr, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (dwarf_dieoffset(&d->units.v[mid].die) <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? lo - 1 : ID_NONE;
}

/* Units that do not tell their addresses: some compilers leave that to .debug_aranges. */
static bool add_aranges(struct debuginfo *d, const bool *told)
{
	Dwarf_Addr start;
	Dwarf_Aranges *all;
	Dwarf_Word len;
	Dwarf_Off offset;
	size_t nr, i;
	u32 unit;

	if (dwarf_getaranges(d->dwarf, &all, &nr))
		return true;
	for (i = 0; i < nr; i++) {
		if (dwarf_getarangeinfo(dwarf_onearange(all, i), &start, &len, &offset) || !start)
			continue;
		unit = unit_at(d, offset);
		if (unit != ID_NONE && !told[unit] &&
		    !range_index_add(&d->index, start, start + len, unit))
			return false;
	}
	return true;
}

static bool has_code(uint8_t type)
{
	return type == DW_UT_compile || type == DW_UT_skeleton;
}

/* False when memory is out. */
static bool read_units(struct debuginfo *d)
{
	Dwarf_CU *cu = NULL, *next;
	struct debug_unit *u;
	VEC(bool) told = {0};
	bool ok = true, all = true;
	Dwarf_Die die;
	uint8_t type;
	bool *t;

	while (ok && !dwarf_get_units(d->dwarf, cu, &next, NULL, &type, &die, NULL)) {
		cu = next;
		if (!has_code(type))
			continue;
		t = vec_push(&told);
		u = t ? vec_push(&d->units) : NULL;
		if (!u) {
			ok = false;
			break;
		}
		u->die = die;
		ok = debug_entry_ranges(&die, &d->index, d->units.nr - 1, t);
		all = all && *t;
	}
	if (ok && !all)
		ok = add_aranges(d, told.v);
	vec_free(&told);
	return ok && range_index_finish(&d->index);
}

static struct debug_unit *find_unit(struct debuginfo *d, u64 vaddr)
{
	u32 i;

	if (!d->indexed) {
		d->indexed = true;
		if (!read_units(d))
			range_index_free(&d->index);
	}
	i = range_index_find(&d->index, vaddr);
	return i == ID_NONE ? NULL : &d->units.v[i];
}

static struct debug_answer look_up(struct debuginfo *d, u64 vaddr)
{
	const struct debug_unit_places places = {d->folder, d->packaged ? &d->package : NULL};
	struct debug_answer a = {.unit = find_unit(d, vaddr), .inlined = ID_NONE};

	if (!a.unit)
		return a;
	debug_unit_read(a.unit, &d->sections, &places);
	a.row = line_table_find(&a.unit->lines, vaddr);
	a.function = debug_unit_find(a.unit, vaddr);
	if (a.function)
		a.inlined = debug_function_find(a.function, &a.unit->entries, vaddr);
	return a;
}

/* For lack of memory it is looked up again the next time. */
static struct debug_answer answer_at(struct debuginfo *d, u64 vaddr)
{
	u32 known = hmap_get(&d->known, vaddr);
	struct debug_answer a, *to;

	if (known != ID_NONE)
		return d->answers.v[known];
	a = look_up(d, vaddr);
	to = vec_push(&d->answers);
	if (to) {
		*to = a;
		hmap_set(&d->known, vaddr, d->answers.nr - 1);
	}
	return a;
}

/* The inlined functions from the innermost outward, and the one that they are in. */
static u32 put_functions(const struct debug_answer *a, struct debug_frame *out, u32 max)
{
	struct debug_function *f = a->function;
	u32 nr = 0, i = a->inlined;

	while (i != ID_NONE && nr + 1 < max) {
		struct debug_entry *e = &f->inlined.v[i];

		debug_entry_call(e);
		out[nr].entry = e;
		out[nr++].function = debug_entry_name(e);
		out[nr] = (struct debug_frame){
			.vaddr = out[0].vaddr,
			.file = debug_unit_file(a->unit, e->file),
			.line = e->line,
			.column = e->column,
		};
		i = e->parent;
	}
	out[nr].entry = &f->self;
	out[nr++].function = debug_entry_name(&f->self);
	return nr;
}

u32 debuginfo_find(struct debuginfo *d, u64 vaddr, struct debug_frame *out, u32 max)
{
	struct debug_answer a = answer_at(d, vaddr);

	if (!max || (!a.function && !a.row))
		return 0;
	out[0] = (struct debug_frame){.vaddr = vaddr};
	if (a.row) {
		out[0].file = line_table_file(&a.unit->lines, a.row->file);
		out[0].line = a.row->line;
		out[0].column = a.row->column;
	}
	return a.function ? put_functions(&a, out, max) : 1;
}
