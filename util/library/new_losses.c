// SPDX-License-Identifier: GPL-2.0
#include "util/library/new_losses.h"

int new_losses_init(struct new_losses *n, const struct watching *w, struct err *err)
{
	*n = (struct new_losses){0};
	return !w->live && losses_ahead_read(&n->ahead, w->input) ? err_nomem(err) : 0;
}

/* The end of the last loss: of a CPU that was offline it is when its events are seen again. */
static u64 end_of_losses(const struct watching *w)
{
	const struct recording *r = w->in.s->source->recording;
	u64 end = 0;
	u32 i;

	for (i = 0; i < r->losses.nr; i++)
		end = MAX(end, r->losses.v[i].to);
	for (i = 0; w->live && i < w->live->loss_account.losses.nr; i++)
		end = MAX(end, w->live->loss_account.losses.v[i].to);
	return end;
}

u64 new_losses_until(struct new_losses *n, const struct watching *w, u64 time)
{
	const struct session *s = w->in.s;
	u64 losses = s->totals.lost + s->totals.lost_samples + s->source->recording->losses.nr +
		     (w->live ? w->live->loss_account.reports : 0);
	u64 until = losses_ahead_begun(&n->ahead, time);

	if (losses != n->known)
		until = MAX(until, MAX(time, end_of_losses(w)));
	n->known = losses;
	/* that it is lost will be told when the CPU is seen again: too late for what has been paired by then */
	if (w->live && w->live->event_session.hotplug.unseen != n->unseen) {
		n->unseen = w->live->event_session.hotplug.unseen;
		until = MAX(until, n->unseen);
	}
	return until;
}

void new_losses_free(struct new_losses *n)
{
	losses_ahead_free(&n->ahead);
}
