// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/library/perflite_internal.h"

#define FIELDS_MAX 256

/* The fields of a table while it is made. */
struct making {
	struct perflite *p;
	VEC(struct perflite_field) fields;
	VEC(const char *) names;
	struct arena arena;
	const char *event; /* NULL: all */
	bool *wanted;      /* then, by event */
	struct perflite_table *table;
	struct err err;
};

static int find_events(struct making *m)
{
	const struct session *s = perflite_reading(m->p)->s;
	u32 i;

	if (!m->event)
		return 0;
	i = session_event(s, m->event);
	if (i == ID_NONE)
		return err_set(&m->err, ENOENT, "the recording has no event '%s'", m->event);
	m->wanted = arena_alloc(&m->arena, s->source->recording->events.events.nr);
	if (!m->wanted)
		return err_nomem(&m->err);
	memset(m->wanted, 0, s->source->recording->events.events.nr);
	for (; i != ID_NONE; i = session_event_from(s, m->event, i + 1))
		m->wanted[i] = true;
	return 0;
}

/* The event that it was recorded as: the reading may give it out as another one of that name. */
static bool is_wanted(const struct making *m, const struct session_sample *s)
{
	const struct event_set *events = &perflite_recording(m->p)->events;

	return !m->wanted || m->wanted[s->desc - events->events.v];
}

/* "NAME=FIELD", but not the event "my:name=x". */
static const char *split_name(char *word)
{
	char *equals = strchr(word, '=');

	if (!equals || memchr(word, ':', (size_t)(equals - word)))
		return word;
	*equals = '\0';
	return equals + 1;
}

static int add_field(struct making *m, char *name)
{
	struct perflite_field *f = m->fields.nr < FIELDS_MAX ? &m->fields.v[m->fields.nr] : NULL;
	const char **slot = vec_push(&m->names), *field = split_name(name);

	if (!f)
		return err_set(&m->err, EINVAL, "at most %u fields", FIELDS_MAX);
	if (!slot)
		return err_nomem(&m->err);
	*slot = name;
	/* a failed one is freed, too */
	m->fields.nr++;
	return perflite_field_init(f, m->p, field, &m->err);
}

static int add_fields(struct making *m, const char *fields)
{
	char *list = arena_strdup(&m->arena, fields ? fields : ""), *save = NULL, *word;
	int ret = 0;

	/* fields hold pointers into themselves, so they must not move */
	if (!list || !vec_reserve(&m->fields, FIELDS_MAX))
		return err_nomem(&m->err);
	for (word = strtok_r(list, ", ", &save); word && !ret; word = strtok_r(NULL, ", ", &save))
		ret = add_field(m, word);
	if (!ret && !m->fields.nr)
		ret = err_set(&m->err, EINVAL, "no field is named");
	return ret;
}

static int begin_table(struct making *m)
{
	u32 i;

	m->table = perflite_table_new(m->fields.nr);
	for (i = 0; m->table && i < m->fields.nr; i++)
		if (!perflite_table_name(m->table, i, m->names.v[i], m->fields.v[i].type))
			return err_nomem(&m->err);
	return m->table ? 0 : err_nomem(&m->err);
}

static int add_row(struct making *m, const struct session_sample *s)
{
	u32 i;

	for (i = 0; i < m->fields.nr; i++)
		if (perflite_field_read(&m->fields.v[i], s, &m->err) ||
		    !perflite_table_put(m->table, i, &m->fields.v[i]))
			return err_nomem(&m->err);
	m->table->rows++;
	return 0;
}

static int read_rows(struct making *m, u64 most)
{
	struct session_sample s;
	int ret = 0;

	while ((!most || m->table->rows < most) &&
	       (ret = perflite_next_sample(m->p, &s, &m->err)) > 0) {
		if (!is_wanted(m, &s))
			continue;
		ret = add_row(m, &s);
		if (ret)
			return ret;
	}
	return MIN(ret, 0);
}

struct perflite_table *perflite_samples(struct perflite *p, const char *event, const char *fields,
					uint64_t most, struct perflite_error *error)
{
	struct making m = {.p = p, .event = event};
	int ret = find_events(&m);
	u32 i;

	if (!ret)
		ret = add_fields(&m, fields);
	if (!ret)
		ret = begin_table(&m);
	if (!ret)
		ret = read_rows(&m, most);
	if (!ret)
		perflite_table_finish(m.table);
	for (i = 0; i < m.fields.nr; i++)
		perflite_field_free(&m.fields.v[i]);
	vec_free(&m.fields);
	vec_free(&m.names);
	arena_free(&m.arena);
	if (ret) {
		perflite_table_free(m.table);
		m.table = NULL;
	}
	perflite_give_error(p, &m.err, error);
	return m.table;
}
