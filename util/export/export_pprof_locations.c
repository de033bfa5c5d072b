// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_internal.h"

#include <string.h>

#include "util/base/text.h"
#include "util/profile/symboliser.h"

/* The fields of the messages, which both formats number in their own way. */
enum field {
	TABLES_MAPPING,
	TABLES_LOCATION,
	TABLES_FUNCTION,
	TABLES_STRING,
	MAPPING_ID,
	MAPPING_START,
	MAPPING_LIMIT,
	MAPPING_OFFSET,
	MAPPING_FILENAME,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS,
	MAPPING_HAS_FILENAMES,
	MAPPING_HAS_LINES,
	MAPPING_HAS_INLINES,
	MAPPING_ATTRIBUTES,
	LOCATION_ID,
	LOCATION_MAPPING,
	LOCATION_ADDRESS,
	LOCATION_LINE,
	LOCATION_ATTRIBUTES,
	LINE_FUNCTION,
	LINE_LINE,
	FUNCTION_ID,
	FUNCTION_NAME,
	FUNCTION_SYSTEM_NAME,
	FUNCTION_FILENAME,
	NR_FIELDS
};

/* 0: the format has no such field. */
static const u8 numbers[][NR_FIELDS] = {
	[PPROF_PROFILE] = {[TABLES_MAPPING] = 3,
			   [TABLES_LOCATION] = 4,
			   [TABLES_FUNCTION] = 5,
			   [TABLES_STRING] = 6,
			   [MAPPING_ID] = 1,
			   [MAPPING_START] = 2,
			   [MAPPING_LIMIT] = 3,
			   [MAPPING_OFFSET] = 4,
			   [MAPPING_FILENAME] = 5,
			   [MAPPING_BUILD_ID] = 6,
			   [MAPPING_HAS_FUNCTIONS] = 7,
			   [MAPPING_HAS_FILENAMES] = 8,
			   [MAPPING_HAS_LINES] = 9,
			   [MAPPING_HAS_INLINES] = 10,
			   [LOCATION_ID] = 1,
			   [LOCATION_MAPPING] = 2,
			   [LOCATION_ADDRESS] = 3,
			   [LOCATION_LINE] = 4,
			   [LINE_FUNCTION] = 1,
			   [LINE_LINE] = 2,
			   [FUNCTION_ID] = 1,
			   [FUNCTION_NAME] = 2,
			   [FUNCTION_SYSTEM_NAME] = 3,
			   [FUNCTION_FILENAME] = 4},
	[PPROF_OTLP] = {[TABLES_MAPPING] = 1,
			[TABLES_LOCATION] = 2,
			[TABLES_FUNCTION] = 3,
			[TABLES_STRING] = 5,
			[MAPPING_START] = 1,
			[MAPPING_LIMIT] = 2,
			[MAPPING_OFFSET] = 3,
			[MAPPING_FILENAME] = 4,
			[MAPPING_ATTRIBUTES] = 5,
			[LOCATION_MAPPING] = 1,
			[LOCATION_ADDRESS] = 2,
			[LOCATION_LINE] = 3,
			[LOCATION_ATTRIBUTES] = 4,
			[LINE_FUNCTION] = 1,
			[LINE_LINE] = 2,
			[FUNCTION_NAME] = 1,
			[FUNCTION_FILENAME] = 3},
};

/* Keys of what is no frame: a sample without any address, and what is missing of a stack. */
#define KEY_NO_ADDRESS (1ull << 40)
#define KEY_CUT        (2ull << 40)

#define FRAME_TYPE "profile.frame.type" /* of OTLP */

struct function_key {
	u32 name, file;
};

u32 pprof_locations_string(struct pprof_locations *l, const char *s)
{
	u32 id = text_intern(&l->strings, s);

	l->failed |= id == ID_NONE;
	return id;
}

static void put_integer(const struct pprof_locations *l, struct buf *b, enum field field, u64 v)
{
	if (numbers[l->format][field])
		export_proto_integer(b, numbers[l->format][field], v);
}

static void put_message(const struct pprof_locations *l, struct buf *b, enum field field,
			struct buf *message)
{
	export_proto_message(b, numbers[l->format][field], message);
}

/* ---- attributes of OTLP ---- */

enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE };

u32 pprof_locations_attribute(struct pprof_locations *l, const char *key, struct buf *value)
{
	u32 id = ID_NONE;

	export_proto_integer(&l->line, ATTRIBUTE_KEY, pprof_locations_string(l, key));
	export_proto_message(&l->line, ATTRIBUTE_VALUE, value);
	if (!l->line.failed)
		id = strtab_add(&l->attributes, buf_str(&l->line), l->line.len);
	buf_clear(&l->line);
	l->failed |= id == ID_NONE;
	return id + 1;
}

