/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hierarchy_text.h - nested rows of a report as text, in the form of perf report --hierarchy:
 *
 *	#    Overhead  Command / Shared Object
 *	# ...........  .......................
 *	#
 *	    94.41%     ls
 *	       59.44%     [kernel.kallsyms]
 *
 * A row whose rows all are below the limit says so.
 */
#ifndef FORMAT_HIERARCHY_TEXT_H
#define FORMAT_HIERARCHY_TEXT_H

#include "util/format/report_text.h"
#include "util/report/report_tree.h"

/* The rows of one event, and two empty lines. */
void hierarchy_text_event(struct report_text *text, const struct report_tree *tree,
			  struct buf *out);

#endif
