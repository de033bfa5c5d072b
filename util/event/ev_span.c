// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_span.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/bpf/bpf_program.h"
#include "util/event/ev_expr_internal.h"

#define READ_AT_ONCE 1024u
#define CHOSEN_MOST  32768u /* processes and threads at the same time */

/* Of all specs. */
struct shared {
	u32 users;
	u32 most, entry_size, nr_words;
	int open, state;            /* maps; -1: not made yet */
	int chosen, follow, forget; /* if spans are: the map, and the programs that keep it up */
	bool trying;                /* nothing is paired, and the maps stay for what comes then */
};

struct ev_span {
	struct probe_span plan;
	struct ev_expr_before before;
	struct shared *shared;
	struct ev_sums sums; /* its own: of two programs on a CPU, one may interrupt the other */
	u8 *raw;
	u32 raw_size;
};

static const struct ev_expr_work work;

static struct ev_span *of_spec(const struct ev_spec *s)
{
	return s->tp.expr && s->tp.expr->work == &work ? s->tp.expr->of : NULL;
}

/* --- points --- */

static bool add_word(struct ev_spec *s, const char *name, struct probe_span_word *w,
		     struct buf *why)
{
	static const char *const names[] = {
		[PROBE_SPAN_TID] = "tid", [PROBE_SPAN_PID] = "pid", [PROBE_SPAN_CPU] = "cpu"};
	u32 i;

	w->is = PROBE_SPAN_FIELD;
	w->field = ev_raw_field(s, name);
	if (w->field != ID_NONE)
		return s->tp.expr->probe.fields.v[w->field].what == PROBE_NUMBER ||
		       ev_raw_lacks(s, name, why);
	if (!strcmp(name, "tgid") && !ev_raw_has_field(s, name)) {
		w->is = PROBE_SPAN_PID;
		return true;
	}
	for (i = PROBE_SPAN_TID; i < ARRAY_SIZE(names) && !ev_raw_has_field(s, name); i++) {
		w->is = i;
		if (!strcmp(name, names[i]))
			return true;
	}
	return ev_raw_lacks(s, name, why);
}

/* Where the word is TASK->pid: the other members of the task. */
static bool find_task(struct ev_list *list, const struct ev_spec *s, struct probe_span_point *p)
{
	struct expr_scope scope = {.btf = s->tp.expr->btf, .arena = &list->arena, .wrong = ""};
	const struct expr *e = s->tp.expr->probe.fields.v[p->words[0].field].e, *pid;
	struct err err = {0};

	if (e->op != EXPR_MEMBER || !e->a->is_place || e->a->type.kind != EXPR_STRUCT)
		return false;
	pid = expr_member(&scope, e->a, "pid", &err);
	if (!pid || pid->offset != e->offset)
		return false;
	p->pid = expr_member(&scope, e->a, "tgid", &err);
	p->comm = expr_member(&scope, e->a, "comm", &err);
	return p->pid && p->comm && p->comm->type.kind == EXPR_ARRAY &&
	       p->comm->type.size == PROBE_COMM_SIZE;
}

/* Points of one sort exclude each other if they have the same key. */
static bool same_sort(const struct probe_span_point *a, const struct probe_span_point *b)
{
	return (a->role == PROBE_SPAN_FROM) == (b->role == PROBE_SPAN_FROM);
}

/*
 * Which of several points a hit is depends on whether their keys are the same. Programs see that by their names alone, which says it
 * all of the two threads of a switch, who are never the same.
 */
