// SPDX-License-Identifier: GPL-2.0
#include "util/export/about.h"

#include <string.h>

#include "util/base/text.h"
#include "util/profile/clock_pairs.h"

bool about_wall_clock(const struct session *s, u64 time, u64 *wall)
{
	struct clock_pairs pairs = {0};
	bool known = clock_pairs_read(&pairs, &s->source->recording) &&
		     clock_pairs_know(&pairs, CLOCK_PAIR_REAL);

	if (known)
		*wall = clock_pairs_tell(&pairs, CLOCK_PAIR_REAL, time);
	clock_pairs_free(&pairs);
	return known;
}

/* Each argument ends with a NUL. */
void about_command(const struct session *s, struct buf *out)
{
	const struct recording *r = &s->source->recording;
	const struct fact *f = NULL;
	const char *p, *end;
	u32 i;

	for (i = 0; i < r->facts.nr; i++)
		if (!strcmp(r->facts.v[i].key, "cmdline"))
			f = &r->facts.v[i];
	for (p = f ? f->value : NULL, end = f ? p + f->value_len : NULL; p < end;
	     p += strlen(p) + 1) {
		if (p != f->value)
			buf_addc(out, ' ');
		text_escape(out, p, strlen(p));
	}
}

void about_fact(const struct session *s, const char *key, struct buf *out)
{
	const char *value = recording_fact(&s->source->recording, key);

	if (value)
		text_escape(out, value, strlen(value));
}

u64 about_lost(const struct session *s)
{
	const struct recording *r = &s->source->recording;

	return recording_lost(r, MAX(s->lost, s->lost_samples)) + recording_unwritten(r);
}
