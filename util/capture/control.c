// SPDX-License-Identifier: GPL-2.0
#include "util/capture/control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/base/num.h"
#include "util/base/text.h"

static int bad_text(const char *text, const char *why, struct err *err)
{
	err_set(err, EINVAL, "--control %s: %s", text, why);
	err_hint(err, "use --control fifo:CTL[,ACK] with two FIFOs, or --control "
		      "fd:CTL[,ACK] with two descriptors");
	return -EINVAL;
}

/* Its own writer too, so that it is never at its end while nobody else has it open. */
static int open_fifo(const char *path, struct err *err)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY), code = errno;
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISFIFO(st.st_mode))) {
		close(fd);
		fd = -1;
		code = 0;
	}
	if (fd >= 0)
		return fd;
	if (!code)
		err_set(err, EINVAL, "--control: %s is no FIFO", path);
	else
		err_set(err, code, "--control: cannot open %s: %s", path, strerror(code));
	if (!code || code == ENOENT)
		err_hint(err, "make one with: mkfifo %s", TEXT_SHELL(path));
	return -err->code;
}

/* A descriptor that was handed in; it must not block us, whoever shares it. *blocking: it, if it did. */
static int take_fd(const char *number, int *blocking, struct err *err)
{
	int flags;
	u64 fd;

	if (!num_u64(number, &fd) || fd > INT_MAX)
		return err_set(err, EINVAL, "--control: '%s' is no descriptor", number);
	flags = fcntl((int)fd, F_GETFL);
	if (flags < 0)
		return err_set(err, EBADF, "--control: descriptor %s is not open", number);
	if (fcntl((int)fd, F_SETFL, flags | O_NONBLOCK) || fcntl((int)fd, F_SETFD, FD_CLOEXEC))
		return err_set(err, errno, "--control: descriptor %s: %s", number, strerror(errno));
	if (!(flags & O_NONBLOCK))
		*blocking = (int)fd;
	return (int)fd;
}

/* A file is always ready, so nobody can wait for what comes: epoll_ctl(2) refuses it. */
static bool can_wait(int fd)
{
	struct epoll_event e = {.events = EPOLLIN};
	int ep = epoll_create1(EPOLL_CLOEXEC);
	bool can = ep < 0 || !epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e) || errno != EPERM;

	if (ep >= 0)
		close(ep);
	return can;
}

static int open_part(const struct control *c, const char *part, int *blocking, struct err *err)
{
	return c->own ? open_fifo(part, err) : take_fd(part, blocking, err);
}

int control_open(const char *text, struct control *c, struct err *err)
{
	const char *first, *comma;
	char part[PATH_MAX];
	struct err own;
	int fd;

	if (!err)
		err = &own;
	*c = (struct control){.ctl = -1, .ack = -1, .blocking = {-1, -1}};
	if (!strncmp(text, "fifo:", 5))
		c->own = true;
	else if (strncmp(text, "fd:", 3))
		return bad_text(text, "it begins with neither fifo: nor fd:", err);
	first = strchr(text, ':') + 1;
	comma = strchrnul(first, ',');
	if (comma == first)
		return bad_text(text, "nothing to read commands from", err);
	if ((size_t)(comma - first) >= sizeof(part))
		return bad_text(text, "the name is too long", err);
	memcpy(part, first, (size_t)(comma - first));
	part[comma - first] = '\0';
	fd = open_part(c, part, &c->blocking[0], err);
	if (fd < 0)
		return fd;
	c->ctl = fd;
	if (!can_wait(fd)) {
		control_close(c);
		err_set(err, EINVAL,
			"--control: descriptor %s is a file or a device: commands come through a pipe",
			part);
		err_hint(err, "mkfifo ctl, then --control fifo:ctl");
		return -EINVAL;
	}
	if (!comma[0] || !comma[1])
		return 0;
	fd = open_part(c, comma + 1, &c->blocking[1], err);
	if (fd < 0)
		control_close(c);
	else
		c->ack = fd;
	return MIN(fd, 0);
}

int control_fd(const struct control *c)
{
	return c->ctl;
}

static void end_ctl(struct control *c)
{
	if (c->own && c->ctl >= 0)
		close(c->ctl);
	c->ctl = -1;
}