static bool is_clear(const struct ev_spec *s, const struct probe_span *plan, struct buf *why)
{
	const struct probe_span_point *last = &plan->points[plan->nr_points - 1], *p;
	const bool of_switch = plan->by_task && !strcmp(s->name, "sched:sched_switch") &&
			       last->words[0].is == PROBE_SPAN_FIELD;
	bool clear = true, differs = false;

	for (p = last - 1; p >= plan->points && clear; p--) {
		if (!same_sort(p, last))
			continue;
		if (!memcmp(p->words, last->words, sizeof(p->words)))
			clear = !differs;
		else
			clear = of_switch && p->words[0].is == PROBE_SPAN_FIELD;
		differs |= memcmp(p->words, last->words, sizeof(p->words)) != 0;
	}
	if (!clear)
		buf_addf(why, "%s: points of several keys at one event are paired as samples",
			 s->name);
	return clear;
}

static bool add_point(struct ev_list *list, const struct ev_span_point *from,
		      const struct ev_span_wanted *w, struct buf *why)
{
	struct ev_spec *s = &list->specs.v[from->spec];
	struct probe_span *plan = &of_spec(s)->plan;
	struct probe_span_point *p = &plan->points[plan->nr_points];
	u32 i;

	if (plan->nr_points == PROBE_SPAN_POINTS_MAX) {
		buf_addf(why, "more than %d points are at %s", PROBE_SPAN_POINTS_MAX, s->name);
		return false;
	}
	plan->nr_points++;
	p->role = from->role;
	for (i = 0; i < w->nr_words; i++)
		if (!add_word(s, from->words[i], &p->words[i], why))
			return false;
	if (from->filter && !ev_raw_filter(s, from->filter, p->tests, &p->nr_tests, why))
		return false;
	if (w->by_task && ((p->words[0].is == PROBE_SPAN_PID && !strcmp(from->words[0], "pid")) ||
			   (p->words[0].is == PROBE_SPAN_FIELD && !find_task(list, s, p)))) {
		buf_addf(why, "%s: programs do not know which thread %s is the number of", s->name,
			 from->words[0]);
		return false;
	}
	return is_clear(s, plan, why);
}

static bool has_role(const struct probe_span *plan, enum probe_span_role role)
{
	u32 i;

	for (i = 0; i < plan->nr_points; i++)
		if (plan->points[i].role == role)
			return true;
	return false;
}

/* Fields of other events are not there, as in samples. */
static bool add_fields(struct ev_spec *s, const struct ev_span_wanted *w, struct buf *why)
{
	struct ev_span *span = of_spec(s);
	const bool begins = has_role(&span->plan, PROBE_SPAN_FROM);
	u32 i, at;

	if (begins && w->filter &&
	    !ev_raw_filter(s, w->filter, span->plan.wanted.tests, &span->plan.wanted.nr, why))
		return false;
	for (i = 0; begins && i < w->nr_fields; i++) {
		at = ev_raw_field(s, w->fields[i]);
		if (at == ID_NONE && ev_raw_has_field(s, w->fields[i]))
			return ev_raw_lacks(s, w->fields[i], why);
		if (at != ID_NONE)
			span->plan.keep |= 1ull << at;
	}
	if (probe_span_init(&span->plan))
		return true;
	buf_addf(why, "%s: the fields are too long", s->name);
	return false;
}

/* --- specs --- */

static bool is_point(const struct ev_span_wanted *w, u32 spec)
{
	u32 i;

	for (i = 0; i < w->nr_points; i++)
		if (w->points[i].spec == spec)
			return true;
	return false;
}

