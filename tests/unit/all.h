/* SPDX-License-Identifier: GPL-2.0 */
/*
 * all.h - the program that all unit tests are linked into. UNIT_TESTS(X) has X(test_NAME) for each, whose
 * main() has that name there; the last part of argv[0] says which one to run.
 */
#include <stdio.h>
#include <string.h>

#define DECLARE(name) int name(void);
#define ENTRY(name)   {#name, name},

UNIT_TESTS(DECLARE)

static const struct {
	const char *name;
	int (*run)(void);
} all[] = {UNIT_TESTS(ENTRY)};

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	size_t i;

	(void)argc;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(name, all[i].name))
			return all[i].run();
	fprintf(stderr, "%s: there is no such unit test\n", name);
	return 2;
}
