// SPDX-License-Identifier: GPL-2.0
#include "util/file/late_names.h"

#include <errno.h>

#include "util/base/vec.h"
#include "util/file/block.h"
#include "util/file/meta.h"

struct late_block {
	u64 at;
	struct block head;
};

struct late_blocks {
	VEC(struct late_block) blocks;
};

bool late_names_type(u16 type)
{
	return type == BLOCK_DSO || type == BLOCK_SYMS || type == BLOCK_FRAMES;
}

/* The blocks of names behind the last DATA, by their headers. False: memory is out. */
static bool find(struct late_blocks *l, int fd, u64 at)
{
	struct late_block *to;
	struct block k;
	u64 next = at;

	for (; block_read_header(fd, &next, &k); at = next) {
		if (k.type == BLOCK_END)
			break;
		if (k.type == BLOCK_DATA)
			l->blocks.nr = 0;
		if (late_names_type(k.type)) {
			to = vec_push(&l->blocks);
			if (!to)
				return false;
			*to = (struct late_block){at, k};
		}
	}
	return true;
}

int late_names_read(struct recording *r, int fd, u64 from, u64 *at)
{
	struct late_blocks l = {0};
	struct meta m = {0};
	int ret;
	u32 i;

	ret = find(&l, fd, from) ? 0 : -ENOMEM;
	*at = l.blocks.nr ? l.blocks.v[0].at : UINT64_MAX;
	for (i = 0; i < l.blocks.nr && !ret; i++)
		ret = meta_read_at(&m, r, fd, l.blocks.v[i].at, &l.blocks.v[i].head);
	meta_free(&m);
	vec_free(&l.blocks);
	return ret;
}
