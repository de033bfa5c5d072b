// SPDX-License-Identifier: GPL-2.0
#include "util/debuginfo/die_walk.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "util/base/leb128.h"

/* What takes a size that only the entry itself tells. */
#define SIZE_VARIES    UINT32_MAX
#define SIZE_MAX_FIXED (1u << 20)

static struct cur section_cur(const struct debug_bytes *b, u64 offset, bool swap)
{
	struct cur c = cur_init(b->p, b->p ? b->len : 0);

	cur_skip(&c, offset < b->len ? (size_t)offset : b->len);
	c.swap = swap;
	return c;
}

/* The bytes of a value, where its form alone tells. */
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
		leb128_u(c);
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		cur_skip(c, leb128_u(c));
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
		form = leb128_u(c);
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
		attribute = leb128_u(c);
		form = leb128_u(c);
		if (c->bad || (!attribute && !form))
			return true;
		if (form == DW_FORM_implicit_const)
			leb128_s(c);
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
		a = (struct die_abbrev){.code = leb128_u(&c)};
		if (c.bad || !a.code)
			break;
		a.tag = (u32)leb128_u(&c);
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
		code = leb128_u(&w->at);
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
	if (!a)
		return false;
	*out = (struct die){offset, a->tag, w->depth, a->code_range};
	if (a->fixed)
		cur_skip(&w->at, a->size);
	for (i = a->first; !a->fixed && i < a->first + a->nr; i++)
		skip_form(u, &w->at, u->forms.v[i]);
	w->depth += a->children;
	if (!w->depth) /* nothing is below the first */
		w->at.bad = true;
	return true;
}
