// SPDX-License-Identifier: GPL-2.0
#include "util/file/losses_ahead.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/file/block.h"
#include "util/file/meta.h"

/* A recorder sees well within this time that a CPU has gone, or is back. */
#define NOTICED_NS 1000000000ull

static int read_blocks(struct recording *r, int fd)
{
	u64 at = FILE_HEADER_SIZE, next = at;
	struct meta m = {0};
	struct block k;
	int ret = 0;

	for (; !ret && block_read_header(fd, &next, &k); at = next)
		if (k.type == BLOCK_LOSS)
			ret = meta_read_at(&m, r, fd, at, &k);
	meta_free(&m);
	return ret;
}

static bool is_native(int fd)
{
	u8 head[FILE_HEADER_SIZE];
	struct file_header h;
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       io_pread(fd, head, sizeof(head), 0) == sizeof(head) &&
	       !block_get_file_header(head, &h);
}

static int by_begin(const void *a, const void *b)
{
	const struct loss *x = a, *y = b;

	return x->from > y->from ? 1 : x->from < y->from ? -1 : 0;
}

static int add(struct losses_ahead *l, const struct loss *loss, u64 from, u64 to)
{
	struct loss *new = vec_push(&l->losses);

	if (!new)
		return -ENOMEM;
	*new = *loss;
	new->from = from;
	new->to = to;
	return 0;
}

/* While it is away nothing happens there: what is not seen is its last moments, and its first ones. */
static int add_ends(struct losses_ahead *l, const struct loss *loss)
{
	int ret;

	if (loss->cause != LOSS_OFFLINE)
		return 0;
	if (loss->to < loss->from || loss->to - loss->from <= 2 * NOTICED_NS)
		return add(l, loss, loss->from, loss->to);
	ret = add(l, loss, loss->from, loss->from + NOTICED_NS);
	return ret ? ret : add(l, loss, loss->to - NOTICED_NS, loss->to);
}

static int add_whole(struct losses_ahead *l, const struct loss *loss)
{
	return add(l, loss, loss->from, loss->to);
}

static int read_losses(struct losses_ahead *l, const char *path,
		       int (*add_one)(struct losses_ahead *, const struct loss *), bool *known)
{
	int fd = io_open(AT_FDCWD, path, O_RDONLY | O_NONBLOCK), ret = 0;
	struct recording r = {0};
	u32 i;

	*l = (struct losses_ahead){0};
	*known = fd >= 0 && is_native(fd);
	if (fd < 0)
		return 0;
	if (*known)
		ret = read_blocks(&r, fd);
	for (i = 0; !ret && i < r.losses.nr; i++)
		ret = add_one(l, &r.losses.v[i]);
	if (l->losses.nr)
		qsort(l->losses.v, l->losses.nr, sizeof(*l->losses.v), by_begin);
	recording_free(&r);
	close(fd);
	return ret;
}

int losses_ahead_read(struct losses_ahead *l, const char *path)
{
	bool known;

	return read_losses(l, path, add_ends, &known);
}

int losses_ahead_read_all(struct losses_ahead *l, const char *path, bool *known)
{
	return read_losses(l, path, add_whole, known);
}

u64 losses_ahead_begun(struct losses_ahead *l, u64 time)
{
	u64 end = 0;

	for (; l->next < l->losses.nr && l->losses.v[l->next].from < time; l->next++)
		end = MAX(end, l->losses.v[l->next].to);
	return end;
}

void losses_ahead_free(struct losses_ahead *l)
{
	vec_free(&l->losses);
}
