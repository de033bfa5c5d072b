// SPDX-License-Identifier: GPL-2.0
#include "util/kernel/limits.h"

#include <ctype.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/cur.h"
#include "util/base/io.h"
#include "util/base/num.h"

#ifndef CAP_PERFMON /* since Linux 5.8 */
#define CAP_PERFMON 38
#endif

/* A sysctl that may be missing (*v stays 0), or may not be readable (likewise). */
static s64 read_sysctl(const struct sysroot *root, const char *path)
{
	s64 v;

	return io_read_s64(root->fd, path, &v) ? 0 : v;
}

/* The value of "NAME:\tVALUE" if the line is that. */
static bool line_value(const char *line, size_t len, const char *name, const char **v, size_t *vlen)
{
	size_t n = strlen(name);

	if (len <= n || memcmp(line, name, n) || line[n] != ':')
		return false;
	for (n++; n < len && isspace((u8)line[n]); n++)
		;
	*v = line + n;
	*vlen = len - n;
	return true;
}

/* Its first check is that of the flags: a caller with rights gets EINVAL, whatever else it may do. */
static bool is_filtered(void)
{
	return syscall(SYS_perf_event_open, NULL, 0, -1, -1, ~0ul) < 0 && errno != EINVAL;
}

/* "none integrity [confidentiality]" */
static bool is_confidential(const struct sysroot *root)
{
	struct buf b = {0};
	bool is = !io_read_file(root->fd, "sys/kernel/security/lockdown", &b, 4096) &&
		  strstr(buf_str(&b), "[confidentiality]");

	buf_free(&b);
	return is;
}

bool limits_in_pid_namespace(const struct sysroot *root)
{
	struct stat st;

	/* the first of all has a fixed number */
	return !fstatat(root->fd, "proc/self/ns/pid", &st, 0) && st.st_ino != 0xeffffffcu;
}

static void parse_status(struct limits *l, const struct buf *status, bool real)
{
	struct cur c = cur_init(buf_str(status), status->len);
	const char *line, *v;
	size_t len, vlen;
	unsigned int uid;
	u64 caps = 0;

	while (cur_line(&c, &line, &len)) {
		if (line_value(line, len, "CapEff", &v, &vlen))
			num_hex(v, vlen, &caps);
		else if (line_value(line, len, "Seccomp", &v, &vlen) && vlen == 1)
			l->filtered = *v == '2' && real && is_filtered();
		else if (line_value(line, len, "Uid", &v, &vlen))
			l->root = vlen && sscanf(v, "%*u %u", &uid) == 1 && !uid;
	}
	l->cap_perfmon = caps >> CAP_PERFMON & 1;
	l->cap_sys_admin = caps >> CAP_SYS_ADMIN & 1;
	l->cap_ipc_lock = caps >> CAP_IPC_LOCK & 1;
}

/*
 * Capabilities that a user namespace gives do not count for events of the kernel: only the first of all
 * namespaces maps every user to itself.
 */
static void forget_powerless(const struct sysroot *root, struct limits *l)
{
	struct buf map = {0};
	unsigned int inner, outer, count;

	if (!io_read_file(root->fd, "proc/self/uid_map", &map, 1 << 16))
		l->user_namespace =
			sscanf(buf_str(&map), "%u %u %u", &inner, &outer, &count) != 3 || inner ||
			outer || count != UINT32_MAX;
	buf_free(&map);
	if (l->user_namespace)
		l->cap_perfmon = l->cap_sys_admin = l->cap_ipc_lock = false;
}

