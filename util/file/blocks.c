// SPDX-License-Identifier: GPL-2.0
#include "util/file/blocks.h"

#include <errno.h>
#include <string.h>

#include "util/base/hash.h"
#include "util/base/io.h"

/*
 * A file made to annoy may hold many good headers that claim the same bytes for bad payloads: when
 * so much has been hashed for nothing, what such a header claims is passed over as a whole.
 */
#define WASTE_MAX (1u << 30)

int blocks_begin(struct blocks *b, const struct stream *in, struct err *err)
{
	struct file_header h;
	const u8 *p;
	size_t got;
	int ret;

	*b = (struct blocks){.in = *in};
	p = stream_peek(&b->in, FILE_HEADER_SIZE, &got);
	ret = got < FILE_HEADER_SIZE ? -EINVAL : block_get_file_header(p, &h);
	if (ret == -ENOTSUP)
		return err_set(err, ENOTSUP,
			       "the file is of format version %u.%u, this program reads %u",
			       h.major, h.minor, FILE_MAJOR);
	if (ret)
		b->damaged = MIN(got, (size_t)FILE_HEADER_SIZE);
	else
		b->session = block_session(&h);
	b->has_session = !ret;
	stream_skip(&b->in, FILE_HEADER_SIZE);
	return 0;
}

/* Bytes to go forward in p[0..len), len >= BLOCK_HEADER_SIZE, to a good header or to read on. */
static size_t find_header(const u8 *p, size_t len, bool *found)
{
	const size_t starts = len - BLOCK_HEADER_SIZE + 1;
	struct block k;
	const u8 *q;
	size_t at;

	for (at = 0; at < starts; at++) {
		q = memmem(p + at, starts - at + BLOCK_MAGIC_LEN - 1, BLOCK_MAGIC, BLOCK_MAGIC_LEN);
		if (!q)
			break;
		at = (size_t)(q - p);
		*found = block_get_header(q, &k);
		if (*found)
			return at;
	}
	return starts;
}

/* Go forward to the next good header, `skip` bytes from here at least; false: there is none. */
static bool resync(struct stream *in, u64 skip)
{
	const u8 *p;
	size_t got, have, step;
	bool found = false;

	stream_skip(in, skip);
	do {
		p = stream_peek(in, BLOCK_HEADER_SIZE, &got);
		if (got < BLOCK_HEADER_SIZE) {
			stream_skip(in, got);
			return false;
		}
		/* all that the window holds: nothing more is waited for */
		have = in->len - in->pos;
		step = find_header(p, have, &found);
		stream_skip(in, step);
	} while (!found);
	return true;
}

/* There is no whole block here: skip it. */
static int pass_over(struct blocks *b, struct blocks_item *it, bool at_end)
{
	struct stream *in = &b->in;
	bool found;

	if (it->has_head)
		b->wasted += it->head.stored_size;
	found = resync(in, b->wasted > it->at + WASTE_MAX ? it->head.stored_size : 1);

	if (in->error)
		return in->error;
	it->kind = at_end && !found ? BLOCKS_CUT : BLOCKS_BAD;
	it->bytes = stream_tell(in) - it->at;
	return 1;
}

static bool is_zero(const u8 *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (p[i])
			return false;
	return true;
}

bool blocks_wait(struct blocks *b)
{
	struct block head;
	const u8 *p;
	size_t got;

	if (!stream_wait(&b->in, BLOCK_HEADER_SIZE))
		return false;
	p = stream_peek(&b->in, BLOCK_HEADER_SIZE, &got);
	return got < BLOCK_HEADER_SIZE || !block_get_header(p, &head) ||
	       stream_wait(&b->in,
			   ALIGN_UP(BLOCK_HEADER_SIZE + (size_t)head.stored_size, (size_t)8));
}

int blocks_next(struct blocks *b, struct blocks_item *it)
{
	struct stream *in = &b->in;
	const u8 *p;
	size_t got, size, want;

	*it = (struct blocks_item){.at = stream_tell(in)};
	p = stream_peek(in, BLOCK_HEADER_SIZE, &got);
	if (in->error)
		return in->error;
	if (!got)
		return 0;
	if (got < BLOCK_HEADER_SIZE)
		return pass_over(b, it, true);
	it->has_head = block_get_header(p, &it->head);
	if (!it->has_head)
		return pass_over(b, it, false);
	size = BLOCK_HEADER_SIZE + it->head.stored_size;
	want = ALIGN_UP(size, (size_t)8);
	p = stream_peek(in, want, &got);
	if (in->error)
		return in->error;
	if (got < size)
		return pass_over(b, it, true);
	it->payload = p + BLOCK_HEADER_SIZE;
	if (hash_bytes(it->payload, it->head.stored_size) != it->head.payload_hash)
		return pass_over(b, it, false);
	if (!b->has_session)
		b->session = it->head.session;
	b->has_session = true;
	it->strange = it->head.session != b->session;
	it->kind = it->strange ? BLOCKS_BAD : BLOCKS_WHOLE;
	it->bytes = got;
	it->padded = is_zero(p + size, got - size);
	stream_skip(in, got);
	return 1;
}

struct blocks blocks_fork(const struct blocks *b, u64 at)
{
	struct blocks f = *b;

	f.in = (struct stream){
		.fd = b->in.fd, .seekable = b->in.seekable, .size = b->in.size, .at = at};
	return f;
}

static bool header_at(const struct blocks *b, u64 at, struct block *k)
{
	u8 head[BLOCK_HEADER_SIZE];

	return io_pread(b->in.fd, head, sizeof(head), at) == sizeof(head) &&
	       block_get_header(head, k) && k->session == b->session;
}

bool blocks_hop(struct blocks *b, struct blocks_item *it)
{
	const u64 at = stream_tell(&b->in);
	struct block next;
	u64 end;

	*it = (struct blocks_item){.kind = BLOCKS_WHOLE, .at = at, .has_head = true};
	if (!b->in.seekable || !b->has_session || !header_at(b, at, &it->head))
		return false;
	end = at + ALIGN_UP(BLOCK_HEADER_SIZE + (u64)it->head.stored_size, 8u);
	it->bytes = end - at;
	return (end == b->in.size || header_at(b, end, &next)) && !stream_seek(&b->in, end);
}

static bool is_of(const struct block *k, u32 types)
{
	return k->type < 32 && types >> k->type & 1;
}

int blocks_find(struct blocks *b, u32 types, struct blocks_item *it)
{
	int ret = 1;

	do {
		if (blocks_hop(b, it)) {
			if (!is_of(&it->head, types))
				break;
			stream_seek(&b->in, it->at);
		}
		ret = blocks_next(b, it);
	} while (ret > 0 && it->kind != BLOCKS_WHOLE);
	if (!is_of(&it->head, types))
		it->payload = NULL;
	return ret > 0 && it->head.type == BLOCK_END ? 0 : ret;
}
