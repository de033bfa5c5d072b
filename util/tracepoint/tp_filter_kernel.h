/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_filter_kernel.h - what of a filter the kernel can do, in its words.
 *
 * Names of values have become numbers. The text of a function ends in a blank, since the kernel reads
 * its name up to the next one, brackets included.
 *
 * Source: kernel/trace/trace_events_filter.c, parse_pred().
 */
#ifndef TRACEPOINT_TP_FILTER_KERNEL_H
#define TRACEPOINT_TP_FILTER_KERNEL_H

#include "util/base/buf.h"
#include "util/tracepoint/tp_filter.h"
#include "util/tracepoint/tp_filter_node.h"

/* A text of so many bytes it takes: a page, NUL included, less what is added to every filter. */
#define TP_FILTER_KERNEL_MAX 3800

/* Can the kernel do all of it? */
bool tp_filter_kernel_can(const struct tp_filter_node *n, const struct tp_filter_opts *o);
/* Append it, in brackets if it is an alternative and `inner`. */
void tp_filter_kernel_put(const struct tp_filter_node *n, const struct tp_filter_opts *o,
			  bool inner, struct buf *out);

#endif