static int new_span(struct ev_list *list, struct ev_env *env, u32 spec,
		    const struct ev_span_wanted *w, struct shared *shared, struct buf *why)
{
	struct ev_spec *s = &list->specs.v[spec];
	const struct ev_expr_before before = ev_expr_work_before(s);
	struct ev_span *span = calloc(1, sizeof(*span));
	int ret = !span          ? -ENOMEM
		  : before.plain ? ev_expr_work_program(list, env, s, true, w->by_thread, why)
				 : 1;

	if (ret <= 0) {
		*s = before.spec;
		free(span);
		return ret;
	}
	span->before = before;
	ev_expr_work_take(s, &work, span);
	s->tp.expr->some_cpus = w->some_cpus;
	span->shared = shared;
	shared->users++;
	span->plan.probe = &s->tp.expr->probe;
	span->plan.kept.has_unread = !before.plain;
	span->plan.nr_words = w->nr_words;
	span->plan.latest = w->latest;
	span->plan.by_task = w->by_task;
	span->plan.min_ns = w->min_ns;
	span->plan.left_out = w->left_out;
	span->plan.chosen = w->chosen;
	span->plan.sums = w->sums;
	span->plan.sums.what.has_number = true;
	ev_sums_init(&span->sums);
	span->sums.entries = w->entries;
	span->raw_size = span->plan.probe->size;
	span->raw = calloc(1, MAX(span->raw_size, 1u));
	return span->raw ? 1 : -ENOMEM;
}

static void drop_one(struct ev_spec *s)
{
	struct ev_span *span = of_spec(s);

	if (span)
		ev_expr_work_drop(s, &span->before);
}

void ev_span_drop(struct ev_list *list)
{
	u32 i;

	for (i = 0; i < list->specs.nr; i++)
		drop_one(&list->specs.v[i]);
}

static bool is_at_kernel_function(const struct ev_expr *x)
{
	return !x->probe.user && (x->pmu || x->functions.nr || x->functions.btf_id);
}

static int add_specs(struct ev_list *list, struct ev_env *env, const struct ev_span_wanted *w,
		     struct shared *shared, struct buf *why)
{
	int ret = 1;
	u32 i;

	for (i = 0; i < list->specs.nr && ret > 0; i++) {
		const struct ev_expr *x = list->specs.v[i].tp.expr;

		if (!is_point(w, i) || (x && is_at_kernel_function(x))) {
			buf_addf(why, "%s is paired as samples", list->specs.v[i].name);
			return 0;
		}
		ret = new_span(list, env, i, w, shared, why);
	}
	for (i = 0; i < w->nr_points && ret > 0; i++)
		ret = add_point(list, &w->points[i], w, why);
	for (i = 0; i < list->specs.nr && ret > 0; i++)
		ret = add_fields(&list->specs.v[i], w, why);
	return ret;
}

int ev_span_add(struct ev_list *list, struct ev_env *env, const struct ev_span_wanted *w,
		struct buf *why)
{
	struct shared *shared = malloc(sizeof(*shared));
	int ret;
	u32 i;

	if (!shared)
		return -ENOMEM;
	*shared = (struct shared){.users = 1,
				  .most = w->most ? w->most : EV_SPAN_MOST,
				  .nr_words = w->nr_words,
				  .open = -1,
				  .state = -1,
				  .chosen = -1,
				  .follow = -1,
				  .forget = -1};
	if (!ev_env_btf(env, NULL)) {
		buf_adds(why, "programs do not know the tasks of a kernel without BTF");
		ret = 0;
	} else {
		ret = add_specs(list, env, w, shared, why);
	}
	for (i = 0; i < list->specs.nr && ret > 0; i++) {
		shared->entry_size =
			MAX(shared->entry_size, probe_span_size(&of_spec(&list->specs.v[i])->plan));
		ev_expr_work_change(&list->specs.v[i]);
	}
	for (i = 0; i < list->specs.nr && ret > 0; i++)
		of_spec(&list->specs.v[i])->plan.entry_size = shared->entry_size;
	if (ret <= 0)
		ev_span_drop(list);
	if (!--shared->users)
		free(shared);
	return ret;
}

/* --- maps and programs --- */

static int make_shared(struct shared *h)
{
	if (h->open >= 0)
		return 0;
	h->open = bpf_map_new(BPF_MAP_TYPE_HASH, h->nr_words * (u32)sizeof(u64), h->entry_size,
			      h->most);
	if (h->open >= 0)
		h->state = bpf_map_new(BPF_MAP_TYPE_ARRAY, sizeof(u32), sizeof(u64), 1);
	return h->open < 0 ? h->open : MIN(h->state, 0);
}

