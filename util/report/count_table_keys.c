// SPDX-License-Identifier: GPL-2.0
#include "util/report/count_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"
#include "util/base/text.h"

/* "kstack:5" */
static int parse_depth(struct sample_key *key, const char *digits, struct err *err)
{
	u64 n;

	if (!num_u64(digits, &n) || !n || n > INT32_MAX) {
		err_set(err, EINVAL, "'%s': a number of frames must follow the ':'", key->name);
		err_hint(err, "for example --by kstack:5");
		return -EINVAL;
	}
	key->depth = (u32)n;
	return 0;
}

static int no_such_other(const struct sample_key *key, const char *word, struct err *err)
{
	struct text_suggest suggest;

	text_suggest_init(&suggest, word);
	sample_keys_suggest(&suggest, false);
	err_set(err, EINVAL, "there is no key '%s'", key->name);
	if (suggest.best && strcmp(suggest.best, word) != 0)
		err_hint(err, "did you mean '%.*s%s'?", (int)(word - key->name), key->name,
			 suggest.best);
	else
		err_hint(err, "after '%.*s' come comm, pid, tid, cpu, stack, kstack, ustack",
			 (int)(word - key->name), key->name);
	return -EINVAL;
}

static int parse_key(struct count_keys *k, const char *word, struct err *err)
{
	const char *colon = strchr(word, ':');
	enum sample_key_kind kind;
	struct sample_key *key;
	u32 i;

	for (i = 0; i < k->nr && !k->repeats; i++)
		if (!strcmp(k->v[i].name, word))
			return err_set(err, EINVAL, "the key '%s' is named twice", word);
	if (k->nr == COUNT_KEYS_MAX)
		return err_set(err, EINVAL, "too many keys: at most %u", COUNT_KEYS_MAX);
	key = &k->v[k->nr++];
	*key = (struct sample_key){.kind = KEY_FIELD, .name = word};
	if (k->other && !strncmp(word, k->other, strlen(k->other))) {
		key->other = true;
		word += strlen(k->other);
	}
	kind = sample_keys_plain(word, colon ? (size_t)(colon - word) : strlen(word));
	if (kind == KEY_NONE || sample_keys_yields(kind) || (colon && !sample_key_is_stack(kind)))
		return key->other ? no_such_other(key, word, err) : 0;
	key->kind = kind;
	k->kernel_chains |= kind == KEY_KSTACK || kind == KEY_STACK;
	k->user_chains |= kind == KEY_USTACK || kind == KEY_STACK;
	return colon ? parse_depth(key, colon + 1, err) : 0;
}

int count_keys_parse(struct count_keys *k, const char *by, const char *of, struct err *err)
{
	char *list, *word, *save = NULL;
	int ret = 0;

	if (of) {
		k->has_of = true;
		k->of.kind = strcmp(of, "period") ? KEY_FIELD : KEY_PERIOD;
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

static int no_such_number(const struct count_keys *k, struct err *err)
{
	const char *word = k->of.name, *dot = strrchr(word, '.');
	struct text_suggest suggest;
	struct buf all = {0};

	text_suggest_init(&suggest, dot && dot[1] ? dot + 1 : word);
	text_suggest_add(&suggest, "period");
	sample_values_suggest_fields(&k->values, &suggest, &all);
	err_set(err, EINVAL, "no event has a field '%s'", word);
	if (suggest.best)
		err_hint(err, "did you mean '%s'?", suggest.best);
	else
		err_hint(err, "there are: period%s%s", all.len ? ", " : "", buf_str(&all));
	buf_free(&all);
	return -EINVAL;
}

/* What comes in brackets after the field in the text of the kernel: "runtime=%Lu [ns]". */
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

static int bind_number(struct count_keys *k, u32 event, const struct tp_field *f, struct err *err)
{
	struct field_reader *of = &k->ofs[event];

	*of = field_reader_of(f);
	if (of->kind == FIELD_READER_INT && !f->is_pointer) {
		k->of_signed |= of->is_signed;
		return 0;
	}
	err_set(err, EINVAL, "'%s' of %s is no number", k->of.name,
		k->session->source->recording->events.events.v[event].name);
	err_hint(err, "its type is '%s'; --by can group by it", f->type);
	return -EINVAL;
}

static int bind_of(struct count_keys *k, struct err *err)
{
	const struct tp_field *f;
	bool first = true, found;
	int ret;
	u32 e;

	if (!k->has_of || k->of.kind == KEY_PERIOD)
		return 0;
	ret = sample_values_split_field(&k->values, &k->of, &k->arena, &found, err);
	if (!ret && !found)
		ret = no_such_number(k, err);
	for (e = 0; e < k->nr_events && !ret; e++) {
		f = sample_values_find_field(&k->values, e, k->of.event, k->of.field);
		if (!f)
			continue;
		ret = bind_number(k, e, f, err);
		settle_unit(k, e, first);
		first = false;
	}
	return ret;
}

int count_keys_bind(struct count_keys *k, struct session *s, struct err *err)
{
	int ret = sample_values_init(&k->values, s, err);

	k->session = s;
	k->nr_events = s->source->recording->events.events.nr;
	k->values.options.time_quantum = COUNT_TIME_QUANTUM;
	k->values.options.fields_of = k->fields_of;
	k->values.options.whose = k->whose;
	k->ofs = calloc((size_t)k->nr_events + 1, sizeof(*k->ofs));
	if (!ret && !k->ofs)
		ret = err_nomem(err);
	if (!ret)
		ret = bind_of(k, err);
	return ret ? ret : sample_values_bind(&k->values, k->v, k->nr, false, &k->arena, err);
}

enum sample_key_kind count_keys_may_be(const struct sample_key *key)
{
	enum sample_key_kind kind = KEY_NONE;

	if (key->kind == KEY_FIELD && !key->field)
		kind = sample_keys_plain(key->name, strlen(key->name));
	return kind == KEY_NONE ? key->kind : kind;
}

void count_keys_need(const struct count_keys *k, struct sample_needs *needs)
{
	u32 i;

	for (i = 0; i < k->nr; i++)
		sample_needs_add(needs, count_keys_may_be(&k->v[i]));
}

struct count_keys_use count_keys_use(const struct count_keys *k)
{
	struct count_keys_use use = {.raw = k->has_of && k->of.kind == KEY_FIELD};
	enum sample_key_kind kind;
	u32 i;

	for (i = 0; i < k->nr; i++) {
		kind = count_keys_may_be(&k->v[i]);
		use.raw |= sample_key_is_of_raw(kind) || k->v[i].kind == KEY_FIELD;
		use.ip |= sample_key_is_stack(kind) || sample_key_is_of_frame(kind);
		use.functions |= k->v[i].function;
		use.branches |= sample_key_is_of_branch(kind);
	}
	use.functions |= use.ip;
	return use;
}

void count_keys_free(struct count_keys *k)
{
	sample_values_free(&k->values);
	free(k->ofs);
	arena_free(&k->arena);
	*k = (struct count_keys){0};
}
