// SPDX-License-Identifier: GPL-2.0
#include "util/debuginfo/debuginfo_internal.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cur.h"
#include "util/base/symtab.h"

/* ---- ranges of addresses that lie in one another, and the innermost at an address ---- */

bool range_index_add(struct range_index *x, u64 low, u64 high, u32 item)
{
	struct range *r;

	if (low >= high)
		return true;
	r = vec_push(&x->ranges);
	if (r)
		*r = (struct range){low, high, item};
	return r;
}

static int by_low(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

static bool put_piece(struct range_index *x, u64 start, u32 item)
{
	struct range_piece *last = x->pieces.nr ? &x->pieces.v[x->pieces.nr - 1] : NULL;

	if (last && last->start == start) {
		last->item = item;
		return true;
	}
	if (last && last->item == item)
		return true;
	last = vec_push(&x->pieces);
	if (last)
		*last = (struct range_piece){start, item};
	return last;
}

/* Leave the open ranges, innermost last, that end at `until` or before. */
static bool leave(struct range_index *x, const u32 *open, u32 *depth, u64 until)
{
	const struct range *r = x->ranges.v;
	u64 at;

	while (*depth && r[open[*depth - 1]].high <= until) {
		at = r[open[--*depth]].high;
		while (*depth && r[open[*depth - 1]].high <= at)
			--*depth;
		if (!put_piece(x, at, *depth ? r[open[*depth - 1]].item : ID_NONE))
			return false;
	}
	return true;
}

bool range_index_finish(struct range_index *x)
{
	u32 *open, depth = 0, i;
	bool ok = true;

	if (!x->ranges.nr)
		return true;
	open = malloc(x->ranges.nr * sizeof(*open));
	if (!open)
		return false;
	qsort(x->ranges.v, x->ranges.nr, sizeof(*x->ranges.v), by_low);
	for (i = 0; i < x->ranges.nr && ok; i++) {
		ok = leave(x, open, &depth, x->ranges.v[i].low) &&
		     put_piece(x, x->ranges.v[i].low, x->ranges.v[i].item);
		open[depth++] = i;
	}
	ok = ok && leave(x, open, &depth, UINT64_MAX);
	free(open);
	vec_free(&x->ranges);
	return ok;
}

u32 range_index_find(const struct range_index *x, u64 addr)
{
	u32 lo = 0, hi = x->pieces.nr, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (x->pieces.v[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? x->pieces.v[lo - 1].item : ID_NONE;
}

void range_index_free(struct range_index *x)
{
	vec_free(&x->ranges);
	vec_free(&x->pieces);
}

/* ---- goes through the entries (DIEs) of a unit in their order ---- */

/* What has a size that only the entry itself contains. */
#define SIZE_VARIES    UINT32_MAX
#define SIZE_MAX_FIXED (1u << 20)

static struct cur section_cur(const struct debug_bytes *b, u64 offset, bool swap)
{
	struct cur c = cur_init(b->p, b->p ? b->len : 0);

	cur_skip(&c, offset < b->len ? (size_t)offset : b->len);
	c.swap = swap;
	return c;
}

/* The bytes of a value, if its form alone determines them. */
static u32 form_size(const struct die_unit *u, u64 form)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return u->address_size;
	case DW_FORM_ref_addr:
		return u->version < 3 ? u->address_size : u->offset_size;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return u->offset_size;
	default:
		return SIZE_VARIES;
	}
}

static void skip_form(const struct die_unit *u, struct cur *c, u64 form)
{
	u32 size = form_size(u, form);

	if (size != SIZE_VARIES) {
		cur_skip(c, size);
		return;
	}
	switch (form) {
	case DW_FORM_string:
		cur_str(c, NULL);
		break;
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_rnglistx:
	case DW_FORM_loclistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		cur_uleb(c);
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		cur_skip(c, cur_uleb(c));
		break;
	case DW_FORM_block1:
		cur_skip(c, cur_u8(c));
		break;
	case DW_FORM_block2:
		cur_skip(c, cur_u16(c));
		break;
	case DW_FORM_block4:
		cur_skip(c, cur_u32(c));
		break;
	case DW_FORM_indirect:
		form = cur_uleb(c);
		if (form != DW_FORM_indirect && form != DW_FORM_implicit_const) {
			skip_form(u, c, form);
			break;
		}
		/* fall through */
	default:
		c->bad = true;
	}
}

static bool has_addresses(u64 attribute)
{
	return attribute == DW_AT_low_pc || attribute == DW_AT_ranges;
}

/* False when memory is out. */
static bool read_forms(struct die_unit *u, struct die_abbrev *a, struct cur *c)
{
	u64 attribute, form;
	u32 size;
	u16 *to;

	a->fixed = true;
	a->first = u->forms.nr;
	for (;;) {
		attribute = cur_uleb(c);
		form = cur_uleb(c);
		if (c->bad || (!attribute && !form))
			return true;
		if (form == DW_FORM_implicit_const)
			cur_sleb(c);
		if (form > UINT16_MAX) {
			c->bad = true;
			return true;
		}
		a->code_range |= has_addresses(attribute);
		size = form_size(u, form);
		a->fixed = a->fixed && size != SIZE_VARIES && a->size < SIZE_MAX_FIXED;
		a->size += a->fixed ? size : 0;
		to = vec_push(&u->forms);
		if (!to)
			return false;
		*to = (u16)form;
		a->nr++;
	}
}

static int by_code(const void *x, const void *y)
{
	const struct die_abbrev *a = x, *b = y;

	return a->code < b->code ? -1 : a->code > b->code;
}

static int read_abbrevs(struct die_unit *u, struct cur c)
{
	struct die_abbrev *to, a;
	bool sorted = true;

	for (;;) {
		a = (struct die_abbrev){.code = cur_uleb(&c)};
		if (c.bad || !a.code)
			break;
		a.tag = (u32)cur_uleb(&c);
		a.children = cur_u8(&c);
		if (!read_forms(u, &a, &c))
			return -ENOMEM;
		if (c.bad)
			return -EBADMSG;
		sorted =
			sorted && (!u->abbrevs.nr || u->abbrevs.v[u->abbrevs.nr - 1].code < a.code);
		to = vec_push(&u->abbrevs);
		if (!to)
			return -ENOMEM;
		*to = a;
	}
	if (!sorted)
		qsort(u->abbrevs.v, u->abbrevs.nr, sizeof(*u->abbrevs.v), by_code);
	return u->abbrevs.nr ? 0 : -EBADMSG;
}

int die_unit_read(struct die_unit *u, const struct debug_sections *s, u64 offset)
{
	struct cur c = section_cur(&s->info, offset, s->swap), unit;
	u64 len = cur_u32(&c), abbrevs = 0;
	bool dwarf64 = len == UINT32_MAX;

	if (dwarf64)
		len = cur_u64(&c);
	unit = cur_sub(&c, len);
	u->info = s->info;
	u->swap = s->swap;
	u->offset_size = dwarf64 ? 8 : 4;
	u->version = cur_u16(&unit);
	if (u->version >= 5) {
		cur_u8(&unit); /* type of unit */
		u->address_size = cur_u8(&unit);
	}
	abbrevs = dwarf64 ? cur_u64(&unit) : cur_u32(&unit);
	if (u->version < 5)
		u->address_size = cur_u8(&unit);
	if (unit.bad || u->version < 2 || u->version > 5)
		return -EBADMSG;
	u->end = (u64)(unit.end - s->info.p);
	return read_abbrevs(u, section_cur(&s->abbrev, abbrevs, s->swap));
}

void die_unit_free(struct die_unit *u)
{
	vec_free(&u->abbrevs);
	vec_free(&u->forms);
}

/* Compilers number them from 1 without gaps. */
static const struct die_abbrev *find_abbrev(const struct die_unit *u, u64 code)
{
	const struct die_abbrev key = {.code = code};

	if (code <= u->abbrevs.nr && u->abbrevs.v[code - 1].code == code)
		return &u->abbrevs.v[code - 1];
	return bsearch(&key, u->abbrevs.v, u->abbrevs.nr, sizeof(key), by_code);
}

void die_walk_begin(struct die_walk *w, const struct die_unit *u, u64 offset)
{
	struct debug_bytes unit = {u->info.p, (size_t)u->end};

	*w = (struct die_walk){.unit = u, .at = section_cur(&unit, offset, u->swap)};
}

bool die_walk_next(struct die_walk *w, struct die *out)
{
	const struct die_unit *u = w->unit;
	const struct die_abbrev *a;
	u64 code, offset;
	u32 i;

	for (;;) {
		offset = (u64)(w->at.p - u->info.p);
		/* some producers leave out what would end the last levels */
		if (w->at.bad || !cur_left(&w->at))
			return false;
		code = cur_uleb(&w->at);
		w->damaged = w->at.bad;
		if (w->at.bad)
			return false;
		if (code)
			break;
		/* the end of the entries of a level */
		if (w->depth < 2)
			return false;
		w->depth--;
	}
	a = find_abbrev(u, code);
	w->damaged = !a;
	if (!a)
		return false;
	*out = (struct die){offset, a->tag, w->depth, a->code_range};
	if (a->fixed)
		cur_skip(&w->at, a->size);
	for (i = a->first; !a->fixed && i < a->first + a->nr; i++)
		skip_form(u, &w->at, u->forms.v[i]);
	w->damaged = w->at.bad;
	w->depth += a->children;
	if (!w->depth) /* nothing is below the first */
		w->at.bad = true;
	return true;
}

/* ---- a function of the DWARF and what was inlined into it ---- */

/* Of the entry or of what it is an instance of; NULL: there is none that one could show. */
static const char *name_by(struct debug_entry *e, unsigned int attribute)
{
	Dwarf_Attribute attr;
	const char *s = NULL;

	if (dwarf_attr_integrate(&e->die, attribute, &attr)) {
		s = dwarf_formstring(&attr);
		e->damaged |= !s;
	}
	return s && strnlen(s, SYM_NAME_MAX + 1) <= SYM_NAME_MAX ? s : NULL;
}

const char *debug_entry_name(struct debug_entry *e)
{
	static const unsigned int names[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
					     DW_AT_name};
	u32 i;

	for (i = 0; !e->named && !e->name && i < ARRAY_SIZE(names); i++)
		e->name = name_by(e, names[i]);
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

#define PARTS_MAX 64 /* of a function, which are looked at for its beginning */

/* Does one of the parts begin with the function's own symbol? 0: none of this table. */
static u64 begin_in_table(Elf *elf, Elf_Scn *scn, const char *name, const u64 *parts, u32 nr_parts)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const char *symbol;
	GElf_Shdr shdr;
	GElf_Sym sym;
	u32 part;
	int i;

	if (!data || !gelf_getshdr(scn, &shdr))
		return 0;
	for (i = 0; gelf_getsym(data, i, &sym); i++) {
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC)
			continue;
		for (part = 0; part < nr_parts && parts[part] != sym.st_value;)
			part++;
		symbol = part < nr_parts ? elf_strptr(elf, shdr.sh_link, sym.st_name) : NULL;
		if (symbol && !strcmp(symbol, name))
			return sym.st_value;
	}
	return 0;
}

