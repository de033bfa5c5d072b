// SPDX-License-Identifier: GPL-2.0
#include "util/file/native.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include "util/file/block.h"
#include "util/file/data_codec.h"

struct native {
	struct source source;
	struct stream in;
	struct data_decoder decoder;
	struct buf records; /* of the DATA block being read */
	size_t pos;
	struct buf payload; /* of another block, decompressed */
	u64 samples;        /* in the DATA blocks read or known to be lost so far */
	u64 block_order;    /* `order` of the block being read: holds when it has been read */
	bool ended;
};

static struct cur payload_cur(const void *p, size_t len)
{
	struct cur c = cur_init(p, len);

	c.swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	return c;
}

static int read_facts(struct native *n, struct cur c)
{
	size_t key_len, len;
	const char *key, *value;
	char name[64];

	while (cur_left(&c)) {
		key = cur_lstr(&c, &key_len);
		value = cur_lstr(&c, &len);
		if (c.bad)
			return -EBADMSG;
		if (key_len >= sizeof(name))
			continue;
		memcpy(name, key, key_len);
		name[key_len] = '\0';
		if (recording_add_fact(&n->source.recording, name, value, len))
			return -ENOMEM;
	}
	return 0;
}

static int read_event(struct native *n, struct cur c)
{
	struct recording *r = &n->source.recording;
	u32 flags = cur_u32(&c);
	size_t attr_len, name_len;
	const char *attr = cur_lstr(&c, &attr_len);
	const char *name = cur_lstr(&c, &name_len);
	u32 nr = cur_u32(&c), i;
	int event;

	if (c.bad || nr > cur_left(&c) / 8)
		return -EBADMSG;
	event = event_set_add(&r->events, attr, attr_len, "", NULL, 0, NULL);
	if (event < 0)
		return event;
	if (event_set_name(&r->events, (u32)event, name, name_len))
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		if (event_set_id(&r->events, cur_u64(&c), (u32)event))
			return -ENOMEM;
	r->events.events.v[event].sideband = flags & 1;
	if (r->events.events.v[event].attr.sample_type & PERF_SAMPLE_CALLCHAIN && !(flags & 1))
		r->has_callchains = true;
	return 0;
}

static int read_tracepoint(struct native *n, struct cur c)
{
	size_t system_len, name_len, len;
	const char *system, *name, *format;
	u32 id = cur_u32(&c);

	system = cur_lstr(&c, &system_len);
	name = cur_lstr(&c, &name_len);
	format = cur_lstr(&c, &len);
	if (c.bad)
		return -EBADMSG;
	return recording_add_tracepoint(&n->source.recording, id, system, system_len, name,
					name_len, format, len);
}

/* The head that DSO and SYMS blocks share: class, device, inode, name, build-id. Returns the DSO's
 * index. */
static int read_dso_head(struct native *n, struct cur *c, bool with_image)
{
	struct dso_text d = {0};
	size_t name_len, id_len, image_len = 0;
	const char *id;

	d.class = (enum dso_class)cur_u32(c);
	d.maj = cur_u32(c);
	d.min = cur_u32(c);
	d.ino = cur_u64(c);
	d.name = cur_lstr(c, &name_len);
	id = cur_lstr(c, &id_len);
	if (with_image)
		d.image = (const u8 *)cur_lstr(c, &image_len);
	if (c->bad || d.class > DSO_CLASS_USER || id_len > sizeof(d.build_id))
		return -EBADMSG;
	memcpy(d.build_id, id, id_len);
	d.build_id_len = (u8)id_len;
	d.image_len = image_len;
	return recording_add_dso(&n->source.recording, &d, name_len);
}

