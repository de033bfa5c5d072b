// SPDX-License-Identifier: GPL-2.0
#include "util/kernel/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/glob.h"
#include "util/base/io.h"
#include "util/kernel/limits.h"

#define FORMAT_MAX (1u << 20) /* the largest known has 10 KiB */

static int no_permission(int code, struct err *err)
{
	err_set(err, code, "no permission to read the tracepoints in tracefs, which is for root");
	/* the mode is that of the folder; the files in it are readable for its group */
	err_hint(err, "run as root, or: sudo mount -o remount,mode=750,gid=%u /sys/kernel/tracing",
		 getegid());
	return -code;
}

/* ---- opening ---- */

/* On the real root the folder must be tracefs (before Linux 4.1: debugfs), not its empty place. */
static bool is_tracefs(int fd, bool real)
{
	struct statfs s;

	if (!real)
		return io_exists(fd, "events");
	return !fstatfs(fd, &s) && (s.f_type == TRACEFS_MAGIC || s.f_type == DEBUGFS_MAGIC);
}

/*
 * Is tracefs there? 0, -ENOENT, or what keeps us out. O_PATH: this works even if we are not allowed in. Events are opened, since
 * access() knows nothing of the capabilities that a program has by its file.
 */
static int open_mounted(const struct sysroot *root, const char *path, bool real, int *fd)
{
	int place = io_open(root->fd, path, O_PATH | O_DIRECTORY), events;
	bool found;

	if (place < 0)
		return place;
	found = is_tracefs(place, real);
	*fd = found ? io_open(place, ".", O_RDONLY | O_DIRECTORY) : -ENOENT;
	close(place);
	if (*fd < 0)
		return *fd;
	events = io_open(*fd, "events/.", O_RDONLY | O_DIRECTORY);
	if (events >= 0) {
		close(events);
		return 0;
	}
	close(*fd);
	return events == -EACCES ? -EACCES : -ENOENT;
}

