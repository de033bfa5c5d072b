/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record.h - what the options of perf-lite record fill in (record_options.c), and cmd_record.c
 * carries out. Each on_X() is the call of an option in opt.h's table; its value is the record.
 */
#ifndef PERF_LITE_RECORD_H
#define PERF_LITE_RECORD_H

#include "perf-lite/sampling.h"
#include "util/capture/recorder.h"

struct record {
	struct sampling what;
	struct recorder_options options;
	bool dry_run, quiet, fetch_names;
	bool switch_by_signal, switching;
	unsigned int verbose;
	u64 max_files;
	struct buf no_effect; /* options of perf that do nothing here, as they were typed */
	char *output_file;    /* that of the block writer, links followed; NULL: standard output */
	u32 selves[RECORDER_THREADS]; /* threads of the recorder */
	struct recorder recorder;
};

/* Close and free what they opened. */
void record_options_free(struct record *c);

int record_on_debuginfod(void *value, const char *arg, struct err *err);
/* The server's library, and what the option cannot go with. -EINVAL, or -errno of the library. */
int record_open_debuginfod(struct record *c, struct err *err);
int record_on_delay(void *value, const char *arg, struct err *err);
int record_on_level(void *value, const char *arg, struct err *err);
int record_on_format(void *value, const char *arg, struct err *err);
int record_on_keep_last(void *value, const char *arg, struct err *err);
int record_on_switch_output(void *value, const char *arg, struct err *err);
int record_on_branch_any(void *value, const char *arg, struct err *err);
int record_on_branches(void *value, const char *arg, struct err *err);
int record_on_max_size(void *value, const char *arg, struct err *err);

#endif
