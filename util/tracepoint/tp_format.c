// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_format.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cur.h"
#include "util/base/vec.h"

/* A piece of the text. */
struct span {
	const char *s;
	size_t len;
};

struct parser {
	struct tp_format *f;
	VEC(struct tp_field) fields;
	u32 blank_lines; /* inside the field list: the first ends the common fields */
	struct err *err;
};

static bool is_ident(char c)
{
	return isalnum((u8)c) || c == '_';
}

static struct span trim(struct span t)
{
	while (t.len && isspace((u8)t.s[0])) {
		t.s++;
		t.len--;
	}
	while (t.len && isspace((u8)t.s[t.len - 1]))
		t.len--;
	return t;
}

static bool skip_prefix(struct span *t, const char *prefix)
{
	size_t n = strlen(prefix);

	if (t->len < n || memcmp(t->s, prefix, n))
		return false;
	t->s += n;
	t->len -= n;
	return true;
}

static bool has_word(struct span t, const char *word)
{
	return memmem(t.s, t.len, word, strlen(word)) != NULL;
}

/* A whole decimal number; "signed:-1" does not exist. */
static bool parse_u32(struct span t, u32 *v)
{
	u64 n = 0;
	size_t i;

	t = trim(t);
	if (!t.len)
		return false;
	for (i = 0; i < t.len; i++) {
		if (!isdigit((u8)t.s[i]))
			return false;
		n = n * 10 + (u64)(t.s[i] - '0');
		if (n > UINT32_MAX)
			return false;
	}
	*v = (u32)n;
	return true;
}

/* Cut off the piece before `sep`; false when nothing is left. */
static bool next_piece(struct span *t, char sep, struct span *piece)
{
	const char *p;

	if (!t->len)
		return false;
	p = memchr(t->s, sep, t->len);
	*piece = (struct span){t->s, p ? (size_t)(p - t->s) : t->len};
	t->s += piece->len + (p != NULL);
	t->len -= piece->len + (p != NULL);
	*piece = trim(*piece);
	return true;
}

/* Sizes of elements whose number is known only from the record. */
static u32 type_size(struct span type)
{
	static const struct {
		const char *name;
		u32 size;
	} types[] = {
		{"char", 1},        {"unsigned char", 1},
		{"signed char", 1}, {"bool", 1},
		{"u8", 1},          {"s8", 1},
		{"__u8", 1},        {"__s8", 1},
		{"uint8_t", 1},     {"int8_t", 1},
		{"short", 2},       {"unsigned short", 2},
		{"u16", 2},         {"s16", 2},
		{"__u16", 2},       {"__s16", 2},
		{"__be16", 2},      {"__le16", 2},
		{"uint16_t", 2},    {"int16_t", 2},
		{"int", 4},         {"unsigned int", 4},
		{"unsigned", 4},    {"u32", 4},
		{"s32", 4},         {"__u32", 4},
		{"__s32", 4},       {"__be32", 4},
		{"__le32", 4},      {"uint32_t", 4},
		{"int32_t", 4},     {"u64", 8},
		{"s64", 8},         {"__u64", 8},
		{"__s64", 8},       {"__be64", 8},
		{"__le64", 8},      {"uint64_t", 8},
		{"int64_t", 8},     {"long long", 8},
		{"long", 8},        {"unsigned long long", 8},
		{"dma_addr_t", 8},  {"unsigned long", 8},
	};
	size_t i;

	if (skip_prefix(&type, "const "))
		type = trim(type);
	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (strlen(types[i].name) == type.len && !memcmp(types[i].name, type.s, type.len))
			return types[i].size;
	return 0;
}

/*
 * Take "[16]", "[2][4]" or "[]" off the end of a declaration. *count becomes their product, 0 if a
 * bound is no number: the kernel may write the macro's name, the size then gives the rest.
 */
