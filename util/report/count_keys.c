// SPDX-License-Identifier: GPL-2.0
#include "util/report/count_keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"
#include "util/base/text.h"
#include "util/tracepoint/tp_field_format.h"
#include "util/tracepoint/tp_names.h"

#define SHAPES_MAX 255 /* they are kept in a byte */

static const struct key_name {
	const char *name;
	enum count_kind kind;
} names[] = {
	{"comm", COUNT_COMM},     {"pid", COUNT_PID},     {"tid", COUNT_TID},
	{"cpu", COUNT_CPU},       {"event", COUNT_EVENT}, {"kstack", COUNT_KSTACK},
	{"ustack", COUNT_USTACK}, {"stack", COUNT_STACK}, {"sym", COUNT_SYM},
	{"dso", COUNT_DSO},       {"symbol", COUNT_SYM},  {"cgroup", COUNT_CGROUP},
};

static const struct key_name *find_name(const char *word, size_t len)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i].name) == len && !strncmp(word, names[i].name, len))
			return &names[i];
	return NULL;
}

/* "kstack:5" */
static int parse_depth(struct count_key *key, const char *digits, struct err *err)
{
	u64 n;

	if (!num_u64(digits, &n) || !n || n > INT32_MAX) {
		err_set(err, EINVAL, "'%s': behind the ':' stands how many frames count",
			key->name);
		err_hint(err, "for example --by kstack:5");
		return -EINVAL;
	}
	key->depth = (u32)n;
	return 0;
}

static int parse_key(struct count_keys *k, const char *word, struct err *err)
{
	const char *colon = strchr(word, ':');
	const struct key_name *n;
	struct count_key *key;
	u32 i;

	for (i = 0; i < k->nr; i++)
		if (!strcmp(k->v[i].name, word))
			return err_set(err, EINVAL, "the key '%s' is named twice", word);
	if (k->nr == COUNT_KEYS_MAX)
		return err_set(err, EINVAL, "at most %u keys tell rows apart", COUNT_KEYS_MAX);
	key = &k->v[k->nr++];
	*key = (struct count_key){.kind = COUNT_FIELD, .name = word};
	n = find_name(word, colon ? (size_t)(colon - word) : strlen(word));
	if (!n || (colon && !count_kind_is_stack(n->kind)))
		return 0;
	key->kind = n->kind;
	if (n->kind == COUNT_KSTACK || n->kind == COUNT_STACK)
		k->kernel_chains = true;
	if (n->kind == COUNT_USTACK || n->kind == COUNT_STACK)
		k->user_chains = true;
	if (n->kind == COUNT_CGROUP)
		k->cgroups = true;
	return colon ? parse_depth(key, colon + 1, err) : 0;
}

int count_keys_parse(struct count_keys *k, const char *by, const char *of, struct err *err)
{
	char *list, *word, *save = NULL;
	int ret = 0;

	if (of) {
		k->has_of = true;
		k->of.kind = strcmp(of, "period") ? COUNT_FIELD : COUNT_PERIOD;
		k->of.name = arena_strdup(&k->arena, of);
		if (!k->of.name)
			return err_nomem(err);
	}
	if (!by)
		return 0;
	list = arena_strdup(&k->arena, by);
	if (!list)
		return err_nomem(err);
	for (word = strtok_r(list, ", ", &save); word && !ret; word = strtok_r(NULL, ", ", &save))
		ret = parse_key(k, word, err);
	if (!ret && !k->nr) {
		err_set(err, EINVAL, "no key is named");
		err_hint(err, "for example --by comm,pid");
		ret = -EINVAL;
	}
	return ret;
}

static const struct event_desc *event_at(const struct count_keys *k, u32 event)
{
	return &k->session->source->recording.events.events.v[event];
}

/* "sched:sched_switch" is called that, or "sched_switch". */
static bool is_event(const char *name, const char *asked)
{
	const char *colon = strrchr(name, ':');

	return !asked || !strcmp(name, asked) || (colon && !strcmp(colon + 1, asked));
}

static const struct tp_field *field_in(const struct count_keys *k, u32 event, const char *of,
				       const char *name)
{
	const struct tp_format *f = k->session->formats[event];

	return f && is_event(event_at(k, event)->name, of) ? tp_format_field(f, name) : NULL;
}

