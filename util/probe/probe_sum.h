/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probe_sum.h - hits, and numbers that come with them, that a program adds up by keys, in a per-CPU hash: CPUs do not wait for each
 * other. Where others may take the CPU from the program, what it adds is added all the same, whoever comes between.
 *
 * The hash is the one map in an ARRAY_OF_MAPS: who puts another one there waits until no program is at work on the old one
 * (bpf_program.h), and reads that in peace. While there is none, nothing is added up. What to do with a hit whose key has no room is up to
 * the program.
 */
#ifndef PROBE_PROBE_SUM_H
#define PROBE_PROBE_SUM_H

#include "util/base/types.h"

struct probe_sum {
	bool has_number; /* else hits are all that is counted */
	bool is_signed;
	bool has_buckets; /* by powers of two, too */
};

/* Of a key; without a number, nr alone. */
struct probe_sum_value {
	u64 nr, with; /* hits; of them, such as have the number */
	u64 sum_low, sum_high;
	u64 below,
		above; /* ~least and most, of numbers with a sign such as are in the order of u64: zeros are neither */
	u64 buckets
		[]; /* by powers of two: 0, 1, 2-3, ...; of a number with a sign, the middle one is 0 */
};

u32 probe_sum_buckets(const struct probe_sum *s);
/* Bytes of a value. */
u32 probe_sum_size(const struct probe_sum *s);
/* Unset if `with` is 0. */
u64 probe_sum_least(const struct probe_sum *s, const struct probe_sum_value *v);
u64 probe_sum_most(const struct probe_sum *s, const struct probe_sum_value *v);

#endif
