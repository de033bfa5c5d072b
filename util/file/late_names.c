// SPDX-License-Identifier: GPL-2.0
#include "util/file/late_names.h"

#include <errno.h>

int late_names_read(struct meta *m, struct recording *r, const struct blocks *of, u64 from)
{
	const u32 names = 1u << BLOCK_DSO | 1u << BLOCK_SYMS | 1u << BLOCK_FRAMES;
	struct blocks b = blocks_fork(of, from);
	struct blocks_item it;
	int ret;

	while ((ret = blocks_find(&b, 0, &it)) > 0)
		if (it.head.type == BLOCK_DATA)
			from = it.at + it.bytes;
	stream_seek(&b.in, from);
	while (!ret && (ret = blocks_find(&b, names, &it)) > 0)
		ret = it.payload ? meta_read_ahead(m, r, &it.head, it.payload) : 0;
	stream_free(&b.in);
	return ret == -ENOMEM ? ret : 0;
}
