// SPDX-License-Identifier: GPL-2.0
#include "util/base/link_target.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As many links in a row as the kernel follows. */
#define LINKS_MAX 40

/* The name in a link, seen from where the link is; NULL: errno says why. */
static char *read_link(const char *path)
{
	const char *slash = strrchr(path, '/');
	char name[PATH_MAX], *file;
	ssize_t n = readlink(path, name, sizeof(name) - 1);

	if (n < 0)
		return NULL;
	name[n] = 0;
	if (name[0] == '/' || !slash)
		return strdup(name);
	return asprintf(&file, "%.*s%s", (int)(slash + 1 - path), path, name) < 0 ? NULL : file;
}

/* Nothing is there: of links, where would it be? */
static int missing_target(const char *path, char **file)
{
	char *at = strdup(path), *next;
	int links;

	for (links = 0; at && links < LINKS_MAX; links++) {
		next = read_link(at);
		if (!next && (errno == EINVAL || errno == ENOENT)) {
			*file = at;
			return 0;
		}
		free(at);
		at = next;
	}
	free(at);
	return at ? -ELOOP : -errno;
}

int link_target(const char *path, char **file)
{
	struct stat st;

	*file = NULL;
	/* the kernel decides whether the link may be followed */
	if (stat(path, &st))
		return errno == ENOENT ? missing_target(path, file) : -errno;
	if (lstat(path, &st))
		return -errno;
	*file = S_ISLNK(st.st_mode) ? realpath(path, NULL) : strdup(path);
	return *file ? 0 : -errno;
}
