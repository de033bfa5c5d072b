/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_fields.h - a system call as one line of the things that a user chose: trace --fields.
 *
 *	syscall duration ret	its name, how long it took, the result or the name of the error
 *	ARGUMENT		filename, fd, ..., of the calls that have it
 *
 *	39254.123456 cat/1234         [001] openat: filename="/etc/hosts"~ ret=3
 *
 * What all events tell, and how a line begins, is as of events: selected_fields.h. What a call does not have, or
 * what is not known of it, is left out.
 */
#ifndef FORMAT_SYSCALL_FIELDS_H
#define FORMAT_SYSCALL_FIELDS_H

#include "util/format/selected_fields.h"
#include "util/syscall/syscall_text.h"

/* One call, as far as it is known. */
struct syscall_told {
	const struct session_sample *s; /* whose it is */
	const struct syscall_call *call;
	u64 time; /* of its beginning, or if that is not known of its end */
	u32 cpu;
	bool begun, timed, ended; /* its arguments, duration, result are known */
	u64 duration;             /* ns */
	s64 result;
};

/* Append the line. */
void syscall_fields_put(const struct selected_fields *f, struct time_text *time,
			const struct syscall_told *t, struct buf *out);

/* Is the name chosen? f NULL: all are. */
bool syscall_fields_wants(const struct selected_fields *f, const char *name);
bool syscall_fields_wants_general(const struct selected_fields *f, enum field what);
/* Leave out the arguments that are not chosen, in JSON. */
void syscall_fields_hide(const struct selected_fields *f, struct syscall_call *c);

#endif
