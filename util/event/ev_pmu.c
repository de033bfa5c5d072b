// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_pmu.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/text.h"
#include "util/event/ev_names.h"

/* An alias may ask for parameters ("core=?"), which the user gives as terms of their own. */
static bool is_parameter(const struct ev_term *t)
{
	return t->kind == EV_TERM_STRING && !strcmp(t->value, "?");
}

/* Replace an alias by the driver's terms. */
static int expand_alias(struct ev_list *list, const struct ev_lex *l, const struct pmu *pmu,
			const struct pmu_alias *alias, const struct ev_term *t, struct ev_spec *s,
			struct ev_term_list *out)
{
	struct ev_lex driver = {.text = alias->terms, .p = alias->terms};
	u32 i = out->nr;
	int ret;

	ret = ev_term_parse(&driver, false, &list->arena, out);
	if (ret == -ENOMEM)
		return err_nomem(l->err);
	if (ret)
		return ev_lex_error(l, t->at,
				    "the driver describes %s/%s/ as '%.*s', which is unclear",
				    pmu->name, alias->name, EV_WORD_SHOWN, alias->terms);
	for (; i < out->nr; i++)
		out->v[i].at = t->at;
	s->pmu.unit = arena_strdup(&list->arena, alias->unit);
	s->pmu.scale = alias->scale;
	s->pmu.snapshot = alias->snapshot;
	return s->pmu.unit ? 0 : err_nomem(l->err);
}

static int expand(struct ev_list *list, const struct ev_lex *l, const struct pmu *pmu,
		  const struct ev_term_list *terms, struct ev_spec *s, struct ev_term_list *out)
{
	const struct pmu_alias *alias;
	struct ev_term *slot;
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < terms->nr; i++) {
		const struct ev_term *t = &terms->v[i];

		alias = t->kind == EV_TERM_BARE ? pmu_alias_find(pmu, t->key) : NULL;
		if (alias) {
			ret = expand_alias(list, l, pmu, alias, t, s, out);
			continue;
		}
		slot = vec_push(out);
		if (!slot)
			return err_nomem(l->err);
		*slot = *t;
	}
	return ret;
}

/* A PMU of cores, so that generic events are its own, too. */
static bool knows_generic(const struct pmu *pmu)
{
	return pmu->of_cores || !strcmp(pmu->name, "cpu");
}

static int unknown_term(const struct ev_lex *l, const struct pmu *pmu, const struct ev_term *t)
{
	const struct ev_name *generic;
	struct text_suggest s;
	u32 i, nr;
	int ret;

	ret = ev_lex_error(l, t->at, "unknown term '%.*s' for the PMU %s", EV_WORD_SHOWN, t->key,
			   pmu->name);
	text_suggest_init(&s, t->key);
	for (i = 0; i < pmu->formats.nr; i++)
		text_suggest_add(&s, pmu->formats.v[i].name);
	for (i = 0; i < pmu->aliases.nr; i++)
		text_suggest_add(&s, pmu->aliases.v[i].name);
	generic = knows_generic(pmu) ? ev_names_table(EV_HW, &nr) : NULL;
	for (i = 0; generic && i < nr; i++)
		text_suggest_add(&s, generic[i].alias ? generic[i].alias : generic[i].name);
	ev_term_suggest(&s, EV_PMU);
	if (pmu->unread)
		err_hint(l->err, "not all is known of it: cannot read %s", pmu->unread);
	else if (s.best)
		err_hint(l->err, "did you mean '%s'?", s.best);
	else
		err_hint(l->err,
			 "its terms are the files in "
			 "/sys/bus/event_source/devices/%s/format and .../events",
			 pmu->name);
	return ret;
}

static int parameter_is_given(const struct ev_lex *l, const struct ev_term_list *terms,
			      const struct ev_term *parameter)
{
	u32 i;

	for (i = 0; i < terms->nr; i++)
		if (!is_parameter(&terms->v[i]) && !strcmp(terms->v[i].key, parameter->key))
			return 0;
	return ev_lex_error(l, parameter->at, "this event needs a value for '%s'", parameter->key);
}