int limits_read(const struct sysroot *root, struct limits *l, struct err *err)
{
	struct buf status = {0};
	s64 paranoid;
	int ret;

	*l = (struct limits){0};
	ret = io_read_file(root->fd, "proc/self/status", &status, 1 << 20);
	if (!ret)
		parse_status(l, &status, sysroot_is_real(root));
	else
		err_set(err, -ret, "cannot read /proc/self/status: %s", strerror(-ret));
	buf_free(&status);
	if (ret == -ENOENT)
		err_hint(err, "mount -t proc nodev /proc");
	if (ret)
		return ret;
	forget_powerless(root, l);

	l->perf_events = !io_read_s64(root->fd, "proc/sys/kernel/perf_event_paranoid", &paranoid);
	if (l->perf_events) {
		l->paranoid = (int)paranoid;
		l->mlock_kb = (u64)read_sysctl(root, "proc/sys/kernel/perf_event_mlock_kb");
		l->max_sample_rate =
			(u64)read_sysctl(root, "proc/sys/kernel/perf_event_max_sample_rate");
		l->max_stack = (u64)read_sysctl(root, "proc/sys/kernel/perf_event_max_stack");
	}
	l->confidential = is_confidential(root);
	l->pid_namespace = limits_in_pid_namespace(root);
	l->kptr_restrict = (int)read_sysctl(root, "proc/sys/kernel/kptr_restrict");
	return 0;
}

void limits_hint(const struct limits *l, struct err *err, const char *capability,
		 const char *instead)
{
	if (l->user_namespace)
		err_hint(
			err,
			"the root of a user namespace is an ordinary user here: run it outside of the namespace");
	else if (l->root)
		err_hint(err,
			 "this root lacks CAP_%s: in a container, start it with --cap-add %s%s%s",
			 capability, capability, instead ? ", or on its host: " : "",
			 instead ? instead : "");
	else
		err_hint(err, "run it with sudo%s%s", instead ? ", or: " : "",
			 instead ? instead : "");
}

void limits_hint_at(const struct sysroot *root, struct err *err, const char *capability,
		    const char *instead)
{
	struct limits l = {0};

	limits_read(root, &l, NULL);
	limits_hint(&l, err, capability, instead);
}

u64 limits_memory_available(const struct sysroot *root)
{
	struct buf info = {0};
	const char *line, *v;
	size_t len, vlen;
	struct cur c;
	u64 kb = 0;

	if (!io_read_file(root->fd, "proc/meminfo", &info, 1 << 20)) {
		c = cur_init(buf_str(&info), info.len);
		while (!kb && cur_line(&c, &line, &len))
			if (line_value(line, len, "MemAvailable", &v, &vlen))
				kb = strtoull(v, NULL, 10);
	}
	buf_free(&info);
	return kb * 1024;
}

static u64 files_at_most(const struct sysroot *root)
{
	s64 most;

	return !io_read_s64(root->fd, "proc/sys/fs/nr_open", &most) && most > 0 ? (u64)most : 0;
}

bool limits_raise_files(const struct sysroot *root, u64 wanted)
{
	struct rlimit rl, more;
	u64 most;

	if (getrlimit(RLIMIT_NOFILE, &rl))
		return false;
	most = wanted > rl.rlim_max ? files_at_most(root) : 0;
	/* there may be no descriptor left to read that with */
	if (!most && wanted > rl.rlim_max)
		most = rl.rlim_max * 2;
	more = (struct rlimit){most, most};
	if (most > rl.rlim_max && !setrlimit(RLIMIT_NOFILE, &more))
		return true;
	more = (struct rlimit){rl.rlim_max, rl.rlim_max};
	return rl.rlim_cur < rl.rlim_max && !setrlimit(RLIMIT_NOFILE, &more);
}

void limits_hint_files(const struct sysroot *root, struct err *err, const char *verb)
{
	u64 most = files_at_most(root), wanted = 65536;
	struct rlimit rl;

	if (!getrlimit(RLIMIT_NOFILE, &rl))
		while (wanted <= rl.rlim_max && wanted < 1u << 30)
			wanted *= 2;
	if (most && wanted > most)
		err_hint(
			err,
			"raise the limit with: sudo sysctl fs.nr_open=%llu; ulimit -n %llu, or %s fewer events or threads",
			(unsigned long long)wanted, (unsigned long long)wanted, verb);
	else
		err_hint(err, "raise the limit with: ulimit -n %llu, or %s fewer events or threads",
			 (unsigned long long)wanted, verb);
}
