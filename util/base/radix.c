// SPDX-License-Identifier: GPL-2.0
#include "util/base/radix.h"

/* Of a digit, at most: counters that fit into the first cache, and as few passes as that allows. */
#define DIGIT_BITS 12

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
