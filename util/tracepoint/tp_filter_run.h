/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_filter_run.h - whether a tree holds for one sample.
 */
#ifndef TRACEPOINT_TP_FILTER_RUN_H
#define TRACEPOINT_TP_FILTER_RUN_H

#include "util/tracepoint/tp_filter.h"
#include "util/tracepoint/tp_filter_node.h"

enum tp_filter_verdict { TP_FILTER_NO, TP_FILTER_YES, TP_FILTER_UNKNOWN };

/* Unknown rests on what the sample lacks: it stays so whatever it is joined to that does not decide. */
enum tp_filter_verdict tp_filter_run(const struct tp_filter_node *n,
				     const struct tp_filter_sample *s);

/* Can it be run where samples come without the name of their task? NULL, or the node that cannot. */
const struct tp_filter_node *tp_filter_run_lacks(const struct tp_filter_node *n,
						 const struct tp_filter_opts *o);

#endif
