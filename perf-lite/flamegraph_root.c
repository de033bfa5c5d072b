// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd_flamegraph.h"

#include <errno.h>
#include <string.h>

#include "util/base/text.h"
#include "util/format/stack_frames.h"

#define FLAMEGRAPH_TIME_QUANTUM 100000000ull /* ns, of the key time */

static const struct {
	const char *name;
	enum flamegraph_root_kind kind;
} keys[] = {
	{"none", FLAMEGRAPH_ROOT_NONE}, {"comm", FLAMEGRAPH_ROOT_COMM},
	{"cpu", FLAMEGRAPH_ROOT_CPU},   {"pid", FLAMEGRAPH_ROOT_PID},
	{"tid", FLAMEGRAPH_ROOT_TID},
};

static bool find_key(const char *by, enum flamegraph_root_kind *kind)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!strcmp(keys[i].name, by)) {
			*kind = keys[i].kind;
			return true;
		}
	}
	return false;
}

bool flamegraph_root_is_key(const char *by)
{
	enum flamegraph_root_kind kind;

	return find_key(by, &kind);
}

/* The message names the missing field; suggest a key to somebody who mistyped one. */
static void suggest_key(const char *by, struct err *err)
{
	struct text_suggest suggest;
	size_t i;

	text_suggest_init(&suggest, by);
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		text_suggest_add(&suggest, keys[i].name);
	sample_keys_suggest(&suggest, false);
	if (suggest.best && suggest.distance)
		err_hint(err, "did you mean --by %s?", suggest.best);
	else if (suggest.best || !strcmp(err->hint, "only tracepoints have fields"))
		err_hint(
			err,
			"--by takes comm, cpu, pid, tid, none, another key of a sample (socket, cgroup, mem), "
			"or a field of a tracepoint");
}

/* One that says something of the sample as a whole. */
static bool is_key(enum sample_key_kind kind)
{
	return kind != KEY_NONE && !sample_key_is_of_frame(kind) && !sample_key_is_stack(kind) &&
	       !sample_key_is_of_branch(kind);
}

static int init_key(struct flamegraph_root *k, const char *by, struct err *err)
{
	int ret = sample_values_init(&k->values, k->s, err);

	k->kind = FLAMEGRAPH_ROOT_KEY;
	k->key = (struct sample_key){.kind = sample_keys_plain(by, strlen(by)), .name = by};
	k->values.options.time_quantum = FLAMEGRAPH_TIME_QUANTUM;
	return ret ? ret : sample_values_bind(&k->values, &k->key, 1, false, &k->arena, err);
}

/* A field, or a key that no event has a field of the name of. */
static int init_named(struct flamegraph_root *k, u32 event, const char *by, struct err *err)
{
	struct err none = {0};
	int ret;

	k->kind = FLAMEGRAPH_ROOT_FIELD;
	ret = stack_field_init(&k->field, k->s, event, by, &k->text, &none);
	if (ret == -ENOENT && is_key(sample_keys_plain(by, strlen(by)))) {
		stack_field_free(&k->field);
		return init_key(k, by, err);
	}
	if (ret && err)
		*err = none;
	if (ret == -ENOENT)
		suggest_key(by, err);
	return ret;
}

/* Drops happen in whatever command was running: group them by reason instead, if the kernel has reasons. */
static int init_default(struct flamegraph_root *k, struct err *err)
{
	const struct event_set *events = &k->s->source->recording->events;
	struct err none = {0};
	u32 i;
	int ret;

	for (i = 0; i < events->events.nr; i++)
		if (event_set_is_named(events->events.v[i].name, FLAMEGRAPH_ROOT_EVENT))
			break;
	if (i == events->events.nr)
		return 0;
	ret = stack_field_init(&k->reason, k->s, i, "reason", &k->text, &none);
	if (ret == -ENOMEM)
		*err = none;
	else if (ret)
		stack_field_free(&k->reason);
	return ret == -ENOMEM ? ret : 0;
}

int flamegraph_root_init(struct flamegraph_root *k, struct session *s, u32 event, const char *by,
			 const char *top, struct err *err)
{
	int ret = 0;

	*k = (struct flamegraph_root){
		.s = s,
		.text = {.symboliser = s->symboliser,
			 .programs = s->programs,
			 .strings = s->strings},
	};
	if (by && !find_key(by, &k->kind))
		ret = init_named(k, event, by, err);
	if (!by)
		ret = init_default(k, err);
	return ret || !top ? ret : stack_field_init(&k->top, s, event, top, &k->text, err);
}

static bool take_name(struct flamegraph_root *k, u32 *name)
{
	if (!k->name.len)
		buf_adds(&k->name, "[unknown]");
	if (k->folded)
		stack_frames_fold_root(&k->name);
	*name = k->name.failed ? ID_NONE : strtab_add(&k->names, k->name.data, k->name.len);
	return *name != ID_NONE;
}