static int read_syms(struct native *n, struct cur c)
{
	struct recording *r = &n->source.recording;
	int dso = read_dso_head(n, &c, false);
	struct sym_text *s;
	size_t len;
	const char *name;
	u64 start, size;

	if (dso < 0)
		return dso;
	while (cur_left(&c)) {
		start = cur_u64(&c);
		size = cur_u64(&c);
		name = cur_lstr(&c, &len);
		if (c.bad || start + size < start)
			return -EBADMSG;
		s = vec_push(&r->syms);
		if (!s)
			return -ENOMEM;
		*s = (struct sym_text){.dso = (u32)dso, .start = start, .end = start + size};
		s->name = arena_strndup(&r->arena, name, len);
		if (!s->name)
			return -ENOMEM;
	}
	return 0;
}

/* Take in a block that is not DATA. */
static int read_meta_block(struct native *n, const struct block *k, const u8 *stored)
{
	struct cur c = payload_cur(stored, k->stored_size);
	int ret;

	if (k->flags & BLOCK_ZSTD) {
		buf_clear(&n->payload);
		ret = data_decompress(&n->decoder, stored, k->stored_size, k->raw_size,
				      &n->payload);
		if (ret)
			return ret;
		c = payload_cur(n->payload.data, n->payload.len);
	}
	switch (k->type) {
	case BLOCK_META:
		return read_facts(n, c);
	case BLOCK_ATTR:
		return read_event(n, c);
	case BLOCK_TPFMT:
		return read_tracepoint(n, c);
	case BLOCK_DSO:
		ret = read_dso_head(n, &c, true);
		return ret < 0 ? ret : 0;
	case BLOCK_SYMS:
		return read_syms(n, c);
	case BLOCK_END:
		n->ended = true;
		return read_facts(n, c);
	}
	return k->flags & BLOCK_CRITICAL ? -ENOTSUP : 0;
}

static u64 count_samples(const struct buf *records)
{
	u64 nr = 0;
	size_t pos;
	struct rec r;

	for (pos = 0; pos < records->len && rec_view(&r, records->data + pos, records->len - pos);
	     pos += r.size)
		nr += r.type == PERF_RECORD_SAMPLE;
	return nr;
}

static void note_damage(struct native *n, u64 at, u64 bytes)
{
	struct source_damage *d = &n->source.damage;

	if (!d->bytes)
		d->first_at = at;
	d->bytes += bytes;
	d->blocks++;
}

/* Every block says how many samples came before it: what is missing was lost with a hole. */
static void count_hole(struct native *n, const struct block *k)
{
	if (k->samples_before > n->samples)
		n->source.damage.samples += k->samples_before - n->samples;
	n->samples = k->samples_before;
}

static int read_data_block(struct native *n, const struct block *k, const u8 *stored)
{
	int ret;

	buf_clear(&n->records);
	n->pos = 0;
	ret = data_decode(&n->decoder, stored, k->stored_size, k->raw_size, &n->records);
	if (ret) {
		buf_clear(&n->records);
		return ret;
	}
	n->samples += count_samples(&n->records);
	n->block_order = k->order;
	return 0;
}

/* Go forward to the next thing that looks like a block header; false at the end. */
static bool resync(struct native *n)
{
	u64 from = stream_tell(&n->in);
	struct block k;
	const u8 *p;
	size_t got;

	for (;;) {
		stream_skip(&n->in, 8);
		p = stream_peek(&n->in, BLOCK_HEADER_SIZE, &got);
		if (got < BLOCK_HEADER_SIZE)
			break;
		if (block_get_header(p, &k)) {
			note_damage(n, from, stream_tell(&n->in) - from);
			return true;
		}
	}
	stream_skip(&n->in, got);
	note_damage(n, from, stream_tell(&n->in) - from);
	return false;
}

static int read_error(const struct native *n, struct err *err)
{
	return err_set(err, -n->in.error, "cannot read %s: %s", n->source.path,
		       strerror(-n->in.error));
}

