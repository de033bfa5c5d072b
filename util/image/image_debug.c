// SPDX-License-Identifier: GPL-2.0
#include "util/image/image_debug.h"

#include <fcntl.h>
#include <string.h>

#include "util/base/buf.h"
#include "util/image/image_symbols.h"

bool image_debug_open(const struct image *img, const char *symfs, struct image *debug)
{
	struct buf b = {0};
	bool opened;
	u8 i;

	if (img->build_id_len < 2 || !image_symbols_stripped(img))
		return false;
	buf_addf(&b, "%s/usr/lib/debug/.build-id/%02x/", symfs ? symfs : "", img->build_id[0]);
	for (i = 1; i < img->build_id_len; i++)
		buf_addf(&b, "%02x", img->build_id[i]);
	buf_adds(&b, ".debug");
	opened = !b.failed && !image_open(debug, AT_FDCWD, b.data, NULL);
	buf_free(&b);
	if (!opened)
		return false;
	if (debug->build_id_len == img->build_id_len && !image_symbols_stripped(debug) &&
	    !memcmp(debug->build_id, img->build_id, img->build_id_len))
		return true;
	image_close(debug);
	return false;
}
