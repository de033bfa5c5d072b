// SPDX-License-Identifier: GPL-2.0
#include "util/file/meta.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/buf.h"
#include "util/file/foreign_order.h"
#include "util/file/functions.h"

#define HOST_BYTE_ORDER (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "big" : "little")

static int read_facts(struct recording *r, struct cur c)
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
		if (recording_add_fact(r, name, value, len))
			return -ENOMEM;
		if (recording_full(r))
			return -EFBIG;
	}
	return 0;
}

/* Is it of a machine of the other byte order? Where the recording does not say, its size does. */
static bool is_foreign(const struct recording *r, const void *attr, size_t len)
{
	const char *order = recording_fact(r, "byte_order");
	u32 size;

	if (order)
		return strcmp(order, HOST_BYTE_ORDER) != 0;
	memcpy(&size, (const u8 *)attr + offsetof(struct perf_event_attr, size), sizeof(size));
	return size != len && __builtin_bswap32(size) == len;
}

/* The attr of an event; what an old kernel did not have is 0, and what a new one has is cut. */
static struct perf_event_attr get_attr(const struct recording *r, const void *attr, size_t len)
{
	struct perf_event_attr a = {0};

	memcpy(&a, attr, MIN(len, sizeof(a)));
	if (is_foreign(r, attr, len))
		foreign_order_attr(&a);
	return a;
}

