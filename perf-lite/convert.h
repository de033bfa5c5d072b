/* SPDX-License-Identifier: GPL-2.0 */
/*
 * convert.h - the formats of perf-lite convert.
 *
 * A format is a row of the table in cmd_convert.c. Most are a sink that is given the samples which
 * the options choose (convert_samples.c); perf.data is made of records instead, and by itself.
 */
#ifndef PERF_LITE_CONVERT_H
#define PERF_LITE_CONVERT_H

#include "perf-lite/output_file.h"
#include "perf-lite/reading_notes.h"
#include "util/format/sink.h"

struct convert {
	struct reading in;
	const struct convert_format *format;
	const char *to, *output; /* as they were given */
	struct output_file out;
	/* of an output that is a directory: what is written in it */
	bool directory;
	struct buf samples, losses;
};

struct convert_format {
	const char *name, *summary;
	const char *output; /* by default */
	bool binary;        /* not for a terminal */
	bool one_event;     /* one holds samples of one event: --event chooses */
	bool no_raw;        /* nothing is shown of raw data */
	/*
	 * One of these. sink: make one for the samples of `event` (ID_NONE: of all), which is given
	 * no others. Its ops->free() frees all that was made, itself included; it may be set even if
	 * this fails. The session stays the caller's. records: read c->in.session.path and write
	 * c->out; the exit code, or <0.
	 */
	int (*sink)(struct session *s, u32 event, struct sink **sink, struct err *err);
	int (*records)(struct convert *c, struct err *err);
	/* Likewise, of what is not in the recording: it is a file of its own in a directory. NULL: there is none. */
	int (*losses)(struct session *s, u32 event, struct sink **sink, struct err *err);
};

/* The formats that are made of what script prints. */
int convert_folded(struct session *s, u32 event, struct sink **sink, struct err *err);
int convert_json(struct session *s, u32 event, struct sink **sink, struct err *err);

/* Read c->in and write c->out with the format's sink; the exit code, or <0. */
int convert_samples(struct convert *c, struct err *err);

/* convert_directory.c: an output that is a directory, with a file for each table. */

/* Does it name one: is it there, or does it end with a slash? */
bool convert_directory_is(const char *output);
/* Name the files. */
int convert_directory_names(struct convert *c, struct err *err);
/* Make it, if it is missing; then output_file_directory_end(). */
int convert_directory_make(const struct convert *c, struct err *err);

/* perf's own file. */
int convert_perfdata(struct convert *c, struct err *err);

#endif
