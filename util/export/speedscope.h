/* SPDX-License-Identifier: GPL-2.0 */
/*
 * speedscope.h - samples as speedscope reads them: its own JSON.
 *
 * A profile for each event and each thread under one name, those of most weight first; in it the
 * stacks in order of time, as lists of functions, outermost first. Neighbours that have the same
 * stack are one entry with the sum of their weights. The file of a function is that of its source,
 * or the one it was loaded from.
 *
 * Source: https://www.speedscope.app/file-format-schema.json, "type": "sampled".
 */
#ifndef EXPORT_SPEEDSCOPE_H
#define EXPORT_SPEEDSCOPE_H

#include "util/format/sink.h"

/*
 * A sink for the samples of `event`, or of all (ID_NONE). The session stays the caller's; the sink
 * is freed by its ops->free(), even if this fails, when *sink is not NULL.
 */
int speedscope_sink(struct session *s, u32 event, struct sink **sink, struct err *err);

#endif
