/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_branch.h - which branches a processor shall record: "any,u", as in -j and branch_type=.
 *
 * Source: perf-record(1), --branch-filter; PERF_SAMPLE_BRANCH_* of <linux/perf_event.h>.
 */
#ifndef EVENT_EV_BRANCH_H
#define EVENT_EV_BRANCH_H

#include "util/base/buf.h"

/*
 * Words with commas between them, as bits of attr.branch_sample_type; where only privileges are
 * named, any branch is meant. 0, or -EINVAL with the word that is none in *unknown.
 */
int ev_branch_parse(const char *text, u64 *bits, const char **unknown);

/* Append the words that there are, with blanks between them. */
void ev_branch_words(struct buf *b);

#endif
