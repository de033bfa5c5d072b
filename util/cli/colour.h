/* SPDX-License-Identifier: GPL-2.0 */
/*
 * colour.h - whether to colour text, and how: --color=auto|always|never.
 *
 * "auto" colours a terminal only, never where TERM is dumb or NO_COLOR is set to anything
 * (no-color.org). The sequences are the eight colours of ECMA-48 (SGR), which take the shade of
 * the user's theme, so they are readable on light and on dark.
 */
#ifndef CLI_COLOUR_H
#define CLI_COLOUR_H

#include "util/base/err.h"

enum colour_when { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

enum colour { COLOUR_OFF, COLOUR_BOLD, COLOUR_DIM, COLOUR_RED, COLOUR_GREEN, COLOUR_YELLOW };

/* For OPT_CALL with an optional argument: `when` is an enum colour_when; no argument: always. */
int colour_option(void *when, const char *arg, struct err *err);

/* Decide once per output. */
bool colour_wanted(enum colour_when when, int fd);

/* The bytes that switch to `c`, or "" where colour is not wanted. COLOUR_OFF ends every other. */
const char *colour_code(bool wanted, enum colour c);

#endif
