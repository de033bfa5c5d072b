// SPDX-License-Identifier: GPL-2.0
#include "util/stat/aggregate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"

static struct stat_key key_of(const struct stat_place *p, enum stat_aggregation by,
			      const struct stat_topology *topology)
{
	struct stat_key k = {-1, -1, -1, -1, -1, -1, -1, 0, NULL, NULL};
	const struct stat_cpu *c;

	if (by == STAT_GLOBAL)
		return k;
	if (by == STAT_PER_THREAD) {
		k.tid = p->tid;
		k.pid = p->pid;
		k.comm = p->tid < 0 ? "(all)" : p->comm;
		return k;
	}
	c = p->cpu != ID_NONE && topology ? stat_topology_find(topology, p->cpu) : NULL;
	if (by == STAT_PER_CPU) {
		k.cpu = p->cpu == ID_NONE ? -1 : (s64)p->cpu;
		k.type = c ? c->type : NULL;
		return k;
	}
	/* A CPU that came online since has no place: the key of what no CPU is known for */
	if (!c)
		return k;
	if (by == STAT_PER_NODE) {
		k.node = c->node;
		return k;
	}
	k.socket = c->socket;
	if (by == STAT_PER_SOCKET)
		return k;
	k.die = c->die;
	if (by == STAT_PER_DIE)
		return k;
	/* Without ACPI the cores of every cluster are numbered from 0. */
	k.cluster = c->cluster;
	if (by == STAT_PER_CORE) {
		k.core = c->core;
		k.type = c->type;
	}
	return k;
}

#define COMPARE(a, b) ((a) < (b) ? -1 : (a) > (b))

static int compare_keys(const struct stat_key *a, const struct stat_key *b)
{
	int d = COMPARE(a->socket, b->socket);

	d = d ? d : COMPARE(a->die, b->die);
	d = d ? d : COMPARE(a->cluster, b->cluster);
	d = d ? d : COMPARE(a->core, b->core);
	d = d ? d : COMPARE(a->node, b->node);
	d = d ? d : COMPARE(a->cpu, b->cpu);
	return d ? d : COMPARE(a->tid, b->tid);
}

static int by_key(const void *a, const void *b)
{
	return compare_keys(a, b);
}

static void make_keys(struct stat_table *t, const struct stat_topology *topology)
{
	const struct stat_shape *s = t->shape;
	struct stat_key k;
	u32 i, nr = 0;

	for (i = 0; i < s->nr_places; i++)
		t->keys[i] = key_of(&s->places[i], t->by, topology);
	qsort(t->keys, s->nr_places, sizeof(*t->keys), by_key);
	for (i = 0; i < s->nr_places; i++)
		if (!nr || compare_keys(&t->keys[nr - 1], &t->keys[i]))
			t->keys[nr++] = t->keys[i];
	t->nr_keys = nr;
	for (i = 0; i < s->nr_places; i++) {
		const struct stat_key *found;

		k = key_of(&s->places[i], t->by, topology);
		found = bsearch(&k, t->keys, nr, sizeof(k), by_key);
		t->place_keys[i] = (u32)(found - t->keys);
	}
}

int stat_table_init(struct stat_table *t, const struct stat_shape *shape, enum stat_aggregation by,
		    const struct stat_topology *topology, struct err *err)
{
	size_t places = MAX(shape->nr_places, 1u), cells;
	u32 e;

	*t = (struct stat_table){.shape = shape, .by = by};
	t->keys = calloc(places, sizeof(*t->keys));
	t->place_keys = calloc(places, sizeof(*t->place_keys));
	if (!t->keys || !t->place_keys)
		goto nomem;
	make_keys(t, topology);
	cells = (size_t)shape->nr_events * t->nr_keys;
	t->cells = calloc(MAX(cells, 1u), sizeof(*t->cells));
	if (!t->cells)
		goto nomem;
	for (e = 0; e < shape->nr_events; e++)
		t->cgroups |= shape->events[e].cgroup != NULL;
	return 0;
nomem:
	stat_table_free(t);
	return err_nomem(err);
}

void stat_table_free(struct stat_table *t)
{
	free(t->keys);
	free(t->place_keys);
	free(t->cells);
	*t = (struct stat_table){0};
}

/* May the event have a counter there? Those of one sort of CPU, or of one CPU per package, not. */
static bool counts_at(const struct stat_event *e, const struct stat_place *p)
{
	u32 i;

	if (!e->nr_cpus || p->cpu == ID_NONE)
		return true;
	for (i = 0; i < e->nr_cpus; i++)
		if (e->cpus[i] == p->cpu)
			return true;
	return false;
}

static void add_place(const struct stat_table *t, const struct stat_reading *r, u32 event,
		      u32 shown_by, u32 place)
{
	struct stat_cell *c = stat_table_cell(t, shown_by, t->place_keys[place]);
	size_t i = stat_index(r->shape, event, place);
	const struct stat_count *n = &r->counts[i];

	if (!r->valid[i]) {
		c->missing++;
		return;
	}
	c->counters++;
	if (stat_reading_state(r, event, place) == STAT_NOT_COUNTED)
		c->state = STAT_NOT_COUNTED;
	c->total += t->unscaled ? n->value : stat_count_scaled(n);
	c->enabled += n->enabled;
	c->running += n->running;
}

