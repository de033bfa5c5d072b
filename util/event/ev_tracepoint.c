// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_tracepoint.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "util/base/glob.h"
#include "util/event/ev_filter.h"
#include "util/event/ev_suggest.h"

/* Read id and format into the list. */
static int load(struct ev_list *list, const struct tracefs *t, const char *system, const char *name,
		struct err *err)
{
	struct ev_tracepoint tp = {0}, *slot;
	struct buf format = {0};
	int ret;

	ret = tracefs_id(t, system, name, &tp.id, err);
	if (!ret)
		ret = tracefs_format(t, system, name, &format, err);
	if (!ret) {
		tp.system = arena_strdup(&list->arena, system);
		tp.name = arena_strdup(&list->arena, name);
		tp.format = arena_strndup(&list->arena, buf_str(&format), format.len);
		slot = tp.system && tp.name && tp.format ? vec_push(&list->tracepoints) : NULL;
		if (slot)
			*slot = tp;
		else
			ret = err_nomem(err);
	}
	buf_free(&format);
	return ret;
}

/* The tracepoint from the list, read if this is the first time. */
static int find(struct ev_list *list, const struct tracefs *t, const char *system, const char *name,
		const char **key, u32 *index, struct err *err)
{
	struct buf b = {0};
	int ret = 0;

	buf_addf(&b, "%s:%s", system, name);
	*index = b.failed ? ID_NONE : strtab_find(&list->tp_index, b.data, b.len);
	if (*index == ID_NONE) {
		ret = b.failed ? err_nomem(err) : load(list, t, system, name, err);
		if (!ret) {
			*index = strtab_add(&list->tp_index, b.data, b.len);
			if (*index == ID_NONE) {
				list->tracepoints.nr--;
				ret = err_nomem(err);
			}
		}
	}
	if (!ret)
		*key = strtab_get(&list->tp_index, *index);
	buf_free(&b);
	return ret;
}

static void describe(struct ev_spec *s, const struct ev_tracepoint *tp)
{
	s->class = EV_TRACEPOINT;
	s->attr.type = PERF_TYPE_TRACEPOINT;
	s->attr.config = tp->id;
	s->tp_system = tp->system;
	s->tp_name = tp->name;
	s->tp_format = tp->format;
}

static int add_one(struct ev_list *list, const struct tracefs *t, const char *system,
		   const char *name, struct err *err)
{
	struct ev_spec *s;
	const char *key;
	u32 index;
	int ret;

	ret = find(list, t, system, name, &key, &index, err);
	if (ret)
		return ret;
	s = ev_spec_add(list);
	if (!s)
		return err_nomem(err);
	s->name = key;
	describe(s, &list->tracepoints.v[index]);
	return 0;
}

static int add_matching(struct ev_list *list, const struct tracefs *t, const char *system,
			const char *name, struct err *err)
{
	struct tracefs_events found = {0};
	int ret;
	u32 i;

	ret = tracefs_glob(t, system, name, &found, err);
	if (!ret && !found.events.nr)
		ret = -ENOENT;
	for (i = 0; !ret && i < found.events.nr; i++) {
		ret = add_one(list, t, found.events.v[i].system, found.events.v[i].name, err);
		if (!ret)
			list->specs.v[list->specs.nr - 1].of_pattern = found.events.nr > 1;
	}
	tracefs_events_free(&found);
	return ret;
}

static int add_raw(struct ev_list *list, const struct tracefs *t, const char *name,
		   const u8 *choice, struct err *err)
{
	struct buf filter = {0};
	int ret = add_one(list, t, "raw_syscalls", name, err);

	if (!ret && choice) {
		ev_syscalls_filter(choice, &filter);
		ret = filter.failed ? err_nomem(err)
				    : ev_filter_spec(list, &list->specs.v[list->specs.nr - 1],
						     buf_str(&filter), err);
	}
	buf_free(&filter);
	return ret;
}

static int add_calls(struct ev_list *list, const struct tracefs *t, const struct ev_syscalls *c,
		     struct err *err)
{
	int ret = 0;

