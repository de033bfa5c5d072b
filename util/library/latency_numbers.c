// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "util/file/recording.h"
#include "util/library/latency_internal.h"

static struct field_reader reader_of(const struct tp_format *f, const char *name, size_t len,
				     const char *suffix)
{
	const struct tp_field *field;
	struct buf b = {0};

	buf_add(&b, name, len);
	buf_adds(&b, suffix);
	field = f && !b.failed ? tp_format_field(f, buf_str(&b)) : NULL;
	buf_free(&b);
	return field ? field_reader_of(field) : (struct field_reader){0};
}

void latency_numbers_bind(struct latency *l)
{
	const struct session *s = l->w->in.s;
	const char *fact = recording_fact(s->source->recording, RECORDING_PID_NAMESPACE);
	const struct event_set *set = &s->source->recording->events;
	struct latency_numbers *n = &l->numbers;
	struct latency_bound *b;
	const char *key;
	size_t len;
	u32 e;

	n->differ = fact && !strcmp(fact, "1");
	if (!n->differ)
		return;
	for (e = 0; e < s->nr_events && !n->prev.kind; e++) {
		if (strcmp(set->events.v[e].name, "sched:sched_switch") != 0)
			continue;
		n->prev = reader_of(s->formats[e], "prev_pid", strlen("prev_pid"), "");
		n->event = e;
	}
	for (b = l->points.bounds.v; b < l->points.bounds.v + l->points.bounds.nr; b++) {
		key = b->point->keys[0];
		len = strlen(key);
		if (!l->points.by_task || b->keys[0].kind != LATENCY_FIELD ||
		    b->event >= s->nr_events || len < 3)
			continue;
		n->in_keys = true;
		b->name = reader_of(s->formats[b->event], key, len - 3, "comm");
	}
}

/* A switch is an event of the thread that leaves the CPU, and has its number for the kernel. */
static bool see_switch(struct latency_numbers *n, const struct session_sample *s)
{
	const struct sample *sample = s->sample;
	u64 number;

	if (n->prev.kind != FIELD_READER_INT || s->event != n->event || !sample->raw ||
	    !field_reader_int(&n->prev, sample->raw, sample->raw_size, &number))
		return true;
	if (!sample->ids.tid || sample->ids.tid == ID_NONE ||
	    hmap_get(&n->here, number) == sample->ids.tid)
		return true;
	return hmap_set(&n->here, number, sample->ids.tid);
}

int latency_numbers_see(struct latency *l, const struct session_sample *s, struct err *err)
{
	return !l->numbers.differ || see_switch(&l->numbers, s) ? 0 : err_nomem(err);
}

int latency_numbers_name(struct latency *l, const struct latency_bound *b,
			 const struct session_sample *s, const u64 *key, struct err *err)
{
	const struct sample *sample = s->sample;
	struct latency_numbers *n = &l->numbers;
	const void *bytes;
	size_t len;
	u32 comm;

	if (!n->differ || b->name.kind != FIELD_READER_BYTES || !sample->raw ||
	    hmap_get(&n->here, key[0]) != ID_NONE ||
	    !tp_field_bytes(b->name.field, sample->raw, sample->raw_size, &bytes, &len))
		return 0;
	comm = strtab_add(&l->w->in.s->model.comms, bytes, strnlen(bytes, len));
	if (comm != ID_NONE &&
	    (hmap_get(&n->comms, key[0]) == comm || hmap_set(&n->comms, key[0], comm)))
		return 0;
	return err_nomem(err);
}

u32 latency_numbers_here(const struct latency *l, u32 tid)
{
	u32 here;

	if (!l->numbers.differ || !l->numbers.in_keys)
		return tid;
	here = hmap_get(&l->numbers.here, tid);
	return here == ID_NONE ? 0 : here;
}

const struct thread *latency_numbers_other(struct latency *l, u32 tid)
{
	struct latency_numbers *n = &l->numbers;
	const u32 comm = n->differ && n->in_keys ? hmap_get(&n->comms, tid) : ID_NONE;

	n->other = (struct thread){.comm = comm};
	return comm == ID_NONE ? NULL : &n->other;
}

u32 latency_numbers_as_key(const struct latency *l, u64 number)
{
	u32 here;

	if (!l->numbers.differ || l->numbers.in_keys || !number)
		return (u32)number;
	here = hmap_get(&l->numbers.here, number);
	return here == ID_NONE ? (u32)number | LATENCY_NUMBERS_OTHER : here;
}

void latency_numbers_free(struct latency_numbers *n)
{
	hmap_free(&n->here);
	hmap_free(&n->comms);
	*n = (struct latency_numbers){0};
}
