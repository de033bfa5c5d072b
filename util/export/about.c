// SPDX-License-Identifier: GPL-2.0
#include "util/export/about.h"

#include <string.h>

#include "util/base/text.h"
#include "util/profile/clock_pairs.h"

bool about_wall_clock(const struct session *s, u64 time, u64 *wall, struct buf *out)
{
	struct clock_pairs pairs = {0};
	bool read = clock_pairs_read(&pairs, s->source->recording);
	bool known = read && clock_pairs_know(&pairs, CLOCK_PAIR_REAL);

	out->failed |= !read;

	if (known)
		*wall = clock_pairs_convert(&pairs, CLOCK_PAIR_REAL, time);
	clock_pairs_free(&pairs);
	return known;
}

static bool knows_day(const struct session *s)
{
	struct buf failure = {0};
	u64 wall;

	return about_wall_clock(s, 0, &wall, &failure) || failure.failed;
}

u64 about_day_by_file(const struct session *s)
{
	return knows_day(s) ? 0 : s->source->recording->perf.modified;
}

void about_day_note(const struct session *s, struct buf *out)
{
	if (knows_day(s))
		return;
	buf_adds(out, "the time of day was not recorded: ");
	buf_adds(out, s->source->recording->perf.modified
			      ? "the profile ends when the file was changed last"
			      : "the profile has none, and a server may take the present");
	buf_adds(out, "; perf records it with: perf record -k mono\n");
}

void about_command(const struct session *s, struct buf *out)
{
	const struct recording *r = s->source->recording;
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
	const char *value = recording_fact(s->source->recording, key);

	if (value)
		text_escape(out, value, strlen(value));
}

u64 about_lost(const struct session *s)
{
	const struct recording *r = s->source->recording;

	return recording_lost(r, session_lost(s)) + recording_unwritten(r);
}

static void put_note(struct buf *out, const char *what, const struct buf *text)
{
	if (text->len)
		buf_addf(out, "%s: %s\n", what, buf_str(text));
	out->failed |= text->failed;
}

void about_notes(const struct session *s, struct buf *out)
{
	static const char *const facts[][2] = {{"host", "hostname"}, {"kernel", "release"}};
	u64 lost = about_lost(s);
	struct buf text = {0};
	size_t i;

	about_command(s, &text);
	put_note(out, "command", &text);
	for (i = 0; i < ARRAY_SIZE(facts); i++) {
		buf_clear(&text);
		about_fact(s, facts[i][1], &text);
		put_note(out, facts[i][0], &text);
	}
	if (lost)
		buf_addf(out, "samples lost while recording: %llu\n", (unsigned long long)lost);
	buf_free(&text);
}

void about_losses(const struct session *s, u32 event, struct buf *out)
{
	const struct recording *r = s->source->recording;
	u64 count[LOSS_CAUSES] = {[LOSS_RING] = session_lost_unlisted(s)};
	u32 entries[LOSS_CAUSES] = {[LOSS_RING] = count[LOSS_RING] != 0}, cause, i;
	const struct loss *l;

	for (i = 0; i < r->losses.nr; i++) {
		l = &r->losses.v[i];
		if (!session_wants_loss(s, event, l))
			continue;
		/* 0: causes of a newer recorder */
		cause = l->cause < LOSS_CAUSES ? l->cause : 0;
		count[cause] += l->count;
		entries[cause]++;
	}
	for (i = 0; i < LOSS_CAUSES; i++)
		if (entries[i])
			buf_addf(out, "lost, %s: %u time%s, %llu record%s or more\n",
				 loss_cause_name(i) ? loss_cause_name(i) : "other cause",
				 entries[i], entries[i] == 1 ? "" : "s",
				 (unsigned long long)count[i], TEXT_PLURAL(count[i]));
}

bool about_weight_is_time(const struct event_desc *e)
{
	/* the fields that are counted are all delays and run times */
	return event_set_is_clock(&e->attr) ||
	       (e->attr.type == PERF_TYPE_TRACEPOINT && e->layout.derive.period_at >= 0);
}

u64 about_weight_period(const struct event_desc *e)
{
	if (e->attr.type == PERF_TYPE_TRACEPOINT && e->layout.derive.period_at >= 0)
		return 0;
	if (!e->attr.freq)
		return e->attr.sample_period ? e->attr.sample_period : 1;
	return event_set_is_clock(&e->attr) && e->attr.sample_freq
		       ? 1000000000 / e->attr.sample_freq
		       : 0;
}
