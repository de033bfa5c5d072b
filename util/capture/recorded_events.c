// SPDX-License-Identifier: GPL-2.0
#include "util/capture/recorded_events.h"

#include <stdlib.h>

#include "util/capture/stack_sample.h"
#include "util/event/ev_record.h"
#include "util/record/deferred.h"

struct how {
	bool stored, keep_stacks;
};

/* Tell the columns and the samples' readers what the raw data of a tracepoint holds. */
static int describe_raw(const struct ev_spec *spec, struct event_set *set, u32 event,
			struct err *err)
{
	struct sample_layout_derive derive;
	struct raw_fields fields = {0};
	int ret = 0;

	if (!spec->tp_format)
		return 0;
	ev_record_derive(spec, &derive);
	event_set_derive(set, event, &derive);
	if (!ev_record_fields(spec, &fields))
		ret = event_set_fields(set, event, fields.v, fields.nr);
	vec_free(&fields);
	return ret ? err_nomem(err) : 0;
}

static int describe(const struct ev_list *list, const struct counters *c, const struct how *how,
		    struct event_set *set, struct err *err)
{
	struct perf_event_attr attr;
	VEC(u64) ids = {0};
	u64 *id;
	u32 i, j;
	int ret = 0;

	for (i = 0; i < list->specs.nr && ret >= 0; i++) {
		const struct ev_spec *spec = &list->specs.v[i];

		ids.nr = 0;
		for (j = 0; j < c->nr && ret >= 0; j++) {
			if (c->v[j].spec != i)
				continue;
			id = vec_push(&ids);
			if (id)
				*id = c->v[j].id;
			else
				ret = err_nomem(err);
		}
		attr = spec->attr;
		if (how->stored)
			stack_sample_stored_attr(&attr, how->keep_stacks);
		if (ret >= 0)
			ret = event_set_add(set, &attr, sizeof(attr), spec->name, ids.v, ids.nr,
					    err);
		if (ret >= 0) {
			set->events.v[ret].sideband = spec->sideband;
			set->events.v[ret].in_group = spec->group != ID_NONE && !spec->leader;
			/* that a deferred half never came is said by a mark, too */
			set->events.v[ret].layout.kernel_chains =
				!(how->stored && stack_sample_is(&spec->attr)) &&
				!deferred_is_asked(&attr);
			ret = describe_raw(spec, set, i, err);
		}
	}
	vec_free(&ids);
	return ret < 0 ? ret : 0;
}

int recorded_events_stored(const struct ev_list *list, const struct counters *counters,
			   bool keep_stacks, struct event_set *set, struct err *err)
{
	const struct how how = {.stored = true, .keep_stacks = keep_stacks};

	return describe(list, counters, &how, set, err);
}

int recorded_events_live(const struct ev_list *list, const struct counters *counters,
			 struct event_set *set, struct err *err)
{
	const struct how how = {.stored = false};

	return describe(list, counters, &how, set, err);
}
