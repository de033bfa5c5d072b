// SPDX-License-Identifier: GPL-2.0
/* export_wire.c - the bytes of profiles: protocol buffers. */
#include "util/export/export_internal.h"

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2 };

void export_proto_varint(struct buf *b, u64 v)
{
	for (; v >= 0x80; v >>= 7)
		buf_addc(b, (char)(v | 0x80));
	buf_addc(b, (char)v);
}

void export_proto_integer(struct buf *b, u32 field, u64 v)
{
	if (!v)
		return;
	export_proto_varint(b, (u64)field << 3 | VARINT);
	export_proto_varint(b, v);
}

void export_proto_fixed64(struct buf *b, u32 field, u64 v)
{
	if (!v)
		return;
	export_proto_varint(b, (u64)field << 3 | FIXED64);
	buf_le64(b, v);
}

void export_proto_head(struct buf *b, u32 field, u64 len)
{
	export_proto_varint(b, (u64)field << 3 | LENGTH);
	export_proto_varint(b, len);
}

void export_proto_bytes(struct buf *b, u32 field, const void *p, size_t len)
{
	export_proto_head(b, field, len);
	buf_add(b, p, len);
}

void export_proto_message(struct buf *b, u32 field, struct buf *message)
{
	export_proto_bytes(b, field, buf_str(message), message->len);
	b->failed |= message->failed;
	buf_clear(message);
}
