/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_picture.h - what stands around a graph of a recording: the event, its time, what was
 * lost; and the names of files, one for each event.
 */
#ifndef PERF_LITE_FLAMEGRAPH_PICTURE_H
#define PERF_LITE_FLAMEGRAPH_PICTURE_H

#include "perf-lite/reading.h"

/* Does the name end as that of an HTML document does? path may be NULL. */
bool flamegraph_picture_is_html(const char *path);

/* -EINVAL if the name ends as that of something else that is well known: a PNG, a text; path may be NULL. */
int flamegraph_picture_check(const char *path, struct err *err);

/* Append "DIR/out.EVENT.svg" for "DIR/out.svg"; bytes that do not belong into a name become '_'. */
void flamegraph_picture_path(const char *path, const char *event, struct buf *out);

/*
 * What a picture is of. The title is the command that was recorded, or how it was recorded; empty where the
 * recording does not tell. The lines below: the machine, the date and how it was recorded, as far as they are told;
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
 * What the weights of an event's samples are, `weight` all together: "cycles"; NULL: just samples, or, with
 * *time, ns. A constant, or in `room`.
 */
const char *flamegraph_picture_unit(const struct reading *in, u32 event, u64 samples, u64 weight,
				    bool *time, struct buf *room);

/*
 * Append what is missing of the recording, in one line; nothing if nothing is. `damage`: what
 * reading_verdict() said, NULL or "" for nothing.
 */
void flamegraph_picture_warning(const struct reading *in, const char *damage, struct buf *out);

#endif
