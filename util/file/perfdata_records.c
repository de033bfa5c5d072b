// SPDX-License-Identifier: GPL-2.0
#include "util/file/perfdata_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "util/base/types.h"
#include "util/file/foreign_order.h"
#include "util/file/perfdata_abi.h"

/*
 * records out of the COMPRESSED records of a perf.data file.
 *
 *	perfdata_zstd_feed() -> perfdata_zstd_next() ... -> PERFDATA_ZSTD_EMPTY -> feed ...
 *
 * All COMPRESSED records of a file are pieces of one zstd stream, and a record may begin in one
 * piece and end in the next. What comes out is held in a window, so that memory does not depend on
 * what a piece claims to hold.
 */

enum perfdata_zstd_result {
	PERFDATA_ZSTD_EMPTY,
	PERFDATA_ZSTD_RECORD,
	PERFDATA_ZSTD_BROKEN,
};

/* The longest record, and as much again to read on. */
#define WINDOW (256u * 1024)
/* What one piece may become: perf compresses at most one ring at a time. */
#define PIECE_MAX (256u << 20)

struct perfdata_zstd {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	bool more;     /* zstd may hold bytes that found no room */
	u64 out_of_it; /* bytes that this piece has become */
	bool swap, broken;
	size_t pos, len; /* of the window */
	_Alignas(8) u8 window[WINDOW];
};

/* NULL: out of memory. */
static struct perfdata_zstd *perfdata_zstd_new(bool swap)
{
	struct perfdata_zstd *z = calloc(1, sizeof(*z));

	if (!z)
		return NULL;
	z->swap = swap;
	z->stream = ZSTD_createDStream();
	if (!z->stream) {
		free(z);
		return NULL;
	}
	return z;
}

/* The payload of the next COMPRESSED record; it must stay until EMPTY. */
static void perfdata_zstd_feed(struct perfdata_zstd *z, const void *p, size_t len)
{
	z->in = (ZSTD_inBuffer){.src = p, .size = len};
	z->more = true;
	z->out_of_it = 0;
}

/* Fill the window up; false: nothing has come. */
static bool decompress(struct perfdata_zstd *z)
{
	ZSTD_outBuffer out;
	size_t ret, was;

	memmove(z->window, z->window + z->pos, z->len - z->pos);
	z->len -= z->pos;
	z->pos = 0;
	was = z->len;
	while (z->more && z->len < WINDOW) {
		out = (ZSTD_outBuffer){.dst = z->window + z->len, .size = WINDOW - z->len};
		ret = ZSTD_decompressStream(z->stream, &out, &z->in);
		z->len += out.pos;
		z->out_of_it += out.pos;
		if (ZSTD_isError(ret) || z->out_of_it > PIECE_MAX) {
			z->broken = true;
			break;
		}
		/* all is out when the input is used up and room was left */
		z->more = z->in.pos < z->in.size || out.pos == out.size;
		if (!out.pos && z->in.pos == z->in.size)
			z->more = false;
	}
	return z->len > was;
}

/*
 * One more record: its bytes, valid until the next call. BROKEN: the stream makes no sense from here
 * on, or what comes out of it are no records: nothing more can come of it.
 */
static enum perfdata_zstd_result perfdata_zstd_next(struct perfdata_zstd *z, const u8 **rec,
						    u32 *size)
{
	struct perf_event_header h;

	for (;;) {
		if (z->len - z->pos >= sizeof(h)) {
			memcpy(&h, z->window + z->pos, sizeof(h));
			if (z->swap)
				h = foreign_order_header(h);
			if (h.size < sizeof(h))
				z->broken = true;
			else if (h.size <= z->len - z->pos) {
				*rec = z->window + z->pos;
				*size = h.size;
				z->pos += h.size;
				return PERFDATA_ZSTD_RECORD;
			}
		}
		if (z->broken)
			return PERFDATA_ZSTD_BROKEN;
		if (!decompress(z) && !z->broken)
			return PERFDATA_ZSTD_EMPTY;
	}
}

/* Bytes of a record that has begun and for which no further piece has come. */
static size_t perfdata_zstd_left(const struct perfdata_zstd *z)
{
	return z->len - z->pos;
}

static void perfdata_zstd_free(struct perfdata_zstd *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->stream);
	free(z);
}

