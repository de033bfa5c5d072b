/* SPDX-License-Identifier: GPL-2.0 */
/*
 * err_place.h - errors that point at a place in a text that was typed.
 *
 *	event syntax error: 'cs,nosuch'
 *	                        \___ unknown event 'nosuch'
 *
 * Of a long text the part around the place is shown; bytes that take no column, or more than one,
 * are shown as '?'.
 */
#ifndef BASE_ERR_PLACE_H
#define BASE_ERR_PLACE_H

#include <stdarg.h>

#include "util/base/err.h"

/*
 * Set -EINVAL: `head` ("event syntax error: "), the NUL-terminated text in quotes, and below it an
 * arrow from `at`, which is in the text or at its end. Returns -EINVAL.
 */
int err_place(struct err *e, const char *head, const char *text, const char *at, const char *fmt,
	      va_list ap) PRINTF_LIKE(5, 0);

#endif