static bool strip_arrays(struct span *t, u32 *count)
{
	const char *open;
	u64 total = 1;
	u32 n;

	*t = trim(*t);
	if (!t->len || t->s[t->len - 1] != ']')
		return false;
	while (t->len && t->s[t->len - 1] == ']') {
		open = memrchr(t->s, '[', t->len);
		if (!open)
			return false;
		if (!parse_u32((struct span){open + 1, (size_t)(t->s + t->len - open) - 2}, &n))
			n = 0;
		total = total * n > UINT32_MAX ? 0 : total * n;
		t->len = (size_t)(open - t->s);
		*t = trim(*t);
	}
	*count = (u32)total;
	return true;
}

/* "void (*func)(int)" -> the name inside; else the identifier at the end. */
static struct span take_name(struct span *decl)
{
	const char *star = memmem(decl->s, decl->len, "(*", 2), *p;
	struct span name = {decl->s + decl->len, 0};

	if (star && decl->s[decl->len - 1] == ')') {
		for (p = star + 2; p < decl->s + decl->len && is_ident(*p); p++)
			;
		name = (struct span){star + 2, (size_t)(p - star) - 2};
		decl->len = (size_t)(star - decl->s);
		*decl = trim(*decl);
		return name;
	}
	while (name.s > decl->s && is_ident(name.s[-1])) {
		name.s--;
		name.len++;
	}
	decl->len = (size_t)(name.s - decl->s);
	*decl = trim(*decl);
	return name;
}

static int parse_declaration(struct parser *p, struct tp_field *field, struct span decl)
{
	struct span name;
	u32 count = 0;
	bool func;

	decl = trim(decl);
	if (skip_prefix(&decl, "__data_loc "))
		field->loc = TP_LOC_DATA;
	else if (skip_prefix(&decl, "__rel_loc "))
		field->loc = TP_LOC_REL;
	decl = trim(decl);
	if (!decl.len)
		return -EINVAL;

	field->is_array = strip_arrays(&decl, &count);
	if (!decl.len)
		return -EINVAL;
	func = decl.s[decl.len - 1] == ')';
	name = take_name(&decl);
	/* The brackets of a __data_loc come before the name. */
	if (field->loc != TP_LOC_FIXED) {
		strip_arrays(&decl, &count);
		field->is_array = true;
		count = 0;
	}
	if (!name.len || !decl.len)
		return -EINVAL;
	field->is_pointer = !field->is_array && (func || decl.s[decl.len - 1] == '*');
	field->is_string =
		field->is_array && has_word(decl, "char") && !memchr(decl.s, '*', decl.len);
	field->nr_elem = count;
	if (!field->is_array)
		field->elem_size = field->size;
	else if (count)
		field->elem_size = field->size / count;
	else
		field->elem_size = type_size(decl);
	field->name = arena_strndup(&p->f->arena, name.s, name.len);
	field->type = arena_strndup(&p->f->arena, decl.s, decl.len);
	return field->name && field->type ? 0 : err_nomem(p->err);
}

/* field:TYPE NAME;	offset:N;	size:N;	signed:N; (no "signed" before 2.6.36) */
static int parse_field(struct parser *p, struct span line)
{
	struct tp_field *field = vec_push(&p->fields);
	struct span rest = line, decl, piece;
	bool offset = false, size = false;
	u32 is_signed = 0;
	int ret;

	if (!field)
		return err_nomem(p->err);
	if (!next_piece(&rest, ';', &decl))
		goto bad;
	while (next_piece(&rest, ';', &piece)) {
		if (skip_prefix(&piece, "offset:"))
			offset = parse_u32(piece, &field->offset);
		else if (skip_prefix(&piece, "size:"))
			size = parse_u32(piece, &field->size);
		else if (skip_prefix(&piece, "signed:") && !parse_u32(piece, &is_signed))
			goto bad;
	}
	field->is_signed = is_signed != 0;
	field->is_common = !p->blank_lines;
	if (!offset || !size || field->offset > TP_FORMAT_MAX || field->size > TP_FORMAT_MAX)
		goto bad;
	ret = parse_declaration(p, field, decl);
	if (ret == -ENOMEM)
		return ret;
	/* What a u32 points to has no other form. */
	if (!ret && (field->loc == TP_LOC_FIXED || field->size == 4))
		return 0;
bad:
	return err_set(p->err, EINVAL, "event format of \"%s\": cannot read the field \"%.*s\"",
		       p->f->name ? p->f->name : "?", (int)MIN(line.len, (size_t)80), line.s);
}

