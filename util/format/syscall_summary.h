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
 *
 * Keys are of who made a call, and syscall_summary_keys.c: file (syscall_file.c), ret, arguments by name, as lines show
 * them but for the marks of texts.
 */
#ifndef FORMAT_SYSCALL_SUMMARY_H
#define FORMAT_SYSCALL_SUMMARY_H

#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/report/count_table.h"
#include "util/syscall/syscall.h"

/* What the samples say of the calls, and what is missing: of all calls, whatever a filter says, but for `calls` and `before`. */
struct syscall_account {
	u64 calls;      /* that samples report, and that pass the filter */
	bool filtered;  /* there is one, or samples were chosen otherwise */
	u64 before;     /* of these begun before their thread's first sample */
	u64 unfinished; /* not ended when the samples did */
	u64 no_enter;   /* whose beginning is missing */
	u64 no_exit;    /* whose end is missing */
	u64 only_enter; /* whose end is not traced */
	u64 only_exit;  /* likewise their beginning */
	u64 lost;       /* of which no sample is there */
	u64 across;     /* whose duration is not known, since events were lost meanwhile */
	bool delayed;   /* calls took longer, since texts were read from processes meanwhile */
};

/* How often the calls of a row failed with one error. */
struct syscall_summary_error {
	u32 row, error;
	u64 calls;
};

struct syscall_summary {
	bool named; /* which errors, in a column of their own; the caller's */
	/* what follows is kept up by the functions below */
	bool by_args;  /* keys are of arguments */
	bool by_texts; /* also of such as are texts in the memory of processes */
	bool by_file;  /* and of files: those behind descriptors are asked for */
	struct count_keys keys;
	const char *given[COUNT_KEYS_MAX]; /* what KEY_TEXTs are of a call, in `texts` */
	struct buf texts, one;
	struct count_table table;
	VEC(struct syscall_summary_error) errors; /* error 0: of any */
	struct hmap by_error;                     /* row and error -> one of these */
};

/* A call that is over, as far as it is known. */
struct syscall_made {
	const struct syscall_call *call;
	bool begun, ended; /* its arguments, its result are known */
	bool timed;        /* and its duration */
	u64 duration;      /* ns */
	s64 result;
};

/* Group by these, too: a list with commas. -EINVAL with a hint. */
int syscall_summary_by(struct syscall_summary *s, const char *by, struct err *err);
/* The session is prepared, and outlives the summary. */
int syscall_summary_init(struct syscall_summary *s, struct session *session, struct err *err);
/* What the keys of calls are of this one, for the table to count it: s->given. -ENOMEM. */
int syscall_summary_give(struct syscall_summary *s, const struct syscall_made *made,
			 struct err *err);
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
