/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sideband_text.h - the text of a record that is no sample, as perf script --show-mmap-events and
 * its like print it: "PERF_RECORD_MMAP2 18292/18292: [0x561762b2d000(0x13000) @ 0x4000 ...". Scripts and
 * profile converters take these lines apart.
 *
 * Source: perf_event_open(2), PERF_RECORD_*; the layout is what perf 6.1 and 6.12 print.
 */
#ifndef FORMAT_SIDEBAND_TEXT_H
#define FORMAT_SIDEBAND_TEXT_H

#include "util/base/buf.h"
#include "util/record/rec.h"

/* How the text of a changed instruction gets its symbol; NULL: without one. */
struct sideband_symbols {
	/* append "sym+0x1f"; false: not known */
	bool (*symbol)(void *arg, u64 addr, bool with_offset, struct buf *out);
	void *arg;
};

/* From "PERF_RECORD_" to the end of the line. What does not fit its type is shown up to there. */
void sideband_text(const struct rec *rec, const struct sideband_symbols *symbols, struct buf *out);

#endif
