// SPDX-License-Identifier: GPL-2.0
/*
 * static.c - what a statically linked perf-lite does instead of loading libraries of the machine that it was copied
 * to. They want the C library that they were built for; with another one even a look at /etc/passwd may end the
 * process. The linker puts these functions in their places (make STATIC=1), or else leaves them out.
 */
#include <pwd.h>
#include <stdio.h>
#include <string.h>

void *__wrap_dlopen(const char *file, int flags);
struct passwd *__wrap_getpwnam(const char *name);

/* There is no libdebuginfod then. */
void *__wrap_dlopen(const char *file, int flags)
{
	(void)file;
	(void)flags;
	return NULL;
}

/* Users of /etc/passwd alone. */
struct passwd *__wrap_getpwnam(const char *name)
{
	FILE *f = fopen("/etc/passwd", "re");
	struct passwd *user;

	if (!f)
		return NULL;
	do
		user = fgetpwent(f);
	while (user && strcmp(user->pw_name, name) != 0);
	fclose(f);
	return user;
}
