// SPDX-License-Identifier: GPL-2.0
#include "util/file/recording.h"

#include <errno.h>
#include <stdlib.h>

int recording_add_fact(struct recording *r, const char *key, const void *value, size_t len)
{
	struct fact *f = vec_push(&r->facts);

	if (!f)
		return -ENOMEM;
	f->key = arena_strdup(&r->arena, key);
	f->value = arena_strndup(&r->arena, value, len);
	f->value_len = len;
	if (!f->key || !f->value) {
		r->facts.nr--;
		return -ENOMEM;
	}
	return 0;
}

const char *recording_fact(const struct recording *r, const char *key)
{
	u32 i;

	for (i = r->facts.nr; i-- > 0;)
		if (!strcmp(r->facts.v[i].key, key))
			return r->facts.v[i].value;
	return NULL;
}

int recording_add_tracepoint(struct recording *r, u32 id, const char *system, size_t system_len,
			     const char *name, size_t name_len, const char *format, size_t len)
{
	struct tp_text *t = vec_push(&r->tracepoints);

	if (!t)
		return -ENOMEM;
	t->id = id;
	t->system = arena_strndup(&r->arena, system, system_len);
	t->name = arena_strndup(&r->arena, name, name_len);
	t->format = arena_strndup(&r->arena, format, len);
	t->format_len = len;
	if (!t->system || !t->name || !t->format) {
		r->tracepoints.nr--;
		return -ENOMEM;
	}
	return 0;
}

int recording_add_dso(struct recording *r, const struct dso_text *d, size_t name_len)
{
	struct dso_text *have;
	u32 i;

	for (i = 0; i < r->dsos.nr; i++) {
		have = &r->dsos.v[i];
		if (have->class == d->class && strlen(have->name) == name_len &&
		    !memcmp(have->name, d->name, name_len) && have->maj == d->maj &&
		    have->min == d->min && have->ino == d->ino)
			break;
	}
	if (i == r->dsos.nr) {
		have = vec_push(&r->dsos);
		if (!have)
			return -ENOMEM;
		have->class = d->class;
		have->maj = d->maj;
		have->min = d->min;
		have->ino = d->ino;
		have->name = arena_strndup(&r->arena, d->name, name_len);
		if (!have->name) {
			r->dsos.nr--;
			return -ENOMEM;
		}
	}
	have = &r->dsos.v[i];
	if (!have->build_id_len && d->build_id_len) {
		memcpy(have->build_id, d->build_id, sizeof(have->build_id));
		have->build_id_len = d->build_id_len;
	}
	if (!have->image && d->image_len) {
		have->image = arena_memdup(&r->arena, d->image, d->image_len);
		have->image_len = have->image ? d->image_len : 0;
	}
	return (int)i;
}

const struct tp_text *recording_tracepoint(const struct recording *r, u64 id)
{
	u32 i;

	for (i = 0; i < r->tracepoints.nr; i++)
		if (r->tracepoints.v[i].id == id)
			return &r->tracepoints.v[i];
	return NULL;
}

void recording_free(struct recording *r)
{
	event_set_free(&r->events);
	vec_free(&r->tracepoints);
	vec_free(&r->dsos);
	vec_free(&r->syms);
	vec_free(&r->facts);
	arena_free(&r->arena);
}
