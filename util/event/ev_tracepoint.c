// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_tracepoint.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "arch/arch.h"
#include "util/base/buf.h"
#include "util/base/glob.h"
#include "util/event/ev_filter.h"
#include "util/event/ev_names.h"

#define ENTER "sys_enter_"
#define EXIT  "sys_exit_"
#define BITS  (8 * EV_SYSCALLS_BYTES)

/* Note the call of one tracepoint that matched. */
static int choose(struct ev_syscalls *c, const struct arch_syscalls *table, const char *tracepoint)
{
	bool enter = !strncmp(tracepoint, ENTER, strlen(ENTER));
	const char *name;
	u32 nr;

	if (!enter && strncmp(tracepoint, EXIT, strlen(EXIT)) != 0)
		return -ENOTSUP;
	name = tracepoint + strlen(enter ? ENTER : EXIT);
	nr = arch_syscalls_of(table, name);
	if (nr >= BITS)
		return -ENOTSUP;
	if (enter) {
		c->enter[nr / 8] |= (u8)(1u << nr % 8);
		c->nr_enter++;
	} else {
		c->exit[nr / 8] |= (u8)(1u << nr % 8);
		c->nr_exit++;
	}
	return 0;
}

/*
 * The calls whose tracepoints match on a machine, by its uname -m name. -ENOENT: none; -ENOTSUP: one has
 * a number that is not known here.
 */
static int match_syscalls(struct ev_syscalls *c, const struct tracefs *t, const char *machine,
			  const char *pattern, struct err *err)
{
	const struct arch_syscalls *table = arch_syscalls_find(machine);
	struct tracefs_events all = {0};
	const char *name;
	int ret;
	u32 i;

	*c = (struct ev_syscalls){0};
	if (!table)
		return -ENOTSUP;
	if (!strcmp(pattern, "*")) {
		c->nr_enter = c->nr_exit = c->most = table->nr;
		memset(c->enter, 0xff, sizeof(c->enter));
		memset(c->exit, 0xff, sizeof(c->exit));
		return 0;
	}
	ret = tracefs_glob(t, "syscalls", "*", &all, err);
	for (i = 0; !ret && i < all.events.nr; i++) {
		name = all.events.v[i].name;
		c->most += !strncmp(name, ENTER, strlen(ENTER));
		if (glob_match(pattern, name))
			ret = choose(c, table, name);
	}
	tracefs_events_free(&all);
	return !ret && !c->nr_enter && !c->nr_exit ? -ENOENT : ret;
}

bool ev_syscalls_named(struct ev_syscalls *c, const char *machine, const char *pattern)
{
	const struct arch_syscalls *table = arch_syscalls_find(machine);
	const char *name;
	bool any = false;
	u32 nr;

	/* newstat is how the tracepoint of stat is called */
	pattern = arch_syscalls_of_tracepoint(pattern);
	for (c->most = nr = 0; table && nr < BITS; nr++) {
		name = arch_syscalls_name(table, nr);
		c->most += name != NULL;
		if (!name || !glob_match(pattern, name))
			continue;
		any = true;
		c->nr_enter += !ev_syscalls_has(c->enter, nr);
		c->enter[nr / 8] |= (u8)(1u << nr % 8);
	}
	memcpy(c->exit, c->enter, sizeof(c->exit));
	c->nr_exit = c->nr_enter;
	return any;
}

void ev_syscalls_invert(struct ev_syscalls *c)
{
	u32 i;

	for (i = 0; i < sizeof(c->enter); i++) {
		c->enter[i] = (u8)~c->enter[i];
		c->exit[i] = (u8)~c->exit[i];
	}
	c->nr_enter = c->most - c->nr_enter;
	c->nr_exit = c->most - c->nr_exit;
}

void ev_syscalls_filter(const u8 bits[static EV_SYSCALLS_BYTES], struct buf *out)
{
	const char *between = "";
	u32 from, to;

	for (from = 0; from < BITS; from = to + 1) {
		to = from;
		if (!ev_syscalls_has(bits, from))
			continue;
		while (to + 1 < BITS && ev_syscalls_has(bits, to + 1))
			to++;
		buf_addf(out, from == to ? "%sid == %u" : "%s(id >= %u && id <= %u)", between, from,
			 to);
		between = " || ";
	}
}

void ev_syscalls_filter_ends(const u8 bits[static EV_SYSCALLS_BYTES], const char *machine,
			     struct buf *out)
{
	const struct arch_syscalls *table = arch_syscalls_find(machine);
	const char *name;
	u32 nr;

	ev_syscalls_filter(bits, out);
	for (nr = 0; table && nr < BITS; nr++) {
		name = arch_syscalls_name(table, nr);
		if (name && !strcmp(name, "rt_sigreturn") && ev_syscalls_has(bits, nr))
			buf_adds(out, " || id == -1");
	}
}

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
	s->tp.system = tp->system;
	s->tp.name = tp->name;
	s->tp.format = tp->format;
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

/* One of several: left out if it was somebody's probe that has been removed since they were listed. */
static int add_of_pattern(struct ev_list *list, const struct tracefs *t,
			  const struct tracefs_event *e, struct err *err)
{
	struct err why = {0};
	int ret = add_one(list, t, e->system, e->name, &why);

	if (ret == -ENOENT)
		return 0;
	if (ret && err)
		*err = why;
	if (!ret)
		list->specs.v[list->specs.nr - 1].tp.of_pattern = true;
	return ret;
}

