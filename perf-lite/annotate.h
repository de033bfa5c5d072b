/* SPDX-License-Identifier: GPL-2.0 */
/*
 * annotate.h - what the options of perf-lite annotate fill in (annotate_options.c), and cmd_annotate.c carries out.
 */
#ifndef PERF_LITE_ANNOTATE_H
#define PERF_LITE_ANNOTATE_H

#include "perf-lite/reading_notes.h"
#include "util/annotate/annotation.h"
#include "util/format/annotation_export.h"
#include "util/format/annotation_text.h"
#include "util/profile/place_filter.h"
#include "util/profile/stack_weights.h"

struct annotate {
	struct reading in;
	struct place_filter
		places; /* the functions that are asked for; shares are of all samples */
	struct annotation_text text;
	struct annotation_export export;
	struct annotator_options code;
	enum { ANNOTATE_TEXT, ANNOTATE_JSON, ANNOTATE_CSV } form;
	u64 functions; /* of an event, at most; 0: all */
	bool functions_given;
	u64 context;
	bool full, no_source;
	double percent_limit;
	unsigned int colour; /* enum colour_when */
};

/*
 * Parse the command line into *c. What is not given has its default afterwards. rest->help: --help was asked for and has
 * been written, or err says why not.
 */
int annotate_options(struct annotate *c, int argc, char **argv, struct opt_rest *rest,
		     struct err *err);
void annotate_options_free(struct annotate *c);

/*
 * annotate_functions.c: samples by function and address.
 *
 * The samples of an event, by the frame of the sampled address.
 */
struct annotate_event {
	struct stack_weights weights; /* top: the frame; root and node are 0 */
	u64 samples, weight;          /* of all, with those in functions that were not asked for */
};

struct annotate_found {
	struct annotation_function f;
	u64 samples, weight;
	u32 first; /* in hits */
};

struct annotate_functions {
	VEC(struct annotate_found) v; /* those with the most weight first */
	VEC(struct annotation_hit) hits;
	u64 nameless; /* weight of code of which it is not known where its function begins */
};

int annotate_functions_count(struct annotate_event *e, struct annotate *c,
			     const struct session_sample *s, struct err *err);
/* Names live as long as the annotator. */
int annotate_functions_make(struct annotate_functions *fs, struct annotate *c, struct annotator *a,
			    const struct annotate_event *e, struct err *err);
void annotate_functions_free(struct annotate_functions *fs);

#endif
