// SPDX-License-Identifier: GPL-2.0
#include "util/report/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/hash.h"

#define FIRST_SLOTS 256
#define DIGITS      7 /* binary, that a rounded value keeps */

static u32 slot_of(const struct count_values *v, u32 row, u64 value)
{
	u32 i = (u32)(hash_u64(value + ((u64)row << 32 | row)) >> 9) & v->mask;

	while (v->slots[i].nr && (v->slots[i].value != value || v->slots[i].row != row))
		i = (i + 1) & v->mask;
	return i;
}

static bool grow(struct count_values *v)
{
	struct count_values bigger = *v;
	u32 size = v->slots ? (v->mask + 1) * 2 : FIRST_SLOTS, i;

	bigger.slots = size ? calloc(size, sizeof(*bigger.slots)) : NULL;
	if (!bigger.slots)
		return false;
	bigger.mask = size - 1;
	for (i = 0; v->slots && i <= v->mask; i++)
		if (v->slots[i].nr)
			bigger.slots[slot_of(&bigger, v->slots[i].row, v->slots[i].value)] =
				v->slots[i];
	free(v->slots);
	*v = bigger;
	return true;
}

static bool is_negative(const struct count_values *v, u64 value)
{
	return v->is_signed && (s64)value < 0;
}

static bool is_below(bool is_signed, u64 a, u64 b)
{
	return is_signed ? (s64)a < (s64)b : a < b;
}

static u64 scaled(const struct count_values *v, u64 value)
{
	switch (v->scale) {
	case COUNT_BY_LOG2:
		return count_log2_of(value, v->is_signed);
	case COUNT_BY_STEP:
		if (is_below(v->is_signed, value, v->from))
			return UINT64_MAX; /* -1 */
		if (!is_below(v->is_signed, value, v->to))
			return (v->to - v->from + v->step - 1) / v->step;
		return (value - v->from) / v->step;
	default:
		return value;
	}
}

/* To the first binary digits, towards 0. */
static u64 rounded(const struct count_values *v, u64 value)
{
	bool negative = is_negative(v, value);
	u64 size = negative ? -value : value;
	int bits = size ? 64 - __builtin_clzll(size) : 0;

	if (bits > DIGITS)
		size = size >> (bits - DIGITS) << (bits - DIGITS);
	return negative ? -size : size;
}

/* The slot for a value that is not there yet, rounded if need be; NULL: it is not kept. */
static struct count_value *new_slot(struct count_values *v, u32 row, u64 value, u64 nr, bool *nomem)
{
	u64 want = value;
	u32 i;

	if (v->nr >= v->most && v->scale == COUNT_EXACT) {
		value = rounded(v, want);
		v->rounded += value != want ? nr : 0;
	}
	i = slot_of(v, row, value);
	if (v->slots[i].nr)
		return &v->slots[i];
	if (v->nr >= v->most && v->nr - v->most >= v->most) {
		v->unkept += nr;
		return NULL;
	}
	if ((u64)v->nr * 4 >= ((u64)v->mask + 1) * 3) {
		*nomem = !grow(v);
		if (*nomem)
			return NULL;
		i = slot_of(v, row, value);
	}
	v->nr++;
	v->slots[i] = (struct count_value){.value = value, .row = row};
	return &v->slots[i];
}

bool count_values_add_bucket(struct count_values *v, u32 row, u64 want, u64 nr)
{
	struct count_value *slot;
	bool nomem = false;

	if (!v->slots && !grow(v))
		return false;
	slot = &v->slots[slot_of(v, row, want)];
	if (!slot->nr)
		slot = new_slot(v, row, want, nr, &nomem);
	if (slot)
		slot->nr += nr;
	return !nomem;
}

bool count_values_add(struct count_values *v, u32 row, u64 value)
{
	return count_values_add_bucket(v, row, scaled(v, value), 1);
}

void count_values_clear(struct count_values *v)
{
	if (v->slots)
		memset(v->slots, 0, ((size_t)v->mask + 1) * sizeof(*v->slots));
	v->nr = 0;
	v->rounded = v->unkept = 0;
}

void count_values_free(struct count_values *v)
{
	free(v->slots);
	v->slots = NULL;
	v->nr = v->mask = 0;
}
