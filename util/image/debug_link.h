/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug_link.h - the name and the checksum by which an image says where its debug file is.
 *
 * The checksum is the CRC-32 of IEEE 802.3 over the whole file, as in zlib.
 *
 * Source: the GDB manual, "Debugging Information in Separate Files"; for .gnu_debugaltlink, dwz(1).
 */
#ifndef IMAGE_DEBUG_LINK_H
#define IMAGE_DEBUG_LINK_H

#include "util/image/image.h"

#define DEBUG_LINK_MAX 4096

struct debug_link {
	char name[DEBUG_LINK_MAX]; /* of .gnu_debuglink: without a folder, never empty */
	u32 crc;
};

/* False: the image has none, or it is damaged. */
bool debug_link_read(const struct image *img, struct debug_link *link);

struct debug_link_alt {
	char name[DEBUG_LINK_MAX]; /* of .gnu_debugaltlink: relative to the folder of the image */
	u8 build_id[IMAGE_BUILD_ID_MAX];
	u8 build_id_len; /* never 0 */
};

/* What dwz took out of several images is in one file that all of them name. Likewise. */
bool debug_link_read_alt(const struct image *img, struct debug_link_alt *link);

/* The checksum of a file from its first byte on. 0 or -errno. */
int debug_link_crc_fd(int fd, u32 *crc);

#endif
