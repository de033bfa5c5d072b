// SPDX-License-Identifier: GPL-2.0
#include "util/kernel/cpus.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/base/num.h"
#include "util/base/text.h"

#define ONLINE "sys/devices/system/cpu/online"

static int by_number(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* A number below CPUS_MAX; *p past it. */
static bool parse_number(const char **p, u32 *cpu)
{
	u32 n = 0;

	if (!isdigit((u8) * *p))
		return false;
	for (; isdigit((u8) * *p); (*p)++) {
		n = n * 10 + (u32)(**p - '0');
		if (n >= CPUS_MAX)
			return false;
	}
	*cpu = n;
	return true;
}

static void skip_blanks(const char **p)
{
	while (isspace((u8) * *p))
		(*p)++;
}

/* "3" or "0-3" */
static bool parse_range(const char **p, u32 *from, u32 *to)
{
	skip_blanks(p);
	if (!parse_number(p, from))
		return false;
	*to = *from;
	skip_blanks(p);
	if (**p == '-') {
		(*p)++;
		skip_blanks(p);
		if (!parse_number(p, to))
			return false;
		skip_blanks(p);
	}
	return *from <= *to;
}

static int bad_list(const char *text, const char *at, struct err *err)
{
	err_set(err, EINVAL, "'%s' is no list of CPUs: there is a mistake at '%s'", text, at);
	err_hint(err, "a list looks like this: 0-3,8");
	return -EINVAL;
}

/* Marks, not elements: "0-65535,0-65535,..." takes no more room than it should. */
static int parse_marks(const char *text, u8 *marks, struct err *err)
{
	const char *p = text, *at;
	u32 from, to;

	skip_blanks(&p);
	if (!*p)
		return 0;
	for (;;) {
		at = p;
		if (!parse_range(&p, &from, &to) || (*p && *p != ','))
			return bad_list(text, at, err);
		memset(marks + from, 1, to - from + 1);
		if (!*p)
			return 0;
		p++;
	}
}

int cpus_parse(const char *text, struct cpus *c, struct err *err)
{
	u8 *marks = calloc(1, CPUS_MAX);
	u32 i, *slot;
	int ret;

	if (!marks)
		return err_nomem(err);
	ret = parse_marks(text, marks, err);
	c->nr = 0;
	for (i = 0; !ret && i < CPUS_MAX; i++) {
		if (!marks[i])
			continue;
		slot = vec_push(c);
		if (slot)
			*slot = i;
		else
			ret = err_nomem(err);
	}
	free(marks);
	return ret;
}

bool cpus_has(const struct cpus *c, u32 cpu)
{
	return c->nr && bsearch(&cpu, c->v, c->nr, sizeof(*c->v), by_number);
}

static int choose_others(const struct cpus *but, const struct cpus *online, struct cpus *c,
			 struct err *err)
{
	u32 i, *slot;

	c->nr = 0;
	for (i = 0; i < online->nr; i++) {
		if (cpus_has(but, online->v[i]))
			continue;
		slot = vec_push(c);
		if (!slot)
			return err_nomem(err);
		*slot = online->v[i];
	}
	return 0;
}

int cpus_choose(const char *text, const struct cpus *online, struct cpus *c, struct err *err)
{
	bool others = *text == '!';
	struct cpus named = {0};
	int ret = cpus_parse(text + others, &named, err);
	u32 i;

	for (i = 0; i < named.nr && !ret; i++) {
		if (cpus_has(online, named.v[i]))
			continue;
		ret = err_set(err, ENODEV, "CPU %u is not online", named.v[i]);
		err_hint(err, "those online: cat /sys/devices/system/cpu/online");
	}
	if (ret || others) {
		if (!ret)
			ret = choose_others(&named, online, c, err);
		cpus_free(&named);
	} else {
		cpus_free(c);
		*c = named;
	}
	if (ret || c->nr)
		return ret;
	err_set(err, EINVAL, "-C names no CPU");
	err_hint(err, "give numbers and ranges, as in -C 0,2-4, or with '!' those to leave out");
	return -EINVAL;
}

int cpus_read(int dirfd, const char *path, struct cpus *c)
{
	struct buf b = {0};
	int ret;

	ret = io_read_file(dirfd, path, &b, 1 << 20);
	if (!ret)
		ret = cpus_parse(buf_str(&b), c, NULL);
	buf_free(&b);
	return ret;
}

static int read_known(const struct sysroot *root, const char *path, struct cpus *c, struct err *err)
{
	int ret = cpus_read(root->fd, path, c);

	if (!ret && !c->nr)
		ret = -ENODATA;
	if (ret)
		err_set(err, -ret, "cannot read /%s: %s", path, strerror(-ret));
	if (ret == -ENOENT)
		err_hint(err, "mount -t sysfs nodev /sys");
	return ret;
}

int cpus_online(const struct sysroot *root, struct cpus *c, struct err *err)
{
	return read_known(root, ONLINE, c, err);
}

int cpus_possible(const struct sysroot *root, struct cpus *c, struct err *err)
{
	return read_known(root, "sys/devices/system/cpu/possible", c, err);
}

int cpus_possible_nr(const struct sysroot *root, u32 *nr, struct err *err)
{
	struct cpus c = {0};
	int ret = cpus_possible(root, &c, err);

	*nr = c.nr;
	cpus_free(&c);
	return ret;
}

void cpus_free(struct cpus *c)
{
	vec_free(c);
}

int cpus_watch_open(struct cpus_watch *w, const struct sysroot *root, struct err *err)
{
	int ret;

	*w = (struct cpus_watch){.fd = io_open(root->fd, ONLINE, O_RDONLY)};
	ret = w->fd < 0 ? w->fd : cpus_watch_read(w);
	if (ret >= 0)
		return 0;
	cpus_watch_close(w);
	return err_set(err, -ret, "cannot read /" ONLINE ": %s", strerror(-ret));
}

int cpus_watch_read(struct cpus_watch *w)
{
	char text[sizeof(w->text)];
	struct cpus now = {0};
	ssize_t n = io_pread(w->fd, text, sizeof(text) - 1, 0);
	int ret;

	if (n < 0)
		return (int)n;
	if ((size_t)n == w->len && !memcmp(text, w->text, w->len) && w->online.nr)
		return 0;
	text[n] = '\0';
	ret = cpus_parse(text, &now, NULL);
	if (!ret && !now.nr)
		ret = -ENODATA;
	if (ret) {
		cpus_free(&now);
		return ret;
	}
	memcpy(w->text, text, (size_t)n);
	w->len = (size_t)n;
	cpus_free(&w->online);
	w->online = now;
	return 1;
}

void cpus_watch_close(struct cpus_watch *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
	cpus_free(&w->online);
}

int cpus_events_open(void)
{
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK, .nl_groups = 1};
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);
	int code;

	if (fd < 0)
		return -errno;
	if (!bind(fd, (struct sockaddr *)&kernel, sizeof(kernel)))
		return fd;
	code = errno;
	close(fd);
	return -code;
}

