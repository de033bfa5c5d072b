// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/list.h"

#include <errno.h>
#include <string.h>

#include "util/base/glob.h"
#include "util/base/json.h"
#include "util/base/text.h"
#include "util/btf/btf.h"
#include "util/event/ev_filter.h"
#include "util/tracepoint/tp_names.h"

/* Names of values fill lines of this width, after the indentation of a field. */
#define WIDTH  100
#define INDENT 28

const struct btf *list_detail_kernel(struct list_detail *d)
{
	const struct btf *b = d->btf_why.code ? NULL : ev_env_btf(d->env, &d->btf_why);

	if (b && !d->indexed)
		btf_index(&d->env->btf); /* else searches take longer */
	d->indexed = true;
	return b;
}

/* ---- tracepoints ---- */

struct tp_format *list_detail_format(const struct list_detail *d, const char *event,
				     struct err *err)
{
	const char *colon = strchr(event, ':');
	struct tp_format *f = NULL;
	struct buf text = {0};
	char *system;

	system = colon ? strndup(event, (size_t)(colon - event)) : NULL;
	if (!system)
		err_nomem(err);
	else if (!tracefs_format(d->tracefs, system, colon + 1, &text, err))
		f = tp_format_parse(text.data, text.len, err);
	free(system);
	buf_free(&text);
	return f;
}

/* A field as its declaration in C. */
static void list_detail_field(const struct tp_field *f, struct buf *out)
{
	static const char *const locations[] = {
		[TP_LOC_FIXED] = "", [TP_LOC_DATA] = "__data_loc ", [TP_LOC_REL] = "__rel_loc "};
	bool array = f->is_array || f->loc != TP_LOC_FIXED;
	size_t len = strlen(f->type);

	buf_adds(out, locations[f->loc]);
	text_escape(out, f->type, len);
	if (!len || f->type[len - 1] != '*')
		buf_addc(out, ' ');
	text_escape(out, f->name, strlen(f->name));
	if (array && f->nr_elem)
		buf_addf(out, "[%u]", f->nr_elem);
	else if (array)
		buf_adds(out, "[]");
}

/* The names that its type gives to the values of a field, where its print fmt gives none. */
static int enum_names(struct list_detail *d, const struct tp_field *f, struct tp_name_list *names,
		      struct err *err)
{
	if (names->v.nr || strncmp(f->type, "enum ", 5) != 0 || !list_detail_kernel(d))
		return 0;
	return ev_type_names(d->env, f->type, names, err);
}

static void put_names(const struct tp_name_list *names, struct buf *out)
{
	size_t line = out->len, before;
	u32 i;

	buf_pad(out, ' ', INDENT);
	for (i = 0; i < names->v.nr; i++) {
		const struct tp_value_name *n = &names->v.v[i];
		struct buf one = {0};

		buf_addf(&one, names->flags ? "0x%llx " : "%lld ", (unsigned long long)n->value);
		text_escape(&one, n->name, n->len);
		before = out->len - line;
		if (i && before + 2 + one.len > WIDTH) {
			buf_addc(out, '\n');
			line = out->len;
			buf_pad(out, ' ', INDENT);
		} else if (i) {
			buf_adds(out, names->flags ? " | " : "  ");
		}
		buf_add(out, one.data, one.len);
		buf_free(&one);
	}
	buf_addc(out, '\n');
}

static void put_field(const struct tp_field *f, const struct tp_name_list *names, struct buf *out)
{
	buf_addf(out, "  %8u %6u  %-8s  ", f->offset, f->size,
		 f->is_signed ? "signed" : "unsigned");
	list_detail_field(f, out);
	buf_addc(out, '\n');
	if (names->v.nr)
		put_names(names, out);
}

static void put_json_field(const struct tp_field *f, const struct tp_name_list *names,
			   struct buf *out)
{
	u32 i;

