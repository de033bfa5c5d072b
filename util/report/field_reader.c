// SPDX-License-Identifier: GPL-2.0
#include "util/report/field_reader.h"

struct field_reader field_reader_of(const struct tp_field *f)
{
	struct field_reader c = {
		.kind = FIELD_READER_BYTES,
		.is_signed = f->is_signed,
		.offset = f->offset,
		.field = f,
	};

	if (f->is_array || f->loc != TP_LOC_FIXED ||
	    (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8))
		return c;
	c.kind = FIELD_READER_INT;
	c.size = (u8)f->size;
	if (tp_field_is_int_in_word(f)) {
		c.size = 4;
		c.is_signed = true;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		c.offset += 4;
#endif
	}
	return c;
}
