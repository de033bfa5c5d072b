/* SPDX-License-Identifier: GPL-2.0 */
/*
 * printk_formats.h - the kernel's string constants that tracepoints name by address.
 *
 * A field of type `const char *` records the address of its text in the kernel. The
 * file printk_formats of tracefs, which a recording holds as the fact of that name, has the texts:
 *
 *	0xffffffff8281a405 : "rcu_preempt"
 *
 * Texts are kept as that file has them, escapes included; a "\n" at the end is left out. A
 * zero-initialised struct is empty and ready, and owns its texts.
 */
#ifndef PROFILE_PRINTK_FORMATS_H
#define PROFILE_PRINTK_FORMATS_H

#include "util/base/hash.h"

struct printk_formats {
	struct hmap by_addr; /* id in texts */
	struct strtab texts;
};

/* Lines of another form are passed over; false when memory is out. */
bool printk_formats_parse(struct printk_formats *f, const char *text, size_t len);
/* NULL: the kernel names no string at that address. */
const char *printk_formats_find(const struct printk_formats *f, u64 addr);
void printk_formats_free(struct printk_formats *f);

#endif
