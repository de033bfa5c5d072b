/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_request.h - what perf-lite flamegraph was asked for, and doing it: what the command line needs of the parts.
 */
#ifndef PERF_LITE_FLAMEGRAPH_REQUEST_H
#define PERF_LITE_FLAMEGRAPH_REQUEST_H

#include "perf-lite/reading_notes.h"
#include "util/draw/flamegraph.h"

/* flamegraph_picture.c: the name of the file, and the text around a graph of a recording: the event, its time, what was lost. */

/* Does the name end as that of an HTML document does? path may be NULL. */
bool flamegraph_picture_is_html(const char *path);

/* -EINVAL if the name ends as that of something else that is well known: a PNG, a text; path may be NULL. */
int flamegraph_picture_check(const char *path, struct err *err);

/*
 * What a picture shows. The title is the command that was recorded, or the recorder's command line; empty where
 * neither is known. The lines below: the machine, the date and how it was recorded, as far as they are known;
 * the event, and its time as --time takes it: "cycles, 12.345678 to 15.400000 s".
 */
struct flamegraph_head {
	struct buf title, origin, event;
};

/* Of an event, whose samples are of these times; `first` > `last`: they have none. Zero-initialise it. */
int flamegraph_head_make(struct flamegraph_head *h, const struct reading *in, u32 event, u64 first,
			 u64 last, struct err *err);
void flamegraph_head_free(struct flamegraph_head *h);

/*
 * Append what is missing of the recording, in one line; nothing if nothing is. `damage`: what
 * reading_verdict() said, NULL or "" for nothing.
 */
void flamegraph_picture_warning(const struct reading *in, const char *damage, struct buf *out);

/* flamegraph_root.c: what the words of --by need. */

/* The event whose raw data the default needs. */
#define FLAMEGRAPH_ROOT_EVENT "skb:kfree_skb"
/* Is it a key, not the name of a field? */
bool flamegraph_root_is_key(const char *by);

/* flamegraph_stacks.c: how samples are counted. */

struct flamegraph_stacks_options {
	const char *by;     /* --by; NULL: the default */
	const char *top;    /* --stack-field; NULL: none */
	bool count_samples; /* each sample counts one, whatever its period */
	bool per_event;     /* else the event is chosen already (reading_choose_event()) */
	bool folded;        /* frames as folded text has them: names alone */
};

/*
 * flamegraph_run.c: what perf-lite flamegraph was asked for, and doing it.
 */

/* What the command line says, before it is one request. */
struct flamegraph_asked {
	const char *weight, *colour, *min_width;
	u64 width;
};

struct flamegraph_request {
	struct flamegraph_asked asked;
	struct reading in;  /* the options for the recording */
	struct reading old; /* the same ones, for that of --diff */
	const char *diff;   /* NULL: not given */
	const char *output; /* NULL: standard output */
	const char *title, *unit;
	struct flamegraph_stacks_options stacks;
	struct flamegraph draw; /* as far as options say */
	bool timeline;
	bool annotate;               /* with the instructions of the hottest functions */
	const char *needs_recording; /* an option that was given and does; NULL: none */
};

/* Read, draw, write: the exit code. The readings are the caller's to close. */
int flamegraph_run(struct flamegraph_request *r, struct err *err);

#endif
