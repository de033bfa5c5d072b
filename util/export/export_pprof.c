// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_internal.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"
#include "util/export/about.h"
#include "util/profile/stack_tree.h"
#include "util/profile/stack_weights.h"
#include "util/profile/symboliser.h"

/*
 * the tables of a pprof profile: strings, mappings, locations, functions.
 *
 * Strings, the empty one first, are numbered from 0, the others from 1, in order of first sight,
 * so that they may be written behind whatever names them.
 */

struct pprof_mapping {
	u32 map;
	u64 start,
		end; /* with all locations: the kernel has code outside of what it says is its own */
	bool functions, files, lines; /* some location has them */
};

struct pprof_locations {
	struct symboliser *symboliser;
	bool source;             /* look up the source lines of frames */
	struct strtab strings;   /* escaped */
	struct strtab functions; /* (name, file) */
	struct hmap of_frame;    /* (frame, with what was inlined there) -> location */
	u32 nr;                  /* locations */
	struct buf made;         /* they, as they are in the file */
	struct hmap of_map;      /* -> index in mappings */
	VEC(struct pprof_mapping) mappings;
	struct buf message, line;
	bool failed; /* sticky: memory ran out */
};

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

/* The number of a string, escaped if need be; ID_NONE when memory is out. */
static u32 pprof_locations_string(struct pprof_locations *l, const char *s)
{
	size_t len = strlen(s);
	struct buf b = {0};
	u32 id;

	if (text_is_plain(s, len)) {
		id = strtab_add(&l->strings, s, len);
	} else {
		text_escape(&b, s, len);
		id = b.failed ? ID_NONE : strtab_add(&l->strings, b.data, b.len);
		buf_free(&b);
	}
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

/* The location of a node of the stacks, the root included; ID_NONE when memory is out. */
static u32 pprof_locations_get(struct pprof_locations *l, const struct stack_tree *stacks, u32 node)
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

/* Append all tables as fields of the profile. */
static void pprof_locations_put(struct pprof_locations *l, struct buf *profile)
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

static int pprof_locations_init(struct pprof_locations *l, struct symboliser *symboliser,
				struct err *err)
{
	*l = (struct pprof_locations){.symboliser = symboliser,
				      .source = symboliser->options.inlines != INLINES_NONE};
	return pprof_locations_string(l, "") ? err_nomem(err) : 0;
}

static void pprof_locations_free(struct pprof_locations *l)
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

/* Made in pieces of this size before they are compressed. */
#define PIECE (256u * 1024)

/* Fields of the messages. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	PROFILE_DEFAULT_SAMPLE_TYPE
};
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STR, LABEL_NUM };

/* Whose samples they are. */
struct owner {
	u32 comm; /* in the strings */
	u32 pid, tid;
};

struct pprof {
	struct sink sink;
	struct session *session;
	u32 event;
	struct stack_tree stacks;
	struct stack_weights weights; /* root: the owner; top: the event */
	struct hmap owner_of;         /* (command, thread) -> owner */
	VEC(struct owner) owners;
	struct pprof_locations locations; /* and all strings */
	VEC(u32) columns;                 /* the events that have values */
	struct gzip gzip;
	struct buf piece, message, inner, numbers;
	u64 first_time, last_time;
	bool any;
};

static u32 string(struct pprof *k, const char *s)
{
	return pprof_locations_string(&k->locations, s);
}

/* ---- samples ---- */

/* Both halves are numbers of the process model; a thread without a name is called after its tid. */
static u32 owner_of(struct pprof *k, const struct session_sample *s)
{
	u32 thread = (u32)(s->thread - k->session->model.threads.v);
	u64 key = (u64)s->thread->comm << 32 | thread;
	u32 id = hmap_get(&k->owner_of, key);
	struct owner *o;

	if (id != ID_NONE)
		return id;
	id = k->owners.nr;
	o = vec_push(&k->owners);
	if (!o || !hmap_set(&k->owner_of, key, id))
		return ID_NONE;
	*o = (struct owner){string(k, s->comm), s->sample->ids.pid, s->sample->ids.tid};
	return o->comm == ID_NONE ? ID_NONE : id;
}

static int pprof_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
			struct err *err)
{
	struct pprof *k = (struct pprof *)sink;
	u64 time = s->sample->ids.time;
	u32 owner = owner_of(k, s);

	(void)out;
	if (owner == ID_NONE ||
	    !stack_weights_add(&k->weights, owner, stack_tree_get(&k->stacks, s), s->event,
			       about_weight(s->sample)))
		return err_nomem(err);
	if (!k->any || time < k->first_time)
		k->first_time = time;
	k->last_time = k->any ? MAX(k->last_time, time) : time;
	k->any = true;
	return 0;
}

