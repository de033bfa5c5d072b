// SPDX-License-Identifier: GPL-2.0
#include "util/report/sample_values_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/json.h"
#include "util/profile/trace_fields.h"

static const struct event_desc *event_at(const struct sample_values *v, u32 event)
{
	return &v->session->source->recording->events.events.v[event];
}

static u32 nr_events(const struct sample_values *v)
{
	return v->session->source->recording->events.events.nr;
}

/* ---- finding fields ---- */

/* NULL: it has no fields, or none that may be keys. */
static const struct tp_format *format_at(const struct sample_values *v, u32 event)
{
	return !v->options.fields_of || v->options.fields_of[event] ? v->session->formats[event]
								    : NULL;
}

const struct tp_field *sample_values_find_field(const struct sample_values *v, u32 event,
						const char *of, const char *name)
{
	const struct tp_format *f = format_at(v, event);

	if (!f || (of && !event_set_is_named(event_at(v, event)->name, of)))
		return NULL;
	return tp_format_field(f, name);
}

static bool any_has(const struct sample_values *v, const char *event, const char *name)
{
	u32 e;

	for (e = 0; e < nr_events(v); e++)
		if (sample_values_find_field(v, e, event, name))
			return true;
	return false;
}

void sample_values_suggest_fields(const struct sample_values *v, struct text_suggest *suggest,
				  struct buf *all)
{
	const struct tp_format *f;
	const char *name;
	u32 e, i, before;

	for (e = 0; e < nr_events(v); e++) {
		f = format_at(v, e);
		for (i = 0; f && i < f->nr_fields; i++) {
			name = f->fields[i].name;
			text_suggest_add(suggest, name);
			for (before = 0; before < e; before++)
				if (sample_values_find_field(v, before, NULL, name))
					break;
			if (before < e || f->fields[i].is_common)
				continue;
			if (all->len)
				buf_adds(all, ", ");
			text_escape(all, name, strlen(name));
		}
	}
}

int sample_values_split_field(const struct sample_values *v, struct sample_key *key,
			      struct arena *arena, bool *found, struct err *err)
{
	char *word = arena_strdup(arena, key->field ? key->field : key->name), *dot;

	if (!word)
		return err_nomem(err);
	*found = true;
	key->field = word;
	if (any_has(v, NULL, word))
		return 0;
	dot = strrchr(word, '.');
	*found = false;
	if (!dot)
		return 0;
	*dot = '\0';
	*found = any_has(v, word, dot + 1);
	if (*found) {
		key->event = word;
		key->field = dot + 1;
	} else {
		*dot = '.';
	}
	return 0;
}

/* After the last '.': "kfree_skb.reson" is most likely a misspelt field. */
static const char *last_part(const char *word)
{
	const char *dot = strrchr(word, '.');

	return dot && dot[1] ? dot + 1 : word;
}

/* The first field that begins with the last part, of the event that the first one names; NULL: there is none. */
static const char *begun_field(const struct sample_values *v, const char *word)
{
	const char *part = last_part(word);
	char event[128] = "";
	size_t len = strlen(part);
	u32 e, i;

	if (part > word)
		snprintf(event, sizeof(event), "%.*s", (int)(part - word) - 1, word);
	for (e = 0; e < nr_events(v); e++) {
		const struct tp_format *f = format_at(v, e);

		if (!f || (*event && !event_set_is_named(event_at(v, e)->name, event)))
			continue;
		for (i = 0; i < f->nr_fields; i++)
			if (len > 1 && !strncmp(f->fields[i].name, part, len))
				return f->fields[i].name;
	}
	return NULL;
}

/* A system call of which there is a descriptor, where its file was meant; NULL: neither. */
static const char *call_with_descriptor(const struct sample_values *v, const char *word)
{
	static const char calls[] = "syscalls:sys_enter_";
	const char *part = last_part(word);
	u32 e;

	if (strcmp(part, "path") != 0 && strcmp(part, "file") != 0)
		return NULL;
	for (e = 0; e < nr_events(v); e++)
		if (!strncmp(event_at(v, e)->name, calls, sizeof(calls) - 1) &&
		    sample_values_find_field(v, e, NULL, "fd"))
			return event_at(v, e)->name;
	return NULL;
}