static void put_number(struct buf *b, u32 n)
{
	if (n == ID_NONE)
		buf_adds(b, "unknown");
	else
		buf_dec(b, n, 0);
}

/* The thread that the process began with, whose name is the process's. */
static u32 comm_of_process(const struct flamegraph_root *k, const struct session_sample *s)
{
	const struct thread *t = s->thread;

	if (t && t->pid != t->tid)
		t = process_find_thread(&k->s->model, t->pid);
	if (!t || t->comm == ID_NONE)
		t = s->thread;
	return t ? t->comm : ID_NONE;
}

static void put_thread(struct flamegraph_root *k, u32 comm, u32 id)
{
	const char *name = strtab_get(&k->s->model.comms, comm);

	text_escape(&k->name, name, strlen(name));
	buf_addc(&k->name, comm == ID_NONE ? ':' : '-');
	put_number(&k->name, id);
}

static void put_name(struct flamegraph_root *k, const struct session_sample *s, u32 comm)
{
	const struct rec_ids *ids = &s->sample->ids;

	switch (k->kind) {
	case FLAMEGRAPH_ROOT_CPU:
		buf_adds(&k->name, "CPU ");
		put_number(&k->name, ids->cpu);
		break;
	case FLAMEGRAPH_ROOT_PID:
		put_thread(k, comm, ids->pid);
		break;
	case FLAMEGRAPH_ROOT_TID:
		put_thread(k, comm, ids->tid);
		break;
	default:
		buf_adds(&k->name, s->comm);
	}
}

/* A key that is the same for samples of the same name, as far as that is known without building the name. */
static u64 key_of(const struct flamegraph_root *k, const struct session_sample *s, u32 *comm)
{
	const struct rec_ids *ids = &s->sample->ids;

	*comm = s->thread ? s->thread->comm : ID_NONE;
	switch (k->kind) {
	case FLAMEGRAPH_ROOT_CPU:
		return ids->cpu;
	case FLAMEGRAPH_ROOT_PID:
		*comm = comm_of_process(k, s);
		return (u64)*comm << 32 | ids->pid;
	case FLAMEGRAPH_ROOT_TID:
		return (u64)*comm << 32 | ids->tid;
	default:
		/* a thread without a name is called after its number */
		return (u64)*comm << 32 | (*comm == ID_NONE ? ids->tid : 0);
	}
}

static bool field_name(struct flamegraph_root *k, const struct stack_field *field,
		       const struct session_sample *s, u32 *name)
{
	*name = ID_NONE;
	buf_clear(&k->name);
	return !stack_field_put(field, s, &k->name) || take_name(k, name);
}

/* "socket=1" */
static bool key_name(struct flamegraph_root *k, const struct session_sample *s, u32 *name)
{
	u64 value;

	if (!sample_values_get(&k->values, 0, s, &value))
		return false;
	*name = hmap_get(&k->known, value);
	if (*name != ID_NONE)
		return true;
	buf_clear(&k->name);
	buf_addf(&k->name, "%s=", k->key.name);
	sample_values_put(&k->values, 0, value, &k->name);
	return take_name(k, name) && hmap_set(&k->known, value, *name);
}

bool flamegraph_root_of(struct flamegraph_root *k, const struct session_sample *s, u32 *name)
{
	u64 key;
	u32 comm;

	*name = ID_NONE;
	if (k->kind == FLAMEGRAPH_ROOT_NONE)
		return true;
	if (k->kind == FLAMEGRAPH_ROOT_FIELD)
		return field_name(k, &k->field, s, name);
	if (k->kind == FLAMEGRAPH_ROOT_KEY)
		return key_name(k, s, name);
	if (s->event < k->reason.nr && k->reason.at[s->event] != ID_NONE)
		return field_name(k, &k->reason, s, name);
	key = key_of(k, s, &comm);
	*name = hmap_get(&k->known, key);
	if (*name != ID_NONE)
		return true;
	buf_clear(&k->name);
	put_name(k, s, comm);
	return take_name(k, name) && hmap_set(&k->known, key, *name);
}

bool flamegraph_root_top(struct flamegraph_root *k, const struct session_sample *s, u32 *name)
{
	*name = ID_NONE;
	return !k->top.name || field_name(k, &k->top, s, name);
}

void flamegraph_root_free(struct flamegraph_root *k)
{
	sample_values_free(&k->values);
	arena_free(&k->arena);
	stack_field_free(&k->field);
	stack_field_free(&k->top);
	stack_field_free(&k->reason);
	strtab_free(&k->names);
	hmap_free(&k->known);
	buf_free(&k->name);
}
