// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_folded.c - any bytes as folded stacks, and the picture of what was understood.
 *
 * The first byte says in pieces of what size the rest arrives; the pieces must make no difference.
 */
#include <stdlib.h>
#include <string.h>

#include "util/draw/flamegraph.h"
#include "util/draw/folded.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* Read it all, and append the picture; 0 or what folded_feed() returned. */
static int draw(const u8 *data, size_t size, size_t piece, struct folded *f, struct buf *out)
{
	struct flamegraph g = {.width = 400};
	struct frame_tree t = {0};
	size_t i;
	int ret = 0;

	folded_init(f, &t);
	for (i = 0; i < size && !ret; i += piece)
		ret = folded_feed(f, data + i, MIN(piece, size - i), NULL);
	if (!ret)
		ret = folded_end(f, NULL);
	if (!ret && f->stacks + f->bad > f->lines)
		abort();
	if (!ret)
		ret = frame_tree_finish(&t, NULL);
	if (!ret && t.nodes.nr && t.nodes.v[0].total != t.total)
		abort();
	if (!ret && flamegraph_draw(&g, &t, out, NULL))
		abort();
	folded_free(f);
	frame_tree_free(&t);
	return ret;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct buf whole = {0}, pieces = {0};
	struct folded f, g;
	int ret;

	if (!size)
		return 0;
	ret = draw(data + 1, size - 1, size, &f, &whole);
	if (draw(data + 1, size - 1, data[0] + 1u, &g, &pieces) != ret)
		abort();
	if (f.lines != g.lines || f.stacks != g.stacks || f.bad != g.bad ||
	    f.bad_line != g.bad_line || whole.len != pieces.len ||
	    (whole.len && memcmp(whole.data, pieces.data, whole.len)))
		abort();
	buf_free(&whole);
	buf_free(&pieces);
	return 0;
}
