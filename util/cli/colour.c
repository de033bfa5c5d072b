// SPDX-License-Identifier: GPL-2.0
#include "util/cli/colour.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int colour_option(void *when, const char *arg, struct err *err)
{
	static const char *const names[] = {
		[COLOUR_AUTO] = "auto", [COLOUR_ALWAYS] = "always", [COLOUR_NEVER] = "never"};
	unsigned int i;

	if (!arg)
		arg = names[COLOUR_ALWAYS];
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(arg, names[i])) {
			*(enum colour_when *)when = i;
			return 0;
		}
	}
	return err_set(err, EINVAL, "--color takes auto, always or never, not '%s'", arg);
}

bool colour_wanted(enum colour_when when, int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != COLOUR_AUTO)
		return when == COLOUR_ALWAYS;
	if ((no && *no) || !term || !*term || !strcmp(term, "dumb"))
		return false;
	return isatty(fd);
}

const char *colour_code(bool wanted, enum colour c)
{
	static const char *const codes[] = {
		[COLOUR_OFF] = "\033[m",     [COLOUR_BOLD] = "\033[1m",
		[COLOUR_DIM] = "\033[2m",    [COLOUR_RED] = "\033[31m",
		[COLOUR_GREEN] = "\033[32m", [COLOUR_YELLOW] = "\033[33m",
	};

	return wanted ? codes[c] : "";
}
