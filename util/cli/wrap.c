// SPDX-License-Identifier: GPL-2.0
#include "util/cli/wrap.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

size_t wrap_width(int fd)
{
	struct winsize ws = {0};

	if (!isatty(fd))
		return SIZE_MAX;
	return !ioctl(fd, TIOCGWINSZ, &ws) && ws.ws_col && ws.ws_col < WRAP_WIDTH ? ws.ws_col
										  : WRAP_WIDTH;
}

void wrap_put(struct buf *out, const char *text, size_t column, size_t indent, size_t width)
{
	bool first = true;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (!first && column + 1 + word > width) {
			buf_addc(out, '\n');
			buf_pad(out, ' ', indent);
			column = indent;
		} else if (!first) {
			buf_addc(out, ' ');
			column++;
		}
		buf_add(out, text, word);
		column += word;
		text += word;
		text += strspn(text, " ");
		first = false;
	}
	buf_addc(out, '\n');
}