/* As it was, for whoever shares it. */
static void give_back(int *fd)
{
	int flags = fcntl(*fd, F_GETFL);

	if (flags >= 0)
		fcntl(*fd, F_SETFL, flags & ~O_NONBLOCK);
	*fd = -1;
}

void control_close(struct control *c)
{
	u32 i;

	end_ctl(c);
	if (c->own && c->ack >= 0)
		close(c->ack);
	c->ack = -1;
	for (i = 0; i < ARRAY_SIZE(c->blocking); i++)
		give_back(&c->blocking[i]);
}

/* The word at the start of a line, "" behind it or what follows the blanks; NULL: not that word. */
static char *behind(char *line, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(line, word, n) || (line[n] && line[n] != ' '))
		return NULL;
	line += n;
	return line + strspn(line, " ");
}

static bool parse_evlist(const char *options, struct control_command *out)
{
	for (; *options; options += strspn(options, " ")) {
		if (strncmp(options, "-v", 2) && strncmp(options, "-g", 2) &&
		    strncmp(options, "-F", 2))
			return false;
		out->verbose |= options[1] == 'v';
		out->frequency |= options[1] == 'F';
		options += 2;
		if (*options && *options != ' ')
			return false;
	}
	return true;
}

static void parse_line(char *line, struct control_command *out)
{
	static const struct {
		const char *word;
		enum control_kind kind;
	} words[] = {
		{"stop", CONTROL_STOP}, {"ping", CONTROL_PING}, {"snapshot", CONTROL_SNAPSHOT}};
	size_t i, len = strlen(line);
	char *rest;

	while (len && (line[len - 1] == ' ' || line[len - 1] == '\r'))
		line[--len] = '\0';
	*out = (struct control_command){.kind = CONTROL_UNKNOWN, .text = line};
	if ((rest = behind(line, "enable"))) {
		out->kind = CONTROL_ENABLE;
		out->text = rest;
	} else if ((rest = behind(line, "disable"))) {
		out->kind = CONTROL_DISABLE;
		out->text = rest;
	} else if ((rest = behind(line, "evlist")) && parse_evlist(rest, out)) {
		out->kind = CONTROL_EVLIST;
	}
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(line, words[i].word))
			out->kind = words[i].kind;
}

/* The next whole line, without what ends it; NULL if there is none yet. */
static char *next_line(struct control *c)
{
	char *line = c->in + c->taken, *end = c->in + c->len, *p;

	for (p = line; p < end && *p && *p != '\n'; p++)
		;
	if (p == end)
		return NULL;
	*p = '\0';
	c->taken = (u32)(p + 1 - c->in);
	return line;
}

/* What does not fit into `in` is no command: all of it is skipped, and its beginning reported. */
static bool next_command(struct control *c, struct control_command *out)
{
	char *line;

	while ((line = next_line(c))) {
		if (c->skipping) {
			c->skipping = false;
			continue;
		}
		if (!*line)
			continue;
		parse_line(line, out);
		return true;
	}
	memmove(c->in, c->in + c->taken, c->len - c->taken);
	c->len -= c->taken;
	c->taken = 0;
	if (c->len < sizeof(c->in) - 1)
		return false;
	c->in[MIN(c->len, 60u)] = '\0';
	c->taken = c->len;
	*out = (struct control_command){.kind = CONTROL_UNKNOWN, .text = c->in};
	if (c->skipping)
		return false;
	c->skipping = true;
	return true;
}

int control_next(struct control *c, struct control_command *out)
{
	ssize_t n;

	for (;;) {
		if (next_command(c, out))
			return 1;
		if (c->ctl < 0)
			return 0;
		/* one byte stays free: the last line may have no end */
		if (c->taken == c->len)
			c->taken = c->len = 0;
		n = read(c->ctl, c->in + c->len, sizeof(c->in) - 1 - c->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n > 0) {
			c->len += (u32)n;
			continue;
		}
		end_ctl(c);
		if (c->len > c->taken && !c->skipping)
			c->in[c->len++] = '\n';
	}
}

void control_ack(struct control *c)
{
	if (c->ack >= 0)
		io_write_quietly(c->ack, "ack\n", 4);
}