static u64 begin_by_symbol(struct debug_entry *e, const u64 *parts, u32 nr_parts)
{
	Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(e->die.cu));
	const char *name = debug_entry_name(e);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	u64 begin = 0;

	while (elf && name && !begin && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) &&
		    (shdr.sh_type == SHT_SYMTAB || shdr.sh_type == SHT_DYNSYM))
			begin = begin_in_table(elf, scn, name, parts, nr_parts);
	return begin;
}

/* Compilers may put what is seldom executed, or any part, before the one with the entry (-fbasic-block-sections). */
static u64 find_begin(struct debug_entry *e)
{
	Dwarf_Addr base, low, high;
	Dwarf_Attribute attr;
	u64 parts[PARTS_MAX], begin;
	ptrdiff_t at = 0;
	u32 nr = 0;

	if (dwarf_attr(&e->die, DW_AT_entry_pc, &attr) && !dwarf_formaddr(&attr, &low))
		return low;
	while (nr < PARTS_MAX && (at = dwarf_ranges(&e->die, at, &base, &low, &high)) > 0)
		if (low && low < high)
			parts[nr++] = low;
	begin = nr > 1 ? begin_by_symbol(e, parts, nr) : 0;
	return begin || !nr ? begin : parts[0];
}

u64 debug_entry_begin(struct debug_entry *e)
{
	if (!e->begun)
		e->begin = find_begin(e);
	e->begun = true;
	return e->begin;
}

