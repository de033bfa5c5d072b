// SPDX-License-Identifier: GPL-2.0
#include "util/export/proto.h"

enum { VARINT = 0, LENGTH = 2 };

void proto_varint(struct buf *b, u64 v)
{
	for (; v >= 0x80; v >>= 7)
		buf_addc(b, (char)(v | 0x80));
	buf_addc(b, (char)v);
}

void proto_integer(struct buf *b, u32 field, u64 v)
{
	if (!v)
		return;
	proto_varint(b, (u64)field << 3 | VARINT);
	proto_varint(b, v);
}

void proto_bytes(struct buf *b, u32 field, const void *p, size_t len)
{
	proto_varint(b, (u64)field << 3 | LENGTH);
	proto_varint(b, len);
	buf_add(b, p, len);
}

void proto_message(struct buf *b, u32 field, struct buf *message)
{
	proto_bytes(b, field, buf_str(message), message->len);
	b->failed |= message->failed;
	buf_clear(message);
}
