/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_sums.h - what a program adds up in the kernel (probe_sum.h), as the process reads it: two hashes, one of which is added up in
 * while the other one is read.
 *
 *	ev_sums_init() -> ev_sums_make() gives the maps of the program -> ev_sums_enable() -> ev_sums_take() now and then
 *	-> ev_sums_free()
 */
#ifndef EVENT_EV_SUMS_H
#define EVENT_EV_SUMS_H

#include "util/base/err.h"
#include "util/probe/probe_sum.h"

/* Of a key, on all CPUs. */
struct ev_sum {
	u64 nr, with; /* hits; of them, such as have the number */
	u64 least, most;
	__int128 sum;
	const u64 *buckets; /* of the numbers first_bucket, ...: count_log2_of() */
	u32 nr_buckets;     /* 0: none are kept */
	s32 first_bucket;
};

#define EV_SUMS_HASHES 2u

struct ev_sums {
	const char *name; /* of the event, in errors */
	struct probe_sum what;
	u32 key_size, entries, nr_cpus;
	int hashes[EV_SUMS_HASHES];
	u32 active; /* which is, or will be, added up in */
	bool enabled;
	u8 *keys, *values;
	u64 *buckets;
};

void ev_sums_init(struct ev_sums *h);
/*
 * name, what and key_size are the caller's; entries: of a hash, 0: as is good. *outer and *zeros are the caller's, too, who gives outer
 * to what follows. Nothing is added up yet; the second time the hashes are those of the first. -errno of a map that was refused, -ENOMEM.
 */
int ev_sums_make(struct ev_sums *h, u32 nr_cpus, int *outer, int *zeros);
/* Add up, or no longer. */
int ev_sums_enable(struct ev_sums *h, int outer, bool on, struct err *err);
/*
 * All that was added up since the last time; what comes from now on is for the next. <0: err, or what `each` returned.
 */
int ev_sums_take(struct ev_sums *h, int outer,
		 int (*each)(void *arg, const u8 *key, const struct ev_sum *sum, struct err *err),
		 void *arg, struct err *err);
/* One hit, with the number if is_there. */
struct ev_sum ev_sums_one(const struct probe_sum *what, bool is_there, u64 number);
/* As after ev_sums_init(), but for .entries. */
void ev_sums_free(struct ev_sums *h);

#endif
