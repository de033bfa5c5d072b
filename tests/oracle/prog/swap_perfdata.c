// SPDX-License-Identifier: GPL-2.0
/*
 * swap_perfdata - a perf.data file as a machine of the other byte order would have written it.
 *
 *	swap_perfdata FILE >SWAPPED
 *
 * For plain files of perf record on this machine; whatever it does not know ends it. Features that
 * are no part of what script prints are left out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "util/file/perfdata_abi.h"
#include "util/record/sample_layout.h"
#include "util/tracepoint/tp_format.h"

#define EVENTS_MAX 64

static u8 *file;
static u64 file_size;

struct event {
	struct perf_event_attr attr;
	u64 ids[4096];
	u32 nr_ids;
	struct tp_format *format;
};

static struct event *events;
static u32 nr_events;

static void die(const char *why)
{
	fprintf(stderr, "swap_perfdata: %s\n", why);
	exit(1);
}

/* Each gives the value and leaves it reversed. */
static u64 swap_n(u8 *p, u32 n)
{
	u64 v = 0;
	u32 i;

	if (p < file || p + n > file + file_size)
		die("outside the file");
	memcpy(&v, p, n);
	for (i = 0; i < n / 2; i++) {
		u8 b = p[i];

		p[i] = p[n - 1 - i];
		p[n - 1 - i] = b;
	}
	return v;
}

static u64 swap64(u8 **p)
{
	*p += 8;
	return swap_n(*p - 8, 8);
}

static u32 swap32(u8 **p)
{
	*p += 4;
	return (u32)swap_n(*p - 4, 4);
}

static u16 swap16(u8 **p)
{
	*p += 2;
	return (u16)swap_n(*p - 2, 2);
}

static void swap64s(u8 **p, u64 n)
{
	while (n--)
		swap64(p);
}

static void swap32s(u8 **p, u64 n)
{
	while (n--)
		swap32(p);
}

static u64 get64(u64 at)
{
	u64 v;

	if (at + 8 > file_size)
		die("outside the file");
	memcpy(&v, file + at, 8);
	return v;
}

/* The first bit-field is the highest bit; precise_ip is two bits wide, its own highest first. */
static void put_flags(u8 *p, const struct perf_event_attr *a)
{
	u64 flags, big = 0;
	u32 i;

	memcpy(&flags, (const u8 *)a + 40, 8);
	for (i = 0; i < 64; i++)
		if (i != 15 && i != 16 && flags >> i & 1)
			big |= 1ull << (63 - i);
	big |= (u64)a->precise_ip << (63 - 16);
	for (i = 0; i < 8; i++)
		p[i] = (u8)(big >> (56 - 8 * i));
}

static void swap_attr(u8 *attr, u32 size)
{
	struct perf_event_attr a = {0};
	u8 *p = attr;

	memcpy(&a, attr, MIN(size, sizeof(a)));
	swap32s(&p, 2);
	swap64s(&p, 4);
	put_flags(p, &a);
	p += 8;
	swap32s(&p, 2);
	swap64s(&p, 2);
	if (size >= PERF_ATTR_SIZE_VER3) {
		swap64s(&p, 2);
		swap32s(&p, 2);
	}
	if (size >= PERF_ATTR_SIZE_VER5) {
		swap64s(&p, 1);
		swap32(&p);
		swap16(&p);
		swap16(&p);
	}
	if (size >= PERF_ATTR_SIZE_VER6)
		swap32s(&p, 2);
	swap64s(&p, (size - (u64)(p - attr)) / 8);
}

static void swap_events(void)
{
	u64 entry = get64(16), at = get64(24), size = get64(32), i, k, ids, len;
	u8 *p;

	events = calloc(EVENTS_MAX, sizeof(*events));
	for (i = 0; i < size / entry && i < EVENTS_MAX; i++, at += entry) {
		struct event *e = &events[nr_events++];

		memcpy(&e->attr, file + at, MIN(entry - 16, sizeof(e->attr)));
		swap_attr(file + at, (u32)entry - 16);
		p = file + at + entry - 16;
		ids = swap64(&p);
		len = swap64(&p);
		p = file + ids;
		for (k = 0; k < len / 8 && k < ARRAY_SIZE(e->ids); k++)
			e->ids[e->nr_ids++] = swap64(&p);
	}
}

