// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_usdt.h"

#include <errno.h>
#include <string.h>

#include "util/base/glob.h"
#include "util/event/ev_probe.h"

/* What was typed. */
struct wanted {
	struct ev_word at; /* all of it, for messages */
	const char *file;
	const char *provider, *name; /* globs */
	u64 address;                 /* of the probe; 0: any */
};

bool ev_usdt_named(struct ev_word kind)
{
	return ev_word_is(kind, "usdt");
}

static int take(struct ev_list *list, struct ev_lex *l, const char *ends, bool colon,
		const char **text)
{
	struct ev_word w = {l->p, strcspn(l->p, ends)};

	l->p += w.len;
	if (!w.len || (colon && *l->p != ':')) {
		ev_lex_error(l, w.s, "a file, a provider and a name are expected here");
		err_hint(
			l->err,
			"usdt:/usr/bin/python3:python:function__entry; perf-lite list usdt:FILE shows those of a file");
		return -EINVAL;
	}
	l->p += colon;
	*text = arena_strndup(&list->arena, w.s, w.len);
	return *text ? 0 : err_nomem(l->err);
}

static int take_address(struct ev_lex *l, u64 *address)
{
	struct ev_word w;
	bool fits;

	if (*l->p != '@')
		return 0;
	l->p++;
	w = ev_lex_word(l);
	if (!ev_word_number(w, address, &fits) || !fits || !*address)
		return ev_lex_error(l, w.s, "an address is expected here, as in @0x1234");
	return 0;
}

static int parse(struct ev_list *list, struct ev_lex *l, struct wanted *w)
{
	int ret;

	ev_lex_take(l, ':');
	w->at.s = l->p;
	ret = take(list, l, ":,{}", true, &w->file);
	if (!ret)
		ret = take(list, l, ":,{}/ \t\n", true, &w->provider);
	if (!ret)
		ret = take(list, l, ":,{}/@ \t\n", false, &w->name);
	return ret ? ret : take_address(l, &w->address);
}

static bool same_name(const struct image_usdt_probe *a, const struct image_usdt_probe *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->provider, b->provider);
}

const char *ev_usdt_name(struct arena *a, const char *file, const struct image_usdt_list *of,
			 const struct image_usdt_probe *p)
{
	u32 i, nr = 0;

	for (i = 0; i < of->probes.nr && nr < 2; i++)
		nr += same_name(&of->probes.v[i], p);
	if (nr < 2)
		return arena_printf(a, "usdt:%s:%s:%s", file, p->provider, p->name);
	return arena_printf(a, "usdt:%s:%s:%s@0x%llx", file, p->provider, p->name,
			    (unsigned long long)p->vaddr);
}

static bool is_wanted(const struct wanted *w, const struct image_usdt_probe *p)
{
	return glob_match(w->provider, p->provider) && glob_match(w->name, p->name) &&
	       (!w->address || w->address == p->vaddr);
}

static int add_one(struct ev_list *list, const struct ev_lex *l, const struct wanted *w,
		   const struct pmu *pmu, const struct image *img, const struct image_usdt_list *of,
		   const struct image_usdt_probe *p)
{
	struct ev_probe_place place = {.target = w->file};

	if (!image_offset(img, p->vaddr, &place.offset) ||
	    (p->semaphore && !image_offset(img, p->semaphore, &place.semaphore)))
		return ev_lex_error(
			l, w->at.s,
			"%s: the note of %s:%s tells an address that the file does not have",
			w->file, p->provider, p->name);
	place.name = ev_usdt_name(&list->arena, w->file, of, p);
	return place.name ? ev_probe_add_place(list, pmu, &place, l->err) : err_nomem(l->err);
}

static int none(const struct ev_lex *l, const struct wanted *w, const struct image_usdt_list *of)
{
	if (!of->probes.nr) {
		ev_lex_error(l, w->at.s, "%s has no static probes", w->file);
		err_hint(l->err, "functions can be probed: uprobe:%s:FUNCTION", w->file);
	} else {
		ev_lex_error(l, w->at.s, "%s has no such probe", w->file);
		err_hint(l->err, "see what it has: perf-lite list usdt:%s", w->file);
	}
	return -EINVAL;
}

static int add_wanted(struct ev_list *list, const struct ev_lex *l, const struct wanted *w,
		      const struct pmu *pmu, const struct image *img)
{
	struct image_usdt_list of = {0};
	u32 i, before = list->specs.nr;
	int ret = image_usdt_load(img, &of, l->err);

	for (i = 0; !ret && i < of.probes.nr; i++)
		if (is_wanted(w, &of.probes.v[i]))
			ret = add_one(list, l, w, pmu, img, &of, &of.probes.v[i]);
	if (!ret && list->specs.nr == before)
		ret = none(l, w, &of);
	image_usdt_free(&of);
	return ret;
}

int ev_usdt_add(struct ev_list *list, struct ev_env *env, struct ev_lex *l, struct ev_word kind)
{
	struct wanted w = {0};
	struct pmu *pmu;
	struct image img;
	int ret = parse(list, l, &w);

	if (ret)
		return ret;
	pmu = ev_probe_pmu(env, l, kind, "uprobe");
	if (!pmu)
		return -l->err->code;
	ret = ev_probe_open_file(l, w.at, w.file, &img);
	if (ret)
		return ret;
	ret = add_wanted(list, l, &w, pmu, &img);
	image_close(&img);
	return ret;
}
