// SPDX-License-Identifier: GPL-2.0
#include "util/syscall/syscall.h"

#include <math.h>

static struct syscall_row *find(struct syscall_stats *s, const struct syscall_made *m)
{
	u64 key = (u64)m->thread << 32 | (u32)m->nr;
	u32 at = hmap_get(&s->by_call, key);
	struct syscall_row *row;

	if (at != ID_NONE)
		return &s->rows.v[at];
	row = vec_push(&s->rows);
	if (!row || !hmap_set(&s->by_call, key, s->rows.nr - 1))
		return NULL;
	*row = (struct syscall_row){.thread = m->thread, .nr = m->nr, .what = m->what};
	return row;
}

static bool add_error(struct syscall_stats *s, u32 row, u32 error)
{
	u64 key = (u64)row << 32 | error;
	u32 at = hmap_get(&s->by_error, key);
	struct syscall_error *e;

	if (at == ID_NONE) {
		at = s->errors.nr;
		e = vec_push(&s->errors);
		if (!e || !hmap_set(&s->by_error, key, at))
			return false;
		*e = (struct syscall_error){.row = row, .error = error};
	}
	s->errors.v[at].calls++;
	return true;
}

static void add_time(struct syscall_row *r, u64 ns)
{
	double from_mean = (double)ns - r->mean;

	r->min = r->timed ? MIN(r->min, ns) : ns;
	r->max = MAX(r->max, ns);
	r->total += ns;
	r->timed++;
	r->mean += from_mean / (double)r->timed;
	r->squares += from_mean * ((double)ns - r->mean);
}

int syscall_stats_add(struct syscall_stats *s, const struct syscall_made *m, struct err *err)
{
	struct syscall_row *row = find(s, m);

	if (!row)
		return err_nomem(err);
	row->calls++;
	if (m->timed)
		add_time(row, m->duration);
	if (!m->error)
		return 0;
	row->errors++;
	return add_error(s, (u32)(row - s->rows.v), m->error) ? 0 : err_nomem(err);
}

void syscall_stats_merge(struct syscall_row *to, const struct syscall_row *from)
{
	double apart = from->mean - to->mean, nr = (double)(to->timed + from->timed);

	to->calls += from->calls;
	to->errors += from->errors;
	if (!from->timed)
		return;
	to->squares += from->squares + apart * apart * (double)to->timed * (double)from->timed / nr;
	to->mean += apart * (double)from->timed / nr;
	to->min = to->timed ? MIN(to->min, from->min) : from->min;
	to->max = MAX(to->max, from->max);
	to->total += from->total;
	to->timed += from->timed;
}

double syscall_stats_deviation(const struct syscall_row *r)
{
	double nr = (double)r->timed;

	if (r->timed < 2 || r->mean <= 0)
		return 0;
	return 100 * sqrt(r->squares / (nr - 1) / nr) / r->mean;
}

void syscall_stats_free(struct syscall_stats *s)
{
	vec_free(&s->rows);
	vec_free(&s->errors);
	hmap_free(&s->by_call);
	hmap_free(&s->by_error);
}
