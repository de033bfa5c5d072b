// SPDX-License-Identifier: GPL-2.0
#include "util/profile/clock_pairs.h"

#include <string.h>

#include "util/base/num.h"

/* The clock that the events were recorded with. */
static int own_clock(const struct recording *r)
{
	const struct event_set *events = &r->events;
	u32 i;

	for (i = 0; i < events->events.nr; i++)
		if (events->events.v[i].attr.use_clockid)
			return events->events.v[i].attr.clockid;
	return -1;
}

static bool add(struct clock_pairs *p, const struct clock_pair *pair)
{
	u32 at;

	if (!vec_push(&p->v))
		return false;
	for (at = p->v.nr - 1; at && p->v.v[at - 1].own > pair->own; at--)
		p->v.v[at] = p->v.v[at - 1];
	p->v.v[at] = *pair;
	return true;
}

/* perf's recordings, and those of old recorders, have one reading, in two facts. */
static bool add_single(struct clock_pairs *p, const struct recording *r)
{
	const char *wall = recording_fact(r, "wall_clock_ns"), *own = recording_fact(r, "clock_ns");
	struct clock_pair pair = {0};

	if (!wall || !own || !num_u64(wall, &pair.at[CLOCK_PAIR_REAL]) || !num_u64(own, &pair.own))
		return true;
	p->single = true;
	return add(p, &pair);
}

bool clock_pairs_read(struct clock_pairs *p, const struct recording *r)
{
	struct clock_pair pair;
	const struct fact *f;

	p->own = own_clock(r);
	if (p->facts == r->facts.nr)
		return true;
	for (; p->facts < r->facts.nr; p->facts++) {
		f = &r->facts.v[p->facts];
		if (!strcmp(f->key, CLOCK_PAIR_KEY) && clock_pair_parse(&pair, f->value) &&
		    !add(p, &pair))
			return false;
	}
	return p->v.nr || add_single(p, r);
}

static bool is_own(const struct clock_pairs *p, enum clock_pair_of which)
{
	return p->own == clock_pair_clockid(which);
}

bool clock_pairs_know(const struct clock_pairs *p, enum clock_pair_of which)
{
	return is_own(p, which) || (p->v.nr && p->v.v[0].at[which]);
}

u64 clock_pairs_convert(const struct clock_pairs *p, enum clock_pair_of which, u64 time)
{
	u32 i = p->v.nr;

	/* perf puts its one reading on top of CLOCK_REALTIME, too */
	if (!i || (is_own(p, which) && !(p->single && which == CLOCK_PAIR_REAL)))
		return time;
	/* there are few, and most times are the latest */
	while (--i && p->v.v[i].own > time)
		;
	return time + (p->v.v[i].at[which] - p->v.v[i].own);
}

void clock_pairs_free(struct clock_pairs *p)
{
	vec_free(&p->v);
}
