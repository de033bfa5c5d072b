// SPDX-License-Identifier: GPL-2.0
#include "util/base/clock.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "util/base/num.h"

static const struct clock_id {
	int id;
	const char *names[4]; /* the first is the one to print */
} clocks[] = {
	{CLOCK_MONOTONIC, {"CLOCK_MONOTONIC", "monotonic", "mono"}},
	{CLOCK_MONOTONIC_RAW, {"CLOCK_MONOTONIC_RAW", "monotonic_raw", "raw"}},
	{CLOCK_REALTIME, {"CLOCK_REALTIME", "realtime", "real"}},
	{CLOCK_BOOTTIME, {"CLOCK_BOOTTIME", "boottime", "boot"}},
	{CLOCK_TAI, {"CLOCK_TAI", "tai"}},
};

u64 clock_ns(int clockid)
{
	struct timespec ts;

	if (clock_gettime(clockid, &ts))
		return 0;
	return (u64)ts.tv_sec * 1000000000ull + (u64)ts.tv_nsec;
}

int clock_by_name(const char *name)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(clocks); i++)
		for (j = 0; j < ARRAY_SIZE(clocks[i].names) && clocks[i].names[j]; j++)
			if (!strcasecmp(name, clocks[i].names[j]))
				return clocks[i].id;
	return -1;
}

const char *clock_name(int clockid)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++)
		if (clocks[i].id == clockid)
			return clocks[i].names[0];
	return NULL;
}

/* Of so many readings the one that took least is kept. */
#define TRIES 3

/* Clocks that go at the same rate differ by less unless one was set. */
#define STEP_NS 1000000ull
#define NEWS_NS 10000000000ull

static const struct {
	int id;
	const char *name; /* in the text */
} paired[CLOCK_PAIR_NR] = {
	[CLOCK_PAIR_REAL] = {CLOCK_REALTIME, "real"},
	[CLOCK_PAIR_MONO] = {CLOCK_MONOTONIC, "mono"},
	[CLOCK_PAIR_BOOT] = {CLOCK_BOOTTIME, "boot"},
	[CLOCK_PAIR_TAI] = {CLOCK_TAI, "tai"},
};

void clock_pair_read(struct clock_pair *p, int clockid)
{
	struct clock_pair now;
	u64 before;
	int i, j;

	*p = (struct clock_pair){.width = UINT64_MAX};
	for (i = 0; i < TRIES; i++) {
		before = clock_ns(clockid);
		for (j = 0; j < CLOCK_PAIR_NR; j++)
			now.at[j] = clock_ns(paired[j].id);
		now.width = clock_ns(clockid) - before;
		now.own = before + now.width / 2;
		if (now.width < p->width)
			*p = now;
	}
}

void clock_pair_text(const struct clock_pair *p, struct buf *out)
{
	int i;

	buf_addf(out, "own=%llu", (unsigned long long)p->own);
	for (i = 0; i < CLOCK_PAIR_NR; i++)
		buf_addf(out, " %s=%llu", paired[i].name, (unsigned long long)p->at[i]);
	buf_addf(out, " width=%llu", (unsigned long long)p->width);
}

/* Where the number of that name goes; NULL: it is none of ours. */
static u64 *number_of(struct clock_pair *p, const char *name, size_t len)
{
	size_t i;

	if (len == 3 && !memcmp(name, "own", len))
		return &p->own;
	if (len == 5 && !memcmp(name, "width", len))
		return &p->width;
	for (i = 0; i < CLOCK_PAIR_NR; i++)
		if (strlen(paired[i].name) == len && !memcmp(paired[i].name, name, len))
			return &p->at[i];
	return NULL;
}

bool clock_pair_parse(struct clock_pair *p, const char *text)
{
	char number[24];
	size_t name, len;
	u64 *to;

	*p = (struct clock_pair){0};
	for (; *text; text += strspn(text, " ")) {
		name = strcspn(text, "= ");
		if (text[name] != '=')
			return false;
		to = number_of(p, text, name);
		text += name + 1;
		len = strcspn(text, " ");
		if (!len || len >= sizeof(number))
			return false;
		memcpy(number, text, len);
		number[len] = '\0';
		text += len;
		/* other clocks may be added one day */
		if (to && !num_u64(number, to))
			return false;
	}
	return p->own != 0;
}

s64 clock_pair_step(const struct clock_pair *from, const struct clock_pair *to,
		    enum clock_pair_of which, u64 least)
{
	u64 was = from->at[which] - from->own, is = to->at[which] - to->own;
	s64 by = (s64)(is - was);

	if (!from->at[which] || !to->at[which])
		return 0;
	return by < 0 ? (0 - (u64)by < least ? 0 : by) : ((u64)by < least ? 0 : by);
}

bool clock_pair_is_news(const struct clock_pair *from, const struct clock_pair *to)
{
	/* clocks of the same rate differ by the error of reading alone */
	u64 least = to->own - from->own < NEWS_NS ? STEP_NS : MAX(from->width, to->width) + 1;
	int i;

	for (i = 0; i < CLOCK_PAIR_NR; i++)
		if (clock_pair_step(from, to, (enum clock_pair_of)i, MIN(least, STEP_NS)))
			return true;
	return false;
}

int clock_pair_clockid(enum clock_pair_of which)
{
	return paired[which].id;
}
