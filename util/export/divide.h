/* SPDX-License-Identifier: GPL-2.0 */
/*
 * divide.h - a part of a document of profiles, for a server that wants smaller ones.
 *
 * Its samples from one number to another, by their order in the document. With them are the entries of the tables that they
 * name, renumbered. A profile of OTLP whose samples are not all in the part has an id of its own there, made of the old one
 * and of both numbers, and the time of its samples; what it says of losses is of the whole recording as before. Only what
 * export_otlp() and export_pprof() write is understood.
 */
#ifndef EXPORT_DIVIDE_H
#define EXPORT_DIVIDE_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/types.h"

enum divide_form { DIVIDE_OTLP, DIVIDE_PPROF };

struct divide_part {
	u64 from, until;  /* which samples, as the caller wants it; pprof's are sums of several */
	struct buf bytes; /* not compressed; the caller frees it */
	u64 samples;      /* that were recorded */
};

/* How many samples a document has that is not compressed. <0: err. */
int divide_count(enum divide_form form, const void *document, size_t len, u64 *nr, struct err *err);
/* Make a part of it: from < until <= nr. <0: err. */
int divide_document(enum divide_form form, const void *document, size_t len,
		    struct divide_part *part, struct err *err);

#endif
