// SPDX-License-Identifier: GPL-2.0
#include "util/file/perfdata_header.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/base/buf.h"
#include "util/base/io.h"

enum feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_LAST = 256,
};

/* No section of a sane file is larger: formats of every tracepoint take 2 MB. */
#define SECTION_MAX (256u << 20)

static struct perfdata_section get_section(struct cur *c)
{
	struct perfdata_section s;

	s.offset = cur_u64(c);
	s.size = cur_u64(c);
	return s;
}

int perfdata_header_parse(struct perfdata_header *h, const u8 *p, size_t len, u64 file_size,
			  struct err *err)
{
	struct cur c = cur_init(p, len);
	u64 size;
	int i;

	cur_skip(&c, 8);
	size = cur_u64(&c);
	h->attr_size = cur_u64(&c);
	h->attrs = get_section(&c);
	h->data = get_section(&c);
	get_section(&c); /* event types: unused since 2.6.39 */
	for (i = 0; i < 4; i++)
		h->features[i] = cur_u64(&c);
	h->file_size = file_size;
	if (c.bad)
		return err_set(err, EINVAL, "the perf.data header is cut");
	if (size == PERFDATA_PIPE_HEADER_SIZE) {
		err_set(err, ENOTSUP, "what perf record writes to a pipe cannot be read");
		err_hint(err, "let perf record write a file: perf record -o perf.data");
		return -ENOTSUP;
	}
	if (size != PERFDATA_HEADER_SIZE)
		return err_set(err, EINVAL, "the perf.data header has %llu bytes instead of %u",
			       (unsigned long long)size, PERFDATA_HEADER_SIZE);
	if (h->attr_size < PERF_ATTR_SIZE_VER0 + 16 || h->attr_size > 4096 ||
	    h->attrs.offset > file_size || h->attrs.size > file_size - h->attrs.offset ||
	    h->data.offset > file_size)
		return err_set(err, EINVAL,
			       "the perf.data header is damaged: sections outside the file");
	return 0;
}

static int read_section(int fd, const struct perfdata_header *h, struct perfdata_section s,
			struct buf *b)
{
	ssize_t n;
	char *d;

	buf_clear(b);
	if (s.offset > h->file_size || s.size > h->file_size - s.offset || s.size > SECTION_MAX)
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

static int load_events(const struct perfdata_header *h, int fd, struct recording *r,
		       struct err *err)
{
	struct buf attrs = {0}, ids = {0};
	struct perfdata_section s;
	u64 left = h->file_size; /* an id stands in the file once */
	const void *attr;
	struct cur c;
	char name[32];
	int ret;

