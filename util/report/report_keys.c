// SPDX-License-Identifier: GPL-2.0
#include "util/report/report_keys.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "util/tracepoint/tp_format.h"

#define DEFAULT_QUANTUM 100000000ull

/* The one of perf's that nobody can ask for, there or here. */
#define IPC_NAME  "ipc_null"
#define IPC_TITLE "IPC   [IPC Coverage]"

/* -ENOTSUP for keys that perf lists, and takes from nobody. */
static int check_refused(const char *word, struct err *err)
{
	if (strcasecmp(word, "ipc_lbr") != 0 && strcasecmp(word, IPC_NAME) != 0)
		return 0;
	err_set(err, ENOTSUP, "'%s' is no key to sort by, in perf neither", word);
	err_hint(err, "instructions of blocks are not recorded; the key cycles shows their cycles");
	return -ENOTSUP;
}

static u32 find_key(const struct report_keys *k, const struct sample_key *want)
{
	u32 i;

	for (i = 0; i < k->keys.nr; i++)
		if (k->keys.v[i].kind == want->kind &&
		    (want->kind != KEY_FIELD || !strcmp(k->keys.v[i].name, want->name)))
			return i;
	return ID_NONE;
}

/* Put a column into the list, once. */
static bool add_column(struct report_columns *l, struct report_column c)
{
	struct report_column *to;
	u32 i;

	for (i = 0; i < l->nr; i++)
		if (l->v[i].kind == c.kind && l->v[i].key == c.key)
			return true;
	to = vec_push(l);
	if (to)
		*to = c;
	return to != NULL;
}

static int add_number(struct report_keys *k, struct report_columns *l, enum sample_key_kind kind,
		      struct err *err)
{
	k->modes |= sample_key_is_of_mode(kind);
	return add_column(l, (struct report_column){kind, ID_NONE}) ? 0 : err_nomem(err);
}

static int add_key(struct report_keys *k, struct report_columns *l, const struct sample_key *want,
		   struct err *err)
{
	u32 at = find_key(k, want);
	struct sample_key *key;
	u32 *to;

	if (at == ID_NONE) {
		key = vec_push(&k->keys);
		to = vec_push(&k->at);
		if (!key || !to)
			return err_nomem(err);
		*key = *want;
		*to = sample_key_is_of_frame(want->kind) ? k->nr_frame++ : k->nr_sample++;
		at = k->keys.nr - 1;
	}
	return add_column(l, (struct report_column){want->kind, at}) ? 0 : err_nomem(err);
}

static int add_field(struct report_keys *k, struct report_columns *l, const char *word,
		     struct err *err)
{
	const struct sample_key key = {.kind = KEY_FIELD, .name = word, .field = word};
	int ret = check_refused(word, err);

	return ret ? ret : add_key(k, l, &key, err);
}

/* All that the events have. */
static int add_all_fields(struct report_keys *k, struct report_columns *l, const struct session *s,
			  struct err *err)
{
	const struct tp_format *f;
	const char *name;
	int ret = 0;
	u32 e, i;

	/* until the events are known, it is one field, of any kind */
	if (!s)
		return add_field(k, l, "trace_fields", err);
	for (e = 0; e < s->nr_events && !ret; e++) {
		f = s->formats[e];
		for (i = 0; f && i < f->nr_fields && !ret; i++) {
			if (f->fields[i].is_common)
				continue;
			name = arena_strdup(&k->arena, f->fields[i].name);
			ret = name ? add_field(k, l, name, err) : err_nomem(err);
		}
	}
	return ret;
}

static bool is_latency(const char *word, size_t len)
{
	static const char name[] = "latency";

	return len >= 2 && len < sizeof(name) && !strncasecmp(word, name, len);
}

static bool is_overhead_cpu(const char *word, size_t len)
{
	static const char name[] = "overhead_cpu";

	return len == sizeof(name) - 1 && !strncasecmp(word, name, len);
}

/* Is one of the keys in the list that need wall-clock time? */
static bool names_latency(const char *list)
{
	size_t len;

	for (; list && *list; list += len + (list[len] != '\0')) {
		list += *list == '+';
		len = strcspn(list, ", ");
		if (is_latency(list, len) || is_overhead_cpu(list, len))
			return true;
	}
	return false;
}

/* What "overhead" means depends on what rows weigh. */
static enum sample_key_kind number_of(const struct report_keys *k, enum sample_key_kind kind,
				      const char *word)
{
	return k->latency && kind == KEY_OVERHEAD && !is_latency(word, strlen(word))
		       ? KEY_OVERHEAD_CPU
		       : kind;
}

static int add_word(struct report_keys *k, struct report_columns *l,
		    const struct report_asked *asked, char *word, struct err *err)
{
	struct sample_key key = {.kind = sample_keys_perf(word)};

	if (key.kind == KEY_NONE)
		return strcmp(word, "trace_fields") ? add_field(k, l, word, err)
						    : add_all_fields(k, l, asked->session, err);
	if (sample_key_is_number(key.kind))
		return add_number(k, l, number_of(k, key.kind, word), err);
	key.name = key.kind == KEY_THREAD && strcasecmp(word, "tid") == 0
			   ? "tid"
			   : sample_keys_name(key.kind);
	return add_key(k, l, &key, err);
}

