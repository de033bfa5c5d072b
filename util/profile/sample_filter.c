// SPDX-License-Identifier: GPL-2.0
#include "util/profile/sample_filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"

/* Copy the next comma-separated piece of *s to `piece`; false at the end. */
static bool next_piece(const char **s, char *piece, size_t size)
{
	size_t len;

	if (!*s)
		return false;
	len = strcspn(*s, ",");
	if (len >= size)
		len = size - 1;
	memcpy(piece, *s, len);
	piece[len] = '\0';
	*s = (*s)[len] == ',' ? *s + len + 1 : NULL;
	return true;
}

int sample_filter_numbers(struct number_list *l, const char *text, const char *what,
			  struct err *err)
{
	struct number_range *r;
	char piece[64], *dash;
	u64 first, last;
	int ret = name_list_except(&text, l->nr, &l->except, err);

	if (ret)
		return ret;
	while (next_piece(&text, piece, sizeof(piece))) {
		dash = strchr(piece, '-');
		if (dash)
			*dash++ = '\0';
		if (!num_u64(piece, &first) || (dash && !num_u64(dash, &last)) ||
		    (dash && last < first)) {
			err_set(err, EINVAL, "'%s%s%s' is not a %s", piece, dash ? "-" : "",
				dash ? dash : "", what);
			err_hint(err, "give a list such as 1,4-7, or !1,4-7 for all others");
			return -EINVAL;
		}
		r = vec_push(l);
		if (!r)
			return err_nomem(err);
		*r = (struct number_range){first, dash ? last : first};
	}
	return 0;
}

int sample_filter_comms(struct sample_filter *f, const char *text, struct err *err)
{
	return name_list_choose(&f->comms, text, err);
}

int sample_filter_time(struct sample_filter *f, const char *text, struct err *err)
{
	int ret = time_slices_parse(&f->times, text, err);

	if (ret)
		return ret;
	time_slices_bounds(&f->times, &f->time_from, &f->time_to);
	return 0;
}

void sample_filter_span(struct sample_filter *f, u64 first, u64 last)
{
	time_slices_scale(&f->times, first, last);
	time_slices_bounds(&f->times, &f->time_from, &f->time_to);
	f->time_relative = false;
}

static bool in_list(const struct number_list *l, u64 v)
{
	u32 i;

	for (i = 0; i < l->nr; i++)
		if (v >= l->v[i].first && v <= l->v[i].last)
			return !l->except;
	return !l->nr || l->except;
}

bool sample_filter_cpu(const struct sample_filter *f, u32 cpu)
{
	return in_list(&f->cpus, cpu);
}

bool sample_filter_running(const struct sample_filter *f, u32 threads)
{
	return in_list(&f->running, threads);
}

bool sample_filter_look(const struct sample_filter *f, const struct rec_ids *ids, const char *comm)
{
	u64 time = ids->time - (f->time_relative ? f->time_first : 0);

	if (!in_list(&f->pids, ids->pid) || !in_list(&f->tids, ids->tid) ||
	    !in_list(&f->cpus, ids->cpu))
		return false;
	if (time < f->time_from || (f->time_to && time > f->time_to))
		return false;
	if (f->times.nr > 1 && !time_slices_has(&f->times, time))
		return false;
	return name_list_wants(&f->comms, comm);
}

void sample_filter_free(struct sample_filter *f)
{
	vec_free(&f->pids);
	vec_free(&f->tids);
	vec_free(&f->cpus);
	vec_free(&f->running);
	name_list_free(&f->comms);
	time_slices_free(&f->times);
}
