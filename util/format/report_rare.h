/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_rare.h - the keys of a report that few ask for, as text: ends of branches, what the CPU
 * tells of an access to memory, the parent that a pattern matches.
 *
 * Functions stand behind the letter of their place: "[.] main"; without a name, their address.
 */
#ifndef FORMAT_REPORT_RARE_H
#define FORMAT_REPORT_RARE_H

#include <regex.h>

#include "util/profile/session.h"
#include "util/report/report_keys.h"

struct report_rare {
	const regex_t *parent;                  /* NULL: nothing is a parent */
	bool outermost;                         /* of several that match */
	const struct perf_branch_entry *branch; /* that the row is of; NULL: it is of a sample */
	struct frame_list frames;
};

/* Does it tell this key? Other kinds are told elsewhere. */
bool report_rare_knows(enum report_kind kind);
/* Append the text of one of these; false when memory is out. */
bool report_rare_put(struct report_rare *r, enum report_kind kind, struct symboliser *symboliser,
		     const struct session_sample *s, struct buf *out);
/* 1: some function on the sample's stack is a parent; 0; -ENOMEM. */
int report_rare_has_parent(struct report_rare *r, struct symboliser *symboliser,
			   const struct session_sample *s, struct err *err);
void report_rare_free(struct report_rare *r);

#endif
