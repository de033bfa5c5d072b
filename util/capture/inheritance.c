// SPDX-License-Identifier: GPL-2.0
#include "util/capture/inheritance.h"

#include <stdlib.h>

#include "util/base/cur.h"

/* From the copies of a thread's events to its FORK record, if its maker is not kept from running. */
#define RECORD_NS 500000
/* Side-band does not overflow while so many counters are opened. */
#define ASKED_MAX 1024

/* A record that is lost, or has no memory, leaves a thread that seems to have inherited nothing. */
static void note_fork(struct inheritance *h, const struct rec *rec)
{
	struct cur c = rec_body(rec);
	struct inheritance_fork fork;
	u32 tid, maker;

	cur_u32(&c); /* the process, and its maker */
	cur_u32(&c);
	tid = cur_u32(&c);
	maker = cur_u32(&c);
	fork = (struct inheritance_fork){.time = cur_u64(&c), .maker = (s32)maker};
	if (c.bad || !hmap_set(&h->makers, maker, 0))
		return;
	if (hmap_get(&h->made, tid) != ID_NONE) {
		h->forks.v[hmap_get(&h->made, tid)] = fork;
	} else if (hmap_set(&h->made, tid, h->forks.nr)) {
		struct inheritance_fork *slot = vec_push(&h->forks);

		if (slot)
			*slot = fork;
		else
			hmap_set(&h->made, tid, ID_NONE);
	}
}

void inheritance_look(struct inheritance *h)
{
	u8 *bounce = malloc(UINT16_MAX + 1);
	struct ring_slot *s;
	struct rec rec;
	u32 i;

	for (i = 0; bounce && i < h->rings->v.nr; i++) {
		s = &h->rings->v.v[i];
		if (!s->sideband || !ring_begin(&s->ring))
			continue;
		while (ring_view(&s->ring, &rec, bounce))
			if (rec.type == PERF_RECORD_FORK)
				note_fork(h, &rec);
		ring_release(&s->ring);
	}
	free(bounce);
}

static u64 key_of(u32 spec, s32 tid, u32 cpu)
{
	return (u64)(u32)tid << 40 | (u64)(spec & 0xffffff) << 16 | (cpu & 0xffff);
}

void inheritance_late(struct inheritance *h)
{
	const struct counters *all = &h->rings->counters;
	u32 i;

	h->late = true;
	hmap_clear(&h->counters);
	for (i = 0; i < all->nr; i++)
		if (all->v[i].tid > 0 && hmap_get(&h->makers, (u64)all->v[i].tid) != ID_NONE)
			hmap_set(&h->counters, key_of(all->v[i].spec, all->v[i].tid, all->v[i].cpu),
				 i);
}

/* When the thread's counter was open; of a group, which is inherited as one, the last. 0: it has none of its own. */
static u64 opened(const struct inheritance *h, u32 spec, s32 tid, u32 cpu)
{
	const struct ev_list *list = h->rings->list;
	const u32 group = list->specs.v[spec].group;
	u64 time = 0;
	u32 i, number;

	for (i = group == ID_NONE ? spec : 0; i < list->specs.nr; i++) {
		if (i != spec && (group == ID_NONE || list->specs.v[i].group != group))
			continue;
		number = hmap_get(&h->counters, key_of(i, tid, cpu));
		if (number != ID_NONE)
			time = MAX(time, h->rings->counters.v[number].opened);
		if (group == ID_NONE)
			break;
	}
	return time;
}

/* The thread began at `began`, when its maker's counter was open since `since`. */
static bool is_copied(struct inheritance *h, s32 tid, u64 began, u64 since)
{
	if (began > since + RECORD_NS)
		return true;
	if (began + RECORD_NS > since)
		hmap_set(&h->doubtful, (u64)tid, 0);
	return false;
}

bool inheritance_has(void *arg, u32 spec, s32 tid, u32 cpu)
{
	struct inheritance *h = arg;
	const struct inheritance_fork *fork;
	s32 made = tid;
	u32 number, i;
	u64 since;

	if (!h->late) {
		if (++h->asked % ASKED_MAX == 0)
			inheritance_look(h);
		return false;
	}
	/* a maker without a counter of its own has what it inherited */
	for (i = 0; i <= h->forks.nr; i++) {
		number = hmap_get(&h->made, (u64)made);
		if (number == ID_NONE)
			return false;
		fork = &h->forks.v[number];
		since = opened(h, spec, fork->maker, cpu);
		if (since)
			return is_copied(h, tid, fork->time, since);
		made = fork->maker;
	}
	return false;
}

void inheritance_free(struct inheritance *h)
{
	vec_free(&h->forks);
	hmap_free(&h->made);
	hmap_free(&h->makers);
	hmap_free(&h->counters);
	hmap_free(&h->doubtful);
	h->asked = 0;
	h->late = false;
}
