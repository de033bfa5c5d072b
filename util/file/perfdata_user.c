// SPDX-License-Identifier: GPL-2.0
#include "util/file/perfdata_user.h"

#include <errno.h>

#include "util/file/perfdata_abi.h"

/* The attr tells its size itself; the ids are what follows. */
static int add_event(struct recording *r, struct cur c, struct err *err)
{
	struct cur peek = c;
	const u8 *attr;
	u32 size;

	cur_u32(&peek); /* type */
	size = cur_u32(&peek);
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	attr = cur_bytes(&c, size);
	if (!attr || size < PERF_ATTR_SIZE_VER0)
		return -EBADMSG;
	return perfdata_event_load(r, attr, size, c, err);
}

/* As perf wrote it until 2012: the number of a tracepoint, and its name. */
static int event_type(struct recording *r, struct cur c)
{
	u64 id = cur_u64(&c);
	const char *name = (const char *)c.p;
	u32 i;

	for (i = 0; i < r->events.events.nr; i++) {
		const struct perf_event_attr *a = &r->events.events.v[i].attr;

		if (a->type == PERF_TYPE_TRACEPOINT && a->config == id &&
		    event_set_name(&r->events, i, name, strnlen(name, cur_left(&c))))
			return -ENOMEM;
	}
	return c.bad ? -EBADMSG : 0;
}

static int event_update(struct recording *r, struct cur c)
{
	u64 what = cur_u64(&c), id = cur_u64(&c);
	u32 event = hmap_get(&r->events.by_id, id);
	const char *name = (const char *)c.p;

	if (c.bad)
		return -EBADMSG;
	if (what != PERFDATA_UPDATE_NAME || event == ID_NONE)
		return 0;
	return event_set_name(&r->events, event, name, strnlen(name, cur_left(&c)));
}

static int feature(struct recording *r, struct cur c)
{
	u64 id = cur_u64(&c);

	if (c.bad)
		return -EBADMSG;
	return id < PERFDATA_FEATURES ? perfdata_feature_load(r, (u32)id, c) : 0;
}

int perfdata_user_record(struct recording *r, const struct perf_event_header *h, struct cur body,
			 bool more_events, struct err *err)
{
	int ret = 0;

	switch (h->type) {
	case PERFDATA_HEADER_ATTR:
		return more_events ? add_event(r, body, err) : -EBADMSG;
	case PERFDATA_HEADER_EVENT_TYPE:
		ret = event_type(r, body);
		break;
	case PERFDATA_HEADER_BUILD_ID:
		ret = perfdata_build_id_load(r, h->misc, body);
		break;
	case PERFDATA_EVENT_UPDATE:
		ret = event_update(r, body);
		break;
	case PERFDATA_HEADER_FEATURE:
		ret = feature(r, body);
		break;
	}
	return ret == -ENOMEM ? err_nomem(err) : ret;
}
