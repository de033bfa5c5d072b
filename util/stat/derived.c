// SPDX-License-Identifier: GPL-2.0
#include "util/stat/derived.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/text.h"
#include "util/event/ev_names.h"
#include "util/event/ev_parse.h"
#include "util/stat/stat_counters.h"

#define CACHE(cache, op, result)                                               \
	(PERF_COUNT_HW_CACHE_##cache | (u64)PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 (u64)PERF_COUNT_HW_CACHE_RESULT_##result << 16)
#define READS(cache)  CACHE(cache, READ, ACCESS)
#define MISSES(cache) CACHE(cache, READ, MISS)

/* The kernel has the PMU of one of several sorts of cores in the upper half. */
#define EVENT(config) ((config)&0xffffffff)

/* Percentages: an event as a share of another, and from where on that is worth a look. */
static const struct share {
	u32 type;
	u64 event, of;
	u32 of_type;
	const char *unit;
	u8 bad, nearly_bad, less_good;
} shares[] = {
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	 PERF_TYPE_HARDWARE, "of all branches", 20, 10, 5},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_CACHE_REFERENCES,
	 PERF_TYPE_HARDWARE, "of all cache refs", 20, 10, 5},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, PERF_COUNT_HW_CPU_CYCLES,
	 PERF_TYPE_HARDWARE, "frontend cycles idle", 50, 30, 10},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, PERF_COUNT_HW_CPU_CYCLES,
	 PERF_TYPE_HARDWARE, "backend cycles idle", 75, 50, 20},
	{PERF_TYPE_HW_CACHE, MISSES(L1D), READS(L1D), PERF_TYPE_HW_CACHE,
	 "of all L1-dcache accesses", 20, 10, 5},
	{PERF_TYPE_HW_CACHE, MISSES(L1I), READS(L1I), PERF_TYPE_HW_CACHE,
	 "of all L1-icache accesses", 20, 10, 5},
	{PERF_TYPE_HW_CACHE, MISSES(LL), READS(LL), PERF_TYPE_HW_CACHE, "of all LL-cache accesses",
	 20, 10, 5},
	{PERF_TYPE_HW_CACHE, MISSES(DTLB), READS(DTLB), PERF_TYPE_HW_CACHE,
	 "of all dTLB cache accesses", 20, 10, 5},
	{PERF_TYPE_HW_CACHE, MISSES(ITLB), READS(ITLB), PERF_TYPE_HW_CACHE,
	 "of all iTLB cache accesses", 20, 10, 5},
};

enum kind { RATE, CLOCK, CYCLES, INSTRUCTIONS, SHARE, NOTHING };

/* The others are indices of events, ID_NONE: there is none. */
struct stat_derivation {
	enum kind kind;
	const struct share *share;
	u32 clock, of, frontend, backend;
};

struct stat_named {
	const struct stat_metric *metric;
	u32 events[STAT_METRIC_EVENTS]; /* the first is the one that shows it */
	u32 nr;
};

static bool is(const struct stat_event *e, u32 type, u64 config)
{
	return e->tool == STAT_NO_TOOL && e->attr.type == type && EVENT(e->attr.config) == config;
}

static bool is_clock(const struct stat_event *e)
{
	return is(e, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK) ||
	       is(e, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
}

static bool same_cgroup(const struct stat_event *a, const struct stat_event *b)
{
	return a->cgroup == b->cgroup || (a->cgroup && b->cgroup && !strcmp(a->cgroup, b->cgroup));
}

static bool same_modifiers(const struct stat_event *a, const struct stat_event *b)
{
	return a->attr.exclude_user == b->attr.exclude_user &&
	       a->attr.exclude_kernel == b->attr.exclude_kernel &&
	       a->attr.exclude_hv == b->attr.exclude_hv &&
	       a->attr.exclude_host == b->attr.exclude_host &&
	       a->attr.exclude_idle == b->attr.exclude_idle;
}

static bool same_pmu(const struct stat_event *a, const struct stat_event *b)
{
	return a->attr.config >> 32 == b->attr.config >> 32 &&
	       (a->pmu == b->pmu || (a->pmu && b->pmu && !strcmp(a->pmu, b->pmu)));
}

struct search {
	const struct stat_shape *shape;
	u32 *known; /* events that others are related to */
	u32 nr;
};

/* The clock counts time whatever the modifiers are; one with the same ones goes before. */
static u32 find_clock(const struct search *s, u32 event)
{
	const struct stat_event *e = &s->shape->events[event], *other;
	u32 i, any = ID_NONE;

	for (i = 0; i < s->nr; i++) {
		other = &s->shape->events[s->known[i]];
		if (s->known[i] == event || !is_clock(other) || !same_cgroup(e, other))
			continue;
		if (same_modifiers(e, other))
			return s->known[i];
		if (any == ID_NONE)
			any = s->known[i];
	}
	return any;
}

static bool related(const struct stat_event *e, const struct stat_event *other)
{
	return (e->group == ID_NONE || e->group == other->group) && same_cgroup(e, other) &&
	       same_modifiers(e, other) && same_pmu(e, other);
}

static u32 find_event(const struct search *s, u32 event, u32 type, u64 config)
{
	const struct stat_event *e = &s->shape->events[event], *other;
	u32 i;

	for (i = 0; i < s->nr; i++) {
		other = &s->shape->events[s->known[i]];
		if (s->known[i] != event && is(other, type, config) && related(e, other))
			return s->known[i];
	}
	return ID_NONE;
}

static const struct share *share_of(const struct stat_event *e)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shares); i++)
		if (is(e, shares[i].type, shares[i].event))
			return &shares[i];
	return NULL;
}

