/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dso_head.h - how DSO and SYMS blocks name a DSO (docs/FORMAT.md).
 */
#ifndef FILE_DSO_HEAD_H
#define FILE_DSO_HEAD_H

#include "util/base/buf.h"
#include "util/base/cur.h"

/* Where a DSO's code lives. */
enum dso_class {
	DSO_CLASS_KERNEL = 0, /* the kernel, its modules and bpf programs: names and addresses of
				 /proc/kallsyms */
	DSO_CLASS_USER = 1,   /* a file; symbol addresses are file offsets */
};

struct dso_head {
	enum dso_class class;
	u32 maj, min; /* device and inode that the mapping named; 0: not known */
	u64 ino, ino_generation;
	const char *name; /* not NUL-terminated */
	size_t name_len;
	const void *build_id;
	size_t build_id_len; /* 0 to 20 */
};

void dso_head_put(struct buf *b, const struct dso_head *h);
/* Strings point into the cursor's bytes. False, and c->bad: it is none. */
bool dso_head_get(struct cur *c, struct dso_head *h);

#endif
