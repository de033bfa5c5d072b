// SPDX-License-Identifier: GPL-2.0
#include "util/kernel/sysroot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/io.h"

int sysroot_open(struct sysroot *root, const char *path, struct err *err)
{
	int fd = io_open(AT_FDCWD, path, O_PATH | O_DIRECTORY);

	if (fd < 0)
		return err_set(err, -fd, "cannot open %s: %s", path, strerror(-fd));
	root->fd = fd;
	return 0;
}

void sysroot_close(struct sysroot *root)
{
	if (root->fd >= 0)
		close(root->fd);
	root->fd = -1;
}

bool sysroot_is_real(const struct sysroot *root)
{
	struct stat here, real;

	return !fstat(root->fd, &here) && !stat("/", &real) && here.st_dev == real.st_dev &&
	       here.st_ino == real.st_ino;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int read_names(DIR *dir, struct sysroot_names *names)
{
	struct dirent *d;
	const char **slot;

	for (errno = 0; (d = readdir(dir)); errno = 0) {
		if (d->d_name[0] == '.')
			continue;
		slot = vec_push(&names->names);
		if (!slot)
			return -ENOMEM;
		*slot = arena_strdup(&names->arena, d->d_name);
		if (!*slot) {
			names->names.nr--;
			return -ENOMEM;
		}
	}
	return -errno;
}

int sysroot_list(int dirfd, const char *path, struct sysroot_names *names)
{
	u32 first = names->names.nr;
	DIR *dir;
	int ret = io_opendir(dirfd, path, &dir);

	if (ret)
		return ret;
	ret = read_names(dir, names);
	closedir(dir);
	if (names->names.nr > first)
		qsort(names->names.v + first, names->names.nr - first, sizeof(*names->names.v),
		      by_name);
	return ret;
}

void sysroot_names_free(struct sysroot_names *names)
{
	vec_free(&names->names);
	arena_free(&names->arena);
}
