/* SPDX-License-Identifier: GPL-2.0 */
/*
 * csv.h - samples as comma-separated values: a row for each, below a row of names.
 *
 *	event,time_ns,cpu,pid,tid,comm,period,ip,symbol,dso,stack
 *
 * Where all samples are of one tracepoint, a column fields.NAME follows for each of its fields: its
 * name for numbers that have names, else as script prints it. A cell is empty where nothing is known.
 * Times are ns of the recording's clock, ip is hexadecimal. A stack is its functions, outermost
 * first, with ';' between them; ';' in names is ':'. Names are escaped as text_escape() does, so
 * no cell holds a line break.
 *
 * Source: RFC 4180; lines end with CR LF.
 */
#ifndef EXPORT_CSV_H
#define EXPORT_CSV_H

#include "util/format/sink.h"

/*
 * A sink for the samples of `event`, or of all (ID_NONE). The session stays the caller's; the sink
 * is freed by its ops->free(), even if this fails, when *sink is not NULL.
 */
int csv_sink(struct session *s, u32 event, struct sink **sink, struct err *err);

#endif
