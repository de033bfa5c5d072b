/* SPDX-License-Identifier: GPL-2.0 */
/*
 * source_text.h - lines of source files, by their numbers.
 *
 * A file is read when a line of it is first asked for, and kept. One that is not there, is no regular file or has more
 * than SOURCE_TEXT_MAX bytes has no lines. Zero-initialised, it is empty and ready.
 */
#ifndef ANNOTATE_SOURCE_TEXT_H
#define ANNOTATE_SOURCE_TEXT_H

#include "util/base/buf.h"
#include "util/base/hash.h"
#include "util/base/vec.h"

#define SOURCE_TEXT_MAX (64u << 20)

struct source_text_file {
	struct buf text;
	VEC(u32) lines; /* where each begins */
	bool there;
	s64 modified; /* ns since 1970 */
};

struct source_text {
	const char *root; /* a folder before every path; NULL: none */
	struct strtab paths;
	VEC(struct source_text_file) files; /* by number of its path */
};

/* The file, read; NULL: it is not there. */
const struct source_text_file *source_text_file(struct source_text *t, const char *path);
/* A line without its end, counted from 1, *len bytes of any kind; NULL: it is not there. */
const char *source_text_line(struct source_text *t, const char *path, u32 line, size_t *len);
void source_text_free(struct source_text *t);

#endif