/* Bits of misc that nothing has a meaning for. */
#define MISC_UNUSED 0x0ff8
/* Types from here on do not exist, and nobody is near to needing them. */
#define TYPE_LIMIT 256
/* To look for a record in: the chain of records that proves it has to fit into half of it. */
#define SCAN  (512u * 1024)
#define CHAIN 4

static struct perf_event_header get_header(const struct perfdata_records *r, const u8 *p)
{
	struct perf_event_header h;

	memcpy(&h, p, sizeof(h));
	return r->swap ? foreign_order_header(h) : h;
}

/* Can it be a record at all? Those of unknown types can. */
static bool possible(const struct perf_event_header *h)
{
	return h->type - 1u < TYPE_LIMIT - 1 && h->size >= sizeof(*h) &&
	       (h->type >= PERFDATA_TYPE_FIRST || !(h->size % 8));
}

/* Is it likely one? For places that nothing but this speaks for. */
static bool likely(const struct perf_event_header *h)
{
	if (h->misc & MISC_UNUSED || h->size % 8)
		return false;
	if (h->type == PERFDATA_FINISHED_ROUND || h->type == PERFDATA_FINISHED_INIT)
		return h->size == sizeof(*h);
	return h->size > sizeof(*h) &&
	       ((h->type >= PERF_RECORD_MMAP && h->type <= 22) ||
		(h->type >= PERFDATA_TYPE_FIRST && h->type <= PERFDATA_SCHEDSTAT_DOMAIN));
}

/* Several likely records, each behind the other. */
static bool chain(const struct perfdata_records *r, const u8 *p, size_t len, bool at_end)
{
	struct perf_event_header h;
	int n;

	for (n = 0; n < CHAIN; n++) {
		if (!len && n)
			return at_end;
		if (len < sizeof(h))
			return false;
		h = get_header(r, p);
		if (!likely(&h))
			return false;
		if (h.size > len)
			return n > 1;
		p += h.size;
		len -= h.size;
	}
	return true;
}

/* From p[*at] on, where records begin again; else *at is how far none do. */
static bool find_record(const struct perfdata_records *r, const u8 *p, size_t len, bool at_end,
			size_t *at)
{
	const size_t until = at_end ? len : len / 2;

	for (; *at < until; *at += 8)
		if (chain(r, p + *at, len - *at, at_end))
			return true;
	*at = until;
	return false;
}

/* Pass over what is no record, to where there are some, or to the end. */
static bool pass_over(struct perfdata_records *r, bool only_if_found)
{
	size_t got, at = sizeof(struct perf_event_header);
	bool found, at_end;
	const u8 *p;

	do {
		p = stream_peek(&r->in, SCAN, &got);
		got = (size_t)MIN((u64)got, r->end - stream_tell(&r->in));
		at_end = got < SCAN;
		found = find_record(r, p, got, at_end, &at);
		if (!found && only_if_found)
			return false;
		stream_skip(&r->in, at);
		at = 0;
	} while (!found && !at_end);
	if (!r->damage->blocks++)
		r->damage->first_at = r->at;
	r->damage->bytes += stream_tell(&r->in) - r->at;
	return true;
}

static int cut(struct perfdata_records *r)
{
	r->damage->cut = true;
	r->damage->cut_at = r->at;
	r->end = r->at;
	return 0;
}

static int read_error(const struct perfdata_records *r, struct err *err)
{
	if (r->in.error == -ENOMEM)
		return err_nomem(err);
	return err_set(err, -r->in.error, "cannot read the perf.data file at byte %llu: %s",
		       (unsigned long long)r->at, strerror(-r->in.error));
}

/* A piece of the zstd stream. What comes behind a broken one cannot be read either. */
static int feed(struct perfdata_records *r, const struct perf_event_header *h, const u8 *data,
		struct err *err)
{
	size_t at = sizeof(*h), size = h->size - sizeof(*h);
	u64 len;

	if (h->type == PERFDATA_COMPRESSED2) {
		struct cur c = cur_init(data + at, size);

		c.swap = r->swap;
		len = cur_u64(&c);
		at += sizeof(len);
		size = (size_t)MIN(len, (u64)cur_left(&c));
	}
	if (!r->zstd)
		r->zstd = perfdata_zstd_new(r->swap);
	if (!r->zstd)
		return err_nomem(err);
	perfdata_zstd_feed(r->zstd, data + MIN(at, (size_t)h->size), size);
	r->inflating = true;
	return 0;
}