static int enable(struct ev_spec *s, bool on, struct err *err)
{
	const u32 key = 0;
	const u64 state = on && !of_spec(s)->shared->trying;
	int ret = bpf_map_put(of_spec(s)->shared->state, &key, &state);

	return ret ? err_set(err, -ret, "%s: cannot pair: %s", s->name, strerror(-ret)) : 0;
}

static int make_sums(struct ev_spec *s, struct err *err)
{
	struct ev_span *span = of_spec(s);
	int *maps = s->tp.expr->maps, ret;
	const struct buf none = {0};
	u32 nr_cpus;

	if (!span->plan.sums.on || !has_role(&span->plan, PROBE_SPAN_TO))
		return 0;
	ret = cpus_possible_nr(s->tp.expr->root, &nr_cpus, err);
	if (ret)
		return ret;
	span->sums.name = s->name;
	span->sums.what = span->plan.sums.what;
	span->sums.key_size = span->plan.entry_size - PROBE_SPAN_SUM_KEY;
	ret = ev_sums_make(&span->sums, nr_cpus, &maps[PROBE_SPAN_MAP_OUTER],
			   &maps[PROBE_SPAN_MAP_ZEROS]);
	if (ret)
		return ev_expr_refuse(s, -ret, &none, err);
	/* whether anything is paired is another matter */
	return ev_sums_enable(&span->sums, maps[PROBE_SPAN_MAP_OUTER], true, err);
}

static int start_program(const struct ev_spec *s, const struct shared *h,
			 const struct bpf_code *code, const char *tracepoint, int *link,
			 struct err *err)
{
	const struct bpf_use use = {.type = BPF_PROG_TYPE_RAW_TRACEPOINT};
	int maps[PROBE_SPAN_MAPS] = {0}, ret = 0, program;
	struct buf log = {0};

	maps[PROBE_SPAN_MAP_CHOSEN] = h->chosen;
	program = bpf_program_load(code, &use, maps, &log);
	*link = program < 0 ? program : bpf_program_at_tracepoint(program, tracepoint);
	if (*link < 0)
		ret = ev_expr_refuse(s, -*link, &log, err);
	if (program >= 0)
		close(program);
	buf_free(&log);
	return ret;
}

/* Processes are followed wherever they are started, by the same programs for all specs. */
static int follow(const struct ev_spec *s, struct shared *h, struct err *err)
{
	const struct probe_span_id failed = {.is_thread = PROBE_SPAN_NOT_FOLLOWED};
	const u64 none = 0;
	struct bpf_code code;
	int ret = bpf_map_put(h->chosen, &failed, &none);

	if (ret)
		return err_set(err, -ret, "%s: cannot choose spans: %s", s->name, strerror(-ret));
	ret = probe_span_forget_code(s->tp.expr->btf, &code, err);
	if (ret)
		return ret;
	ret = start_program(s, h, &code, PROBE_SPAN_ENDS, &h->forget, err);
	bpf_code_free(&code);
	if (!ret)
		ret = probe_span_follow_code(s->tp.expr->btf, &code, err);
	if (ret)
		return ret;
	ret = start_program(s, h, &code, PROBE_SPAN_FORKS, &h->follow, err);
	bpf_code_free(&code);
	return ret;
}

static int make_chosen(struct ev_spec *s, struct err *err)
{
	const struct probe_span_chosen *chosen = &of_spec(s)->plan.chosen;
	struct shared *h = of_spec(s)->shared;
	int *map = &s->tp.expr->maps[PROBE_SPAN_MAP_CHOSEN];
	const struct buf none = {0};

	if (!chosen->processes && !chosen->threads)
		return 0;
	if (h->chosen < 0)
		h->chosen = bpf_map_new(BPF_MAP_TYPE_HASH, sizeof(struct probe_span_id),
					sizeof(u64), CHOSEN_MOST);
	*map = h->chosen < 0 ? h->chosen : fcntl(h->chosen, F_DUPFD_CLOEXEC, 0);
	if (*map < 0)
		return ev_expr_refuse(s, h->chosen < 0 ? -h->chosen : errno, &none, err);
	return chosen->processes && h->follow < 0 ? follow(s, h, err) : 0;
}