/* Of units of one kind the first shows all. */
static void add_event(const struct stat_table *t, const struct stat_reading *r, u32 event,
		      u32 shown_by)
{
	u32 p;

	for (p = 0; p < t->shape->nr_places; p++)
		if (counts_at(&t->shape->events[event], &t->shape->places[p]))
			add_place(t, r, event, shown_by, p);
}

static void end_cell(struct stat_cell *c, const struct stat_event *e)
{
	bool counted = c->counters != 0;

	/* A row for what could not be counted; but what the program measures itself has one place. */
	if (!counted && e->tool == STAT_NO_TOOL)
		c->counters = c->missing;
	if (e->state != STAT_COUNTED) {
		c->state = e->state;
		c->reason = e->reason;
	} else if (!counted) {
		c->state = STAT_NOT_COUNTED;
		c->reason = "it could not be read: its CPU or thread is gone";
	} else if (c->state == STAT_NOT_COUNTED) {
		c->reason = "other events had the hardware counters all the time";
	}
	if (c->state != STAT_COUNTED)
		c->total = c->enabled = c->running = 0;
	c->value = (double)c->total;
}

/*
 * Beside threads there may be places of everybody, for the events of whole packages. Each event has
 * the one or the other; where it has none, nothing is missing.
 */
static void forget_elsewhere(struct stat_table *t, const struct stat_reading *r, u32 event)
{
	bool of_all = false;
	u32 p, k;

	for (p = 0; p < t->shape->nr_places; p++)
		of_all |= t->shape->places[p].tid < 0 && r->valid[stat_index(t->shape, event, p)];
	for (k = 0; k < t->nr_keys; k++)
		if ((t->keys[k].tid < 0) != of_all)
			stat_table_cell(t, event, k)->missing = 0;
}

static void fill_event(struct stat_table *t, const struct stat_reading *r, u32 event)
{
	const struct stat_event *e = &t->shape->events[event];
	u32 k, i;

	for (k = 0; k < t->nr_keys; k++)
		*stat_table_cell(t, event, k) = (struct stat_cell){.reason = ""};
	if (e->is_part)
		return;
	add_event(t, r, event, event);
	for (i = event + 1; i < t->shape->nr_events; i++)
		if (t->shape->events[i].is_part && t->shape->events[i].whole == event)
			add_event(t, r, i, event);
	if (t->by == STAT_PER_THREAD)
		forget_elsewhere(t, r, event);
	for (k = 0; k < t->nr_keys; k++)
		end_cell(stat_table_cell(t, event, k), e);
}

void stat_table_fill(struct stat_table *t, const struct stat_reading *r)
{
	u32 e;

	t->origin_ns = r->origin_ns;
	t->start_ns = r->start_ns;
	t->end_ns = r->end_ns;
	t->elapsed_ns = (double)(r->end_ns - r->start_ns);
	for (e = 0; e < t->shape->nr_events; e++)
		fill_event(t, r, e);
}

bool stat_table_shows(const struct stat_table *t, u32 event, u32 key)
{
	const struct stat_cell *c = stat_table_cell(t, event, key);

	return c->counters && !(t->skip_zeros && !c->total);
}

const char *stat_table_rows(const struct stat_table *t)
{
	static const char *const names[STAT_AGGREGATIONS] = {
		[STAT_GLOBAL] = "",       [STAT_PER_CPU] = "cpu",
		[STAT_PER_CORE] = "core", [STAT_PER_CLUSTER] = "cluster",
		[STAT_PER_DIE] = "die",   [STAT_PER_SOCKET] = "socket",
		[STAT_PER_NODE] = "node", [STAT_PER_THREAD] = "comm",
	};

	return names[t->by];
}

bool stat_table_nth(const struct stat_table *t, size_t i, u32 *event, u32 *key)
{
	const bool key_by_key = stat_table_joins_cpus(t);
	u32 inner = key_by_key ? t->shape->nr_events : t->nr_keys;

	if (i >= (size_t)t->shape->nr_events * t->nr_keys)
		return false;
	*event = (u32)(key_by_key ? i % inner : i / inner);
	*key = (u32)(key_by_key ? i / inner : i % inner);
	return true;
}