static int read_event(struct recording *r, struct cur *c)
{
	u32 flags = cur_u32(c);
	size_t attr_len, name_len;
	const char *attr = cur_lstr(c, &attr_len);
	const char *name = cur_lstr(c, &name_len);
	u32 nr = cur_u32(c), i;
	struct perf_event_attr a;
	u64 *ids;
	int event;

	if (c->bad || attr_len < PERF_ATTR_SIZE_VER0 || nr > cur_left(c) / 8)
		return -EBADMSG;
	ids = malloc(MAX(nr, 1u) * sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		ids[i] = cur_u64(c);
	a = get_attr(r, attr, attr_len);
	r->foreign = is_foreign(r, attr, attr_len);
	event = event_set_add(&r->events, &a, sizeof(a), "", ids, nr, NULL);
	free(ids);
	if (event < 0)
		return event;
	if (event_set_name(&r->events, (u32)event, name, name_len))
		return -ENOMEM;
	r->events.events.v[event].sideband = flags & ATTR_SIDEBAND;
	/* the first belongs to no group before it */
	r->events.events.v[event].in_group = event && flags & ATTR_IN_GROUP;
	/* files older than this flag do not say */
	if (flags & ATTR_KERNEL_CHAINS)
		r->events.events.v[event].layout.kernel_chains = true;
	return 0;
}

static int read_tracepoint(struct recording *r, struct cur *c)
{
	size_t system_len, name_len, len;
	const char *system, *name, *format;
	u32 id = cur_u32(c);

	system = cur_lstr(c, &system_len);
	name = cur_lstr(c, &name_len);
	format = cur_lstr(c, &len);
	if (c->bad)
		return -EBADMSG;
	return recording_add_tracepoint(r, id, system, system_len, name, name_len, format, len);
}

struct strings {
	const char **v;
	u32 nr, cap;
};

/* A payload that is made of such things, one behind the other. */
static int read_each(struct recording *r, struct cur c,
		     int (*read)(struct recording *r, struct cur *c))
{
	int ret;

	do {
		ret = read(r, &c);
		if (!ret && recording_full(r))
			ret = -EFBIG;
	} while (!ret && cur_left(&c));
	return ret;
}

static int read_dso(struct recording *r, struct cur *c)
{
	struct dso_head head;
	const char *image;
	size_t len;
	int dso;

	dso_head_get(c, &head);
	image = cur_lstr(c, &len);
	if (c->bad)
		return -EBADMSG;
	dso = recording_add_dso(r, &head, image, len);
	return dso < 0 ? dso : 0;
}

static int add_functions(struct recording *r, const struct functions *f)
{
	const struct function *k = f->list.v;
	struct dso_head head;
	struct sym_text *s;
	struct cur c;
	u32 i, n;
	int dso;

	for (i = 0; i < f->dsos.nr; i++) {
		c = cur_init_le(f->heads.data + f->dsos.v[i].head, f->dsos.v[i].head_len);
		dso_head_get(&c, &head);
		dso = recording_add_dso(r, &head, NULL, 0);
		if (dso < 0)
			return dso;
		for (n = 0; n < f->dsos.v[i].nr; n++, k++) {
			s = vec_push(&r->syms);
			if (!s)
				return -ENOMEM;
			*s = (struct sym_text){(u32)dso, k->start, k->start + k->size,
					       arena_strdup(&r->arena, f->names.data + k->name)};
			if (!s->name)
				return -ENOMEM;
			if (recording_full(r))
				return -EFBIG;
		}
	}
	return 0;
}

static int read_syms(struct recording *r, struct cur c)
{
	struct functions f = {0};
	int ret = functions_get(&f, c);

	if (!ret)
		ret = add_functions(r, &f);
	functions_free(&f);
	return ret;
}

static int read_strings(struct recording *r, struct cur *c, struct strings *s)
{
	u32 nr = cur_u32(c), i;
	const char **string, *bytes;
	size_t len;

	if (c->bad || nr > cur_left(c) / 4)
		return -EBADMSG;
	for (i = 0; i < nr; i++) {
		bytes = cur_lstr(c, &len);
		if (c->bad)
			return -EBADMSG;
		if (recording_full(r))
			return -EFBIG;
		string = vec_push(s);
		if (!string)
			return -ENOMEM;
		*string = arena_strndup(&r->arena, bytes, len);
		if (!*string)
			return -ENOMEM;
	}
	return 0;
}

/* String number n, from 1; 0 is none. */
static bool get_string(const struct strings *s, u32 n, const char **out)
{
	*out = n && n <= s->nr ? s->v[n - 1] : NULL;
	return n <= s->nr;
}

static int read_frames_at(struct recording *r, struct cur *c, const struct strings *s, u32 dso)
{
	u64 addr = cur_u64(c);
	u32 nr = cur_u32(c), function, file, i;
	struct frames_text *to;
	struct frame_text *v;

	if (c->bad || nr > cur_left(c) / 12)
		return -EBADMSG;
	v = arena_alloc(&r->arena, MAX(nr, 1u) * sizeof(*v));
	to = v ? vec_push(&r->frames) : NULL;
	if (!to)
		return -ENOMEM;
	*to = (struct frames_text){.dso = dso, .addr = addr, .v = v};
	for (i = 0; i < nr; i++) {
		function = cur_u32(c);
		file = cur_u32(c);
		v[i].line = cur_u32(c);
		if (!get_string(s, function, &v[i].function) || !get_string(s, file, &v[i].file))
			return -EBADMSG;
		to->nr++;
	}
	if (recording_full(r))
		return -EFBIG;
	return 0;
}

static int read_frames(struct recording *r, struct cur c)
{
	struct strings s = {0};
	struct dso_head head;
	int dso, ret;

	if (!dso_head_get(&c, &head))
		return -EBADMSG;
	dso = recording_add_dso(r, &head, NULL, 0);
	if (dso < 0)
		return dso;
	ret = read_strings(r, &c, &s);
	while (!ret && cur_left(&c))
		ret = read_frames_at(r, &c, &s, (u32)dso);
	vec_free(&s);
	return ret;
}

static int read_ids(struct recording *r, struct cur c)
{
	u32 event = cur_u32(&c), nr = cur_u32(&c);

	if (c.bad || event >= r->events.events.nr || nr > cur_left(&c) / 8)
		return -EBADMSG;
	for (; nr; nr--) {
		if (event_set_id(&r->events, cur_u64(&c), event))
			return -ENOMEM;
		if (recording_full(r))
			return -EFBIG;
	}
	return 0;
}

static int read_losses(struct recording *r, struct cur c)
{
	struct loss l, *to;

	while (cur_left(&c)) {
		if (!loss_get(&c, &l))
			return -EBADMSG;
		to = vec_push(&r->losses);
		if (!to)
			return -ENOMEM;
		*to = l;
	}
	return 0;
}

static int read_counts(struct recording *r, struct cur c)
{
	struct counts n, *to;

	while (cur_left(&c)) {
		if (!loss_get_counts(&c, &n))
			return -EBADMSG;
		to = vec_push(&r->counts);
		if (!to)
			return -ENOMEM;
		*to = n;
	}
	return 0;
}

static int read_payload(struct recording *r, const struct block *k, struct cur c)
{
	switch (k->type) {
	case BLOCK_META:
	case BLOCK_END:
		return read_facts(r, c);
	case BLOCK_ATTR:
		return read_each(r, c, read_event);
	case BLOCK_TPFMT:
		return read_each(r, c, read_tracepoint);
	case BLOCK_DSO:
		return read_each(r, c, read_dso);
	case BLOCK_SYMS:
		return read_syms(r, c);
	case BLOCK_FRAMES:
		return read_frames(r, c);
	case BLOCK_IDS:
		return read_ids(r, c);
	case BLOCK_LOSS:
		return read_losses(r, c);
	case BLOCK_COUNTS:
		return read_counts(r, c);
	}
	return k->flags & BLOCK_CRITICAL ? -ENOTSUP : 0;
}

/* What readers know before they read the first record (docs/FORMAT.md). */
static bool describes_events(const struct block *k)
{
	return k->type == BLOCK_ATTR || k->type == BLOCK_TPFMT;
}

int meta_repeated(struct meta *m, const struct block *k)
{
	/* it has the number that it had before, or a lower one than has been seen */
	const bool again = k->seq < m->next_seq && hmap_get(&m->seen, k->payload_hash) != ID_NONE;

	if (again)
		return META_REPEATED;
	m->next_seq = MAX(m->next_seq, k->seq + 1);
	return hmap_set(&m->seen, k->payload_hash, 0) ? 0 : -ENOMEM;
}

/* The payload as it was before it was compressed; of a raw block, itself. */
static int unpack(struct meta *m, struct recording *r, const struct block *k, const u8 *payload,
		  struct buf *raw, struct cur *out)
{
	u32 size = k->flags & BLOCK_ZSTD ? k->raw_size : k->stored_size;
	int ret;

	r->packed += k->stored_size;
	r->unpacked += size;
	if (recording_full(r))
		return -EFBIG;
	if (!(k->flags & BLOCK_ZSTD)) {
		*out = cur_init_le(payload, k->stored_size);
		return 0;
	}
	ret = decompressor_frame(&m->decompressor, payload, k->stored_size, k->raw_size, raw);
	*out = cur_init_le(raw->data, raw->len);
	return ret;
}

static int read_content(struct meta *m, struct recording *r, const struct block *k,
			const u8 *payload)
{
	struct buf raw = {0};
	struct cur c;
	int ret = unpack(m, r, k, payload, &raw, &c);

	if (!ret)
		ret = read_payload(r, k, c);
	buf_free(&raw);
	return ret;
}

static u64 ahead_key(const struct block *k)
{
	return k->payload_hash + k->type;
}

int meta_read(struct meta *m, struct recording *r, const struct block *k, const u8 *payload)
{
	u32 ahead;
	int ret;

	if (m->records && describes_events(k))
		return -EEXIST;
	ret = meta_repeated(m, k);
	if (ret)
		return ret;
	ahead = hmap_get(&m->ahead, ahead_key(k));
	return ahead == ID_NONE ? read_content(m, r, k, payload) : -(int)ahead;
}

int meta_read_ahead(struct meta *m, struct recording *r, const struct block *k, const u8 *payload)
{
	int ret;

	if (hmap_get(&m->ahead, ahead_key(k)) != ID_NONE)
		return 0;
	ret = read_content(m, r, k, payload);
	return ret != -ENOMEM && hmap_set(&m->ahead, ahead_key(k), (u32)-ret) ? 0 : -ENOMEM;
}

void meta_free(struct meta *m)
{
	decompressor_free(&m->decompressor);
	hmap_free(&m->seen);
	hmap_free(&m->ahead);
}
