/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rotated_files.h - the files that a recorder has finished beside the one that it writes: FILE.DATE, of which the
 * latest may be all that is kept.
 *
 * Zero-initialised, there are none.
 */
#ifndef FILE_ROTATED_FILES_H
#define FILE_ROTATED_FILES_H

#include "util/base/err.h"
#include "util/base/vec.h"

struct rotated_files {
	VEC(char *) v; /* names of those that are kept, oldest first */
	u32 total;
	u64 bytes; /* of all of them that the recorder switched from */
};

/* "FILE.YYYYMMDDhhmmssUUUUUU" of now, which the caller frees; NULL: out of memory. */
char *rotated_files_name(const char *file);
/*
 * One more; its name is taken over in any case. Of more than `max` the oldest are deleted; 0: all
 * stay. -ENOMEM.
 */
int rotated_files_add(struct rotated_files *f, char *name, u32 max, struct err *err);
void rotated_files_free(struct rotated_files *f);

#endif
