/* SPDX-License-Identifier: GPL-2.0 */
/*
 * foreign_order.h - attrs and records of a machine of the other byte order, made ours in place: those
 * of perf.data, and those of our file, which holds records as the recorded machine had them.
 *
 * Integers are reversed where the layout says that they are; strings and copies of memory stay.
 * Bit-fields are the hard part: a big-endian machine fills a word from its highest bit down.
 *
 * Source: <linux/perf_event.h>; swap_bitfield_byte() of tools/perf/util/session.c for the idea.
 */
#ifndef FILE_FOREIGN_ORDER_H
#define FILE_FOREIGN_ORDER_H

#include "util/file/data_block.h"
#include "util/file/recording.h"
#include "util/record/raw_swap.h"

/* Zero-initialised it is ready. One for each recording. */
struct foreign_order {
	struct raw_swap *raw; /* by event: where the integers of its raw data lie */
	u32 nr;
};

/* Fields that the attr of an older kernel lacks are zeros. */
void foreign_order_attr(struct perf_event_attr *a);
struct perf_event_header foreign_order_header(struct perf_event_header h);

/*
 * Swap a record of the kernel; its header is in our byte order already, its body is not. `event` is
 * its event, ID_NONE: look it up by its id. Of a sample whose event is not known, only the id is
 * swapped. 1; 0: it cannot be read, because its type is unknown or it is cut; -ENOMEM.
 */
int foreign_order_record(struct foreign_order *s, const struct recording *r, u8 *data, u32 size,
			 u32 event);
/* The records of a block that says that they are foreign; those that cannot be read go. 0, -ENOMEM. */
int foreign_order_block(struct foreign_order *s, const struct recording *r, struct data_block *b);
void foreign_order_free(struct foreign_order *s);

#endif
