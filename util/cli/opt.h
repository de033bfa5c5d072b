/* SPDX-License-Identifier: GPL-2.0 */
/*
 * opt.h - command lines as people expect them from perf and git, described by constant tables.
 *
 * -a -g may be written -ag; -F99, -F 99, --freq=99 and --freq 99 are the same; --no-X takes back a
 * flag X; an unambiguous beginning of a long name is enough; "--" ends the options. An optional
 * argument (OPT_ARG_OPTIONAL) must be attached: -x, or --xx=,. Options may come after operands
 * unless the table says that the first operand begins a command line (stop_at_operand).
 *
 * A table is an array of rows. They fill in a struct, which opt_parse() gets; OPT_STRUCT names its type:
 *
 *	#define OPT_STRUCT struct top
 *
 *	static const struct opt opts[] = {
 *		OPT_GROUP("What is sampled"),
 *		OPT_INCLUDE(sampling_rate_opts, w.what),
 *		OPT_FLAG(0, "idle", idle, "include idle CPUs"),
 *		OPT_CALL('d', "delay", "SEC", on_delay, "refresh the table every SEC seconds"),
 *		OPT_END,
 *	};
 *
 * Rows that several commands have are a table too, of a struct that theirs contain: OPT_ROWS() declares it,
 * OPT_INCLUDE() puts it into another. The compiler checks that members fit their rows.
 * Strings of argv are kept, not copied.
 */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include <stddef.h>

#include "util/base/buf.h"
#include "util/base/err.h"

enum opt_type {
	OPT_TYPE_END,
	OPT_TYPE_GROUP,
	OPT_TYPE_INCLUDE,
	OPT_TYPE_FLAG,
	OPT_TYPE_COUNT,
	OPT_TYPE_STRING,
	OPT_TYPE_UINT,
	OPT_TYPE_DURATION,
	OPT_TYPE_BITS,
	OPT_TYPE_CALL,
	OPT_TYPE_IGNORED,
	OPT_TYPE_NO_EFFECT,
	OPT_TYPE_REFUSED,
};

/* What may follow the text of a row. */
#define OPT_ARG_OPTIONAL 1u /* the argument may be left out: a string becomes "", a number stays */
#define OPT_HIDDEN       2u /* works, not in --help; the text may be NULL */
#define OPT_ZERO         4u /* a duration of 0 has a meaning */
#define OPT_POSITIVE \
	8u /* a number: 0 is refused, since what has no limit is asked for without the option */

struct opt {
	enum opt_type type;
	u32 offset;       /* of the value */
	const char *name; /* without "--"; NULL if there is none */
	const char *arg;  /* "FILE" as --help shows it; NULL: takes none */
	int (*call)(void *value, const char *arg, struct err *err);
	u64 bits;               /* of OPT_TYPE_BITS */
	const struct opt *rows; /* of OPT_TYPE_INCLUDE */
	const char *help;       /* one line */
	u8 flags;               /* right after help: the macros rely on it */
	char letter;            /* 0 if there is none */
};