static struct stat_derivation derive(const struct search *s, u32 event)
{
	const struct stat_event *e = &s->shape->events[event];
	struct stat_derivation d = {RATE,    share_of(e), find_clock(s, event),
				    ID_NONE, ID_NONE,     ID_NONE};

	if (e->tool != STAT_NO_TOOL || e->snapshot) {
		d.kind = NOTHING;
	} else if (is_clock(e)) {
		d.kind = CLOCK;
	} else if (is(e, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES)) {
		d.kind = CYCLES;
	} else if (is(e, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS)) {
		d.kind = INSTRUCTIONS;
		d.of = find_event(s, event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
		d.frontend = find_event(s, event, PERF_TYPE_HARDWARE,
					PERF_COUNT_HW_STALLED_CYCLES_FRONTEND);
		d.backend = find_event(s, event, PERF_TYPE_HARDWARE,
				       PERF_COUNT_HW_STALLED_CYCLES_BACKEND);
	} else if (d.share) {
		d.kind = SHARE;
		d.of = find_event(s, event, d.share->of_type, d.share->of);
	}
	return d;
}

/* Is this the event that a metric calls so? */
static bool has_name(const struct stat_event *e, const char *name)
{
	const struct ev_name *n;
	enum ev_class class;
	u64 config;

	if (ev_names_cache(name, strlen(name), &config) > 0)
		return is(e, PERF_TYPE_HW_CACHE, config);
	n = ev_names_find(name, strlen(name), &class);
	if (n && class == EV_TOOL)
		return e->tool == STAT_DURATION_TIME; /* the only one that metrics are made of */
	return n && is(e, ev_names_type(class), n->config);
}

static u32 find_name(const struct search *s, u32 event, const char *name)
{
	const struct stat_event *e = &s->shape->events[event], *other;
	u32 i;

	for (i = 0; i < s->nr; i++) {
		other = &s->shape->events[s->known[i]];
		if (s->known[i] == event || !has_name(other, name))
			continue;
		if (other->tool != STAT_NO_TOOL || (is_clock(other) && same_cgroup(e, other)) ||
		    related(e, other))
			return s->known[i];
	}
	return ID_NONE;
}

static int add_named(struct stat_derivations *d, const struct search *s, u32 event,
		     const struct stat_metric *m, struct err *err)
{
	struct stat_named n = {.metric = m, .events = {event}, .nr = 1}, *slot;

	if (!has_name(&s->shape->events[event], m->events[0]))
		return 0;
	for (; n.nr < STAT_METRIC_EVENTS && m->events[n.nr]; n.nr++) {
		n.events[n.nr] = find_name(s, event, m->events[n.nr]);
		if (n.events[n.nr] == ID_NONE)
			return 0;
	}
	slot = vec_push(&d->named);
	if (!slot)
		return err_nomem(err);
	*slot = n;
	return 0;
}

static bool is_known(const struct stat_event *e)
{
	return e->attr.type == PERF_TYPE_HARDWARE || e->attr.type == PERF_TYPE_HW_CACHE ||
	       e->attr.type == PERF_TYPE_SOFTWARE || e->tool != STAT_NO_TOOL;
}

int stat_derivations_init(struct stat_derivations *d, const struct stat_shape *shape,
			  const struct stat_metric *const *metrics, u32 nr, struct err *err)
{
	struct search s = {.shape = shape};
	u32 e, i;
	int ret = 0;

	*d = (struct stat_derivations){0};
	if (nr > STAT_DERIVED_MAX - STAT_DERIVED_OWN)
		return err_set(err, E2BIG, "more than %d metrics",
			       STAT_DERIVED_MAX - STAT_DERIVED_OWN);
	d->of = calloc(MAX(shape->nr_events, 1u), sizeof(*d->of));
	s.known = calloc(MAX(shape->nr_events, 1u), sizeof(*s.known));
	if (!d->of || !s.known)
		ret = err_nomem(err);
	for (e = 0; !ret && e < shape->nr_events; e++)
		if (is_known(&shape->events[e]))
			s.known[s.nr++] = e;
	for (e = 0; !ret && e < shape->nr_events; e++) {
		d->of[e] = derive(&s, e);
		for (i = 0; !ret && i < nr; i++)
			ret = add_named(d, &s, e, metrics[i], err);
	}
	free(s.known);
	if (ret)
		stat_derivations_free(d);
	return ret;
}

void stat_derivations_free(struct stat_derivations *d)
{
	free(d->of);
	vec_free(&d->named);
	*d = (struct stat_derivations){0};
}

/* The count as the kernel has it, 0 where there is none. */
static double count(const struct stat_table *t, u32 event, u32 key)
{
	const struct stat_cell *c;

	if (event == ID_NONE)
		return 0;
	/* one clock for every row */
	if (t->shape->events[event].tool == STAT_DURATION_TIME)
		return t->elapsed_ns;
	c = stat_table_cell(t, event, key);
	return c->state == STAT_COUNTED ? c->value : 0;
}

static struct stat_derived rate(double per_second)
{
	static const char *const units[] = {"/sec", "K/sec", "M/sec", "G/sec"};
	u32 i;

