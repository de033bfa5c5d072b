// SPDX-License-Identifier: GPL-2.0
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"
#include "util/debuginfo/debug_variables_internal.h"

#define VARIABLES_MAX 1024u
#define BLOCKS_MAX    32u /* in one another, at a place */
/* Of all entries that are looked at, for variables, and then for messages: in damaged DWARF they may have no end. */
#define CHILDREN_MAX 500000u
#define TRIES_MAX    100000u /* of locations, for messages */

struct finder {
	struct debug_variables *to;
	struct debug_source *s;
	const struct debug_places *places;
	struct debug_reader reader;
	enum debug_lack
		*lacks; /* by variable: why it cannot be read at the first place that has it */
	struct debug_lines lines; /* of the first place */
	Dwarf_Die ended
		[BLOCKS_MAX]; /* blocks that end at the place, of which the line may still be */
	u32 nr_ended;
	u32 children, tries;
	bool failed; /* memory is out */
};

static u64 number_at(Dwarf_Die *die, unsigned int name)
{
	u64 v = 0;

	debuginfo_die_number(die, name, &v);
	return v;
}

static bool is_variable(Dwarf_Die *die)
{
	const int tag = dwarf_tag(die);

	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
}

static bool next_child(struct finder *f, Dwarf_Die *die)
{
	return ++f->children < CHILDREN_MAX && !dwarf_siblingof(die, die);
}

static u32 find_variable(const struct debug_variables *v, const char *name)
{
	u32 i;

	for (i = 0; i < v->v.nr && strcmp(v->v.v[i].name, name) != 0; i++)
		;
	return i < v->v.nr ? i : ID_NONE;
}

/* With spots at all places, which are nowhere yet. ID_NONE: there are too many, or memory is out. */
static u32 add_variable(struct finder *f, Dwarf_Die *die, const char *name)
{
	struct debug_variable *to;
	u32 i;

	if (f->to->v.nr == VARIABLES_MAX)
		return ID_NONE;
	to = vec_push(&f->to->v);
	f->failed |= !to;
	if (!to)
		return ID_NONE;
	to->line = number_at(die, DW_AT_decl_line);
	to->name = arena_strdup(&f->to->arena, name);
	to->entry = arena_alloc(&f->to->arena, sizeof(*to->entry));
	f->failed |= !to->name || !to->entry;
	for (i = 0; i < f->places->v.nr; i++)
		f->failed |= !vec_push(&f->to->spots);
	if (f->failed) {
		f->to->v.nr--;
		return ID_NONE;
	}
	*to->entry = (struct debug_entry){.die = *die};
	return f->to->v.nr - 1;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), type) != NULL;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* By name: templates and headers that are read twice have one line for several types. */
static bool is_same_type(Dwarf_Die *x, Dwarf_Die *y)
{
	Dwarf_Die a = *x, b = *y, of_a, of_b;
	bool more_a, more_b;
	u32 depth;

	for (depth = 0; depth < BLOCKS_MAX; depth++) {
		if (a.addr == b.addr)
			return true;
		if (dwarf_tag(&a) != dwarf_tag(&b) || dwarf_bytesize(&a) != dwarf_bytesize(&b) ||
		    !same_text(dwarf_diename(&a), dwarf_diename(&b)) ||
		    number_at(&a, DW_AT_encoding) != number_at(&b, DW_AT_encoding) ||
		    number_at(&a, DW_AT_decl_line) != number_at(&b, DW_AT_decl_line))
			return false;
		more_a = type_of(&a, &of_a);
		more_b = type_of(&b, &of_b);
		if (more_a != more_b)
			return false;
		/* structs without a name have nothing to be told apart by */
		if (!more_a)
			return dwarf_diename(&a) != NULL || dwarf_tag(&a) == DW_TAG_pointer_type;
		a = of_a;
		b = of_b;
	}
	return false;
}