static void swap_raw(const struct event *e, u8 *raw, u32 len)
{
	u32 i, k;

	for (i = 0; e->format && i < e->format->nr_fields; i++) {
		const struct tp_field *f = &e->format->fields[i];
		u32 elem = f->elem_size, at = f->offset, size = f->size, where;
		u8 *p = raw + at;

		if (at + size > len)
			continue;
		if (f->loc != TP_LOC_FIXED) {
			where = swap32(&p);
			at = (where & 0xffff) + (f->loc == TP_LOC_REL ? at + size : 0);
			size = where >> 16;
		} else if (!size) {
			size = len - at;
		}
		if (elem < 2 || elem > 8 || at + size > len)
			continue;
		for (k = 0; k + elem <= size; k += elem)
			swap_n(raw + at + k, elem);
	}
}

static const struct event *event_of(u64 id)
{
	u32 i, k;

	for (i = 0; i < nr_events; i++)
		for (k = 0; k < events[i].nr_ids; k++)
			if (events[i].ids[k] == id)
				return &events[i];
	if (nr_events == 1)
		return events;
	die("a sample of no event");
	return NULL;
}

static void swap_read(u8 **p, u64 format)
{
	u64 nr = 1;

	if (format & PERF_FORMAT_GROUP)
		nr = swap64(p);
	swap64s(p, !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED));
	swap64s(p, !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
	swap64s(p, nr * (1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST)));
}

static void swap_regs(u8 **p, u64 mask)
{
	if (swap64(p))
		swap64s(p, (u64)__builtin_popcountll(mask));
}

static void swap_sample(u8 *p, const u8 *end)
{
	const struct event *e = events;
	struct sample_layout layout;
	u64 type, id;
	u32 len;

	sample_layout_init(&layout, &e->attr);
	if (layout.sample_id >= 0) {
		memcpy(&id, p + layout.sample_id, 8);
		e = event_of(id);
	}
	type = e->attr.sample_type;
	swap64s(&p, !!(type & PERF_SAMPLE_IDENTIFIER));
	swap64s(&p, !!(type & PERF_SAMPLE_IP));
	swap32s(&p, type & PERF_SAMPLE_TID ? 2 : 0);
	swap64s(&p, !!(type & PERF_SAMPLE_TIME));
	swap64s(&p, !!(type & PERF_SAMPLE_ADDR));
	swap64s(&p, !!(type & PERF_SAMPLE_ID));
	swap64s(&p, !!(type & PERF_SAMPLE_STREAM_ID));
	swap32s(&p, type & PERF_SAMPLE_CPU ? 2 : 0);
	swap64s(&p, !!(type & PERF_SAMPLE_PERIOD));
	if (type & PERF_SAMPLE_READ)
		swap_read(&p, e->attr.read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		swap64s(&p, swap64(&p));
	if (type & PERF_SAMPLE_RAW) {
		len = swap32(&p);
		swap_raw(e, p, len);
		p += len;
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		die("branches");
	if (type & PERF_SAMPLE_REGS_USER)
		swap_regs(&p, e->attr.sample_regs_user);
	if (type & PERF_SAMPLE_STACK_USER) {
		id = swap64(&p);
		p += id;
		swap64s(&p, !!id);
	}
	if (type & PERF_SAMPLE_REGS_INTR)
		die("registers");
	swap64s(&p, (u64)(end - p) / 8);
}

static u8 *swap_trailer(u8 *p, const u8 *end)
{
	u64 type = events[0].attr.sample_type;
	struct sample_layout layout;
	u8 *body_end;

	sample_layout_init(&layout, &events[0].attr);
	body_end = p = (u8 *)end - layout.id_size;
	if (!layout.id_size)
		return body_end;
	swap32s(&p, type & PERF_SAMPLE_TID ? 2 : 0);
	swap64s(&p, !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_ID) +
			    !!(type & PERF_SAMPLE_STREAM_ID));
	swap32s(&p, type & PERF_SAMPLE_CPU ? 2 : 0);
	swap64s(&p, !!(type & PERF_SAMPLE_IDENTIFIER));
	return body_end;
}

/* A record of the kernel that is no sample. */
static void swap_other(u32 type, u16 misc, u8 *p, const u8 *end)
{
	u64 n;

	swap_trailer(p, end);
	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		swap32s(&p, 2);
		swap64s(&p, 3);
		if (type == PERF_RECORD_MMAP)
			break;
		if (misc & 1 << 14) {
			p += 24;
		} else {
			swap32s(&p, 2);
			swap64s(&p, 2);
		}
		swap32s(&p, 2);
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		swap32s(&p, 2);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		swap32s(&p, 4);
		swap64(&p);
		break;
	case PERF_RECORD_SWITCH:
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		swap64s(&p, 3);
		break;
	case PERF_RECORD_LOST:
		swap64s(&p, 2);
		break;
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_CGROUP:
		swap64(&p);
		break;
	case PERF_RECORD_KSYMBOL:
		swap64(&p);
		swap32(&p);
		swap16(&p);
		swap16(&p);
		break;
	case PERF_RECORD_BPF_EVENT:
		swap16(&p);
		swap16(&p);
		swap32(&p);
		break;
	case PERF_RECORD_NAMESPACES:
		swap32s(&p, 2);
		n = swap64(&p);
		swap64s(&p, 2 * n);
		break;
	default:
		die("a record of a type that is not known");
	}
}

