// SPDX-License-Identifier: GPL-2.0
#include "util/base/clock.h"

#include <strings.h>
#include <time.h>

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
