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
#include "util/record/sample_layout.h"

/* A field of the raw data of a tracepoint (raw_layout.h). */
struct raw_field {
	u16 at, size;
};

struct raw_fields {
	struct raw_field *v;
	u32 nr, cap;
};

struct event_desc {
	struct perf_event_attr attr;
	struct sample_layout layout;
	const char *name;
	u64 *ids;
	u32 nr_ids;
	bool sideband; /* carries the side-band records only; nobody asked for it by name */
	bool in_group; /* that of the event in front of it: {a,b} */
	const char *group_name;   /* of the first in a group: name{a,b}; NULL: it has none */
	struct raw_field *fields; /* in rising order, none overlap; NULL: not known */
	u32 nr_fields;
};

struct event_set {
	VEC(struct event_desc) events;
	struct hmap by_id;
	struct hmap by_type; /* attr.config of tracepoints -> event; of two with one, the first */
	struct arena arena;
	bool ring_cpus;     /* every sample comes with the CPU of its ring in rec.cpu */
	bool kernel_chains; /* set before events are added: their call chains hold no marks (chain.h) */
	bool defers;        /* some samples have deferred call chains (deferred.h) */
	u32 deferred;       /* index + 1 of the event for deferred call chains; 0: none */
};

/* Does it count ns of the CPU's or the task's time? Each software event but these counts hits. */
static inline bool event_set_is_clock(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE &&
	       (a->config == PERF_COUNT_SW_CPU_CLOCK || a->config == PERF_COUNT_SW_TASK_CLOCK);
}

/*
 * Add an event. `attr_size` bytes of attr are there: shorter ones of old kernels are extended by
 * zeros, what is longer than this program knows is cut. Returns its index or -errno.
 */
int event_set_add(struct event_set *s, const void *attr, size_t attr_size, const char *name,
		  const u64 *ids, u32 nr_ids, struct err *err);
/* Rename an event, or make its ids known, after adding. */
int event_set_name(struct event_set *s, u32 event, const char *name, size_t len);
int event_set_id(struct event_set *s, u64 id, u32 event);

/* Tell where the fields of a tracepoint's raw data lie. */
int event_set_fields(struct event_set *s, u32 event, const struct raw_field *fields, u32 nr);
/* Tell what the samples of an event leave to be derived from their raw data (sample_layout.h). */
void event_set_derive(struct event_set *s, u32 event, const struct sample_layout_derive *d);
/* Tell that rec.cpu is set in all samples: their CPU then is known without being recorded. */
void event_set_ring_cpus(struct event_set *s);

/* Does every sample hold the address that it is of, which call chains are not needed for? False: of no events. */
bool event_set_addresses(const struct event_set *s);

/* Was nothing but tracepoints recorded? False: of no events. */
bool event_set_traces(const struct event_set *s);
/* Is there an event of this name? event_set_is_named() */
bool event_set_has(const struct event_set *s, const char *name);

/* The letters behind the last colon of cycles:u, as perf has them. */
#define EVENT_SET_MODIFIERS "ukhGHIpPSDWeb"
/* The length of an event's name without its modifiers, and without expressions: of cycles, of skb:kfree_skb. */
size_t event_set_plain_length(const char *name);
/* Is an event called that, with modifiers or without? Of a tracepoint the system may be left out. */
bool event_set_is_named(const char *name, const char *asked);

/*
 * The event of a record: rec->event where the source has set it, else that of the record's id;
 * ID_NONE if neither is known.
 */
u32 event_set_find(const struct event_set *s, const struct rec *rec);

/*
 * The event of a record from a ring all of whose events have the layout of event `layout`, which
 * may leave out the id: then a sample is of the tracepoint whose id its raw data begins with, or,
 * without raw data, of `layout`, as is every other record except deferred call chains, which only one
 * event reports (deferred.h). Linux 6.18 fills in a software event once for all programs that
 * sample it: its id and time may be another program's. A sample with an unknown id belongs to the
 * only software event, if there is just one; its time cannot be corrected.
 */
u32 event_set_find_in(const struct event_set *s, const struct rec *rec, u32 layout);
/*
 * The same while recording: side-band has rings of its own, and is event 0. The others write into one
 * ring of each CPU, with one layout; where there is one of them only, no record needs a look.
 */
static inline u32 event_set_find_in_ring(const struct event_set *s, const struct rec *rec,
					 bool sideband)
{
	if (sideband)
		return 0;
	return s->events.nr == 2 ? 1 : event_set_find_in(s, rec, 1);
}

void event_set_free(struct event_set *s);

#endif