#define OPT_OFFSET(member, member_type)                                                      \
	(offsetof(OPT_STRUCT, member) +                                                      \
	 0 * sizeof(struct {                                                                 \
		 char c;                                                                     \
		 _Static_assert(__builtin_types_compatible_p(                                \
					__typeof__(((OPT_STRUCT *)0)->member), member_type), \
				#member " is not what this option sets");                    \
	 }))

/* clang-format off */
#define OPT_ROW(opt_type, l, n, a, where, text, ...) \
	{.type = (opt_type), .letter = (l), .name = (n), .arg = (a), .offset = (where), .help = text, ##__VA_ARGS__}

/* A heading. */
#define OPT_GROUP(text) {.type = OPT_TYPE_GROUP, .help = text}
/* bool; --no-X: false */
#define OPT_FLAG(l, n, member, ...) \
	OPT_ROW(OPT_TYPE_FLAG, l, n, NULL, OPT_OFFSET(member, bool), __VA_ARGS__)
/* unsigned int, one more each time; --no-X: 0 */
#define OPT_COUNT(l, n, member, ...) \
	OPT_ROW(OPT_TYPE_COUNT, l, n, NULL, OPT_OFFSET(member, unsigned int), __VA_ARGS__)
/* const char * */
#define OPT_STRING(l, n, a, member, ...) \
	OPT_ROW(OPT_TYPE_STRING, l, n, a, OPT_OFFSET(member, const char *), __VA_ARGS__)
/* u64, decimal or 0x */
#define OPT_UINT(l, n, a, member, ...) \
	OPT_ROW(OPT_TYPE_UINT, l, n, a, OPT_OFFSET(member, u64), __VA_ARGS__)
/* u64, in ns: 10s */
#define OPT_DURATION(l, n, a, member, ...) \
	OPT_ROW(OPT_TYPE_DURATION, l, n, a, OPT_OFFSET(member, u64), __VA_ARGS__)
/* u64, to which these bits are added */
#define OPT_BITS(l, n, member, bits_, ...) \
	{.bits = (bits_), .type = OPT_TYPE_BITS, .letter = (l), .name = (n), .offset = OPT_OFFSET(member, u64), .help = __VA_ARGS__}
/* function(struct of the table, argument or NULL, err) */
#define OPT_CALL(l, n, a, function, ...) \
	{.call = (function), .type = OPT_TYPE_CALL, .letter = (l), .name = (n), .arg = (a), .help = __VA_ARGS__}
/* function(member, argument or NULL, err) */
#define OPT_CALL_ON(l, n, a, member, function, ...) \
	{.call = (function), .offset = offsetof(OPT_STRUCT, member), \
	 .type = OPT_TYPE_CALL, .letter = (l), .name = (n), .arg = (a), .help = __VA_ARGS__}
/* Accepted for scripts written for perf: what it asks for is so anyway. */
#define OPT_IGNORED(l, n, a, ...) OPT_ROW(OPT_TYPE_IGNORED, l, n, a, 0, NULL, ##__VA_ARGS__)
/* The same, but what it asks for is not so: opt_rest.no_effect names it. */
#define OPT_NO_EFFECT(l, n, a, ...) OPT_ROW(OPT_TYPE_NO_EFFECT, l, n, a, 0, NULL, ##__VA_ARGS__)
/* We have it not, but others have, as perf; hint: what to use instead */
#define OPT_REFUSED(l, n, hint) OPT_ROW(OPT_TYPE_REFUSED, l, n, NULL, 0, hint)
#define OPT_END {.type = OPT_TYPE_END}

/* Rows that fill in an `of` (struct sampling), to be defined by: const struct opt rows_[] = {...}; */
#define OPT_ROWS(rows_, of) \
	typedef of rows_##_struct; \
	extern const struct opt rows_[]
#define OPT_INCLUDE(rows_, member) \
	{.type = OPT_TYPE_INCLUDE, .offset = OPT_OFFSET(member, rows_##_struct), .rows = rows_}
/* clang-format on */

/* How deep tables may be included in tables. */
#define OPT_DEPTH 4

/* What a letter means elsewhere, as -c of strace: a hint where its value is refused. */
struct opt_mistaken {
	char letter; /* 0 ends the array */
	const char *hint;
};

struct opt_table {
	const char *command;  /* "record" */
	const char *summary;  /* one line: what it does */
	const char *usage[4]; /* "[options] [-- COMMAND [ARG...]]" each, NULL-ended */
	const struct opt *opts;
	const struct opt_mistaken *mistaken; /* may be NULL */
	const char *notes; /* printed after the options: examples, exit codes; may be NULL */
	bool stop_at_operand;
};

struct opt_rest {
	char **argv; /* the operands, in order (moved to the front of argv[1..]) */
	int argc;
	bool help;           /* --help or -h was given: print opt_help() and stop */
	char no_effect[256]; /* "--aio, --affinity", as they were typed */
};

/*
 * Parse argv[1..argc) into *base, the struct that the rows are of. Unknown option: -EINVAL, with "did you mean
 * --X?" as the hint.
 */
int opt_parse(const struct opt_table *t, void *base, int argc, char **argv, struct opt_rest *rest,
	      struct err *err);

/*
 * Set one option in *base, the struct that the rows are of, as a program does it: by its long name, "comms", with its
 * value, NULL: none. -EINVAL of one that is not there, or that has no such value.
 */
int opt_set(const struct opt *rows, void *base, const char *name, const char *value,
	    struct err *err);

enum opt_value {
	OPT_VALUE_NONE,
	OPT_VALUE_NEXT,     /* it may be the next word */
	OPT_VALUE_ATTACHED, /* it must be attached */
};
/* Where the value of the option is that was typed as this word ("-z", "-az", "--xx"). */
enum opt_value opt_value(const struct opt_table *t, const char *word);

/* The text of --help, at most 100 columns wide. */
void opt_help(const struct opt_table *t, struct buf *out);

/*
 * The options of --help for shells that complete them, each name a line: "--freq", "HZ", what it does, with tabs
 * between them. The second is empty where no value is taken, and in brackets where it must be attached. Where the
 * first operand begins a command line, "--" with COMMAND says so.
 */
void opt_completion(const struct opt_table *t, struct buf *out);

#endif