	ret = read_section(fd, h, h->attrs, &attrs);
	c = cur_init(attrs.data, attrs.len);
	while (!ret && cur_left(&c) >= h->attr_size) {
		attr = cur_bytes(&c, h->attr_size - 16);
		s = get_section(&c);
		ret = s.size > left ? -EBADMSG : read_section(fd, h, s, &ids);
		if (ret)
			break;
		left -= s.size;
		snprintf(name, sizeof(name), "event%u", r->events.events.nr);
		ret = event_set_add(&r->events, attr, h->attr_size - 16, name,
				    (const u64 *)(const void *)ids.data, (u32)(ids.len / 8), err);
		if (ret < 0)
			break;
		if (r->events.events.v[ret].attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			r->has_callchains = true;
		ret = 0;
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

/* A u32 length and that many bytes, NUL-padded: the string in it. */
static const char *get_string(struct cur *c, size_t *len)
{
	u32 n = cur_u32(c);
	const char *s = cur_bytes(c, n);

	*len = s ? strnlen(s, n) : 0;
	return s;
}

static int add_string_fact(struct recording *r, const char *key, struct cur c)
{
	size_t len;
	const char *s = get_string(&c, &len);

	return s ? recording_add_fact(r, key, s, len) : -EBADMSG;
}

static int add_number_fact(struct recording *r, const char *key, u64 v)
{
	char text[24];

	return recording_add_fact(
		r, key, text, (size_t)snprintf(text, sizeof(text), "%llu", (unsigned long long)v));
}

static int load_cmdline(struct recording *r, struct cur c)
{
	u32 nr = cur_u32(&c);
	struct buf args = {0};
	const char *s;
	size_t len;
	int ret;

	while (nr-- && (s = get_string(&c, &len))) {
		buf_add(&args, s, len);
		buf_addc(&args, '\0');
	}
	ret = args.failed ? -ENOMEM : recording_add_fact(r, "cmdline", buf_str(&args), args.len);
	buf_free(&args);
	return ret;
}

static int load_event_names(struct recording *r, struct cur c)
{
	u32 nr = cur_u32(&c), attr_size = cur_u32(&c), nr_ids, i;
	const char *name;
	size_t len;

	for (i = 0; i < nr && i < r->events.events.nr; i++) {
		cur_skip(&c, attr_size);
		nr_ids = cur_u32(&c);
		name = get_string(&c, &len);
		cur_skip(&c, (size_t)nr_ids * 8);
		if (c.bad)
			return -EBADMSG;
		if (event_set_name(&r->events, i, name, len))
			return -ENOMEM;
	}
	return 0;
}

/* Each entry is a record: header, pid, 24 bytes of build-id, the file's name. */
static int load_build_ids(struct recording *r, struct cur c)
{
	struct dso_head d;
	struct cur e;
	u16 misc, size, cpumode;
	u8 id[24];

	while (cur_left(&c) >= sizeof(struct perf_event_header)) {
		e = c;
		cur_u32(&e);
		misc = cur_u16(&e);
		size = cur_u16(&e);
		if (size < 8 + 4 + sizeof(id))
			return -EBADMSG;
		e = cur_sub(&c, size);
		cur_skip(&e, 8 + 4);
		cur_copy(&e, id, sizeof(id));
		if (e.bad)
			return -EBADMSG;
		cpumode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
		d = (struct dso_head){.build_id = id, .build_id_len = 20};
		d.name = (const char *)e.p;
		d.name_len = strnlen(d.name, cur_left(&e));
		d.class = cpumode == PERF_RECORD_MISC_KERNEL ? DSO_CLASS_KERNEL : DSO_CLASS_USER;
		/* misc bit 15: byte 20 holds the size of the build-id */
		if (misc & (1 << 15) && id[20] <= 20)
			d.build_id_len = id[20];
		if (recording_add_dso(r, &d, NULL, 0) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* "name: X" and "ID: N" of a format file. */
static bool format_identity(struct cur text, const char **name, size_t *name_len, u32 *id)
{
	const char *line;
	size_t len;
	bool have_id = false;

	*name = NULL;
	while (cur_line(&text, &line, &len) && !(*name && have_id)) {
		if (len > 6 && !memcmp(line, "name: ", 6)) {
			*name = line + 6;
			*name_len = len - 6;
		} else if (len > 4 && !memcmp(line, "ID: ", 4)) {
			size_t i;

			*id = 0;
			for (i = 4; i < len && line[i] >= '0' && line[i] <= '9'; i++)
				*id = *id * 10 + (u32)(line[i] - '0');
			have_id = i > 4;
		}
	}
	return *name && have_id;
}

static int add_format(struct recording *r, const char *system, size_t system_len, struct cur text)
{
	const char *name;
	size_t name_len = 0;
	u32 id = 0;

	if (!format_identity(text, &name, &name_len, &id))
		return 0;
	return recording_add_tracepoint(r, id, system, system_len, name, name_len,
					(const char *)text.p, cur_left(&text));
}

/* The texts of string constants, behind the formats and a place for kallsyms. */
static int load_strings(struct recording *r, struct cur *c)
{
	const char *text;
	u32 len;

	cur_skip(c, cur_u32(c));
	len = cur_u32(c);
	text = cur_bytes(c, len);
	return text && len ? recording_add_fact(r, "printk_formats", text, len) : 0;
}

static int load_tracing_data(struct recording *r, struct cur c)
{
	static const char magic[] = "\x17\x08\x44tracing";
	const char *system;
	size_t len;
	u32 nr, count;
	int ret;

	if (cur_left(&c) < sizeof(magic) - 1 ||
	    memcmp(cur_bytes(&c, sizeof(magic) - 1), magic, sizeof(magic) - 1))
		return -EBADMSG;
	cur_str(&c, NULL); /* version */
	cur_u8(&c);        /* byte order: perf writes the host's, as the rest of the file */
	ret = add_number_fact(r, "long_size", cur_u8(&c));
	cur_u32(&c);       /* page size */
	cur_str(&c, NULL); /* "header_page" */
	cur_skip(&c, cur_u64(&c));
	cur_str(&c, NULL); /* "header_event" */
	cur_skip(&c, cur_u64(&c));
	for (nr = cur_u32(&c); nr && !c.bad; nr--) /* ftrace's own events */
		cur_skip(&c, cur_u64(&c));
	for (nr = cur_u32(&c); nr && !c.bad && !ret; nr--) {
		system = cur_str(&c, &len);
		for (count = cur_u32(&c); count && !c.bad && !ret; count--) {
			struct cur text = cur_sub(&c, cur_u64(&c));

			if (!c.bad)
				ret = add_format(r, system, len, text);
		}
	}
	if (ret || c.bad)
		return ret ? ret : -EBADMSG;
	return load_strings(r, &c);
}

static int load_feature(struct recording *r, enum feature f, struct cur c)
{
	int ret;

	switch (f) {
	case FEATURE_TRACING_DATA:
		return load_tracing_data(r, c);
	case FEATURE_BUILD_ID:
		return load_build_ids(r, c);
	case FEATURE_HOSTNAME:
		return add_string_fact(r, "hostname", c);
	case FEATURE_OSRELEASE:
		return add_string_fact(r, "release", c);
	case FEATURE_VERSION:
		return add_string_fact(r, "version", c);
	case FEATURE_ARCH:
		return add_string_fact(r, "arch", c);
	case FEATURE_CPUDESC:
		return add_string_fact(r, "cpudesc", c);
	case FEATURE_CPUID:
		return add_string_fact(r, "cpuid", c);
	case FEATURE_NRCPUS:
		ret = add_number_fact(r, "nrcpus_avail", cur_u32(&c));
		return ret ? ret : add_number_fact(r, "nrcpus_online", cur_u32(&c));
	case FEATURE_TOTAL_MEM:
		return add_number_fact(r, "total_memory_kb", cur_u64(&c));
	case FEATURE_CMDLINE:
		return load_cmdline(r, c);
	case FEATURE_EVENT_DESC:
		return load_event_names(r, c);
	case FEATURE_SAMPLE_TIME:
		ret = add_number_fact(r, "time_first", cur_u64(&c));
		return ret ? ret : add_number_fact(r, "time_last", cur_u64(&c));
	default:
		return 0;
	}
}

int perfdata_header_load(const struct perfdata_header *h, int fd, struct recording *r,
			 struct err *err)
{
	struct perfdata_section table = {.offset = h->data.offset + h->data.size, .size = 16};
	struct buf b = {0};
	unsigned int f;
	int ret;

	ret = load_events(h, fd, r, err);
	if (ret)
		return ret;
	/* a killed perf wrote no features: their table would lie at the start of the data */
	for (f = 0; f < FEATURE_LAST && h->data.size; f++) {
		struct perfdata_section s;
		struct cur c;

		if (!(h->features[f / 64] >> (f % 64) & 1))
			continue;
		ret = read_section(fd, h, table, &b);
		if (ret)
			break;
		table.offset += 16;
		c = cur_init(b.data, b.len);
		s = get_section(&c);
		ret = read_section(fd, h, s, &b);
		if (!ret)
			ret = load_feature(r, (enum feature)f, cur_init(b.data, b.len));
		if (ret == -ENOMEM)
			break;
		ret = 0; /* a damaged section costs its facts, not the records */
	}
	buf_free(&b);
	return ret == -ENOMEM ? err_nomem(err) : 0;
}
