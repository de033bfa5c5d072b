// SPDX-License-Identifier: GPL-2.0
#include "util/format/time_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"

#define NSEC 1000000000ull

/* Clocks drift apart by less. */
#define STEP_NS 10000000ull

static const struct {
	const char *word;
	int clock; /* enum clock_pair_of, -1: none but the recording's own */
	const char *clock_name;
} forms[] = {
	[TIME_FORM_RAW] = {"raw", -1, NULL},
	[TIME_FORM_MONO] = {"mono", CLOCK_PAIR_MONO, "CLOCK_MONOTONIC"},
	[TIME_FORM_BOOT] = {"boot", CLOCK_PAIR_BOOT, "CLOCK_BOOTTIME"},
	[TIME_FORM_TAI] = {"tai", CLOCK_PAIR_TAI, "CLOCK_TAI"},
	[TIME_FORM_WALL] = {"wall", CLOCK_PAIR_REAL, "the time of day"},
	[TIME_FORM_UTC] = {"utc", CLOCK_PAIR_REAL, "the time of day"},
	[TIME_FORM_RELTIME] = {"reltime", -1, NULL},
	[TIME_FORM_DELTA] = {"delta", -1, NULL},
};

bool time_form_is_word(const char *text)
{
	return (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
}

int time_form_parse(enum time_form *form, const char *word, struct err *err)
{
	struct text_suggest suggest;
	u32 i;

	text_suggest_init(&suggest, word);
	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		if (!strcmp(forms[i].word, word)) {
			*form = (enum time_form)i;
			return 0;
		}
		text_suggest_add(&suggest, forms[i].word);
	}
	err_set(err, EINVAL, "--time: there is no form '%s'", word);
	err_hint(err, "%s%s%suse wall, utc, boot, mono, tai, raw, reltime or delta",
		 suggest.best ? "did you mean '" : "", suggest.best ? suggest.best : "",
		 suggest.best ? "'? " : "");
	return -EINVAL;
}

static int no_clock(const struct time_text *t, struct err *err)
{
	err_set(err, EINVAL, "the recording does not have %s", forms[t->form].clock_name);
	if (t->pairs.own < 0)
		err_hint(err,
			 "perf records it with: perf record -k mono; perf-lite record always does");
	else
		err_hint(err, "perf-lite record notes all clocks; this one has: %s%s",
			 clock_pairs_know(&t->pairs, CLOCK_PAIR_REAL) ? "wall, " : "",
			 clock_pairs_know(&t->pairs, CLOCK_PAIR_MONO) ? "mono, raw" : "raw");
	return -EINVAL;
}

int time_text_init(struct time_text *t, enum time_form form, bool nanoseconds,
		   const struct recording *r, struct err *err)
{
	*t = (struct time_text){
		.form = form, .nanoseconds = nanoseconds, .recording = r, .second = (time_t)-1};
	if (!clock_pairs_read(&t->pairs, r))
		return err_nomem(err);
	if (forms[form].clock >= 0 &&
	    !clock_pairs_know(&t->pairs, (enum clock_pair_of)forms[form].clock))
		return no_clock(t, err);
	return 0;
}

static u64 convert(struct time_text *t, enum clock_pair_of which, u64 time)
{
	/* if memory is out, the readings known so far are used */
	if (t->pairs.facts != t->recording->facts.nr)
		clock_pairs_read(&t->pairs, t->recording);
	return clock_pairs_convert(&t->pairs, which, time);
}

u64 time_text_next(struct time_text *t, u64 time)
{
	u64 before = t->last ? t->last : time;

	t->last = time;
	if (!t->first)
		t->first = time;
	if (t->form == TIME_FORM_RAW)
		return time;
	if (t->form == TIME_FORM_RELTIME)
		return time - t->first;
	if (t->form == TIME_FORM_DELTA)
		return time - before;
	return convert(t, (enum clock_pair_of)forms[t->form].clock, time);
}

/* The date of that second. It is the same for many samples. */
static void stamp(struct time_text *t, time_t second)
{
	struct tm tm;
	long east;

	if (second == t->second)
		return;
	t->second = second;
	t->stamp_len = 0;
	if (!(t->form == TIME_FORM_UTC ? gmtime_r(&second, &tm) : localtime_r(&second, &tm)))
		return;
	t->stamp_len = (u32)strftime(t->stamp, sizeof(t->stamp), "%FT%T", &tm);
	east = tm.tm_gmtoff / 60;
	snprintf(t->zone, sizeof(t->zone), "%c%02ld:%02ld", east < 0 ? '-' : '+',
		 labs(east) / 60 % 100, labs(east) % 60);
}

static void put_date(struct time_text *t, u64 ns, char between, bool nanoseconds, struct buf *out)
{
	size_t at = out->len;

	stamp(t, (time_t)(ns / NSEC));
	buf_add(out, t->stamp, t->stamp_len);
	if (t->stamp_len > strlen("T04:30:01") && !out->failed)
		out->data[at + t->stamp_len - strlen("T04:30:01")] = between;
	buf_addc(out, '.');
	if (nanoseconds)
		buf_dec0(out, ns % NSEC, 9);
	else
		buf_dec0(out, ns % NSEC / 1000, 6);
}

void time_text_put(struct time_text *t, u64 ns, struct buf *out)
{
	char before[24];

	if (time_form_is_date(t->form)) {
		put_date(t, ns, 'T', t->nanoseconds, out);
		if (t->form == TIME_FORM_UTC)
			buf_addc(out, 'Z');
		return;
	}
	/* 12 columns with point and 6 digits */
	if (time_form_is_span(t->form) && (s64)ns < 0) {
		ns = 0 - ns;
		snprintf(before, sizeof(before), "-%llu", (unsigned long long)(ns / NSEC));
		buf_addf(out, "%5s", before);
	} else {
		buf_dec(out, ns / NSEC, 5);
	}
	buf_addc(out, '.');
	if (t->nanoseconds)
		buf_dec0(out, ns % NSEC, 9);
	else
		buf_dec0(out, ns % NSEC / 1000, 6);
}

bool time_text_knows_day(struct time_text *t)
{
	return clock_pairs_know(&t->pairs, CLOCK_PAIR_REAL);
}

u64 time_text_day(struct time_text *t, u64 time)
{
	return convert(t, CLOCK_PAIR_REAL, time);
}

void time_text_put_day(struct time_text *t, u64 ns, char between, struct buf *out)
{
	put_date(t, ns, between, t->nanoseconds, out);
}

void time_text_put_rfc3339(struct time_text *t, u64 ns, struct buf *out)
{
	put_date(t, ns, 'T', true, out);
	buf_adds(out, t->form == TIME_FORM_UTC ? "Z" : t->zone);
}

void time_text_steps(struct time_text *t, struct buf *lines)
{
	int clock = forms[t->form].clock;
	const struct clock_pair *p;
	s64 by;
	u32 i;

	if (clock < 0 || !clock_pairs_read(&t->pairs, t->recording))
		return;
	for (i = 1; i < t->pairs.v.nr; i++) {
		p = &t->pairs.v.v[i];
		by = clock_pair_step(p - 1, p, (enum clock_pair_of)clock, STEP_NS);
		if (by)
			buf_addf(
				lines,
				"%s was set by %+.6f s between %.6f and %.6f of the recording's clock: "
				"times step at the latter\n",
				forms[t->form].clock_name, (double)by / 1e9,
				(double)p[-1].own / 1e9, (double)p->own / 1e9);
	}
}

void time_text_free(struct time_text *t)
{
	clock_pairs_free(&t->pairs);
}
