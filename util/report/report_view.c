// SPDX-License-Identifier: GPL-2.0
#include "util/report/report_view.h"

#include <string.h>

#include "util/base/text.h"
#include "util/report/report_costs.h"

u64 report_view_value(const struct report_view *v, const struct report_entry *e, u32 key)
{
	const struct report_key *k = &v->keys->keys.v[key];

	if (report_kind_is_of_frame(k->kind))
		return v->places->values.v[(size_t)e->place * v->keys->nr_frame + k->at];
	return v->samples->values.v[(size_t)e->root * v->keys->nr_sample + k->at];
}

u64 report_view_number(const struct report_view *v, const struct report_entry *e,
		       enum report_kind kind)
{
	struct report_numbers n;

	switch (kind) {
	case REPORT_CHILDREN:
		return v->children ? e->all_weight : e->weight;
	case REPORT_SAMPLES:
		return e->samples;
	case REPORT_OVERHEAD:
	case REPORT_PERIOD:
		return e->weight;
	default:
		n = report_entries_numbers(v->entries, e);
		return report_view_member(v, &n, kind);
	}
}

u64 report_view_member(const struct report_view *v, const struct report_numbers *n,
		       enum report_kind kind)
{
	switch (kind) {
	case REPORT_CHILDREN:
		return v->children ? n->all_weight : n->weight;
	case REPORT_SAMPLES:
		return n->samples;
	case REPORT_OVERHEAD:
	case REPORT_PERIOD:
		return n->weight;
	default:
		return n->modes.weight[kind - REPORT_OVERHEAD_SYS];
	}
}

bool report_view_shows(const struct report_view *v, const struct report_column *c)
{
	return c->key == ID_NONE || !v->absent || !v->absent[c->key];
}

static double percent(u64 weight, u64 all)
{
	return all ? 100.0 * (double)weight / (double)all : 0;
}

double report_view_percent(const struct report_view *v, u64 weight)
{
	return percent(weight, v->weight_in_all);
}

double report_view_member_percent(const struct report_view *v, u32 member, u64 weight)
{
	return percent(weight, v->group->members[member].weight_in_all);
}

double report_view_share(const struct report_view *v, const struct report_entry *e)
{
	return report_view_percent(v, v->children ? e->all_weight : e->weight);
}

/* NULL: it has no name. */
static const char *comm_of(const struct report_view *v, u64 value, u32 *len)
{
	u32 id = (u32)value;

	if (value & REPORT_COMM_UNKNOWN || id >= v->model->comms.nr)
		return NULL;
	*len = v->model->comms.entries[id].len;
	return v->model->comms.entries[id].s;
}

void report_view_put_comm(const struct report_view *v, u64 value, struct buf *out)
{
	u32 len;
	const char *comm = comm_of(v, value, &len);

	if (comm)
		text_escape(out, comm, len);
	else
		buf_addf(out, ":%d", (s32)(u32)value);
}

/* The number of a thread and its last name. */
static void put_thread(const struct report_view *v, u32 tid, struct buf *out)
{
	const struct thread *t = process_find_thread(v->model, tid);
	const char *comm;
	size_t len;

	buf_addf(out, "%7d:", (s32)tid);
	comm = t ? process_comm(v->model, t, &len) : NULL;
	if (comm)
		text_escape(out, comm, len);
	else
		buf_addf(out, ":%d", (s32)tid);
}

static void put_symbol(const struct report_symbol *s, struct buf *out)
{
	if (s->name) {
		text_escape(out, s->name, strlen(s->name));
		return;
	}
	if (s->start)
		buf_adds(out, "0x");
	buf_hex0(out, s->start, 16);
}

/* Sizes are one more than they are, 0: not known. */
static void put_size(u64 value, struct buf *out)
{
	if (value)
		buf_dec(out, value - 1, 0);
	else
		buf_adds(out, "unknown");
}

void report_view_put(const struct report_view *v, const struct report_entry *e, u32 key,
		     struct buf *out)
{
	u64 value = report_view_value(v, e, key);

	switch (v->keys->keys.v[key].kind) {
	case REPORT_COMM:
		report_view_put_comm(v, value, out);
		break;
	case REPORT_PID:
	case REPORT_TGID:
		put_thread(v, (u32)value, out);
		break;
	case REPORT_CPU:
		buf_addf(out, "%.3d", (s32)value); /* -001: not known */
		break;
	case REPORT_TIME:
		buf_addf(out, "%llu.%06llu", (unsigned long long)(value / 1000000000),
			 (unsigned long long)(value / 1000 % 1000000));
		break;
	case REPORT_DSO:
		buf_adds(out, (u32)value == ID_NONE ? "[unknown]"
						    : strtab_get(&v->places->dsos, (u32)value));
		break;
	case REPORT_SYMBOL:
		put_symbol(&v->places->symbols.v[value], out);
		break;
	case REPORT_SRCLINE:
	case REPORT_SRCFILE:
		buf_adds(out, strtab_get(&v->places->lines, (u32)value));
		break;
	case REPORT_SYMBOL_SIZE:
	case REPORT_DSO_SIZE:
		put_size(value, out);
		break;
	case REPORT_IPC:
		buf_adds(out, "-      -");
		break;
	default:
		if (report_costs_knows(v->keys->keys.v[key].kind))
			report_costs_put(v->keys->keys.v[key].kind, value, e->samples, out);
		else
			buf_adds(out, v->texts->text(v->texts, (u32)value));
	}
}