static int add_list(struct report_keys *k, struct report_columns *l,
		    const struct report_asked *asked, const char *text, struct err *err)
{
	char *list = arena_strdup(&k->arena, text), *word, *save = NULL;
	int ret = 0;

	if (!list)
		return err_nomem(err);
	for (word = strtok_r(list, ", ", &save); word && !ret; word = strtok_r(NULL, ", ", &save))
		ret = add_word(k, l, asked, word, err);
	return ret;
}

/* As perf: what the keys name they put in its place, and a longer name that begins so is enough. */
static bool comes_first(const struct report_asked *asked, bool shown, const char *name)
{
	return shown || !asked->sort || !strstr(asked->sort, name);
}

/* The numbers that come first where --sort decides. */
static int add_numbers(struct report_keys *k, struct report_columns *l,
		       const struct report_asked *asked, bool shown, struct err *err)
{
	int ret = 0;

	if (asked->children && comes_first(asked, shown, "overhead_children"))
		ret = add_number(k, l, KEY_CHILDREN, err);
	if (!ret && (k->latency || comes_first(asked, shown, "overhead")))
		ret = add_number(k, l, KEY_OVERHEAD, err);
	if (!ret && shown && k->latency)
		ret = add_number(k, l, KEY_OVERHEAD_CPU, err);
	if (!ret && shown && asked->cpu_modes)
		ret = add_number(k, l, KEY_OVERHEAD_SYS, err);
	if (!ret && shown && asked->cpu_modes)
		ret = add_number(k, l, KEY_OVERHEAD_US, err);
	if (!ret && shown && asked->nr_samples)
		ret = add_number(k, l, KEY_SAMPLES, err);
	if (!ret && shown && asked->period)
		ret = add_number(k, l, KEY_PERIOD, err);
	return ret;
}

static bool replaces(const char *text)
{
	return text && *text != '+';
}

/* What a list begins with '+' is added to the default. */
static int add_default(struct report_keys *k, struct report_columns *l,
		       const struct report_asked *asked, const char *text, struct err *err)
{
	const struct sample_key ipc = {.kind = KEY_IPC, .name = IPC_NAME};
	const char *standard = asked->default_sort ? asked->default_sort : REPORT_KEYS_DEFAULT;
	int ret = replaces(text) ? 0 : add_list(k, l, asked, standard, err);

	if (!ret && text)
		ret = add_list(k, l, asked, text + (*text == '+'), err);
	if (!ret && asked->ipc && text && strstr(text, "symbol"))
		ret = add_key(k, l, &ipc, err);
	return ret;
}

static int append(struct report_columns *to, const struct report_columns *from, struct err *err)
{
	u32 i;

	for (i = 0; i < from->nr; i++)
		if (!add_column(to, from->v[i]))
			return err_nomem(err);
	return 0;
}

int report_keys_parse(struct report_keys *k, const struct report_asked *asked, struct err *err)
{
	const char *fields = asked->fields;
	bool only = replaces(fields);
	int ret = 0;

	if (!k->time_quantum)
		k->time_quantum = DEFAULT_QUANTUM;
	k->latency = asked->latency || names_latency(asked->sort) || names_latency(fields);
	if (!only)
		ret = add_numbers(k, &k->order, asked, false, err);
	if (!ret && (!only || asked->sort))
		ret = add_default(k, &k->order, asked, asked->sort, err);
	if (!ret && asked->parent)
		ret = add_list(k, &k->order, asked, "parent", err);
	if (!ret && !only) {
		k->self = asked->children;
		ret = add_numbers(k, &k->shown, asked, true, err);
	}
	if (!ret && fields)
		ret = add_list(k, &k->shown, asked, fields + !only, err);
	if (!ret)
		ret = append(&k->shown, &k->order, err);
	if (!ret)
		ret = append(&k->order, &k->shown, err);
	if (!ret && !k->shown.nr)
		ret = err_set(err, EINVAL, "no column is named");
	return ret;
}

const char *report_keys_title(const struct report_keys *k, const struct report_column *c)
{
	if (c->kind == KEY_FIELD)
		return k->keys.v[c->key].field;
	if (c->kind == KEY_IPC)
		return IPC_TITLE;
	if (c->kind == KEY_OVERHEAD && k->latency)
		return "Latency";
	if (c->kind == KEY_OVERHEAD && k->self)
		return "Self";
	if (c->kind == KEY_THREAD && !strcmp(k->keys.v[c->key].name, "tid"))
		return "    Tid:Command";
	return sample_keys_title(c->kind);
}

const char *report_keys_name(const struct report_keys *k, const struct report_column *c)
{
	if (c->key == ID_NONE)
		return sample_keys_name(c->kind);
	return c->kind == KEY_FIELD ? k->keys.v[c->key].field : k->keys.v[c->key].name;
}

void report_keys_free(struct report_keys *k)
{
	vec_free(&k->keys);
	vec_free(&k->at);
	vec_free(&k->shown);
	vec_free(&k->order);
	arena_free(&k->arena);
}