static int no_such_key(const struct sample_values *v, const char *word, bool perf, struct err *err)
{
	const char *call = call_with_descriptor(v, word);
	struct text_suggest suggest, field;
	struct buf keys = {0}, fields = {0};

	text_suggest_init(&suggest, perf ? word : last_part(word));
	sample_keys_suggest(&suggest, perf);
	sample_keys_list(&keys, perf);
	text_suggest_init(&field, last_part(word));
	sample_values_suggest_fields(v, &field, &fields);
	if (field.best && (!suggest.best || field.distance < suggest.distance))
		suggest.best = field.best;
	if (!suggest.best)
		suggest.best = begun_field(v, word);
	err_set(err, EINVAL, "there is no key '%s', and no event%s%s has such a field", word,
		v->options.fields_of ? " " : "", v->options.fields_of ? v->options.whose : "");
	if (call)
		err_hint(err, "the path of fd is a field of: -e '%s(path(fd))'", call);
	else if (suggest.best)
		err_hint(err, "did you mean '%s'?", suggest.best);
	else
		err_hint(err, "%s: %s%s%s", perf ? "there are" : "keys are", buf_str(&keys),
			 !fields.len ? ""
			 : perf      ? ", "
				     : "; fields: ",
			 buf_str(&fields));
	buf_free(&keys);
	buf_free(&fields);
	return -EINVAL;
}

/* ---- shapes: what decides whether two fields show the same for the same value ---- */

static void free_shape(struct sample_shape *s)
{
	tp_names_list_free(&s->names);
	tp_prog_free(s->format.prog);
	tp_prog_free(s->namer);
}

static int look_at(const struct sample_values *v, u32 event, const struct tp_field *f,
		   struct sample_shape *s, struct err *err)
{
	const struct tp_format *format = v->session->formats[event];
	const struct tp_opts opts = session_tp_opts(v->session);

	if (tp_field_format_compile(format, f, &opts, &s->format, err))
		return -ENOMEM;
	if (f->is_array || f->is_pointer)
		return 0;
	if (tp_names_compile(format, f, &opts, &s->namer, err))
		return -ENOMEM;
	return f->is_string ? 0 : tp_names_list(format, f, &opts, &s->names, err);
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

static bool same_shape(const struct sample_values *v, const struct sample_shape *a,
		       const struct sample_shape *b)
{
	const struct tp_field *x = a->take.field, *y = b->take.field;
	const struct tp_format *f, *g;

	if (a->take.kind != b->take.kind || x->is_string != y->is_string)
		return false;
	if (x->is_string)
		return true;
	if (a->format.as != b->format.as || x->is_pointer != y->is_pointer ||
	    a->take.is_signed != b->take.is_signed)
		return false;
	if (a->take.kind == FIELD_READER_INT)
		return same_names(&a->names, &b->names);
	/* arrays: what the same print fmt makes of the same type, and of as many elements */
	f = v->session->formats[a->event];
	g = v->session->formats[b->event];
	return x->elem_size == y->elem_size && x->loc == y->loc && x->size == y->size &&
	       !strcmp(x->type, y->type) &&
	       (a->format.as == TP_SHOWN_PLAIN ||
		(f->print_fmt_len == g->print_fmt_len && !strcmp(f->print_fmt, g->print_fmt)));
}

/* The number + 1 of a shape, which is taken over: added, or freed if there is one like it. */
static int add_shape(struct sample_values *v, struct sample_shape *s, u8 *number, struct err *err)
{
	struct sample_shape *to;
	u32 i;

	for (i = 0; i < v->shapes.nr; i++)
		if (v->shapes.v[i].key == s->key && same_shape(v, &v->shapes.v[i], s))
			break;
	*number = (u8)(i + 1);
	if (i < v->shapes.nr) {
		free_shape(s);
		return 0;
	}
	to = i < SAMPLE_SHAPES_MAX ? vec_push(&v->shapes) : NULL;
	if (to) {
		*to = *s;
		return 0;
	}
	free_shape(s);
	if (i == SAMPLE_SHAPES_MAX)
		return err_set(err, EINVAL, "the events have too many different fields '%s'",
			       v->keys[s->key].field);
	return err_nomem(err);
}

static int check_function(const struct sample_key *key, const struct tp_field *f, struct err *err)
{
	if (!key->function || (!f->is_array && f->size == 8) || f->is_pointer)
		return 0;
	return err_set(err, EINVAL, "'%s': the field is no address", key->name);
}

static int bind_event(struct sample_values *v, u32 key, u32 event, const struct tp_field *f,
		      struct err *err)
{
	struct sample_take *take = &v->takes[(size_t)event * v->nr + key];
	struct sample_shape s = {.key = key, .event = event, .take = field_reader_of(f)};
	int ret = check_function(&v->keys[key], f, err);

