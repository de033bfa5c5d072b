// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "util/file/losses_ahead.h"
#include "util/library/perflite_internal.h"

/*
 * A recording has its losses as entries (file/loss.h), or, if perf wrote it, as records. Those of a file are known ahead, and come in
 * their turn; of a pipe and what runs now, as soon as they are known. What neither says, but the total does, comes at the end; so
 * does damage, as the lines that the commands print of it.
 */
struct perflite_losses {
	struct losses_ahead file;
	bool of_file;           /* entries are these */
	u32 given;              /* of them */
	VEC(struct loss) known; /* otherwise: how much of each entry was given */
	u64 reported;           /* samples, of all items */
	bool rest, damage;
	struct buf lines;
	size_t line; /* of `lines`: what was not given yet */
};

struct perflite_losses *perflite_losses_new(void)
{
	return calloc(1, sizeof(struct perflite_losses));
}

void perflite_losses_free(struct perflite_losses *l)
{
	if (l) {
		buf_free(&l->lines);
		losses_ahead_free(&l->file);
		vec_free(&l->known);
	}
	free(l);
}

int perflite_losses_open(struct perflite *p, struct err *err)
{
	const char *path = perflite_reading(p)->session.path;

	if (!strcmp(path, "-"))
		return 0;
	return losses_ahead_read_all(&p->losses->file, path, &p->losses->of_file) ? err_nomem(err)
										  : 0;
}

struct recording perflite_losses_recording(const struct perflite *p)
{
	struct recording r = *perflite_recording(p);
	const struct perflite_losses *l = p->losses;
	const u32 known = p->ended ? l->file.losses.nr : l->given;

	if (known > r.losses.nr) {
		r.losses.v = l->file.losses.v;
		r.losses.nr = known;
	}
	return r;
}

static void begin_item(struct perflite *p, u64 count, const char *text)
{
	perflite_new_item(p, count ? PERFLITE_LOSS : PERFLITE_GAP, NULL);
	p->item.text = text ? text : "for a reason that this version does not know";
	p->item.count = count;
}

/* Entries of a file, which began before the time. */
static bool next_of_file(struct perflite_losses *k, u64 before, struct loss *l)
{
	if (k->given >= k->file.losses.nr || k->file.losses.v[k->given].from > before)
		return false;
	*l = k->file.losses.v[k->given++];
	return true;
}

/* An entry that is new, or has grown: what of it was not given yet. */
static bool next_known(struct perflite *p, struct loss *l)
{
	const struct recording *r = perflite_recording(p);
	struct perflite_losses *k = p->losses;
	struct loss *was;
	u32 i;

	for (i = 0; i < r->losses.nr; i++) {
		*l = r->losses.v[i];
		was = i < k->known.nr ? &k->known.v[i] : NULL;
		if (was && was->count == l->count && was->to == l->to)
			continue;
		if (!was && !vec_push(&k->known)) {
			p->no_memory = true;
			return false;
		}
		if (was) {
			l->count -= MIN(was->count, l->count);
			l->from = was->to;
		}
		k->known.v[i] = r->losses.v[i];
		return true;
	}
	return false;
}

/* Are these samples that perflite_lost() counts? Of the ring of side-band they are other records. */
static bool are_samples(const struct recording *r, const struct loss *l)
{
	return l->cause != LOSS_DISK &&
	       !(l->event < r->events.events.nr && r->events.events.v[l->event].sideband);
}

static bool next_entry(struct perflite *p, u64 before)
{
	const struct recording *r = perflite_recording(p);
	struct loss l;
	bool samples;

	if (!(p->losses->of_file ? next_of_file(p->losses, before, &l) : next_known(p, &l)))
		return false;
	samples = are_samples(r, &l);
	begin_item(p, samples || l.cause == LOSS_DISK ? l.count : 0, loss_cause_name(l.cause));
	p->losses->reported += samples ? l.count : 0;
	p->item.time = l.from;
	p->item.until = l.to;
	p->item.cpu = l.cpu;
	p->item.event = l.event;
	return true;
}

