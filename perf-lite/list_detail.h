/* SPDX-License-Identifier: GPL-2.0 */
/*
 * list_detail.h - what perf-lite list -v tells of a tracepoint, and of the kernel's types.
 *
 * Text or JSON is appended to the caller's buffer.
 */
#ifndef PERF_LITE_LIST_DETAIL_H
#define PERF_LITE_LIST_DETAIL_H

#include "util/btf/btf.h"
#include "util/kernel/tracefs.h"
#include "util/tracepoint/tp_format.h"

struct list_detail {
	const struct sysroot *root;
	const struct tracefs *tracefs; /* NULL: no tracepoint is asked for */
	bool json;
	struct btf btf; /* empty until it is asked for, and where the kernel tells no types */
	bool btf_read;
	struct err btf_why; /* it does not */
};

/* The format of "SYSTEM:NAME"; NULL and err. */
struct tp_format *list_detail_format(const struct list_detail *d, const char *event,
				     struct err *err);

/* Lines below the event's name, or members of its JSON object. */
int list_detail_event(struct list_detail *d, const char *event, struct buf *out, struct err *err);
/* A field as its declaration in C. */
void list_detail_field(const struct tp_field *f, struct buf *out);

/* Is it "struct NAME", "union NAME", "enum NAME" or "typedef NAME"? */
bool list_detail_is_type(const char *word);
/*
 * The types that match such a word, whose NAME may be a glob: their definitions if `verbose`, else
 * their names, a line each. -ENOENT with "did you mean" if there is none.
 */
int list_detail_types(struct list_detail *d, const char *word, bool verbose, struct buf *out,
		      struct err *err);

void list_detail_free(struct list_detail *d);

#endif
