/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfdata_swap.h - attrs and records of a machine of the other byte order, made ours in place.
 *
 * Integers are reversed where the layout says that they are; strings and copies of memory stay.
 * Bit-fields are the hard part: a big-endian machine fills a word from its highest bit down.
 *
 * Source: <linux/perf_event.h>; swap_bitfield_byte() of tools/perf/util/session.c for the idea.
 */
#ifndef FILE_PERFDATA_SWAP_H
#define FILE_PERFDATA_SWAP_H

#include "util/file/recording.h"
#include "util/record/raw_swap.h"

/* Zero-initialised it is ready. One for each recording. */
struct perfdata_swap {
	struct raw_swap *raw; /* by event: where the integers of its raw data lie */
	u32 nr;
};

/* Fields that the attr of an older kernel lacks are zeros. */
void perfdata_swap_attr(struct perf_event_attr *a);
struct perf_event_header perfdata_swap_header(struct perf_event_header h);

/*
 * A record of the kernel; its header is ours already, its body not. Of a sample whose event is not
 * known, the id alone is swapped. 1; 0: it cannot be read, its type being unknown, or it is cut;
 * -ENOMEM.
 */
int perfdata_swap_record(struct perfdata_swap *s, const struct recording *r, u8 *data, u32 size);
void perfdata_swap_free(struct perfdata_swap *s);

#endif
