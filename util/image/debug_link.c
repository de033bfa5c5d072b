// SPDX-License-Identifier: GPL-2.0
#include "util/image/debug_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cur.h"
#include "util/base/io.h"

#define CRC_POLYNOMIAL 0xedb88320u
#define CRC_SLICES     8
#define CHUNK          (256u << 10)

/* The section's bytes, with integers in the byte order of the image. */
static bool read_section(const struct image *img, const char *name, struct cur *c)
{
	GElf_Shdr sh;
	Elf_Scn *scn = image_section(img, name, &sh);
	Elf_Data *d = scn ? elf_rawdata(scn, NULL) : NULL;

	if (!d || !d->d_buf)
		return false;
	*c = cur_init(d->d_buf, d->d_size);
	c->swap = image_foreign_endian(img);
	return true;
}

static bool take_name(struct cur *c, char name[static DEBUG_LINK_MAX])
{
	size_t len;
	const char *s = cur_str(c, &len);

	if (!s || !len || len >= DEBUG_LINK_MAX)
		return false;
	memcpy(name, s, len + 1);
	return true;
}

bool debug_link_read(const struct image *img, struct debug_link *link)
{
	const u8 *start;
	struct cur c;

	if (!read_section(img, ".gnu_debuglink", &c))
		return false;
	start = c.p;
	if (!take_name(&c, link->name) || strchr(link->name, '/'))
		return false;
	cur_skip(&c, -(size_t)(c.p - start) & 3);
	link->crc = cur_u32(&c);
	return !c.bad;
}

bool debug_link_read_alt(const struct image *img, struct debug_link_alt *link)
{
	struct cur c;

	if (!read_section(img, ".gnu_debugaltlink", &c) || !take_name(&c, link->name))
		return false;
	link->build_id_len = (u8)MIN(cur_left(&c), (size_t)IMAGE_BUILD_ID_MAX);
	return link->build_id_len && cur_copy(&c, link->build_id, link->build_id_len);
}

/* slices[n][b]: what byte b does to the checksum when n more bytes follow it. */
static void make_slices(u32 slices[CRC_SLICES][256])
{
	u32 b, n, bit, crc;

	for (b = 0; b < 256; b++) {
		crc = b;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
		slices[0][b] = crc;
	}
	for (n = 1; n < CRC_SLICES; n++)
		for (b = 0; b < 256; b++)
			slices[n][b] = slices[n - 1][b] >> 8 ^ slices[0][slices[n - 1][b] & 0xff];
}

static u32 update_crc(u32 slices[CRC_SLICES][256], u32 crc, const u8 *p, size_t len)
{
	for (; len >= 8; p += 8, len -= 8) {
		crc ^= (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
		crc = slices[7][crc & 0xff] ^ slices[6][crc >> 8 & 0xff] ^
		      slices[5][crc >> 16 & 0xff] ^ slices[4][crc >> 24] ^ slices[3][p[4]] ^
		      slices[2][p[5]] ^ slices[1][p[6]] ^ slices[0][p[7]];
	}
	for (; len; p++, len--)
		crc = crc >> 8 ^ slices[0][(crc ^ *p) & 0xff];
	return crc;
}

int debug_link_crc_fd(int fd, u32 *crc)
{
	u32 slices[CRC_SLICES][256], sum = UINT32_MAX;
	u8 *chunk = malloc(CHUNK);
	u64 at = 0;
	ssize_t n;

	if (!chunk)
		return -ENOMEM;
	make_slices(slices);
	while ((n = io_pread(fd, chunk, CHUNK, at)) > 0) {
		sum = update_crc(slices, sum, chunk, (size_t)n);
		at += (u64)n;
	}
	free(chunk);
	*crc = ~sum;
	return n < 0 ? (int)n : 0;
}