	json_open_item(out, '{');
	json_put_string(out, "name", f->name);
	json_put_string(out, "type", f->type);
	json_put_unsigned(out, "offset", f->offset);
	json_put_unsigned(out, "size", f->size);
	json_put_bool(out, "signed", f->is_signed);
	if (f->is_array || f->loc != TP_LOC_FIXED) {
		json_put_unsigned(out, "elements", f->nr_elem);
		json_put_bool(out, "dynamic", f->loc != TP_LOC_FIXED);
	}
	if (names->v.nr) {
		json_put_open(out, names->flags ? "flags" : "names", '[');
		for (i = 0; i < names->v.nr; i++) {
			json_open_item(out, '{');
			json_put_signed(out, "value", (s64)names->v.v[i].value);
			json_key(out, "name");
			json_string(out, names->v.v[i].name, names->v.v[i].len);
			buf_addc(out, '}');
		}
		buf_addc(out, ']');
	}
	buf_addc(out, '}');
}

static int put_fields(struct list_detail *d, const struct tp_format *f, struct buf *out,
		      struct err *err)
{
	static const struct tp_opts here = {.long_size = sizeof(long)};
	struct tp_name_list names;
	int ret = 0;
	u32 i;

	if (!d->json)
		buf_adds(out, "    offset   size  sign      field\n");
	for (i = 0; i < f->nr_fields && !ret; i++) {
		names = (struct tp_name_list){0};
		ret = tp_names_list(f, &f->fields[i], &here, &names, err);
		if (!ret)
			ret = enum_names(d, &f->fields[i], &names, err);
		if (!ret && d->json)
			put_json_field(&f->fields[i], &names, out);
		else if (!ret)
			put_field(&f->fields[i], &names, out);
		tp_names_list_free(&names);
	}
	return ret;
}

static int put_json_event(struct list_detail *d, const struct tp_format *f, const char *prototype,
			  struct buf *out, struct err *err)
{
	int ret;

	json_put_unsigned(out, "id", f->id);
	if (prototype)
		json_put_string(out, "prototype", prototype);
	json_put_open(out, "fields", '[');
	ret = put_fields(d, f, out, err);
	buf_addc(out, ']');
	json_key(out, "print_fmt");
	json_string(out, f->print_fmt, f->print_fmt_len);
	return ret;
}

int list_detail_event(struct list_detail *d, const char *event, struct buf *out, struct err *err)
{
	const struct btf *types = list_detail_kernel(d);
	struct tp_format *f = list_detail_format(d, event, err);
	struct buf prototype = {0};
	bool has_prototype;
	int ret;

	if (!f)
		return -EINVAL;
	if (types)
		types = ev_env_tracepoint(d->env, f->name, err);
	if (!types && !d->btf_why.code) {
		tp_format_free(f);
		return -ENOMEM;
	}
	has_prototype = types && btf_text_tracepoint(types, f->name, &prototype);
	if (d->json) {
		ret = put_json_event(d, f, has_prototype ? buf_str(&prototype) : NULL, out, err);
	} else {
		if (has_prototype)
			buf_addf(out, "    %s\n", buf_str(&prototype));
		ret = put_fields(d, f, out, err);
		buf_adds(out, "    print fmt: ");
		text_escape(out, f->print_fmt, f->print_fmt_len);
		buf_addc(out, '\n');
	}
	buf_free(&prototype);
	tp_format_free(f);
	return ret;
}

/* ---- types ---- */

static const struct {
	const char *word;
	enum btf_kind kinds[2];
} keywords[] = {
	{"struct ", {BTF_STRUCT, BTF_STRUCT}},
	{"union ", {BTF_UNION, BTF_UNION}},
	{"enum ", {BTF_ENUM, BTF_ENUM64}},
	{"typedef ", {BTF_TYPEDEF, BTF_TYPEDEF}},
};

static u32 keyword_of(const char *word)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(keywords); i++)
		if (!strncmp(word, keywords[i].word, strlen(keywords[i].word)))
			break;
	return i;
}

