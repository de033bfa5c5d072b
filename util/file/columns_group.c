// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_group.h"

#include <string.h>

#define GROUPS (1u << COLUMNS_GROUP_BITS)

static u32 group_of(u64 key)
{
	return (u32)key & (GROUPS - 1);
}

void columns_group_order(const u64 *keys, u32 n, u32 *order)
{
	u32 begins[GROUPS + 1], i;

	memset(begins, 0, sizeof(begins));
	for (i = 0; i < n; i++)
		begins[group_of(keys[i]) + 1]++;
	for (i = 1; i <= GROUPS; i++)
		begins[i] += begins[i - 1];
	for (i = 0; i < n; i++)
		order[begins[group_of(keys[i])]++] = i;
}

/* Bytes of the second that are not those of the first. */
static u32 news(u64 first, u64 second)
{
	u64 x = first ^ second;

	return x ? (71 - (u32)__builtin_clzll(x)) / 8 : 0;
}

bool columns_group_helps(const u64 *keys, const u64 *values, u32 n)
{
	u64 last[GROUPS] = {0}, alone = 0, grouped = 0;
	u32 i;

	n = MIN(n, COLUMNS_GROUP_SAMPLE);
	for (i = 1; i < n; i++) {
		u64 *of = &last[group_of(keys[i])];

		alone += news(values[i - 1], values[i]);
		grouped += news(*of, values[i]);
		*of = values[i];
	}
	return grouped * 8 < alone * 7;
}
