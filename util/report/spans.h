/* SPDX-License-Identifier: GPL-2.0 */
/*
 * spans.h - the time between two events: spans that are open, paired by a key.
 *
 *	struct spans s = {.nr_keys = 1, .repeat = SPANS_FIRST};
 *	spans_begin(&s, &pid, time, row) ... spans_end(&s, &pid, time, &span) == SPANS_ENDED
 *	-> spans_each_open(): those that never ended -> spans_free()
 *
 * A span begins and ends at events with the same key, nr_keys words. Every event is in the account:
 *
 *	begins = spans + restarts + given_up + across_loss + reordered + open (+ no_room)
 *	ends = spans + across_loss + reordered + ends_without_begin + repeated + out_of_order
 *
 * A span may have stages: spans_pass() at a point in its midst ends one and begins the next, so each stage is a span in
 * the account, and those that end by spans_pass() are in `passed`, too.
 *
 * Times are ns in rising order. Memory is bounded by `most` open spans; an open one of one word takes 32 bytes and
 * 8 to 16 of the hash table.
 */
#ifndef REPORT_SPANS_H
#define REPORT_SPANS_H

#include "util/base/err.h"
#include "util/base/vec.h"

#define SPANS_KEYS_MAX  4
#define SPANS_MOST      1000000u
#define SPANS_NOTES_MAX 6

/* A begin while a span of its key is open. */
enum spans_repeat {
	SPANS_FIRST,  /* it changes nothing */
	SPANS_LATEST, /* the span begins anew */
	SPANS_NESTED, /* it is inside: ends belong to the latest begin */
};

struct spans_account {
	u64 begins, ends;
	u64 spans;
	u64 restarts; /* begins that came while one was open, unless spans may be nested */
	u64 ends_without_begin; /* it was before the first event, or lost */
	u64 given_up;           /* spans_give_up() */
	u64 across_loss;        /* an event in between may be lost: not in any figure */
	u64 reordered;          /* the end is older than the begin; likewise */
	u64 no_room;            /* begins over `most` */
	u64 passed;             /* of `spans`, stages after which others came */
	u64 repeated;           /* spans_pass() with the stage that the span is in */
	u64 out_of_order;       /* with an earlier one */
	u64 skipped;            /* stages that a span did not have; in no sum */
	u64 open;
};

struct span {
	u64 begin;
	u32 row; /* as spans_begin() got it */
	u32 next;
	u32 stage;
	u64 key[]; /* and the notes */
};

struct spans {
	u32 nr_keys;
	u32 nr_notes; /* words that the caller wants to have back when the span ends */
	u32 stages;   /* how often spans_pass() may come for a span */
	enum spans_repeat repeat;
	u32 most; /* 0: SPANS_MOST */
	/* what follows is kept up by the functions below */
	struct spans_account account;
	u64 lost_at; /* the latest time before which events may be lost; 0: none are */
	u8 *pool;    /* struct span and its key, `stride` bytes each */
	size_t stride;
	u32 nr, room, free; /* free: a list by `next`, number + 1 */
	u32 *slots;         /* number + 1 of the innermost open span of a key, 0: free */
	u32 mask, used;
};

enum spans_end_result {
	SPANS_NONE,   /* nothing has begun */
	SPANS_ENDED,  /* the span is *out */
	SPANS_UNSURE, /* it is across a loss, or reordered: *out is set as well */
};

/* What a span was when it ended. */
struct span_ended {
	u64 begin, end;
	u32 row, stage;
	u64 notes[SPANS_NOTES_MAX];
};

/* notes: nr_notes words; NULL: there are none. -ENOMEM. */
int spans_begin(struct spans *s, const u64 *key, u64 time, u32 row, const u64 *notes,
		struct err *err);
enum spans_end_result spans_end(struct spans *s, const u64 *key, u64 time, struct span_ended *out);
/*
 * The stage ends, and `stage`, 1 and more, begins with these notes and the same row. A span only goes on: SPANS_NONE as well
 * if it has come so far already.
 */
enum spans_end_result spans_pass(struct spans *s, const u64 *key, u64 time, u32 stage,
				 const u64 *notes, struct span_ended *out);
/* The innermost open span of the key; NULL: there is none. */
struct span *spans_find(const struct spans *s, const u64 *key);
/* What is open of this key will not end: a thread exits, a request is dropped. */
void spans_give_up(struct spans *s, const u64 *key);
/* Events before that time may be lost. */
void spans_lost(struct spans *s, u64 time);
/* Give all open spans that row, since those that they had are gone; but for those that have `but`. */
void spans_set_rows(struct spans *s, u32 row, u32 but);
/* Call `each`, which may change them, for all open spans, in no order; other than 0 ends it and is returned. */
int spans_each_open(struct spans *s, int (*each)(void *arg, struct span *span), void *arg);
static inline u64 *spans_notes(const struct spans *s, struct span *span)
{
	return span->key + s->nr_keys;
}
/* What came after an earlier account; but `open` are those of now. */
struct spans_account spans_account_since(const struct spans_account *now,
					 const struct spans_account *before);
/* Nothing is open any more; the account stays. */
void spans_forget_open(struct spans *s);
void spans_free(struct spans *s);

#endif