int ev_span_choose(struct ev_list *list, u32 id, bool is_thread, struct err *err)
{
	const struct probe_span_id key = {id, is_thread};
	const u64 value = 1;
	int ret;
	u32 i = 0;

	while (!of_spec(&list->specs.v[i]))
		i++;
	ret = bpf_map_put(of_spec(&list->specs.v[i])->shared->chosen, &key, &value);
	return ret ? err_set(err, -ret, "cannot choose the spans of %u: %s", id, strerror(-ret))
		   : 0;
}

static int make_maps(struct ev_spec *s, const struct counters *on, u32 from, struct err *err)
{
	struct shared *h = of_spec(s)->shared;
	int *maps = s->tp.expr->maps, ret = make_shared(h);
	const struct buf none = {0};
	u32 i;

	/* others may have come before it in the list */
	if (from < on->nr)
		of_spec(s)->plan.number = on->v[from].spec;
	if (ret)
		return ev_expr_refuse(s, -ret, &none, err);
	maps[PROBE_SPAN_MAP_OPEN] = fcntl(h->open, F_DUPFD_CLOEXEC, 0);
	maps[PROBE_SPAN_MAP_STATE] = fcntl(h->state, F_DUPFD_CLOEXEC, 0);
	for (i = PROBE_SPAN_MAP_OPEN; i <= PROBE_SPAN_MAP_STATE; i++)
		if (maps[i] < 0)
			return ev_expr_refuse(s, errno, &none, err);
	maps[PROBE_SPAN_MAP_ACCOUNT] = bpf_map_new(BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(u32),
						   sizeof(struct probe_span_account), 1);
	if (maps[PROBE_SPAN_MAP_ACCOUNT] < 0)
		return ev_expr_refuse(s, -maps[PROBE_SPAN_MAP_ACCOUNT], &none, err);
	ret = make_sums(s, err);
	if (!ret)
		ret = make_chosen(s, err);
	if (ret)
		return ret;
	return s->attr.disabled ? 0 : enable(s, true, err);
}

static int make_code(const struct ev_spec *s, const struct probe_program *how,
		     struct bpf_code *code, struct err *err)
{
	return probe_span_code(&of_spec(s)->plan, s->tp.expr->btf, how, code, err);
}

