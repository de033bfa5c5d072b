// SPDX-License-Identifier: GPL-2.0
#include "util/record/raw_layout.h"

#include <errno.h>
#include <string.h>

/*
 * The tracepoints that count by a field. Their formats do not say so.
 * Source: __perf_count() in include/trace/events/sched.h, the only uses of it in Linux.
 */
static const struct {
	const char *name, *field;
} counting[] = {
	{"sched_stat_wait", "delay"},      {"sched_stat_sleep", "delay"},
	{"sched_stat_iowait", "delay"},    {"sched_stat_blocked", "delay"},
	{"sched_stat_runtime", "runtime"},
};

void raw_layout_derive(const struct tp_format *f, struct sample_layout_derive *d)
{
	const struct tp_field *pid = tp_format_field(f, "common_pid"), *count;
	u32 i;

	*d = (struct sample_layout_derive){
		.tid_at = -1,
		.period_at = -1,
		.by_program = tp_format_field(f, "common_unread") != NULL,
	};
	if (pid && pid->size == sizeof(u32) && pid->offset <= UINT16_MAX)
		d->tid_at = (s32)pid->offset;
	for (i = 0; i < ARRAY_SIZE(counting); i++) {
		if (strcmp(f->name, counting[i].name))
			continue;
		count = tp_format_field(f, counting[i].field);
		if (count && count->offset <= UINT16_MAX)
			d->period_at = (s32)count->offset;
	}
}

int raw_layout_fields(const struct tp_format *f, struct raw_fields *out)
{
	u32 i, at, step, end = 0;
	struct raw_field *to;

	for (i = 0; i < f->nr_fields; i++) {
		const struct tp_field *from = &f->fields[i];

		if (from->offset < end || !from->size || from->offset > UINT16_MAX ||
		    from->size > UINT16_MAX - from->offset)
			continue;
		end = from->offset + from->size;
		step = from->size;
		if (from->loc == TP_LOC_FIXED && from->elem_size == 8 && !(from->size % 8))
			step = 8;
		for (at = from->offset; at < end; at += step) {
			to = vec_push(out);
			if (!to)
				return -ENOMEM;
			*to = (struct raw_field){(u16)at, (u16)step};
		}
	}
	return 0;
}
