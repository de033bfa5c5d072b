/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reading.h - what all commands share that look at the samples of a recording: where from, which of them, and
 * what is said of what is missing.
 *
 *	struct reading in;
 *	reading_init(&in);
 *	opts[] = { READING_INPUT_OPTS(&in), READING_SAMPLE_OPTS(&in), ..., READING_OTHER_OPTS(&in) };
 *	opt_parse() -> reading_open() -> reading_sample() ... -> reading_verdict() -> reading_close()
 *
 * All results go to the caller; this prints notes, losses and damage on standard error.
 */
#ifndef PERF_LITE_READING_H
#define PERF_LITE_READING_H

#include "perf-lite/cmd.h"
#include "perf-lite/reading_select.h"
#include "util/cli/opt.h"
#include "util/cli/progress.h"
#include "util/format/time_text.h"
#include "util/profile/stack_quality.h"

struct reading {
	struct session_options session;
	struct sample_filter filter;
	struct reading_select select;
	const char *event;     /* --event, NULL: not given */
	const char *times;     /* --time, likewise */
	bool tells_times;      /* the command prints times: --time takes a form as well */
	const char *time_word; /* of --time, "wall"; NULL: not given */
	enum time_form time_form;
	bool inlines, no_inlines, quiet;
	bool as_perf_inlines; /* as perf without either option: in unwound stacks alone */
	u64 max_stack;        /* UINT64_MAX: not given */
	const char *what;     /* shown while it takes long, "Reading samples"; NULL: nothing is */
	bool judges;          /* stacks are counted by how complete they are, where they are read */
	const char
		*whose; /* begins the lines on standard error, where several recordings are read */
	/* choices that the command makes itself among the samples it gets, and that none passed; NULL: there are none */
	const struct sample_filter *rows;
	const struct place_filter *row_places;
	bool no_rows;
	/* what follows is kept up by the functions below */
	struct session *s;
	u32 only_event; /* ID_NONE: all */
	bool live;      /* the input is a pipe */
	struct progress progress;
	u64 size; /* of the input, 0: not known */
	u32 seen; /* samples since progress was shown */
	struct buf cache;
	struct stack_quality stacks;
};

int reading_on_comms(void *reading, const char *arg, struct err *err);
int reading_on_pids(void *reading, const char *arg, struct err *err);
int reading_on_tids(void *reading, const char *arg, struct err *err);
int reading_on_cpus(void *reading, const char *arg, struct err *err);
int reading_on_time(void *reading, const char *arg, struct err *err);
int reading_on_filter(void *reading, const char *arg, struct err *err);
int reading_on_symbols(void *reading, const char *arg, struct err *err);
int reading_on_dsos(void *reading, const char *arg, struct err *err);
int reading_on_no_idle(void *reading, const char *arg, struct err *err);

/* Rows of a table of options; r: struct reading *. */
#define READING_INPUT_OPTS(r)                                                     \
	{OPT_GROUP, 0, NULL, NULL, NULL, "Input", NULL, 0},                       \
		{OPT_STRING,                                                      \
		 'i',                                                             \
		 "input",                                                         \
		 "FILE",                                                          \
		 &(r)->session.path,                                              \
		 "the recording; - is standard input (default perf-lite.data)",   \
		 NULL,                                                            \
		 0},                                                              \
		{OPT_STRING,                                                      \
		 0,                                                               \
		 "symfs",                                                         \
		 "DIR",                                                           \
		 &(r)->session.symfs,                                             \
		 "look for binaries under DIR instead of /",                      \
		 NULL,                                                            \
		 0},                                                              \
		{OPT_FLAG,                                                        \
		 0,                                                               \
		 "debuginfod",                                                    \
		 NULL,                                                            \
		 &(r)->session.debuginfod,                                        \
		 "fetch missing debug files from the servers in DEBUGINFOD_URLS", \
		 NULL,                                                            \
		 0},                                                              \
		{OPT_STRING,                                                      \
		 0,                                                               \
		 "kallsyms",                                                      \
		 "FILE",                                                          \
		 &(r)->session.kallsyms,                                          \
		 "read kernel symbols from FILE",                                 \
		 NULL,                                                            \
		 0},                                                              \
	{                                                                         \
		OPT_STRING, 'k', "vmlinux", "FILE", &(r)->session.vmlinux,        \
			"read kernel symbols from this image", NULL, 0            \
	}

