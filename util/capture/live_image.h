/* SPDX-License-Identifier: GPL-2.0 */
/*
 * live_image.h - the ELF image behind a mapping of a process that may still run: its file, or the
 * vdso that it has.
 */
#ifndef CAPTURE_LIVE_IMAGE_H
#define CAPTURE_LIVE_IMAGE_H

#include "util/capture/pinned_files.h"
#include "util/image/image.h"
#include "util/process/process.h"

/*
 * The image of mapping `map` of the process; image_close() after success. `proc` is a descriptor
 * of /proc, `held` has files that need not be there any more (NULL: none). <0: it cannot be had, or
 * the mapping shows none.
 */
int live_image_open(const struct process_model *m, u32 map, u32 pid, int proc,
		    struct pinned_files *held, struct image *img);

#endif