/* ---- the file ---- */

static int flush(struct pprof *k, size_t most, struct buf *out, struct err *err)
{
	int ret = 0;

	if (k->piece.failed)
		return err_nomem(err);
	if (k->piece.len > most) {
		ret = export_gzip_add(&k->gzip, k->piece.data, k->piece.len, out, err);
		buf_clear(&k->piece);
	}
	return ret;
}

static void put_type(struct pprof *k, u32 field, const char *type, const char *unit)
{
	export_proto_integer(&k->message, TYPE_TYPE, string(k, type));
	export_proto_integer(&k->message, TYPE_UNIT, string(k, unit));
	export_proto_message(&k->piece, field, &k->message);
}

static const char *unit_of(const struct event_desc *e)
{
	return about_weight_is_time(e) ? "nanoseconds" : "count";
}

static const struct event_desc *column(const struct pprof *k, u32 i)
{
	return &k->session->source->recording->events.events.v[k->columns.v[i]];
}

/* The events that have samples, the chosen one even if it has none. */
static bool find_columns(struct pprof *k)
{
	u32 nr = k->session->source->recording->events.events.nr, i, *column_of;
	bool *seen = calloc((size_t)nr + 1, sizeof(*seen));

	if (!seen)
		return false;
	for (i = 0; i < k->weights.v.nr; i++)
		seen[k->weights.v.v[i].top] = true;
	if (k->event < nr)
		seen[k->event] = true;
	for (i = 0; i < nr; i++) {
		column_of = seen[i] ? vec_push(&k->columns) : NULL;
		if (column_of)
			*column_of = i;
		else if (seen[i])
			break;
	}
	free(seen);
	return i == nr;
}

static void put_types(struct pprof *k)
{
	const struct event_desc *e;
	struct buf name = {0};
	u32 i;

	for (i = 0; i < k->columns.nr; i++) {
		e = column(k, i);
		buf_clear(&name);
		if (k->columns.nr > 1)
			buf_addf(&name, "%s_", e->name);
		buf_adds(&name, "samples");
		put_type(k, PROFILE_SAMPLE_TYPE, buf_str(&name), "count");
		put_type(k, PROFILE_SAMPLE_TYPE, e->name, unit_of(e));
	}
	if (!k->columns.nr)
		put_type(k, PROFILE_SAMPLE_TYPE, "samples", "count");
	k->piece.failed |= name.failed;
	buf_free(&name);
	if (!k->columns.nr)
		return;
	e = column(k, 0);
	put_type(k, PROFILE_PERIOD_TYPE, e->name, unit_of(e));
	export_proto_integer(&k->piece, PROFILE_PERIOD, about_weight_period(e));
	export_proto_integer(&k->piece, PROFILE_DEFAULT_SAMPLE_TYPE, string(k, e->name));
}

static void put_label(struct pprof *k, const char *key, u32 str, u64 num)
{
	export_proto_integer(&k->inner, LABEL_KEY, string(k, key));
	export_proto_integer(&k->inner, LABEL_STR, str);
	export_proto_integer(&k->inner, LABEL_NUM, num);
	export_proto_message(&k->message, SAMPLE_LABEL, &k->inner);
}

static void put_packed(struct pprof *k, u32 field)
{
	export_proto_message(&k->message, field, &k->numbers);
}

static bool put_stack(struct pprof *k, u32 node)
{
	u32 id;

	do {
		id = pprof_locations_get(&k->locations, &k->stacks, node);
		if (id == ID_NONE)
			return false;
		export_proto_varint(&k->numbers, id);
		node = node ? k->stacks.nodes.v[node].parent : 0;
	} while (node);
	put_packed(k, SAMPLE_LOCATION_ID);
	return true;
}

/* The entries of one stack of one owner, in order of their events, as one sample. */
static bool put_sample(struct pprof *k, const struct stack_weight *const *w, u32 nr)
{
	const struct owner *o = &k->owners.v[w[0]->root];
	u32 i, at = 0;

	if (!put_stack(k, w[0]->node))
		return false;
	for (i = 0; i < k->columns.nr; i++) {
		bool has = at < nr && w[at]->top == k->columns.v[i];

		export_proto_varint(&k->numbers, has ? w[at]->samples : 0);
		export_proto_varint(&k->numbers, has ? MIN(w[at]->weight, (u64)INT64_MAX) : 0);
		at += has;
	}
	put_packed(k, SAMPLE_VALUE);
	put_label(k, "comm", o->comm, 0);
	put_label(k, "pid", 0, (u64)(s32)o->pid);
	put_label(k, "tid", 0, (u64)(s32)o->tid);
	export_proto_message(&k->piece, PROFILE_SAMPLE, &k->message);
	return true;
}

