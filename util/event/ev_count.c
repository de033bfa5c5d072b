// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/event/ev_expr_internal.h"
#include "util/event/ev_probe.h"
#include "util/kernel/cgroups.h"

struct ev_count {
	struct probe_count plan;
	struct ev_expr_before before;
	struct ev_sums sums;
	u8 *raw;
	u32 raw_size;
};

static struct ev_count *of_spec(const struct ev_spec *s)
{
	return s->tp.expr->of;
}

static const struct ev_expr_work work;

/* --- keys, numbers and filters --- */

/* As keys are typed: FIELD, or EVENT.FIELD. The other events' own are not there, as with samples. */
static bool names_field(const struct ev_spec *s, const char *word, const char **field)
{
	const char *dot = strrchr(word, '.');
	size_t len = strlen(s->tp.name);

	*field = dot ? dot + 1 : word;
	return !dot || ((size_t)(dot - word) == len && !strncmp(word, s->tp.name, len)) ||
	       ((size_t)(dot - word) == strlen(s->name) &&
		!strncmp(word, s->name, strlen(s->name)));
}

static bool add_keys(struct ev_spec *s, const struct ev_count_wanted *w, struct buf *why)
{
	struct probe_count *c = &of_spec(s)->plan;
	const char *field;
	u32 i, at;

	c->ids = (w->comm ? PROBE_COUNT_COMM : 0) | (w->cgroup ? PROBE_COUNT_CGROUP : 0) |
		 (w->pid ? PROBE_COUNT_PID : 0) | (w->tid ? PROBE_COUNT_TID : 0) |
		 (w->cpu ? PROBE_COUNT_CPU : 0);
	for (i = 0; i < w->nr_fields; i++) {
		if (!names_field(s, w->fields[i], &field))
			continue;
		at = ev_raw_field(s, field);
		if (at == ID_NONE && ev_raw_has_field(s, field))
			return ev_raw_lacks(s, w->fields[i], why);
		if (at != ID_NONE)
			c->keys |= 1ull << at;
	}
	c->of = ID_NONE;
	if (!w->of || !names_field(s, w->of, &field))
		return true;
	c->of = ev_raw_field(s, field);
	c->sum.has_buckets = w->buckets;
	if (c->of == ID_NONE)
		return !ev_raw_has_field(s, field) || ev_raw_lacks(s, w->of, why);
	return c->probe->fields.v[c->of].what == PROBE_NUMBER || ev_raw_lacks(s, w->of, why);
}

static bool add_filter(struct ev_spec *s, struct buf *why)
{
	struct probe_count *c = &of_spec(s)->plan;

	if (s->tp.here)
		return ev_raw_tests(s, s->tp.here, c->tests, &c->nr_tests, why);
	/* the kernel's part of the filter is text */
	return !s->tp.kernel_filter ||
	       ev_raw_filter(s, s->tp.kernel_filter, c->tests, &c->nr_tests, why);
}

static bool wants_fields(const struct ev_spec *s, const struct ev_count_wanted *w)
{
	return w->nr_fields || w->of || s->tp.here || s->tp.kernel_filter;
}

static int new_count(struct ev_list *list, struct ev_env *env, struct ev_spec *s,
		     const struct ev_count_wanted *w, struct buf *why)
{
	const struct ev_expr_before before = ev_expr_work_before(s);
	struct ev_count *c = calloc(1, sizeof(*c));
	int ret = !c             ? -ENOMEM
		  : before.plain ? ev_expr_work_program(list, env, s, wants_fields(s, w),
							w->by_thread, why)
				 : 1;

	if (ret <= 0) {
		*s = before.spec;
		free(c);
		return ret;
	}
	c->before = before;
	ev_expr_work_take(s, &work, c);
	s->tp.counted = true;
	ev_sums_init(&c->sums);
	c->plan.probe = &s->tp.expr->probe;
	c->plan.part.has_unread = !before.plain;
	return 1;
}

int ev_count_add(struct ev_list *list, struct ev_env *env, u32 spec,
		 const struct ev_count_wanted *w, struct buf *why)
{
	struct ev_spec *s = &list->specs.v[spec];
	struct ev_count *c;
	int ret;

	if (ev_probe_is(s) && !ev_probe_is_user(s)) {
		buf_addf(why, "%s is a probe of the kernel, which hits itself", s->name);
		return 0;
	}
	ret = new_count(list, env, s, w, why);
	if (ret <= 0)
		return ret;
	c = of_spec(s);
	c->sums.entries = w->entries;
	if (w->by_thread && !ev_env_btf(env, NULL)) {
		buf_adds(why, "programs do not know the tasks of a kernel without BTF");
		return 0;
	}
	if (w->cgroup && !cgroups_are_unified(env->root)) {
		buf_adds(why, "programs know the control groups of version 2 only");
		return 0;
	}
	if (!add_keys(s, w, why) || !add_filter(s, why))
		return 0;
	s->tp.expr->some_cpus = w->some_cpus;
	if (!probe_count_plan(&c->plan)) {
		buf_addf(why, "%s: the keys are too long", s->name);
		return 0;
	}
	ev_expr_work_change(s);
	return 1;
}