/* A record out of the compressed one that was fed; false: none is left in it. */
static bool inflated(struct perfdata_records *r, struct perf_event_header *h, const u8 **data)
{
	enum perfdata_zstd_result got;
	u32 size;

	got = perfdata_zstd_next(r->zstd, data, &size);
	if (got == PERFDATA_ZSTD_RECORD) {
		*h = get_header(r, *data);
		return true;
	}
	if (got == PERFDATA_ZSTD_BROKEN) {
		if (!r->damage->blocks++)
			r->damage->first_at = r->at;
		r->damage->bytes += stream_tell(&r->in) - r->at;
	}
	r->inflating = false;
	return false;
}

/* The next whole record of the file itself. */
static int next_in_file(struct perfdata_records *r, struct perf_event_header *h, const u8 **data,
			struct err *err)
{
	size_t got;

	for (;;) {
		r->at = stream_tell(&r->in);
		if (r->at >= r->end)
			return 0;
		*data = stream_peek(&r->in, sizeof(*h), &got);
		if (r->in.error)
			return read_error(r, err);
		if (!got && r->end == UINT64_MAX)
			return 0;
		if (got < sizeof(*h))
			return cut(r);
		*h = get_header(r, *data);
		if (!possible(h)) {
			pass_over(r, false);
			continue;
		}
		*data = stream_peek(&r->in, h->size, &got);
		if (r->in.error)
			return read_error(r, err);
		if (got < h->size || h->size > r->end - r->at) {
			/* its size may be what is damaged */
			if (pass_over(r, true))
				continue;
			return cut(r);
		}
		stream_skip(&r->in, h->size);
		return 1;
	}
}

bool perfdata_records_wait(struct perfdata_records *r)
{
	struct perf_event_header h;
	const u8 *data;
	size_t got;

	if (r->inflating)
		return true;
	if (!stream_wait(&r->in, sizeof(h)))
		return false;
	data = stream_peek(&r->in, sizeof(h), &got);
	if (got < sizeof(h))
		return true;
	h = get_header(r, data);
	return !possible(&h) || stream_wait(&r->in, h.size);
}

int perfdata_records_next(struct perfdata_records *r, struct perf_event_header *h, const u8 **data,
			  struct err *err)
{
	int ret;

	for (;;) {
		if (r->inflating && inflated(r, h, data))
			return 1;
		ret = next_in_file(r, h, data, err);
		if (ret <= 0 || (h->type != PERFDATA_COMPRESSED && h->type != PERFDATA_COMPRESSED2))
			break;
		ret = feed(r, h, *data, err);
		if (ret)
			return ret;
	}
	/* a record that began in the last piece and ends in none */
	if (!ret && r->zstd && perfdata_zstd_left(r->zstd) && !r->damage->blocks)
		return cut(r);
	return ret;
}

bool perfdata_records_skip(struct perfdata_records *r, u64 size)
{
	u64 at = stream_tell(&r->in);
	size_t got;

	if (size > r->end - at) {
		cut(r);
		return false;
	}
	stream_skip(&r->in, size);
	if (!size || r->end != UINT64_MAX)
		return true;
	/* the end of a pipe shows only now */
	if (stream_tell(&r->in) - at < size) {
		stream_peek(&r->in, 1, &got);
		cut(r);
		return false;
	}
	return true;
}

int perfdata_records_payload(struct perfdata_records *r, u64 size, struct buf *b, struct err *err)
{
	const u8 *p;
	size_t got;

	if (size > PERFDATA_SECTION_MAX || size > r->end - stream_tell(&r->in))
		return cut(r);
	while (size) {
		p = stream_peek(&r->in, (size_t)MIN(size, (u64)SCAN), &got);
		if (r->in.error)
			return read_error(r, err);
		if (!got)
			return cut(r);
		buf_add(b, p, got);
		stream_skip(&r->in, got);
		size -= got;
	}
	return b->failed ? err_nomem(err) : 1;
}

void perfdata_records_close(struct perfdata_records *r)
{
	stream_close(&r->in);
	perfdata_zstd_free(r->zstd);
	r->zstd = NULL;
}
