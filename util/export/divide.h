/* SPDX-License-Identifier: GPL-2.0 */
/*
 * divide.h - a document of profiles in two, for a server that wants smaller ones.
 *
 * The first half of the samples, and the rest: each sample is in one of both. With them are the entries of the tables that they
 * name, renumbered. A profile of OTLP whose samples are in both has an id of its own in each, made of the old one, and the
 * time of its samples; what it says of losses is of the whole recording as before. Only what export_otlp() and
 * export_pprof() write is understood.
 */
#ifndef EXPORT_DIVIDE_H
#define EXPORT_DIVIDE_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/types.h"

enum divide_form { DIVIDE_OTLP, DIVIDE_PPROF };

struct divide_half {
	struct buf bytes; /* not compressed; the caller frees it */
	u64 samples;
};

/* Of a document that is not compressed. 1: it is divided, 0: it is of one sample or none, <0: err. */
int divide_document(enum divide_form form, const void *document, size_t len,
		    struct divide_half halves[2], struct err *err);

#endif
