/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cmd.h - what main.c and the commands know of each other.
 *
 * A command gets its own name as argv[0] and NULL behind argv[argc-1]. It writes its output to
 * standard output and prints no errors: it describes one in `err`, and main.c prints that
 * whatever the command returns. It returns the exit code, or a negative errno, which exits as
 * CMD_USAGE. So "all is well but the user should know" is CMD_OK with err set, and a code of its
 * own (the exit code of a recorded command, 128 + a signal) is just returned.
 */
#ifndef PERF_LITE_CMD_H
#define PERF_LITE_CMD_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/cli/opt.h"

/* The exit codes of every command; documented in perf-lite(1). */
enum cmd_exit {
	CMD_OK = 0,       /* also if samples were lost while recording */
	CMD_USAGE = 1,    /* wrong usage, nothing matched, or the input cannot be read */
	CMD_NO_START = 2, /* recording could not start */
	CMD_PARTIAL = 3,  /* the output lacks what could not be read, or could not be written */
	/* of a command that was to be run; as shells have it */
	CMD_NOT_RUN = 126,
	CMD_NOT_FOUND = 127,
};

int cmd_record(int argc, char **argv, struct err *err);
int cmd_script(int argc, char **argv, struct err *err);
int cmd_trace(int argc, char **argv, struct err *err);
int cmd_report(int argc, char **argv, struct err *err);
int cmd_annotate(int argc, char **argv, struct err *err);
int cmd_stat(int argc, char **argv, struct err *err);
int cmd_list(int argc, char **argv, struct err *err);
int cmd_check(int argc, char **argv, struct err *err);
int cmd_verify(int argc, char **argv, struct err *err);
int cmd_convert(int argc, char **argv, struct err *err);
int cmd_evlist(int argc, char **argv, struct err *err);
int cmd_buildid_list(int argc, char **argv, struct err *err);
int cmd_pack(int argc, char **argv, struct err *err);
int cmd_push(int argc, char **argv, struct err *err);
int cmd_flamegraph(int argc, char **argv, struct err *err);
int cmd_diff(int argc, char **argv, struct err *err);
int cmd_count(int argc, char **argv, struct err *err);
int cmd_drops(int argc, char **argv, struct err *err);
int cmd_latency(int argc, char **argv, struct err *err);
int cmd_top(int argc, char **argv, struct err *err);

/* Write all of it to standard output and free it; returns CMD_OK, or a code with err set. */
int cmd_write(struct buf *b, struct err *err);

/*
 * What a command printed that ended with `ret`, through the pager; freed. <0: nothing is written. Returns `ret`, or why it could
 * not be written, with err set.
 */
int cmd_write_paged(int ret, struct buf *b, struct err *err);

/* Remarks on standard error, each a line; the foreign names in them with no control byte. */
void cmd_put_notes(const char *notes);

/* Describe that it cannot be written, for this errno (0: unknown). Returns CMD_PARTIAL. */
int cmd_cannot_write(int code, struct err *err);

/*
 * The exit code of an error of the options: a file of the system that may not be read, or cannot be opened,
 * is no wrong usage.
 */
int cmd_refused(int ret);

/*
 * opt_parse(). rest->help: --help was asked for and its text has been written, or what is returned says why not;
 * nothing is left to do.
 */
int cmd_options(const struct opt_table *t, void *base, int argc, char **argv, struct opt_rest *rest,
		struct err *err);

/* Of a command that reads what -i names: 0 without an operand, else -EINVAL and how to name a file. */
int cmd_no_operand(const char *command, const struct opt_rest *rest, struct err *err);

/* Was the help that has been written one for a shell, to complete words? */
bool cmd_is_completing(void);

/* A line on options of perf that do nothing here, if any was given. */
void cmd_note_no_effect(const struct opt_rest *rest, struct buf *notes);

#endif
