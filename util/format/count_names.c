// SPDX-License-Identifier: GPL-2.0
#include "util/format/count_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"
#include "util/format/count_frames.h"
#include "util/profile/trace_fields.h"
#include "util/tracepoint/tp_names.h"

static int init_shape(struct count_names *n, u32 shape, struct err *err)
{
	const struct count_shape *s = &n->keys->shapes.v[shape];
	const struct tp_format *format = n->keys->session->formats[s->event];
	const struct tp_opts opts = session_tp_opts(n->keys->session);
	const struct tp_field *f = s->take.field;

	if (tp_field_format_compile(format, f, &opts, &n->shapes[shape].shown, err))
		return -ENOMEM;
	if (f->is_array || f->is_pointer)
		return 0;
	return tp_names_compile(format, f, &opts, &n->shapes[shape].names, err);
}

void count_names_free(struct count_names *n)
{
	u32 i;

	for (i = 0; n->shapes && i < n->keys->shapes.nr; i++) {
		tp_prog_free(n->shapes[i].names);
		tp_prog_free(n->shapes[i].shown.prog);
	}
	free(n->shapes);
	buf_free(&n->raw);
	buf_free(&n->scratch);
	*n = (struct count_names){0};
}

int count_names_init(struct count_names *n, const struct count_table *t, struct err *err)
{
	struct session *s = t->keys->session;
	int ret = 0;
	u32 i;

	*n = (struct count_names){
		.table = t,
		.keys = t->keys,
		.text = {.symboliser = &s->symboliser,
			 .programs = s->programs,
			 .strings = &s->strings},
	};
	n->shapes = calloc((size_t)t->keys->shapes.nr + 1, sizeof(*n->shapes));
	if (!n->shapes)
		return err_nomem(err);
	for (i = 0; i < t->keys->shapes.nr && !ret; i++)
		ret = init_shape(n, i, err);
	if (ret)
		count_names_free(n);
	return ret;
}

static u64 word_of(const struct count_row *r, u32 key)
{
	return r->words[1 + key];
}

static const struct count_name *name_of(const struct count_names *n, const struct count_shape *s)
{
	return &n->shapes[s - n->keys->shapes.v];
}

static void put_integer(u8 *to, u32 size, u64 v)
{
	u32 v32 = (u32)v;
	u16 v16 = (u16)v;

	switch (size) {
	case 8:
		memcpy(to, &v, 8);
		break;
	case 4:
		memcpy(to, &v32, 4);
		break;
	case 2:
		memcpy(to, &v16, 2);
		break;
	default:
		*to = (u8)v;
	}
}

/* Where the bytes lie, as the field itself says it. */
static u32 location(const struct tp_field *f, u32 at, size_t len)
{
	u32 from = f->loc == TP_LOC_REL ? at - f->offset - f->size : at;

	return (u32)len << 16 | (from & 0xffff);
}

/* A record in which the field has this value, and all else is 0. False when memory is out. */
static bool make_record(struct count_names *n, const struct count_shape *s, u64 word,
			struct sample *sample)
{
	const struct tp_field *f = s->take.field;
	const struct strtab_entry *text = NULL;
	u32 at = f->offset, end = f->offset + f->size;
	u32 loc;
	u8 *raw;

	if (s->take.kind == COUNT_FIELD_BYTES) {
		text = &n->table->texts.entries[word];
		at = f->loc == TP_LOC_FIXED ? f->offset : end;
		end = MAX(end, at + text->len);
	}
	buf_clear(&n->raw);
	buf_pad(&n->raw, '\0', end);
	if (n->raw.failed)
		return false;
	raw = (u8 *)n->raw.data;
	if (!text) {
		put_integer(raw + f->offset, f->size, word);
	} else {
		loc = location(f, at, text->len);
		if (f->loc != TP_LOC_FIXED)
			memcpy(raw + f->offset, &loc, sizeof(loc));
		memcpy(raw + at, text->s, text->len);
	}
	*sample = (struct sample){.raw = raw, .raw_size = end};
	return true;
}

static void put_field(struct count_names *n, const struct count_shape *s, u64 word, struct buf *out)
{
	const struct count_name *name = name_of(n, s);
	struct trace_field f = {.field = s->take.field, .names = name->names};
	struct sample sample;

	if (!make_record(n, s, word, &sample))
		out->failed = true;
	else if (name->shown.prog && !name->names)
		trace_text_run(&n->text, name->shown.prog, &sample, out);
	else
		trace_fields_text(&f, &n->text, &sample, out);
}

static void put_named_json(struct count_names *n, const struct trace_field *f,
			   const struct tp_prog *prog, const struct sample *sample, struct buf *out)
{
	buf_clear(&n->scratch);
	trace_text_run(&n->text, prog, sample, &n->scratch);
	json_open(out, '{');
	json_key(out, "value");
	trace_fields_value(f, &n->text, sample, out);
	json_key(out, "name");
	json_string(out, buf_str(&n->scratch), n->scratch.len);
	buf_addc(out, '}');
	out->failed |= n->scratch.failed;
}

static void put_field_json(struct count_names *n, const struct count_shape *s, u64 word,
			   struct buf *out)
{
	const struct count_name *name = name_of(n, s);
	struct trace_field f = {.field = s->take.field, .names = name->names};
	struct sample sample;