/* Read the next block into the recording or n->records. 1: done, 0: end of the file. */
static int read_block(struct native *n, struct err *err)
{
	struct source *s = &n->source;
	struct block k;
	size_t got, want;
	const u8 *p;
	u64 at = stream_tell(&n->in);
	int ret;

	p = stream_peek(&n->in, BLOCK_HEADER_SIZE, &got);
	if (n->in.error)
		return read_error(n, err);
	if (!got)
		return 0;
	if (got < BLOCK_HEADER_SIZE) {
		s->damage.cut_at = at;
		return 0;
	}
	if (!block_get_header(p, &k)) {
		ret = resync(n);
		return n->in.error ? read_error(n, err) : ret;
	}
	want = BLOCK_HEADER_SIZE + ALIGN_UP((size_t)k.stored_size, (size_t)8);
	p = stream_peek(&n->in, want, &got);
	if (got < BLOCK_HEADER_SIZE + k.stored_size) {
		if (n->in.error)
			return read_error(n, err);
		s->damage.cut_at = at;
		return 0;
	}
	p += BLOCK_HEADER_SIZE;
	count_hole(n, &k);
	if (hash_bytes(p, k.stored_size) != k.payload_hash)
		ret = -EBADMSG;
	else if (k.type == BLOCK_DATA)
		ret = read_data_block(n, &k, p);
	else
		ret = read_meta_block(n, &k, p);
	stream_skip(&n->in, got);
	if (ret == -ENOMEM)
		return err_nomem(err);
	if (ret == -ENOTSUP) {
		err_set(err, ENOTSUP, "%s: block %llu at byte %llu is of a newer format", s->path,
			(unsigned long long)k.seq, (unsigned long long)at);
		err_hint(err, "read it with the perf-lite that wrote it, or a newer one");
		return -ENOTSUP;
	}
	if (ret)
		note_damage(n, at, want);
	return 1;
}

static int native_next(struct source *s, struct rec *rec, struct err *err)
{
	struct native *n = (struct native *)s;
	int ret;

	for (;;) {
		if (n->pos < n->records.len) {
			if (rec_view(rec, n->records.data + n->pos, n->records.len - n->pos)) {
				n->pos += rec->size;
				return SOURCE_RECORD;
			}
			/* the payload's hash was right: a recorder's fault, not the disk's */
			note_damage(n, stream_tell(&n->in), n->records.len - n->pos);
			n->pos = n->records.len;
		}
		if (n->block_order > s->order) {
			s->order = n->block_order;
			return SOURCE_ORDER;
		}
		if (n->ended)
			return SOURCE_END;
		ret = read_block(n, err);
		if (ret < 0)
			return ret;
		if (ret == 0) {
			s->damage.no_end = true;
			s->order = UINT64_MAX;
			n->ended = true;
		}
	}
}

static void native_close(struct source *s)
{
	struct native *n = (struct native *)s;

	stream_close(&n->in);
	data_decoder_free(&n->decoder);
	buf_free(&n->records);
	buf_free(&n->payload);
}

static const struct source_ops native_ops = {"perf-lite", native_next, native_close};

struct source *native_open(struct stream *in, struct err *err)
{
	struct file_header h;
	struct native *n;
	const u8 *p;
	size_t got;
	int ret;

	p = stream_peek(in, FILE_HEADER_SIZE, &got);
	ret = got < FILE_HEADER_SIZE ? -EINVAL : block_get_file_header(p, &h);
	if (ret == -ENOTSUP) {
		err_set(err, ENOTSUP, "the file is of format version %u.%u, this program reads %u",
			h.major, h.minor, FILE_MAJOR);
		return NULL;
	}
	n = calloc(1, sizeof(*n));
	if (!n) {
		err_nomem(err);
		return NULL;
	}
	n->source.ops = &native_ops;
	n->in = *in;
	/* the file header holds nothing that the blocks need: a damaged one is only damage */
	if (ret)
		note_damage(n, 0, MIN(got, (size_t)FILE_HEADER_SIZE));
	stream_skip(&n->in, FILE_HEADER_SIZE);
	return &n->source;
}
