// SPDX-License-Identifier: GPL-2.0
#include "util/kernel/bpf_programs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/base/num.h"

#define QUERY_MAX 64

/* Attrs are cleared first: the kernel takes none whose unused bytes are not zeros. */
static long bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	long ret = syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

static void find_name(struct bpf_program *p)
{
	struct bpf_prog_info info = {0};
	union bpf_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_id = p->id;
	fd = bpf(BPF_PROG_GET_FD_BY_ID, &attr);
	p->name[0] = '\0';
	if (fd < 0)
		return;
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (u32)fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (u64)(uintptr_t)&info;
	if (!bpf(BPF_OBJ_GET_INFO_BY_FD, &attr))
		snprintf(p->name, sizeof(p->name), "%s", info.name);
	close((int)fd);
}

/* What descriptor `fd` of a process holds; 1, 0: no program on a tracepoint, or -errno. */
static int query(u32 pid, u32 fd, struct bpf_holder *h)
{
	union bpf_attr attr;
	long ret;

	memset(&attr, 0, sizeof(attr));
	attr.task_fd_query.pid = pid;
	attr.task_fd_query.fd = fd;
	attr.task_fd_query.buf_len = sizeof(h->tracepoint);
	attr.task_fd_query.buf = (u64)(uintptr_t)h->tracepoint;
	ret = bpf(BPF_TASK_FD_QUERY, &attr);
	if (ret)
		return ret == -EPERM || ret == -ENOSYS ? (int)ret : 0;
	if (attr.task_fd_query.fd_type != BPF_FD_TYPE_TRACEPOINT)
		return 0;
	h->tracepoint[sizeof(h->tracepoint) - 1] = '\0';
	h->pid = pid;
	h->program.id = attr.task_fd_query.prog_id;
	find_name(&h->program);
	return 1;
}

static void find_comm(int proc, struct bpf_holder *h)
{
	struct buf b = {0};
	char path[40];

	snprintf(path, sizeof(path), "%u/comm", h->pid);
	if (!io_read_file(proc, path, &b, 64) && b.len)
		snprintf(h->comm, sizeof(h->comm), "%.*s", (int)b.len - 1, b.data);
	buf_free(&b);
}

/* An event's descriptor, or the link that holds one. */
static bool may_hold(int dir, const char *fd)
{
	char link[64];
	ssize_t n = readlinkat(dir, fd, link, sizeof(link) - 1);

	if (n < 0)
		return false;
	link[n] = '\0';
	return !strcmp(link, "anon_inode:[perf_event]") || !strcmp(link, "anon_inode:bpf_link");
}

static int look_at_process(int proc, u32 pid, struct bpf_holders *out, struct err *err)
{
	struct bpf_holder h, *new;
	char path[40];
	struct dirent *d;
	int ret = 0;
	u64 number;
	DIR *dir;

	snprintf(path, sizeof(path), "%u/fd", pid);
	if (io_opendir(proc, path, &dir))
		return 0;
	while (ret >= 0 && (d = readdir(dir))) {
		if (!num_u64(d->d_name, &number) || !may_hold(dirfd(dir), d->d_name))
			continue;
		h = (struct bpf_holder){0};
		ret = query(pid, (u32)number, &h);
		if (ret <= 0)
			continue;
		find_comm(proc, &h);
		new = vec_push(&out->v);
		if (!new) {
			closedir(dir);
			return err_nomem(err);
		}
		*new = h;
	}
	closedir(dir);
	if (ret == -EPERM)
		return err_set(err, EPERM,
			       "to ask for the BPF programs of others takes CAP_SYS_ADMIN");
	return ret < 0 ? err_set(err, -ret, "the kernel has no bpf(2)") : 0;
}

int bpf_programs_held(const struct sysroot *root, struct bpf_holders *out, struct err *err)
{
	struct dirent *d;
	DIR *dir;
	int ret = io_opendir(root->fd, "proc", &dir);
	u64 pid;

	if (ret)
		return err_set(err, -ret, "cannot read /proc: %s", strerror(-ret));
	while (!ret && (d = readdir(dir)))
		if (num_u64(d->d_name, &pid) && pid <= INT32_MAX)
			ret = look_at_process(dirfd(dir), (u32)pid, out, err);
	closedir(dir);
	return ret;
}

int bpf_programs_before(int perf_fd, struct bpf_program *v, u32 max)
{
	/* a struct perf_event_query_bpf: the room for ids, how many there are, the ids */
	u32 q[2 + QUERY_MAX] = {QUERY_MAX};
	u32 i, nr;

	if (ioctl(perf_fd, PERF_EVENT_IOC_QUERY_BPF, q))
		return -errno;
	nr = MIN(MIN(q[1], (u32)QUERY_MAX), max);
	for (i = 0; i < nr; i++) {
		v[i].id = q[2 + i];
		find_name(&v[i]);
	}
	return (int)nr;
}