#define READING_SAMPLE_OPTS(r)                                                                       \
	{OPT_GROUP, 0, NULL, NULL, NULL, "Which samples", NULL, 0},                                  \
		{OPT_STRING, 0, "event", "NAME", &(r)->event, "only this event", NULL, 0},           \
		{OPT_CALL,         'c', "comms",                                                     \
		 "NAME,...",       (r), "only these commands; '!LIST' (here and below): all others", \
		 reading_on_comms, 0},                                                               \
		{OPT_CALL, 0, "pid", "PID,...", (r), "only these processes", reading_on_pids, 0},    \
		{OPT_CALL, 0, "tid", "TID,...", (r), "only these threads", reading_on_tids, 0},      \
		{OPT_CALL,        'C', "cpu", "CPU,...", (r), "only these CPUs (0,2-4)",             \
		 reading_on_cpus, 0},                                                                \
		{OPT_CALL,                                                                           \
		 0,                                                                                  \
		 "time",                                                                             \
		 "FROM,TO",                                                                          \
		 (r),                                                                                \
		 "only between these times, in seconds, or a part: 10%/2, 0%-10%",                   \
		 reading_on_time,                                                                    \
		 0},                                                                                 \
		{OPT_CALL,                                                                           \
		 0,                                                                                  \
		 "filter",                                                                           \
		 "EXPR",                                                                             \
		 (r),                                                                                \
		 "only tracepoints that match: 'reason == NO_SOCKET'",                               \
		 reading_on_filter,                                                                  \
		 0},                                                                                 \
		{OPT_CALL,           'S', "symbols",                                                 \
		 "NAME,...",         (r), "only samples in these functions",                         \
		 reading_on_symbols, 0},                                                             \
		{OPT_CALL,        0, "dsos", "FILE,...", (r), "only samples in these files",         \
		 reading_on_dsos, 0},                                                                \
		{OPT_CALL, 0, "no-idle", NULL, (r), "leave out idle CPUs", reading_on_no_idle, 0},   \
		{OPT_STRING,                                                                         \
		 0,                                                                                  \
		 "switch-on",                                                                        \
		 "NAME",                                                                             \
		 &(r)->select.switch_on,                                                             \
		 "start at the first sample of this event",                                          \
		 NULL,                                                                               \
		 0},                                                                                 \
		{OPT_STRING,                                                                         \
		 0,                                                                                  \
		 "switch-off",                                                                       \
		 "NAME",                                                                             \
		 &(r)->select.switch_off,                                                            \
		 "stop at the next sample of this event",                                            \
		 NULL,                                                                               \
		 0},                                                                                 \
		{OPT_FLAG,                                                                           \
		 0,                                                                                  \
		 "show-on-off-events",                                                               \
		 NULL,                                                                               \
		 &(r)->select.show_switches,                                                         \
		 "include the samples of these two events",                                          \
		 NULL,                                                                               \
		 0},                                                                                 \
	{                                                                                            \
		OPT_UINT, 0, "limit", "N", &(r)->select.limit, "only the first N", NULL, 0           \
	}

/* For commands that set tells_times; behind READING_SAMPLE_OPTS or in its place. */
#define READING_TIME_OPTS(r)                                                                                  \
	{                                                                                                     \
		OPT_CALL, 0, "time", "FORM", (r),                                                             \
			"print times as wall, utc, boot, mono, tai, reltime (since the first), delta or raw", \
			reading_on_time, 0                                                                    \
	}

#define READING_STACK_OPTS(r, max)                                                                   \
	{OPT_UINT, 0, "max-stack", "N", &(r)->max_stack, "use at most N frames of each stack (" max ")",   \
	 NULL,     0},                                                                               \
		{OPT_FLAG, 0, "inline", NULL, &(r)->inlines, "show inlined functions in all stacks", \
		 NULL,     0},                                                                       \
		{OPT_FLAG, 0, "no-inline", NULL, &(r)->no_inlines, "hide inlined functions",         \
		 NULL,     0},                                                                       \
	{                                                                                            \
		OPT_FLAG, 0, "no-demangle", NULL, &(r)->session.resolve.no_demangle,                 \
			"do not demangle names", NULL, 0                                             \
	}

#define READING_OTHER_OPTS(r)                                                                   \
	{OPT_UINT,                                                                              \
	 'j',                                                                                   \
	 "jobs",                                                                                \
	 "N",                                                                                   \
	 &(r)->session.threads,                                                                 \
	 "read with N threads (default as many as help)",                                       \
	 NULL,                                                                                  \
	 0},                                                                                    \
		{OPT_FLAG, 'q', "quiet", NULL, &(r)->quiet, "print no notes on standard error", \
		 NULL,     0},                                                                  \
	{                                                                                       \
		OPT_IGNORED, 'f', "force", NULL, NULL, NULL, NULL, OPT_HIDDEN                   \
	}

/* Nothing is given yet. */
void reading_init(struct reading *r);

/*
 * Open the recording as the options say, and read until its events are known; what cannot be printed is noted on
 * standard error. r->s may be set even if this fails.
 */
int reading_open(struct reading *r, struct err *err);

/*
 * After reading_open(): set only_event to the event of --event, to the only one there is, or to
 * ID_NONE for all. `one`: several cannot be shown together, `option` ("--event") chooses.
 */
int reading_choose_event(struct reading *r, bool one, const char *option, struct err *err);

/* As session_next(), of the samples that are wanted. */
int reading_next(struct reading *r, struct session_sample *s, struct err *err);
/* 1: the next sample that is wanted, 0: there is none, <0: err. */
int reading_sample(struct reading *r, struct session_sample *s, struct err *err);

/*
 * Append one line without newline on how complete the stacks of the samples so far are and what helps, if they are
 * poor: quality_is_poor(). Only if they are judged.
 */
void reading_stacks_note(const struct reading *r, struct buf *out);

/*
 * After the last sample: what is missing, in lines on standard error. CMD_OK, or CMD_PARTIAL for a
 * damaged recording. `more`: further lines, NULL: none.
 */
int reading_verdict(struct reading *r, const struct buf *more, struct err *err);

/* Was something of a recording asked for, and none of its samples is that? reading_verdict() says so. */
bool reading_none_match(const struct reading *r);
void reading_close(struct reading *r);

#endif
