// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_internal.h"

#include <string.h>

#include "util/base/text.h"
#include "util/profile/symboliser.h"

/* Fields of the messages. */
enum { PROFILE_MAPPING = 3, PROFILE_LOCATION, PROFILE_FUNCTION, PROFILE_STRING_TABLE };
enum {
	MAPPING_ID = 1,
	MAPPING_START,
	MAPPING_LIMIT,
	MAPPING_OFFSET,
	MAPPING_FILENAME,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS,
	MAPPING_HAS_FILENAMES,
	MAPPING_HAS_LINES,
	MAPPING_HAS_INLINES
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILENAME };

/* Keys of what is no frame: a sample without any address, and what is missing of a stack. */
#define KEY_NO_ADDRESS (1ull << 40)
#define KEY_CUT        (2ull << 40)

struct function_key {
	u32 name, file;
};

u32 pprof_locations_string(struct pprof_locations *l, const char *s)
{
	u32 id = text_intern(&l->strings, s);

	l->failed |= id == ID_NONE;
	return id;
}

/* ---- locations ---- */

static void put_line(struct pprof_locations *l, const char *function, const char *file, u32 line)
{
	const struct function_key key = {pprof_locations_string(l, function),
					 file ? pprof_locations_string(l, file) : 0};
	u32 id = l->failed ? ID_NONE : strtab_add(&l->functions, &key, sizeof(key));

	l->failed |= id == ID_NONE;
	export_proto_integer(&l->line, LINE_FUNCTION, (u64)id + 1);
	export_proto_integer(&l->line, LINE_LINE, line);
	export_proto_message(&l->message, LOCATION_LINE, &l->line);
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
	export_proto_integer(&l->message, LOCATION_MAPPING, mapping);
	export_proto_integer(&l->message, LOCATION_ADDRESS, f->ip - f->back);
	put_lines(l, f, inlines, m);
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
	export_proto_integer(&l->message, LOCATION_ID, id);
	if (key == KEY_NO_ADDRESS)
		put_line(l, "[unknown]", NULL, 0);
	else if (key == KEY_CUT)
		put_line(l, "[truncated]", NULL, 0);
	else
		put_frame(l, stacks->nodes.v[node].frame, stacks->nodes.v[node].inlines);
	export_proto_message(&l->made, PROFILE_LOCATION, &l->message);
	l->failed |= !hmap_set(&l->of_frame, key, id) || l->made.failed;
	return l->failed ? ID_NONE : id;
}

/* ---- the tables ---- */

static const struct dso *dso_of(const struct pprof_locations *l, const struct pprof_mapping *m)
{
	const struct process_model *model = l->symboliser->model;

	return &model->dsos.v[model->maps.v[m->map].dso];
}

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
	export_proto_integer(out, MAPPING_ID, (u64)i + 1);
	export_proto_integer(out, MAPPING_START, m->start);
	export_proto_integer(out, MAPPING_LIMIT, m->end);
	export_proto_integer(out, MAPPING_OFFSET, dso_is_kernel(dso) ? 0 : map->pgoff);
	export_proto_integer(out, MAPPING_FILENAME, pprof_locations_string(l, dso->name));
	export_proto_integer(out, MAPPING_BUILD_ID, pprof_locations_string(l, buf_str(&id)));
	export_proto_integer(out, MAPPING_HAS_FUNCTIONS, m->functions);
	export_proto_integer(out, MAPPING_HAS_FILENAMES, m->files);
	export_proto_integer(out, MAPPING_HAS_LINES, m->lines);
	export_proto_integer(out, MAPPING_HAS_INLINES, l->source && m->functions);
	export_proto_message(profile, PROFILE_MAPPING, out);
	l->failed |= id.failed;
	buf_free(&id);
}

static void put_function(struct pprof_locations *l, u32 i, struct buf *profile)
{
	struct function_key key;

	memcpy(&key, strtab_get(&l->functions, i), sizeof(key));
	export_proto_integer(&l->message, FUNCTION_ID, (u64)i + 1);
	export_proto_integer(&l->message, FUNCTION_NAME, key.name);
	export_proto_integer(&l->message, FUNCTION_SYSTEM_NAME, key.name);
	export_proto_integer(&l->message, FUNCTION_FILENAME, key.file);
	export_proto_message(profile, PROFILE_FUNCTION, &l->message);
}

void pprof_locations_put(struct pprof_locations *l, struct buf *profile)
{
	u32 first = main_mapping(l), i;

	if (l->mappings.nr)
		put_mapping(l, first, profile);
	for (i = 0; i < l->mappings.nr; i++)
		if (i != first)
			put_mapping(l, i, profile);
	buf_add(profile, buf_str(&l->made), l->made.len);
	for (i = 0; i < l->functions.nr; i++)
		put_function(l, i, profile);
	for (i = 0; i < l->strings.nr; i++)
		export_proto_bytes(profile, PROFILE_STRING_TABLE, l->strings.entries[i].s,
				   l->strings.entries[i].len);
}

int pprof_locations_init(struct pprof_locations *l, struct symboliser *symboliser, struct err *err)
{
	*l = (struct pprof_locations){.symboliser = symboliser,
				      .source = symboliser->options.inlines != INLINES_NONE};
	return pprof_locations_string(l, "") ? err_nomem(err) : 0;
}

void pprof_locations_free(struct pprof_locations *l)
{
	strtab_free(&l->strings);
	strtab_free(&l->functions);
	hmap_free(&l->of_frame);
	hmap_free(&l->of_map);
	vec_free(&l->mappings);
	buf_free(&l->made);
	buf_free(&l->message);
	buf_free(&l->line);
}
