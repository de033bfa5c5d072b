/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_summary.h - system calls summed up: the table of trace -s.
 *
 *	syscall_summary_by() -> syscall_summary_init(), once the events are known -> syscall_summary_add() of each call
 *	-> syscall_summary_text() or syscall_summary_json() -> syscall_summary_free()
 *
 *	   calls  errors    total      avg      p50      p99      max  syscall
 *	      34      13   133 us  3.91 us  3.50 us  7.01 us  7.01 us  openat
 *
 * It is a table of count_table.h, sorted by the time that calls took. Times are of the calls whose beginning and end are
 * known. Zeroed, it is that of all calls without further keys.
 */
#ifndef FORMAT_SYSCALL_SUMMARY_H
#define FORMAT_SYSCALL_SUMMARY_H

#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/report/count_table.h"

/* What the samples say of the calls, and what is missing: of all calls, whatever a filter says, but for `calls` and `before`. */
struct syscall_account {
	u64 calls;      /* that samples report, and that pass the filter */
	bool filtered;  /* there is one */
	u64 before;     /* of these begun before their thread's first sample */
	u64 unfinished; /* not ended when the samples did */
	u64 no_enter;   /* whose beginning is missing */
	u64 no_exit;    /* whose end is missing */
	u64 lost;       /* of which no sample is there */
};

/* How often the calls of a row failed with one error. */
struct syscall_summary_error {
	u32 row, error;
	u64 calls;
};

struct syscall_summary {
	bool named; /* which errors, in a column of their own; the caller's */
	/* what follows is kept up by the functions below */
	struct count_keys keys;
	struct count_table table;
	VEC(struct syscall_summary_error) errors; /* error 0: of any */
	struct hmap by_error;                     /* row and error -> one of these */
};

/* A call that is over, as far as it is known. */
struct syscall_made {
	const char *name;
	bool timed;
	u64 duration; /* ns, if timed */
	u32 error;    /* errno, 0: none, or not known */
};

/* Group by comm, pid, tid or cpu, too, in a list with commas. -EINVAL with a hint. */
int syscall_summary_by(struct syscall_summary *s, const char *by, struct err *err);
/* The session is prepared, and outlives the summary. */
int syscall_summary_init(struct syscall_summary *s, struct session *session, struct err *err);
/* The sample says whose call it was. -ENOMEM. */
int syscall_summary_add(struct syscall_summary *s, const struct session_sample *of,
			const struct syscall_made *made, struct err *err);
/* Append the table and what it lacks; 0 or -ENOMEM. As JSON: an object for each row, one for all. */
int syscall_summary_text(struct syscall_summary *s, const struct syscall_account *a,
			 struct buf *out, struct err *err);
int syscall_summary_json(struct syscall_summary *s, const struct syscall_account *a,
			 struct buf *out, struct err *err);
void syscall_summary_free(struct syscall_summary *s);

#endif