void ev_count_drop(struct ev_spec *s)
{
	struct ev_count *c = ev_count_is(s) ? of_spec(s) : NULL;

	if (!c)
		return;
	s->tp.counted = false;
	ev_expr_work_drop(s, &c->before);
}

int ev_count_signed(const struct ev_spec *s)
{
	const struct probe_count *c = &of_spec(s)->plan;

	return c->of == ID_NONE ? -1 : c->probe->fields.v[c->of].is_signed;
}

/* What make_maps() has made. */
static void free_maps(struct ev_count *c)
{
	ev_sums_free(&c->sums);
	free(c->raw);
	c->raw = NULL;
}

int ev_count_try(struct ev_spec *s, bool by_thread, struct err *err)
{
	int ret = ev_expr_try(s, by_thread, err);

	free_maps(of_spec(s));
	return ret;
}

static void free_count(void *of)
{
	struct ev_count *c = of;

	if (!c)
		return;
	free_maps(c);
	probe_count_free(&c->plan);
	free(c);
}

/* --- maps and the program --- */

static int enable(struct ev_spec *s, bool on, struct err *err)
{
	return ev_sums_enable(&of_spec(s)->sums, s->tp.expr->maps[PROBE_COUNT_MAP_OUTER], on, err);
}

static int make_maps(struct ev_spec *s, const struct counters *on, u32 from, struct err *err)
{
	struct ev_count *c = of_spec(s);
	int *maps = s->tp.expr->maps;
	const struct buf none = {0};
	u32 nr_cpus;
	int ret = cpus_possible_nr(s->tp.expr->root, &nr_cpus, err);

	(void)on;
	(void)from;
	if (ret)
		return ret;
	c->sums.name = s->name;
	c->sums.what = c->plan.sum;
	c->sums.key_size = c->plan.key_size;
	ret = ev_sums_make(&c->sums, nr_cpus, &maps[PROBE_COUNT_MAP_OUTER],
			   &maps[PROBE_COUNT_MAP_ZEROS]);
	if (ret)
		return ev_expr_refuse(s, -ret, &none, err);
	c->raw_size = c->plan.probe->size;
	c->raw = calloc(1, MAX(c->raw_size, 1u));
	if (!c->raw)
		return err_nomem(err);
	return s->attr.disabled ? 0 : enable(s, true, err);
}

static int make_code(const struct ev_spec *s, const struct probe_program *how,
		     struct bpf_code *code, struct err *err)
{
	return probe_count_code(&of_spec(s)->plan, s->tp.expr->btf, how, code, err);
}

static bool ends(const struct ev_spec *s)
{
	return ev_expr_work_ends(s, &of_spec(s)->before);
}

static const struct ev_expr_work work = {
	.maps = make_maps,
	.code = make_code,
	.enable = enable,
	.ends = ends,
	.free = free_count,
};

/* --- reading --- */

static void put_ids(const struct probe_count *p, const u8 *key, struct ev_count_entry *e)
{
	e->has_comm = p->comm_at != ID_NONE;
	if (e->has_comm)
		memcpy(e->comm, key + p->comm_at, sizeof(e->comm));
	if (p->cgroup_at != ID_NONE)
		memcpy(&e->cgroup, key + p->cgroup_at, sizeof(e->cgroup));
	if (p->pid_at != ID_NONE)
		memcpy(&e->pid, key + p->pid_at, sizeof(e->pid));
	if (p->tid_at != ID_NONE)
		memcpy(&e->tid, key + p->tid_at, sizeof(e->tid));
	if (p->cpu_at != ID_NONE)
		memcpy(&e->cpu, key + p->cpu_at, sizeof(e->cpu));
}

static void begin_entry(struct ev_count *c, const u8 *key, struct ev_count_entry *e)
{
	*e = (struct ev_count_entry){.raw = c->raw, .raw_size = c->raw_size};
	put_ids(&c->plan, key, e);
	probe_part_raw(&c->plan.part, key, c->raw, c->raw_size);
}

struct taking {
	struct ev_count *c;
	int (*each)(void *arg, const struct ev_count_entry *e, struct err *err);
	void *arg;
};

static int take_one(void *arg, const u8 *key, const struct ev_sum *sum, struct err *err)
{
	const struct taking *t = arg;
	struct ev_count_entry e;

	begin_entry(t->c, key, &e);
	e.sum = *sum;
	return t->each(t->arg, &e, err);
}

int ev_count_take(struct ev_spec *s,
		  int (*each)(void *arg, const struct ev_count_entry *e, struct err *err),
		  void *arg, struct err *err)
{
	struct taking t = {of_spec(s), each, arg};

	return ev_sums_take(&t.c->sums, s->tp.expr->maps[PROBE_COUNT_MAP_OUTER], take_one, &t, err);
}

bool ev_count_spilled(struct ev_spec *s, const u8 *raw, u32 size, struct ev_count_entry *e)
{
	struct ev_count *c = of_spec(s);
	struct probe_count_number n;

	if (size < c->plan.spill_size)
		return false;
	memcpy(&n, raw + c->plan.spill_size - sizeof(n), sizeof(n));
	begin_entry(c, raw + sizeof(struct probe_count_spill), e);
	e->sum = ev_sums_one(&c->plan.sum, n.is_there, n.value);
	return true;
}