	if (c->nr_enter)
		ret = add_raw(list, t, "sys_enter",
			      ev_syscalls_all(c, c->nr_enter) ? NULL : c->enter, err);
	if (!ret && c->nr_exit)
		ret = add_raw(list, t, "sys_exit", ev_syscalls_all(c, c->nr_exit) ? NULL : c->exit,
			      err);
	return ret;
}

/* A pattern of system calls, or -ENOTSUP where they have to be opened one by one. */
static int add_syscalls(struct ev_list *list, const struct tracefs *t, const char *pattern,
			struct err *err)
{
	struct ev_syscalls c;
	struct utsname u;
	int ret;

	if (uname(&u) || tracefs_id(t, "raw_syscalls", "sys_enter", &(u32){0}, NULL))
		return -ENOTSUP;
	ret = ev_syscalls_match(&c, t, u.machine, pattern, err);
	return ret ? ret : add_calls(list, t, &c, err);
}

static int add_pattern(struct ev_list *list, struct ev_env *env, const char *system,
		       const char *name, struct err *err)
{
	const struct tracefs *t = ev_env_tracefs(env, err);
	int ret = -ENOTSUP;

	if (env->raw_syscalls && !strcmp(system, "syscalls"))
		ret = add_syscalls(list, t, name, err);
	return ret == -ENOTSUP ? add_matching(list, t, system, name, err) : ret;
}

int ev_tracepoint_add(struct ev_list *list, struct ev_env *env, const struct ev_lex *l,
		      struct ev_word system, struct ev_word name)
{
	char *s = arena_strndup(&list->arena, system.s, system.len);
	char *n = arena_strndup(&list->arena, name.s, name.len);
	const struct tracefs *t;
	bool pattern;
	int ret;

	if (!s || !n)
		return err_nomem(l->err);
	t = ev_env_tracefs(env, l->err);
	if (!t) {
		err_prefix(l->err, "%.*s:%.*s", EV_WORD(system), EV_WORD(name));
		return l->err ? -l->err->code : -ENODEV;
	}
	pattern = glob_is_pattern(s) || glob_is_pattern(n);
	ret = pattern ? add_pattern(list, env, s, n, l->err) : add_one(list, t, s, n, l->err);
	if (ret == -ENOENT) {
		ret = pattern ? ev_lex_error(l, system.s, "no tracepoint matches '%.*s:%.*s'",
					     EV_WORD(system), EV_WORD(name))
			      : ev_lex_error(l, system.s, "unknown tracepoint '%.*s:%.*s'",
					     EV_WORD(system), EV_WORD(name));
		ev_suggest_tracepoint(env, s, n, l->err);
	}
	return ret;
}

int ev_tracepoint_add_calls(struct ev_list *list, struct ev_env *env, const struct ev_lex *l,
			    const struct ev_syscalls *calls)
{
	const struct tracefs *t = ev_env_tracefs(env, l->err);

	if (!t)
		return l->err ? -l->err->code : -ENODEV;
	return add_calls(list, t, calls, l->err);
}

int ev_tracepoint_identify(struct ev_list *list, struct ev_env *env, struct ev_spec *s)
{
	struct tracefs_events all = {0};
	const struct tracefs *t = ev_env_tracefs(env, NULL);
	const struct tracefs_event *e;
	const char *key;
	u32 i, index, id;
	int ret = 0;

	if (!t || tracefs_glob(t, "*", "*", &all, NULL)) {
		tracefs_events_free(&all);
		return 0;
	}
	for (i = 0; i < all.events.nr; i++) {
		e = &all.events.v[i];
		if (tracefs_id(t, e->system, e->name, &id, NULL) || id != s->attr.config)
			continue;
		ret = find(list, t, e->system, e->name, &key, &index, NULL);
		if (!ret)
			describe(s, &list->tracepoints.v[index]);
		break;
	}
	tracefs_events_free(&all);
	return ret == -ENOMEM ? ret : 0;
}