static int add_matching(struct ev_list *list, const struct tracefs *t, const char *system,
			const char *name, struct err *err)
{
	struct tracefs_events found = {0};
	u32 i, first = list->specs.nr;
	int ret;

	ret = tracefs_glob(t, system, name, &found, err);
	if (!ret && found.events.nr == 1)
		ret = add_one(list, t, found.events.v->system, found.events.v->name, err);
	for (i = 0; !ret && found.events.nr > 1 && i < found.events.nr; i++)
		ret = add_of_pattern(list, t, &found.events.v[i], err);
	if (!ret && list->specs.nr == first)
		ret = -ENOENT;
	tracefs_events_free(&found);
	return ret;
}

static int add_raw(struct ev_list *list, const struct tracefs *t, const char *name,
		   const u8 *choice, struct err *err)
{
	const bool ends = !strcmp(name, "sys_exit");
	struct buf filter = {0};
	struct utsname u;
	struct ev_spec *s;
	int ret = add_one(list, t, "raw_syscalls", name, err);

	if (ret)
		return ret;
	s = &list->specs.v[list->specs.nr - 1];
	s->tp.of_calls = true;
	if (choice) {
		s->tp.calls = arena_memdup(&list->arena, choice, EV_SYSCALLS_BYTES);
		if (ends && !uname(&u))
			ev_syscalls_filter_ends(choice, u.machine, &filter);
		else
			ev_syscalls_filter(choice, &filter);
		ret = filter.failed || !s->tp.calls
			      ? err_nomem(err)
			      : ev_filter_spec(list, s, buf_str(&filter), err);
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
	ret = match_syscalls(&c, t, u.machine, pattern, err);
	return ret ? ret : add_calls(list, t, &c, err);
}

static int add_pattern(struct ev_list *list, struct ev_env *env, const char *system,
		       const char *name, struct err *err)
{
	const struct tracefs *t = ev_env_tracefs(env, err);
	bool calls = env->raw_syscalls && !strcmp(system, "syscalls");
	u32 first = list->specs.nr;
	int ret = calls ? add_syscalls(list, t, name, err) : -ENOTSUP;

	if (ret != -ENOTSUP)
		return ret;
	ret = add_matching(list, t, system, name, err);
	for (; calls && first < list->specs.nr; first++)
		list->specs.v[first].tp.of_calls = true;
	return ret;
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

/* The two events of chosen system calls. */
static int add_chosen_calls(struct ev_list *list, struct ev_env *env, const struct ev_lex *l,
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

/* Does the word name calls? They are added to c. 1, 0 or -ENOMEM. */
static int names_calls(struct ev_syscalls *c, const char *machine, struct ev_word w,
		       struct err *err)
{
	struct buf name = {0};
	int ret;

	buf_add(&name, w.s, w.len);
	ret = name.failed ? err_nomem(err)
			  : (w.len && ev_syscalls_named(c, machine, buf_str(&name)));
	buf_free(&name);
	return ret;
}

/* What has one of these behind it is an event. */
static bool of_event(char next)
{
	return next == ':' || next == '/';
}

/* The next word if it names calls, which are added to c. */
static int take_name(struct ev_syscalls *c, const char *machine, struct ev_lex *l)
{
	struct ev_lex ahead = *l;
	struct ev_word w = ev_lex_word(&ahead);
	int ret = of_event(ev_lex_peek(&ahead)) ? 0 : names_calls(c, machine, w, l->err);

	if (ret > 0)
		*l = ahead;
	return ret;
}

/* The word after '!' names no call: say why. */
static int not_a_call(struct ev_syscalls *c, const char *machine, struct ev_lex *l)
{
	struct ev_lex ahead = *l;
	struct ev_word w = ev_lex_word(&ahead);
	char next = ev_lex_peek(&ahead);
	int call = names_calls(c, machine, w, l->err), ret;

	if (call < 0)
		return call;
	if (!w.len)
		ret = ev_lex_error(l, w.s, "'!' leaves out system calls, and names none");
	else if (call)
		ret = ev_lex_error(l, ahead.p,
				   "behind '!', a system call is its name alone, without '%c'",
				   next);
	else if (of_event(next))
		ret = ev_lex_error(l, w.s, "'!' leaves out system calls, but this is an event");
	else
		ret = ev_lex_error(l, w.s, "there is no system call '%.*s'", EV_WORD(w));
	err_hint(l->err, "names are those of the manual, as in '!futex,poll*'");
	return ret;
}

int ev_syscalls_read(struct ev_syscalls *c, const char *machine, struct ev_lex *l)
{
	struct ev_lex ahead = *l;
	bool all_but = ev_lex_take(&ahead, '!');
	int ret;

	*c = (struct ev_syscalls){0};
	ret = take_name(c, machine, &ahead);
	if (!ret && all_but)
		ret = not_a_call(c, machine, &ahead);
	if (ret <= 0)
		return ret;
	do {
		*l = ahead;
		ret = ev_lex_take(&ahead, ',') ? take_name(c, machine, &ahead) : 0;
	} while (ret > 0);
	if (ret < 0)
		return ret;
	if (all_but)
		ev_syscalls_invert(c);
	return c->nr_enter ? 1 : ev_lex_error(l, l->p, "no system call is left");
}

int ev_calls_add(struct ev_list *list, struct ev_env *env, struct ev_lex *l)
{
	struct ev_syscalls c;
	struct utsname u;
	int ret = uname(&u) ? 0 : ev_syscalls_read(&c, u.machine, l);

	if (ret <= 0)
		return ret;
	ret = add_chosen_calls(list, env, l, &c);
	return ret ? ret : 1;
}