static bool rest_of(struct perflite *p)
{
	struct perflite_losses *l = p->losses;
	const u64 lost = watching_lost(&p->watching);

	if (l->rest)
		return false;
	l->rest = true;
	if (lost <= l->reported)
		return false;
	begin_item(p, lost - l->reported, loss_cause_name(LOSS_RING));
	return true;
}

static void find_damage(struct perflite *p)
{
	const struct session *s = perflite_reading(p)->s;
	const struct recording *r = perflite_recording(p);
	struct perflite_losses *l = p->losses;
	struct buf more = {0};
	struct err first = {0};

	l->damage = true;
	if (reading_damage_lines(r, s->totals.malformed + r->damage.unknown, &more, &first))
		buf_addf(&l->lines, "%s\n", first.msg);
	buf_add(&l->lines, buf_str(&more), more.len);
	p->no_memory |= more.failed || l->lines.failed;
	buf_free(&more);
}

static bool next_damage(struct perflite *p)
{
	struct perflite_losses *l = p->losses;
	char *line, *end;

	if (!l->damage)
		find_damage(p);
	if (l->line >= l->lines.len)
		return false;
	line = (char *)l->lines.data + l->line;
	end = strchr(line, '\n');
	*end = '\0';
	l->line += (size_t)(end - line) + 1;
	begin_item(p, 0, perflite_keep_text(p, line));
	return true;
}

bool perflite_losses_next(struct perflite *p, u64 before)
{
	return next_entry(p, before) || (before == UINT64_MAX && (rest_of(p) || next_damage(p)));
}

static void put_task(struct perflite *p, const struct session_record *r, const char *what)
{
	struct cur c = rec_body(r->rec);

	perflite_new_item(p, PERFLITE_PROCESS, &r->ids);
	p->item.comm = r->comm;
	p->item.text = what;
	p->item.pid = (s32)cur_u32(&c);
	if (r->rec->type == PERF_RECORD_COMM) {
		p->item.tid = (s32)cur_u32(&c);
		return;
	}
	cur_u32(&c);
	p->item.tid = (s32)cur_u32(&c);
	if (r->rec->type == PERF_RECORD_FORK)
		p->item.parent = (s32)cur_u32(&c);
}

static void put_other(struct perflite *p, const struct session_record *r)
{
	perflite_new_item(p, PERFLITE_OTHER, &r->ids);
	p->item.comm = r->comm;
	p->item.data = r->rec->data;
	p->item.data_size = r->rec->size;
	p->item.type = r->rec->type;
}

/* Of a recording that has entries, records of losses say the same once more. */
static bool put_lost(struct perflite *p, const struct session_record *r)
{
	struct cur c = rec_body(r->rec);
	u64 nr;

	if (!perflite_recording(p)->perfdata)
		return false;
	if (r->rec->type == PERF_RECORD_LOST)
		cur_u64(&c);
	nr = cur_u64(&c);
	/* LOST_SAMPLES count again what LOST records have counted */
	if (!nr || (r->rec->type == PERF_RECORD_LOST_SAMPLES &&
		    perflite_lost(p) < p->losses->reported + nr))
		return false;
	begin_item(p, nr, loss_cause_name(LOSS_RING));
	p->losses->reported += nr;
	p->item.time = r->ids.time;
	p->item.cpu = r->ids.cpu;
	return true;
}

bool perflite_losses_record(struct perflite *p, const struct session_record *r)
{
	switch (r->rec->type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return put_lost(p, r);
	case PERF_RECORD_COMM:
		put_task(p, r, r->rec->misc & PERF_RECORD_MISC_COMM_EXEC ? "exec" : "comm");
		return true;
	case PERF_RECORD_FORK:
		put_task(p, r, "fork");
		return true;
	case PERF_RECORD_EXIT:
		put_task(p, r, "exit");
		return true;
	default:
		put_other(p, r);
		return true;
	}
}
