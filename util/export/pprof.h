/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pprof.h - samples as pprof reads them: perftools.profiles.Profile, a protocol buffer in gzip.
 *
 * A sample there is one stack of one thread under one name, labels "comm", "pid" and "tid", with
 * two values for each event: how many samples, and their weight. Types are called "samples" and
 * EVENT, with several events "EVENT_samples" and EVENT. Locations are the addresses of frames (of
 * calls, not of where they return to), in the mapping they were in, with their functions and lines,
 * inlined ones first; an address without a symbol has none. Kernel code has no file offset.
 *
 * Source: github.com/google/pprof, proto/profile.proto.
 */
#ifndef EXPORT_PPROF_H
#define EXPORT_PPROF_H

#include "util/format/sink.h"

/*
 * A sink for the samples of `event`, or of all (ID_NONE). The session stays the caller's; the sink
 * is freed by its ops->free(), even if this fails, when *sink is not NULL.
 */
int pprof_sink(struct session *s, u32 event, struct sink **sink, struct err *err);

#endif
