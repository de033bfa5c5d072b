/* SPDX-License-Identifier: GPL-2.0 */
/* syscall_sink_internal.h - what the parts of syscall_sink.h share. */
#ifndef FORMAT_SYSCALL_SINK_INTERNAL_H
#define FORMAT_SYSCALL_SINK_INTERNAL_H

#include "util/base/buf.h"
#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/format/selected_fields.h"
#include "util/format/syscall_sink.h"
#include "util/syscall/syscall.h"

/*
 * syscall_sink_fields.c: a system call as one line of the things that a user chose: trace --fields.
 *
 *	syscall duration ret	its name, how long it took, the result or the name of the error
 *	ARGUMENT		filename, fd, ..., of the calls that have it
 *
 *	39254.123456 cat/1234         [001] openat: filename="/etc/hosts"~ ret=3
 *
 * Fields that all events have, and the beginning of a line, are as for events: selected_fields.h. What a call does not
 * have, or what is unknown, is left out.
 */

/* One call, as far as it is known. */
struct syscall_report {
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
			const struct syscall_report *t, struct buf *out);

/* Is the name chosen? f NULL: all are. */
bool syscall_fields_wants(const struct selected_fields *f, const char *name);
bool syscall_fields_wants_general(const struct selected_fields *f, enum field what);
/* Leave out the arguments that are not chosen, in JSON. */
void syscall_fields_hide(const struct selected_fields *f, struct syscall_call *c);

/*
 * syscall_sink_strings.c: the texts that system calls name, read from the memory of their processes as
 * soon as the samples come out of the rings, and kept until their turn has come by time.
 *
 * Zero-initialised, it is empty and ready. Samples are asked for in the order of their times; what was not
 * asked for is forgotten when later ones are.
 */

/* Longer texts are cut. */
#define SYSCALL_STRING_MAX 4096

/* Read what an argument of a call points to now. What cannot be read or kept is left out. */
void syscall_strings_read(struct syscall_strings *s, u32 tid, u64 time, u32 arg, u64 address);
/* The same of the bytes of a socket's address, which has a family at least. */
void syscall_strings_read_bytes(struct syscall_strings *s, u32 tid, u64 time, u32 arg, u64 address,
				u32 size);
/* The same for the program of the process, as it was passed to execve(2). */
void syscall_strings_read_program(struct syscall_strings *s, u32 tid, u64 time, u32 arg);
/* What was read; s NULL if nothing was. It lives until the next call of either function. */
struct syscall_string syscall_strings_get(struct syscall_strings *s, u32 tid, u64 time, u32 arg);
void syscall_strings_free(struct syscall_strings *s);

#endif
