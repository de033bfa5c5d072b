/* SPDX-License-Identifier: GPL-2.0 */
/*
 * err.h - errors as values.
 *
 * A function that can fail takes a `struct err *` as its last parameter and returns 0 or a
 * negative errno (or NULL). It fills in one message in the user's terms and, where there is one,
 * the hint: what to type to fix it. Nobody below main.c prints. A NULL err is allowed: the
 * return value is the same.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdarg.h>

#include "util/base/types.h"

struct err {
	int code;       /* positive errno of the failure, 0 while all is well */
	char msg[1024]; /* one sentence without "perf-lite:" and without newline at the end */
	char hint[512]; /* "" where there is nothing to suggest */
};

/* Set code and message (the last call wins) and clear the hint. Returns -code. */
int err_set(struct err *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Set the hint of an error that has been set. */
void err_hint(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* What was asked for cannot be: set both, which are texts, not formats. Returns -EINVAL. */
int err_refuse(struct err *e, const char *message, const char *hint);

/* Put "PREFIX: " before the message. */
void err_prefix(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* -ENOMEM with its usual message. */
int err_nomem(struct err *e);

/*
 * An error that points at a place in a text that the user typed.
 *
 *	event syntax error: 'cs,nosuch'
 *	                        \___ unknown event 'nosuch'
 *
 * Of a long text the part around the place is shown; bytes that take no column, or more than one,
 * are shown as '?'.
 *
 * Set -EINVAL: `head` ("event syntax error: "), the NUL-terminated text in quotes, and below it an
 * arrow from `at`, which is in the text or at its end. Returns -EINVAL.
 */
int err_place(struct err *e, const char *head, const char *text, const char *at, const char *fmt,
	      va_list ap) PRINTF_LIKE(5, 0);

#endif
