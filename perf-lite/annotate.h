/* SPDX-License-Identifier: GPL-2.0 */
/*
 * annotate.h - what the options of perf-lite annotate fill in (annotate_options.c), and cmd_annotate.c carries out.
 */
#ifndef PERF_LITE_ANNOTATE_H
#define PERF_LITE_ANNOTATE_H

#include "perf-lite/output_file.h"
#include "perf-lite/reading_notes.h"
#include "util/annotate/code_samples.h"
#include "util/format/annotation_export.h"
#include "util/format/annotation_html.h"
#include "util/format/annotation_text.h"
#include "util/profile/place_filter.h"

struct annotate {
	struct reading in;
	struct place_filter
		places; /* the functions that are asked for; shares are of all samples */
	struct annotation_text text;
	struct annotation_export export;
	struct annotator_options code;
	enum { ANNOTATE_TEXT, ANNOTATE_JSON, ANNOTATE_CSV, ANNOTATE_HTML } form;
	const char *output; /* a file; NULL: standard output */
	u64 functions;      /* of an event, at most; 0: all */
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

#endif