static bool ends(const struct ev_spec *s)
{
	return ev_expr_work_ends(s, &of_spec(s)->before);
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_shared(struct shared *h)
{
	close_one(&h->open);
	close_one(&h->state);
	close_one(&h->chosen);
	close_one(&h->follow);
	close_one(&h->forget);
}

static void free_span(void *of)
{
	struct ev_span *span = of;

	if (!--span->shared->users) {
		close_shared(span->shared);
		free(span->shared);
	}
	probe_span_free(&span->plan);
	ev_sums_free(&span->sums);
	free(span->raw);
	free(span);
}

static const struct ev_expr_work work = {
	.maps = make_maps,
	.code = make_code,
	.enable = enable,
	.ends = ends,
	.free = free_span,
};

/* Large maps are not made twice. */
int ev_span_try(struct ev_list *list, bool by_thread, struct err *err)
{
	struct shared *shared = of_spec(&list->specs.v[0])->shared;
	int ret = 0;
	u32 i;

	shared->trying = true;
	for (i = 0; i < list->specs.nr && !ret; i++)
		ret = ev_expr_try(&list->specs.v[i], by_thread, err);
	shared->trying = false;
	return ret;
}

/* --- what they found --- */

/* What the hash had, which is in memory from begin_at on, where that of a sample has it. False: it is none. */
static bool find_begin(struct ev_list *list, const struct ev_span *any, const u8 *memory,
		       struct ev_span_entry *e)
{
	const u32 begin_at =
		(u32)(sizeof(struct probe_span_ended) + any->plan.nr_words * sizeof(u64));
	const struct ev_span *begin;
	struct probe_span_begin b;
	u32 spec;

	memcpy(&b, memory + begin_at, sizeof(b));
	spec = b.number & ~PROBE_SPAN_UNWANTED;
	begin = spec < list->specs.nr ? of_spec(&list->specs.v[spec]) : NULL;
	if (!begin)
		return false;
	*e = (struct ev_span_entry){.spec = spec,
				    .unwanted = b.number & PROBE_SPAN_UNWANTED,
				    .begin = b.time,
				    .pid = b.pid,
				    .tid = b.tid,
				    .cpu = b.cpu,
				    .raw = begin->raw,
				    .raw_size = begin->raw_size};
	memcpy(e->comm, b.comm, sizeof(e->comm));
	probe_part_raw(&begin->plan.kept, memory, begin->raw, begin->raw_size);
	return true;
}

bool ev_span_ended(struct ev_list *list, u32 spec, const u8 *raw, u32 size, struct ev_span_entry *e)
{
	const struct ev_span *end = of_spec(&list->specs.v[spec]);
	struct probe_span_ended ended;
	u32 key_size;

	if (!end)
		return false;
	key_size = end->plan.nr_words * (u32)sizeof(u64);
	if (size < (u32)sizeof(ended) + key_size + end->plan.entry_size ||
	    !find_begin(list, end, raw, e))
		return false;
	memcpy(&ended, raw, sizeof(ended));
	e->took = ended.took;
	memcpy(e->key, raw + sizeof(ended), key_size);
	return true;
}

/* The memory of a sample with one key, and one entry. */
#define RECORD_BYTES \
	(sizeof(struct probe_span_ended) + PROBE_SPAN_KEYS_MAX * sizeof(u64) + PROBE_SPAN_BYTES_MAX)

struct taking {
	struct ev_list *list;
	const struct ev_span *span;
	int (*each)(void *arg, const struct ev_span_entry *e, const struct ev_sum *sum,
		    struct err *err);
	void *arg;
};

static int take_one(void *arg, const u8 *key, const struct ev_sum *sum, struct err *err)
{
	const struct taking *t = arg;
	u8 record[RECORD_BYTES] = {0};
	struct ev_span_entry e;

	memcpy(record + sizeof(struct probe_span_ended) + t->span->plan.nr_words * sizeof(u64) +
		       PROBE_SPAN_SUM_KEY,
	       key, t->span->sums.key_size);
	return find_begin(t->list, t->span, record, &e) ? t->each(t->arg, &e, sum, err) : 0;
}

int ev_span_take(struct ev_list *list,
		 int (*each)(void *arg, const struct ev_span_entry *e, const struct ev_sum *sum,
			     struct err *err),
		 void *arg, struct err *err)
{
	struct taking t = {.list = list, .each = each, .arg = arg};
	const struct ev_spec *s;
	struct ev_span *span;
	int ret = 0;

	for (s = list->specs.v; s < list->specs.v + list->specs.nr && !ret; s++) {
		span = of_spec(s);
		t.span = span;
		/* side-band has none */
		if (span && span->plan.sums.on)
			ret = ev_sums_take(&span->sums, s->tp.expr->maps[PROBE_SPAN_MAP_OUTER],
					   take_one, &t, err);
	}
	return ret;
}

static int count_not_followed(const struct ev_list *list, u64 *nr, struct err *err)
{
	const struct probe_span_id failed = {.is_thread = PROBE_SPAN_NOT_FOLLOWED};
	const struct shared *h;
	u32 i = 0;
	int ret;

	while (!of_spec(&list->specs.v[i]))
		i++;
	h = of_spec(&list->specs.v[i])->shared;
	if (h->follow < 0)
		return 0;
	ret = bpf_map_get(h->chosen, &failed, nr);
	return ret ? err_set(err, -ret, "cannot read which processes were followed: %s",
			     strerror(-ret))
		   : 0;
}

int ev_span_account(const struct ev_list *list, const struct sysroot *root,
		    struct probe_span_account *a, struct err *err)
{
	struct probe_span_account *v;
	u64 *sum = (u64 *)a;
	const u64 *one;
	const u32 key = 0;
	u32 i, cpu, k, nr_cpus;
	int ret = cpus_possible_nr(root, &nr_cpus, err);

	*a = (struct probe_span_account){0};
	v = ret ? NULL : calloc(MAX(nr_cpus, 1u), sizeof(*v));
	if (!ret && !v)
		ret = err_nomem(err);
	for (i = 0; i < list->specs.nr && !ret; i++) {
		/* side-band */
		if (!of_spec(&list->specs.v[i]))
			continue;
		ret = bpf_map_get(list->specs.v[i].tp.expr->maps[PROBE_SPAN_MAP_ACCOUNT], &key, v);
		if (ret)
			ret = err_set(err, -ret, "%s: cannot read what was paired: %s",
				      list->specs.v[i].name, strerror(-ret));
		for (cpu = 0; cpu < nr_cpus && !ret; cpu++)
			for (k = 0, one = (const u64 *)&v[cpu]; k < sizeof(*a) / sizeof(u64); k++)
				sum[k] += one[k];
	}
	free(v);
	return ret ? ret : count_not_followed(list, &a->not_followed, err);
}

struct reading {
	struct ev_list *list;
	u32 spec; /* any of them */
	int (*each)(void *arg, const struct ev_span_entry *e, struct err *err);
	void *arg;
};

/* A span as the sample of its end would have it: the head, the key, and what the hash has. */
static int put_open(const struct reading *r, const struct shared *h, const u8 *keys,
		    const u8 *values, u32 nr, struct err *err)
{
	const u32 key_size = h->nr_words * (u32)sizeof(u64);
	u8 record[RECORD_BYTES] = {0};
	u8 *key = record + sizeof(struct probe_span_ended);
	struct ev_span_entry e;
	int ret = 0;
	u32 i;

	for (i = 0; i < nr && !ret; i++) {
		memcpy(key, keys + (size_t)i * key_size, key_size);
		memcpy(key + key_size, values + (size_t)i * h->entry_size, h->entry_size);
		if (ev_span_ended(r->list, r->spec, record, sizeof(record), &e))
			ret = r->each(r->arg, &e, err);
	}
	return ret;
}

int ev_span_each_open(struct ev_list *list,
		      int (*each)(void *arg, const struct ev_span_entry *e, struct err *err),
		      void *arg, struct err *err)
{
	struct reading r = {.list = list, .each = each, .arg = arg};
	const struct shared *h;
	u8 *keys, *values;
	int ret, read = 0;
	u64 at = 0;
	u32 nr;

	while (!of_spec(&list->specs.v[r.spec]))
		r.spec++;
	h = of_spec(&list->specs.v[r.spec])->shared;
	keys = malloc((size_t)READ_AT_ONCE * h->nr_words * sizeof(u64));
	values = malloc((size_t)READ_AT_ONCE * h->entry_size);
	ret = keys && values ? 0 : err_nomem(err);
	while (!ret && !read) {
		nr = READ_AT_ONCE;
		read = bpf_map_read(h->open, &at, keys, values, &nr);
		if (read && read != -ENOENT)
			ret = err_set(err, -read, "cannot read the open spans: %s",
				      strerror(-read));
		else
			ret = put_open(&r, h, keys, values, nr, err);
	}
	free(keys);
	free(values);
	return ret;
}
