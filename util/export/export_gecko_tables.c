// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_internal.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"
#include "util/profile/symboliser.h"

/* The profiler's number for a resource that is a library. */
#define RESOURCE_LIBRARY 1

struct tables {
	struct call_rows *rows;
	struct spool *out;
	u32 *lib_of;        /* by DSO; ID_NONE: no function is of it */
	VEC(u32) libs;      /* DSOs */
	VEC(u32) lib_names; /* their paths, in the names */
	u32 *source_of;     /* by name; ID_NONE: no function is of that file */
	VEC(u32) sources;   /* names */
};

void export_gecko_tables_categories(struct buf *out)
{
	static const struct {
		const char *name, *color;
	} categories[] = {
		[CALL_UNKNOWN] = {"Other", "grey"},
		[CALL_USER] = {"User", "yellow"},
		[CALL_MADE] = {"JIT", "green"},
		[CALL_KERNEL] = {"Kernel", "orange"},
		[GECKO_CATEGORY_MARKER] = {"Tracepoint", "blue"},
	};
	size_t i;

	json_open(out, '[');
	for (i = 0; i < ARRAY_SIZE(categories); i++)
		buf_addf(out, "%s{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
			 i ? "," : "", categories[i].name, categories[i].color);
	buf_addc(out, ']');
}

/* ---- columns ---- */

/* A number for each index; ID_NONE is null. */
typedef u32 column_value(const struct tables *t, u32 i);

static void put_column(struct tables *t, const char *key, u32 nr, column_value *value)
{
	struct buf *out = &t->out->tail;
	u32 i, v;

	json_key(out, key);
	buf_addc(out, '[');
	for (i = 0; i < nr; i++) {
		v = value(t, i);
		if (i)
			buf_addc(out, ',');
		if (v == ID_NONE)
			buf_adds(out, "null");
		else
			buf_dec(out, v, 0);
		spool_settle(t->out);
	}
	buf_addc(out, ']');
}

void export_gecko_same(struct spool *out, const char *key, u32 nr, const char *text)
{
	struct buf *tail = &out->tail;
	u32 i;

	json_key(tail, key);
	buf_addc(tail, '[');
	for (i = 0; i < nr; i++) {
		if (i)
			buf_addc(tail, ',');
		buf_adds(tail, text);
		spool_settle(out);
	}
	buf_addc(tail, ']');
}

static void open_table(struct tables *t, const char *key, u32 nr)
{
	json_put_open(&t->out->tail, key, '{');
	json_put_unsigned(&t->out->tail, "length", nr);
}

static void close_table(struct tables *t)
{
	buf_addc(&t->out->tail, '}');
}

/* ---- stacks, frames, functions ---- */

static u32 row_prefix(const struct tables *t, u32 i)
{
	return call_rows_row(t->rows, i).parent;
}

static u32 row_frame(const struct tables *t, u32 i)
{
	return call_rows_row(t->rows, i).frame;
}

static void put_stacks(struct tables *t)
{
	u32 nr = call_rows_nr(t->rows);

	open_table(t, "stackTable", nr);
	put_column(t, "prefix", nr, row_prefix);
	put_column(t, "frame", nr, row_frame);
	close_table(t);
}

static u32 frame_function(const struct tables *t, u32 i)
{
	return call_rows_frame(t->rows, i).function;
}

static u32 frame_depth(const struct tables *t, u32 i)
{
	return call_rows_frame(t->rows, i).depth;
}

static u32 frame_line(const struct tables *t, u32 i)
{
	u32 line = call_rows_frame(t->rows, i).line;

	return line ? line : ID_NONE;
}

static u32 frame_category(const struct tables *t, u32 i)
{
	return call_rows_function(t->rows, frame_function(t, i)).class;
}

