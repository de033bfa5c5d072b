/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_quality.h - what perf-lite script says of the quality of stacks: --quality, --strict, and
 * one line where neither is asked for and much is missing.
 */
#ifndef PERF_LITE_SCRIPT_QUALITY_H
#define PERF_LITE_SCRIPT_QUALITY_H

#include "perf-lite/reading.h"

struct script_quality {
	bool table;  /* --quality: instead of samples */
	bool strict; /* --strict */
	u64 limit;   /* of --strict, in billionths of a percent */
	struct frame_list chain;
};

/* SHARE of --strict, in percent: "1", "0.5%". */
int script_quality_limit(struct script_quality *q, const char *share, struct err *err);
/* The frames of a sample; its stack is judged by the reading. */
int script_quality_sample(struct script_quality *q, struct reading *in,
			  const struct session_sample *sample, struct err *err);
/* The table, behind the last sample. */
int script_quality_table(const struct reading *in, struct buf *out, struct err *err);
/* One line, or none where the stacks are good. */
void script_quality_note(const struct script_quality *q, const struct reading *in, struct buf *out);
/* CMD_OK, or CMD_PARTIAL with err where more than the limit is missing. */
int script_quality_verdict(const struct script_quality *q, const struct reading *in,
			   struct err *err);
void script_quality_free(struct script_quality *q);

#endif
