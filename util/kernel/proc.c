// SPDX-License-Identifier: GPL-2.0
#include "util/kernel/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/cur.h"
#include "util/base/io.h"
#include "util/base/num.h"

/* A process with more text than this in its maps file is cut there. */
#define MAPS_MAX (256u << 20)

static int by_value(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* The entries of a directory that are numbers. */
static int numbers(int dirfd, const char *path, struct proc_ids *ids, struct err *err)
{
	struct dirent *d;
	u32 *slot;
	DIR *dir;
	int ret = io_opendir(dirfd, path, &dir);
	u64 v;

	if (ret)
		return err_set(err, -ret, "cannot list /proc/%s: %s", path, strerror(-ret));
	while ((d = readdir(dir))) {
		if (!num_u64(d->d_name, &v) || v > INT32_MAX)
			continue;
		slot = vec_push(ids);
		if (!slot) {
			closedir(dir);
			return err_nomem(err);
		}
		*slot = (u32)v;
	}
	closedir(dir);
	if (ids->nr)
		qsort(ids->v, ids->nr, sizeof(*ids->v), by_value);
	return 0;
}

int proc_pids(int proc, struct proc_ids *ids, struct err *err)
{
	return numbers(proc, ".", ids, err);
}

int proc_tids(int proc, u32 pid, struct proc_ids *ids, struct err *err)
{
	char path[32];

	snprintf(path, sizeof(path), "%u/task", pid);
	return numbers(proc, path, ids, err);
}

struct status {
	u32 pid, ppid, user;
	bool has_pid, has_ppid, has_user;
};

/* Each line ends in a newline or the buffer's NUL, where strtoul stops. */
static void take_status(struct status *s, const char *line, size_t len)
{
	char *end;

	if (len > 5 && !memcmp(line, "Tgid:", 5)) {
		s->pid = (u32)strtoul(line + 5, NULL, 10);
		s->has_pid = true;
	} else if (len > 5 && !memcmp(line, "PPid:", 5)) {
		s->ppid = (u32)strtoul(line + 5, NULL, 10);
		s->has_ppid = true;
	} else if (len > 4 && !memcmp(line, "Uid:", 4)) {
		/* real, effective */
		strtoul(line + 4, &end, 10);
		s->user = (u32)strtoul(end, NULL, 10);
		s->has_user = true;
	}
}

static struct status read_status(int proc, u32 tid)
{
	struct status s = {0};
	struct buf b = {0};
	const char *line;
	char path[32];
	struct cur c;
	size_t len;

	snprintf(path, sizeof(path), "%u/status", tid);
	if (!io_read_file(proc, path, &b, 1 << 16)) {
		c = cur_init(b.data, b.len);
		while (cur_line(&c, &line, &len))
			take_status(&s, line, len);
	}
	buf_free(&b);
	return s;
}

bool proc_status(int proc, u32 tid, u32 *pid, u32 *ppid)
{
	struct status s = read_status(proc, tid);

	if (s.has_pid)
		*pid = s.pid;
	if (s.has_ppid)
		*ppid = s.ppid;
	return s.has_pid && s.has_ppid;
}

bool proc_user(int proc, u32 pid, u32 *user)
{
	struct status s = read_status(proc, pid);

	if (s.has_user)
		*user = s.user;
	return s.has_user;
}

bool proc_comm(int proc, u32 pid, u32 tid, char comm[static 64])
{
	struct buf b = {0};
	char path[48];
	size_t len;
	bool ok;

	snprintf(path, sizeof(path), "%u/task/%u/comm", pid, tid);
	ok = !io_read_file(proc, path, &b, 4096) && b.len;
	if (ok) {
		/* a name may hold newlines of its own: only the last one is the kernel's */
		len = MIN(b.len - (b.data[b.len - 1] == '\n'), (size_t)63);
		memcpy(comm, b.data, len);
		comm[len] = '\0';
	}
	buf_free(&b);
	return ok;
}

/* The hex or decimal number at the cursor, and the separator behind it. */
static u64 number(struct cur *c, unsigned int base, char separator)
{
	u64 v = 0;
	int digit;
	u8 ch;

	for (;;) {
		ch = cur_u8(c);
		digit = isdigit(ch) ? ch - '0' : isxdigit(ch) ? (ch | 32) - 'a' + 10 : -1;
		if (digit < 0 || digit >= (int)base)
			break;
		v = v * base + (u64)digit;
	}
	if (ch != separator)
		c->bad = true;
	return v;
}

/* "START-END rwxp PGOFF MAJ:MIN INODE      NAME" */
static bool parse_line(const char *line, size_t len, struct proc_mapping *m, char *name,
		       size_t name_size)
{
	struct cur c = cur_init(line, len);
	char perm[5];

	m->start = number(&c, 16, '-');
	m->end = number(&c, 16, ' ');
	cur_copy(&c, perm, sizeof(perm));
	m->pgoff = number(&c, 16, ' ');
	m->maj = (u32)number(&c, 16, ':');
	m->min = (u32)number(&c, 16, ' ');
	if (c.bad || perm[4] != ' ')
		return false;
	for (m->ino = 0; cur_left(&c) && isdigit(*c.p); c.p++)
		m->ino = m->ino * 10 + (u64)(*c.p - '0');
	while (cur_left(&c) && *c.p == ' ')
		c.p++;
	m->prot = (perm[0] == 'r' ? PROT_READ : 0) | (perm[1] == 'w' ? PROT_WRITE : 0) |
		  (perm[2] == 'x' ? PROT_EXEC : 0);
	m->flags = perm[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	len = MIN(cur_left(&c), name_size - 1);
	memcpy(name, c.p, len);
	name[len] = '\0';
	m->name = name;
	return true;
}

bool proc_maps(int proc, u32 pid, void (*each)(void *arg, const struct proc_mapping *m), void *arg)
{
	struct proc_mapping m;
	struct buf b = {0};
	const char *line;
	char path[32], name[4096 + 64];
	struct cur c;
	size_t len;
	bool ok;

	snprintf(path, sizeof(path), "%u/maps", pid);
	ok = !io_read_file(proc, path, &b, MAPS_MAX);
	if (ok) {
		c = cur_init(b.data, b.len);
		while (cur_line(&c, &line, &len))
			if (parse_line(line, len, &m, name, sizeof(name)))
				each(arg, &m);
	}
	buf_free(&b);
	return ok;
}
