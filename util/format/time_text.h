/* SPDX-License-Identifier: GPL-2.0 */
/*
 * time_text.h - the times of samples, as people ask for them: --time=wall, boot, delta, ...
 *
 * All times are ns. A time of a recording is that of its clock; the others come from its readings of
 * other clocks (clock_pairs.h).
 */
#ifndef FORMAT_TIME_TEXT_H
#define FORMAT_TIME_TEXT_H

#include <time.h>

#include "util/profile/clock_pairs.h"

enum time_form {
	TIME_FORM_RAW, /* as recorded: seconds by the recording's clock */
	TIME_FORM_MONO,
	TIME_FORM_BOOT,
	TIME_FORM_TAI,
	TIME_FORM_WALL,    /* 2026-11-22T04:30:01.123456, of the zone that TZ names */
	TIME_FORM_UTC,     /* 2026-11-22T04:30:01.123456Z */
	TIME_FORM_RELTIME, /* since the first sample */
	TIME_FORM_DELTA, /* since the sample before; below 0 for a system call that began before it */
};

/* Is it the name of a form, and not a span of time? Those begin with no letter. */
bool time_form_is_word(const char *text);
int time_form_parse(enum time_form *form, const char *word, struct err *err);
/* Is it a date, and not a number of seconds? */
static inline bool time_form_is_date(enum time_form form)
{
	return form == TIME_FORM_WALL || form == TIME_FORM_UTC;
}

/* Is it a difference of times? It may be below 0: a call that is given out at its end began before others. */
static inline bool time_form_is_span(enum time_form form)
{
	return form == TIME_FORM_RELTIME || form == TIME_FORM_DELTA;
}

struct time_text {
	enum time_form form;
	bool nanoseconds; /* nine decimals, not six */
	const struct recording *recording;
	struct clock_pairs pairs;
	u64 first, last; /* times given, 0: none yet */
	time_t second;   /* `stamp` is its date */
	u32 stamp_len;
	char stamp[40], zone[8]; /* "2026-11-22T04:30:01", "+01:00" */
};

/*
 * The recording is the caller's and may grow; it must hold its events and first facts. Fails where it
 * does not have the clock that is asked for, and says how to record one that does.
 */
int time_text_init(struct time_text *t, enum time_form form, bool nanoseconds,
		   const struct recording *r, struct err *err);
/* Before it: TIME_FORM_RELTIME counts from there, not from the first time that is asked for. */
static inline void time_text_from(struct time_text *t, u64 time)
{
	t->first = t->first ? t->first : time;
}
/* The time of the next sample, as a number; of a date, since 1970; of a span, an s64. */
u64 time_text_next(struct time_text *t, u64 time);
/* Append what time_text_next() gave: "39254.123456", at least five columns before the point. */
void time_text_put(struct time_text *t, u64 ns, struct buf *out);

/* Is the time of day of the recording known? */
bool time_text_knows_day(struct time_text *t);
/* ns since 1970; of a time of the recording. */
u64 time_text_day(struct time_text *t, u64 time);
/* Append ns since 1970 as a date: "2026-11-22", `between`, "04:30:01.123456". */
void time_text_put_day(struct time_text *t, u64 ns, char between, struct buf *out);
/* As RFC 3339 has it, with nine decimals and the offset of the zone. */
void time_text_put_rfc3339(struct time_text *t, u64 ns, struct buf *out);

/* After the last sample: a line for each time at which the clock that was asked for was set. */
void time_text_steps(struct time_text *t, struct buf *lines);

void time_text_free(struct time_text *t);

#endif