static void put_attribute(struct pprof_locations *l, enum field field, const char *key,
			  const char *value)
{
	struct buf any = {0};

	if (!numbers[l->format][field])
		return;
	export_otlp_text(&any, value);
	export_proto_varint(&l->line, pprof_locations_attribute(l, key, &any));
	put_message(l, &l->message, field, &l->line);
	buf_free(&any);
}

/* ---- locations ---- */

static void put_line(struct pprof_locations *l, const char *function, const char *file, u32 line)
{
	const struct function_key key = {pprof_locations_string(l, function),
					 file ? pprof_locations_string(l, file) : 0};
	u32 id = l->failed ? ID_NONE : strtab_add(&l->functions, &key, sizeof(key));

	l->failed |= id == ID_NONE;
	put_integer(l, &l->line, LINE_FUNCTION, (u64)id + 1);
	put_integer(l, &l->line, LINE_LINE, line);
	put_message(l, &l->message, LOCATION_LINE, &l->line);
}

/* The number of a mapping, made if new; 0 when memory is out. */
static u32 mapping_of(struct pprof_locations *l, u32 map)
{
	u32 id = hmap_get(&l->of_map, map);
	struct pprof_mapping *m;

	if (id != ID_NONE)
		return id + 1;
	m = vec_push(&l->mappings);
	if (!m || !hmap_set(&l->of_map, map, l->mappings.nr - 1)) {
		l->failed = true;
		return 0;
	}
	m->map = map;
	m->start = l->symboliser->model->maps.v[map].start;
	m->end = l->symboliser->model->maps.v[map].end;
	return l->mappings.nr;
}

static const struct dso *dso_of(const struct pprof_locations *l, const struct pprof_mapping *m)
{
	const struct process_model *model = l->symboliser->model;

	return &model->dsos.v[model->maps.v[m->map].dso];
}

static void put_lines(struct pprof_locations *l, const struct frame *f, bool inlines,
		      struct pprof_mapping *m)
{
	const struct place *p;
	u32 i;

	if (!f->symbol)
		return;
	if (f->place == ID_NONE || !f->nr_places) {
		put_line(l, f->symbol, NULL, 0);
		return;
	}
	/* inlined functions come first, the frame's own is last */
	for (i = inlines ? 0 : f->nr_places - 1u; i < f->nr_places; i++) {
		p = &l->symboliser->places.v[f->place + i];
		put_line(l,
			 i + 1 == f->nr_places ? f->symbol
			 : p->function         ? p->function
					       : "[unknown]",
			 p->file, p->line);
		if (m) {
			m->files |= p->file != NULL;
			m->lines |= p->line != 0;
		}
	}
}

static void put_frame(struct pprof_locations *l, u32 frame, bool inlines)
{
	struct pprof_mapping *m = NULL;
	const struct frame *f;
	u32 mapping = 0;

	if ((l->source || inlines) && !symboliser_places(l->symboliser, frame)) {
		l->failed = true;
		return;
	}
	f = &l->symboliser->frames.v[frame];
	if (f->map != ID_NONE)
		mapping = mapping_of(l, f->map);
	if (mapping) {
		m = &l->mappings.v[mapping - 1];
		m->functions |= f->symbol != NULL;
		m->start = MIN(m->start, f->ip - f->back);
		m->end = MAX(m->end, f->ip - f->back + 1);
	}
	put_integer(l, &l->message, LOCATION_MAPPING, mapping);
	put_integer(l, &l->message, LOCATION_ADDRESS, f->ip - f->back);
	put_lines(l, f, inlines, m);
	if (f->kind == FRAME_KERNEL)
		put_attribute(l, LOCATION_ATTRIBUTES, FRAME_TYPE, "kernel");
	else if (m && dso_of(l, m)->kind != DSO_PERF_MAP)
		put_attribute(l, LOCATION_ATTRIBUTES, FRAME_TYPE, "native");
}

static u64 key_of(const struct stack_tree *stacks, u32 node)
{
	const struct stack_node *n = &stacks->nodes.v[node];

	if (!node)
		return KEY_NO_ADDRESS;
	return n->frame == STACK_CUT ? KEY_CUT : (u64)n->frame << 1 | n->inlines;
}

u32 pprof_locations_get(struct pprof_locations *l, const struct stack_tree *stacks, u32 node)
{
	u64 key = key_of(stacks, node);
	u32 id = hmap_get(&l->of_frame, key);

	if (id != ID_NONE)
		return id;
	id = ++l->nr;
	put_integer(l, &l->message, LOCATION_ID, id);
	if (key == KEY_NO_ADDRESS)
		put_line(l, "[unknown]", NULL, 0);
	else if (key == KEY_CUT)
		put_line(l, "[truncated]", NULL, 0);
	else
		put_frame(l, stacks->nodes.v[node].frame, stacks->nodes.v[node].inlines);
	put_message(l, &l->made, TABLES_LOCATION, &l->message);
	l->failed |= !hmap_set(&l->of_frame, key, id) || l->made.failed;
	return l->failed ? ID_NONE : id;
}

