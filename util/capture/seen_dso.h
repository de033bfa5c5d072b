/* SPDX-License-Identifier: GPL-2.0 */
/*
 * seen_dso.h - the functions of one DSO that a recording has samples in, and the DSO and SYMS
 * blocks that say so (docs/FORMAT.md).
 */
#ifndef CAPTURE_SEEN_DSO_H
#define CAPTURE_SEEN_DSO_H

#include "util/base/symtab.h"
#include "util/capture/pinned_files.h"
#include "util/capture/seen_fetch.h"
#include "util/capture/seen_lines.h"
#include "util/file/functions.h"
#include "util/process/process.h"

/* Zero-initialised, it is empty and ready. */
struct seen_dso {
	bool user;               /* a mapped file, with a DSO block of its own */
	bool asked;              /* its file was looked for */
	bool told;               /* its DSO block is in the file */
	struct symtab symtab;    /* of its file, by file offset; empty for code that is made */
	struct hmap known;       /* start of each function in `symbols` */
	struct buf symbols;      /* u64 start, u64 size, string name */
	size_t written;          /* bytes of them that are in the file */
	struct seen_lines lines; /* if they were asked for */
	struct seen_fetch fetch; /* what a debug file is to be fetched for */
	u8 build_id[BUILD_ID_MAX];
	u8 build_id_len;
};

struct seen_dso_options {
	int proc;                  /* descriptor of /proc */
	struct pinned_files *held; /* files that need not be there any more; NULL: none */
	bool lines;                /* open the debug information too */
	bool fetch;                /* remember what a debug file that is not here would tell */
};

/* Read the symbols of the file behind a mapping of a process, once. */
void seen_dso_load(struct seen_dso *sd, const struct process_model *m, u32 map, u32 pid,
		   const struct seen_dso_options *o);

/* A sample stands at this byte of the file: what is asked of its lines. False when memory is out. */
bool seen_dso_add_place(struct seen_dso *sd, struct seen_names *names, u64 offset);

/* Names and lines of all that was seen so far, from a debug file of the server. */
void seen_dso_fetch(struct seen_dso *sd, const struct dso *d, struct seen_names *names,
		    struct debuginfod *server);

/* A sample stands in this function. False when memory is out. */
bool seen_dso_add(struct seen_dso *sd, struct seen_names *names, u64 start, u64 end,
		  const char *name);

/*
 * Append what the file does not have yet: to the payload of a DSO block, and to its functions.
 * Then, when they have been written, say so. `image`: the vdso's goes there, too.
 */
void seen_dso_put(const struct seen_dso *sd, const struct dso *d, bool image, struct buf *dsos,
		  struct functions *functions);
void seen_dso_written(struct seen_dso *sd);

/* Write the FRAMES blocks of what the file does not have yet, if lines were asked for. */
int seen_dso_write_lines(struct seen_dso *sd, const struct dso *d, struct writer *w,
			 struct err *err);

/* The file has none of it; with `all`, nothing was seen either. */
void seen_dso_unwritten(struct seen_dso *sd, bool all);

void seen_dso_free(struct seen_dso *sd);

#endif