static void put_frames(struct tables *t)
{
	u32 nr = call_rows_nr_frames(t->rows);

	open_table(t, "frameTable", nr);
	export_gecko_same(t->out, "address", nr, "-1");
	put_column(t, "inlineDepth", nr, frame_depth);
	put_column(t, "category", nr, frame_category);
	export_gecko_same(t->out, "subcategory", nr, "0");
	put_column(t, "func", nr, frame_function);
	export_gecko_same(t->out, "nativeSymbol", nr, "null");
	export_gecko_same(t->out, "innerWindowID", nr, "null");
	put_column(t, "line", nr, frame_line);
	export_gecko_same(t->out, "column", nr, "null");
	close_table(t);
}

static u32 function_name(const struct tables *t, u32 i)
{
	return call_rows_function(t->rows, i).name;
}

static u32 function_source(const struct tables *t, u32 i)
{
	u32 file = call_rows_function(t->rows, i).file;

	return file == ID_NONE ? ID_NONE : t->source_of[file];
}

static void put_resource(struct tables *t, u32 nr)
{
	struct buf *out = &t->out->tail;
	struct call_function f;
	u32 i;

	json_key(out, "resource");
	buf_addc(out, '[');
	for (i = 0; i < nr; i++) {
		f = call_rows_function(t->rows, i);
		if (i)
			buf_addc(out, ',');
		buf_sdec(out, f.dso == ID_NONE ? -1 : (s64)t->lib_of[f.dso], 0);
		spool_settle(t->out);
	}
	buf_addc(out, ']');
}

static void put_functions(struct tables *t)
{
	u32 nr = call_rows_nr_functions(t->rows);

	open_table(t, "funcTable", nr);
	put_column(t, "name", nr, function_name);
	export_gecko_same(t->out, "isJS", nr, "false");
	export_gecko_same(t->out, "relevantForJS", nr, "false");
	put_resource(t, nr);
	put_column(t, "source", nr, function_source);
	export_gecko_same(t->out, "lineNumber", nr, "null");
	export_gecko_same(t->out, "columnNumber", nr, "null");
	close_table(t);
}

/* ---- libraries and sources ---- */

/* Number what some function is of. */
static bool find_used(struct tables *t)
{
	const struct process_model *model = t->rows->stacks.symboliser->model;
	u32 i, *lib, *name, *source, nr = call_rows_nr_functions(t->rows);
	struct call_function f;

	for (i = 0; i < nr; i++) {
		f = call_rows_function(t->rows, i);
		if (f.dso != ID_NONE && t->lib_of[f.dso] == ID_NONE) {
			t->lib_of[f.dso] = t->libs.nr;
			lib = vec_push(&t->libs);
			name = vec_push(&t->lib_names);
			if (!lib || !name)
				return false;
			*lib = f.dso;
			*name = call_rows_name(t->rows, model->dsos.v[f.dso].name);
			if (*name == ID_NONE)
				return false;
		}
		if (f.file != ID_NONE && t->source_of[f.file] == ID_NONE) {
			t->source_of[f.file] = t->sources.nr;
			source = vec_push(&t->sources);
			if (!source)
				return false;
			*source = f.file;
		}
	}
	return true;
}

static u32 source_file(const struct tables *t, u32 i)
{
	return t->sources.v[i];
}

static void put_sources(struct tables *t)
{
	u32 nr = t->sources.nr;

	open_table(t, "sources", nr);
	export_gecko_same(t->out, "id", nr, "null");
	put_column(t, "filename", nr, source_file);
	export_gecko_same(t->out, "startLine", nr, "1");
	export_gecko_same(t->out, "startColumn", nr, "1");
	export_gecko_same(t->out, "sourceMapURL", nr, "null");
	close_table(t);
}

static u32 resource_lib(const struct tables *t, u32 i)
{
	(void)t;
	return i;
}

static u32 resource_name(const struct tables *t, u32 i)
{
	return t->lib_names.v[i];
}

static u32 resource_type(const struct tables *t, u32 i)
{
	(void)t;
	(void)i;
	return RESOURCE_LIBRARY;
}

/* One for each library. */
static void put_resources(struct tables *t)
{
	u32 nr = t->libs.nr;

	open_table(t, "resourceTable", nr);
	put_column(t, "lib", nr, resource_lib);
	put_column(t, "name", nr, resource_name);
	export_gecko_same(t->out, "host", nr, "null");
	put_column(t, "type", nr, resource_type);
	close_table(t);
}

