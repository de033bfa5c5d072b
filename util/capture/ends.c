// SPDX-License-Identifier: GPL-2.0
#include "util/capture/ends.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "util/event/ev_open.h"

static int keep_counter(struct ends *e, int fd, struct err *err)
{
	int *slot;

	if (fd < 0)
		return err_set(err, -fd, "cannot watch for the end of threads: %s", strerror(-fd));
	slot = vec_push(&e->counters);
	if (slot) {
		*slot = fd;
		return 0;
	}
	close(fd);
	return err_nomem(err);
}

static int open_ring(struct ends *e, u32 cpu, struct err *err)
{
	const struct perf_event_attr like = {0};
	const int fd = ev_open_owner(&like, 1, cpu);
	int ret = keep_counter(e, fd, err);

	return ret ? ret : ring_open(&e->ring, fd, 1, false, err);
}

int ends_open(struct ends *e, int proc, const struct targets_wanted *w, u32 cpu, struct buf *notes,
	      struct err *err)
{
	struct targets of = {0};
	int ret = open_ring(e, cpu, err), fd;
	u32 i = 0;

	if (!ret)
		ret = targets_find(proc, w, &of, notes, err);
	while (!ret && i < of.nr) {
		for (; i < of.nr && !ret; i++) {
			fd = ev_open_end(of.v[i], cpu, e->counters.v[0]);
			/* it has ended */
			if (fd != -ESRCH)
				ret = keep_counter(e, fd, err);
		}
		/* threads that began before these had their counters */
		if (!ret)
			ret = targets_new(proc, &of, err);
	}
	targets_free(&of);
	return ret;
}

void ends_close(struct ends *e)
{
	u32 i;

	ring_close(&e->ring);
	for (i = 0; i < e->counters.nr; i++)
		close(e->counters.v[i]);
	vec_free(&e->counters);
}
