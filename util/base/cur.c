// SPDX-License-Identifier: GPL-2.0
#include "util/base/cur.h"

const char *cur_str(struct cur *c, size_t *len)
{
	const u8 *nul = c->bad || !cur_left(c) ? NULL : memchr(c->p, 0, cur_left(c));
	const char *s = (const char *)c->p;

	if (!nul) {
		c->bad = true;
		if (len)
			*len = 0;
		return NULL;
	}
	if (len)
		*len = (size_t)(nul - c->p);
	c->p = nul + 1;
	return s;
}

const char *cur_lstr(struct cur *c, size_t *len)
{
	u32 n = cur_u32(c);
	const char *s = cur_bytes(c, n);

	*len = s ? n : 0;
	return s;
}

bool cur_line(struct cur *c, const char **line, size_t *len)
{
	const u8 *nl;

	if (c->bad || c->p == c->end)
		return false;
	nl = memchr(c->p, '\n', cur_left(c));
	*line = (const char *)c->p;
	*len = (size_t)((nl ? nl : c->end) - c->p);
	c->p = nl ? nl + 1 : c->end;
	return true;
}