bool cpus_events_parse(const char *text, size_t len, u32 *cpu, bool *online)
{
	static const char path[] = "@/devices/system/cpu/cpu";
	char word[64];
	const char *at;
	u64 n;

	/* the first of several strings, each ended by a NUL */
	len = strnlen(text, len);
	if (len >= sizeof(word))
		return false;
	memcpy(word, text, len);
	word[len] = '\0';
	at = strchr(word, '@');
	if (!at || strncmp(at, path, sizeof(path) - 1) || !num_u64(at + sizeof(path) - 1, &n) ||
	    n > UINT16_MAX)
		return false;
	*online = !strncmp(word, "online@", 7);
	*cpu = (u32)n;
	return *online || !strncmp(word, "offline@", 8);
}

int cpus_events_next(int fd, u32 *cpu, bool *online)
{
	struct sockaddr_nl from = {0};
	char text[4096];
	socklen_t from_len;
	ssize_t n;

	for (;;) {
		from_len = sizeof(from);
		n = recvfrom(fd, text, sizeof(text), 0, (struct sockaddr *)&from, &from_len);
		/* ENOBUFS: some were missed, those behind them are still there */
		if (n < 0 && (errno == EINTR || errno == ENOBUFS))
			continue;
		if (n <= 0)
			return 0;
		/* anybody may send to the group; only the kernel is nobody */
		if (!from.nl_pid && cpus_events_parse(text, (size_t)n, cpu, online))
			return 1;
	}
}