	for (i = 0; i + 1 < ARRAY_SIZE(units) && per_second >= 1000; i++)
		per_second /= 1000;
	return (struct stat_derived){.value = per_second, .unit = units[i], .decimals = 3};
}

static struct stat_derived percent(const struct share *s, double value)
{
	return (struct stat_derived){
		.value = value,
		.unit = s->unit,
		.decimals = 2,
		.percent = true,
		.level = value > s->bad          ? STAT_BAD
			 : value > s->nearly_bad ? STAT_NEARLY_BAD
			 : value > s->less_good  ? STAT_LESS_GOOD
						 : STAT_PLAIN,
	};
}

static u32 of_instructions(const struct stat_derivation *d, const struct stat_table *t, u32 key,
			   double instructions, struct stat_derived *out)
{
	double cycles = count(t, d->of, key), front = count(t, d->frontend, key),
	       back = count(t, d->backend, key), stalled = MAX(front, back);
	u32 nr = 0;

	if (cycles)
		out[nr++] = (struct stat_derived){
			.value = instructions / cycles, .unit = "insn per cycle", .decimals = 2};
	if (stalled && instructions)
		out[nr++] = (struct stat_derived){.value = stalled / instructions,
						  .unit = "stalled cycles per insn",
						  .decimals = 2};
	return nr;
}

static u32 own(const struct stat_derivation *d, const struct stat_table *t, u32 event, u32 key,
	       struct stat_derived *out)
{
	double n = count(t, event, key), clock = count(t, d->clock, key), of = count(t, d->of, key);

	switch (d->kind) {
	case CLOCK:
		if (!t->elapsed_ns)
			return 0;
		out[0] = (struct stat_derived){
			.value = n / t->elapsed_ns, .unit = "CPUs utilized", .decimals = 3};
		return 1;
	case CYCLES:
		if (!n || !clock)
			return 0;
		out[0] = (struct stat_derived){.value = n / clock, .unit = "GHz", .decimals = 3};
		return 1;
	case INSTRUCTIONS:
		return of_instructions(d, t, key, n, out);
	case SHARE:
		if (!n || !of)
			return 0;
		out[0] = percent(d->share, n / of * 100);
		return 1;
	case RATE:
		if (!clock)
			return 0;
		out[0] = rate(n * t->shape->events[event].scale / clock * 1e9);
		return 1;
	case NOTHING:
		break;
	}
	return 0;
}

static bool named(const struct stat_named *n, const struct stat_table *t, u32 key,
		  struct stat_derived *out)
{
	double sum = 0, per = count(t, n->events[n->nr - 1], key);
	u32 i;

