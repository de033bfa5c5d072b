// SPDX-License-Identifier: GPL-2.0
#include "util/report/sample_values_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/json.h"
#include "util/base/num.h"
#include "util/profile/task_names.h"

int sample_values_init(struct sample_values *v, struct session *s, struct err *err)
{
	*v = (struct sample_values){
		.session = s,
		.options.missing = "-",
		.text = {.symboliser = s->symboliser,
			 .programs = s->programs,
			 .strings = s->strings},
	};
	return cpu_places_read(&v->cpus, s->source->recording, err);
}

void sample_values_free(struct sample_values *v)
{
	sample_values_fields_free(v);
	strtab_free(&v->bytes);
	strtab_free(&v->texts);
	cpu_places_free(&v->cpus);
	vec_free(&v->frames);
	buf_free(&v->one);
	buf_free(&v->raw);
	*v = (struct sample_values){0};
}

static u32 tid_of(const struct session_sample *s)
{
	return s->thread ? s->thread->tid : s->sample->ids.tid;
}

static u64 comm_of(const struct session_sample *s)
{
	if (s->thread && s->thread->comm != ID_NONE)
		return s->thread->comm;
	return SAMPLE_COMM_UNKNOWN | tid_of(s);
}

/* ID_NONE: not known. */
static u32 socket_of(const struct sample_values *v, u32 cpu)
{
	return cpu < v->cpus.v.nr ? v->cpus.v.v[cpu].socket : ID_NONE;
}

static void put_trace(struct sample_values *v, const struct session_sample *s)
{
	buf_clear(&v->raw);
	trace_text_put(&v->text, s, &v->raw);
	text_escape(&v->one, buf_str(&v->raw), v->raw.len);
	v->one.failed |= v->raw.failed;
}

/* The command, with "<N>" for each number in it. */
static void put_comm_nodigit(struct sample_values *v, const struct session_sample *s)
{
	const u64 value = comm_of(s);
	const char *comm = value & SAMPLE_COMM_UNKNOWN
				   ? ":0"
				   : strtab_get(&v->session->model.comms, (u32)value);
	size_t text, digits;

	buf_clear(&v->raw);
	while (*comm) {
		text = strcspn(comm, "0123456789");
		digits = strspn(comm + text, "0123456789");
		buf_add(&v->raw, comm, text);
		buf_adds(&v->raw, digits ? "<N>" : "");
		comm += text + digits;
	}
	text_escape(&v->one, buf_str(&v->raw), v->raw.len);
	v->one.failed |= v->raw.failed;
}

/* The number of the text of a key that has no shorter value. */
static bool text_value(struct sample_values *v, enum sample_key_kind kind,
		       const struct session_sample *s, u64 *value)
{
	struct task_namespace ns;
	u32 id;

	buf_clear(&v->one);
	if (kind == KEY_TRACE) {
		put_trace(v, s);
	} else if (kind == KEY_COMM_NODIGIT) {
		put_comm_nodigit(v, s);
	} else if (kind == KEY_CGROUP_ID) {
		ns = task_namespaces_find(v->session->namespaces, tid_of(s));
		buf_addf(&v->one, "%llu/0x%llx", (unsigned long long)ns.dev,
			 (unsigned long long)ns.ino);
	} else if (!sample_values_rare_put(v, kind, s, &v->one)) {
		return false;
	}
	id = v->one.failed ? ID_NONE : strtab_add(&v->texts, buf_str(&v->one), v->one.len);
	*value = id;
	return id != ID_NONE;
}

/* The number of the caller's text; ID_NONE: it has none. */
static bool given_value(struct sample_values *v, u32 key, u64 *value)
{
	const char *text = v->given[key];

	*value = text ? strtab_add(&v->texts, text, strlen(text)) : ID_NONE;
	return !text || *value != ID_NONE;
}

