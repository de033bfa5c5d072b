// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_blobs.h"

#include "util/file/block.h"

void columns_blobs_clear(struct columns_blobs *b)
{
	columns_table_clear(&b->known);
	buf_clear(&b->bytes);
	b->blobs.nr = 0;
	b->failed = false;
}

void columns_blobs_free(struct columns_blobs *b)
{
	columns_table_free(&b->known);
	vec_free(&b->blobs);
	buf_free(&b->bytes);
}

u32 columns_blobs_add(struct columns_blobs *b, const void *p, u32 len)
{
	u64 key = hash_bytes(p, len);
	struct columns_blob *blob;
	struct columns_slot *slot;
	u32 at, step = 0;

	if (!columns_table_ready(&b->known)) {
		b->failed = true;
		return 0;
	}
	at = columns_table_at(&b->known, key);
	while ((slot = columns_table_next(&b->known, key, &at, &step))) {
		if (slot->time != b->known.time)
			break;
		blob = &b->blobs.v[slot->value];
		if (blob->len == len && (!len || !memcmp(b->bytes.data + blob->at, p, len)))
			return slot->value;
	}
	blob = vec_push(&b->blobs);
	if (!blob) {
		b->failed = true;
		return 0;
	}
	*blob = (struct columns_blob){(u32)b->bytes.len, len};
	buf_add(&b->bytes, p, len);
	b->failed |= b->bytes.failed;
	if (slot && !b->failed)
		columns_table_put(&b->known, slot, key, b->blobs.nr - 1);
	return b->blobs.nr - 1;
}

void columns_blobs_put(struct columns_blobs *b, struct columns_out *o)
{
	u32 i;

	columns_put_varint(o->to, b->blobs.nr);
	columns_put_varint(o->to, b->bytes.len);
	if (!columns_out_room(o, b->blobs.nr))
		return;
	for (i = 0; i < b->blobs.nr; i++)
		o->scratch[0][i] = b->blobs.v[i].len;
	columns_put_ints(o, o->scratch[0], b->blobs.nr);
	columns_put_stream(o, b->bytes.data, b->bytes.len);
}

bool columns_blobs_get(struct columns_blobs *b, struct columns_in *in, struct cur *c)
{
	u64 nr = columns_get_varint(c), len = columns_get_varint(c), at = 0;
	const u8 *p;
	u32 i;

	b->blobs.nr = 0;
	buf_clear(&b->bytes);
	if (c->bad || nr > BLOCK_SIZE_MAX / 8 || len > BLOCK_SIZE_MAX)
		return !(c->bad = true);
	if (!columns_in_room(in, nr) || !vec_reserve(&b->blobs, nr)) {
		in->nomem = c->bad = true;
		return false;
	}
	if (!columns_get_ints(in, c, in->scratch[0], nr))
		return false;
	for (i = 0; i < nr; i++) {
		u64 n = in->scratch[0][i];

		if (n > len - at)
			return !(c->bad = true);
		b->blobs.v[i] = (struct columns_blob){(u32)at, (u32)n};
		at += n;
	}
	b->blobs.nr = (u32)nr;
	if (at != len)
		return !(c->bad = true);
	if (!len)
		return true;
	p = columns_get_stream(in, c, len);
	if (!p)
		return false;
	buf_add(&b->bytes, p, len);
	in->nomem |= b->bytes.failed;
	c->bad |= b->bytes.failed;
	return !c->bad;
}
