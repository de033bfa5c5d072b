// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "util/base/text.h"
#include "util/library/latency_internal.h"

static u32 nr_points(const struct latency_stages *st)
{
	return st->thens.nr + 2;
}

int latency_stages_then(void *value, const char *arg, struct err *err)
{
	struct latency_stages *st = &((struct latency *)value)->stages;
	const char **then;

	if (st->thens.nr == LATENCY_STAGES_MAX)
		return err_set(err, EINVAL, "--then: a span has at most %d of them",
			       LATENCY_STAGES_MAX);
	then = vec_push(&st->thens);
	if (!then)
		return err_nomem(err);
	*then = arg;
	return 0;
}

/* --- points --- */

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_keys(const struct latency_point *a, const struct latency_point *b)
{
	u32 i;

	for (i = 0; i < a->nr_keys; i++)
		if (strcmp(a->keys[i], b->keys[i]) != 0)
			return false;
	return true;
}

/* Would one event be both points? */
static bool is_same(const struct latency_point *a, const struct latency_point *b)
{
	return !strcmp(a->event, b->event) && same_text(a->filter, b->filter) && same_keys(a, b);
}

/* Does every event that is the point `then` end the span, so that it never comes in between? */
static bool ends_before(const struct latency_point *then, const struct latency_point *end)
{
	return then->role == LATENCY_THEN &&
	       (end->role == LATENCY_TO || end->role == LATENCY_UNTIL) && !end->filter &&
	       !strcmp(then->event, end->event) && same_keys(then, end);
}

static int check_end(const struct latency_point *a, const struct latency_point *b, struct err *err)
{
	const struct latency_point *end = a->role == LATENCY_THEN ? b : a;

	if (!ends_before(a, b) && !ends_before(b, a))
		return 0;
	err_set(err, EINVAL, "--then: every %s ends the span, so none is in between", end->event);
	err_hint(err, "give %s a filter, too: '%s if ...'",
		 end->role == LATENCY_TO ? "--to" : "--until", end->event);
	return -EINVAL;
}

static int check_points(const struct latency *l, struct err *err)
{
	const struct latency_point *a, *b, *end = l->points.all.v + l->points.all.nr;

	for (a = l->points.all.v; a < end; a++) {
		for (b = l->points.all.v; b < a; b++) {
			if (a->role != LATENCY_THEN && b->role != LATENCY_THEN)
				continue;
			if (!is_same(a, b)) {
				if (check_end(a, b, err))
					return -EINVAL;
				continue;
			}
			err_set(err, EINVAL, "--then: %s would be two points of a span at once",
				a->event);
			err_hint(err, "distinguish them by a filter or by their keys");
			return -EINVAL;
		}
	}
	return 0;
}

/* Which of the points of a span it is; ID_NONE: it gives spans up. */
static u32 number_of(const struct latency *l, const struct latency_point *p)
{
	return p->role == LATENCY_FROM   ? 0
	       : p->role == LATENCY_THEN ? p->stage
	       : p->role == LATENCY_TO   ? l->stages.thens.nr + 1
					 : ID_NONE;
}

static bool is_named_before(const struct latency *l, const struct latency_point *p)
{
	const struct latency_point *q;

	for (q = l->points.all.v; q < p; q++)
		if (number_of(l, q) == number_of(l, p) && !strcmp(q->event, p->event))
			return true;
	return false;
}

/* What distinguishes the point from others of its event: ":next_pid", " if next_pid != 0" */
static void put_difference(const struct latency *l, const struct latency_point *p, struct buf *out)
{
	const struct latency_point *q;
	bool shared = false, filtered = false;
	u32 i;

	for (q = l->points.all.v; q < l->points.all.v + l->points.all.nr; q++) {
		if (q->role == LATENCY_UNTIL || number_of(l, q) == number_of(l, p) ||
		    strcmp(q->event, p->event) != 0)
			continue;
		shared = true;
		filtered |= same_keys(p, q);
	}
	for (i = 0; shared && !filtered && i < p->nr_keys; i++) {
		buf_addc(out, i ? '+' : ':');
		text_escape(out, p->keys[i], strlen(p->keys[i]));
	}
	if (filtered && p->filter) {
		buf_adds(out, " if ");
		text_escape(out, p->filter, strlen(p->filter));
	}
}

/* "block_rq_issue", "sched_wakeup/sched_wakeup_new" */
static void put_name(const struct latency *l, u32 number, struct buf *out)
{
	const struct latency_point *p;
	const char *colon, *sep = "";

	for (p = l->points.all.v; p < l->points.all.v + l->points.all.nr; p++) {
		if (number_of(l, p) != number || is_named_before(l, p))
			continue;
		colon = strchr(p->event, ':');
		buf_adds(out, sep);
		text_escape(out, colon ? colon + 1 : p->event,
			    strlen(colon ? colon + 1 : p->event));
		put_difference(l, p, out);
		sep = "/";
	}
}

/* What the key shows: "block_rq_issue -> block_rq_complete". */
static int make_labels(struct latency *l, struct err *err)
{
	struct latency_stages *st = &l->stages;
	struct buf text = {0};
	const char **label;
	bool ok = true;
	u32 from, to;

	for (from = 0; from < nr_points(st); from++) {
		for (to = from + 1; ok && to <= nr_points(st); to++) {
			buf_clear(&text);
			put_name(l, from, &text);
			buf_adds(&text, " -> ");
			if (to < nr_points(st))
				put_name(l, to, &text);
			else
				buf_adds(&text, "...");
			label = &st->labels[from * LATENCY_LABELS + to];
			*label = arena_strdup(&l->points.arena, buf_str(&text));
			ok = *label && !text.failed;
		}
	}
	buf_free(&text);
	return ok ? 0 : err_nomem(err);
}

int latency_stages_parsed(struct latency *l, struct err *err)
{
	int ret;

	if (!l->stages.thens.nr)
		return 0;
	l->spans.stages = l->stages.thens.nr;
	ret = check_points(l, err);
	return ret ? ret : make_labels(l, err);
}

/* --- the key --- */

#define KEY "stage"

static bool names_key(const char *by)
{
	const char *at = by;

	for (; (at = strstr(at, KEY)); at += strlen(KEY))
		if ((at == by || strchr(", ", at[-1])) && strchr(", ", at[strlen(KEY)]))
			return true;
	return false;
}

void latency_stages_by(const struct latency *l, struct buf *by)
{
	struct buf staged = {0};

	if (!l->stages.thens.nr || names_key(buf_str(by)))
		return;
	buf_addf(&staged, KEY ",%s", buf_str(by));
	staged.failed |= by->failed;
	buf_free(by);
	*by = staged;
}

void latency_stages_keys(struct latency *l)
{
	struct count_keys *k = l->keys;
	u32 i;

	for (i = 0; l->stages.thens.nr && i < k->nr; i++) {
		if (strcmp(k->v[i].name, KEY) != 0)
			continue;
		k->v[i].kind = KEY_LABEL;
		l->stages.key = i;
	}
}

int latency_stages_row(struct latency *l, const struct span_ended *span, u32 to, u32 *row,
		       struct err *err)
{
	*row = span->row;
	if (!l->stages.thens.nr)
		return 0;
	return count_table_put_label(&l->table, l->stages.key, span->stage * LATENCY_LABELS + to,
				     row, err);
}

u32 latency_stages_end(const struct latency *l)
{
	return l->stages.thens.nr + 1;
}

u32 latency_stages_open(const struct latency *l)
{
	return l->stages.thens.nr + 2;
}
