/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record.h - what the options of perf-lite record fill in (record_options.c), and cmd_record.c
 * carries out. Each on_X() is the call of an option in opt.h's table; its value is the record.
 */
#ifndef PERF_LITE_RECORD_H
#define PERF_LITE_RECORD_H

#include "perf-lite/sampling.h"
#include "util/capture/recorder.h"
#include "util/cli/opt.h"
#include "util/event/ev_record.h"

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

/*
 * record_more.c: what else of the machine samples can carry: registers, pages, control groups.
 * Options of record alone; each on_X() is the call of an option in opt.h's table, whose value is a
 * struct ev_record_options.
 */

/* NULL or "": all that this machine has; "AX,ip": those; "?": -EINVAL, with the names as hint. */
int record_more_on_intr_regs(void *value, const char *arg, struct err *err);
int record_more_on_user_regs(void *value, const char *arg, struct err *err);
int record_more_on_phys_data(void *value, const char *arg, struct err *err);
int record_more_on_data_page_size(void *value, const char *arg, struct err *err);
int record_more_on_code_page_size(void *value, const char *arg, struct err *err);
int record_more_on_cgroups(void *value, const char *arg, struct err *err);

/* Registers of the user and copies of stacks that are unwound are one field. -EINVAL. */
int record_more_check(const struct ev_record_options *o, bool stacks, bool keep_stacks,
		      struct err *err);

/* Rows of a table of options; o: struct ev_record_options *. */
#define RECORD_MORE_OPTS(o)                                                                    \
	{OPT_GROUP, 0, NULL, NULL, NULL, "More data for each sample", NULL, 0},                \
		{OPT_FLAG,                                                                     \
		 'd',                                                                          \
		 "data",                                                                       \
		 NULL,                                                                         \
		 &(o)->addresses,                                                              \
		 "record the data address of "                                                 \
		 "memory accesses and page faults",                                            \
		 NULL,                                                                         \
		 0},                                                                           \
		{OPT_CALL,                                                                     \
		 0,                                                                            \
		 "phys-data",                                                                  \
		 NULL,                                                                         \
		 (o),                                                                          \
		 "record the physical address of the data",                                    \
		 record_more_on_phys_data,                                                     \
		 0},                                                                           \
		{OPT_CALL,                                                                     \
		 0,                                                                            \
		 "data-page-size",                                                             \
		 NULL,                                                                         \
		 (o),                                                                          \
		 "record the page size of the data address",                                   \
		 record_more_on_data_page_size,                                                \
		 0},                                                                           \
		{OPT_CALL,                                                                     \
		 0,                                                                            \
		 "code-page-size",                                                             \
		 NULL,                                                                         \
		 (o),                                                                          \
		 "record the page size of the code address",                                   \
		 record_more_on_code_page_size,                                                \
		 0},                                                                           \
		{OPT_FLAG,                                                                     \
		 0,                                                                            \
		 "sample-ip",                                                                  \
		 NULL,                                                                         \
		 &(o)->sample_ip,                                                              \
		 "record the address of each tracepoint hit (call chains already include it)", \
		 NULL,                                                                         \
		 0},                                                                           \
		{OPT_CALL,                                                                     \
		 'I',                                                                          \
		 "intr-regs",                                                                  \
		 "REGS",                                                                       \
		 (o),                                                                          \
		 "record registers: all, or AX,IP,...; --intr-regs=? lists them",              \
		 record_more_on_intr_regs,                                                     \
		 OPT_ARG_OPTIONAL},                                                            \
		{OPT_CALL,                                                                     \
		 0,                                                                            \
		 "user-regs",                                                                  \
		 "REGS",                                                                       \
		 (o),                                                                          \
		 "record user registers, as of the last entry into the kernel",                \
		 record_more_on_user_regs,                                                     \
		 OPT_ARG_OPTIONAL},                                                            \
		{OPT_CALL,                                                                     \
		 0,                                                                            \
		 "all-cgroups",                                                                \
		 NULL,                                                                         \
		 (o),                                                                          \
		 "record the control group of the task",                                       \
		 record_more_on_cgroups,                                                       \
		 0},                                                                           \
		{OPT_FLAG,                                                                     \
		 0,                                                                            \
		 "namespaces",                                                                 \
		 NULL,                                                                         \
		 &(o)->namespaces,                                                             \
		 "record the namespaces of every task",                                        \
		 NULL,                                                                         \
		 0},                                                                           \
		{OPT_FLAG,                                                                     \
		 0,                                                                            \
		 "text-poke",                                                                  \
		 NULL,                                                                         \
		 &(o)->text_poke,                                                              \
		 "record every change the kernel makes to its own code",                       \
		 NULL,                                                                         \
		 0},                                                                           \
	{                                                                                      \
		OPT_FLAG, 0, "switch-events", NULL, &(o)->switch_events,                       \
			"record every context switch", NULL, 0                                 \
	}

/*
 * record_refused.c: options of perf record that would put something into the recording that
 * perf-lite does not read: rows of a table of options, each with the hint that says what to use
 * instead.
 */

/* clang-format off */
#define RECORD_REFUSED(letter, name, hint) {OPT_REFUSED, letter, name, NULL, NULL, hint, NULL, 0}

#define RECORD_REFUSED_AUX "record AUX traces with perf record; -b records the last branches"

#define RECORD_REFUSED_OPTS                                                                        \
	RECORD_REFUSED('S', "snapshot", RECORD_REFUSED_AUX),                                       \
	RECORD_REFUSED(0, "aux-sample", RECORD_REFUSED_AUX),                                       \
	RECORD_REFUSED('n', "no-samples", "to count only: perf-lite stat"),                        \
	RECORD_REFUSED('s', "stat", "to count by thread: perf-lite stat --per-thread"),            \
	RECORD_REFUSED(0, "running-time", "perf-lite stat prints how long each event was "         \
					  "counted"),                                              \
	RECORD_REFUSED(0, "transaction", "to count transactions: perf-lite stat -e "               \
					 "cpu/tx-start/,cpu/tx-abort/"),                           \
	RECORD_REFUSED(0, "off-cpu", "to see where tasks leave the CPU: -g -e "                    \
				     "sched:sched_switch"),                                        \
	RECORD_REFUSED(0, "kcore",                                                                 \
		       "leave it out: every recording includes the kernel functions seen"),        \
	RECORD_REFUSED(0, "vmlinux",                                                               \
		       "leave it out: names come from the running kernel; when reading: report "   \
		       "-k FILE"),                                                                 \
	RECORD_REFUSED(0, "clang-path", "-e takes events, not BPF sources"),                       \
	RECORD_REFUSED(0, "clang-opt", "-e takes events, not BPF sources"),                        \
	RECORD_REFUSED(0, "switch-output-event",                                                   \
		       "use --switch-output=signal, and kill -USR2 when the event happens"),       \
	RECORD_REFUSED(0, "timestamp-filename", "-o NAME-$(date +%Y%m%d%H%M%S)")
/* clang-format on */

#endif