	if (!per)
		return false;
	for (i = 0; i + 1 < n->nr; i++) {
		/* a share of which one part is missing would be too small */
		if (stat_table_cell(t, n->events[i], key)->state != STAT_COUNTED)
			return false;
		sum += count(t, n->events[i], key);
	}
	*out = (struct stat_derived){
		.value = n->metric->factor * sum / per,
		.unit = n->metric->unit,
		.metric = n->metric->name,
		.decimals = n->metric->percent ? 2 : 3,
		.percent = n->metric->percent,
	};
	return true;
}

/* What is shown anyway is not shown twice: the same ratio gets the name. n: the ratio that replaces a rate; NULL: none. */
static u32 add(const struct stat_derivation *d, const struct stat_named *n,
	       struct stat_derived *out, u32 nr, const struct stat_derived *more)
{
	u32 i;

	if (n && nr && d->kind == RATE && n->nr == 2 && n->events[1] == d->clock) {
		out[0] = *more;
		return nr;
	}
	for (i = 0; i < nr; i++)
		if (!out[i].metric && !strcmp(out[i].unit, more->unit)) {
			out[i].metric = more->metric;
			return nr;
		}
	if (nr == STAT_DERIVED_MAX)
		return nr;
	out[nr] = *more;
	return nr + 1;
}

u32 stat_derivations_get(const struct stat_derivations *d, const struct stat_table *t, u32 event,
			 u32 key, struct stat_derived out[STAT_DERIVED_MAX])
{
	struct stat_derived more;
	u32 i, nr;

	if (stat_table_cell(t, event, key)->state != STAT_COUNTED)
		return 0;
	nr = own(&d->of[event], t, event, key, out);
	for (i = 0; i < d->named.nr; i++)
		if (d->named.v[i].events[0] == event && named(&d->named.v[i], t, key, &more))
			nr = add(&d->of[event], &d->named.v[i], out, nr, &more);
	return nr;
}

static u32 own_ratios(const struct stat_derivation *d, struct stat_derived *out)
{
	u32 nr = 0;

	switch (d->kind) {
	case CYCLES:
		if (d->clock != ID_NONE)
			out[nr++].unit = "GHz";
		break;
	case INSTRUCTIONS:
		if (d->of != ID_NONE)
			out[nr++].unit = "insn per cycle";
		if (d->frontend != ID_NONE || d->backend != ID_NONE)
			out[nr++].unit = "stalled cycles per insn";
		break;
	case SHARE:
		if (d->of != ID_NONE)
			out[nr++].unit = d->share->unit;
		break;
	default:
		break;
	}
	return nr;
}

u32 stat_derivations_ratios(const struct stat_derivations *d, u32 event,
			    struct stat_derived out[STAT_DERIVED_MAX])
{
	const struct stat_metric *m;
	struct stat_derived more;
	u32 i, nr;

	memset(out, 0, STAT_DERIVED_MAX * sizeof(*out));
	nr = own_ratios(&d->of[event], out);
	for (i = 0; i < d->named.nr; i++) {
		m = d->named.v[i].metric;
		more = (struct stat_derived){.unit = m->unit, .metric = m->name};
		if (d->named.v[i].events[0] == event)
			nr = add(&d->of[event], NULL, out, nr, &more);
	}
	return nr;
}

static const struct stat_metric metrics[] = {
	{"cpus",
	 "CPUs utilized",
	 "CPUs busy with it, on average",
	 {"task-clock", "duration_time"},
	 1,
	 false},
	{"switch-rate",
	 "switches per CPU second",
	 "context switches per second of CPU time",
	 {"context-switches", "task-clock"},
	 1e9,
	 false},
	{"migration-rate",
	 "migrations per CPU second",
	 "moves to another CPU per second of CPU time",
	 {"cpu-migrations", "task-clock"},
	 1e9,
	 false},
	{"fault-rate",
	 "faults per CPU second",
	 "page faults per second of CPU time",
	 {"page-faults", "task-clock"},
	 1e9,
	 false},
	{"major-faults",
	 "of all page faults",
	 "page faults that waited for a disk",
	 {"major-faults", "page-faults"},
	 100,
	 true},
	{"ghz", "GHz", "cycles per ns of CPU time", {"cycles", "task-clock"}, 1, false},
	{"ipc", "insn per cycle", "instructions per cycle", {"instructions", "cycles"}, 1, false},
	{"branch-miss",
	 "of all branches",
	 "branches predicted wrongly",
	 {"branch-misses", "branches"},
	 100,
	 true},
	{"branch-mpki",
	 "branch misses per 1000 insn",
	 "branch misses per 1000 instructions",
	 {"branch-misses", "instructions"},
	 1000,
	 false},
	{"cache-miss",
	 "of all cache refs",
	 "references that the last cache did not hold",
	 {"cache-misses", "cache-references"},
	 100,
	 true},
	{"cache-mpki",
	 "cache misses per 1000 insn",
	 "misses of the last cache per 1000 instructions",
	 {"cache-misses", "instructions"},
	 1000,
	 false},
	{"l1d-miss",
	 "of all L1-dcache accesses",
	 "loads that the first data cache did not hold",
	 {"L1-dcache-load-misses", "L1-dcache-loads"},
	 100,
	 true},
	{"tlb-mpki",
	 "TLB misses per 1000 insn",
	 "misses of both TLBs, loads and fetches, per 1000 instructions",
	 {"dTLB-load-misses", "iTLB-load-misses", "instructions"},
	 1000,
	 false},
	{"dtlb-mpki",
	 "dTLB misses per 1000 insn",
	 "misses of the data TLB per 1000 instructions",
	 {"dTLB-load-misses", "instructions"},
	 1000,
	 false},
	{"frontend-bound",
	 "frontend cycles idle",
	 "cycles that waited for instructions",
	 {"stalled-cycles-frontend", "cycles"},
	 100,
	 true},
	{"backend-bound",
	 "backend cycles idle",
	 "cycles that waited for data or units",
	 {"stalled-cycles-backend", "cycles"},
	 100,
	 true},
};

const struct stat_metric *stat_metric_nth(u32 i)
{
	return i < ARRAY_SIZE(metrics) ? &metrics[i] : NULL;
}

const struct stat_metric *stat_metric_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(metrics); i++)
		if (strlen(metrics[i].name) == len && !memcmp(metrics[i].name, name, len))
			return &metrics[i];
	return NULL;
}

