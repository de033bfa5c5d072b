/* SPDX-License-Identifier: GPL-2.0 */
/*
 * branch_text.h - the branches that the CPU took before a sample, newest first:
 * " 0x4005c8(/tmp/a)/0x4005dc(/tmp/a)/P/-/-/5/CALL ", from, to, predicted, transaction, abort, cycles, kind.
 *
 * Source: <linux/perf_event.h>, struct perf_branch_entry; the layout is perf's, which profile-guided
 * optimizers read.
 */
#ifndef FORMAT_BRANCH_TEXT_H
#define FORMAT_BRANCH_TEXT_H

#include "util/profile/session.h"

enum branch_ends {
	BRANCH_ADDRESSES,
	BRANCH_SYMBOLS,
	BRANCH_OFFSETS, /* in the files that are mapped there */
};

struct branch_options {
	enum branch_ends ends;
	bool dso;   /* the file behind each end */
	bool newer; /* 6.12: a blank before the file; one more part, how the branch was speculated */
};

int branch_text(struct symboliser *r, const struct session_sample *s,
		const struct branch_options *o, struct buf *out, struct err *err);

#endif
