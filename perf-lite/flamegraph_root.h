/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_root.h - what a stack stands on, and what stands on it: flamegraph --by and
 * --stack-field.
 *
 *	flamegraph_root_init() -> flamegraph_root_of(), flamegraph_root_top() ... -> free
 *
 * Names are escaped, and numbered in `names` in order of first sight.
 */
#ifndef PERF_LITE_FLAMEGRAPH_ROOT_H
#define PERF_LITE_FLAMEGRAPH_ROOT_H

#include "util/format/stack_field.h"

enum flamegraph_root_kind {
	FLAMEGRAPH_ROOT_DEFAULT, /* why a packet was dropped, where the event tells it; else comm */
	FLAMEGRAPH_ROOT_NONE,
	FLAMEGRAPH_ROOT_COMM,
	FLAMEGRAPH_ROOT_CPU,
	FLAMEGRAPH_ROOT_PID,
	FLAMEGRAPH_ROOT_TID,
	FLAMEGRAPH_ROOT_FIELD,
};

struct flamegraph_root {
	enum flamegraph_root_kind kind;
	bool folded; /* names as folded stacks have them: no blanks, no '#' in front */
	const struct session *s;
	struct trace_text text;
	struct stack_field field, top, reason; /* zeroed: none */
	struct strtab names;
	struct hmap known; /* what tells one from another -> its name */
	struct buf name;
};

/*
 * `by`: a key, or a field of the tracepoint; NULL: the default. `top`: a field, NULL: none. Of `event`,
 * ID_NONE: of all. The session and what is pointed at stay the caller's, for as long.
 */
int flamegraph_root_init(struct flamegraph_root *k, struct session *s, u32 event, const char *by,
			 const char *top, struct err *err);
/* The event whose raw data the default needs. */
#define FLAMEGRAPH_ROOT_EVENT "skb:kfree_skb"
/* Is it a key, not the name of a field? */
bool flamegraph_root_is_key(const char *by);
/* The numbers of the names below and above the sample's stack; ID_NONE: none. False: no memory. */
bool flamegraph_root_of(struct flamegraph_root *k, const struct session_sample *s, u32 *name);
bool flamegraph_root_top(struct flamegraph_root *k, const struct session_sample *s, u32 *name);
void flamegraph_root_free(struct flamegraph_root *k); /* a zeroed one, too */

#endif
