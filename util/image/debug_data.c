// SPDX-License-Identifier: GPL-2.0
#include "util/image/debug_data.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

#include "util/base/unpack_limit.h"

/* The largest that distributions ship are of 20 MB. */
#define UNPACKED_MAX (256u << 20)
#define MEMORY_MAX   (256u << 20)

static int unpack(const u8 *packed, size_t len, u8 **bytes, size_t *size, struct err *err)
{
	lzma_stream xz = LZMA_STREAM_INIT;
	lzma_ret ret = lzma_stream_decoder(&xz, MEMORY_MAX, LZMA_CONCATENATED);
	const u64 limit = MIN(unpack_limit(len), (u64)UNPACKED_MAX);
	size_t room = MAX(len, (size_t)4096);
	u8 *grown;

	xz.next_in = packed;
	xz.avail_in = len;
	*bytes = NULL;
	*size = 0;
	while (ret == LZMA_OK && room < limit) {
		room = (size_t)MIN(2 * (u64)room, limit);
		grown = realloc(*bytes, room);
		if (!grown) {
			ret = LZMA_MEM_ERROR;
			break;
		}
		*bytes = grown;
		xz.next_out = grown + *size;
		xz.avail_out = room - *size;
		while (ret == LZMA_OK && xz.avail_out)
			ret = lzma_code(&xz, LZMA_FINISH);
		*size = room - xz.avail_out;
	}
	lzma_end(&xz);
	if (ret == LZMA_STREAM_END)
		return 0;
	free(*bytes);
	return ret == LZMA_MEM_ERROR ? err_nomem(err)
				     : err_set(err, EBADMSG, ".gnu_debugdata is damaged");
}

int debug_data_open(const struct image *img, struct image *data, struct err *err)
{
	GElf_Shdr sh;
	Elf_Scn *scn = image_section(img, ".gnu_debugdata", &sh);
	Elf_Data *d = scn ? elf_rawdata(scn, NULL) : NULL;
	size_t size;
	u8 *bytes;
	int ret;

	if (!d || !d->d_buf)
		return err_set(err, ENODATA, "no .gnu_debugdata");
	ret = unpack(d->d_buf, d->d_size, &bytes, &size, err);
	if (!ret)
		ret = image_open_owned(data, bytes, size, err);
	return ret;
}
