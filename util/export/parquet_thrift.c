// SPDX-License-Identifier: GPL-2.0
#include "util/export/parquet_internal.h"

void parquet_thrift_varint(struct buf *out, u64 v)
{
	for (; v >= 0x80; v >>= 7)
		buf_u8(out, (u8)(v | 0x80));
	buf_u8(out, (u8)v);
}

void parquet_thrift_zigzag(struct buf *out, s64 v)
{
	parquet_thrift_varint(out, (u64)v << 1 ^ (u64)(v >> 63));
}

static void put_field(struct parquet_thrift *t, u32 id, enum parquet_thrift_type type)
{
	u32 *last = &t->last[t->depth], step = id - *last;

	if (step - 1 < 15) {
		buf_u8(t->out, (u8)(step << 4 | type));
	} else {
		buf_u8(t->out, (u8)type);
		parquet_thrift_zigzag(t->out, id);
	}
	*last = id;
}

void parquet_thrift_i32(struct parquet_thrift *t, u32 id, s32 v)
{
	put_field(t, id, THRIFT_I32);
	parquet_thrift_zigzag(t->out, v);
}

void parquet_thrift_i64(struct parquet_thrift *t, u32 id, s64 v)
{
	put_field(t, id, THRIFT_I64);
	parquet_thrift_zigzag(t->out, v);
}

void parquet_thrift_byte(struct parquet_thrift *t, u32 id, s8 v)
{
	put_field(t, id, THRIFT_BYTE);
	buf_u8(t->out, (u8)v);
}

void parquet_thrift_bool(struct parquet_thrift *t, u32 id, bool v)
{
	put_field(t, id, v ? THRIFT_TRUE : THRIFT_FALSE);
}

void parquet_thrift_text(struct buf *out, const void *p, size_t len)
{
	parquet_thrift_varint(out, len);
	buf_add(out, p, len);
}

void parquet_thrift_binary(struct parquet_thrift *t, u32 id, const void *p, size_t len)
{
	put_field(t, id, THRIFT_BINARY);
	parquet_thrift_text(t->out, p, len);
}

void parquet_thrift_begin(struct parquet_thrift *t, u32 id)
{
	put_field(t, id, THRIFT_STRUCT);
	t->last[++t->depth] = 0;
}

void parquet_thrift_list(struct parquet_thrift *t, u32 id, enum parquet_thrift_type of, u32 nr)
{
	put_field(t, id, THRIFT_LIST);
	if (nr < 15) {
		buf_u8(t->out, (u8)(nr << 4 | of));
	} else {
		buf_u8(t->out, (u8)(0xf0 | of));
		parquet_thrift_varint(t->out, nr);
	}
}

struct parquet_thrift parquet_thrift_element(struct parquet_thrift *t)
{
	return (struct parquet_thrift){.out = t->out};
}

void parquet_thrift_end(struct parquet_thrift *t)
{
	buf_u8(t->out, 0);
	if (t->depth)
		t->depth--;
}
