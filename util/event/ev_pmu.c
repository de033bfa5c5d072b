// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_pmu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"
#include "util/event/ev_names.h"
#include "util/event/ev_suggest.h"

/* An alias may ask for parameters ("core=?"), which the user gives as terms of their own. */
static bool is_parameter(const struct ev_term *t)
{
	return t->kind == EV_TERM_STRING && !strcmp(t->value, "?");
}

/* Replace an alias by what the driver says it stands for. */
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
	s->unit = arena_strdup(&list->arena, alias->unit);
	s->scale = alias->scale;
	s->snapshot = alias->snapshot;
	return s->unit ? 0 : err_nomem(l->err);
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
	if (s.best)
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
	s->pmu = arena_strdup(&list->arena, pmu->name);
	s->nr_cpus = pmu->cpus.nr;
	if (s->nr_cpus)
		s->cpus = arena_memdup(&list->arena, pmu->cpus.v, s->nr_cpus * sizeof(u32));
	if (!s->pmu || (s->nr_cpus && !s->cpus))
		return err_nomem(l->err);

	ret = expand(list, l, pmu, terms, s, &all);
	if (!ret)
		ret = apply(l, pmu, &all, false, s);
	if (!ret)
		ret = apply(l, pmu, &all, true, s);
	vec_free(&all);
	return ret;
}

/* Of specs that one name stands for: those from number `first` on. */
static void tell_apart(struct ev_list *list, struct pmu_set *set, u32 first)
{
	u32 i, k, nr = list->specs.nr - first;

	for (i = first; nr > 1 && i < list->specs.nr; i++) {
		struct ev_spec *s = &list->specs.v[i];

		for (k = 0; strcmp(set->pmus.v[k].name, s->pmu) != 0;)
			k++;
		s->of_sorts = set->pmus.v[k].of_cores;
		s->of_boxes = !s->of_sorts;
	}
}

const char *ev_pmu_name(struct arena *arena, const struct ev_spec *s, const char *text, size_t len)
{
	const char *slash = memchr(text, '/', len);
	size_t word;

	if (slash)
		return arena_printf(arena, "%s%.*s", s->pmu, (int)(text + len - slash), slash);
	for (word = 0; word < len && text[word] != ':';)
		word++;
	return arena_printf(arena, "%s/%.*s/%.*s", s->pmu, (int)word, text,
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
