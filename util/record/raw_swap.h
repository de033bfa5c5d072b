/* SPDX-License-Identifier: GPL-2.0 */
/*
 * raw_swap.h - the raw data of a tracepoint from a machine of the other byte order, by its format.
 *
 * Every integer is reversed, the elements of arrays as well, also where a __data_loc leads to them.
 * What the format gives no width of an integer for stays as it is.
 */
#ifndef RECORD_RAW_SWAP_H
#define RECORD_RAW_SWAP_H

#include "util/base/vec.h"
#include "util/tracepoint/tp_format.h"

struct raw_swap_field {
	u32 at, size;
	u32 elem; /* bytes of one integer; 0: as it is */
	enum tp_loc loc;
};

struct raw_swap {
	VEC(struct raw_swap_field) fields;
	bool known; /* the owner's */
};

/* A zeroed one has no fields. 0 or -ENOMEM. */
int raw_swap_init(struct raw_swap *s, const struct tp_format *f);
/* In place. What reaches beyond `len` stays as it is. */
void raw_swap(const struct raw_swap *s, u8 *raw, size_t len);
void raw_swap_free(struct raw_swap *s);

#endif