/* A field of the PMU's own. */
static int apply_field(const struct ev_lex *l, const struct pmu *pmu, const struct ev_term *t,
		       struct ev_spec *s)
{
	const struct pmu_format *f = pmu_format_find(pmu, t->key);
	u64 v;
	int ret;

	if (!f)
		return unknown_term(l, pmu, t);
	ret = ev_term_number(l, t, pmu_format_max(f), &v);
	if (!ret && pmu_format_set(f, &s->attr, v))
		ret = ev_lex_error(l, t->at, "this build cannot set '%s'", t->key);
	return ret;
}

/* "cycles" between the slashes of a PMU of cores: 1 if it is such a name, and then set. */
static int apply_generic(const struct pmu *pmu, const struct ev_term *t, struct ev_spec *s)
{
	const struct ev_name *known;
	size_t len = strlen(t->key);
	enum ev_class class;
	u64 config;

	if (t->kind != EV_TERM_BARE || !knows_generic(pmu))
		return 0;
	known = ev_names_find(t->key, len, &class);
	if (known && class == EV_HW)
		config = known->config;
	else if (!known && ev_names_cache(t->key, len, &config) > 0)
		class = EV_CACHE;
	else
		return 0;
	s->class = class;
	s->attr.type = ev_names_type(class);
	/* where there is one sort of cores only, older kernels do not know the type in the upper half */
	s->attr.config = config | (pmu->of_cores ? (u64)pmu->type << 32 : 0);
	return 1;
}

/* In the first round what is known everywhere, in the second the PMU's own fields. */
static int apply(const struct ev_lex *l, const struct pmu *pmu, const struct ev_term_list *terms,
		 bool own, struct ev_spec *s)
{
	const struct ev_term *t;
	int ret = 0;
	bool fits;
	u64 raw;
	u32 i;

	for (i = 0; ret >= 0 && i < terms->nr; i++) {
		struct ev_word w;

		t = &terms->v[i];
		w = (struct ev_word){t->key, strlen(t->key)};
		if (pmu_format_find(pmu, t->key)) {
			if (own && is_parameter(t))
				ret = parameter_is_given(l, terms, t);
			else if (own)
				ret = apply_field(l, pmu, t, s);
		} else if (!own && t->kind == EV_TERM_BARE && ev_word_raw(w, &raw, &fits)) {
			if (!fits)
				return ev_lex_error(l, t->at, "%.*s is larger than 64 bits",
						    EV_WORD(w));
			s->attr.config = raw;
		} else if (!own) {
			ret = ev_term_apply(l, t, s);
			if (!ret)
				ret = apply_generic(pmu, t, s);
			if (!ret)
				ret = unknown_term(l, pmu, t);
		}
	}
	return ret < 0 ? ret : 0;
}

static int add_one(struct ev_list *list, struct pmu_set *set, struct pmu *pmu,
		   const struct ev_lex *l, const struct ev_term_list *terms)
{
	struct ev_term_list all = {0};
	struct ev_spec *s;
	int ret;

	ret = pmu_load(set, pmu, l->err);
	if (ret)
		return ret;
	s = ev_spec_add(list);
	if (!s)
		return err_nomem(l->err);
	s->class = EV_PMU;
	s->name = NULL; /* unless a term says otherwise, what was typed */
	s->attr.type = pmu->type;
	s->pmu.name = arena_strdup(&list->arena, pmu->name);
	s->pmu.nr_cpus = pmu->cpus.nr;
	if (s->pmu.nr_cpus)
		s->pmu.cpus = arena_memdup(&list->arena, pmu->cpus.v, s->pmu.nr_cpus * sizeof(u32));
	if (!s->pmu.name || (s->pmu.nr_cpus && !s->pmu.cpus))
		return err_nomem(l->err);

	ret = expand(list, l, pmu, terms, s, &all);
	if (!ret)
		ret = apply(l, pmu, &all, false, s);
	if (!ret)
		ret = apply(l, pmu, &all, true, s);
	vec_free(&all);
	return ret;
}