void stat_key_print(const struct stat_key *k, enum stat_aggregation by, struct buf *b)
{
	switch (by) {
	case STAT_GLOBAL:
		break;
	case STAT_PER_CPU:
		if (k->cpu >= 0)
			buf_addf(b, "CPU%lld", (long long)k->cpu);
		break;
	case STAT_PER_NODE:
		buf_addf(b, "N%lld", (long long)k->node);
		break;
	case STAT_PER_THREAD:
		text_escape(b, k->comm, strlen(k->comm));
		buf_addf(b, "-%d", k->tid);
		break;
	default:
		buf_addf(b, "S%lld", (long long)k->socket);
		if (by != STAT_PER_SOCKET)
			buf_addf(b, "-D%lld", (long long)k->die);
		if (by == STAT_PER_CLUSTER)
			buf_addf(b, "-CLS%lld", (long long)k->cluster);
		if (by == STAT_PER_CORE)
			buf_addf(b, "-C%lld", (long long)k->core);
		break;
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double middle(const double *sorted, u32 nr)
{
	return nr % 2 ? sorted[nr / 2] : (sorted[nr / 2 - 1] + sorted[nr / 2]) / 2;
}

void stat_summary_of(struct stat_summary *s, double *values, u32 nr)
{
	double squares = 0;
	u32 i;

	*s = (struct stat_summary){.nr = nr};
	if (!nr)
		return;
	for (i = 0; i < nr; i++)
		s->mean += values[i] / nr;
	for (i = 0; i < nr; i++)
		squares += (values[i] - s->mean) * (values[i] - s->mean);
	if (nr > 1)
		s->stddev = sqrt(squares / (nr - 1));
	s->error = s->stddev / sqrt(nr);
	qsort(values, nr, sizeof(*values), by_value);
	s->min = values[0];
	s->max = values[nr - 1];
	s->median = middle(values, nr);
	for (i = 0; i < nr; i++)
		values[i] = fabs(values[i] - s->median);
	qsort(values, nr, sizeof(*values), by_value);
	s->mad = middle(values, nr);
}

double stat_summary_pct(double deviation, double mean)
{
	return mean ? 100 * deviation / fabs(mean) : 0;
}

static u32 nr_cells(const struct stat_table *t)
{
	return t->shape->nr_events * t->nr_keys;
}

int stat_runs_init(struct stat_runs *r, const struct stat_table *t, struct err *err)
{
	u32 n = nr_cells(t) + 1;

	*r = (struct stat_runs){.nr_cells = n};
	r->times = calloc(n, sizeof(*r->times));
	r->summaries = calloc(n, sizeof(*r->summaries));
	if (r->times && r->summaries)
		return 0;
	stat_runs_free(r);
	return err_nomem(err);
}

void stat_runs_free(struct stat_runs *r)
{
	free(r->values);
	free(r->times);
	free(r->summaries);
	*r = (struct stat_runs){0};
}

int stat_runs_add(struct stat_runs *r, const struct stat_table *t, struct err *err)
{
	const struct stat_cell *c = t->cells;
	double *row;
	u32 i;

	if (!vec_grow((void **)&r->values, &r->cap, r->nr + 1u, r->nr_cells * sizeof(*r->values)))
		return err_nomem(err);
	row = r->values + (size_t)r->nr++ * r->nr_cells;
	for (i = 0; i < r->nr_cells - 1; i++, c++) {
		row[i] = c->state == STAT_COUNTED ? c->value : NAN;
		r->times[i].enabled += c->enabled;
		r->times[i].running += c->running;
	}
	row[i] = t->elapsed_ns;
	return 0;
}

/* The values of one cell, those that are there. */
static u32 column(const struct stat_runs *r, u32 cell, double *values)
{
	u32 i, nr = 0;

	for (i = 0; i < r->nr; i++) {
		double v = r->values[(size_t)i * r->nr_cells + cell];

		if (!isnan(v))
			values[nr++] = v;
	}
	return nr;
}

/* An event that was counted in some runs has the mean of these. */
static void summarise_cell(struct stat_cell *c, const struct stat_summary *s,
			   const struct stat_count *times)
{
	if (!s->nr)
		return;
	c->state = STAT_COUNTED;
	c->reason = "";
	c->value = s->mean;
	c->total = (u64)llround(s->mean);
	c->enabled = times->enabled / s->nr;
	c->running = times->running / s->nr;
}

int stat_runs_end(struct stat_runs *r, struct stat_table *t, struct err *err)
{
	double *values = calloc(MAX(r->nr, 1u), sizeof(*values));
	u32 i;

	if (!values)
		return err_nomem(err);
	for (i = 0; i < r->nr_cells; i++) {
		stat_summary_of(&r->summaries[i], values, column(r, i, values));
		if (i < r->nr_cells - 1)
			summarise_cell(&t->cells[i], &r->summaries[i], &r->times[i]);
	}
	t->elapsed_ns = stat_runs_elapsed(r)->mean;
	free(values);
	return 0;
}

const struct stat_summary *stat_runs_cell(const struct stat_runs *r, const struct stat_table *t,
					  u32 event, u32 key)
{
	return &r->summaries[(size_t)event * t->nr_keys + key];
}

const struct stat_summary *stat_runs_elapsed(const struct stat_runs *r)
{
	return &r->summaries[r->nr_cells - 1];
}

double stat_runs_elapsed_of(const struct stat_runs *r, u32 run)
{
	return r->values[(size_t)run * r->nr_cells + r->nr_cells - 1];
}
