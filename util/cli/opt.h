/* SPDX-License-Identifier: GPL-2.0 */
/*
 * opt.h - command lines as people expect them from perf and git, described by a table.
 *
 * -a -g may be written -ag; -F99, -F 99, --freq=99 and --freq 99 are the same; --no-X takes back a
 * flag X; an unambiguous beginning of a long name is enough; "--" ends the options. An optional
 * argument (OPT_ARG_OPTIONAL) must be attached: -x, or --xx=,. Options may stand after operands
 * unless the table says that the first operand begins a command line (stop_at_operand).
 * The table and what it points at belong to the caller; argv strings are kept, not copied.
 */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include "util/base/buf.h"
#include "util/base/err.h"

enum opt_type {
	OPT_GROUP,    /* a heading in --help; help is its text */
	OPT_FLAG,     /* bool *value = true; --no-X: false */
	OPT_COUNT,    /* unsigned int *value += 1; --no-X: 0 */
	OPT_STRING,   /* const char **value */
	OPT_UINT,     /* u64 *value, decimal or 0x */
	OPT_SIZE,     /* u64 *value in bytes: 512K */
	OPT_DURATION, /* u64 *value in ns: 10s; 0 only with OPT_ZERO */
	OPT_CALL,     /* call(value, arg or NULL, err); arg is what the name in `arg` stands for */
	OPT_IGNORED, /* accepted for scripts written for perf, no effect; may have an arg. In --help if it has a help.
		      * value: NULL, or a struct buf that its name is added to */
	OPT_REFUSED, /* perf has it and we have not: not in --help; help is the hint of the error */
};

#define OPT_ARG_OPTIONAL 1u /* `arg` may be left out: a string becomes "", a number stays */
#define OPT_HIDDEN       2u /* works, not in --help */
#define OPT_ZERO         4u /* no time at all has a meaning */

struct opt {
	enum opt_type type;
	char letter;      /* 0 if there is none */
	const char *name; /* without "--"; NULL if there is none */
	const char *arg;  /* "FILE" as --help shows it; NULL: takes none */
	void *value;
	const char *help; /* one line */
	int (*call)(void *value, const char *arg, struct err *err);
	unsigned int flags;
};

struct opt_table {
	const char *command;  /* "record" */
	const char *summary;  /* one line: what it does */
	const char *usage[4]; /* "[options] [-- COMMAND [ARG...]]" each, NULL-ended */
	const struct opt *opts;
	u32 nr;
	const char *notes; /* printed after the options: examples, exit codes; may be NULL */
	bool stop_at_operand;
};

struct opt_rest {
	char **argv; /* the operands, in order (moved to the front of argv[1..]) */
	int argc;
	bool help; /* --help or -h was given: print opt_help() and stop */
};

/* Parse argv[1..argc). Unknown option: -EINVAL, with "did you mean --X?" as the hint. */
int opt_parse(const struct opt_table *t, int argc, char **argv, struct opt_rest *rest,
	      struct err *err);

/* The text of --help, at most 100 columns wide. */
void opt_help(const struct opt_table *t, struct buf *out);

/*
 * The options of --help for shells that complete them, each name a line: "--freq", "HZ", what it does, with tabs
 * between them. The second is empty where no value is taken, and in brackets where it must be attached. Where the
 * first operand begins a command line, "--" with COMMAND says so.
 */
void opt_completion(const struct opt_table *t, struct buf *out);

#endif
