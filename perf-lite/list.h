/* SPDX-License-Identifier: GPL-2.0 */
/* list.h - what the parts of perf-lite list share: events, probes of programs, details (-v). */
#ifndef PERF_LITE_LIST_H
#define PERF_LITE_LIST_H

#include "util/base/buf.h"
#include "util/btf/btf.h"
#include "util/event/ev_env.h"
#include "util/event/ev_spec.h"
#include "util/image/image_usdt.h"
#include "util/kernel/tracefs.h"
#include "util/tracepoint/tp_format.h"

/*
 * list_usdt.c: the static probes of a program or library, for perf-lite list usdt:FILE.
 */

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

/*
 * list_detail.c: what perf-lite list -v shows of a tracepoint, and of the kernel's types.
 *
 * Text or JSON is appended to the caller's buffer.
 */

struct list_detail {
	struct ev_env *env;
	const struct tracefs *tracefs; /* NULL: no tracepoint is asked for */
	bool json;
	bool indexed;       /* the kernel's types */
	struct err btf_why; /* why it has none */
};

/* The types of the kernel, when they are needed; NULL and btf_why: it has none. */
const struct btf *list_detail_kernel(struct list_detail *d);
/* The format of "SYSTEM:NAME"; NULL and err. */
struct tp_format *list_detail_format(const struct list_detail *d, const char *event,
				     struct err *err);

/* Lines below the event's name, or members of its JSON object. */
int list_detail_event(struct list_detail *d, const char *event, struct buf *out, struct err *err);

/* Is it "struct NAME", "union NAME", "enum NAME" or "typedef NAME"? */
bool list_detail_is_type(const char *word);
/*
 * The types that match such a word, whose NAME may be a glob: their definitions if `verbose`, else
 * their names, a line each. -ENOENT with "did you mean" if there is none.
 */
int list_detail_types(struct list_detail *d, const char *word, bool verbose, struct buf *out,
		      struct err *err);

/*
 * list_members.c: what the arguments of an event lead to, as expressions in its (...).
 */

/* Lines below a tracepoint: the first members of each argument. */
int list_members_tracepoint(struct list_detail *d, const char *event, struct buf *out,
			    struct err *err);
/* Is it a probe of a function, "uprobe:FILE:FUNCTION", or an event with an expression, "skb:kfree_skb(skb->dev)"? */
bool list_members_named(const char *word);
/* The same of such a word; of an expression, all members. -EINVAL: it cannot be read. */
int list_members_word(struct list_detail *d, const char *word, struct buf *out, struct err *err);

/*
 * list_events.c: the events that this machine and the running kernel have, for perf-lite list.
 *
 * An event is there if the kernel would open it, not because a header names it.
 */

#define LIST_EVENTS_CLASSES (EV_BP + 1)

struct list_event {
	const char *name, *alias; /* alias may be NULL */
	enum ev_class class;
	const struct list_usdt *usdt; /* a program's probe, or NULL */
};

struct list_events {
	struct ev_env env; /* its root is the caller's */
	bool wanted[LIST_EVENTS_CLASSES];
	bool asked[LIST_EVENTS_CLASSES]; /* by name: then say why there is none */
	char **patterns;                 /* of names of events */
	int nr_patterns;
	struct arena arena;
	VEC(struct list_event) v;
	struct list_usdt_probes probes;
	struct buf notes;  /* why a class is missing, a line each */
	struct err denied; /* there are events that may not be seen, or could not be */
	bool tried; /* what everybody may count: refusal is what the kernel said, 0 or an errno */
	int refusal;
};

/* enum ev_class of a word, or -1. */
int list_events_class(const char *word);
const char *list_events_class_name(const struct list_event *e);
/* "Tracepoint event" */
const char *list_events_label(const struct list_event *e);

/* All of the wanted classes, and the probes of the files that patterns name. */
int list_events_gather(struct list_events *l, struct err *err);
/* Keep what matches any pattern. Each must match something: the first that does not is returned. */
const char *list_events_select(struct list_events *l);

void list_events_free(struct list_events *l);

#endif
