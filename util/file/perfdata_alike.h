/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfdata_alike.h - samples of perf.data that differ in their time alone, gathered by kinds
 * (alike.h) as they are read, for who only counts.
 *
 *	perfdata_alike_take() ... -> FULL, or a round is over -> perfdata_alike_give()
 *
 * Their bytes tell samples apart, without those that nobody wants: call chains, raw data. Where
 * nearly all turn out to be of a kind of their own, no more are taken.
 */
#ifndef FILE_PERFDATA_ALIKE_H
#define FILE_PERFDATA_ALIKE_H

#include "util/file/columns_table.h"
#include "util/file/source.h"

struct perfdata_alike_block;

/* Zero-initialised, it is empty and ready. */
struct perfdata_alike {
	struct perfdata_alike_block *now;  /* being filled */
	struct perfdata_alike_block *idle; /* all samples of which have been given */
	VEC(u32) places;                   /* of the kinds of `now` in its bytes */
	struct columns_table table;        /* hash of what tells samples apart -> kind */
	u64 samples, kinds;                /* of all blocks so far */
	u32 events;                        /* of the recording, when they were last looked at */
	bool chains, raw;                  /* are wanted */
	bool off;                          /* no more are taken */
};

/* LEFT: the caller has to give it. FULL: taken, and all is to be given before the next. */
enum perfdata_alike_result { PERFDATA_ALIKE_LEFT, PERFDATA_ALIKE_TAKEN, PERFDATA_ALIKE_FULL };

/* A record whose event is known. A result; -ENOMEM. */
int perfdata_alike_take(struct perfdata_alike *a, const struct source *s, const struct rec *rec);
/* All that was taken, as `alike` and `record_buffer` of the source. False: there is nothing. */
bool perfdata_alike_give(struct perfdata_alike *a, struct source *s);
/* Whatever was given must have come back. */
void perfdata_alike_free(struct perfdata_alike *a);

#endif
