// SPDX-License-Identifier: GPL-2.0
#include "util/debuginfo/debug_function.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/sym.h"
#include "util/image/image.h"

/* Of the entry or of what it is an instance of; NULL: there is none that one could show. */
static const char *name_by(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute attr;
	const char *s = NULL;

	if (dwarf_attr_integrate(die, attribute, &attr))
		s = dwarf_formstring(&attr);
	return s && strnlen(s, SYM_NAME_MAX + 1) <= SYM_NAME_MAX ? s : NULL;
}

const char *debug_entry_name(struct debug_entry *e)
{
	static const unsigned int names[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
					     DW_AT_name};
	u32 i;

	for (i = 0; !e->named && !e->name && i < ARRAY_SIZE(names); i++)
		e->name = name_by(&e->die, names[i]);
	e->named = true;
	return e->name;
}

/* Those that binutils takes for such whose names are not mangled. */
static bool has_plain_names(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Ada83:
	case DW_LANG_Ada95:
	case DW_LANG_Cobol74:
	case DW_LANG_Cobol85:
	case DW_LANG_Fortran77:
	case DW_LANG_Pascal83:
	case DW_LANG_PLI:
	case DW_LANG_UPC:
	case DW_LANG_Mips_Assembler:
		return true;
	default:
		return false;
	}
}

bool debug_entry_is_linkage(struct debug_entry *e)
{
	Dwarf_Attribute attr;
	Dwarf_Die unit;

	return dwarf_attr_integrate(&e->die, DW_AT_linkage_name, &attr) ||
	       dwarf_attr_integrate(&e->die, DW_AT_MIPS_linkage_name, &attr) ||
	       (dwarf_diecu(&e->die, &unit, NULL, NULL) && has_plain_names(&unit));
}

u64 debug_entry_begin(struct debug_entry *e)
{
	Dwarf_Addr base, low = 0, high;

	return dwarf_ranges(&e->die, 0, &base, &low, &high) > 0 ? low : 0;
}

const char *debug_entry_string(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

static u64 number(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	return dwarf_attr(die, name, &attr) && !dwarf_formudata(&attr, &v) ? v : 0;
}

void debug_entry_call(struct debug_entry *e)
{
	if (e->called)
		return;
	e->called = true;
	e->file = number(&e->die, DW_AT_call_file);
	e->line = (u32)number(&e->die, DW_AT_call_line);
	e->column = (u32)number(&e->die, DW_AT_call_column);
}

bool debug_entry_ranges(Dwarf_Die *die, struct range_index *x, u32 item, bool *any)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		if (!low || low >= high)
			continue;
		*any = true;
		if (!range_index_add(x, low, high, item))
			return false;
	}
	return true;
}

static bool add_inlined(struct debug_function *f, u64 offset, u32 parent)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(f->self.die.cu);
	struct debug_entry *e = vec_push(&f->inlined);
	bool any = false;

	if (!e)
		return false;
	e->parent = parent;
	return !dwarf_offdie(dwarf, offset, &e->die) ||
	       debug_entry_ranges(&e->die, &f->index, f->inlined.nr - 1, &any);
}

static bool is_scope(u32 tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

/* False when memory is out. */
static bool read_tree(struct debug_function *f, const struct die_unit *unit)
{
	u32 inner[DEBUG_DEPTH_MAX] = {ID_NONE}; /* the inlined function at each depth */
	u32 passed = UINT32_MAX;                /* depth of the entry that is passed over */
	struct die_walk w;
	struct die d;

	die_walk_begin(&w, unit, dwarf_dieoffset(&f->self.die));
	if (!die_walk_next(&w, &d))
		return true;
	while (die_walk_next(&w, &d)) {
		if (d.depth > passed)
			continue;
		passed = UINT32_MAX;
		if (d.depth >= DEBUG_DEPTH_MAX || !is_scope(d.tag)) {
			passed = d.depth;
			continue;
		}
		inner[d.depth] = inner[d.depth - 1];
		if (d.tag != DW_TAG_inlined_subroutine)
			continue;
		if (!add_inlined(f, d.offset, inner[d.depth - 1]))
			return false;
		inner[d.depth] = f->inlined.nr - 1;
	}
	return true;
}

u32 debug_function_find(struct debug_function *f, const struct die_unit *unit, u64 addr)
{
	if (!f->read) {
		f->read = true;
		if (!read_tree(f, unit) || !range_index_finish(&f->index)) {
			range_index_free(&f->index);
			vec_free(&f->inlined);
		}
	}
	return range_index_find(&f->index, addr);
}

void debug_function_free(struct debug_function *f)
{
	range_index_free(&f->index);
	vec_free(&f->inlined);
}