bool list_detail_is_type(const char *word)
{
	return keyword_of(word) < ARRAY_SIZE(keywords);
}

static void put_member(const struct btf *b, const struct btf_member *m, struct buf *out)
{
	struct buf type = {0};

	btf_text_declare(b, m->type, "", &type);
	json_open_item(out, '{');
	json_put_string(out, "name", m->name);
	json_put_buf(out, "type", &type);
	json_put_unsigned(out, "offset", m->bit_offset / 8);
	json_put_unsigned(out, "size", btf_size(b, m->type));
	if (m->bit_size) {
		json_put_unsigned(out, "bit", m->bit_offset % 8);
		json_put_unsigned(out, "bits", m->bit_size);
	}
	buf_addc(out, '}');
	buf_free(&type);
}

static void put_json_type(const struct btf *b, const struct btf_type *t, const char *keyword,
			  struct buf *out)
{
	bool aggregate = t->kind == BTF_STRUCT || t->kind == BTF_UNION;
	struct btf_enumerator e;
	struct btf_member m;
	u32 i;

	json_open(out, '{');
	json_key(out, "kind");
	json_string(out, keyword, strlen(keyword) - 1);
	json_put_string(out, "name", t->name);
	json_put_unsigned(out, "size", btf_size(b, t->id));
	if (t->kind == BTF_TYPEDEF) {
		struct buf type = {0};

		btf_text_declare(b, t->type, "", &type);
		json_put_buf(out, "type", &type);
		buf_free(&type);
		buf_addc(out, '}');
		return;
	}
	json_put_open(out, aggregate ? "members" : "values", '[');
	for (i = 0; i < t->vlen; i++) {
		if (aggregate) {
			m = btf_member(b, t, i);
			put_member(b, &m, out);
			continue;
		}
		e = btf_enumerator(b, t, i);
		json_open_item(out, '{');
		json_put_string(out, "name", e.name);
		json_key(out, "value");
		if (t->flag)
			json_signed(out, (s64)e.value);
		else
			json_unsigned(out, e.value);
		buf_addc(out, '}');
	}
	buf_adds(out, "]}");
}

static int no_type(const struct btf *b, u32 keyword, const char *word, struct err *err)
{
	const char *name = word + strlen(keywords[keyword].word);
	const char *best =
		btf_suggest(b, keywords[keyword].kinds[0], keywords[keyword].kinds[1], name);

	err_set(err, ENOENT, "the kernel has no '%.200s'", word);
	if (best)
		err_hint(err, "did you mean '%s%s'?", keywords[keyword].word, best);
	else
		err_hint(err, "perf-lite list '%s*' lists those that it has",
			 keywords[keyword].word);
	return -ENOENT;
}

int list_detail_types(struct list_detail *d, const char *word, bool verbose, struct buf *out,
		      struct err *err)
{
	const struct btf *b = list_detail_kernel(d);
	u32 k = keyword_of(word), id, found = 0;
	const char *pattern = word + strlen(keywords[k].word);
	bool glob = glob_is_pattern(pattern);
	struct btf_type t;

	if (!b) {
		*err = d->btf_why;
		err_hint(err, "a kernel with CONFIG_DEBUG_INFO_BTF reports its types");
		return -ENOENT;
	}
	for (id = 1; id <= b->at.nr; id++) {
		t = btf_type(b, id);
		if ((t.kind != keywords[k].kinds[0] && t.kind != keywords[k].kinds[1]) ||
		    !*t.name || !(glob ? glob_match(pattern, t.name) : !strcmp(pattern, t.name)))
			continue;
		if (found++ && d->json)
			buf_adds(out, ",\n");
		if (d->json)
			put_json_type(b, &t, keywords[k].word, out);
		else if (verbose)
			btf_text_define(b, id, out);
		else
			buf_addf(out, "%s%s\n", keywords[k].word, t.name);
	}
	return found ? 0 : no_type(b, k, word, err);
}
