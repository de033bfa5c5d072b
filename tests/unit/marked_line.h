/* SPDX-License-Identifier: GPL-2.0 */
/*
 * marked_line.h - where a program of tests/prog has a remark, so that tests hold no numbers of lines.
 */
#ifndef TESTS_UNIT_MARKED_LINE_H
#define TESTS_UNIT_MARKED_LINE_H

#include <fcntl.h>
#include <string.h>

#include "util/base/buf.h"
#include "util/base/cur.h"
#include "util/base/io.h"

/* The last line that has it; the test fails if none has. */
static inline u32 marked_line(const char *path, const char *mark)
{
	struct buf b = {0};
	struct cur c;
	const char *line;
	size_t len;
	u32 n = 0, found = 0;

	assert_int_equal(io_read_file(AT_FDCWD, path, &b, 1 << 20), 0);
	c = cur_init(b.data, b.len);
	while (cur_line(&c, &line, &len)) {
		n++;
		if (memmem(line, len, mark, strlen(mark)))
			found = n;
	}
	buf_free(&b);
	assert_true(found);
	return found;
}

#endif