/* Is it the same one at another place? */
static bool is_same(const struct debug_variable *v, Dwarf_Die *die)
{
	Dwarf_Die a = v->entry->die, type[2];

	return v->line == number_at(die, DW_AT_decl_line) && type_of(&a, &type[0]) &&
	       type_of(die, &type[1]) && is_same_type(&type[0], &type[1]);
}

/* --- the variables of a place --- */

/* The function goes on below the line, with a name that means something else here, or nothing. */
static bool is_below(const struct finder *f, Dwarf_Die *die, u64 line)
{
	return dwarf_tag(die) == DW_TAG_variable && number_at(die, DW_AT_decl_line) > line &&
	       number_at(die, DW_AT_decl_file) == number_at(&f->reader.entry->die, DW_AT_decl_file);
}

static bool is_in_ended(struct finder *f, const char *name)
{
	const char *other;
	Dwarf_Die child;
	u32 i;

	for (i = 0; i < f->nr_ended; i++) {
		if (dwarf_child(&f->ended[i], &child))
			continue;
		do {
			other = is_variable(&child) ? debuginfo_die_name(&child) : NULL;
			if (other && !strcmp(other, name) && !is_below(f, &child, f->places->line))
				return true;
		} while (next_child(f, &child));
	}
	return false;
}

/* A variable of place number `place`; those of inner blocks come first, and `seen` has them. */
static void take_variable(struct finder *f, Dwarf_Die *die, u32 place, bool *seen)
{
	const char *name = debuginfo_die_name(die);
	struct debug_spot *spot;
	u32 i;

	if (!name || !*name || f->failed)
		return;
	if (is_below(f, die, f->places->line))
		return;
	i = find_variable(f->to, name);
	if (i == ID_NONE)
		i = add_variable(f, die, name);
	else if (seen[i] || !is_same(&f->to->v.v[i], die))
		return;
	if (i == ID_NONE)
		return;
	seen[i] = true;
	f->to->v.v[i].in_scope = true;
	if (debuginfo_die_flag(die, DW_AT_declaration) || is_in_ended(f, name)) {
		if (!f->lacks[i])
			f->lacks[i] = debuginfo_die_flag(die, DW_AT_declaration)
					      ? DEBUG_LACKS_DEFINITION
					      : DEBUG_LACKS_BLOCK;
		return;
	}
	spot = &f->to->spots.v[i * f->places->v.nr + place];
	*spot = debug_location_read(&f->reader, die);
	f->failed |= f->reader.no_memory;
	if (!f->lacks[i])
		f->lacks[i] = f->reader.lack;
}

/* The block that a place is in, innermost first, up to the function itself. */
static u32 find_blocks(struct finder *f, const struct debug_entry *entry, u64 vaddr,
		       Dwarf_Die *blocks)
{
	Dwarf_Die all[BLOCKS_MAX], child;
	u32 nr = 0, i;
	bool found = true;

	all[nr++] = entry->die;
	while (found && nr < BLOCKS_MAX) {
		found = false;
		if (dwarf_child(&all[nr - 1], &child))
			break;
		do {
			found = dwarf_tag(&child) == DW_TAG_lexical_block &&
				dwarf_haspc(&child, vaddr) == 1;
		} while (!found && next_child(f, &child));
		if (found)
			all[nr++] = child;
	}
	for (i = 0; i < nr; i++)
		blocks[i] = all[nr - 1 - i];
	return nr;
}

/* A statement without code of its own is at the next one, which may be behind its block. */
static void find_ended(struct finder *f, const struct debug_place *p, const Dwarf_Die *blocks,
		       u32 nr)
{
	Dwarf_Die before[BLOCKS_MAX];
	u32 nr_before, i, j;

	f->nr_ended = 0;
	if (!debug_places_share(f->places, p->vaddr))
		return;
	nr_before = find_blocks(f, p->entry, p->vaddr - 1, before);
	for (i = 0; i < nr_before; i++) {
		for (j = 0; j < nr && before[i].addr != blocks[j].addr; j++)
			;
		if (j == nr)
			f->ended[f->nr_ended++] = before[i];
	}
}

