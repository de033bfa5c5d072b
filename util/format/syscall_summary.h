/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_summary.h - the tables of perf trace -s: for each thread its system calls, how often, how
 * many failed, and how long they took; below them all threads together, and what is missing.
 *
 *	 cat (1234), 56 calls, 97.3%
 *
 *	   syscall            calls  errors     total       min       avg       max   stddev
 *	                                       (msec)    (msec)    (msec)    (msec)      (%)
 *	   --------------- --------  ------ --------- --------- --------- ---------   ------
 *	   openat                34      13     0.133     0.003     0.004     0.007    4.10%
 *
 * Threads are in the order of how much they called, calls in that of the time that they took. Times
 * are of the calls whose beginning and end are known.
 */
#ifndef FORMAT_SYSCALL_SUMMARY_H
#define FORMAT_SYSCALL_SUMMARY_H

#include "util/format/syscall_sink.h"

enum syscall_summary_mode {
	SYSCALL_SUMMARY_THREADS, /* each thread, and all together */
	SYSCALL_SUMMARY_PROCESSES,
	SYSCALL_SUMMARY_TOTAL,
};

struct syscall_loss {
	u64 samples;       /* that were lost */
	u64 enters, exits; /* of them, if `sides`: known by side */
	bool sides;
};

struct syscall_summary_options {
	enum syscall_summary_mode mode;
	bool errors; /* which errors, below each call */
	struct syscall_loss lost;
};

/* Append the tables; 0 or -ENOMEM. As JSON: an object for each row, one for all. */
int syscall_summary_text(const struct syscall_sink *k, const struct syscall_summary_options *o,
			 struct buf *out, struct err *err);
int syscall_summary_json(const struct syscall_sink *k, const struct syscall_summary_options *o,
			 struct buf *out, struct err *err);

#endif