static bool any_has(const struct count_keys *k, const char *event, const char *name)
{
	u32 e;

	for (e = 0; e < k->nr_events; e++)
		if (field_in(k, e, event, name))
			return true;
	return false;
}

/* Feed what a word may have meant, or, with `all`, list it. */
static void offer_fields(const struct count_keys *k, struct text_suggest *suggest, struct buf *all)
{
	const struct tp_format *f;
	const char *name;
	u32 e, i, before;

	for (e = 0; e < k->nr_events; e++) {
		f = k->session->formats[e];
		for (i = 0; f && i < f->nr_fields; i++) {
			name = f->fields[i].name;
			text_suggest_add(suggest, name);
			for (before = 0; before < e; before++)
				if (field_in(k, before, NULL, name))
					break;
			if (before < e || f->fields[i].is_common)
				continue;
			if (all->len)
				buf_adds(all, ", ");
			text_escape(all, name, strlen(name));
		}
	}
}

/* Behind the last '.': "kfree_skb.reson" is most likely a misspelt field. */
static const char *last_part(const char *word)
{
	const char *dot = strrchr(word, '.');

	return dot && dot[1] ? dot + 1 : word;
}

static int unknown(const struct count_keys *k, const char *word, bool of, struct err *err)
{
	struct text_suggest suggest;
	struct buf all = {0};
	u32 i;

	text_suggest_init(&suggest, last_part(word));
	for (i = 0; !of && i < ARRAY_SIZE(names); i++)
		text_suggest_add(&suggest, names[i].name);
	if (of)
		text_suggest_add(&suggest, "period");
	offer_fields(k, &suggest, &all);
	if (of)
		err_set(err, EINVAL, "no event has a field '%s'", word);
	else
		err_set(err, EINVAL, "there is no key '%s', and no event has such a field", word);
	if (suggest.best)
		err_hint(err, "did you mean '%s'?", suggest.best);
	else if (of)
		err_hint(err, "there are: period%s%s", all.len ? ", " : "", buf_str(&all));
	else
		err_hint(
			err,
			"keys are: comm, pid, tid, cpu, cgroup, event, kstack, ustack, stack, sym, dso%s%s",
			all.len ? "; fields: " : "", buf_str(&all));
	buf_free(&all);
	return -EINVAL;
}

/* FIELD, EVENT.FIELD, and both with ".function". */
static int find_field(struct count_keys *k, struct count_key *key, bool of, struct err *err)
{
	static const char function[] = ".function";
	size_t len = strlen(key->name), tail = sizeof(function) - 1;
	char *word = arena_strdup(&k->arena, key->name), *dot;

	if (!word)
		return err_nomem(err);
	if (!of && len > tail && !strcmp(word + len - tail, function)) {
		word[len - tail] = '\0';
		key->function = true;
	}
	key->field = word;
	if (any_has(k, NULL, word))
		return 0;
	dot = strrchr(word, '.');
	if (!dot)
		return unknown(k, key->name, of, err);
	*dot = '\0';
	key->event = word;
	key->field = dot + 1;
	return any_has(k, word, dot + 1) ? 0 : unknown(k, key->name, of, err);
}

static bool same_names(const struct tp_name_list *a, const struct tp_name_list *b)
{
	u32 i;

	if (a->v.nr != b->v.nr || a->flags != b->flags || a->whole != b->whole)
		return false;
	for (i = 0; i < a->v.nr; i++)
		if (a->v.v[i].value != b->v.v[i].value || a->v.v[i].len != b->v.v[i].len ||
		    memcmp(a->v.v[i].name, b->v.v[i].name, a->v.v[i].len) != 0)
			return false;
	return true;
}

/* What decides whether two fields show the same for the same value. */
struct look {
	const struct tp_format *format;
	struct tp_name_list names;
	enum tp_field_format_as as;
};

struct looks {
	struct look *v; /* by shape */
	u32 nr, cap;
};

static int look_at(const struct count_keys *k, u32 event, const struct tp_field *f, struct look *l,
		   struct err *err)
{
	const struct tp_opts opts = session_tp_opts(k->session);
	struct tp_field_format shown;

	*l = (struct look){.format = k->session->formats[event]};
	if (f->is_string)
		return 0;
	if (tp_field_format_compile(l->format, f, &opts, &shown, err))
		return -ENOMEM;
	tp_prog_free(shown.prog);
	l->as = shown.as;
	return f->is_array || f->is_pointer ? 0
					    : tp_names_list(l->format, f, &opts, &l->names, err);
}

