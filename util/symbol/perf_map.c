// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/buf.h"
#include "util/base/cur.h"
#include "util/base/io.h"
#include "util/base/num.h"

#define TEXT_MAX (1 << 30)

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
		   struct err *err)
{
	struct cur c = cur_init(text, len);
	u64 start, size;
	const char *s;
	size_t n;

	while (cur_line(&c, &s, &n)) {
		if (!take_hex(&s, &n, &start) || !take_hex(&s, &n, &size))
			continue;
		if (n > 0 && s[n - 1] == '\r')
			n--;
		if (n == 0 || memchr(s, '\0', n))
			continue;
		if (!symtab_add(st, start, start + MIN(size, UINT64_MAX - start), s, n, SYM_GLOBAL))
			return err_nomem(err);
	}
	return symtab_finish(st, view == SYMTAB_PERF ? view : SYMTAB_NEWEST) ? err_nomem(err) : 0;
}

int perf_map_load(struct symtab *st, const char *path, enum symtab_view view, struct err *err)
{
	struct buf text = {0};
	struct stat sb;
	int fd, ret = 0;

	fd = io_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return err_set(err, -fd, "%s: %s", path, strerror(-fd));
	if (fstat(fd, &sb) || !S_ISREG(sb.st_mode))
		ret = err_set(err, EINVAL, "%s: not a regular file", path);
	else if (sb.st_uid != 0 && sb.st_uid != geteuid())
		ret = err_set(err, EPERM, "%s: not read: it is neither yours nor root's", path);
	if (!ret) {
		ret = io_read_fd(fd, &text, TEXT_MAX);
		if (ret)
			err_set(err, -ret, "%s: %s", path, strerror(-ret));
		else
			ret = perf_map_parse(st, buf_str(&text), text.len, view, err);
	}
	close(fd);
	buf_free(&text);
	return ret;
}
