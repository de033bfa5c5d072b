// SPDX-License-Identifier: GPL-2.0
#include "util/file/recording.h"

#include <errno.h>
#include <stdlib.h>

#include "util/record/raw_layout.h"

/* Enough for the names and formats of any event of the kernel, whatever the blocks' size. */
#define MEMORY_FREE (32u << 20)
/* Bytes of memory for each byte of such blocks in the file; ids of events need 30 at most. */
#define MEMORY_RATIO 64u

static u64 memory_of(const struct recording *r)
{
	return r->arena.total + r->events.arena.total +
	       (u64)r->events.events.nr * sizeof(*r->events.events.v) +
	       ((u64)r->events.by_id.mask + r->index.tracepoints.mask) * sizeof(struct hmap_slot) +
	       (u64)r->tracepoints.nr * sizeof(*r->tracepoints.v) +
	       (u64)r->dsos.nr * (sizeof(*r->dsos.v) + sizeof(struct strtab_entry)) +
	       r->index.dsos.arena.total + (u64)r->syms.nr * sizeof(*r->syms.v) +
	       (u64)r->frames.nr * sizeof(*r->frames.v) + (u64)r->facts.nr * sizeof(*r->facts.v) +
	       (u64)r->losses.nr * sizeof(*r->losses.v) + (u64)r->counts.nr * sizeof(*r->counts.v);
}

bool recording_full(const struct recording *r)
{
	return MAX(memory_of(r), r->unpacked) / MEMORY_RATIO >
	       r->packed + MEMORY_FREE / MEMORY_RATIO;
}

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

static const struct fact *find_fact(const struct recording *r, const char *key)
{
	u32 i;

	for (i = r->facts.nr; i-- > 0;)
		if (!strcmp(r->facts.v[i].key, key))
			return &r->facts.v[i];
	return NULL;
}

const char *recording_fact(const struct recording *r, const char *key)
{
	const struct fact *f = find_fact(r, key);

	return f ? f->value : NULL;
}

const char *recording_argument(const struct recording *r, const char *before)
{
	const struct fact *f = find_fact(r, "cmdline");
	const char *next;

	if (!f)
		return NULL;
	next = before ? before + strlen(before) + 1 : f->value;
	return next < f->value + f->value_len ? next : NULL;
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
	if (!t->system || !t->name || !t->format ||
	    (hmap_get(&r->index.tracepoints, id) == ID_NONE &&
	     !hmap_set(&r->index.tracepoints, id, r->tracepoints.nr - 1))) {
		r->tracepoints.nr--;
		return -ENOMEM;
	}
	return 0;
}

/* A DSO's identity as bytes. Returns its index: the number of DSOs so far if it is new. */
static u32 dso_index(struct recording *r, const struct dso_head *h)
{
	struct dso_head key_of = *h;
	struct buf key = {0};
	u32 index = ID_NONE;

	key_of.build_id_len = 0;
	dso_head_put(&key, &key_of);
	if (!key.failed)
		index = strtab_add(&r->index.dsos, key.data, key.len);
	buf_free(&key);
	return index;
}

static struct dso_text *new_dso(struct recording *r, const struct dso_head *h)
{
	const char *name = arena_strndup(&r->arena, h->name, h->name_len);
	struct dso_text *dso = name ? vec_push(&r->dsos) : NULL;

	if (!dso)
		return NULL;
	dso->class = h->class;
	dso->maj = h->maj;
	dso->min = h->min;
	dso->ino = h->ino;
	dso->ino_generation = h->ino_generation;
	dso->name = name;
	return dso;
}

int recording_add_dso(struct recording *r, const struct dso_head *h, const void *image,
		      size_t image_len)
{
	struct dso_text *have;
	u32 i = dso_index(r, h);

	/* a key beyond the next is that of a DSO which memory did not suffice for */
	if (i > r->dsos.nr || (i == r->dsos.nr && !new_dso(r, h)))
		return -ENOMEM;
	have = &r->dsos.v[i];
	if (!have->build_id_len && h->build_id_len) {
		memcpy(have->build_id, h->build_id, h->build_id_len);
		have->build_id_len = (u8)h->build_id_len;
	}
	if (!have->image && image_len) {
		have->image = arena_memdup(&r->arena, image, image_len);
		have->image_len = have->image ? image_len : 0;
	}
	return (int)i;
}