static bool same_shape(const struct count_shape *s, const struct look *a, const struct tp_field *f,
		       const struct look *b)
{
	const struct count_field take = count_field_of(f);

	if (s->take.kind != take.kind || s->take.field->is_string != f->is_string)
		return false;
	if (f->is_string)
		return true;
	if (a->as != b->as || s->take.field->is_pointer != f->is_pointer ||
	    s->take.is_signed != take.is_signed)
		return false;
	if (take.kind == COUNT_FIELD_INT)
		return same_names(&a->names, &b->names);
	/* arrays: what the same print fmt makes of the same type */
	return s->take.field->elem_size == f->elem_size && !strcmp(s->take.field->type, f->type) &&
	       (a->as == TP_SHOWN_PLAIN || (a->format->print_fmt_len == b->format->print_fmt_len &&
					    !strcmp(a->format->print_fmt, b->format->print_fmt)));
}

/* A new shape, which takes the look over. */
static int add_shape(struct count_keys *k, struct looks *looks, u32 key, u32 event,
		     const struct tp_field *f, struct look *mine, struct err *err)
{
	struct count_shape *s;
	struct look *look;

	if (k->shapes.nr == SHAPES_MAX)
		return err_set(err, EINVAL, "the events have too many different fields '%s'",
			       k->v[key].field);
	look = vec_push(looks);
	s = look ? vec_push(&k->shapes) : NULL;
	if (!s)
		return err_nomem(err);
	*look = *mine;
	*mine = (struct look){0};
	*s = (struct count_shape){key, event, count_field_of(f)};
	return 0;
}

/* Find the shape of a field among those of its key, or make it. */
static int settle_shape(struct count_keys *k, struct looks *looks, u32 key, u32 event,
			const struct tp_field *f, struct err *err)
{
	struct look mine;
	int ret = look_at(k, event, f, &mine, err);
	u32 i;

	for (i = 0; i < k->shapes.nr && !ret; i++)
		if (k->shapes.v[i].key == key &&
		    same_shape(&k->shapes.v[i], &looks->v[i], f, &mine))
			break;
	if (!ret && i == k->shapes.nr)
		ret = add_shape(k, looks, key, event, f, &mine, err);
	if (!ret)
		k->takes[(size_t)event * k->nr + key] =
			(struct count_take){count_field_of(f), (u8)(i + 1)};
	tp_names_list_free(&mine.names);
	return ret;
}

static int check_function(const struct count_key *key, const struct tp_field *f, struct err *err)
{
	if (!key->function || (!f->is_array && f->size == 8) || f->is_pointer)
		return 0;
	return err_set(err, EINVAL, "'%s': the field is no address", key->name);
}

static int bind_key(struct count_keys *k, struct looks *looks, u32 key, struct err *err)
{
	const struct tp_field *f;
	int ret;
	u32 e;

	if (k->v[key].kind != COUNT_FIELD)
		return 0;
	ret = find_field(k, &k->v[key], false, err);
	for (e = 0; e < k->nr_events && !ret; e++) {
		f = field_in(k, e, k->v[key].event, k->v[key].field);
		if (!f)
			continue;
		ret = check_function(&k->v[key], f, err);
		if (!ret)
			ret = settle_shape(k, looks, key, e, f, err);
	}
	return ret;
}

/* What stands in brackets behind the field in the text of the kernel: "runtime=%Lu [ns]". */
static void find_unit(const struct tp_format *f, const char *field, char unit[static 8])
{
	const char *at = f->print_fmt;
	size_t len = strlen(field), n;

	for (; (at = strstr(at, field)); at += len) {
		if (at[len] != '=' || at[len + 1] != '%' || (at > f->print_fmt && at[-1] == '_'))
			continue;
		n = len + 2 + strcspn(at + len + 2, " \",");
		if (strncmp(at + n, " [", 2) != 0)
			continue;
		at += n + 2;
		n = strspn(at, "abcdefghijklmnopqrstuvwxyz");
		if (n && n < 8 && at[n] == ']') {
			memcpy(unit, at, n);
			unit[n] = '\0';
		}
		return;
	}
}

/* Several events have it only if all say the same. */
static void settle_unit(struct count_keys *k, u32 event, bool first)
{
	char unit[8] = "";

	find_unit(k->session->formats[event], k->of.field, unit);
	if (first)
		memcpy(k->of_unit, unit, sizeof(unit));
	else if (strcmp(k->of_unit, unit) != 0)
		k->of_unit[0] = '\0';
}