static int by_stack(const void *a, const void *b)
{
	const struct stack_weight *x = *(const struct stack_weight *const *)a,
				  *y = *(const struct stack_weight *const *)b;

	if (x->root != y->root)
		return x->root < y->root ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->top < y->top ? -1 : x->top > y->top;
}

static int put_samples(struct pprof *k, struct buf *out, struct err *err)
{
	const struct stack_weight **order = calloc((size_t)k->weights.v.nr + 1, sizeof(*order));
	u32 i, nr = k->weights.v.nr, same;
	int ret = order ? 0 : err_nomem(err);

	for (i = 0; !ret && i < nr; i++)
		order[i] = &k->weights.v.v[i];
	if (!ret && nr)
		qsort(order, nr, sizeof(*order), by_stack);
	for (i = 0; !ret && i < nr; i += same) {
		for (same = 1; i + same < nr && order[i + same]->root == order[i]->root &&
			       order[i + same]->node == order[i]->node;)
			same++;
		ret = put_sample(k, order + i, same) ? flush(k, PIECE, out, err) : err_nomem(err);
	}
	free(order);
	return ret;
}

static void put_comment(struct pprof *k, const char *what, const struct buf *text)
{
	struct buf b = {0};

	buf_addf(&b, "%s: %s", what, buf_str(text));
	if (text->len)
		export_proto_integer(&k->piece, PROFILE_COMMENT, string(k, buf_str(&b)));
	k->piece.failed |= b.failed || text->failed;
	buf_free(&b);
}

static void put_about(struct pprof *k)
{
	struct buf text = {0};
	u64 wall, lost = about_lost(k->session);

	if (k->any && about_wall_clock(k->session, k->first_time, &wall))
		export_proto_integer(&k->piece, PROFILE_TIME_NANOS, wall);
	export_proto_integer(&k->piece, PROFILE_DURATION_NANOS, k->last_time - k->first_time);
	about_command(k->session, &text);
	put_comment(k, "command", &text);
	buf_clear(&text);
	about_fact(k->session, "hostname", &text);
	put_comment(k, "host", &text);
	buf_clear(&text);
	about_fact(k->session, "release", &text);
	put_comment(k, "kernel", &text);
	buf_clear(&text);
	if (lost)
		buf_dec(&text, lost, 0);
	put_comment(k, "samples lost while recording", &text);
	buf_free(&text);
}

static int pprof_end(struct sink *sink, struct buf *out, struct err *err)
{
	struct pprof *k = (struct pprof *)sink;
	int ret;

	if (!find_columns(k))
		return err_nomem(err);
	put_types(k);
	put_about(k);
	ret = put_samples(k, out, err);
	if (!ret)
		pprof_locations_put(&k->locations, &k->piece);
	if (!ret && (k->locations.failed || k->message.failed))
		ret = err_nomem(err);
	if (!ret)
		ret = flush(k, 0, out, err);
	return ret ? ret : export_gzip_end(&k->gzip, out, err);
}

static void pprof_free(struct sink *sink)
{
	struct pprof *k = (struct pprof *)sink;

	stack_tree_free(&k->stacks);
	stack_weights_free(&k->weights);
	hmap_free(&k->owner_of);
	vec_free(&k->owners);
	vec_free(&k->columns);
	pprof_locations_free(&k->locations);
	export_gzip_free(&k->gzip);
	buf_free(&k->piece);
	buf_free(&k->message);
	buf_free(&k->inner);
	buf_free(&k->numbers);
	free(k);
}

int export_pprof(struct session *s, u32 event, struct sink **sink, struct err *err)
{
	static const struct sink_ops ops = {
		.sample = pprof_sample, .end = pprof_end, .free = pprof_free};
	struct pprof *k = calloc(1, sizeof(*k));
	int ret;

	if (!k)
		return err_nomem(err);
	k->sink.ops = &ops;
	k->session = s;
	k->event = event;
	*sink = &k->sink;
	ret = stack_tree_init(&k->stacks, s->symboliser, err);
	if (!ret)
		ret = pprof_locations_init(&k->locations, s->symboliser, err);
	return ret ? ret : export_gzip_init(&k->gzip, err);
}
