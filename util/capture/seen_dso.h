/* SPDX-License-Identifier: GPL-2.0 */
/*
 * seen_dso.h - the functions of one DSO that a recording has samples in, and the DSO and SYMS
 * blocks that say so (docs/FORMAT.md).
 */
#ifndef CAPTURE_SEEN_DSO_H
#define CAPTURE_SEEN_DSO_H

#include "util/base/symtab.h"
#include "util/file/writer.h"
#include "util/process/process.h"

/* Zero-initialised, it is empty and ready. */
struct seen_dso {
	bool user;            /* a mapped file, with a DSO block of its own */
	bool asked;           /* its file was looked for */
	bool told;            /* its DSO block is in the file */
	struct symtab symtab; /* of its file, by file offset */
	struct hmap known;    /* start of each function in `symbols` */
	struct buf symbols;   /* as in a SYMS block */
	size_t written;       /* bytes of them that are in the file */
	u8 build_id[BUILD_ID_MAX];
	u8 build_id_len;
};

/* Read the symbols of the file behind a mapping, once. `proc`: descriptor of /proc. */
void seen_dso_load(struct seen_dso *sd, const struct dso *d, const struct map *map, u32 pid,
		   int proc);

/* A sample stands in this function. False when memory is out. */
bool seen_dso_add(struct seen_dso *sd, u64 start, u64 end, const char *name);

/* Write what the file does not have yet. */
int seen_dso_write(struct seen_dso *sd, const struct dso *d, struct writer *w, struct err *err);

/* The file has none of it; with `all`, nothing was seen either. */
void seen_dso_unwritten(struct seen_dso *sd, bool all);

void seen_dso_free(struct seen_dso *sd);

#endif
