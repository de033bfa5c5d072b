// SPDX-License-Identifier: GPL-2.0
#include "util/debuginfo/debuginfo_internal.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cur.h"

/* No compiler makes as many for one unit: what claims more is damaged. */
#define ROWS_MAX    (1u << 23)
#define FORMATS_MAX 16
#define FILES_MAX   0xfffffu
#define COLUMN_MAX  0xfffu

/* What the head says of the program. */
struct line_head {
	struct cur program;
	u16 version;
	bool dwarf64, is_stmt;
	u8 min_length, max_ops, line_range, opcode_base;
	s8 line_base;
	const u8 *lengths; /* operands of standard opcode i + 1 */
};

/* The registers of the state machine. */
struct line_state {
	u64 addr;
	u32 op_index, line, file, column;
	bool is_stmt;
};

static u64 get_offset(struct cur *c, bool dwarf64)
{
	return dwarf64 ? cur_u64(c) : cur_u32(c);
}

static const char *section_string(const struct debug_bytes *b, u64 offset)
{
	if (!b->p || offset >= b->len || !memchr(b->p + offset, '\0', b->len - offset))
		return NULL;
	return (const char *)b->p + offset;
}

static bool add_dir(struct line_table *t, const char *name)
{
	const char **dir = vec_push(&t->dirs);

	if (dir)
		*dir = name;
	return dir;
}

static bool add_file(struct line_table *t, const char *name, u64 dir)
{
	struct line_file *file = vec_push(&t->files);

	if (file)
		*file = (struct line_file){.name = name, .dir = dir};
	return file;
}

/* A file as versions 2 to 4 have it, and DW_LNE_define_file. */
static bool read_file(struct line_table *t, struct cur *c, const char *name)
{
	u64 dir = cur_uleb(c);

	cur_uleb(c); /* time */
	cur_uleb(c); /* size */
	return c->bad || add_file(t, name, dir);
}

/* Versions 2 to 4: strings up to an empty one. */
static bool read_old_names(struct line_table *t, struct cur *c)
{
	const char *name;
	bool ok;

	/* number 0 is the folder of the compilation */
	ok = add_dir(t, NULL) && add_file(t, NULL, 0);
	while (ok && (name = cur_str(c, NULL)) && *name)
		ok = add_dir(t, name);
	while (ok && (name = cur_str(c, NULL)) && *name)
		ok = read_file(t, c, name);
	return ok;
}

struct line_format {
	u64 content, form;
};

/* A string of another section, which must have it. */
static const char *read_string(struct line_table *t, const struct debug_bytes *b, u64 offset)
{
	const char *s = section_string(b, offset);

	t->damaged |= !s;
	return s;
}

/* One value, as a string or as a number; what can be neither is passed over. */
static void read_form(struct line_table *t, const struct debug_sections *s, struct cur *c,
		      bool dwarf64, u64 form, const char **string, u64 *number)
{
	switch (form) {
	case DW_FORM_string:
		*string = cur_str(c, NULL);
		break;
	case DW_FORM_line_strp:
		*string = read_string(t, &s->line_str, get_offset(c, dwarf64));
		break;
	case DW_FORM_strp:
		*string = read_string(t, &s->str, get_offset(c, dwarf64));
		break;
	case DW_FORM_strp_sup:
		get_offset(c, dwarf64);
		break;
	case DW_FORM_udata:
		*number = cur_uleb(c);
		break;
	case DW_FORM_data1:
		*number = cur_u8(c);
		break;
	case DW_FORM_data2:
		*number = cur_u16(c);
		break;
	case DW_FORM_data4:
		*number = cur_u32(c);
		break;
	case DW_FORM_data8:
		*number = cur_u64(c);
		break;
	case DW_FORM_data16:
		cur_skip(c, 16);
		break;
	case DW_FORM_block:
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
	default:
		c->bad = true;
	}
}

/* Version 5: a list of entries, which says first what an entry is made of. */
static bool read_entries(struct line_table *t, const struct debug_sections *s, struct cur *c,
			 bool dwarf64, bool files)
{
	struct line_format formats[FORMATS_MAX];
	u8 nr_formats = cur_u8(c), i;
	bool ok = true;
	u64 nr, dir;

	if (nr_formats > FORMATS_MAX)
		c->bad = true;
	for (i = 0; i < nr_formats && !c->bad; i++) {
		formats[i].content = cur_uleb(c);
		formats[i].form = cur_uleb(c);
	}
	nr = cur_uleb(c);
	if (nr && !nr_formats)
		c->bad = true;
	for (; nr && ok && !c->bad; nr--) {
		const char *name = NULL, *string;
		u64 number;

		for (dir = 0, i = 0; i < nr_formats; i++) {
			string = NULL;
			number = 0;
			read_form(t, s, c, dwarf64, formats[i].form, &string, &number);
			if (formats[i].content == DW_LNCT_path)
				name = string;
			else if (formats[i].content == DW_LNCT_directory_index)
				dir = number;
		}
		if (!c->bad)
			ok = files ? add_file(t, name, dir) : add_dir(t, name);
	}
	return ok;
}