/* What is forbidden is there: counting it will say what to do. */
static bool can_open(struct ev_spec *spec, struct ev_opener *o)
{
	static const struct ev_place this_thread = {.cpu = ID_NONE, .cgroup = -1, .group = -1};
	int fd;

	spec->attr.size = sizeof(spec->attr);
	spec->attr.disabled = 1;
	fd = ev_open_one(o, spec, &this_thread, NULL);
	if (fd >= 0)
		close(fd);
	return fd >= 0 || !stat_counters_not_here(spec, -fd);
}

/* Every spec that a name means: a machine with two sorts of cores has two. */
static bool can_count(const char *event, struct ev_env *env)
{
	struct ev_list list = {0};
	struct buf notes = {0};
	struct ev_opener o = {
		.root = env->root, .arena = &list.arena, .notes = &notes, .counts = true};
	bool can = !ev_parse(&list, event, env, NULL);
	u32 i;

	for (i = 0; can && i < list.specs.nr; i++)
		if (list.specs.v[i].class != EV_TOOL)
			can = can_open(&list.specs.v[i], &o);
	buf_free(&notes);
	ev_list_free(&list);
	return can;
}

bool stat_metric_measurable(const struct stat_metric *m, struct ev_env *env, const char **missing)
{
	u32 i;

	for (i = 0; i < STAT_METRIC_EVENTS && m->events[i]; i++) {
		if (can_count(m->events[i], env))
			continue;
		*missing = m->events[i];
		return false;
	}
	return true;
}

static int no_such_metric(const char *name, size_t len, struct err *err)
{
	char word[64] = "";
	struct text_suggest s;
	size_t i;

	memcpy(word, name, MIN(len, sizeof(word) - 1));
	text_suggest_init(&s, word);
	for (i = 0; i < ARRAY_SIZE(metrics); i++)
		text_suggest_add(&s, metrics[i].name);
	err_set(err, EINVAL, "there is no metric '%s'", word);
	if (s.best)
		err_hint(err, "did you mean '%s'? --metric list shows all that this machine has",
			 s.best);
	else
		err_hint(err, "--metric list shows all that this machine has");
	return -EINVAL;
}

int stat_metric_parse(const char *text, struct ev_env *env, const struct stat_metric **out, u32 max,
		      struct err *err)
{
	const struct stat_metric *m;
	const char *missing = NULL;
	size_t len;
	u32 nr = 0;

	for (;; text += len + 1) {
		len = strcspn(text, ",");
		m = stat_metric_find(text, len);
		if (!m)
			return no_such_metric(text, len, err);
		if (!stat_metric_measurable(m, env, &missing)) {
			err_set(err, ENOTSUP,
				"the metric '%s' cannot be measured here: there is no counter for %s",
				m->name, missing);
			err_hint(err, "--metric list shows what this machine can measure");
			return -ENOTSUP;
		}
		if (nr == max)
			return err_set(err, E2BIG, "more than %u metrics", max);
		out[nr++] = m;
		if (!text[len])
			return (int)nr;
	}
}