/* ---- the tables ---- */

/* pprof names a profile after its first mapping, which is to be the program: the first file that is no library. */
static u32 main_mapping(const struct pprof_locations *l)
{
	const struct dso *dso;
	const char *slash;
	u32 i;

	for (i = 0; i < l->mappings.nr; i++) {
		dso = dso_of(l, &l->mappings.v[i]);
		slash = strrchr(dso->name, '/');
		if (dso->kind == DSO_FILE && !strstr(slash ? slash : dso->name, ".so"))
			return i;
	}
	return 0;
}

static void put_mapping(struct pprof_locations *l, u32 i, struct buf *profile)
{
	const struct pprof_mapping *m = &l->mappings.v[i];
	const struct map *map = &l->symboliser->model->maps.v[m->map];
	const struct dso *dso = dso_of(l, m);
	struct buf *out = &l->message, id = {0};
	u32 k;

	for (k = 0; k < dso->build_id_len; k++)
		buf_addf(&id, "%02x", dso->build_id[k]);
	put_integer(l, out, MAPPING_ID, (u64)i + 1);
	put_integer(l, out, MAPPING_START, m->start);
	put_integer(l, out, MAPPING_LIMIT, m->end);
	put_integer(l, out, MAPPING_OFFSET, dso_is_kernel(dso) ? 0 : map->pgoff);
	put_integer(l, out, MAPPING_FILENAME, pprof_locations_string(l, dso->name));
	if (numbers[l->format][MAPPING_BUILD_ID])
		put_integer(l, out, MAPPING_BUILD_ID, pprof_locations_string(l, buf_str(&id)));
	put_integer(l, out, MAPPING_HAS_FUNCTIONS, m->functions);
	put_integer(l, out, MAPPING_HAS_FILENAMES, m->files);
	put_integer(l, out, MAPPING_HAS_LINES, m->lines);
	put_integer(l, out, MAPPING_HAS_INLINES, l->source && m->functions);
	if (id.len)
		put_attribute(l, MAPPING_ATTRIBUTES, "process.executable.build_id.gnu",
			      buf_str(&id));
	put_message(l, profile, TABLES_MAPPING, out);
	l->failed |= id.failed;
	buf_free(&id);
}

static void put_function(struct pprof_locations *l, u32 i, struct buf *profile)
{
	struct function_key key;

	memcpy(&key, strtab_get(&l->functions, i), sizeof(key));
	put_integer(l, &l->message, FUNCTION_ID, (u64)i + 1);
	put_integer(l, &l->message, FUNCTION_NAME, key.name);
	put_integer(l, &l->message, FUNCTION_SYSTEM_NAME, key.name);
	put_integer(l, &l->message, FUNCTION_FILENAME, key.file);
	put_message(l, profile, TABLES_FUNCTION, &l->message);
}

static void put_mappings(struct pprof_locations *l, struct buf *profile)
{
	u32 i, first = numbers[l->format][MAPPING_ID] ? main_mapping(l) : 0;

	if (l->mappings.nr)
		put_mapping(l, first, profile);
	for (i = 0; i < l->mappings.nr; i++)
		if (i != first)
			put_mapping(l, i, profile);
}

/* Where messages have no numbers of their own, the first of each table is what others name as none. */
static void put_none(struct pprof_locations *l, enum field table, struct buf *profile)
{
	if (!numbers[l->format][MAPPING_ID])
		put_message(l, profile, table, &l->message);
}

void pprof_locations_put(struct pprof_locations *l, struct buf *profile)
{
	u32 i;

	put_none(l, TABLES_MAPPING, profile);
	put_mappings(l, profile);
	put_none(l, TABLES_LOCATION, profile);
	buf_add(profile, buf_str(&l->made), l->made.len);
	put_none(l, TABLES_FUNCTION, profile);
	for (i = 0; i < l->functions.nr; i++)
		put_function(l, i, profile);
	for (i = 0; i < l->strings.nr; i++)
		export_proto_bytes(profile, numbers[l->format][TABLES_STRING],
				   l->strings.entries[i].s, l->strings.entries[i].len);
}

int pprof_locations_init(struct pprof_locations *l, enum pprof_format format,
			 struct symboliser *symboliser, struct err *err)
{
	*l = (struct pprof_locations){.format = format,
				      .symboliser = symboliser,
				      .source = symboliser->options.inlines != INLINES_NONE};
	return pprof_locations_string(l, "") ? err_nomem(err) : 0;
}

void pprof_locations_free(struct pprof_locations *l)
{
	strtab_free(&l->strings);
	strtab_free(&l->functions);
	strtab_free(&l->attributes);
	hmap_free(&l->of_frame);
	hmap_free(&l->of_map);
	vec_free(&l->mappings);
	buf_free(&l->made);
	buf_free(&l->message);
	buf_free(&l->line);
}