/* What has no room is left out. */
static struct line_row row_of(const struct line_state *st)
{
	return (struct line_row){
		.addr = st->addr,
		.line = st->line,
		.file = st->file < FILES_MAX ? st->file : FILES_MAX,
		.column = st->column <= COLUMN_MAX ? st->column : 0,
	};
}

static bool push_row(struct line_table *t, const struct line_state *st)
{
	struct line_sequence *q = &t->sequences.v[t->sequences.nr - 1];
	struct line_row *r;

	if (q->nr && !t->statements) {
		r = &t->rows.v[t->rows.nr - 1];
		/* of several rows at an address, the last one counts */
		if (r->addr == st->addr) {
			*r = row_of(st);
			return true;
		}
	}
	r = t->rows.nr < ROWS_MAX ? vec_push(&t->rows) : NULL;
	if (r) {
		*r = row_of(st);
		q->nr++;
	}
	return r;
}

static bool begin_sequence(struct line_table *t)
{
	struct line_sequence *q = vec_push(&t->sequences);

	if (q)
		q->first = t->rows.nr;
	return q;
}

/*
 * The sequence ends before `high`. One that begins at 0 is that of a function which the linker left
 * out: in a linked image, no code is there.
 */
static bool end_sequence(struct line_table *t, u64 high)
{
	struct line_sequence *q = &t->sequences.v[t->sequences.nr - 1];
	u64 low = q->nr ? t->rows.v[q->first].addr : 0;

	if (!low || low >= high) {
		t->rows.nr = q->first;
		q->nr = 0;
		return true;
	}
	return range_index_add(&t->index, low, high, t->sequences.nr - 1) && begin_sequence(t);
}

/* Addresses only rise within a sequence; where they do not, another one begins. */
static bool add_row(struct line_table *t, const struct line_state *st)
{
	const struct line_sequence *q = &t->sequences.v[t->sequences.nr - 1];
	u64 last = q->nr ? t->rows.v[t->rows.nr - 1].addr : 0;

	if (t->statements && !st->is_stmt) {
		t->marks = true;
		return true;
	}
	return (st->addr >= last || end_sequence(t, last)) && push_row(t, st);
}

static void advance(const struct line_head *h, struct line_state *st, u64 operations)
{
	if (h->max_ops == 1) {
		st->addr += operations * h->min_length;
		return;
	}
	operations += st->op_index;
	st->addr += operations / h->max_ops * h->min_length;
	st->op_index = (u32)(operations % h->max_ops);
}

static struct line_state start_of(const struct line_head *h)
{
	return (struct line_state){.line = 1, .file = 1, .is_stmt = h->is_stmt};
}

static bool run_extended(struct line_table *t, const struct line_head *h, struct cur *c,
			 struct line_state *st)
{
	struct cur sub = cur_sub(c, cur_uleb(c));
	const char *name;

	switch (cur_u8(&sub)) {
	case DW_LNE_end_sequence:
		if (!end_sequence(t, st->addr))
			return false;
		*st = start_of(h);
		break;
	case DW_LNE_set_address:
		st->addr = cur_left(&sub) == 4 ? cur_u32(&sub) : cur_u64(&sub);
		st->op_index = 0;
		break;
	case DW_LNE_define_file:
		name = cur_str(&sub, NULL);
		return !name || read_file(t, &sub, name);
	}
	return true;
}

static bool run_standard(struct line_table *t, const struct line_head *h, struct cur *c, u8 opcode,
			 struct line_state *st)
{
	u8 i;

