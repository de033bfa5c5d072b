// SPDX-License-Identifier: GPL-2.0
#include "util/file/dso_head.h"

#define ID_MAX 20

void dso_head_put(struct buf *b, const struct dso_head *h)
{
	buf_le32(b, h->class);
	buf_le32(b, h->maj);
	buf_le32(b, h->min);
	buf_le64(b, h->ino);
	buf_le64(b, h->ino_generation);
	buf_lstr(b, h->name, h->name_len);
	buf_lstr(b, h->build_id, h->build_id_len);
}

bool dso_head_get(struct cur *c, struct dso_head *h)
{
	u32 class = cur_u32(c);

	h->class = (enum dso_class) class;
	h->maj = cur_u32(c);
	h->min = cur_u32(c);
	h->ino = cur_u64(c);
	h->ino_generation = cur_u64(c);
	h->name = cur_lstr(c, &h->name_len);
	h->build_id = cur_lstr(c, &h->build_id_len);
	c->bad |= class > DSO_CLASS_USER || h->build_id_len > ID_MAX;
	return !c->bad;
}