/* Of specs that one name means: those from number `first` on. */
static void tell_apart(struct ev_list *list, struct pmu_set *set, u32 first)
{
	u32 i, k, nr = list->specs.nr - first;

	for (i = first; nr > 1 && i < list->specs.nr; i++) {
		struct ev_spec *s = &list->specs.v[i];

		for (k = 0; strcmp(set->pmus.v[k].name, s->pmu.name) != 0;)
			k++;
		s->pmu.of_sorts = set->pmus.v[k].of_cores;
		s->pmu.of_boxes = !s->pmu.of_sorts;
	}
}

const char *ev_pmu_name(struct arena *arena, const struct ev_spec *s, const char *text, size_t len)
{
	const char *slash = memchr(text, '/', len);
	size_t word;

	if (slash)
		return arena_printf(arena, "%s%.*s", s->pmu.name, (int)(text + len - slash), slash);
	for (word = 0; word < len && text[word] != ':';)
		word++;
	return arena_printf(arena, "%s/%.*s/%.*s", s->pmu.name, (int)word, text,
			    (int)(len - word - (word < len)), text + word + (word < len));
}

int ev_pmu_add(struct ev_list *list, struct ev_env *env, const struct ev_lex *l, struct ev_word pmu,
	       const struct ev_term_list *terms)
{
	struct pmu_set *set = ev_env_pmus(env, l->err);
	u32 i, first = list->specs.nr;
	char *name;
	int ret = 0;

	if (!set)
		return l->err ? -l->err->code : -EIO;
	name = arena_strndup(&list->arena, pmu.s, pmu.len);
	if (!name)
		return err_nomem(l->err);
	for (i = 0; !ret && i < set->pmus.nr; i++)
		if (pmu_matches(&set->pmus.v[i], name))
			ret = add_one(list, set, &set->pmus.v[i], l, terms);
	if (!ret && list->specs.nr == first) {
		ret = ev_lex_error(l, pmu.s, "there is no PMU '%.*s' on this machine",
				   EV_WORD(pmu));
		ev_suggest_pmu(env, name, l->err);
	}
	if (!ret)
		tell_apart(list, set, first);
	return ret;
}

int ev_pmu_add_alias(struct ev_list *list, struct ev_env *env, const struct ev_lex *l,
		     struct ev_word alias)
{
	struct pmu_set *set = ev_env_load_pmus(env, l->err);
	char *name = arena_strndup(&list->arena, alias.s, alias.len);
	struct ev_term term = {.key = name, .at = alias.s, .number = 1, .kind = EV_TERM_BARE};
	struct ev_term_list terms = {.v = &term, .nr = 1};
	u32 i, first = list->specs.nr;
	int ret = 0;

	if (!name)
		return err_nomem(l->err);
	if (!set)
		return l->err ? -l->err->code : -EIO;
	for (i = 0; !ret && i < set->pmus.nr; i++)
		if (pmu_alias_find(&set->pmus.v[i], name))
			ret = add_one(list, set, &set->pmus.v[i], l, &terms);
	if (!ret)
		tell_apart(list, set, first);
	return ret ? ret : (int)(list->specs.nr - first);
}

/* The PMU of the cores where all are of one sort. */
#define ONLY_SORT "sys/bus/event_source/devices/cpu"

/* No machine has more. */
#define SORTS_MAX 8

struct sorts {
	struct pmu *pmus[SORTS_MAX];
	u32 nr;
};

struct specs {
	VEC(struct ev_spec) all;
};

/* "r1a8"; but "4:0x1a8" names the type that the kernel gave to one of them. */
static bool is_raw(const struct ev_spec *s)
{
	return s->class == EV_RAW && s->attr.type == PERF_TYPE_RAW && s->text[s->at] == 'r';
}

static bool is_generic(const struct ev_spec *s)
{
	if (s->pmu.name || s->class == EV_TOOL)
		return false;
	if (s->attr.type == PERF_TYPE_HARDWARE || s->attr.type == PERF_TYPE_HW_CACHE)
		return !(s->attr.config >> 32);
	return is_raw(s);
}

