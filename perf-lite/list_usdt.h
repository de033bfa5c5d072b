/* SPDX-License-Identifier: GPL-2.0 */
/*
 * list_usdt.h - the static probes of a program or library, for perf-lite list usdt:FILE.
 */
#ifndef PERF_LITE_LIST_USDT_H
#define PERF_LITE_LIST_USDT_H

#include "util/base/buf.h"
#include "util/image/image_usdt.h"

struct list_usdt {
	const char *name; /* as -e takes it */
	struct image_usdt_probe probe;
};

/* All in the caller's arena. */
struct list_usdt_probes {
	VEC(struct list_usdt) v;
	struct arena *arena;
};

/* Does the word begin with "usdt:"? */
bool list_usdt_named(const char *word);
/* Add the probes of the file that such a word names, whatever follows it. -ENOENT and err if it has none. */
int list_usdt_add(struct list_usdt_probes *l, const char *word, struct err *err);

/* Lines below the probe's name, or members of its JSON object: address, semaphore, arguments. */
void list_usdt_detail(const struct list_usdt *u, bool json, struct buf *out);

#endif
