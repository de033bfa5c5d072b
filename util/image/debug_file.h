/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug_file.h - finds the separate file that has the symbols or the DWARF of an image.
 *
 * Looked for, in this order, below `root`:
 *
 *	/usr/lib/debug/.build-id/AB/CDEF.debug
 *	CACHE/.build-id/AB/CDEF/debug                   (perf's cache)
 *	the file that .gnu_debuglink names: beside the image, in .debug there, below /usr/lib/debug
 *	.gnu_debugdata in the image itself              (symbols only)
 *	debuginfod                                      (if given)
 *
 * One is taken if its build-id is that of the image; if either has none, if its checksum is that of
 * .gnu_debuglink. DWARF that is compressed with zstd comes as an unpacked copy (image_unpack.h), even
 * if the image has it itself.
 *
 * Source: the GDB manual, "Debugging Information in Separate Files" and "MiniDebugInfo".
 */
#ifndef IMAGE_DEBUG_FILE_H
#define IMAGE_DEBUG_FILE_H

#include "util/image/image.h"

struct debuginfod;

enum debug_file_kind {
	DEBUG_FILE_SYMBOLS, /* has a .symtab */
	DEBUG_FILE_DWARF,   /* has a .debug_info */
};

struct debug_file_options {
	const char *root;              /* before all paths but the cache's; NULL: none */
	const char *cache;             /* perf's, commonly ~/.debug; NULL: none */
	struct debuginfod *debuginfod; /* NULL: nothing is fetched */
};

/* Does the image itself have it? */
bool debug_file_has(const struct image *img, enum debug_file_kind kind);

/*
 * Open the debug file of an image. `path`: the image's own, below root; NULL: not known.
 * -ENODATA: there is none; -ESTALE: there is one of another build; else one cannot be read. err names the file.
 * image_close() it after success.
 */
int debug_file_open(const struct image *img, const char *path, const struct debug_file_options *o,
		    enum debug_file_kind kind, struct image *debug, struct err *err);

/*
 * Open the file in which dwz has put what several images share; `path` is that of `img`, which has
 * the DWARF. What is compressed with zstd comes unpacked here, too. -ENODATA: none is named; -ENOENT: it is not there, or of
 * another build; else why it cannot be read.
 */
int debug_file_open_alt(const struct image *img, const char *path,
			const struct debug_file_options *o, struct image *alt, struct err *err);

/*
 * The name and the checksum by which an image says where its debug file is.
 *
 * The checksum is the CRC-32 of IEEE 802.3 over the whole file, as in zlib.
 *
 * Source: the GDB manual, "Debugging Information in Separate Files"; for .gnu_debugaltlink, dwz(1).
 */

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