/* None are given: everything has its names already. */
static void put_symbols(struct tables *t)
{
	static const char *const columns[] = {"libIndex", "address", "name", "functionSize"};
	size_t i;

	open_table(t, "nativeSymbols", 0);
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		export_gecko_same(t->out, columns[i], 0, "");
	close_table(t);
}

/* A build-id as symbol servers of Breakpad call it: its first 16 bytes as a GUID, and an age of 0. */
static void put_breakpad_id(const struct dso *d, struct buf *out)
{
	static const u8 order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	size_t i;

	json_key(out, "breakpadId");
	buf_addc(out, '"');
	for (i = 0; d->build_id_len && i < ARRAY_SIZE(order); i++)
		buf_addf(out, "%02X", order[i] < d->build_id_len ? d->build_id[order[i]] : 0);
	buf_adds(out, d->build_id_len ? "0\"" : "\"");
}

static void put_code_id(const struct dso *d, struct buf *out)
{
	u32 i;

	json_key(out, "codeId");
	if (!d->build_id_len) {
		buf_adds(out, "null");
		return;
	}
	buf_addc(out, '"');
	for (i = 0; i < d->build_id_len; i++)
		buf_addf(out, "%02x", d->build_id[i]);
	buf_addc(out, '"');
}

static void put_lib(struct tables *t, u32 i)
{
	const struct dso *d = &t->rows->stacks.symboliser->model->dsos.v[t->libs.v[i]];
	const char *path = strtab_get(&t->rows->names, t->lib_names.v[i]);
	const char *name = text_base_name(path);
	const struct {
		const char *key, *value;
	} members[] = {{"arch", ""},
		       {"name", name},
		       {"path", path},
		       {"debugName", name},
		       {"debugPath", path}};
	struct buf *out = &t->out->tail;
	size_t k;

	if (i)
		buf_addc(out, ',');
	json_open(out, '{');
	for (k = 0; k < ARRAY_SIZE(members); k++)
		json_put_string(out, members[k].key, members[k].value);
	put_breakpad_id(d, out);
	put_code_id(d, out);
	buf_addc(out, '}');
	spool_settle(t->out);
}

static void put_libs(struct tables *t)
{
	u32 i;

	json_key(&t->out->tail, "libs");
	buf_addc(&t->out->tail, '[');
	for (i = 0; i < t->libs.nr; i++)
		put_lib(t, i);
	buf_addc(&t->out->tail, ']');
}

static void put_strings(struct tables *t)
{
	const struct strtab *names = &t->rows->names;
	struct buf *out = &t->out->tail;
	u32 i;

	json_key(out, "stringArray");
	buf_addc(out, '[');
	for (i = 0; i < names->nr; i++) {
		if (i)
			buf_addc(out, ',');
		json_string(out, names->entries[i].s, names->entries[i].len);
		spool_settle(t->out);
	}
	buf_addc(out, ']');
}

static u32 *no_numbers(u32 nr)
{
	u32 *v = malloc(((size_t)nr + 1) * sizeof(*v));

	if (v)
		memset(v, 0xff, ((size_t)nr + 1) * sizeof(*v)); /* ID_NONE */
	return v;
}

bool export_gecko_tables_put(struct call_rows *c, struct spool *out)
{
	struct tables t = {.rows = c, .out = out};
	bool ok;

	t.lib_of = no_numbers(c->stacks.symboliser->model->dsos.nr);
	t.source_of = no_numbers(c->names.nr);
	ok = t.lib_of && t.source_of && find_used(&t);
	if (ok) {
		put_libs(&t);
		json_put_open(&out->tail, "shared", '{');
		put_stacks(&t);
		put_frames(&t);
		put_functions(&t);
		put_resources(&t);
		put_symbols(&t);
		put_sources(&t);
		put_strings(&t);
		buf_addc(&out->tail, '}');
	}
	free(t.lib_of);
	free(t.source_of);
	vec_free(&t.libs);
	vec_free(&t.lib_names);
	vec_free(&t.sources);
	return ok;
}
