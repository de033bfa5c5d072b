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

void about_command(const struct session *s, struct buf *out)
{
	const struct recording *r = &s->source->recording;
	const char *arg = NULL;
	bool first = true;

	for (; (arg = recording_argument(r, arg)); first = false) {
		if (!first)
			buf_addc(out, ' ');
		text_escape(out, arg, strlen(arg));
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
