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

/* Can it be written? -errno. */
int metrics_file_check(const char *path, struct err *err);
int metrics_file_put(const char *path, const struct buf *b, struct err *err);

#endif