/* A list of CPUs, or the first and the last. */
static void swap_cpu_map(u8 *p)
{
	u16 kind = swap16(&p), nr = 2;

	if (kind == 0)
		nr = swap16(&p);
	else if (kind == 2)
		p += 2;
	else
		die("a mask of CPUs");
	while (nr--)
		swap16(&p);
}

static void swap_user(u32 type, u8 *p)
{
	u64 n;

	switch (type) {
	case PERFDATA_ID_INDEX:
		n = swap64(&p);
		swap64s(&p, 4 * n);
		break;
	case PERFDATA_THREAD_MAP:
		n = swap64(&p);
		while (n--) {
			swap64(&p);
			p += 16;
		}
		break;
	case PERFDATA_EVENT_UPDATE:
		swap64s(&p, 2);
		break;
	case PERFDATA_CPU_MAP:
		swap_cpu_map(p);
		break;
	case PERFDATA_FINISHED_ROUND:
	case PERFDATA_FINISHED_INIT:
		break;
	default:
		die("a record of perf's own that is not known");
	}
}

static void swap_data(u64 at, u64 end)
{
	struct perf_event_header h;
	u8 *p;

	for (; at < end; at += h.size) {
		memcpy(&h, file + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > end - at)
			die("a record that is cut");
		p = file + at;
		swap32(&p);
		swap16(&p);
		swap16(&p);
		if (h.type >= PERFDATA_TYPE_FIRST)
			swap_user(h.type, p);
		else if (h.type == PERF_RECORD_SAMPLE)
			swap_sample(p, file + at + h.size);
		else
			swap_other(h.type, h.misc, p, file + at + h.size);
	}
}

static void know_format(const char *text, u64 len)
{
	struct tp_format *f = tp_format_parse(text, len, NULL);
	u32 i;

	for (i = 0; f && i < nr_events; i++)
		if (events[i].attr.type == PERF_TYPE_TRACEPOINT && events[i].attr.config == f->id)
			events[i].format = f;
}

