// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/bpf/bpf_program.h"
#include "util/event/ev_expr_internal.h"
#include "util/event/ev_probe.h"
#include "util/kernel/cgroups.h"

/* All values of a map, on all CPUs, take so much; but there are so many keys. */
#define MAP_BYTES   (2u << 20)
#define ENTRIES_MIN 64u
#define ENTRIES_MAX 4096u

/* Two hashes, one of which is counted in while the other one is read. */
#define HASHES 2u

struct ev_count {
	struct probe_count plan;
	struct ev_expr_before before;
	bool some_cpus; /* not on all */
	int hashes[HASHES];
	u32 active; /* which is, or will be, counted in */
	bool enabled;
	u32 entries, nr_cpus;
	u64 *cpus; /* a bit each */
	u8 *keys, *values, *raw;
	u32 raw_size;
	u64 *buckets;
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
	c->has_buckets = w->buckets;
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
	const bool plain = !s->tp.expr;
	struct ev_count *c = calloc(1, sizeof(*c));
	int ret = !c           ? -ENOMEM
		  : s->tp.expr ? 1
			       : ev_raw_add(list, env, s, wants_fields(s, w), w->by_thread, why);

	if (ret <= 0) {
		if (plain)
			s->tp.expr = NULL;
		free(c);
		return ret;
	}
	ev_expr_work_take(s, &work, c, &c->before, plain);
	s->tp.counted = true;
	c->hashes[0] = c->hashes[1] = -1;
	c->plan.probe = &s->tp.expr->probe;
	c->plan.part.has_unread = !plain;
	return 1;
}