static void take_block(struct finder *f, Dwarf_Die *block, u32 place, bool *seen)
{
	Dwarf_Die child;

	if (dwarf_child(block, &child))
		return;
	do {
		if (is_variable(&child))
			take_variable(f, &child, place, seen);
	} while (next_child(f, &child));
}

static void take_place(struct finder *f, u32 place, bool *seen)
{
	const struct debug_place *p = &f->places->v.v[place];
	Dwarf_Die blocks[BLOCKS_MAX], origin;
	Dwarf_Attribute attr;
	u32 i, nr;

	if (!p->entry)
		return;
	memset(seen, 0, VARIABLES_MAX * sizeof(*seen));
	f->reader.outer = p->outer;
	f->reader.entry = p->entry;
	f->reader.vaddr = p->vaddr;
	nr = find_blocks(f, p->entry, p->vaddr, blocks);
	find_ended(f, p, blocks, nr);
	for (i = 0; i < nr; i++) {
		take_block(f, &blocks[i], place, seen);
		/* what the compiler left out of this copy of the function */
		if (dwarf_formref_die(dwarf_attr(&blocks[i], DW_AT_abstract_origin, &attr),
				      &origin))
			take_block(f, &origin, place, seen);
	}
}

/* --- why some cannot be read --- */

/* Those of other blocks of the function, and those that are declared below. */
static void take_others(struct finder *f, Dwarf_Die *block, u32 depth)
{
	const char *name;
	Dwarf_Die child;

	if (dwarf_child(block, &child))
		return;
	do {
		name = is_variable(&child) ? debuginfo_die_name(&child) : NULL;
		if (name && *name && find_variable(f->to, name) == ID_NONE)
			add_variable(f, &child, name);
		if (dwarf_tag(&child) == DW_TAG_lexical_block && depth < BLOCKS_MAX)
			take_others(f, &child, depth + 1);
	} while (!f->failed && next_child(f, &child));
}

/* The entry as it is at another place of the same function: is it in scope there, and can it be read? */
static bool is_readable(struct finder *f, const struct debug_line *at, const char *name)
{
	const u32 steps = f->to->steps.nr;
	const struct debug_place *place = &f->places->v.v[0];
	Dwarf_Die blocks[BLOCKS_MAX], child;
	struct debug_spot spot = {0};
	const char *other;
	u32 i, nr;

	f->reader.vaddr = at->vaddr;
	nr = find_blocks(f, place->entry, at->vaddr, blocks);
	for (i = 0; i < nr; i++) {
		if (dwarf_child(&blocks[i], &child))
			continue;
		do {
			other = is_variable(&child) ? debuginfo_die_name(&child) : NULL;
			if (!other || strcmp(other, name) != 0 || is_below(f, &child, at->line))
				continue;
			spot = debug_location_read(&f->reader, &child);
			f->to->steps.nr = steps;
			return spot.kind != DEBUG_SPOT_NOWHERE;
		} while (next_child(f, &child));
	}
	return false;
}

/* "; it can be read in lines 12, 14-16" */
static void put_lines(struct finder *f, const char *name, struct buf *out)
{
	bool *is = calloc(f->lines.v.nr + 1, sizeof(*is));
	const size_t before = out->len;
	u32 i, nr = 0;

	f->failed |= !is;
	for (i = 0; is && i < f->lines.v.nr && f->tries++ < TRIES_MAX; i++) {
		is[i] = is_readable(f, &f->lines.v.v[i], name);
		nr += is[i];
	}
	buf_addf(out, "; it can be read in line%s ", TEXT_PLURAL(nr));
	if (f->children >= CHILDREN_MAX || f->tries >= TRIES_MAX)
		out->len = before;
	else if (nr)
		debug_lines_text(&f->lines, is, out);
	else
		out->len = before, buf_adds(out, "; it can be read in no line of the function");
	free(is);
}

