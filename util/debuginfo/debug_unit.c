// SPDX-License-Identifier: GPL-2.0
#include "util/debuginfo/debug_unit.h"

#include <dwarf.h>
#include <stdlib.h>

#include "util/debuginfo/debug_split.h"

static bool add_function(struct debug_unit *u, u64 offset)
{
	struct debug_function *f;
	bool any = false;
	Dwarf_Die die;

	if (!dwarf_offdie(dwarf_cu_getdwarf(u->tree.cu), offset, &die))
		return true;
	if (!debug_entry_ranges(&die, &u->index, u->functions.nr, &any))
		return false;
	f = any ? vec_push(&u->functions) : NULL;
	if (f)
		f->self.die = die;
	return f || !any;
}

/* False when memory is out. */
static bool read_functions(struct debug_unit *u, const struct debug_sections *s)
{
	u64 offset = dwarf_dieoffset(&u->tree);
	struct die_walk w;
	struct die d;

	if (die_unit_read(&u->entries, s, offset - dwarf_cuoffset(&u->tree)))
		return true;
	die_walk_begin(&w, &u->entries, offset);
	while (die_walk_next(&w, &d))
		if (d.tag == DW_TAG_subprogram && d.code_range && !add_function(u, d.offset))
			return false;
	return range_index_finish(&u->index);
}

static void free_functions(struct debug_unit *u)
{
	u32 i;

	for (i = 0; i < u->functions.nr; i++)
		debug_function_free(&u->functions.v[i]);
	vec_free(&u->functions);
	range_index_free(&u->index);
}

static void read_lines(struct debug_unit *u, const struct debug_sections *s, const char *comp_dir)
{
	Dwarf_Attribute attr;
	Dwarf_Word offset;

	if (dwarf_attr(&u->die, DW_AT_stmt_list, &attr) && !dwarf_formudata(&attr, &offset) &&
	    line_table_read(&u->lines, s, offset, comp_dir))
		line_table_free(&u->lines);
}

/* A split unit may have a table of files of its own, without lines. */
static void read_files(struct debug_unit *u, const struct debug_sections *s, const char *comp_dir)
{
	if (!s->line.p)
		return;
	u->files = calloc(1, sizeof(*u->files));
	if (u->files && line_table_read(u->files, s, 0, comp_dir)) {
		line_table_free(u->files);
		free(u->files);
		u->files = NULL;
	}
}

/* Where the functions are, which is another file if the unit is but the skeleton of a split one. */
static void find_tree(struct debug_unit *u, const struct debug_unit_places *places,
		      struct debug_sections *s)
{
	Dwarf_Die split;
	Elf *elf;

	u->tree = u->die;
	if (!debug_split_find(&u->die, places->folder, &split) &&
	    !(places->package && debug_unpack(&u->unpacked, places->package, &u->die, &split)))
		return;
	elf = dwarf_getelf(dwarf_cu_getdwarf(split.cu));
	if (!elf)
		return;
	u->tree = split;
	debug_sections_get(s, elf);
}

void debug_unit_read(struct debug_unit *u, const struct debug_sections *s,
		     const struct debug_unit_places *places)
{
	const char *comp_dir = debug_entry_string(&u->die, DW_AT_comp_dir);
	struct debug_sections of_tree = *s;

	if (u->read)
		return;
	u->read = true;
	find_tree(u, places, &of_tree);
	if (!read_functions(u, &of_tree))
		free_functions(u);
	read_lines(u, s, comp_dir);
	if (u->tree.cu != u->die.cu)
		read_files(u, &of_tree, comp_dir);
}

struct debug_function *debug_unit_find(struct debug_unit *u, u64 addr)
{
	u32 i = range_index_find(&u->index, addr);

	return i == ID_NONE ? NULL : &u->functions.v[i];
}

const char *debug_unit_file(struct debug_unit *u, u64 file)
{
	return line_table_file(u->files ? u->files : &u->lines, file);
}

void debug_unit_free(struct debug_unit *u)
{
	free_functions(u);
	die_unit_free(&u->entries);
	line_table_free(&u->lines);
	if (u->files)
		line_table_free(u->files);
	free(u->files);
	debug_unpacked_free(&u->unpacked);
}