int recording_add_section(struct recording *r, u32 id, const void *data, size_t len)
{
	u8 *copy = arena_memdup(&r->arena, data, len);
	struct section_text *s = copy ? vec_push(&r->perf.sections) : NULL;

	if (!s)
		return -ENOMEM;
	*s = (struct section_text){id, copy, len};
	return 0;
}

const struct tp_text *recording_tracepoint(const struct recording *r, u64 id)
{
	u32 i = hmap_get(&r->index.tracepoints, id);

	return i < r->tracepoints.nr ? &r->tracepoints.v[i] : NULL;
}

const struct tp_text *recording_event_text(const struct recording *r, u32 event)
{
	const struct perf_event_attr *attr = &r->events.events.v[event].attr;

	return attr->type == PERF_TYPE_TRACEPOINT ? recording_tracepoint(r, attr->config) : NULL;
}

struct tp_format *recording_event_format(const struct recording *r, u32 event, struct err *why)
{
	const struct tp_text *t = recording_event_text(r, event);

	return t ? tp_format_parse(t->format, t->format_len, why) : NULL;
}

static u64 recording_lost_by_blocks(const struct recording *r)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < r->losses.nr; i++)
		sum += r->losses.v[i].cause == LOSS_DISK ? 0 : r->losses.v[i].count;
	return sum;
}

/* Does the event of this account have the records of deferred call chains, and no others? */
static bool is_of_chains(const struct recording *r, const struct counts *n)
{
	return r->events.deferred && n->event == r->events.deferred - 1;
}

u64 recording_lost_chains(const struct recording *r)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < r->counts.nr; i++)
		if (is_of_chains(r, &r->counts.v[i]))
			sum += r->counts.v[i].lost;
	return sum;
}

/* Has the kernel itself said of every event that has samples how many it lost? */
static bool is_whole_account(const struct recording *r)
{
	const struct event_desc *e;
	u32 i, nr = 0, known = 0;

	for (i = 0; i < r->events.events.nr; i++)
		nr += !r->events.events.v[i].sideband;
	for (i = 0; i < r->counts.nr; i++) {
		if (r->counts.v[i].event >= r->events.events.nr)
			return false;
		e = &r->events.events.v[r->counts.v[i].event];
		known += !e->sideband && r->counts.v[i].flags & COUNTS_LOST;
	}
	return nr && known == nr;
}

u64 recording_lost(const struct recording *r, u64 records_lost)
{
	u64 account = 0, chains = recording_lost_chains(r);
	u64 records = MAX(records_lost, recording_lost_by_blocks(r));
	u32 i;

	for (i = 0; i < r->counts.nr; i++)
		account += is_of_chains(r, &r->counts.v[i]) ? 0 : r->counts.v[i].lost;
	return is_whole_account(r) ? account : MAX(account, records - MIN(records, chains));
}

u64 recording_unwritten(const struct recording *r)
{
	u64 account = 0, blocks = 0;
	u32 i;

	for (i = 0; i < r->counts.nr; i++)
		account += r->counts.v[i].unwritten;
	for (i = 0; i < r->losses.nr; i++)
		blocks += r->losses.v[i].cause == LOSS_DISK ? r->losses.v[i].count : 0;
	return MAX(account, blocks);
}

void recording_free(struct recording *r)
{
	event_set_free(&r->events);
	vec_free(&r->tracepoints);
	vec_free(&r->dsos);
	vec_free(&r->syms);
	vec_free(&r->frames);
	vec_free(&r->facts);
	vec_free(&r->perf.sections);
	strtab_free(&r->index.dsos);
	hmap_free(&r->index.tracepoints);
	vec_free(&r->losses);
	vec_free(&r->counts);
	arena_free(&r->arena);
}
