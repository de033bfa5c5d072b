/* SPDX-License-Identifier: GPL-2.0 */
/*
 * export_spans.h - spans of time as files of other programs: one exporter for each format.
 *
 *	export_spans_chrome(session, &about, &k, err) -> k->from = TIME
 *	-> k->ops->span() as each span ends, or k->ops->row() of each row -> k->to = TIME -> k->ops->end() -> k->ops->free()
 *
 * An exporter appends to a buffer that its caller writes out and empties. What it is given stays the caller's: the session
 * and what spans have in common until it is freed, a span for the call. All texts are escaped. It is freed by
 * its ops->free(), even if making it fails, when it is not NULL.
 *
 * Times are ns of the session's clock. -ENOMEM.
 */
#ifndef EXPORT_EXPORT_SPANS_H
#define EXPORT_EXPORT_SPANS_H

#include "util/profile/session.h"
#include "util/profile/stack_tree.h"

struct export_spans_key {
	const char *name;
	bool ns; /* its values are times in ns */
};

/* What all spans have in common. */
struct export_spans_about {
	const char *name; /* "run-queue" */
	const struct export_spans_key *keys;
	u32 nr_keys;
	bool stack; /* the last key is the call chain whose frames are given */
	bool nests; /* spans of one thread are one after the other, or inside each other */
};

struct export_spans_value {
	const char *text; /* NULL: there is none */
	bool number;      /* it is a decimal integer */
};

/* The values of the keys, and the frames of the stack, innermost first. */
struct export_spans_values {
	const struct export_spans_value *v;
	const struct stack_frame *frames;
	u32 nr_frames;
};

struct export_span {
	u64 begin, end;
	u32 cpu;                     /* of the end; ID_NONE: not known */
	u32 tid;                     /* whose it is; ID_NONE: it is of no thread */
	const struct thread *thread; /* NULL: its process is not known */
	const char *comm;            /* of the thread */
	const char *name;
	const struct export_spans_values *values;
};

/* Spans with the same values together. */
struct export_spans_row {
	u64 spans, ns;
	const struct export_spans_values *values;
};

struct export_spans;

struct export_spans_ops {
	/* One of these; the other is NULL. */
	int (*span)(struct export_spans *k, const struct export_span *s, struct buf *out,
		    struct err *err);
	int (*row)(struct export_spans *k, const struct export_spans_row *r, struct buf *out,
		   struct err *err);
	/* 1: there is more, call again when the buffer is written out */
	int (*end)(struct export_spans *k, struct buf *out, struct err *err);
	void (*free)(struct export_spans *k);
};

struct export_spans {
	const struct export_spans_ops *ops;
	u64 from, to; /* the time that was measured; the caller's */
};

typedef int export_spans_make(struct session *s, const struct export_spans_about *about,
			      struct export_spans **k, struct err *err);

/*
 * A trace: the JSON of chrome://tracing, which Perfetto and many others read. Each span is appended as it ends; of the other
 * formats nothing is until the end.
 *
 * A span is a slice of its thread ("X") if they nest there, else a pair of "b" and "e" with an id of its own, since others begin before it
 * ends; of no thread, in a process that is called as all spans. args: "ns", "cpu" of the end, then each key, the stack as its
 * functions, outermost first, with ';' between them. A key that is called as one of these has "_" behind it.
 */
export_spans_make export_spans_chrome;

/*
 * A "processed profile" of profiler.firefox.com, as export_gecko() makes it: spans are interval markers in a track for each
 * thread. Their fields are the keys; the stack is their cause, at the begin.
 */
export_spans_make export_spans_gecko;

/*
 * A profile of pprof, as export_pprof() makes it: a sample for each row, with the values "spans" and "time", which is
 * shown first, and a label for each key but the stack, whose frames are locations.
 */
export_spans_make export_spans_pprof;

#endif
