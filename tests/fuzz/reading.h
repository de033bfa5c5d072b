/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reading.h - a whole file through all that reads recordings: source, reorder, deferred chains, layouts, process
 * model, bound symbols, unwinding (without the files that were mapped). What must hold for any
 * bytes is checked here.
 */
#ifndef TESTS_FUZZ_READING_H
#define TESTS_FUZZ_READING_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/file/reorder.h"
#include "util/profile/bind.h"
#include "util/profile/deferred_chains.h"
#include "util/profile/sample_unwind.h"
#include "util/record/chain.h"

/* Records to look at: zstd makes much of a few bytes. */
#define READING_MAX 100000

static inline void reading_stack(struct sample_unwind *u, const struct thread *t, struct sample *s)
{
	const u64 *was = s->chain;

	if (sample_unwind_chain(u, t, s, NULL))
		abort();
	if (s->chain != was && !chain_is_end(s->chain[s->chain_nr - 1]))
		abort();
}

static inline void reading_sample(struct process_model *m, struct bind *bind,
				  struct sample_unwind *u, const struct sample_layout *p,
				  const struct rec *rec)
{
	const struct thread *t;
	struct sample s;
	u64 sum = 0;
	u32 i, map;

	if (!sample_layout_sample(p, rec, &s))
		return;
	for (i = 0; i < s.raw_size; i++)
		sum += s.raw[i];
	t = process_thread(m, s.ids.pid, s.ids.tid);
	if (!t || !bind_update(bind))
		abort();
	reading_stack(u, t, &s);
	for (i = 0; i < MIN(s.chain_nr, 64u); i++) {
		map = process_find_map(m, t, s.chain[i]);
		if (map == ID_NONE)
			continue;
		if (s.chain[i] < m->maps.v[map].start || s.chain[i] >= m->maps.v[map].end)
			abort();
		bind_find(bind, m->maps.v[map].dso, map_offset(&m->maps.v[map], s.chain[i] + sum));
	}
}

/* It is closed. */
static inline void reading_source(struct source *source)
{
	static const struct dso_file_options nowhere = {.symfs = "/proc/self/fd/nowhere"};
	const struct sample_unwind_options how = {
		.again = true, .arch = arch_find("x86_64"), .files = &nowhere};
	const struct event_set *events = &source->recording->events;
	const struct deferred_chains_options bounds = {.max_bytes = 1 << 20};
	struct sample_unwind unwind;
	struct process_model m;
	struct err err = {0};
	struct bind bind;
	struct rec rec;
	u32 nr = 0;
	int ret = 0;

	if (process_init(&m, NULL) || sample_unwind_init(&unwind, &how, &m, NULL))
		abort();
	bind_init(&bind, source->recording, &m);
	if (reorder_wrap(&source, &err))
		abort();
	ret = reorder_prepare(source, &err);
	if (!ret && events->defers && deferred_chains_wrap(&source, &bounds, &err))
		abort();
	while (!ret && nr++ < READING_MAX && (ret = source_next(source, &rec, &err)) > 0) {
		ret = 0;
		if ((uintptr_t)rec.data % 8 ||
		    (rec.event != ID_NONE && rec.event >= events->events.nr))
			abort();
		if (rec.type == PERF_RECORD_SAMPLE)
			reading_sample(&m, &bind, &unwind, &events->events.v[rec.event].layout,
				       &rec);
		else
			process_apply(&m, &rec);
	}
	/* a failure has a message */
	if (ret < 0 && !err.msg[0])
		abort();
	source_close(source);
	sample_unwind_free(&unwind);
	bind_free(&bind);
	process_free(&m);
}

static inline void reading_bytes_as(const u8 *data, size_t size, const struct source_want *want)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct err err = {0};
	struct source *s;
	char path[32];

	if (fd < 0 || io_write(fd, data, size))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	s = source_open(path, &err);
	if (s) {
		source_want(s, want);
		reading_source(s);
	} else if (!err.msg[0]) {
		abort();
	}
	close(fd);
}

static inline void reading_bytes(const u8 *data, size_t size)
{
	reading_bytes_as(data, size, &(struct source_want){0});
}

#endif