int ev_count_add(struct ev_list *list, struct ev_env *env, u32 spec,
		 const struct ev_count_wanted *w, struct buf *why)
{
	struct ev_spec *s = &list->specs.v[spec];
	struct ev_count *c;
	int ret;

	/* where another thread may take the CPU from a program, it cannot add up */
	if (ev_probe_is(s) || (s->tp.expr && s->tp.expr->probe.user)) {
		buf_addf(why, "%s is a probe, which cannot be counted in the kernel", s->name);
		return 0;
	}
	ret = new_count(list, env, s, w, why);
	if (ret <= 0)
		return ret;
	c = of_spec(s);
	c->entries = w->entries;
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
	c->some_cpus = w->some_cpus;
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
	u32 i;

	for (i = 0; i < HASHES; i++) {
		if (c->hashes[i] >= 0)
			close(c->hashes[i]);
		c->hashes[i] = -1;
	}
	free(c->cpus);
	free(c->keys);
	free(c->values);
	free(c->raw);
	free(c->buckets);
	c->plan.cpus = c->cpus = NULL;
	c->keys = c->values = c->raw = NULL;
	c->buckets = NULL;
	c->active = 0;
	c->enabled = false;
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

static size_t stride(const struct ev_count *c)
{
	return (size_t)c->plan.value_size * c->nr_cpus;
}

static bool make_room(struct ev_count *c)
{
	c->raw_size = c->plan.probe->size;
	c->keys = malloc((size_t)c->entries * c->plan.key_size);
	c->values = malloc(c->entries * stride(c));
	c->raw = calloc(1, MAX(c->raw_size, 1u));
	c->buckets = calloc((size_t)probe_count_buckets(&c->plan) + 1, sizeof(*c->buckets));
	return c->keys && c->values && c->raw && c->buckets;
}

/* Those of the counters from number `from` on. */
static bool choose_cpus(struct ev_count *c, const struct counters *on, u32 from)
{
	u32 i, words = 1;

	for (i = from; i < on->nr; i++)
		words = MAX(words, on->v[i].cpu / 64 + 1);
	c->cpus = calloc(words, sizeof(*c->cpus));
	for (i = from; c->cpus && i < on->nr; i++)
		c->cpus[on->v[i].cpu / 64] |= 1ull << on->v[i].cpu % 64;
	c->plan.cpus = c->cpus;
	c->plan.nr_cpus = words;
	return c->cpus;
}

static int activate(struct ev_spec *s, u32 hash, struct err *err)
{
	struct ev_count *c = of_spec(s);
	const u32 key = 0;
	int ret = bpf_map_put(s->tp.expr->maps[PROBE_COUNT_MAP_OUTER], &key, &c->hashes[hash]);

	return ret ? err_set(err, -ret, "%s: cannot count: %s", s->name, strerror(-ret)) : 0;
}

static int enable(struct ev_spec *s, bool on, struct err *err)
{
	struct ev_count *c = of_spec(s);
	const u32 key = 0;

	if (c->enabled == on)
		return 0;
	c->enabled = on;
	if (on)
		return activate(s, c->active, err);
	bpf_map_delete(s->tp.expr->maps[PROBE_COUNT_MAP_OUTER], &key);
	return 0;
}

static int make_maps(struct ev_spec *s, const struct counters *on, u32 from, struct err *err)
{
	struct ev_count *c = of_spec(s);
	int *maps = s->tp.expr->maps;
	const struct buf none = {0};
	struct cpus possible = {0};
	int ret = cpus_possible(s->tp.expr->root, &possible, err);
	u32 i;

	if (ret)
		return ret;
	c->nr_cpus = possible.nr;
	cpus_free(&possible);
	if (!c->entries)
		c->entries = MAX((u32)MIN(MAP_BYTES / stride(c), (size_t)ENTRIES_MAX), ENTRIES_MIN);
	for (i = 0; i < HASHES; i++) {
		c->hashes[i] = bpf_map_new(BPF_MAP_TYPE_PERCPU_HASH, c->plan.key_size,
					   c->plan.value_size, c->entries);
		if (c->hashes[i] < 0)
			return ev_expr_refuse(s, -c->hashes[i], &none, err);
	}
	if (!make_room(c) || (c->some_cpus && !choose_cpus(c, on, from)))
		return err_nomem(err);
	maps[PROBE_COUNT_MAP_OUTER] = bpf_map_new_outer(c->hashes[0], 1);
	maps[PROBE_COUNT_MAP_ZEROS] =
		bpf_map_new(BPF_MAP_TYPE_ARRAY, sizeof(u32), c->plan.value_size, 1);
	for (i = PROBE_MAPS; i < PROBE_COUNT_MAPS; i++)
		if (maps[i] < 0)
			return ev_expr_refuse(s, -maps[i], &none, err);
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

static bool is_signed(const struct ev_count *c)
{
	return c->plan.probe->fields.v[c->plan.of].is_signed;
}

static bool is_below(const struct ev_count *c, u64 a, u64 b)
{
	return is_signed(c) ? (s64)a < (s64)b : a < b;
}

/* What one CPU has counted. */
static void add_value(struct ev_count *c, const u64 *v, struct ev_count_entry *e)
{
	const struct probe_count_value *value = (const void *)v;
	u32 i;

	e->nr += v[0];
	if (c->plan.of == ID_NONE || !value->with)
		return;
	e->least = !e->with || is_below(c, value->least, e->least) ? value->least : e->least;
	e->most = !e->with || is_below(c, e->most, value->most) ? value->most : e->most;
	e->with += value->with;
	e->sum += (__int128)((unsigned __int128)value->sum_high << 64 | value->sum_low);
	for (i = 0; i < e->nr_buckets; i++)
		c->buckets[i] += value->buckets[i];
}

static void add_values(struct ev_count *c, const u8 *values, struct ev_count_entry *e)
{
	u32 cpu;

	e->nr_buckets = probe_count_buckets(&c->plan);
	e->buckets = c->buckets;
	e->first_bucket = e->nr_buckets && is_signed(c) ? -64 : 0;
	memset(c->buckets, 0, e->nr_buckets * sizeof(*c->buckets));
	for (cpu = 0; cpu < c->nr_cpus; cpu++)
		add_value(c, (const u64 *)(const void *)(values + cpu * c->plan.value_size), e);
}

int ev_count_take(struct ev_spec *s,
		  int (*each)(void *arg, const struct ev_count_entry *e, struct err *err),
		  void *arg, struct err *err)
{
	struct ev_count *c = of_spec(s);
	const int hash = c->hashes[c->active];
	const u32 next = (c->active + 1) % HASHES;
	struct ev_count_entry e;
	int taken = 0, ret = 0;
	u64 at = 0;
	u32 nr, i;

	if (hash < 0)
		return 0;
	if (c->enabled)
		ret = activate(s, next, err);
	/* otherwise the old one is still counted in */
	if (!ret)
		c->active = next;
	while (!ret && !taken) {
		nr = c->entries;
		taken = bpf_map_take(hash, &at, c->keys, c->values, &nr);
		if (taken && taken != -ENOENT)
			return err_set(err, -taken, "%s: cannot read what was counted: %s", s->name,
				       strerror(-taken));
		for (i = 0; !ret && i < nr; i++) {
			begin_entry(c, c->keys + (size_t)i * c->plan.key_size, &e);
			add_values(c, c->values + i * stride(c), &e);
			if (e.nr)
				ret = each(arg, &e, err);
		}
	}
	return ret;
}

bool ev_count_spilled(struct ev_spec *s, const u8 *raw, u32 size, struct ev_count_entry *e)
{
	struct ev_count *c = of_spec(s);
	const u8 *key = raw + sizeof(struct probe_count_spill);
	struct probe_count_number n;

	if (size < c->plan.spill_size)
		return false;
	memcpy(&n, raw + c->plan.spill_size - sizeof(n), sizeof(n));
	begin_entry(c, key, e);
	e->nr = 1;
	if (!n.is_there)
		return true;
	e->with = 1;
	e->least = e->most = n.value;
	e->sum = is_signed(c) ? (__int128)(s64)n.value : (__int128)n.value;
	return true;
}
