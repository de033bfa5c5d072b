/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stacks_input.h - a file of either kind: a recording, or text: folded stacks, or what perf script prints. Its first
 * bytes decide; whatever is neither our format nor perf's is read as text.
 */
#ifndef PERF_LITE_STACKS_INPUT_H
#define PERF_LITE_STACKS_INPUT_H

#include "util/draw/folded.h"
#include "util/file/stream.h"

struct stacks_input {
	const char *path; /* "-": standard input */
	struct stream stream;
	bool recording;
	bool empty; /* not a byte: taken for text without stacks */
	bool quiet; /* no notes on standard error; the owner's */
	bool open;  /* the stream is open, and at its beginning */
};

/* path: the caller's. A directory is a recording, and not open. */
int stacks_input_open(struct stacks_input *in, const char *path, struct err *err);
/* The stream for session_options, who takes it over; NULL: open the path. */
struct stream *stacks_input_take(struct stacks_input *in);
/*
 * Read text to its end into f->tree; an error if not one line was a stack. Lines that could not be
 * read make it CMD_PARTIAL, with err set.
 */
int stacks_input_text(struct stacks_input *in, struct folded *f, struct err *err);
void stacks_input_close(struct stacks_input *in);

#endif
