/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_steps.h - the stacks of a tree as steps from place to place.
 *
 * Each node is one step, and one more for each function that was inlined there, innermost first.
 */
#ifndef REPORT_REPORT_STEPS_H
#define REPORT_REPORT_STEPS_H

#include "util/report/report_places.h"

struct report_step {
	u32 place : 31;
	bool again : 1; /* a step further out on the same stack is in this place, too */
};

struct report_steps {
	VEC(struct report_step) v;
	u32 *first; /* of each node; one more behind the last */
};

int report_steps_make(struct report_steps *s, struct report_places *places, struct err *err);
void report_steps_free(struct report_steps *s);

#endif
