/* SPDX-License-Identifier: GPL-2.0 */
/*
 * metrics_file.h - a file that is written again and again while events are watched, for a reader that may come at any time: a new one
 * is made beside it and renamed. "-" and what is no file (a device, a pipe): one text behind the other. Unlike output_file.h
 * it leaves signals to the caller.
 */
#ifndef PERF_LITE_METRICS_FILE_H
#define PERF_LITE_METRICS_FILE_H

#include "util/base/buf.h"
#include "util/base/err.h"

/* How often it is written if nobody says: as often as it is read, usually. */
#define METRICS_INTERVAL_NS 10000000000ull

struct metrics_file {
	const char *path;
	struct err failed; /* why the last text could not be written; code 0: it was */
};

/* Can it be written? -errno. */
int metrics_file_check(const char *path, struct err *err);
/*
 * A file that cannot be written now may be with the next text, as a disk that is full: stderr has a line when that begins
 * and when it ends, and metrics_file_end() the error. What is no file fails at once: -errno.
 */
int metrics_file_put(struct metrics_file *m, const struct buf *b, struct err *err);
/* Behind the last text: 0, or -errno if it could not be written. */
int metrics_file_end(const struct metrics_file *m, struct err *err);

#endif
