/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfdata_dir.h - the directory that perf record --threads writes: "data", a whole perf.data file
 * that holds the tables and what ran before, and data.0, data.1, ..., records and nothing else.
 */
#ifndef FILE_PERFDATA_DIR_H
#define FILE_PERFDATA_DIR_H

#include "util/file/source.h"

struct source *perfdata_dir_open(const char *path, struct err *err);

#endif