	if (!make_record(n, s, word, &sample))
		out->failed = true;
	else if (name->shown.prog && !name->names)
		put_named_json(n, &f, name->shown.prog, &sample, out);
	else
		trace_fields_value(&f, &n->text, &sample, out);
}

static void put_file(const struct count_names *n, u32 file, struct buf *out)
{
	buf_adds(out, file == ID_NONE ? "[unknown]" : strtab_get(&n->table->places.dsos, file));
}

/* What has no name is called after its file. */
static void put_function(const struct count_names *n, u64 word, struct buf *out)
{
	const char *name;
	bool bracket;

	if (!(word & COUNT_SYM_UNKNOWN)) {
		name = n->table->places.symbols.v[word].name;
		text_escape(out, name, strlen(name));
		return;
	}
	name = (u32)word == ID_NONE ? "[unknown]" : strtab_get(&n->table->places.dsos, (u32)word);
	bracket = *name != '[';
	buf_addf(out, bracket ? "[%s]" : "%s", name);
}

static void put_comm(const struct count_names *n, u64 word, struct buf *out)
{
	const char *comm;

	if (word & COUNT_COMM_UNKNOWN) {
		buf_addc(out, ':');
		buf_sdec(out, (s32)(u32)word, 0);
		return;
	}
	comm = strtab_get(&n->keys->session->model.comms, (u32)word);
	text_escape(out, comm, strlen(comm));
}

static void put_event(const struct count_names *n, u64 word, struct buf *out)
{
	const char *name = n->keys->session->source->recording.events.events.v[word].name;

	text_escape(out, name, strlen(name));
}

/* By its number where no record named it. */
static void put_cgroup(const struct count_names *n, u64 word, struct buf *out)
{
	size_t len;
	const char *path = cgroup_names_find(&n->keys->session->cgroups, word, &len);

	if (path)
		text_escape(out, path, len);
	else
		buf_addf(out, "cgroup %llu", (unsigned long long)word);
}

static bool is_missing(const struct count_names *n, const struct count_row *r, u32 key)
{
	switch (n->keys->v[key].kind) {
	case COUNT_FIELD:
		return !count_table_shape(n->table, r, key);
	case COUNT_CGROUP:
		return !word_of(r, key);
	case COUNT_CPU:
	case COUNT_PID:
	case COUNT_TID:
		return word_of(r, key) == ID_NONE;
	default:
		return false;
	}
}

void count_names_put(struct count_names *n, const struct count_row *r, u32 key, struct buf *out)
{
	const struct count_key *k = &n->keys->v[key];
	u64 word = word_of(r, key);

	if (is_missing(n, r, key)) {
		buf_addc(out, '-');
		return;
	}
	switch (k->kind) {
	case COUNT_COMM:
		put_comm(n, word, out);
		break;
	case COUNT_EVENT:
		put_event(n, word, out);
		break;
	case COUNT_CGROUP:
		put_cgroup(n, word, out);
		break;
	case COUNT_SYM:
		put_function(n, word, out);
		break;
	case COUNT_DSO:
		put_file(n, (u32)word, out);
		break;
	case COUNT_KSTACK:
	case COUNT_USTACK:
	case COUNT_STACK:
		count_frames_innermost(&n->table->stacks[key], (u32)word, out);
		break;
	case COUNT_FIELD:
		if (k->function)
			put_function(n, word, out);
		else
			put_field(n, count_table_shape(n->table, r, key), word, out);
		break;
	default:
		buf_sdec(out, (s32)(u32)word, 0);
	}
}

static bool shape_is_number(const struct count_names *n, u32 shape)
{
	const struct count_field *take = &n->keys->shapes.v[shape].take;

	return take->kind == COUNT_FIELD_INT && !take->field->is_pointer &&
	       !n->shapes[shape].names && !n->shapes[shape].shown.prog;
}

bool count_names_is_number(const struct count_names *n, u32 key)
{
	const struct count_key *k = &n->keys->v[key];
	u32 i;

	if (k->kind != COUNT_FIELD)
		return k->kind == COUNT_PID || k->kind == COUNT_TID || k->kind == COUNT_CPU;
	for (i = 0; i < n->keys->shapes.nr; i++)
		if (n->keys->shapes.v[i].key == key && !shape_is_number(n, i))
			return false;
	return !k->function;
}

void count_names_json(struct count_names *n, const struct count_row *r, u32 key, struct buf *out)
{
	const struct count_key *k = &n->keys->v[key];
	struct buf text = {0};
	u64 word = word_of(r, key);

	if (is_missing(n, r, key)) {
		buf_adds(out, "null");
	} else if (count_kind_is_stack(k->kind)) {
		count_frames_json(&n->table->stacks[key], (u32)word, out);
	} else if (k->kind == COUNT_FIELD && !k->function) {
		put_field_json(n, count_table_shape(n->table, r, key), word, out);
	} else if (count_names_is_number(n, key)) {
		json_signed(out, (s32)(u32)word);
	} else {
		count_names_put(n, r, key, &text);
		json_string(out, buf_str(&text), text.len);
		out->failed |= text.failed;
		buf_free(&text);
	}
}

void count_names_stack(struct count_names *n, const struct count_row *r, u32 key,
		       const char *indent, struct buf *out)
{
	count_frames_lines(&n->table->stacks[key], (u32)word_of(r, key), indent, out);
}
