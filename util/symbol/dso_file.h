/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dso_file.h - the ELF image that a DSO of a recording was, found on the machine of the reader.
 *
 * Looked for: the recorded bytes (vdso), the file under its name, perf's cache, the files that
 * processes of the recording still have mapped, debuginfod. An image whose build-id is not the
 * recorded one is not taken: wrong names are worse than none.
 */
#ifndef SYMBOL_DSO_FILE_H
#define SYMBOL_DSO_FILE_H

#include "util/image/debug_file.h"
#include "util/process/process.h"

struct dso_file_options {
	const char *symfs;             /* a folder before every file name; NULL: none */
	const char *cache;             /* a folder in which perf keeps binaries; NULL: none */
	struct debuginfod *debuginfod; /* NULL: nothing is fetched */
	bool same_kernel;              /* the kernel that runs here is the recorded one */
	bool running; /* the processes run now: what they have mapped goes before another file of that name */
	/* as perf looks: not for what processes have mapped, and files called /tmp/perf-* are text to it */
	bool as_perf;
};

/*
 * -ESTALE: there is one of another build; -ENOENT and others: there is none. err says which file.
 * image_close() it after success.
 */
int dso_file_open(const struct process_model *m, u32 dso, const struct dso_file_options *o,
		  struct image *img, struct err *err);

#endif
