/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_samples.h - the samples of one event, counted by the values of keys and by stack.
 *
 * The values of the keys that a sample has are its root (report_keys.h), counted on a root is the
 * node of its stack (stack_weights.h). A sample costs two look-ups of numbers.
 */
#ifndef REPORT_REPORT_SAMPLES_H
#define REPORT_REPORT_SAMPLES_H

#include "util/profile/stack_weights.h"
#include "util/report/report_keys.h"
#include "util/report/report_places.h"
#include "util/report/sample_values.h"

struct report_samples {
	const struct report_keys *keys;
	struct sample_values *key_values; /* bound to these keys */
	struct stack_tree *stacks;
	bool chains;     /* of stacks, not the sampled address alone */
	VEC(u64) values; /* of the keys, keys->nr_sample for each root */
	u32 nr_roots;
	struct hmap by_value;
	VEC(u32) next_root;
	u32 last_root;
	/*
	 * top: the frame of the sampled address, STACK_CUT if it has none. node: of its stack, 0
	 * where chains are not looked at.
	 */
	struct stack_weights weights;
	struct stack_weights modes;  /* likewise; node: enum report_mode. Where some column asks */
	VEC(u32) threads;            /* whose sample was the first, for each of them */
	u64 all_samples, all_weight; /* those too that no row counts */
};

void report_samples_init(struct report_samples *r, const struct report_keys *keys,
			 struct stack_tree *stacks, struct sample_values *key_values, bool chains);
/* The root of values, keys->nr_sample of them; ID_NONE when memory is out. */
u32 report_samples_root(struct report_samples *r, const u64 *values);
/* Count a sample; `shown` false: for the totals alone. */
int report_samples_add(struct report_samples *r, const struct session_sample *s, bool shown,
		       struct err *err);
void report_samples_free(struct report_samples *r);

#endif
