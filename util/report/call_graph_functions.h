/* SPDX-License-Identifier: GPL-2.0 */
/*
 * call_graph_functions.h - frames by what makes them one in a call graph.
 *
 * By function: frames of one function of one file are one, and so are those that show functions of one name where one
 * of both was inlined; a frame without a function is its address. By address: each is its own. By
 * line of the source: those of one line are one. Numbers are dense, in order of first sight.
 */
#ifndef REPORT_CALL_GRAPH_FUNCTIONS_H
#define REPORT_CALL_GRAPH_FUNCTIONS_H

#include "util/profile/stack_tree.h"
#include "util/report/call_graph_options.h"

struct call_graph_function {
	const char *symbol; /* as the recording has it; NULL: not known */
	const char *line;   /* escaped, NULL: not asked for, or nothing is known */
	u64 ip;             /* of the frame that was seen first */
	u64 at;             /* the function's start in its file, or the address */
	u32 dso;            /* ID_NONE: nothing was mapped there */
	u32 same;           /* the first function that counts as one with it */
	bool inlined;
};

struct call_graph_numbers {
	u32 *v; /* + 1, 0: not asked for yet */
	u32 nr, cap;
};

struct call_graph_functions {
	const struct stack_tree *stacks;
	enum call_graph_key key;
	VEC(struct call_graph_function) v;
	struct strtab names; /* of symbols */
	struct strtab lines;
	struct hmap by_hash; /* the newest function of a hash */
	VEC(u32) older;      /* another one of that hash, ID_NONE: none */
	struct call_graph_numbers
		by_name; /* by name or line: the function that others are one with */
	struct call_graph_numbers of_frame,
		of_inlined; /* by frame and by place of the symboliser */
};

/* The stacks stay the caller's. */
void call_graph_functions_init(struct call_graph_functions *f, const struct stack_tree *stacks,
			       enum call_graph_key key);
/*
 * The function of a frame of the symboliser, of which so many are shown that were inlined there;
 * ID_NONE when memory is out.
 */
u32 call_graph_functions_get(struct call_graph_functions *f, u32 frame, u32 inlined);
/* What was inlined there, i below nr_places - 1 (0: the innermost); symboliser_places() was called. */
u32 call_graph_functions_inlined(struct call_graph_functions *f, u32 frame, u32 i);
/*
 * The order of branches that weigh the same, which is perf's as far as it does not depend on
 * where its memory lies: <0, 0, >0.
 */
int call_graph_functions_compare(const struct call_graph_functions *f, u32 a, u32 b);
/* "symbol", "symbol file.c:12 (inlined)", "0x401136". */
void call_graph_functions_text(const struct call_graph_functions *f, u32 function, struct buf *out);
void call_graph_functions_free(struct call_graph_functions *f);

#endif
