// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_internal.h"

#include <stdlib.h>
#include <string.h>

#include "util/export/about.h"
#include "util/profile/stack_tree.h"
#include "util/profile/stack_weights.h"

/* Whose samples they are. */
struct owner {
	u32 comm;     /* in the strings */
	u32 pid, tid; /* ID_NONE: not known */
};

struct pprof {
	struct sink sink;
	struct pprof_file file;
	u32 event;
	struct stack_tree stacks;
	struct stack_weights weights; /* root: the owner; top: the event */
	struct hmap owner_of;         /* (command, thread) -> owner */
	VEC(struct owner) owners;
	VEC(u32) columns; /* the events that have values */
	u32 *first_of;    /* by event: of its kind, which have one column */
	u64 first_time, last_time;
	bool any;
};

static u32 string(struct pprof *k, const char *s)
{
	return pprof_locations_string(&k->file.locations, s);
}

/* ---- samples ---- */

/* Both halves are numbers of the process model; a thread without a name is called after its tid. */
static u32 owner_of(struct pprof *k, const struct session_sample *s)
{
	u32 thread = (u32)(s->thread - k->file.session->model.threads.v);
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
	    !stack_weights_add(&k->weights, owner, stack_tree_get(&k->stacks, s),
			       k->first_of[s->event], session_sample_weight(s)))
		return err_nomem(err);
	if (!k->any || time < k->first_time)
		k->first_time = time;
	k->last_time = k->any ? MAX(k->last_time, time) : time;
	k->any = true;
	return 0;
}

/* ---- the file ---- */

static const char *unit_of(const struct event_desc *e)
{
	return about_weight_is_time(e) ? "nanoseconds" : "count";
}

static const struct event_desc *column(const struct pprof *k, u32 i)
{
	return &k->file.session->source->recording->events.events.v[k->columns.v[i]];
}

/* The events that have samples, the chosen one even if it has none. */
static bool find_columns(struct pprof *k)
{
	u32 nr = k->file.session->source->recording->events.events.nr, i, *column_of;
	bool *seen = calloc((size_t)nr + 1, sizeof(*seen));

	if (!seen)
		return false;
	for (i = 0; i < k->weights.v.nr; i++)
		seen[k->weights.v.v[i].top] = true;
	if (k->event < nr)
		seen[k->first_of[k->event]] = true;
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

/* A type, in place of what is in the buffer. Readers choose types by their names. */
static void name_column(const struct pprof *k, u32 i, struct buf *name)
{
	buf_clear(name);
	if (k->columns.nr > 1)
		session_put_event(k->file.session, k->columns.v[i], name);
	else
		buf_adds(name, column(k, i)->name);
}

static void put_types(struct pprof *k)
{
	const struct event_desc *e;
	struct buf name = {0}, samples = {0};
	u32 i;

	for (i = 0; i < k->columns.nr; i++) {
		name_column(k, i, &name);
		buf_clear(&samples);
		if (k->columns.nr > 1)
			buf_addf(&samples, "%s_", buf_str(&name));
		buf_adds(&samples, "samples");
		pprof_file_type(&k->file, PPROF_SAMPLE_TYPE, buf_str(&samples), "count");
		pprof_file_type(&k->file, PPROF_SAMPLE_TYPE, buf_str(&name), unit_of(column(k, i)));
	}
	if (k->columns.nr) {
		e = column(k, 0);
		name_column(k, 0, &name);
		pprof_file_type(&k->file, PPROF_PERIOD_TYPE, buf_str(&name), unit_of(e));
		pprof_file_default(&k->file, buf_str(&name), about_weight_period(e));
	} else {
		pprof_file_type(&k->file, PPROF_SAMPLE_TYPE, "samples", "count");
	}
	k->file.piece.failed |= name.failed || samples.failed;
	buf_free(&name);
	buf_free(&samples);
}

/* The entries of one stack of one owner, in order of their events, as one sample. */
static int put_sample(struct pprof *k, const struct stack_weight *const *w, u32 nr, struct buf *out,
		      struct err *err)
{
	const struct owner *o = &k->owners.v[w[0]->root];
	struct buf *values = &k->file.numbers;
	u32 i, at = 0;

	if (!pprof_file_stack(&k->file, &k->stacks, w[0]->node))
		return err_nomem(err);
	for (i = 0; i < k->columns.nr; i++) {
		bool has = at < nr && w[at]->top == k->columns.v[i];

		export_proto_varint(values, has ? w[at]->samples : 0);
		export_proto_varint(values, has ? MIN(w[at]->weight, (u64)INT64_MAX) : 0);
		at += has;
	}
	pprof_file_values(&k->file);
	if (o->tid != ID_NONE) {
		pprof_file_label(&k->file, "comm", o->comm, 0);
		pprof_file_label(&k->file, "pid", 0, (u64)(s32)o->pid);
		pprof_file_label(&k->file, "tid", 0, (u64)(s32)o->tid);
	}
	return pprof_file_sample(&k->file, out, err);
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
		ret = put_sample(k, order + i, same, out, err);
	}
	free(order);
	return ret;
}

static int pprof_end(struct sink *sink, struct buf *out, struct err *err)
{
	struct pprof *k = (struct pprof *)sink;
	int ret;

	if (!find_columns(k))
		return err_nomem(err);
	put_types(k);
	pprof_file_about(&k->file, k->any, k->first_time, k->last_time);
	ret = put_samples(k, out, err);
	return ret ? ret : pprof_file_end(&k->file, out, err);
}

static void pprof_free(struct sink *sink)
{
	struct pprof *k = (struct pprof *)sink;

	stack_tree_free(&k->stacks);
	stack_weights_free(&k->weights);
	hmap_free(&k->owner_of);
	vec_free(&k->owners);
	vec_free(&k->columns);
	free(k->first_of);
	pprof_file_free(&k->file);
	free(k);
}

/* False when memory is out. */
static bool know_events(struct pprof *k, const struct session *s)
{
	u32 nr = s->source->recording->events.events.nr, i, first;

	k->first_of = calloc((size_t)nr + 1, sizeof(*k->first_of));
	for (i = 0; k->first_of && i < nr; i++) {
		for (first = 0; !session_is_another(s, i, first);)
			first++;
		k->first_of[i] = first;
	}
	return k->first_of;
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
	k->event = event;
	*sink = &k->sink;
	if (!know_events(k, s))
		return err_nomem(err);
	ret = stack_tree_init(&k->stacks, s->symboliser, err);
	return ret ? ret : pprof_file_init(&k->file, s, err);
}
