// SPDX-License-Identifier: GPL-2.0
#include "util/file/block.h"

#include <errno.h>

#include "util/base/hash.h"

void block_put_header(struct buf *b, const struct block *k)
{
	size_t at = b->len;

	buf_add(b, BLOCK_MAGIC, BLOCK_MAGIC_LEN);
	buf_le16(b, k->type);
	buf_le16(b, k->flags);
	buf_le64(b, k->seq);
	buf_le32(b, k->session);
	buf_le32(b, k->records);
	buf_le32(b, k->stored_size);
	buf_le32(b, k->raw_size);
	buf_le64(b, k->samples_before);
	buf_le64(b, k->time_min);
	buf_le64(b, k->time_max);
	buf_le64(b, k->order);
	buf_le64(b, k->payload_hash);
	if (!b->failed)
		buf_le64(b, hash_bytes(b->data + at, b->len - at));
}

bool block_get_header(const u8 *p, struct block *k)
{
	struct cur c = cur_init_le(p, BLOCK_HEADER_SIZE);

	if (memcmp(cur_bytes(&c, BLOCK_MAGIC_LEN), BLOCK_MAGIC, BLOCK_MAGIC_LEN))
		return false;
	k->type = cur_u16(&c);
	k->flags = cur_u16(&c);
	k->seq = cur_u64(&c);
	k->session = cur_u32(&c);
	k->records = cur_u32(&c);
	k->stored_size = cur_u32(&c);
	k->raw_size = cur_u32(&c);
	k->samples_before = cur_u64(&c);
	k->time_min = cur_u64(&c);
	k->time_max = cur_u64(&c);
	k->order = cur_u64(&c);
	k->payload_hash = cur_u64(&c);
	return cur_u64(&c) == hash_bytes(p, BLOCK_HEADER_SIZE - 8) &&
	       k->stored_size <= BLOCK_SIZE_MAX && k->raw_size <= BLOCK_SIZE_MAX;
}

u32 block_session(const struct file_header *h)
{
	return h->minor ? (u32)h->session[0] : 0;
}

void block_put_file_header(struct buf *b, const struct file_header *h)
{
	size_t at = b->len;

	buf_add(b, FILE_MAGIC, FILE_MAGIC_LEN);
	buf_le16(b, h->major);
	buf_le16(b, h->minor);
	buf_le32(b, FILE_HEADER_SIZE);
	buf_le64(b, h->session[0]);
	buf_le64(b, h->session[1]);
	buf_pad(b, '\0', FILE_HEADER_SIZE - 8 - (b->len - at));
	if (!b->failed)
		buf_le64(b, hash_bytes(b->data + at, b->len - at));
}

int block_get_file_header(const u8 *p, struct file_header *h)
{
	struct cur c = cur_init_le(p, FILE_HEADER_SIZE);

	if (memcmp(cur_bytes(&c, FILE_MAGIC_LEN), FILE_MAGIC, FILE_MAGIC_LEN))
		return -EINVAL;
	h->major = cur_u16(&c);
	h->minor = cur_u16(&c);
	cur_u32(&c); /* size */
	h->session[0] = cur_u64(&c);
	h->session[1] = cur_u64(&c);
	c = cur_init_le(p + FILE_HEADER_SIZE - 8, 8);
	if (cur_u64(&c) != hash_bytes(p, FILE_HEADER_SIZE - 8))
		return -EINVAL;
	return h->major == FILE_MAJOR ? 0 : -ENOTSUP;
}