static int parse_lines(struct parser *p, struct cur *c)
{
	bool id = false, list = false;
	struct tp_format *f = p->f;
	struct span line;
	int ret;

	while (cur_line(c, &line.s, &line.len)) {
		struct span t = trim(line);

		if (!t.len) {
			p->blank_lines += list && p->fields.nr;
		} else if (skip_prefix(&t, "name:")) {
			t = trim(t);
			f->name = arena_strndup(&f->arena, t.s, t.len);
			if (!f->name)
				return err_nomem(p->err);
		} else if (skip_prefix(&t, "ID:")) {
			id = parse_u32(t, &f->id);
		} else if (skip_prefix(&t, "format:")) {
			list = true;
		} else if (list &&
			   (skip_prefix(&t, "field:") || skip_prefix(&t, "field special:"))) {
			ret = parse_field(p, t);
			if (ret)
				return ret;
		} else if (skip_prefix(&t, "print fmt:")) {
			/* It may go on over several lines, and is the last thing. */
			t = trim((struct span){t.s, (size_t)((const char *)c->end - t.s)});
			f->print_fmt = arena_strndup(&f->arena, t.s, t.len);
			if (!f->print_fmt)
				return err_nomem(p->err);
			f->print_fmt_len = strlen(f->print_fmt);
			break;
		}
	}
	if (!f->name || !*f->name || !id || !list)
		return err_set(p->err, EINVAL, "not an event format: no %s line",
			       !f->name || !*f->name ? "name:"
			       : !id                 ? "ID:"
						     : "format:");
	return 0;
}

/* Each field that is not common has a bit of common_unread, in order. */
static void find_unread(struct parser *p)
{
	struct tp_field *f;
	u32 at = 0, bit = 1, i;

	for (i = 0; i < p->fields.nr; i++) {
		f = &p->fields.v[i];
		if (f->is_common && f->size == sizeof(u32) && !strcmp(f->name, "common_unread"))
			at = f->offset;
	}
	for (i = 0; at && bit && i < p->fields.nr; i++) {
		f = &p->fields.v[i];
		if (f->is_common)
			continue;
		f->unread = bit;
		f->unread_at = at;
		bit <<= 1;
	}
}

struct tp_format *tp_format_parse(const char *text, size_t len, struct err *err)
{
	struct arena arena = {0};
	struct parser p = {.err = err};
	struct cur c = cur_init(text, len);
	int ret;

	if (len > TP_FORMAT_MAX) {
		err_set(err, EFBIG, "event format of %zu bytes: more than %u", len, TP_FORMAT_MAX);
		return NULL;
	}
	p.f = arena_alloc(&arena, sizeof(*p.f));
	if (!p.f) {
		err_nomem(err);
		return NULL;
	}
	p.f->arena = arena;
	ret = parse_lines(&p, &c);
	if (!ret) {
		find_unread(&p);
		p.f->nr_fields = p.fields.nr;
		p.f->fields =
			arena_memdup(&p.f->arena, p.fields.v, p.fields.nr * sizeof(*p.fields.v));
		if (!p.f->print_fmt)
			p.f->print_fmt = arena_strdup(&p.f->arena, "");
		if (!p.f->fields || !p.f->print_fmt)
			ret = err_nomem(err);
	}
	vec_free(&p.fields);
	if (ret) {
		tp_format_free(p.f);
		return NULL;
	}
	return p.f;
}

void tp_format_free(struct tp_format *f)
{
	struct arena arena;

	if (!f)
		return;
	/* The format lies in its own arena. */
	arena = f->arena;
	arena_free(&arena);
}

const struct tp_field *tp_format_field_n(const struct tp_format *f, const char *name, size_t len)
{
	u32 i;

	for (i = 0; i < f->nr_fields; i++)
		if (strlen(f->fields[i].name) == len && !memcmp(f->fields[i].name, name, len))
			return &f->fields[i];
	return NULL;
}

const struct tp_field *tp_format_field(const struct tp_format *f, const char *name)
{
	return tp_format_field_n(f, name, strlen(name));
}