bool sample_values_get(struct sample_values *v, u32 key, const struct session_sample *s, u64 *value)
{
	enum sample_key_kind kind = v->keys[key].kind;
	const struct rec_ids *ids = &s->sample->ids;

	switch (kind) {
	case KEY_COMM:
		*value = comm_of(s);
		return true;
	case KEY_PID:
	case KEY_PROCESS:
		*value = s->thread ? s->thread->pid : ids->pid;
		return true;
	case KEY_TID:
	case KEY_THREAD:
		*value = tid_of(s);
		return true;
	case KEY_CPU:
		*value = ids->cpu;
		return true;
	case KEY_SOCKET:
		*value = socket_of(v, ids->cpu);
		return true;
	case KEY_PARALLELISM:
		*value = s->running;
		return true;
	case KEY_TIME:
		*value = ids->time -
			 (v->options.time_quantum ? ids->time % v->options.time_quantum : 0);
		return true;
	case KEY_EVENT:
		*value = s->event;
		return true;
	case KEY_CGROUP:
		*value = s->sample->cgroup;
		return true;
	case KEY_LABEL:
		*value = 0;
		return true;
	case KEY_FIELD:
		return sample_values_field_get(v, key, s, value);
	case KEY_TEXT:
		return given_value(v, key, value);
	default:
		if (!sample_key_is_cost(kind))
			return text_value(v, kind, s, value);
		*value = sample_values_cost(kind, s);
		return true;
	}
}

/* ---- order ---- */

static int compare_comms(const struct sample_values *v, u64 a, u64 b)
{
	char unknown[2][16];
	const char *names[2];
	u64 values[2] = {a, b};
	u32 i;

	for (i = 0; i < 2; i++) {
		names[i] = unknown[i];
		if (values[i] & SAMPLE_COMM_UNKNOWN)
			snprintf(unknown[i], sizeof(unknown[i]), ":%d", (s32)(u32)values[i]);
		else
			names[i] = strtab_get(&v->session->model.comms, (u32)values[i]);
	}
	return strcmp(names[0], names[1]);
}

/* By their paths; groups that no record named come after these. */
static int compare_cgroups(const struct sample_values *v, u64 a, u64 b)
{
	const char *x, *y;
	size_t len;

	x = cgroup_names_find(v->session->cgroups, a, &len);
	y = cgroup_names_find(v->session->cgroups, b, &len);
	if (x && y)
		return strcmp(x, y);
	return x || y ? !x - !y : sample_values_order(a, b);
}

/* Numbers as numbers, which come before all else. */
static int compare_texts(const char *a, const char *b)
{
	s64 x, y;
	bool is_x = num_s64(a, &x), is_y = num_s64(b, &y);

	if (is_x && is_y)
		return x < y ? -1 : x > y;
	return is_x == is_y ? strcmp(a, b) : is_x ? -1 : 1;
}

/* The inode in "9/0xf0000001", 0 if there is none; *device is the number before. */
static u64 inode_of(const char *text, u64 *device)
{
	char *slash;

	*device = strtoull(text, &slash, 10);
	return *slash == '/' ? strtoull(slash + 1, NULL, 16) : 0;
}

/* "9/0xf0000001": device and inode, falling. */
static int compare_namespaces(const char *a, const char *b)
{
	u64 left, right, x = inode_of(a, &left), y = inode_of(b, &right);
	int ret = sample_values_order(right, left);

	if (!ret)
		ret = sample_values_order(y, x);
	return ret ? ret : strcmp(a, b);
}

int sample_values_compare(const struct sample_values *v, u32 key, u64 a, u64 b)
{
	enum sample_key_kind kind = v->keys[key].kind;
	const struct sample_field_value *x, *y;

	if (a == b)
		return 0;
	switch (kind) {
	case KEY_COMM:
		return compare_comms(v, a, b);
	case KEY_PID:
	case KEY_TID:
	case KEY_THREAD:
	case KEY_PROCESS:
	case KEY_CPU:
	case KEY_PARALLELISM:
	case KEY_TIME:
	case KEY_EVENT:
	case KEY_LABEL:
		return sample_values_order(a, b);
	case KEY_SOCKET:
		return (s32)a < (s32)b ? -1 : 1;
	case KEY_CGROUP:
		return compare_cgroups(v, a, b);
	case KEY_CGROUP_ID:
		return compare_namespaces(strtab_get(&v->texts, (u32)a),
					  strtab_get(&v->texts, (u32)b));
	case KEY_FIELD:
		x = &v->fields.v[a];
		y = &v->fields.v[b];
		return sample_values_compare_field(v, x->value, x->shape, y->value, y->shape);
	default:
		if (sample_key_is_cost(kind))
			return sample_values_order(b, a);
		if (a == ID_NONE || b == ID_NONE)
			return a == ID_NONE ? 1 : -1;
		return compare_texts(strtab_get(&v->texts, (u32)a), strtab_get(&v->texts, (u32)b));
	}
}

/* ---- text ---- */

static void put_comm(const struct sample_values *v, u64 value, struct buf *out)
{
	const char *comm;

	if (value & SAMPLE_COMM_UNKNOWN) {
		buf_addf(out, ":%d", (s32)(u32)value);
		return;
	}
	comm = strtab_get(&v->session->model.comms, (u32)value);
	text_escape(out, comm, strlen(comm));
}

