// SPDX-License-Identifier: GPL-2.0
#include "util/cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/io.h"

#define QUIET_NS   500000000
#define BETWEEN_NS 100000000

/* Begin of line, and erase to its end (ECMA-48 EL). */
#define ERASE "\r\033[K"

void progress_start(struct progress *p, const char *what, int fd)
{
	*p = (struct progress){.what = what, .fd = fd, .on = isatty(fd)};
	if (p->on)
		p->next_ns = clock_ns(CLOCK_MONOTONIC) + QUIET_NS;
}

void progress_update(struct progress *p, u64 done, u64 total)
{
	struct winsize ws = {0};
	char line[160], amount[32];
	int width = 80;
	u64 now;

	if (!p->on)
		return;
	now = clock_ns(CLOCK_MONOTONIC);
	if (now < p->next_ns)
		return;
	p->next_ns = now + BETWEEN_NS;
	if (total)
		snprintf(amount, sizeof(amount), "%u%%",
			 (unsigned int)((unsigned __int128)MIN(done, total) * 100 / total));
	else
		snprintf(amount, sizeof(amount), "%llu MiB", (unsigned long long)(done >> 20));
	if (!ioctl(p->fd, TIOCGWINSZ, &ws) && ws.ws_col)
		width = MIN((int)ws.ws_col, 120);
	/* The last column stays free: some terminals would move to the next line. */
	snprintf(line, sizeof(line), ERASE "%.*s  %s", MAX(width - (int)strlen(amount) - 3, 0),
		 p->what, amount);
	/* It is decoration: a terminal that is gone is no error. */
	(void)io_write(p->fd, line, strlen(line));
	p->shown = true;
}

void progress_end(struct progress *p)
{
	if (p->shown)
		(void)io_write(p->fd, ERASE, strlen(ERASE));
	p->shown = false;
}
