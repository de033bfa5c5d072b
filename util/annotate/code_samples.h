/* SPDX-License-Identifier: GPL-2.0 */
/*
 * code_samples.h - the samples of an event by the address that the CPU was at, and the functions that these addresses are in.
 *
 *	code_samples_count() for each sample -> code_samples_functions() -> code_functions_free() -> code_samples_free()
 */
#ifndef ANNOTATE_CODE_SAMPLES_H
#define ANNOTATE_CODE_SAMPLES_H

#include "util/annotate/annotation.h"
#include "util/profile/place_filter.h"
#include "util/profile/session.h"
#include "util/profile/stack_weights.h"

/* Zero-initialise it. */
struct code_samples {
	struct stack_weights
		weights;     /* top: the frame of the sampled address; root and node are 0 */
	u64 samples, weight; /* of all, with those in functions that were not asked for */
};

struct code_function {
	struct annotation_function f;
	u64 samples, weight;
	u32 first; /* in hits */
};

struct code_functions {
	VEC(struct code_function) v; /* those with the most weight first */
	VEC(struct annotation_hit) hits;
	u64 nameless; /* weight of code of which it is not known where its function begins */
};

/* Count a sample, if it is in a function or a file that `places` asks for. A function without a name may be asked for by its address. */
int code_samples_count(struct code_samples *c, struct symboliser *r,
		       const struct place_filter *places, const struct session_sample *s,
		       struct err *err);
void code_samples_free(struct code_samples *c);

/* Fill in *out, in any case to be freed. Names live as long as the annotator. */
int code_samples_functions(const struct code_samples *c, struct annotator *a,
			   const struct place_filter *places, struct code_functions *out,
			   struct err *err);
void code_functions_free(struct code_functions *fs);

#endif
