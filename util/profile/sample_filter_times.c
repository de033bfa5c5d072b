// SPDX-License-Identifier: GPL-2.0
#include "util/profile/sample_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"

/* "12.5%" as 0.125; moves *s behind it. */
static bool get_part(const char **s, double *part)
{
	char *end;

	if (**s < '0' || **s > '9')
		return false;
	*part = strtod(*s, &end) / 100;
	if (*end != '%' || *part > 1)
		return false;
	*s = end + 1;
	return true;
}

/* "10%" alone; "10%/2", "10%-20%". */
static bool parse_part(const char *s, bool alone, struct time_slice *slice)
{
	double part, number;
	char *end;

	if (!get_part(&s, &part))
		return false;
	if ((!*s && alone) || *s == '/') {
		number = 1;
		if (*s++ == '/') {
			if (*s < '0' || *s > '9')
				return false;
			number = (double)strtoul(s, &end, 10);
			if (*end)
				return false;
		}
		slice->part_from = part * (number - 1);
		slice->part_to = part * number;
	} else if (*s == '-') {
		s++;
		slice->part_from = part;
		if (!get_part(&s, &slice->part_to) || *s)
			return false;
	} else {
		return false;
	}
	return slice->part_from >= 0 && slice->part_to > slice->part_from &&
	       slice->part_to <= 1 + 1e-9;
}

static bool parse_span(char *s, struct time_slice *slice)
{
	char *comma = strchr(s, ',');

	if (!comma)
		return false;
	*comma = '\0';
	if ((*s && !num_time(s, &slice->from)) || (comma[1] && !num_time(comma + 1, &slice->to)))
		return false;
	return !slice->to || slice->to >= slice->from;
}

static bool parse(struct time_slices *l, const char *text)
{
	const char *between = l->parts ? "," : " ";
	bool alone = !strchr(text, ',');
	struct time_slice *slice;
	char piece[64];
	size_t len;

	for (; *text; text += len + (text[len] != '\0')) {
		len = strcspn(text, between);
		if (!len && !l->parts)
			continue;
		slice = vec_push(l);
		if (!slice || len >= sizeof(piece))
			return false;
		*slice = (struct time_slice){0};
		memcpy(piece, text, len);
		piece[len] = '\0';
		if (!(l->parts ? parse_part(piece, alone, slice) : parse_span(piece, slice)))
			return false;
	}
	return l->nr;
}

int time_slices_parse(struct time_slices *l, const char *text, struct err *err)
{
	l->nr = 0;
	l->parts = strchr(text, '%');
	if (parse(l, text))
		return 0;
	l->nr = 0;
	err_set(err, EINVAL, "'%s' is not a span of time", text);
	err_hint(
		err,
		"give seconds as script prints them, or parts of the whole: --time 762.85,763.1, --time 762.85, or --time 10%%/2");
	return -EINVAL;
}

void time_slices_scale(struct time_slices *l, u64 first, u64 last)
{
	double total = (double)(last - first);
	struct time_slice *s;
	u32 i;

	for (i = 0; i < l->nr && l->parts; i++) {
		s = &l->v[i];
		s->from = first + (u64)(s->part_from * total + 0.5);
		s->to = first + (u64)(s->part_to * total + 0.5);
		/* slices that meet do not share a sample */
		if (s->to > s->from && s->to < last)
			s->to--;
	}
	l->parts = false;
}

/* Where it ends, if not at `last`. */
static u64 end_of(const struct time_slice *s, u64 last)
{
	if (!s->to || s->to >= last)
		return last;
	/* that of a part belongs to the next one */
	return s->part_to > 0 ? s->to + 1 : s->to;
}

u64 time_slices_length(const struct time_slices *l, u64 first, u64 last)
{
	u64 at = first, length = 0, end, next;
	u32 i;

	while (at < last) {
		end = at;
		next = last;
		for (i = 0; i < l->nr; i++) {
			if (l->v[i].from <= at)
				end = MAX(end, end_of(&l->v[i], last));
			else
				next = MIN(next, l->v[i].from);
		}
		length += end - at;
		at = end > at ? end : next;
	}
	return length;
}

bool time_slices_has(const struct time_slices *l, u64 time)
{
	u32 i;

	for (i = 0; i < l->nr; i++)
		if (time >= l->v[i].from && (!l->v[i].to || time <= l->v[i].to))
			return true;
	return !l->nr;
}

void time_slices_bounds(const struct time_slices *l, u64 *from, u64 *to)
{
	u32 i;

	*from = *to = 0;
	for (i = 0; i < l->nr; i++) {
		if (!i || l->v[i].from < *from)
			*from = l->v[i].from;
		if (!l->v[i].to || (i && !*to))
			*to = 0;
		else
			*to = MAX(*to, l->v[i].to);
	}
}

void time_slices_free(struct time_slices *l)
{
	vec_free(l);
}