	switch (opcode) {
	case DW_LNS_copy:
		return add_row(t, st);
	case DW_LNS_advance_pc:
		advance(h, st, cur_uleb(c));
		break;
	case DW_LNS_advance_line:
		st->line += (u32)cur_sleb(c);
		break;
	case DW_LNS_set_file:
		st->file = (u32)cur_uleb(c);
		break;
	case DW_LNS_set_column:
		st->column = (u32)cur_uleb(c);
		break;
	case DW_LNS_const_add_pc:
		advance(h, st, (255 - h->opcode_base) / h->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		st->addr += cur_u16(c);
		st->op_index = 0;
		break;
	case DW_LNS_negate_stmt:
		st->is_stmt = !st->is_stmt;
		break;
	case DW_LNS_set_basic_block:
	case DW_LNS_set_prologue_end:
	case DW_LNS_set_epilogue_begin:
		break;
	default: /* DW_LNS_set_isa, and what is not known */
		for (i = 0; i < h->lengths[opcode - 1]; i++)
			cur_uleb(c);
	}
	return true;
}

/* False when memory is out. */
static bool run(struct line_table *t, struct line_head *h)
{
	struct cur *c = &h->program;
	struct line_state st = start_of(h);
	/* room for as many rows as there commonly are, which is not touched before it is used */
	bool ok =
		vec_reserve(&t->rows, MIN(cur_left(c) / 3, (size_t)ROWS_MAX)) && begin_sequence(t);
	u8 opcode;

	while (ok && !c->bad && cur_left(c)) {
		opcode = cur_u8(c);
		if (opcode >= h->opcode_base) {
			opcode -= h->opcode_base;
			advance(h, &st, opcode / h->line_range);
			st.line += (u32)(h->line_base + opcode % h->line_range);
			ok = add_row(t, &st);
		} else if (opcode) {
			ok = run_standard(t, h, c, opcode, &st);
		} else {
			ok = run_extended(t, h, c, &st);
		}
	}
	t->damaged |= c->bad;
	return ok;
}

/* Up to the names of files. */
static bool read_head(struct line_head *h, struct cur *c, struct cur *names)
{
	u64 len = cur_u32(c), head;
	struct cur unit;

	h->dwarf64 = len == UINT32_MAX;
	if (h->dwarf64)
		len = cur_u64(c);
	unit = cur_sub(c, len);
	h->version = cur_u16(&unit);
	if (h->version >= 5)
		cur_skip(&unit, 2); /* size of addresses, of segments */
	head = get_offset(&unit, h->dwarf64);
	*names = cur_sub(&unit, head);
	h->program = unit;
	h->min_length = cur_u8(names);
	h->max_ops = h->version >= 4 ? cur_u8(names) : 1;
	h->is_stmt = cur_u8(names);
	h->line_base = (s8)cur_u8(names);
	h->line_range = cur_u8(names);
	h->opcode_base = cur_u8(names);
	if (names->bad || !h->opcode_base)
		return false;
	h->lengths = cur_bytes(names, h->opcode_base - 1u);
	return h->lengths && h->version >= 2 && h->version <= 5 && h->line_range && h->max_ops;
}

int line_table_read(struct line_table *t, const struct debug_sections *s, u64 offset,
		    const char *comp_dir)
{
	struct line_head h = {0};
	struct cur c, names;
	bool ok;

	if (!s->line.p || offset >= s->line.len)
		return -EBADMSG;
	c = cur_init(s->line.p + offset, s->line.len - offset);
	c.swap = s->swap;
	t->comp_dir = comp_dir;
	if (!read_head(&h, &c, &names))
		return -EBADMSG;
	if (h.version < 5)
		ok = read_old_names(t, &names);
	else
		ok = read_entries(t, s, &names, h.dwarf64, false) &&
		     read_entries(t, s, &names, h.dwarf64, true);
	t->damaged |= names.bad;
	if (ok && t->names_only)
		return 0;
	if (ok && run(t, &h) && range_index_finish(&t->index))
		return 0;
	return t->rows.nr < ROWS_MAX ? -ENOMEM : -EBADMSG;
}

const struct line_row *line_table_find(const struct line_table *t, u64 addr)
{
	u32 sequence = range_index_find(&t->index, addr), lo, hi, mid;

	if (sequence == ID_NONE)
		return NULL;
	lo = t->sequences.v[sequence].first;
	hi = lo + t->sequences.v[sequence].nr;
	while (lo + 1 < hi) {
		mid = lo + (hi - lo) / 2;
		if (t->rows.v[mid].addr <= addr)
			lo = mid;
		else
			hi = mid;
	}
	return &t->rows.v[lo];
}

/* Could it be part of a path? */
static bool is_name(const char *s)
{
	return !s || strnlen(s, PATH_MAX) < PATH_MAX;
}

const char *line_table_file(struct line_table *t, u64 file)
{
	const char *dir, *base;
	struct line_file *f;

	if (file >= t->files.nr || file >= FILES_MAX || !t->files.v[file].name)
		return NULL;
	f = &t->files.v[file];
	if (f->path)
		return f->path;
	dir = f->name[0] != '/' && f->dir < t->dirs.nr ? t->dirs.v[f->dir] : NULL;
	base = f->name[0] != '/' && (!dir || dir[0] != '/') ? t->comp_dir : NULL;
	if (!is_name(f->name) || !is_name(dir) || !is_name(base))
		return NULL;
	if (dir && base)
		f->path = arena_printf(&t->arena, "%s/%s/%s", base, dir, f->name);
	else if (dir || base)
		f->path = arena_printf(&t->arena, "%s/%s", dir ? dir : base, f->name);
	else
		f->path = f->name;
	t->no_memory |= !f->path;
	return f->path;
}

void line_table_free(struct line_table *t)
{
	vec_free(&t->dirs);
	vec_free(&t->files);
	vec_free(&t->rows);
	vec_free(&t->sequences);
	range_index_free(&t->index);
	arena_free(&t->arena);
}
