/* SPDX-License-Identifier: GPL-2.0 */
/*
 * terminal.h - what an output for people may use: pager, colour, progress line, width.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <sys/types.h>

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/types.h"

/*
 * Standard output through a pager, as git does it.
 *
 * Only where standard output is a terminal. The command is the first that is set of
 * $PERF_LITE_PAGER, $PAGER, "less"; "cat" or the empty string means no pager. LESS=FRX and LV=-c
 * are given where the user has not set them, so a text that fits the screen just stays there.
 *
 * While the command writes, ^C ends it and the pager with it; once all is written
 * (pager_finish()), the keys belong to the pager until the user leaves it. Leaving it early ends
 * the command by SIGPIPE.
 *
 * Zero-initialised: no pager.
 */
struct pager {
	pid_t pid;     /* of the pager, 0 if there is none */
	int stdout_fd; /* the terminal, while fd 1 leads into the pager */
};

/*
 * Call before anything is written. On failure standard output is untouched, so the caller may go
 * on without a pager. A missing "less" that nobody asked for is no failure.
 */
int pager_start(struct pager *p, struct err *err);

/* Hand over the rest, wait for the pager to end, and point standard output at the terminal again.
 */
void pager_finish(struct pager *p);

/*
 * Whether to colour text, and how: --color=auto|always|never.
 *
 * "auto" colours a terminal only, never where TERM is dumb or NO_COLOR is set to anything
 * (no-color.org). The sequences are the eight colours of ECMA-48 (SGR), which take the shade of
 * the user's theme, so they are readable on light and on dark.
 */

enum colour_when { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

enum colour { COLOUR_OFF, COLOUR_BOLD, COLOUR_DIM, COLOUR_RED, COLOUR_GREEN, COLOUR_YELLOW };

/* For OPT_CALL with an optional argument: `when` is an enum colour_when; no argument: always. */
int terminal_colour_option(void *when, const char *arg, struct err *err);

/* Decide once per output. */
bool terminal_has_colour(enum colour_when when, int fd);

/* The bytes that switch to `c`, or "" where colour is not wanted. COLOUR_OFF ends every other. */
const char *terminal_colour(bool wanted, enum colour c);

/*
 * One line on the terminal for work that takes longer than half a second.
 *
 * It is drawn on `fd` (standard error) only if that is a terminal, at most ten times a second, and
 * erased at the end, so it leaves nothing behind. progress_update() costs one clock read: call it
 * per block, not per record.
 */

struct progress {
	const char *what; /* "Reading perf.data"; the caller's. A foreign name: escape it first */
	int fd;
	bool on;    /* fd is a terminal */
	bool shown; /* a line is on it now */
	u64 next_ns;
};

void progress_start(struct progress *p, const char *what, int fd);
/* `done` of `total`; total 0: unknown, and `done` is a count of bytes. */
void progress_update(struct progress *p, u64 done, u64 total);
/* Erase the line. May be called at any time; the next update draws again. */
void progress_end(struct progress *p);

/* The widest lines that are printed anywhere. */
#define TERMINAL_WIDTH_MAX 100

/* The width for text on `fd`: its terminal's, at most TERMINAL_WIDTH_MAX; SIZE_MAX if it is no terminal. */
size_t terminal_width(int fd);
/* How many columns the terminal has that `fd` is, 80 if it does not say; 0: it is none. */
u32 terminal_columns(int fd);

/*
 * Append the words of `text`, broken at blanks into lines of `width`; the first begins at `column`, where the line is now,
 * further ones at `indent`. A single word may be wider. Ends with a newline.
 */
void terminal_wrap(struct buf *out, const char *text, size_t column, size_t indent, size_t width);

#endif