/* The number of a thread and its last name. */
static void put_thread(const struct sample_values *v, u32 tid, struct buf *out)
{
	const struct thread *t = process_find_thread(&v->session->model, tid);
	const char *comm;
	size_t len;

	buf_addf(out, "%7d:", (s32)tid);
	comm = t ? process_comm(&v->session->model, t, &len) : NULL;
	if (comm)
		text_escape(out, comm, len);
	else
		buf_addf(out, ":%d", (s32)tid);
}

static void put_event(const struct sample_values *v, u32 event, struct buf *out)
{
	struct buf name = {0};

	if (v->options.numbers_events)
		session_put_event(v->session, event, &name);
	else
		buf_adds(&name, v->session->source->recording->events.events.v[event].name);
	text_escape(out, buf_str(&name), name.len);
	out->failed |= name.failed;
	buf_free(&name);
}

/* By its number where no record named it. */
static void put_cgroup(const struct sample_values *v, u64 value, struct buf *out)
{
	size_t len;
	const char *path = cgroup_names_find(v->session->cgroups, value, &len);

	if (path)
		text_escape(out, path, len);
	else
		buf_addf(out, "cgroup %llu", (unsigned long long)value);
}

static bool is_missing(const struct sample_values *v, enum sample_key_kind kind, u64 value)
{
	switch (kind) {
	case KEY_PID:
	case KEY_TID:
	case KEY_CPU:
	case KEY_SOCKET:
	case KEY_TEXT:
		return value == ID_NONE;
	case KEY_CGROUP:
		return !value;
	case KEY_FIELD:
		return !v->fields.v[value].shape;
	default:
		return false;
	}
}

void sample_values_put(struct sample_values *v, u32 key, u64 value, struct buf *out)
{
	enum sample_key_kind kind = v->keys[key].kind;

	if (is_missing(v, kind, value)) {
		buf_adds(out, v->options.missing);
		return;
	}
	switch (kind) {
	case KEY_COMM:
		put_comm(v, value, out);
		break;
	case KEY_THREAD:
	case KEY_PROCESS:
		put_thread(v, (u32)value, out);
		break;
	case KEY_PID:
	case KEY_TID:
	case KEY_CPU:
	case KEY_SOCKET:
	case KEY_PARALLELISM:
		buf_sdec(out, (s32)(u32)value, 0);
		break;
	case KEY_TIME:
		text_seconds(out, value, 6);
		break;
	case KEY_EVENT:
		put_event(v, (u32)value, out);
		break;
	case KEY_CGROUP:
		put_cgroup(v, value, out);
		break;
	case KEY_LABEL:
		buf_adds(out, v->labels[value]);
		break;
	case KEY_FIELD:
		sample_values_put_field(v, v->fields.v[value].shape, v->fields.v[value].value, out);
		break;
	case KEY_TRANSACTION:
		sample_values_put_transaction(value, out);
		break;
	default:
		if (sample_key_is_cost(kind))
			buf_dec(out, value, 0);
		else
			buf_adds(out, strtab_get(&v->texts, (u32)value));
	}
}

bool sample_values_is_number(const struct sample_values *v, u32 key)
{
	enum sample_key_kind kind = v->keys[key].kind;

	switch (kind) {
	case KEY_FIELD:
		return sample_values_field_is_number(v, key);
	case KEY_PID:
	case KEY_TID:
	case KEY_CPU:
	case KEY_SOCKET:
	case KEY_PARALLELISM:
	case KEY_TIME:
		return true;
	default:
		return sample_key_is_cost(kind) && kind != KEY_TRANSACTION;
	}
}

void sample_values_json(struct sample_values *v, u32 key, u64 value, struct buf *out)
{
	enum sample_key_kind kind = v->keys[key].kind;
	struct buf text = {0};

	if (is_missing(v, kind, value) ||
	    (kind == KEY_COMM && value == (SAMPLE_COMM_UNKNOWN | ID_NONE))) {
		buf_adds(out, "null");
		return;
	}
	if (kind == KEY_FIELD) {
		sample_values_json_field(v, v->fields.v[value].shape, v->fields.v[value].value,
					 out);
		return;
	}
	sample_values_put(v, key, value, &text);
	if (sample_values_is_number(v, key))
		buf_add(out, text.data, text.len);
	else
		json_string(out, buf_str(&text), text.len);
	out->failed |= text.failed;
	buf_free(&text);
}