	if (ret)
		return ret;
	ret = look_at(v, event, f, &s, err);
	if (ret) {
		free_shape(&s);
		return ret;
	}
	take->field = s.take;
	return add_shape(v, &s, &take->shape, err);
}

static int bind_field(struct sample_values *v, struct sample_key *key, u32 at, bool perf,
		      struct arena *arena, struct err *err)
{
	static const char function[] = ".function";
	size_t len = strlen(key->name), tail = sizeof(function) - 1;
	enum sample_key_kind other;
	const struct tp_field *f;
	bool found;
	int ret;
	u32 e;

	if (!perf && len > tail && !strcmp(key->name + len - tail, function)) {
		key->function = true;
		key->field = arena_strndup(arena, key->name, len - tail);
		if (!key->field)
			return err_nomem(err);
	}
	ret = sample_values_split_field(v, key, arena, &found, err);
	if (ret)
		return ret;
	if (!found) {
		other = perf ? KEY_NONE : sample_keys_plain(key->name, len);
		if (other == KEY_NONE)
			return no_such_key(v, key->name, perf, err);
		key->kind = other;
		return 0;
	}
	for (e = 0; e < nr_events(v) && !ret; e++) {
		f = sample_values_find_field(v, e, key->event, key->field);
		if (f)
			ret = bind_event(v, at, e, f, err);
	}
	return ret;
}

static int not_recorded(const struct sample_key *key, const char *option, struct err *err)
{
	err_set(err, EINVAL, "'%s' was not recorded", key->name);
	if (option)
		err_hint(err, "record it: perf-lite record %s ...", option);
	return -EINVAL;
}

/* Keys whose values are not in the samples. */
static int check_facts(const struct sample_values *v, const struct sample_key *key, struct err *err)
{
	u32 e;

	if (key->kind == KEY_SOCKET && !v->cpus.v.nr)
		return not_recorded(key, NULL, err);
	if (key->kind != KEY_CGROUP_ID)
		return 0;
	for (e = 0; e < nr_events(v); e++)
		if (event_at(v, e)->attr.namespaces)
			return 0;
	return not_recorded(key, "--namespaces", err);
}

static int check_needs(const struct sample_values *v, const struct sample_key *key, struct err *err)
{
	const u64 of_processor =
		PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_BRANCH_STACK;
	const char *option;
	u64 needs = sample_keys_needs(key->kind, &option);
	bool processor = false;
	u32 e;

	for (e = 0; needs && e < nr_events(v); e++) {
		if (event_at(v, e)->attr.sample_type & needs)
			return 0;
		processor |= event_at(v, e)->attr.type != PERF_TYPE_SOFTWARE &&
			     event_at(v, e)->attr.type != PERF_TYPE_TRACEPOINT;
	}
	if (!needs)
		return check_facts(v, key, err);
	if (needs & of_processor && !processor) {
		err_set(err, EINVAL,
			"only events of the processor have '%s': software events and tracepoints do not",
			key->name);
		err_hint(err, "choose an event of the processor: %s",
			 needs & PERF_SAMPLE_BRANCH_STACK ? "-e cycles" : "-e cpu/mem-loads/P");
		return -EINVAL;
	}
	return not_recorded(key, option, err);
}

int sample_values_bind(struct sample_values *v, struct sample_key *keys, u32 nr, bool perf,
		       struct arena *arena, struct err *err)
{
	int ret = 0;
	u32 i;

