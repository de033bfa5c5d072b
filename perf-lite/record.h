/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record.h - perf-lite record: what its options fill in (record_options.c), and cmd_record.c carries out.
 */
#ifndef PERF_LITE_RECORD_H
#define PERF_LITE_RECORD_H

#include <pthread.h>
#include <signal.h>

#include "util/capture/recorder.h"
#include "util/cli/opt.h"
#include "util/event/ev_record.h"
#include "util/library/sampling.h"

/* What became of the commands of --on-file. */
struct on_file_results {
	u32 run, failed;
	u32 interrupted, deleted, forgotten; /* files that were not given: why */
	u32 backlog;                         /* so many waited at most */
	char *first;                         /* that failed */
	char why[96];
};

/* --on-file (record_on_file.c): a command for each file that is whole, one at a time, in the order of the files. */
struct on_file {
	const char *command; /* as typed; NULL: none */
	char *script;        /* for the shell */
	char **environment;
	char *folder; /* that paths are relative to */
	struct block_writer_listener listener;
	pthread_t thread;
	u32 tid;               /* 0: there is no thread */
	pthread_mutex_t mutex; /* guards the rest */
	pthread_cond_t wake;
	VEC(char *) waiting; /* absolute paths, oldest first */
	char *current;       /* the file of the command that runs */
	pid_t pid;           /* its process and process group, 0: none */
	bool closed, stopped, ended;
	struct on_file_results results;
};

struct record {
	struct sampling what;
	struct recorder_options options;
	bool quiet, fetch_names, off_cpu, has_threshold;
	u64 threshold_ns; /* of --off-cpu: what its hint passes on to who reads the file */
	bool switch_by_signal, switching;
	unsigned int verbose;
	u64 max_files;
	char *output_file; /* that of the block writer, links followed; NULL: standard output */
	u32 selves[RECORDER_THREADS + 1]; /* threads of the recorder, and that of --on-file */
	struct on_file on_file;
	struct buf untold; /* lines for standard error that it did not take at once */
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

/* Is it a file, or will it be one? Standard output ("-"), a pipe or a device is not. */
bool record_is_file(const char *output);

/* Can files of that name be given to a command? -EINVAL. */
int record_on_file_check(const struct on_file *o, const char *output, struct err *err);
/* Before the events: its thread is left out of the recording. Without --on-file these three do nothing. */
int record_on_file_start(struct on_file *o, struct err *err);
/*
 * Give it the last file, too (NULL: there is none), and wait for the commands; once *stop is set, which is cleared
 * before, they are ended. True: each file was given and no command failed; else lines, or err unless it is set, say
 * what was missed.
 */
bool record_on_file_end(struct on_file *o, const char *last, volatile sig_atomic_t *stop,
			bool quiet, struct err *err);
void record_on_file_free(struct on_file *o);

/* record_more.c: what else of the machine samples can carry: registers, pages, control groups. */
OPT_ROWS(record_more_opts, struct ev_record_options);

/* Registers of the user and copies of stacks that are unwound are one field. -EINVAL. */
int record_more_check(const struct ev_record_options *o, bool stacks, bool keep_stacks,
		      struct err *err);

#endif