static void explain(struct finder *f, u32 i)
{
	static const char *const whys[] = {
		[DEBUG_LACKS_NOTHING] = "it is not in scope",
		[DEBUG_LACKS_LOCATION] = "it is optimised out",
		[DEBUG_LACKS_ENTRY] = "it is optimised out",
		[DEBUG_LACKS_BEGINNING] = "the function has not stored it yet",
		[DEBUG_LACKS_WHOLE] = "it is in several pieces",
		[DEBUG_LACKS_POINTEE] = "what it points to is optimised out",
		[DEBUG_LACKS_THREAD] = "each thread has its own",
		[DEBUG_LACKS_FRAME] = "it is not known where the frame is",
		[DEBUG_LACKS_KNOWLEDGE] = "its location is not understood",
		[DEBUG_LACKS_BLOCK] = "a block with another one of its name ends",
		[DEBUG_LACKS_DEFINITION] = "it is declared, and defined elsewhere,",
	};
	struct debug_variable *v = &f->to->v.v[i];
	struct buf text = {0};

	buf_addf(&text, "%s at 0x%llx", whys[f->lacks[i]],
		 (unsigned long long)f->places->v.v[0].vaddr);
	put_lines(f, v->name, &text);
	v->why = text.failed ? NULL : arena_strndup(&f->to->arena, buf_str(&text), text.len);
	f->failed |= !v->why;
	buf_free(&text);
}

static bool is_anywhere(const struct finder *f, u32 i)
{
	const u32 nr = f->places->v.nr;
	u32 j;

	for (j = 0; j < nr; j++)
		if (f->to->spots.v[i * nr + j].kind != DEBUG_SPOT_NOWHERE)
			return true;
	return false;
}

static void explain_all(struct finder *f)
{
	const struct debug_place *first = &f->places->v.v[0];
	u32 i;

	if (!first->entry)
		return;
	take_others(f, &first->entry->die, 0);
	f->children = 0;
	f->reader.outer = first->outer;
	f->reader.entry = first->entry;
	for (i = 0; !f->failed && i < f->to->v.nr; i++) {
		if (is_anywhere(f, i))
			continue;
		if (!f->lines.v.nr)
			f->failed |= debug_places_lines(f->places, f->s, first, &f->lines) != 0;
		if (!f->failed)
			explain(f, i);
	}
}

int debug_variables_find(struct debug_variables *v, struct debug_source *s,
			 const struct debug_places *p, struct err *err)
{
	struct finder f = {.to = v, .s = s, .places = p, .reader = {.to = v}};
	const struct debug_entry *first = p->v.nr ? p->v.v[0].outer : NULL;
	bool *seen = calloc(VARIABLES_MAX, sizeof(*seen));
	u32 i;

	*v = (struct debug_variables){0};
	f.lacks = calloc(VARIABLES_MAX, sizeof(*f.lacks));
	f.failed = !seen || !f.lacks;
	if (first) {
		f.reader.eh_frame = dwarf_getcfi_elf(s->image.elf);
		f.reader.debug_frame = dwarf_getcfi(dwarf_cu_getdwarf(first->die.cu));
	}
	for (i = 0; !f.failed && i < p->v.nr; i++)
		take_place(&f, i, seen);
	if (!f.failed && first)
		explain_all(&f);
	vec_free(&f.lines.v);
	free(f.lacks);
	free(seen);
	if (f.reader.eh_frame)
		dwarf_cfi_end(f.reader.eh_frame);
	if (!f.failed)
		return 0;
	debug_variables_free(v);
	return err_nomem(err);
}

void debug_variables_free(struct debug_variables *v)
{
	vec_free(&v->v);
	vec_free(&v->spots);
	vec_free(&v->steps);
	arena_free(&v->arena);
	*v = (struct debug_variables){0};
}
