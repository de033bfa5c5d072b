// SPDX-License-Identifier: GPL-2.0
#include "util/export/pprof.h"

#include <stdlib.h>

#include "util/base/text.h"
#include "util/export/about.h"
#include "util/export/gzip.h"
#include "util/export/pprof_locations.h"
#include "util/export/proto.h"
#include "util/export/weight_unit.h"
#include "util/profile/stack_weights.h"

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
			       weight_of_sample(s->sample)))
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
		ret = gzip_add(&k->gzip, k->piece.data, k->piece.len, out, err);
		buf_clear(&k->piece);
	}
	return ret;
}

static void put_type(struct pprof *k, u32 field, const char *type, const char *unit)
{
	proto_integer(&k->message, TYPE_TYPE, string(k, type));
	proto_integer(&k->message, TYPE_UNIT, string(k, unit));
	proto_message(&k->piece, field, &k->message);
}

static const char *unit_of(const struct event_desc *e)
{
	return weight_unit_is_time(e) ? "nanoseconds" : "count";
}

static const struct event_desc *column(const struct pprof *k, u32 i)
{
	return &k->session->source->recording.events.events.v[k->columns.v[i]];
}

/* The events that have samples, the chosen one even if it has none. */
static bool find_columns(struct pprof *k)
{
	u32 nr = k->session->source->recording.events.events.nr, i, *column_of;
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
	proto_integer(&k->piece, PROFILE_PERIOD, weight_unit_period(e));
	proto_integer(&k->piece, PROFILE_DEFAULT_SAMPLE_TYPE, string(k, e->name));
}

static void put_label(struct pprof *k, const char *key, u32 str, u64 num)
{
	proto_integer(&k->inner, LABEL_KEY, string(k, key));
	proto_integer(&k->inner, LABEL_STR, str);
	proto_integer(&k->inner, LABEL_NUM, num);
	proto_message(&k->message, SAMPLE_LABEL, &k->inner);
}

static void put_packed(struct pprof *k, u32 field)
{
	proto_message(&k->message, field, &k->numbers);
}

static bool put_stack(struct pprof *k, u32 node)
{
	u32 id;

	do {
		id = pprof_locations_get(&k->locations, &k->stacks, node);
		if (id == ID_NONE)
			return false;
		proto_varint(&k->numbers, id);
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

		proto_varint(&k->numbers, has ? w[at]->samples : 0);
		proto_varint(&k->numbers, has ? MIN(w[at]->weight, (u64)INT64_MAX) : 0);
		at += has;
	}
	put_packed(k, SAMPLE_VALUE);
	put_label(k, "comm", o->comm, 0);
	put_label(k, "pid", 0, (u64)(s32)o->pid);
	put_label(k, "tid", 0, (u64)(s32)o->tid);
	proto_message(&k->piece, PROFILE_SAMPLE, &k->message);
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
		proto_integer(&k->piece, PROFILE_COMMENT, string(k, buf_str(&b)));
	k->piece.failed |= b.failed || text->failed;
	buf_free(&b);
}

static void put_about(struct pprof *k)
{
	struct buf text = {0};
	u64 wall, lost = about_lost(k->session);

	if (k->any && about_wall_clock(k->session, k->first_time, &wall))
		proto_integer(&k->piece, PROFILE_TIME_NANOS, wall);
	proto_integer(&k->piece, PROFILE_DURATION_NANOS, k->last_time - k->first_time);
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
	return ret ? ret : gzip_end(&k->gzip, out, err);
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
	gzip_free(&k->gzip);
	buf_free(&k->piece);
	buf_free(&k->message);
	buf_free(&k->inner);
	buf_free(&k->numbers);
	free(k);
}

int pprof_sink(struct session *s, u32 event, struct sink **sink, struct err *err)
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
	ret = stack_tree_init(&k->stacks, &s->symboliser, err);
	if (!ret)
		ret = pprof_locations_init(&k->locations, &s->symboliser, err);
	return ret ? ret : gzip_init(&k->gzip, err);
}
