/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chrome.h - samples as a trace: the JSON of chrome://tracing, which Perfetto and many others read.
 *
 *	traceEvents	each sample is an instant of its thread, with its CPU, period and, of tracepoints, fields; where
 *			sched:sched_switch was recorded, a slice of its CPU for each time that a task ran; names of
 *			processes and threads
 *	samples		the same samples once more, with their weights, for those who draw profiles
 *	stackFrames	the functions that "sf" of both names, each with its caller; the category is the file
 *
 * Times are microseconds of the recording's clock, with three decimals. CPUs are threads of a
 * process of their own, whose number no process has. A slice whose end was not recorded is left
 * out. Names are escaped as text_escape() does.
 *
 * Source: Trace Event Format, docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
 */
#ifndef EXPORT_CHROME_H
#define EXPORT_CHROME_H

#include "util/format/sink.h"

/*
 * A sink for the samples of `event`, or of all (ID_NONE). The session stays the caller's; the sink
 * is freed by its ops->free(), even if this fails, when *sink is not NULL.
 */
int chrome_sink(struct session *s, u32 event, struct sink **sink, struct err *err);

#endif