/* A mount in no name space: only this descriptor leads to it. */
static int open_detached(void)
{
	int fs, fd = -1, code;

	fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	if (fs < 0)
		return -errno;
	if (!syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		fd = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	code = errno;
	close(fs);
	return fd < 0 ? -code : fd;
}

static int cannot_open(const struct sysroot *root, int code, struct err *err)
{
	struct limits l = {0};

	limits_read(root, &l, NULL);
	switch (code) {
	case EPERM:
	case EACCES:
		if (l.confidential && l.cap_sys_admin) {
			err_set(err, EPERM,
				"the kernel is locked down (confidentiality): tracefs is closed");
			err_hint(
				err,
				"it was locked when the kernel began: cat /proc/cmdline (lockdown=), Secure Boot");
			return -EPERM;
		}
		err_set(err, EPERM, "tracefs is not mounted, and %s",
			l.root ? "this root may not mount it" : "only root can open it");
		break;
	case ENODEV:
		err_set(err, ENODEV,
			"this kernel has no tracepoints: it is built without CONFIG_TRACING");
		return -ENODEV;
	case ENOSYS: /* before Linux 5.2, or a seccomp filter */
		err_set(err, ENOSYS, "tracefs is not mounted");
		break;
	default:
		err_set(err, code, "cannot open tracefs: %s", strerror(code));
	}
	if (geteuid())
		err_hint(err, "sudo mount -t tracefs -o mode=750,gid=%u nodev /sys/kernel/tracing",
			 getegid());
	else if (l.root && !l.cap_sys_admin)
		err_hint(
			err,
			"in a container, start it with -v /sys/kernel/tracing:/sys/kernel/tracing");
	else
		err_hint(err, "mount -t tracefs nodev /sys/kernel/tracing");
	return -code;
}

/*
 * Opening /sys/kernel/debug/tracing makes the kernel mount tracefs there, for everybody to see. So it is the last
 * resort: for a kernel that makes no detached mounts, or forbids them.
 */
int tracefs_open(const struct sysroot *root, struct tracefs *t, struct err *err)
{
	bool real = sysroot_is_real(root);
	int fd = -ENODEV, ret;

	*t = (struct tracefs){.fd = -1};
	ret = open_mounted(root, "sys/kernel/tracing", real, &t->fd);
	if (!ret)
		return 0;
	if (real && ret != -EACCES)
		fd = open_detached();
	if (fd >= 0) {
		t->fd = fd;
		t->detached = true;
		return 0;
	}
	if (!open_mounted(root, "sys/kernel/debug/tracing", real, &t->fd))
		return 0;
	t->fd = -1;
	/* an unreadable /sys/kernel/debug says nothing about what is in it */
	return ret == -EACCES ? no_permission(EACCES, err) : cannot_open(root, -fd, err);
}

void tracefs_close(struct tracefs *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

/* ---- one event ---- */

/* A name is one folder, whatever the user typed. */
static bool is_folder_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

static int event_path(char path[PATH_MAX], const char *system, const char *name, const char *file)
{
	int n;

	if (!is_folder_name(system) || !is_folder_name(name))
		return -ENOENT;
	n = snprintf(path, PATH_MAX, "events/%s/%s/%s", system, name, file);
	return n < PATH_MAX ? 0 : -ENOENT;
}

static int cannot_read(int code, const char *system, const char *name, struct err *err)
{
	switch (code) {
	case EACCES:
	case EPERM:
		return no_permission(code, err);
	case ENOENT:
	case ENODEV: /* removed while it was read */
	case ENOTDIR:
	case ENAMETOOLONG:
		return err_set(err, ENOENT, "there is no tracepoint %s:%s", system, name);
	default:
		return err_set(err, code, "cannot read the tracepoint %s:%s: %s", system, name,
			       strerror(code));
	}
}

int tracefs_id(const struct tracefs *t, const char *system, const char *name, u32 *id,
	       struct err *err)
{
	char path[PATH_MAX];
	s64 v = 0;
	int ret;

	ret = event_path(path, system, name, "id");
	if (!ret)
		ret = io_read_s64(t->fd, path, &v);
	if (!ret && (v < 0 || v > UINT32_MAX))
		ret = -EINVAL;
	if (ret)
		return cannot_read(-ret, system, name, err);
	*id = (u32)v;
	return 0;
}

int tracefs_format(const struct tracefs *t, const char *system, const char *name, struct buf *b,
		   struct err *err)
{
	char path[PATH_MAX];
	int ret;

	ret = event_path(path, system, name, "format");
	if (!ret)
		ret = io_read_file(t->fd, path, b, FORMAT_MAX);
	return ret ? cannot_read(-ret, system, name, err) : 0;
}

/* Source: Documentation/trace/kprobetrace.rst: a line is "p64:SYSTEM/NAME ...", whatever its letters and digits. */
static bool is_of_line(const char *line, const char *system, const char *name)
{
	const size_t system_len = strlen(system), name_len = strlen(name);
	const char *at = line + strcspn(line, ":\n");

	if (*at != ':' || strncmp(++at, system, system_len) != 0 || at[system_len] != '/')
		return false;
	at += system_len + 1;
	return !strncmp(at, name, name_len) && (!at[name_len] || strchr(" \t\n", at[name_len]));
}

int tracefs_is_dynamic(const struct tracefs *t, const char *system, const char *name,
		       struct err *err)
{
	static const char file[] = "dynamic_events", of_programs[] = "user_events";
	struct buf b = {0};
	const char *line;
	bool found;
	int ret;

	/* their lines have no system */
	if (!strncmp(system, of_programs, sizeof(of_programs) - 1))
		return 1;
	ret = io_read_file(t->fd, file, &b, FORMAT_MAX);
	found = !ret && is_of_line(buf_str(&b), system, name);
	for (line = buf_str(&b); !ret && !found && (line = strchr(line, '\n'));)
		found = is_of_line(++line, system, name);
	buf_free(&b);
	/* a kernel without them */
	if (!ret || ret == -ENOENT)
		return found;
	return err_set(err, -ret, "cannot read %s in tracefs: %s", file, strerror(-ret));
}

/* ---- many events ---- */

static int add_event(struct tracefs_events *found, const char *system, const char *name)
{
	struct tracefs_event *e = vec_push(&found->events);

	if (!e)
		return -ENOMEM;
	e->system = system;
	e->name = arena_strdup(&found->arena, name);
	return e->name ? 0 : -ENOMEM;
}

/* What cannot be looked at may be there. */
static bool has_id(const struct tracefs *t, const char *system, const char *name)
{
	char path[PATH_MAX];

	if (event_path(path, system, name, "id"))
		return false;
	return io_exists(t->fd, path) || (errno != ENOENT && errno != ENOTDIR);
}

/* The events of one system that match and have an id. */
static int glob_system(const struct tracefs *t, const char *system, const char *pattern,
		       struct tracefs_events *found)
{
	struct sysroot_names names = {0};
	char path[PATH_MAX];
	const char *kept;
	int ret = 0;
	u32 i;

	kept = arena_strdup(&found->arena, system);
	if (!kept)
		return -ENOMEM;
	if (!is_folder_name(system) ||
	    snprintf(path, sizeof(path), "events/%s", system) >= (int)sizeof(path))
		return 0;
	ret = sysroot_list(t->fd, path, &names);
	/* A file, or a system whose module has just gone. */
	if (ret == -ENOTDIR || ret == -ENOENT || ret == -ENAMETOOLONG)
		ret = 0;
	for (i = 0; !ret && i < names.names.nr; i++) {
		const char *name = names.names.v[i];

		if (glob_match(pattern, name) && has_id(t, system, name))
			ret = add_event(found, kept, name);
	}
	sysroot_names_free(&names);
	return ret;
}

int tracefs_glob(const struct tracefs *t, const char *system, const char *name,
		 struct tracefs_events *found, struct err *err)
{
	struct sysroot_names systems = {0};
	int ret = 0;
	u32 i;

	if (glob_is_pattern(system)) {
		ret = sysroot_list(t->fd, "events", &systems);
		for (i = 0; !ret && i < systems.names.nr; i++)
			if (glob_match(system, systems.names.v[i]))
				ret = glob_system(t, systems.names.v[i], name, found);
	} else {
		ret = glob_system(t, system, name, found);
	}
	sysroot_names_free(&systems);
	if (ret == -EACCES)
		return no_permission(EACCES, err);
	if (ret == -ENOMEM)
		return err_nomem(err);
	return ret ? err_set(err, -ret, "cannot list the tracepoints: %s", strerror(-ret)) : 0;
}

void tracefs_events_free(struct tracefs_events *events)
{
	vec_free(&events->events);
	arena_free(&events->arena);
}
