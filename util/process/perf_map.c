// SPDX-License-Identifier: GPL-2.0
#include "util/process/perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/buf.h"
#include "util/base/cur.h"
#include "util/base/io.h"
#include "util/base/num.h"
#include "util/base/text.h"
#include "util/process/jit_limits.h"

#define STATUS_MAX (64 << 10)
#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)

/* The hexadecimal number before the next blank, with or without "0x". */
static bool take_hex(const char **s, size_t *len, u64 *v)
{
	const char *blank = memchr(*s, ' ', *len), *p = *s;
	size_t n = blank ? (size_t)(blank - p) : 0;

	*len -= blank ? n + 1 : 0;
	*s += blank ? n + 1 : 0;
	if (n > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		p += 2;
		n -= 2;
	}
	return num_hex(p, n, v);
}

int perf_map_parse(struct symtab *st, const char *text, size_t len, enum symtab_view view,
		   const char **limit, struct err *err)
{
	struct cur c = cur_init(text, len);
	u64 start, size;
	const char *s;
	size_t n;

	*limit = NULL;
	while (cur_line(&c, &s, &n)) {
		if (!take_hex(&s, &n, &start) || !take_hex(&s, &n, &size))
			continue;
		if (n > 0 && s[n - 1] == '\r')
			n--;
		if (n == 0 || memchr(s, '\0', n))
			continue;
		if (n > JIT_NAME_MAX)
			*limit = "names of more than 64 KiB are cut";
		n = text_cut(s, n, JIT_NAME_MAX);
		if (!symtab_add(st, start, start + MIN(size, UINT64_MAX - start), s, n, SYM_GLOBAL))
			return err_nomem(err);
		if (st->syms.nr == JIT_FUNCTIONS_MAX) {
			*limit = "only its first 1,048,576 functions are read";
			break;
		}
	}
	return symtab_finish(st, view == SYMTAB_PERF ? view : SYMTAB_NEWEST) ? err_nomem(err) : 0;
}

/* A user's word is taken for his own processes, root's and ours for all. */
static int check_file(int fd, const char *path, uid_t user, struct err *err)
{
	struct stat sb;

	if (fstat(fd, &sb) || !S_ISREG(sb.st_mode))
		return err_set(err, EINVAL, "%s: not a regular file", path);
	if (sb.st_uid != 0 && sb.st_uid != geteuid() && sb.st_uid != user)
		return err_set(err, EPERM, "%s: not read: it is neither yours nor root's", path);
	return 0;
}

static int cannot_open(const char *path, int code, struct err *err)
{
	if (code != ENOENT)
		return err_set(err, code, "%s: %s", path, strerror(code));
	err_set(err, code,
		"%s: there is none, so functions that were made at run time have no names", path);
	err_hint(err,
		 "have the runtime write it: node --perf-basic-prof, PYTHONPERFSUPPORT=1, ...");
	return -code;
}

/* Open a path of a process whose root is `root`, which no link on the way can leave. */
static int open_in_root(int root, const char *path, uid_t user, struct err *err)
{
	struct open_how how = {.flags = OPEN_FLAGS,
			       .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how)), ret;

	if (fd < 0)
		return cannot_open(path, errno, err);
	ret = check_file(fd, path, user, err);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

u32 perf_map_inner_pid(int proc, u32 pid)
{
	char path[32];
	struct buf status = {0};
	const char *p;
	u32 inner = pid;
	size_t len;

	snprintf(path, sizeof(path), "%u/status", pid);
	if (!io_read_file(proc, path, &status, STATUS_MAX)) {
		/* "NSpid:\t4711\t12": ours first, its own last */
		p = strstr(buf_str(&status), "\nNSpid:");
		len = p ? strcspn(p + 1, "\n") : 0;
		while (len && p[len] >= '0' && p[len] <= '9')
			len--;
		if (p && len)
			inner = (u32)strtoul(p + len + 1, NULL, 10);
	}
	buf_free(&status);
	return inner;
}

int perf_map_open_live(int proc, u32 pid, struct err *err)
{
	char path[64];
	struct stat sb;
	int root, fd;

	snprintf(path, sizeof(path), "%u", pid);
	if (fstatat(proc, path, &sb, 0))
		return err_set(err, ESRCH, "process %u has ended", pid);
	snprintf(path, sizeof(path), "%u/root", pid);
	root = io_open(proc, path, O_PATH | O_DIRECTORY);
	/* one that nobody has waited for yet has no root any more */
	if (root == -ENOENT)
		return err_set(err, ESRCH, "process %u has ended", pid);
	if (root < 0)
		return err_set(err, -root, "/proc/%s: %s", path, strerror(-root));
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", perf_map_inner_pid(proc, pid));
	fd = open_in_root(root, path, sb.st_uid, err);
	close(root);
	return fd;
}

int perf_map_open(const char *path, struct err *err)
{
	int fd = io_open(AT_FDCWD, path, OPEN_FLAGS), ret;

	if (fd < 0)
		return cannot_open(path, -fd, err);
	ret = check_file(fd, path, geteuid(), err);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

int perf_map_read(struct symtab *st, int fd, enum symtab_view view, u64 *size, const char **limit,
		  struct err *err)
{
	struct stat sb;
	size_t max = fstat(fd, &sb) ? 0 : (size_t)MIN((u64)sb.st_size, (u64)JIT_MAP_MAX);
	/* one byte more says that there is more */
	char *text = malloc(max + 1);
	ssize_t n = text ? io_pread(fd, text, max + 1, 0) : 0;
	size_t len = n > 0 ? MIN((size_t)n, max) : 0;
	const char *last = NULL;
	int ret;

	*size = len;
	*limit = NULL;
	if (!text) {
		ret = err_nomem(err);
	} else if (n < 0) {
		ret = err_set(err, (int)-n, "%s", strerror((int)-n));
	} else {
		if (view != SYMTAB_PERF)
			last = memrchr(text, '\n', len);
		ret = perf_map_parse(st, text, last ? (size_t)(last - text) + 1 : len, view, limit,
				     err);
		if (n > JIT_MAP_MAX)
			*limit = "only its first 64 MiB are read";
	}
	free(text);
	return ret;
}
