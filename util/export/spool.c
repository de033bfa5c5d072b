// SPDX-License-Identifier: GPL-2.0
#include "util/export/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

/* Text of numbers and names shrinks enough with the least effort. */
#define LEVEL 1

static bool add_piece(struct spool *r, void *data, size_t packed, size_t len)
{
	struct spool_piece *p = vec_push(&r->pieces);

	if (!p)
		return false;
	*p = (struct spool_piece){.data = data, .packed = (u32)packed, .len = (u32)len};
	return true;
}

/* A part of the tail. */
static bool pack_part(struct spool *r, const char *s, size_t len)
{
	size_t bound = ZSTD_compressBound(len), n;
	void *data = malloc(bound), *smaller;

	if (!data)
		return false;
	n = ZSTD_compress(data, bound, s, len, LEVEL);
	if (ZSTD_isError(n) || !add_piece(r, data, n, len)) {
		free(data);
		return false;
	}
	smaller = realloc(data, n);
	if (smaller)
		r->pieces.v[r->pieces.nr - 1].data = smaller;
	return true;
}

void spool_pack(struct spool *r)
{
	size_t at = 0, len;

	while (at < r->tail.len && !r->failed) {
		len = MIN(r->tail.len - at, (size_t)2 * SPOOL_PIECE);
		r->failed = !pack_part(r, r->tail.data + at, len);
		at += len;
	}
	r->failed |= r->tail.failed;
	buf_clear(&r->tail);
}

void spool_join(struct spool *to, struct spool *from)
{
	to->failed |= from->failed;
	if (from->pieces.nr) {
		spool_pack(to);
		if (vec_reserve(&to->pieces, (u64)to->pieces.nr + from->pieces.nr)) {
			memcpy(to->pieces.v + to->pieces.nr, from->pieces.v,
			       from->pieces.nr * sizeof(*from->pieces.v));
			to->pieces.nr += from->pieces.nr;
			from->pieces.nr = 0;
		} else {
			to->failed = true;
		}
	}
	buf_add(&to->tail, buf_str(&from->tail), from->tail.len);
	to->failed |= from->tail.failed;
	spool_free(from);
	spool_settle(to);
}

void spool_copy(struct spool *to, const struct spool *from)
{
	const struct spool_piece *p;
	void *data;
	u32 i;

	to->failed |= from->failed || from->tail.failed;
	if (from->pieces.nr)
		spool_pack(to);
	for (i = 0; i < from->pieces.nr && !to->failed; i++) {
		p = &from->pieces.v[i];
		data = malloc(p->packed);
		if (data)
			memcpy(data, p->data, p->packed);
		to->failed = !data || !add_piece(to, data, p->packed, p->len);
		if (to->failed)
			free(data);
	}
	buf_add(&to->tail, buf_str(&from->tail), from->tail.len);
	spool_settle(to);
}

int spool_read(struct spool *r, struct buf *out)
{
	struct spool_piece *p;
	char *to;

	if (r->failed || r->tail.failed)
		return -ENOMEM;
	if (r->read == r->pieces.nr) {
		buf_add(out, buf_str(&r->tail), r->tail.len);
		buf_clear(&r->tail);
		return out->failed ? -ENOMEM : 0;
	}
	p = &r->pieces.v[r->read++];
	to = buf_room(out, p->len);
	if (!to || ZSTD_isError(ZSTD_decompress(to, p->len, p->data, p->packed)))
		return -ENOMEM;
	buf_wrote(out, p->len);
	free(p->data);
	p->data = NULL;
	return 1;
}

int spool_end(struct spool *r, bool (*put)(void *of), void *of, struct buf *out, struct err *err)
{
	int ret;

	if (!r->ended && !put(of))
		return err_nomem(err);
	r->ended = true;
	ret = spool_read(r, out);
	return ret < 0 ? err_nomem(err) : ret;
}

void spool_free(struct spool *r)
{
	u32 i;

	for (i = 0; i < r->pieces.nr; i++)
		free(r->pieces.v[i].data);
	vec_free(&r->pieces);
	buf_free(&r->tail);
	*r = (struct spool){0};
}
