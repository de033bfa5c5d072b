/* SPDX-License-Identifier: GPL-2.0 */
/*
 * made.h - events, records and files that tests make by hand.
 *
 * made_sample() makes samples of the layout MADE_TYPE, which says all that it can in each.
 * Integers of records are host-endian, those of blocks little-endian.
 */
#ifndef TESTS_UNIT_MADE_H
#define TESTS_UNIT_MADE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/file/columns.h"
#include "util/file/functions.h"
#include "util/file/source.h"
#include "util/file/writer.h"
#include "util/record/rec_build.h"

#define MADE_TYPE                                                                       \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

/* Close a stage, but not what it wraps, which the test has made. */
static inline void made_unwrap(struct source **s)
{
	struct source *stage = *s;

	*s = stage->from;
	stage->ops->close(stage);
	free(stage);
}

struct made_sample {
	u64 id, ip, time, period;
	u32 pid, tid, cpu;
	const u64 *chain;
	u32 nr;
};

static inline struct perf_event_attr made_attr(u64 sample_type)
{
	return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
					.size = sizeof(struct perf_event_attr),
					.sample_type = sample_type,
					.sample_id_all = 1};
}

static inline struct sample_layout made_layout(u64 sample_type)
{
	struct perf_event_attr attr = made_attr(sample_type);
	struct sample_layout p;

	sample_layout_init(&p, &attr);
	return p;
}

/* The header of a record whose size made_end() fills in. Returns where it stands. */
static inline size_t made_begin(struct buf *b, u32 type, u16 misc)
{
	struct perf_event_header h = {.type = type, .misc = misc};
	size_t at = b->len;

	buf_add(b, &h, sizeof(h));
	return at;
}

static inline void made_end(struct buf *b, size_t at)
{
	u16 size = (u16)(b->len - at);

	if (!b->failed)
		memcpy(b->data + at + 6, &size, sizeof(size));
}

static inline void made_sample(struct buf *b, const struct made_sample *m)
{
	size_t at = made_begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	buf_u64(b, m->id);
	buf_u64(b, m->ip);
	buf_u32(b, m->pid);
	buf_u32(b, m->tid);
	buf_u64(b, m->time);
	buf_u32(b, m->cpu);
	buf_u32(b, 0);
	buf_u64(b, m->period);
	buf_u64(b, m->nr);
	buf_add(b, m->chain, m->nr * sizeof(*m->chain));
	made_end(b, at);
}

/* The payload of an ATTR block. */
static inline void made_event(struct buf *b, u32 flags, const struct perf_event_attr *attr,
			      const char *name, const u64 *ids, u32 nr)
{
	u32 i;

	buf_le32(b, flags);
	buf_lstr(b, (const char *)attr, sizeof(*attr));
	buf_lstr(b, name, strlen(name));
	buf_le32(b, nr);
	for (i = 0; i < nr; i++)
		buf_le64(b, ids[i]);
}

/* An event set that holds one event, as made_event() tells it. */
static inline void made_events(struct event_set *s, u64 sample_type, const u64 *ids, u32 nr)
{
	struct perf_event_attr attr = made_attr(sample_type);

	if (event_set_add(s, &attr, sizeof(attr), "made", ids, nr, NULL) < 0)
		exit(2);
}

/*
 * Records, one behind the other, as the payload of a DATA block and what its header says of them.
 * They were read from `ring`; NULL: the recorder made them. The payload is `b`'s.
 */
static inline struct writer_data made_data(struct buf *b, const struct event_set *events,
					   const struct columns_ring *ring, int level,
					   const void *records, size_t len)
{
	static const struct columns_ring no_ring = {.cpu = ID_NONE};
	struct columns_encoder *e = columns_encoder_new(events, NULL);
	struct writer_data d = {.raw_size = len};
	struct rec rec;
	size_t at;
	u64 time;

	if (!e)
		exit(2);
	columns_begin(e);
	columns_run(e, ring ? ring : &no_ring);
	for (at = 0; at < len; at += rec.size) {
		if (!rec_view(&rec, (const u8 *)records + at, len - at))
			exit(2);
		rec.event = event_set_find(events, &rec);
		columns_add(e, &rec, NULL);
		d.records++;
		d.samples += rec.type == PERF_RECORD_SAMPLE;
		time = rec.event == ID_NONE
			       ? 0
			       : sample_layout_time(&events->events.v[rec.event].layout, &rec);
		if (!time || time == UINT64_MAX)
			continue;
		d.time_max = MAX(d.time_max, time);
		d.time_min = d.time_min ? MIN(d.time_min, time) : time;
	}
	buf_clear(b);
	if (columns_end(e, level, b, NULL))
		exit(2);
	columns_encoder_free(e);
	d.payload = b->data;
	d.len = b->len;
	return d;
}

/* What a DSO block begins with. */
static inline void made_dso(struct buf *b, u32 class, u64 ino, const char *name, const char *id)
{
	buf_le32(b, class);
	buf_le32(b, 8);
	buf_le32(b, 1);
	buf_le64(b, ino);
	buf_le64(b, 0);
	buf_lstr(b, name, strlen(name));
	buf_lstr(b, id, strlen(id));
}

struct made_function {
	u64 start, size;
	const char *name;
};

/* The payload of a SYMS block: functions of one DSO. */
static inline void made_functions(struct buf *b, u32 class, u64 ino, const char *dso,
				  const char *id, const struct made_function *v, u32 nr)
{
	struct dso_head head = {.class = (enum dso_class) class,
				.maj = 8,
				.min = 1,
				.ino = ino,
				.name = dso,
				.name_len = strlen(dso),
				.build_id = id,
				.build_id_len = strlen(id)};
	struct functions_at at = {0};
	struct functions f = {0};
	u32 i;

	functions_dso(&f, &head);
	for (i = 0; i < nr; i++)
		functions_add(&f, v[i].start, v[i].size, v[i].name, strlen(v[i].name));
	if (!functions_put(&f, &at, b))
		exit(2);
	functions_free(&f);
}

static inline void made_frame(struct buf *b, u32 function, u32 file, u32 line)
{
	buf_le32(b, function);
	buf_le32(b, file);
	buf_le32(b, line);
}

static inline void made_fact(struct buf *b, const char *key, const char *value)
{
	buf_lstr(b, key, strlen(key));
	buf_lstr(b, value, strlen(value));
}

/* A file in memory that can be opened by `path`, until its descriptor is closed. */
static inline int made_file(const void *p, size_t len, char path[static 32])
{
	int fd = memfd_create("made", MFD_CLOEXEC);

	if (fd < 0 || io_write(fd, p, len)) {
		perror("memfd");
		exit(2);
	}
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

/* A new empty folder; remove it with made_folder_gone(). */
static inline void made_folder(char path[static 64])
{
	snprintf(path, 64, "/tmp/perf-lite-unit.XXXXXX");
	if (!mkdtemp(path)) {
		perror(path);
		exit(2);
	}
}

static inline void made_folder_gone(const char *path)
{
	char cmd[96];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", path);
	if (system(cmd))
		perror(cmd);
}

#endif
