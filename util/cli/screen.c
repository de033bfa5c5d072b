// SPDX-License-Identifier: GPL-2.0
#include "util/cli/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define HOME         "\033[H"
#define ERASE_LINE   "\033[K" /* to its end */
#define ERASE_BELOW  "\033[J"
#define NO_WRAPPING  "\033[?7l"
#define WRAPPING     "\033[?7h"
#define DEFAULT_ROWS 24
#define DEFAULT_COLS 80

void screen_init(struct screen *s, int fd)
{
	const char *term = getenv("TERM");
	char path[32];

	*s = (struct screen){.fd = -1};
	if (!isatty(fd) || !term || !*term || !strcmp(term, "dumb"))
		return;
	/* the open file is shared with others, who expect it to block */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	s->fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	s->on = s->fd >= 0;
}

u32 screen_rows(const struct screen *s)
{
	struct winsize ws = {0};

	(void)ioctl(s->fd, TIOCGWINSZ, &ws);
	return ws.ws_row ? ws.ws_row : DEFAULT_ROWS;
}

static u32 count_lines(const struct buf *b)
{
	const char *at = buf_str(b), *end = at + b->len, *nl;
	u32 n = 0;

	for (; at < end; at = nl + 1, n++) {
		nl = memchr(at, '\n', (size_t)(end - at));
		if (!nl)
			return n + 1;
	}
	return n;
}

static void put_lines(struct buf *out, const struct buf *b, u32 max)
{
	const char *at = buf_str(b), *end = at + b->len, *nl;

	for (; at < end && max; at = nl + 1, max--) {
		nl = memchr(at, '\n', (size_t)(end - at));
		if (!nl)
			nl = end;
		buf_adds(out, ERASE_LINE);
		buf_add(out, at, (size_t)(nl - at));
		buf_addc(out, '\n');
	}
}

/* To where the last text begins. A terminal of another size has moved its lines: begin at its top. */
static void put_start(struct screen *s)
{
	struct winsize ws = {0};
	u32 rows, cols;

	(void)ioctl(s->fd, TIOCGWINSZ, &ws);
	rows = ws.ws_row ? ws.ws_row : DEFAULT_ROWS;
	cols = ws.ws_col ? ws.ws_col : DEFAULT_COLS;
	buf_reset(&s->bytes);
	s->written = 0;
	if (s->lines && (rows != s->rows || cols != s->cols))
		buf_adds(&s->bytes, HOME ERASE_BELOW);
	else if (s->lines)
		buf_addf(&s->bytes, "\r\033[%uA", s->lines);
	s->rows = rows;
	s->cols = cols;
}

/* As much of the bytes as the terminal takes. False: not all yet. */
static bool flush(struct screen *s)
{
	ssize_t n;

	while (s->written < s->bytes.len) {
		n = write(s->fd, s->bytes.data + s->written, s->bytes.len - s->written);
		if (n > 0)
			s->written += (size_t)n;
		else if (n < 0 && errno == EINTR)
			continue;
		else
			return false;
	}
	return true;
}

void screen_draw(struct screen *s, const struct buf *body, const struct buf *foot,
		 const char *advice)
{
	u32 below = count_lines(foot), lines = count_lines(body), room;

	if (!s->on || !flush(s))
		return;
	put_start(s);
	/* the cursor's line stays empty */
	room = s->rows > below + 1 ? s->rows - below - 1 : 1;
	buf_adds(&s->bytes, NO_WRAPPING);
	if (lines <= room) {
		put_lines(&s->bytes, body, lines);
	} else {
		put_lines(&s->bytes, body, room - 1);
		buf_addf(&s->bytes, ERASE_LINE "... %u more lines%s%s\n", lines - room + 1,
			 *advice ? ": " : "", advice);
		lines = room;
	}
	put_lines(&s->bytes, foot, below);
	buf_adds(&s->bytes, ERASE_BELOW WRAPPING);
	s->lines = lines + below;
	flush(s);
}

/* Until all is out, or the terminal is gone. */
static void flush_all(struct screen *s)
{
	struct pollfd p = {.fd = s->fd, .events = POLLOUT};

	while (!flush(s))
		if (poll(&p, 1, -1) < 0 ? errno != EINTR : p.revents != POLLOUT)
			return;
}

void screen_erase(struct screen *s)
{
	if (!s->on || !s->lines)
		return;
	flush_all(s);
	put_start(s);
	buf_adds(&s->bytes, ERASE_BELOW);
	flush_all(s);
	s->lines = 0;
}

void screen_end(struct screen *s)
{
	screen_erase(s);
	if (s->on)
		close(s->fd);
	s->on = false;
	buf_free(&s->bytes);
}