static int bind_of(struct count_keys *k, struct err *err)
{
	const struct tp_field *f;
	bool first = true;
	int ret = 0;
	u32 e;

	if (!k->has_of || k->of.kind == COUNT_PERIOD)
		return 0;
	ret = find_field(k, &k->of, true, err);
	for (e = 0; e < k->nr_events && !ret; e++) {
		f = field_in(k, e, k->of.event, k->of.field);
		if (!f)
			continue;
		k->ofs[e] = count_field_of(f);
		if (k->ofs[e].kind != COUNT_FIELD_INT || f->is_pointer) {
			err_set(err, EINVAL, "'%s' of %s is no number", k->of.name,
				event_at(k, e)->name);
			err_hint(err, "its type is '%s'; --by can tell rows apart by it", f->type);
			return -EINVAL;
		}
		k->of_signed |= k->ofs[e].is_signed;
		settle_unit(k, e, first);
		first = false;
	}
	return ret;
}

/* A recording tells control groups if that was asked for. */
static int check_cgroups(const struct count_keys *k, struct err *err)
{
	u32 e;

	for (e = 0; k->cgroups && e < k->nr_events; e++)
		if (event_at(k, e)->attr.sample_type & PERF_SAMPLE_CGROUP)
			return 0;
	if (!k->cgroups)
		return 0;
	err_set(err, EINVAL, "the samples do not tell their control groups");
	err_hint(err, "record them: perf-lite record --all-cgroups ...");
	return -EINVAL;
}

int count_keys_bind(struct count_keys *k, struct session *s, struct err *err)
{
	struct looks looks = {0};
	int ret;
	u32 i;

	k->session = s;
	k->nr_events = s->source->recording.events.events.nr;
	k->takes = calloc((size_t)k->nr_events * k->nr + 1, sizeof(*k->takes));
	k->ofs = calloc((size_t)k->nr_events + 1, sizeof(*k->ofs));
	if (!k->takes || !k->ofs)
		return err_nomem(err);
	ret = check_cgroups(k, err);
	if (!ret)
		ret = bind_of(k, err);
	for (i = 0; i < k->nr && !ret; i++)
		ret = bind_key(k, &looks, i, err);
	for (i = 0; i < looks.nr; i++)
		tp_names_list_free(&looks.v[i].names);
	vec_free(&looks);
	return ret;
}

/* Samples say by themselves which process they are of; else the process model does. */
static bool tell_pid(const struct count_keys *k)
{
	const struct event_desc *d;
	u32 e;

	for (e = 0; e < k->nr_events; e++) {
		d = event_at(k, e);
		if (!d->sideband && !(d->attr.sample_type & PERF_SAMPLE_TID))
			return false;
	}
	return true;
}

bool count_keys_bare(const struct count_keys *k)
{
	u32 i;

	for (i = 0; i < k->nr; i++) {
		switch (k->v[i].kind) {
		case COUNT_TID:
		case COUNT_CPU:
		case COUNT_EVENT:
			break;
		case COUNT_FIELD:
			if (k->v[i].function)
				return false;
			break;
		case COUNT_PID:
			if (!tell_pid(k))
				return false;
			break;
		default:
			return false;
		}
	}
	return true;
}

bool count_keys_use_raw(const struct count_keys *k)
{
	u32 i;

	for (i = 0; i < k->nr; i++)
		if (k->v[i].kind == COUNT_FIELD)
			return true;
	return k->has_of && k->of.kind == COUNT_FIELD;
}

bool count_keys_use_ip(const struct count_keys *k)
{
	u32 i;

	for (i = 0; i < k->nr; i++)
		if (count_kind_is_stack(k->v[i].kind) || k->v[i].kind == COUNT_SYM ||
		    k->v[i].kind == COUNT_DSO)
			return true;
	return false;
}

bool count_keys_use_functions(const struct count_keys *k)
{
	u32 i;

	for (i = 0; i < k->nr; i++)
		if (k->v[i].function)
			return true;
	return count_keys_use_ip(k);
}

void count_keys_free(struct count_keys *k)
{
	vec_free(&k->shapes);
	free(k->takes);
	free(k->ofs);
	arena_free(&k->arena);
	*k = (struct count_keys){0};
}
