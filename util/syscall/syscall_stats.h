/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_stats.h - how often system calls were made, failed, and how long they took.
 *
 * A row is one call of one thread. A thread is a number of the caller's. Sums of several threads
 * are made by adding their rows.
 */
#ifndef SYSCALL_SYSCALL_STATS_H
#define SYSCALL_SYSCALL_STATS_H

#include "util/base/err.h"
#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/syscall/syscall_signatures.h"

struct syscall_row {
	u32 thread;
	u64 nr;
	const struct syscall *what; /* NULL: not known */
	u64 calls;
	u64 errors;
	u64 timed;            /* calls whose duration is known: of these are */
	u64 total, min, max;  /* ns */
	double mean, squares; /* squares: sum of the squared distances from the mean */
};

struct syscall_error {
	u32 row;
	u32 error; /* errno */
	u64 calls;
};

struct syscall_stats {
	VEC(struct syscall_row) rows;
	VEC(struct syscall_error) errors;
	struct hmap by_call;  /* thread and number -> row */
	struct hmap by_error; /* row and errno -> error */
};

/* What is known of one call. */
struct syscall_made {
	u32 thread;
	u64 nr;
	const struct syscall *what;
	u64 duration; /* ns */
	bool timed;   /* the duration is known */
	u32 error;    /* errno, 0: none, or not known */
};

/* 0 or -ENOMEM. */
int syscall_stats_add(struct syscall_stats *s, const struct syscall_made *m, struct err *err);
/* Add a row to another, whose thread, number and name it keeps. */
void syscall_stats_merge(struct syscall_row *to, const struct syscall_row *from);
/* Of the mean, as perf prints it: the standard error in percent. */
double syscall_stats_deviation(const struct syscall_row *r);
void syscall_stats_free(struct syscall_stats *s);

#endif
