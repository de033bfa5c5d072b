// SPDX-License-Identifier: GPL-2.0
#include "util/file/perfdata_internal.h"

#include <errno.h>
#include <stdio.h>

#include "util/base/buf.h"
#include "util/base/io.h"
#include "util/file/perfdata_abi.h"

/* Of a header without the bitmap of features, as perf wrote it in 2009. */
#define HEADER_SIZE_SHORT 72

static struct perfdata_section get_section(struct cur *c)
{
	struct perfdata_section s;

	s.offset = cur_u64(c);
	s.size = cur_u64(c);
	return s;
}

enum perfdata_mode perfdata_header_mode(const u8 *p, size_t len, bool *swap)
{
	struct cur c = cur_init(p, len);
	u64 size;

	cur_skip(&c, 8);
	size = cur_u64(&c);
	if (c.bad)
		return PERFDATA_NONE;
	if (!memcmp(p, PERFDATA_MAGIC_OLD, 8))
		/* the same bytes on every machine: the size decides */
		*swap = size > UINT32_MAX;
	else if (!memcmp(p, PERFDATA_MAGIC, 8) || !memcmp(p, PERFDATA_MAGIC_SWAPPED, 8))
		*swap = p[0] == PERFDATA_MAGIC_SWAPPED[0];
	else
		return PERFDATA_NONE;
	if (*swap)
		size = __builtin_bswap64(size);
	return size == PERFDATA_PIPE_HEADER_SIZE ? PERFDATA_PIPE : PERFDATA_FILE;
}

/*
 * The bitmap is an array of the writing machine's longs: on a 32-bit big-endian one the words of each
 * u64 are swapped. Every file since 2010 names its host.
 */
static void fix_features(struct perfdata_header *h)
{
	const u64 hostname = 1ull << PERFDATA_FEATURE_HOSTNAME;
	int i;

	if (!h->swap || h->features[0] & hostname || !(h->features[0] >> 32 & hostname))
		return;
	for (i = 0; i < 4; i++)
		h->features[i] = h->features[i] >> 32 | h->features[i] << 32;
}

int perfdata_header_parse(struct perfdata_header *h, const u8 *p, size_t len, u64 file_size,
			  struct err *err)
{
	struct cur c = cur_init(p, len);
	u64 size;
	int i;

	*h = (struct perfdata_header){.file_size = file_size};
	if (perfdata_header_mode(p, len, &h->swap) == PERFDATA_NONE)
		return err_set(err, EINVAL, "the perf.data header is cut");
	c.swap = h->swap;
	cur_skip(&c, 8);
	size = cur_u64(&c);
	h->attr_size = cur_u64(&c);
	h->attrs = get_section(&c);
	h->data = get_section(&c);
	get_section(&c); /* event types: unused since 2.6.39 */
	if (c.bad)
		return err_set(err, EINVAL, "the perf.data header is cut");
	if (size != PERFDATA_HEADER_SIZE && size != HEADER_SIZE_SHORT)
		return err_set(err, EINVAL, "the perf.data header has %llu bytes instead of %u",
			       (unsigned long long)size, PERFDATA_HEADER_SIZE);
	for (i = 0; i < 4 && size == PERFDATA_HEADER_SIZE; i++)
		h->features[i] = cur_u64(&c);
	if (c.bad)
		return err_set(err, EINVAL, "the perf.data header is cut");
	fix_features(h);
	if (h->attr_size < PERF_ATTR_SIZE_VER0 + 16 || h->attr_size > PERFDATA_ENTRY_MAX ||
	    h->attrs.offset > file_size || h->attrs.size > file_size - h->attrs.offset ||
	    h->data.offset > file_size)
		return err_set(err, EINVAL,
			       "the perf.data header is damaged: sections outside the file");
	return 0;
}

/* A killed perf writes no sizes and no features. */
bool perfdata_header_is_whole(const struct perfdata_header *h)
{
	return h->data.size && h->data.size <= h->file_size - h->data.offset;
}

