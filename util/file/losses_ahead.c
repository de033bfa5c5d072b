// SPDX-License-Identifier: GPL-2.0
#include "util/file/losses_ahead.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/file/blocks.h"
#include "util/file/meta.h"
#include "util/file/source.h"

/* A recorder sees well within this time that a CPU has gone, or is back. */
#define NOTICED_NS 1000000000ull

static int read_blocks(struct recording *r, struct blocks *b)
{
	struct meta m = {0};
	struct blocks_item it;
	int ret = 0;

	while (ret != -ENOMEM && (ret = blocks_find(b, 1u << BLOCK_LOSS, &it)) > 0)
		if (it.payload)
			ret = meta_read(&m, r, &it.head, it.payload);
	meta_free(&m);
	return ret == -ENOMEM ? ret : 0;
}

/* 1: it is one, 0, -ENOMEM. A pipe is not waited for, and nothing of it is read. */
static int open_native(struct blocks *b, const char *path)
{
	struct stat st;
	struct err err;
	int ret;

	if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	ret = source_open_native(&b->in, path, "", &err);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = blocks_begin(b, &b->in, &err);
	if (ret)
		stream_close(&b->in);
	return !ret;
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
	struct recording r = {0};
	struct blocks b;
	int ret;
	u32 i;

	*l = (struct losses_ahead){0};
	ret = open_native(&b, path);
	*known = ret > 0;
	if (ret <= 0)
		return ret;
	ret = read_blocks(&r, &b);
	for (i = 0; !ret && i < r.losses.nr; i++)
		ret = add_one(l, &r.losses.v[i]);
	if (l->losses.nr)
		qsort(l->losses.v, l->losses.nr, sizeof(*l->losses.v), by_begin);
	recording_free(&r);
	stream_close(&b.in);
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
