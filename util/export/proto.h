/* SPDX-License-Identifier: GPL-2.0 */
/*
 * proto.h - writing protocol buffers: the fields of one message, appended to a buffer.
 *
 * A message within a message is made in a buffer of its own and added as bytes. Fields of value 0
 * are left out, as readers take them for that.
 *
 * Source: protobuf.dev/programming-guides/encoding
 */
#ifndef EXPORT_PROTO_H
#define EXPORT_PROTO_H

#include "util/base/buf.h"

void proto_varint(struct buf *b, u64 v);
/* An integer; a negative one as the u64 of the same bits. */
void proto_integer(struct buf *b, u32 field, u64 v);
/* A string, a message, or packed integers; empty ones too. */
void proto_bytes(struct buf *b, u32 field, const void *p, size_t len);
/* The same of a buffer's, which is empty afterwards. */
void proto_message(struct buf *b, u32 field, struct buf *message);

#endif
