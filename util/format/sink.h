/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sink.h - what becomes of samples: one stream, many formats.
 *
 * A sink appends text to a buffer that its caller writes out and empties; it keeps no more than it
 * must. Samples come in order of time.
 */
#ifndef FORMAT_SINK_H
#define FORMAT_SINK_H

#include "util/profile/session.h"

struct sink;

struct sink_ops {
	int (*sample)(struct sink *k, const struct session_sample *s, struct buf *out,
		      struct err *err);
	/* a record that is no sample (session_options.records); NULL: they are not shown */
	int (*record)(struct sink *k, const struct session_record *r, struct buf *out,
		      struct err *err);
	/* after the last sample; 1: there is more, call again when the buffer is written out */
	int (*end)(struct sink *k, struct buf *out, struct err *err);
	void (*free)(struct sink *k);
	/* the call chain of a sample alone, for a sink that prints the rest; NULL: none are shown */
	int (*stack)(struct sink *k, const struct session_sample *s, struct buf *out,
		     struct err *err);
};

struct sink {
	const struct sink_ops *ops;
};

#endif