const char *debug_entry_string(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

u64 debug_entry_number(Dwarf_Die *die, unsigned int name)
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
	e->file = debug_entry_number(&e->die, DW_AT_call_file);
	e->line = (u32)debug_entry_number(&e->die, DW_AT_call_line);
}

/*
 * A range takes three bytes or more, and GCC lets an inlined function and those in it share a list where they have
 * the same ranges: a dozen of them all over is more than it does.
 */
#define RANGES_PER_BYTE 4

u64 debug_entry_ranges_of(const struct debug_sections *s)
{
	return s->ranges * RANGES_PER_BYTE;
}

int debug_entry_ranges(Dwarf_Die *die, struct range_index *x, u32 item, bool *any, u64 *left)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	bool first = true;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		/* one range is an entry's own, more of them are a list */
		if (!first && !*left)
			return -EBADMSG;
		*left -= !first;
		first = false;
		if (!low || low >= high)
			continue;
		*any = true;
		if (!range_index_add(x, low, high, item))
			return -ENOMEM;
	}
	return at < 0 ? -EBADMSG : 0;
}

static int add_inlined(struct debug_function *f, u64 offset, u32 parent, u64 *left)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(f->self.die.cu);
	struct debug_entry *e = vec_push(&f->inlined);
	bool any = false;

	if (!e)
		return -ENOMEM;
	e->parent = parent;
	if (!dwarf_offdie(dwarf, offset, &e->die))
		return -EBADMSG;
	return debug_entry_ranges(&e->die, &f->index, f->inlined.nr - 1, &any, left);
}

static bool is_scope(u32 tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

/* -EBADMSG: not all of it could be read; -ENOMEM. */
static int read_tree(struct debug_function *f, const struct die_unit *unit, u64 *left)
{
	u32 inner[DEBUG_DEPTH_MAX] = {ID_NONE}; /* the inlined function at each depth */
	u32 passed = UINT32_MAX;                /* depth of the entry that is passed over */
	int ret = 0, added;
	struct die_walk w;
	struct die d;

	die_walk_begin(&w, unit, dwarf_dieoffset(&f->self.die));
	if (!die_walk_next(&w, &d))
		return -EBADMSG;
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
		added = add_inlined(f, d.offset, inner[d.depth - 1], left);
		if (added == -ENOMEM)
			return added;
		ret = added ? added : ret;
		inner[d.depth] = f->inlined.nr - 1;
	}
	return w.damaged ? -EBADMSG : ret;
}

u32 debug_function_find(struct debug_function *f, const struct die_unit *unit, u64 addr, u64 *left)
{
	if (!f->read) {
		f->read = true;
		f->why = read_tree(f, unit, left);
		if (f->why != -ENOMEM && !range_index_finish(&f->index))
			f->why = -ENOMEM;
		if (f->why == -ENOMEM) {
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