	v->keys = keys;
	v->nr = nr;
	v->takes = calloc((size_t)nr_events(v) * nr + 1, sizeof(*v->takes));
	if (!v->takes)
		return err_nomem(err);
	for (i = 0; i < nr && !ret; i++) {
		if (keys[i].kind == KEY_FIELD)
			ret = bind_field(v, &keys[i], i, perf, arena, err);
		if (keys[i].kind == KEY_PARALLELISM)
			ret = session_count_threads(v->session, err);
		if (!ret && !perf)
			ret = check_needs(v, &keys[i], err);
	}
	return ret;
}

void sample_values_fields_free(struct sample_values *v)
{
	u32 i;

	for (i = 0; i < v->shapes.nr; i++)
		free_shape(&v->shapes.v[i]);
	vec_free(&v->shapes);
	vec_free(&v->fields);
	hmap_free(&v->by_field);
	strtab_free(&v->bytes);
	free(v->takes);
}

/* ---- values ---- */

bool sample_values_bytes(struct sample_values *v, const struct sample_take *take,
			 const struct sample *s, bool known, u64 *value, u8 *shape)
{
	const struct tp_field *f = take->field.field;
	const void *p;
	size_t n;

	*shape = take->shape;
	if (!tp_field_bytes(f, s->raw, s->raw_size, &p, &n)) {
		*value = 0;
		*shape = 0;
		return true;
	}
	if (f->is_string)
		n = strnlen(p, n);
	*value = known ? strtab_find(&v->bytes, p, n) : strtab_add(&v->bytes, p, n);
	return known || *value != ID_NONE;
}

/* The number of a value and its shape. */
static bool intern(struct sample_values *v, u64 value, u32 shape, u64 *number)
{
	u64 hash = hash_u64(value) + shape;
	u32 first = hmap_get(&v->by_field, hash), at;
	struct sample_field_value *to;

	for (at = first; at != ID_NONE; at = v->fields.v[at].next)
		if (v->fields.v[at].value == value && v->fields.v[at].shape == shape)
			break;
	if (at == ID_NONE) {
		at = v->fields.nr;
		to = vec_push(&v->fields);
		if (!to || !hmap_set(&v->by_field, hash, at))
			return false;
		*to = (struct sample_field_value){value, shape, first};
	}
	*number = at;
	return true;
}

bool sample_values_field_get(struct sample_values *v, u32 key, const struct session_sample *s,
			     u64 *value)
{
	const struct sample_take *take = sample_values_take(v, s->event, key);
	u8 shape = take->shape;
	u64 word = 0;

	if (!shape || !s->sample->raw)
		shape = 0;
	else if (take->field.kind != FIELD_READER_INT) {
		if (!sample_values_bytes(v, take, s->sample, false, &word, &shape))
			return false;
	} else if (!field_reader_int(&take->field, s->sample->raw, s->sample->raw_size, &word)) {
		shape = 0;
		word = 0;
	}
	return intern(v, word, shape, value);
}

int sample_values_compare_field(const struct sample_values *v, u64 a, u32 shape_a, u64 b,
				u32 shape_b)
{
	const struct sample_shape *s = shape_a ? &v->shapes.v[shape_a - 1] : NULL;
	const struct strtab_entry *x, *y;
	int ret;

	if (shape_a != shape_b)
		return !shape_a || !shape_b ? !shape_a - !shape_b
					    : sample_values_order(shape_a, shape_b);
	if (!s || a == b)
		return 0;
	if (s->take.kind == FIELD_READER_INT)
		return sample_values_order(a ^ (u64)s->take.is_signed << 63,
					   b ^ (u64)s->take.is_signed << 63);
	x = &v->bytes.entries[a];
	y = &v->bytes.entries[b];
	ret = memcmp(x->s, y->s, MIN(x->len, y->len));
	return ret ? ret : sample_values_order(x->len, y->len);
}

/* ---- text ---- */

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

/* Where the bytes are, as the field itself says it. */
static u32 location(const struct tp_field *f, u32 at, size_t len)
{
	u32 from = f->loc == TP_LOC_REL ? at - f->offset - f->size : at;

	return (u32)len << 16 | (from & 0xffff);
}

/* A record in which the field has this value, and all else is 0. False when memory is out. */
static bool make_record(struct sample_values *v, const struct sample_shape *s, u64 value,
			struct sample *sample)
{
	const struct tp_field *f = s->take.field;
	const struct strtab_entry *text = NULL;
	u32 at = f->offset, end = f->offset + f->size;
	u32 loc;
	u8 *raw;

