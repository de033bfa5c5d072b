/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_set.h - the events of a recording: attr, name and ids of each, and which of them a record
 * belongs to.
 *
 * The set owns copies of all it is given. Event indices are dense and in the order of adding.
 */
#ifndef RECORD_EVENT_SET_H
#define RECORD_EVENT_SET_H

#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/record/plan.h"

struct event_desc {
	struct perf_event_attr attr;
	struct plan plan;
	const char *name;
	u64 *ids;
	u32 nr_ids;
	bool sideband; /* carries the side-band records only; nobody asked for it by name */
};

struct event_set {
	VEC(struct event_desc) events;
	struct hmap by_id;
	struct arena arena;
};

/*
 * Add an event. `attr_size` bytes of attr are there: shorter ones of old kernels are extended by
 * zeros, what is longer than this program knows is cut. Returns its index or -errno.
 */
int event_set_add(struct event_set *s, const void *attr, size_t attr_size, const char *name,
		  const u64 *ids, u32 nr_ids, struct err *err);
/* Rename an event, or make its ids known, after adding. */
int event_set_name(struct event_set *s, u32 event, const char *name, size_t len);
int event_set_id(struct event_set *s, u64 id, u32 event);

/* The event of a record; ID_NONE if its id is unknown. */
u32 event_set_find(const struct event_set *s, const struct rec *rec);

void event_set_free(struct event_set *s);

#endif
