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

/* syscall_sink.c: samples become calls. */

/* What a thread is in. */
struct syscall_thread {
	u64 nr, time;
	bool inside; /* a call that began and has not ended */
	bool seen;   /* a sample of it came */
	u32 cpu;
	struct syscall_call call; /* as it began; its texts are in `texts` */
	struct buf texts;
	struct buf stack; /* what the sink behind says of the call chain at the beginning */
};

struct syscall_event {
	struct syscall_layout layout;
	bool alone; /* beginnings whose ends are not recorded, or the other way round */
};

/* One sample, taken apart. */
struct syscall_at {
	const struct session_sample *s;
	const struct syscall_event *event;
	struct syscall_thread *thread;
	u32 id; /* of the thread */
	struct syscall_call call;
};

/* How a call ended, as far as it is known. */
enum syscall_end { SYSCALL_NOT_YET, SYSCALL_FAILED, SYSCALL_DONE };

static inline enum syscall_end syscall_end_of(s64 result)
{
	return result < 0 ? SYSCALL_FAILED : SYSCALL_DONE;
}

/*
 * The call that the thread is in, to be shown. What execve(2) names was read when the new program may have been there
 * already: it counts where there is none.
 */
struct syscall_call syscall_sink_call(const struct syscall_thread *t, enum syscall_end end);
/*
 * syscall_sink_threads.c: threads that are in a call stay, with their numbers, while the session forgets others (session.h); until they
 * are freed.
 */
void syscall_sink_hold_threads(struct syscall_sink *k);
void syscall_sink_free_threads(struct syscall_sink *k);

/* A program that has just begun knows what file it is of. */
void syscall_sink_program(struct syscall_sink *k, const struct syscall_at *a, s64 result,
			  struct syscall_call *c);
/* Of a call that began and ended: is it known how long it took? */
bool syscall_sink_is_timed(const struct syscall_sink *k, const struct syscall_at *a);
/* The call chain of a sample, by the sink behind. */
int syscall_sink_stack(struct syscall_sink *k, const struct session_sample *s, struct buf *out,
		       struct err *err);

/* syscall_sink_json.c: a system call as an object, in a line of its own. */

/* An object of a call whose beginning is known, its end perhaps. */
void syscall_json_begun(struct syscall_sink *k, const struct syscall_at *a,
			const struct syscall_thread *t, bool ended, s64 result, struct buf *out);
/* Of a call whose end alone is known; `born`: of one that another thread's object is of, too. */
int syscall_json_end(struct syscall_sink *k, const struct syscall_at *a, bool born, s64 result,
		     struct buf *out, struct err *err);

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
