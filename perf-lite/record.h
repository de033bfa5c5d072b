/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record.h - perf-lite record: what its options fill in (record_options.c), and cmd_record.c carries out.
 */
#ifndef PERF_LITE_RECORD_H
#define PERF_LITE_RECORD_H

#include "util/library/sampling.h"
#include "util/capture/recorder.h"
#include "util/cli/opt.h"
#include "util/event/ev_record.h"

struct record {
	struct sampling what;
	struct recorder_options options;
	bool dry_run, quiet, fetch_names, off_cpu, has_threshold;
	u64 threshold_ns; /* of --off-cpu: what its hint passes on to who reads the file */
	bool switch_by_signal, switching;
	unsigned int verbose;
	u64 max_files;
	char *output_file; /* that of the block writer, links followed; NULL: standard output */
	u32 selves[RECORDER_THREADS]; /* threads of the recorder */
	struct recorder recorder;
};

/*
 * Parse the command line into *c, whose sampling is initialised. rest->help: --help was asked for and has been
 * written, or err says why not.
 */
int record_options(struct record *c, int argc, char **argv, struct opt_rest *rest, struct err *err);
/* Close and free what they opened. */
void record_options_free(struct record *c);

/* The server's library, and what the option cannot go with. -EINVAL, or -errno of the library. */
int record_open_debuginfod(struct record *c, struct err *err);

/* record_more.c: what else of the machine samples can carry: registers, pages, control groups. */
OPT_ROWS(record_more_opts, struct ev_record_options);

/* Registers of the user and copies of stacks that are unwound are one field. -EINVAL. */
int record_more_check(const struct ev_record_options *o, bool stacks, bool keep_stacks,
		      struct err *err);

#endif
