/* SPDX-License-Identifier: GPL-2.0 */
/*
 * raw_swap.h - the raw data of a tracepoint from a machine of the other byte order, by its format.
 *
 * Every integer is reversed, the elements of arrays as well, also where a __data_loc leads to them.
 * That includes a __be32: it is the number that the recorded machine saw, and the print fmt of that
 * machine reckons with it (ntohl() is nothing there, or a swap). Bytes stay as they are: structs,
 * arrays of __be16, __be32, __be64 (addresses of networks), integers that the print fmt takes the
 * address of, as for %pI4, and what the format gives no width of an integer for.
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
