/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_span.h - tracepoints, and probes of programs, whose hits are paired in the kernel (probe_span.h): samples are the ends of spans that
 * are long enough, or their times are added up there, too, and samples are those for which there was no room.
 *
 *	ev_span_add() of all points -> the attrs of their specs are those of a program's output -> ev_open() -> ev_expr_enable()
 *	-> ev_span_ended() of each sample, ev_span_take(), ev_span_account() and ev_span_each_open() now and then
 *
 * What cannot be paired so is sampled and paired by the caller: `why` has the reason.
 */
#ifndef EVENT_EV_SPAN_H
#define EVENT_EV_SPAN_H

#include "util/event/ev_env.h"
#include "util/event/ev_spec.h"
#include "util/event/ev_sums.h"
#include "util/probe/probe_span.h"

struct ev_span_point {
	u32 spec;
	enum probe_span_role role;
	const char *const *words; /* of the key: fields of the event, else tid, pid or tgid, cpu */
	const char *filter;       /* which hits are this point; NULL: all */
};

struct ev_span_wanted {
	const struct ev_span_point *points; /* of a spec, by role */
	u32 nr_points, nr_words;
	bool latest;  /* a second begin starts the span anew; else it changes nothing */
	bool by_task; /* the first word is the thread that a span is of; else it is of who runs */
	const char *const *fields; /* of begins, wanted with the spans */
	u32 nr_fields;
	const char *filter;          /* of begins: which are wanted; NULL: all */
	struct probe_span_sums sums; /* but for .what: its has_buckets is the caller's */
	u32 entries;                 /* of these, see ev_sums.h */
	u64 min_ns;
	u32 left_out;                    /* process whose spans are left out; 0: none */
	struct probe_span_chosen chosen; /* by ev_span_choose() */
	bool some_cpus;                  /* on those alone that the specs are opened on */
	bool by_thread;                  /* of some threads, and perhaps what they start */
	u32 most;                        /* open spans at once; 0: EV_SPAN_MOST */
};
#define EV_SPAN_MOST (64u << 10)

/* A span. Times are of CLOCK_MONOTONIC. */
struct ev_span_entry {
	u32 spec;        /* of its begin */
	bool unwanted;   /* it is open, and the begin is not wanted */
	u64 begin, took; /* ns; an open one has not taken any */
	u64 key[PROBE_SPAN_KEYS_MAX];
	u32 pid, tid, cpu; /* of the begin; with sums, what was asked for */
	char comm[PROBE_COMM_SIZE];
	const u8 *raw; /* as of a sample of its begin, with the fields that were wanted */
	u32 raw_size;
};

/*
 * Pair the points so. 1; 0: that cannot be, `why` has the reason, and the list is as before; -ENOMEM, likewise.
 */
int ev_span_add(struct ev_list *list, struct ev_env *env, const struct ev_span_wanted *w,
		struct buf *why);
/* The specs are as before ev_span_add(). */
void ev_span_drop(struct ev_list *list);
/* Does the kernel take the maps and programs, now? Nothing is paired, and no program stays. There is a spec. */
int ev_span_try(struct ev_list *list, bool by_thread, struct err *err);

/* Spans of this process, and of those that it starts, or of this thread are wanted: once the events are open. */
int ev_span_choose(struct ev_list *list, u32 id, bool is_thread, struct err *err);
/* A sample's raw data as a span, valid until the next one; false: they are none. */
bool ev_span_ended(struct ev_list *list, u32 spec, const u8 *raw, u32 size,
		   struct ev_span_entry *e);
/*
 * With sums: the times that were added up since the last time, of the spans of each like begin, which has no time and no key. <0: err, or
 * what `each` returned.
 */
int ev_span_take(struct ev_list *list,
		 int (*each)(void *arg, const struct ev_span_entry *e, const struct ev_sum *sum,
			     struct err *err),
		 void *arg, struct err *err);
/* What became of all hits so far. */
int ev_span_account(const struct ev_list *list, const struct sysroot *root,
		    struct probe_span_account *a, struct err *err);
/* Call `each` for all open spans, in no order; <0: err, or what `each` returned. */
int ev_span_each_open(struct ev_list *list,
		      int (*each)(void *arg, const struct ev_span_entry *e, struct err *err),
		      void *arg, struct err *err);

#endif
