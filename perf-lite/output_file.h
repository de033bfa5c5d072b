/* SPDX-License-Identifier: GPL-2.0 */
/*
 * output_file.h - where the bytes of a document go, piece by piece: a file that takes its name when it is whole, standard
 * output ("-"), a pipe or a device.
 *
 *	output_file_open() -> output_file_write() ... -> output_file_close()
 *
 * A file is made beside its name and renamed, so that readers see the old one or the new one, never a part; what is
 * there keeps its mode, a link its target, which may not exist yet. A failure or a signal that ends the program leaves
 * nothing behind. One can be open at a time.
 *
 * What cannot be created is -errno; what cannot be written is CMD_PARTIAL (cmd.h), err says why.
 */
#ifndef PERF_LITE_OUTPUT_FILE_H
#define PERF_LITE_OUTPUT_FILE_H

#include <sys/types.h>

#include "util/base/buf.h"
#include "util/base/err.h"

struct output_file {
	const char *name; /* as messages have it */
	char *target;     /* the file that will be there, links followed; NULL: it is no file */
	char *temp;       /* its name until it is whole */
	int fd;
	mode_t mode;
};

/* Of a new file. */
enum output_file_kind {
	OUTPUT_PRIVATE, /* its owner alone may read it, as recordings are */
	OUTPUT_PUBLIC,  /* what the umask leaves */
};

/* The file that an output of that name is (io_link_target()), which is the caller's to free; for writers of their own. */
int output_file_follow(const char *path, char **file, struct err *err);
/* path "-": standard output. `input` ("-": standard input) must not be the same file; NULL: any may. */
int output_file_open(struct output_file *o, const char *path, const char *input,
		     enum output_file_kind kind, struct err *err);
int output_file_write(struct output_file *o, const struct buf *b, struct err *err);
/* Can what was written be replaced? Not in a pipe. */
static inline bool output_file_seeks(const struct output_file *o)
{
	return o->temp != NULL;
}
/* Its beginning. */
int output_file_rewrite(struct output_file *o, const struct buf *b, struct err *err);
/* ret not 0: what was written is thrown away, and ret is returned. */
int output_file_close(struct output_file *o, int ret, struct err *err);

/*
 * Make a directory for files, which its owner alone enters; 0 or -errno. Up to the end of it, what removes an
 * unfinished file removes it as well, if it is empty then; also the end does if ret is not 0. One at a time.
 */
int output_file_directory_make(const char *path);
void output_file_directory_end(int ret);

/*
 * A file that grows under its name, to be read meanwhile: its descriptor. What was in it goes, with `append` it stays.
 * input: as above.
 */
int output_file_grow(const char *path, const char *input, bool append, struct err *err);

/* All at once: a whole public document. NULL is "-". */
int output_file_put(const char *path, const struct buf *b, struct err *err);

#endif
