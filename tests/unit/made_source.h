/* SPDX-License-Identifier: GPL-2.0 */
/*
 * made_source.h - a source whose records a test makes one by one, and the stages around it.
 *
 *	made_source_begin() -> events into .recording, stages around .top -> source_step(.top) -> made_source_end()
 */
#ifndef TESTS_UNIT_MADE_SOURCE_H
#define TESTS_UNIT_MADE_SOURCE_H

#include "tests/unit/made.h"

struct made_source {
	struct source source; /* first */
	struct recording recording;
	/* Append record number `at` to b, for SOURCE_RECORD; or what comes instead. */
	int (*put)(struct made_source *m);
	u64 at, nr, time;
	u32 cpu, event; /* of the record */
	struct buf b;
	struct source *top; /* the last stage */
	struct err err;
};

static inline int made_source_next(struct source *source, struct rec *rec, struct err *err)
{
	struct made_source *m = (struct made_source *)source;
	int ret;

	if (m->at == m->nr)
		return SOURCE_END;
	buf_clear(&m->b);
	ret = m->put(m);
	m->at++;
	if (ret != SOURCE_RECORD)
		return ret;
	if (m->b.failed)
		return err_nomem(err);
	assert_true(rec_view(rec, m->b.data, m->b.len));
	rec->cpu = m->cpu;
	rec->event = m->event;
	return SOURCE_RECORD;
}

static inline void made_source_begin(struct made_source *m, int (*put)(struct made_source *m),
				     u64 nr)
{
	static const struct source_ops ops = {.next = made_source_next};

	*m = (struct made_source){.source.ops = &ops, .put = put, .nr = nr, .event = ID_NONE};
	m->source.recording = &m->recording;
	m->top = &m->source;
}

static inline void made_source_end(struct made_source *m)
{
	while (m->top != &m->source)
		made_unwrap(&m->top);
	recording_free(&m->recording);
	buf_free(&m->b);
}

#endif