	if (s->take.kind == FIELD_READER_BYTES) {
		text = &v->bytes.entries[value];
		at = f->loc == TP_LOC_FIXED ? f->offset : end;
		end = MAX(end, at + text->len);
	}
	buf_clear(&v->raw);
	buf_pad(&v->raw, '\0', end);
	if (v->raw.failed)
		return false;
	raw = (u8 *)v->raw.data;
	if (!text) {
		put_integer(raw + f->offset, f->size, value);
	} else {
		loc = location(f, at, text->len);
		if (f->loc != TP_LOC_FIXED)
			memcpy(raw + f->offset, &loc, sizeof(loc));
		memcpy(raw + at, text->s, text->len);
	}
	*sample = (struct sample){.raw = raw, .raw_size = end};
	return true;
}

/* What shows the value of a field where it has no names. */
static const struct tp_prog *shown_by(const struct sample_shape *s)
{
	return s->namer ? NULL : s->format.prog;
}

void sample_values_put_field(struct sample_values *v, u32 shape, u64 value, struct buf *out)
{
	const struct sample_shape *s = &v->shapes.v[shape - 1];
	struct trace_field f = {.field = s->take.field, .names = s->namer};
	struct sample sample;

	if (!make_record(v, s, value, &sample))
		out->failed = true;
	else if (shown_by(s))
		trace_text_run(&v->text, shown_by(s), &sample, out);
	else
		trace_fields_text(&f, &v->text, &sample, out);
}

static void put_named(struct sample_values *v, const struct trace_field *f,
		      const struct tp_prog *prog, const struct sample *sample, struct buf *out)
{
	buf_clear(&v->one);
	trace_text_run(&v->text, prog, sample, &v->one);
	json_open(out, '{');
	json_key(out, "value");
	trace_fields_value(f, &v->text, sample, out);
	json_put_buf(out, "name", &v->one);
	buf_addc(out, '}');
	out->failed |= v->one.failed;
}

void sample_values_json_field(struct sample_values *v, u32 shape, u64 value, struct buf *out)
{
	const struct sample_shape *s = &v->shapes.v[shape - 1];
	struct trace_field f = {.field = s->take.field, .names = s->namer};
	struct sample sample;

	if (!make_record(v, s, value, &sample))
		out->failed = true;
	else if (shown_by(s))
		put_named(v, &f, shown_by(s), &sample, out);
	else
		trace_fields_value(&f, &v->text, &sample, out);
}

bool sample_values_field_is_number(const struct sample_values *v, u32 key)
{
	const struct sample_shape *s;
	u32 i;

	for (i = 0; i < v->shapes.nr; i++) {
		s = &v->shapes.v[i];
		if (s->key == key && (s->take.kind != FIELD_READER_INT ||
				      s->take.field->is_pointer || s->namer || s->format.prog))
			return false;
	}
	return !v->keys[key].function;
}