static void swap_tracing(u8 *p)
{
	u64 size;
	u32 nr, count;

	p += 10;
	p += strlen((char *)p) + 1;
	*p++ ^= 1; /* byte order */
	p++;
	swap32(&p);
	p += strlen("header_page") + 1;
	size = swap64(&p);
	p += size;
	p += strlen("header_event") + 1;
	size = swap64(&p);
	p += size;
	for (nr = swap32(&p); nr; nr--) {
		size = swap64(&p);
		p += size;
	}
	for (nr = swap32(&p); nr; nr--) {
		p += strlen((char *)p) + 1;
		for (count = swap32(&p); count; count--) {
			size = swap64(&p);
			know_format((char *)p, size);
			p += size;
		}
	}
	size = swap32(&p);
	p += size;
	size = swap32(&p);
	p += size;
	swap64(&p);
}

static void swap_string(u8 **p)
{
	u32 len = swap32(p);

	*p += len;
}

static void swap_build_ids(u8 *p, const u8 *end)
{
	u8 *at;
	u16 size;

	while (p < end) {
		at = p;
		swap32(&p);
		swap16(&p);
		size = swap16(&p);
		swap32(&p);
		p = at + size;
	}
}

static void swap_event_desc(u8 *p)
{
	u32 nr = swap32(&p), size = swap32(&p), ids;

	while (nr--) {
		swap_attr(p, size);
		p += size;
		ids = swap32(&p);
		swap_string(&p);
		swap64s(&p, ids);
	}
}

/* False: it is not needed. */
static bool swap_feature(u32 feature, u8 *p, u64 size)
{
	u32 nr;

	switch (feature) {
	case PERFDATA_FEATURE_TRACING_DATA:
		swap_tracing(p);
		return true;
	case PERFDATA_FEATURE_BUILD_ID:
		swap_build_ids(p, p + size);
		return true;
	case PERFDATA_FEATURE_HOSTNAME:
	case PERFDATA_FEATURE_OSRELEASE:
	case PERFDATA_FEATURE_VERSION:
	case PERFDATA_FEATURE_ARCH:
		swap_string(&p);
		return true;
	case PERFDATA_FEATURE_NRCPUS:
		swap32s(&p, 2);
		return true;
	case PERFDATA_FEATURE_CMDLINE:
		for (nr = swap32(&p); nr; nr--)
			swap_string(&p);
		return true;
	case PERFDATA_FEATURE_EVENT_DESC:
		swap_event_desc(p);
		return true;
	default:
		return false;
	}
}

static void swap_features(u64 table)
{
	u64 to = table, bits = get64(72), kept = 0, section[2];
	u8 *p;
	u32 i;

	for (i = 0; i < 64; i++) {
		if (!(bits >> i & 1))
			continue;
		memcpy(section, file + table, 16);
		table += 16;
		if (!swap_feature(i, file + section[0], section[1]))
			continue;
		memcpy(file + to, section, 16);
		p = file + to;
		swap64s(&p, 2);
		to += 16;
		kept |= 1ull << i;
	}
	memcpy(file + 72, &kept, 8);
}

int main(int argc, char **argv)
{
	u64 data, size;
	struct stat st;
	FILE *f;
	u8 *p;

	f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	if (!f || fstat(fileno(f), &st))
		die("usage: swap_perfdata FILE");
	file_size = (u64)st.st_size;
	file = malloc(file_size);
	if (!file || fread(file, 1, file_size, f) != file_size || file_size < PERFDATA_HEADER_SIZE)
		die("cannot read it");
	data = get64(40);
	size = get64(48);
	swap_events();
	/* the formats are among the features, and the samples need them */
	swap_features(data + size);
	swap_data(data, data + size);
	memcpy(file, PERFDATA_MAGIC_SWAPPED, 8);
	p = file + 8;
	swap64s(&p, (PERFDATA_HEADER_SIZE - 8) / 8);
	return fwrite(file, 1, file_size, stdout) != file_size;
}
