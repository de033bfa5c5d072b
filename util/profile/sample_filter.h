/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sample_filter.h - which samples are wanted: by command, process, thread, CPU, time, and how many threads run.
 *
 * Each criterion is a list as people type it; an empty one lets everything pass, and one that begins with "!" all that
 * it does not name.
 */
#ifndef PROFILE_SAMPLE_FILTER_H
#define PROFILE_SAMPLE_FILTER_H

#include "util/base/err.h"
#include "util/base/vec.h"
#include "util/profile/name_list.h"
#include "util/record/sample_layout.h"

/*
 * sample_filter_times.c: spans of time as people give them: script --time.
 *
 *	762.85,763.1	,763.1	762.85,		seconds, as they are printed
 *	762.85,763.1 764,765			several, blanks between them
 *	10%	10%/2	0%-10%,30%-40%		of the time between the first sample and the last
 *
 * Both ends belong to a slice. Parts of the whole have their times after time_slices_scale().
 */

struct time_slice {
	u64 from, to;              /* ns; to 0: no end */
	double part_from, part_to; /* 0 to 1 */
};

/* Empty: all time. */
struct time_slices {
	struct time_slice *v;
	u32 nr, cap;
	bool parts; /* part_from and part_to are given, from and to are not known yet */
};

int time_slices_parse(struct time_slices *l, const char *text, struct err *err);
/* The first and the last time of all are now known. */
void time_slices_scale(struct time_slices *l, u64 first, u64 last);
/* How much of the time between these two they take; what is in several counts once. Not before time_slices_scale(). */
u64 time_slices_length(const struct time_slices *l, u64 first, u64 last);
bool time_slices_has(const struct time_slices *l, u64 time);
/* What holds them all; to 0: no end. */
void time_slices_bounds(const struct time_slices *l, u64 *from, u64 *to);
void time_slices_free(struct time_slices *l);

/* sample_filter.c: the criteria. */

struct number_range {
	u64 first, last;
};

struct number_list {
	struct number_range *v;
	u32 nr, cap;
	bool except; /* these are not wanted */
};

struct sample_filter {
	struct number_list pids, tids, cpus;
	struct number_list running; /* threads that run at the same time (session_parallelism.c) */
	struct name_list comms;
	bool of_processes; /* comms: all threads of a process whose first thread has the name */
	struct time_slices times;
	u64 time_from, time_to; /* bounds of them, in ns, both inclusive; to 0: no end */
	bool time_relative;     /* they count from the recording's first sample */
	u64 time_first;         /* which was then */
};

/* "1,4-7", "!0"; `what` names the list in the message. */
int sample_filter_numbers(struct number_list *l, const char *text, const char *what,
			  struct err *err);
/* "bash,python3": names as they are, no patterns. */
int sample_filter_comms(struct sample_filter *f, const char *text, struct err *err);
/* As sample_filter_times.c has it. Parts of the whole pass nothing before sample_filter_span(). */
int sample_filter_time(struct sample_filter *f, const char *text, struct err *err);
/* The times of the first sample and of the last are known. */
void sample_filter_span(struct sample_filter *f, u64 first, u64 last);

bool sample_filter_look(const struct sample_filter *f, const struct rec_ids *ids, const char *comm);
static inline bool sample_filter_pass(const struct sample_filter *f, const struct rec_ids *ids,
				      const char *comm)
{
	u64 limits = f->pids.nr | f->tids.nr | f->cpus.nr | f->comms.nr | f->times.nr;

	return !(limits | f->time_from | f->time_to) || sample_filter_look(f, ids, comm);
}

/* Does it look at times? */
static inline bool sample_filter_times(const struct sample_filter *f)
{
	return f->times.nr || f->time_from || f->time_to || f->time_relative;
}

/* Is this CPU one of those wanted? */
bool sample_filter_cpu(const struct sample_filter *f, u32 cpu);

/* Is it, while so many threads run? */
bool sample_filter_running(const struct sample_filter *f, u32 threads);

void sample_filter_free(struct sample_filter *f);

#endif