static bool has_generic(const struct ev_list *list, u32 from, u32 to)
{
	u32 i;

	for (i = from; i < to; i++)
		if (is_generic(&list->specs.v[i]))
			return true;
	return false;
}

static int find_sorts(struct sorts *s, struct ev_env *env, struct err *err)
{
	struct pmu_set *set = ev_env_pmus(env, err);
	int ret = 0;
	u32 i, k;

	if (!set)
		return err ? -err->code : -EIO;
	for (i = 0; !ret && i < set->pmus.nr && s->nr < SORTS_MAX; i++) {
		ret = pmu_load(set, &set->pmus.v[i], err);
		if (ret || !set->pmus.v[i].of_cores)
			continue;
		/* in the order of their types, as perf has them: cpu_core before cpu_atom */
		for (k = s->nr++; k && s->pmus[k - 1]->type > set->pmus.v[i].type; k--)
			s->pmus[k] = s->pmus[k - 1];
		s->pmus[k] = &set->pmus.v[i];
	}
	return ret;
}

static int bind_spec(struct ev_list *list, struct ev_spec *s, const struct pmu *pmu, struct err *err)
{
	if (is_raw(s))
		s->attr.type = pmu->type;
	else
		s->attr.config |= (u64)pmu->type << 32;
	s->pmu.name = arena_strdup(&list->arena, pmu->name);
	if (!s->pmu.name)
		return err_nomem(err);
	s->name = ev_pmu_name(&list->arena, s, s->name, strlen(s->name));
	s->pmu.of_sorts = true;
	s->pmu.nr_cpus = pmu->cpus.nr;
	s->pmu.cpus = arena_memdup(&list->arena, pmu->cpus.v, pmu->cpus.nr * sizeof(*pmu->cpus.v));
	return s->name && s->pmu.cpus ? 0 : err_nomem(err);
}

/* One event, or one group, for each of `nr` PMUs; as it is without any. */
static int add_unit(struct specs *out, struct ev_list *list, u32 from, u32 to,
		    struct pmu *const *pmus, u32 nr, struct err *err)
{
	struct ev_spec *s;
	u32 i, k, group = list->specs.v[from].group;
	int ret = 0;

	for (k = 0; !ret && k < MAX(nr, 1u); k++) {
		if (k && group != ID_NONE)
			group = list->nr_groups++;
		for (i = from; !ret && i < to; i++) {
			s = vec_push(&out->all);
			if (!s)
				return err_nomem(err);
			*s = list->specs.v[i];
			s->group = group;
			if (nr && is_generic(s))
				ret = bind_spec(list, s, pmus[k], err);
		}
	}
	return ret;
}

static u32 unit_end(const struct ev_list *list, u32 from)
{
	u32 to = from + 1;

	while (to < list->specs.nr && list->specs.v[from].group != ID_NONE &&
	       list->specs.v[to].group == list->specs.v[from].group)
		to++;
	return to;
}

int ev_cores_expand(struct ev_list *list, struct ev_env *env, struct err *err)
{
	struct sorts sorts = {.nr = 0};
	struct specs out = {0};
	u32 from, to;
	int ret;

	if (!has_generic(list, 0, list->specs.nr) || !faccessat(env->root->fd, ONLY_SORT, F_OK, 0))
		return 0;
	ret = find_sorts(&sorts, env, err);
	if (ret || sorts.nr < 2)
		return ret;
	for (from = 0; !ret && from < list->specs.nr; from = to) {
		to = unit_end(list, from);
		ret = add_unit(&out, list, from, to, sorts.pmus,
			       has_generic(list, from, to) ? sorts.nr : 0, err);
	}
	if (ret) {
		vec_free(&out.all);
		return ret;
	}
	free(list->specs.v);
	list->specs.v = out.all.v;
	list->specs.nr = out.all.nr;
	list->specs.cap = out.all.cap;
	return 0;
}
