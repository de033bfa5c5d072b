// SPDX-License-Identifier: GPL-2.0
#include "util/report/report_view.h"

#include "util/base/num.h"

u64 report_view_value(const struct report_view *v, const struct report_entry *e, u32 key)
{
	u32 at = v->keys->at.v[key];

	if (sample_key_is_of_frame(v->keys->keys.v[key].kind))
		return v->places->values.v[(size_t)e->place * v->keys->nr_frame + at];
	return v->samples->values.v[(size_t)e->root * v->keys->nr_sample + at];
}

u64 report_view_number(const struct report_view *v, const struct report_entry *e,
		       enum sample_key_kind kind)
{
	struct report_numbers n;

	switch (kind) {
	case KEY_CHILDREN:
		return v->children ? e->all_weight : e->weight;
	case KEY_SAMPLES:
		return e->samples;
	case KEY_OVERHEAD:
	case KEY_PERIOD:
		return e->weight;
	default:
		n = report_entries_numbers(v->entries, e);
		return report_view_member(v, &n, kind);
	}
}

u64 report_view_member(const struct report_view *v, const struct report_numbers *n,
		       enum sample_key_kind kind)
{
	switch (kind) {
	case KEY_CHILDREN:
		return v->children ? n->all_weight : n->weight;
	case KEY_SAMPLES:
		return n->samples;
	case KEY_OVERHEAD:
	case KEY_PERIOD:
		return n->weight;
	default:
		return n->modes.weight[kind - KEY_OVERHEAD_SYS];
	}
}

bool report_view_shows(const struct report_view *v, const struct report_column *c)
{
	return c->key == ID_NONE || !v->absent || !v->absent[c->key];
}

double report_view_percent(const struct report_view *v, u64 weight)
{
	return num_percent(weight, v->weight_in_all);
}

double report_view_member_percent(const struct report_view *v, u32 member, u64 weight)
{
	return num_percent(weight,
			   v->group ? v->group->members[member].weight_in_all : v->weight_in_all);
}

double report_view_column_percent(const struct report_view *v, u32 member,
				  enum sample_key_kind kind, u64 number)
{
	const struct report_samples *s = v->group ? v->group->members[member].samples : v->samples;

	return kind == KEY_OVERHEAD_CPU ? num_percent(number, s->all_cpu)
					: report_view_member_percent(v, member, number);
}

double report_view_share(const struct report_view *v, const struct report_entry *e)
{
	return report_view_percent(v, v->children ? e->all_weight : e->weight);
}

/* What a sample cost, times the samples of the row. */
static bool is_row_sum(enum sample_key_kind kind)
{
	return kind == KEY_WEIGHT || kind == KEY_INS_LAT || kind == KEY_P_STAGE_CYC;
}

void report_view_put(const struct report_view *v, const struct report_entry *e, u32 key,
		     struct buf *out)
{
	enum sample_key_kind kind = v->keys->keys.v[key].kind;
	struct sample_values *values = v->samples->key_values;
	u64 value = report_view_value(v, e, key);

	if (sample_key_is_of_frame(kind))
		report_places_put(v->places, kind, value, out);
	else if ((kind == KEY_CPU || kind == KEY_SOCKET) &&
		 (value != ID_NONE || values->options.minus_cpu))
		buf_addf(out, "%.3d", (s32)value);
	else if (is_row_sum(kind))
		buf_dec(out, value * e->samples, 0);
	else
		sample_values_put(values, key, value, out);
}
