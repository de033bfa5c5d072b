/* SPDX-License-Identifier: GPL-2.0 */
/*
 * can.h - what this process may do, for unit tests; to be included after cmocka.h.
 *
 *	NEEDS("own");		skips the test, with the reason, unless a process can record itself
 *	SKIP_SINCE("xz (not installed)");	skips it for a reason that tests/cli/zz-skips.t knows
 *
 * The answers are those of tests/prog/can.c, which runs before the tests.
 */
#ifndef TESTS_UNIT_CAN_H
#define TESTS_UNIT_CAN_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The reason is printed: tests/run notes it beside the name of the test. */
static inline bool can_or_why(const char *ability)
{
	const char *o = getenv("O");
	size_t len = strlen(ability);
	char path[4096], line[512];
	bool known = false, yes = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/can", o ? o : "build");
	f = fopen(path, "re");
	while (f && !known && fgets(line, sizeof(line), f))
		known = !strncmp(line, ability, len) && line[len] == ' ';
	if (f)
		fclose(f);
	if (known) {
		line[strcspn(line, "\n")] = '\0';
		yes = !strcmp(line + len, " yes");
	}
	if (!yes)
		print_message("# SKIP %s\n", known ? line + len + strlen(" no ") : path);
	return yes;
}

#define NEEDS(ability)                    \
	do {                              \
		if (!can_or_why(ability)) \
			skip();           \
	} while (0)

#define SKIP_SINCE(reason)                              \
	do {                                            \
		print_message("# SKIP %s\n", (reason)); \
		skip();                                 \
	} while (0)

#endif