static int read_section(int fd, const struct perfdata_header *h, struct perfdata_section s,
			struct buf *b)
{
	ssize_t n;
	char *d;

	buf_reset(b);
	if (s.offset > h->file_size || s.size > h->file_size - s.offset ||
	    s.size > PERFDATA_SECTION_MAX)
		return -EBADMSG;
	d = buf_room(b, s.size);
	if (!d)
		return -ENOMEM;
	n = io_pread(fd, d, s.size, s.offset);
	if (n < 0)
		return (int)n;
	b->len = (size_t)n;
	d[n] = '\0';
	return (u64)n == s.size ? 0 : -EBADMSG;
}

static struct cur section_cur(const struct perfdata_header *h, const struct buf *b)
{
	struct cur c = cur_init(buf_str(b), b->len);

	c.swap = h->swap;
	return c;
}

static int load_events(const struct perfdata_header *h, int fd, struct recording *r,
		       struct err *err)
{
	struct buf attrs = {0}, ids = {0};
	struct perfdata_section s;
	u64 left = h->file_size; /* an id is in the file once */
	const void *attr;
	struct cur c;
	int ret;

	ret = read_section(fd, h, h->attrs, &attrs);
	c = section_cur(h, &attrs);
	while (!ret && cur_left(&c) >= h->attr_size) {
		attr = cur_bytes(&c, h->attr_size - 16);
		s = get_section(&c);
		ret = s.size > left ? -EBADMSG : read_section(fd, h, s, &ids);
		if (ret)
			break;
		left -= s.size;
		ret = perfdata_event_load(r, attr, h->attr_size - 16, section_cur(h, &ids), err);
	}
	buf_free(&attrs);
	buf_free(&ids);
	if (ret == -EBADMSG)
		return err_set(err, EINVAL,
			       "the perf.data header is damaged: event ids outside the file");
	if (ret)
		return err_set(err, -ret, "cannot read the perf.data header: %s", strerror(-ret));
	if (!r->events.events.nr)
		return err_set(err, EINVAL, "the perf.data file names no event");
	return 0;
}

static int load_feature(const struct perfdata_header *h, int fd, u32 feature,
			struct perfdata_section entry, struct recording *r, struct buf *b)
{
	struct cur c;
	int ret;

	ret = read_section(fd, h, entry, b);
	if (ret)
		return ret;
	c = section_cur(h, b);
	ret = read_section(fd, h, get_section(&c), b);
	return ret ? ret : perfdata_feature_load(r, feature, section_cur(h, b));
}

/* Where the records are: script --header prints it. */
static int add_layout(const struct perfdata_header *h, struct recording *r, struct err *err)
{
	char offset[24], size[24];
	int len = snprintf(offset, sizeof(offset), "%llu", (unsigned long long)h->data.offset);

	if (recording_add_fact(r, "data_offset", offset, (size_t)len))
		return err_nomem(err);
	len = snprintf(size, sizeof(size), "%llu", (unsigned long long)h->data.size);
	return recording_add_fact(r, "data_size", size, (size_t)len) ? err_nomem(err) : 0;
}

int perfdata_header_load(const struct perfdata_header *h, int fd, struct recording *r,
			 struct recording_damage *damage, struct err *err)
{
	struct perfdata_section entry = {.offset = h->data.offset + h->data.size, .size = 16};
	struct buf b = {0};
	u32 f;
	int ret;

	ret = load_events(h, fd, r, err);
	if (!ret)
		ret = add_layout(h, r, err);
	for (f = 0; f < PERFDATA_FEATURES && !ret && perfdata_header_is_whole(h); f++) {
		if (!(h->features[f / 64] >> (f % 64) & 1))
			continue;
		ret = load_feature(h, fd, f, entry, r, &b);
		entry.offset += entry.size;
		if (ret == -ENOMEM) {
			err_nomem(err);
		} else if (ret) {
			if (!damage->sections++)
				damage->section_at = entry.offset - entry.size;
			ret = 0;
		}
	}
	buf_free(&b);
	return ret;
}
