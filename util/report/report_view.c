// SPDX-License-Identifier: GPL-2.0
#include "util/report/report_view.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"
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

static void put_comm(const struct report_view *v, u64 value, struct buf *out)
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
		put_comm(v, value, out);
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

static int compare_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b ? 1 : 0;
}

/* What is not there comes last. */
static int compare_names(const char *a, const char *b)
{
	if (!a || !b)
		return !a - !b;
	return strcmp(a, b);
}

static int compare_comms(const struct report_view *v, u64 a, u64 b)
{
	struct buf x = {0}, y = {0};
	int ret;

	put_comm(v, a, &x);
	put_comm(v, b, &y);
	ret = strcmp(buf_str(&x), buf_str(&y));
	buf_free(&x);
	buf_free(&y);
	return ret;
}

/* Numbers as numbers, which come before all else. */
static int compare_texts(const char *a, const char *b)
{
	s64 x, y;
	bool is_x = num_s64(a, &x), is_y = num_s64(b, &y);

	if (is_x && is_y)
		return x < y ? -1 : x > y ? 1 : 0;
	return is_x == is_y ? strcmp(a, b) : is_x ? -1 : 1;
}

/* "9/0xf0000001": device and inode, falling. */
static int compare_namespaces(const char *a, const char *b)
{
	char *left, *right;
	u64 x = strtoull(a, &left, 10), y = strtoull(b, &right, 10);

	if (x != y || !*left || !*right)
		return compare_u64(y, x);
	return compare_u64(strtoull(right + 1, NULL, 16), strtoull(left + 1, NULL, 16));
}

static const char *dso_name(const struct report_places *p, u64 dso)
{
	return (u32)dso == ID_NONE ? NULL : strtab_get(&p->dsos, (u32)dso);
}

static int compare_values(const struct report_view *v, enum report_kind kind, u64 a, u64 b)
{
	const struct report_places *p = v->places;

	if (a == b)
		return 0;
	switch (kind) {
	case REPORT_COMM:
		return compare_comms(v, a, b);
	case REPORT_PID:
	case REPORT_TGID:
	case REPORT_CPU:
	case REPORT_TIME:
		return compare_u64(a, b);
	case REPORT_SYMBOL_SIZE:
	case REPORT_DSO_SIZE:
		return compare_u64(a, b);
	case REPORT_CGROUP_ID:
		return compare_namespaces(v->texts->text(v->texts, (u32)a),
					  v->texts->text(v->texts, (u32)b));
	case REPORT_DSO:
		return compare_names(dso_name(p, a), dso_name(p, b));
	case REPORT_SYMBOL:
	case REPORT_IPC:
		return compare_names(p->symbols.v[a].name, p->symbols.v[b].name);
	case REPORT_SRCLINE:
	case REPORT_SRCFILE:
		return strcmp(strtab_get(&p->lines, (u32)a), strtab_get(&p->lines, (u32)b));
	default:
		if (report_costs_knows(kind))
			return compare_u64(b, a);
		return compare_texts(v->texts->text(v->texts, (u32)a),
				     v->texts->text(v->texts, (u32)b));
	}
}

static bool is_symbol(enum report_kind kind)
{
	return kind == REPORT_SYMBOL || kind == REPORT_IPC;
}

/* Functions that are called the same. */
static int compare_symbols(const struct report_places *p, u64 a, u64 b)
{
	const struct report_symbol *x = &p->symbols.v[a], *y = &p->symbols.v[b];
	int ret = x->name && y->name ? compare_names(dso_name(p, x->dso), dso_name(p, y->dso)) : 0;

	/* as perf, which takes differences of addresses for signed numbers */
	return ret ? ret : ((s64)x->start > (s64)y->start) - ((s64)x->start < (s64)y->start);
}

int report_view_compare_key(const struct report_view *v, const struct report_entry *x,
			    const struct report_entry *y, const struct report_column *c)
{
	u64 a = report_view_value(v, x, c->key), b = report_view_value(v, y, c->key);
	int ret = compare_values(v, c->kind, a, b);

	return !ret && is_symbol(c->kind) ? compare_symbols(v->places, a, b) : ret;
}

static int compare_members(const struct report_view *v, const struct report_entry *x,
			   const struct report_entry *y, enum report_kind kind)
{
	const struct report_numbers *a = report_group_row(v->group, x);
	const struct report_numbers *b = report_group_row(v->group, y);
	u32 first = v->sort_member < v->group->nr ? v->sort_member : 0, i;
	int ret = compare_u64(report_view_member(v, &b[first], kind),
			      report_view_member(v, &a[first], kind));

	for (i = 1; i < v->group->nr && !ret; i++)
		ret = compare_u64(report_view_member(v, &b[i], kind),
				  report_view_member(v, &a[i], kind));
	return ret;
}

static int compare_numbers(const struct report_view *v, const struct report_entry *x,
			   const struct report_entry *y, enum report_kind kind)
{
	int ret;

	if (v->group && kind != REPORT_CHILDREN)
		return compare_members(v, x, y, kind);
	ret = compare_u64(report_view_number(v, y, kind), report_view_number(v, x, kind));

	if (!ret && kind == REPORT_CHILDREN && x->thread == y->thread && x->rank != y->rank)
		ret = x->rank < y->rank ? -1 : 1;
	return ret;
}

static int compare(const void *a, const void *b, void *view)
{
	const struct report_view *v = view;
	const struct report_columns *order = &v->keys->order;
	const struct report_entry *x = a, *y = b;
	const struct report_column *c;
	int ret = 0;
	u32 i;

	for (i = 0; i < order->nr && !ret; i++) {
		c = &order->v[i];
		if (c->key == ID_NONE)
			ret = compare_numbers(v, x, y, c->kind);
		else
			ret = compare_values(v, c->kind, report_view_value(v, x, c->key),
					     report_view_value(v, y, c->key));
	}
	for (i = 0; i < order->nr && !ret; i++) {
		c = &order->v[i];
		if (is_symbol(c->kind))
			ret = compare_symbols(v->places, report_view_value(v, x, c->key),
					      report_view_value(v, y, c->key));
	}
	if (!ret)
		ret = compare_u64((u64)x->root << 32 | x->place, (u64)y->root << 32 | y->place);
	return ret;
}

void report_view_sort(struct report_view *v)
{
	if (v->entries->v.nr)
		qsort_r(v->entries->v.v, v->entries->v.nr, sizeof(*v->entries->v.v), compare, v);
}
