// SPDX-License-Identifier: GPL-2.0
#include "util/kernel/cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/base/buf.h"
#include "util/base/cur.h"
#include "util/base/io.h"

/* Deeper than any manager of services or containers nests them. */
#define DEPTH_MAX 64

/* The folder below the root, "sys/fs/cgroup"; false: none is mounted. *perf_event: it is of version 1, with this controller. */
static bool cgroups_mount(const struct sysroot *root, char *path, size_t size, bool *perf_event)
{
	char where[512], kind[64], options[512], copy[1200];
	bool found = false;
	struct buf text = {0};
	const char *line;
	struct cur c;
	size_t len;

	*perf_event = false;
	if (!io_read_file(root->fd, "proc/self/mounts", &text, 4 << 20)) {
		c = cur_init(text.data, text.len);
		while (!*perf_event && cur_line(&c, &line, &len)) {
			len = MIN(len, sizeof(copy) - 1);
			memcpy(copy, line, len);
			copy[len] = '\0';
			if (sscanf(copy, "%*s %511s %63s %511s", where, kind, options) != 3)
				continue;
			*perf_event = !strcmp(kind, "cgroup") && strstr(options, "perf_event");
			if (!*perf_event && (found || strcmp(kind, "cgroup2") != 0))
				continue;
			snprintf(path, size, "%s", where + 1);
			found = true;
		}
	}
	buf_free(&text);
	return found;
}

bool cgroups_are_unified(const struct sysroot *root)
{
	char mount[512];
	bool perf_event;

	cgroups_mount(root, mount, sizeof(mount), &perf_event);
	return !perf_event;
}

int cgroups_open(const struct sysroot *root, const char *name, struct err *err)
{
	char mount[512], path[1200];
	bool perf_event;
	int fd;

	if (!cgroups_mount(root, mount, sizeof(mount), &perf_event)) {
		err_set(err, ENOENT, "no cgroup hierarchy that perf events know is mounted");
		err_hint(err, "sudo mount -t cgroup2 none /sys/fs/cgroup/unified");
		return -ENOENT;
	}
	snprintf(path, sizeof(path), "%s/%s", mount, name + strspn(name, "/"));
	fd = io_open(root->fd, path, O_RDONLY | O_DIRECTORY);
	if (fd < 0) {
		err_set(err, -fd, "cannot open the cgroup %s: %s", name, strerror(-fd));
		err_hint(err, "cgroups are named below /%s", mount);
	}
	return fd;
}

struct walk {
	void (*each)(void *arg, u64 id, const char *path);
	void *arg;
	char path[CGROUPS_PATH_MAX]; /* of the group, "" for the one above all */
};

/* A kernfs file handle is the id alone. */
static bool id_of(int dir, u64 *id)
{
	union {
		struct file_handle h;
		char room[sizeof(struct file_handle) + sizeof(*id)];
	} u = {.h.handle_bytes = sizeof(*id)};
	int mount;

	if (name_to_handle_at(dir, "", &u.h, &mount, AT_EMPTY_PATH) ||
	    u.h.handle_bytes != sizeof(*id))
		return false;
	memcpy(id, u.h.f_handle, sizeof(*id));
	return true;
}

/* Takes over the descriptor. */
static void walk(struct walk *w, int fd, u32 depth)
{
	size_t at = strlen(w->path);
	DIR *dir = fdopendir(fd);
	struct dirent *d;
	int below;
	u64 id;

	if (!dir) {
		close(fd);
		return;
	}
	if (id_of(fd, &id))
		w->each(w->arg, id, at ? w->path : "/");
	while (depth < DEPTH_MAX && (d = readdir(dir))) {
		if (d->d_type != DT_DIR || d->d_name[0] == '.' ||
		    at + strlen(d->d_name) + 2 > sizeof(w->path))
			continue;
		below = io_open(fd, d->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
		if (below < 0)
			continue;
		snprintf(w->path + at, sizeof(w->path) - at, "/%s", d->d_name);
		walk(w, below, depth + 1);
		w->path[at] = '\0';
	}
	closedir(dir);
}

void cgroups_each(const struct sysroot *root, void (*each)(void *arg, u64 id, const char *path),
		  void *arg)
{
	struct walk w = {.each = each, .arg = arg};
	char mount[512];
	bool perf_event;
	int fd;

	if (!cgroups_mount(root, mount, sizeof(mount), &perf_event))
		return;
	fd = io_open(root->fd, mount, O_RDONLY | O_DIRECTORY);
	if (fd >= 0)
		walk(&w, fd, 0);
}
