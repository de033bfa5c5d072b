// SPDX-License-Identifier: GPL-2.0
#include "util/base/radix.h"

/* Of a digit, at most: counters that fit into the first cache, and as few passes as that allows. */
#define DIGIT_BITS 12
/* Fewer keys are in order before the counters of a digit have been cleared. */
#define FEW 64

/* One pass: by the digit of so many bits at `shift`. */
static void pass(u64 *to, const u64 *from, u32 nr, unsigned int shift, unsigned int bits)
{
	const u32 mask = (1u << bits) - 1;
	u32 at[1 << DIGIT_BITS], sum = 0, n, i;

	for (i = 0; i <= mask; i++)
		at[i] = 0;
	for (i = 0; i < nr; i++)
		at[from[i] >> shift & mask]++;
	for (i = 0; i <= mask; i++) {
		n = at[i];
		at[i] = sum;
		sum += n;
	}
	for (i = 0; i < nr; i++)
		to[at[from[i] >> shift & mask]++] = from[i];
}

u64 *radix_sort(u64 *keys, u64 *spare, u32 nr, unsigned int low, unsigned int high)
{
	unsigned int passes = (high - low + DIGIT_BITS - 1) / DIGIT_BITS;
	/* digits of one size: small ones write to fewer places at once */
	unsigned int bits = (high - low + passes - 1) / passes, shift;
	u64 *swap;

	for (shift = low; shift < high; shift += bits) {
		pass(spare, keys, nr, shift, MIN(bits, high - shift));
		swap = keys;
		keys = spare;
		spare = swap;
	}
	return keys;
}

static void order_few(const u64 *keys, u32 nr, u32 *order)
{
	u32 i, at;

	for (i = 0; i < nr; i++) {
		for (at = i; at && keys[order[at - 1]] > keys[i]; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

static unsigned int width_of(u64 v)
{
	return v ? 64 - (unsigned int)__builtin_clzll(v) : 0;
}

/* By 32 bits of the keys from `shift` on, what is the same in the order that it has. */
static void order_by(const u64 *keys, unsigned int shift, u64 *spare, u32 nr, u32 *order)
{
	u64 all = 1;
	u32 i;

	for (i = 0; i < nr; i++) {
		spare[i] = keys[order[i]] >> shift << 32 | order[i];
		all |= spare[i] >> 32;
	}
	spare = radix_sort(spare, spare + nr, nr, 32, 32 + width_of(all));
	for (i = 0; i < nr; i++)
		order[i] = (u32)spare[i];
}

void radix_order(const u64 *keys, u64 *spare, u32 nr, u32 *order)
{
	const unsigned int index = width_of(nr);
	u64 min = UINT64_MAX, max = 0;
	u32 i;

	if (nr < FEW) {
		order_few(keys, nr, order);
		return;
	}
	for (i = 0; i < nr; i++) {
		min = MIN(min, keys[i]);
		max = MAX(max, keys[i]);
		order[i] = i;
	}
	if (index + width_of(max - min) > 64) {
		order_by(keys, 0, spare, nr, order);
		order_by(keys, 32, spare, nr, order);
		return;
	}
	for (i = 0; i < nr; i++)
		spare[i] = (keys[i] - min) << index | i;
	if (max > min)
		spare = radix_sort(spare, spare + nr, nr, index, index + width_of(max - min));
	for (i = 0; i < nr; i++)
		order[i] = (u32)(spare[i] & ((1ull << index) - 1));
}
