// SPDX-License-Identifier: GPL-2.0
#include "util/file/late_names.h"

#include <errno.h>
#include <stdlib.h>

#include "util/base/hash.h"
#include "util/base/io.h"
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
	u8 head[BLOCK_HEADER_SIZE];
	struct late_block *to;
	struct block k;

	while (io_pread(fd, head, sizeof(head), at) == sizeof(head) && block_get_header(head, &k)) {
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
		at += sizeof(head) + ALIGN_UP((u64)k.stored_size, 8u);
	}
	return true;
}

static int read_one(struct recording *r, struct meta *m, int fd, const struct late_block *b)
{
	u8 *payload = malloc(MAX(b->head.stored_size, 1u));
	int ret = 0;

	if (!payload)
		return -ENOMEM;
	if (io_pread(fd, payload, b->head.stored_size, b->at + BLOCK_HEADER_SIZE) ==
		    (ssize_t)b->head.stored_size &&
	    hash_bytes(payload, b->head.stored_size) == b->head.payload_hash)
		ret = meta_read(m, r, &b->head, payload);
	free(payload);
	return ret == -ENOMEM ? ret : 0;
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
		ret = read_one(r, &m, fd, &l.blocks.v[i]);
	meta_free(&m);
	vec_free(&l.blocks);
	return ret;
}
