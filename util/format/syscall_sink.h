/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_sink.h - samples of system calls as calls: what was called, with what, for how long, and what
 * came of it.
 *
 *	39254.123456 ( 0.012 ms): cat/1234 openat(dfd: CWD, filename: "/etc/hosts"~, flags: RDONLY)      = 3
 *	39254.123500 (         ): sh/12 wait4(upid: -1, ...                                            ...
 *	39254.129000 ( 5.500 ms): sh/12  ... [continued]: wait4() = 1234
 *	39254.130000 (         ): cat/1234  ... [continued]: execve() = 0
 *
 * With call chains the lines of the frames at its beginning follow, where it has one, as the sink behind shows
 * them. A line has the time at which it begins, and lines are in its order: of a call during which something
 * else is printed the end is a line of its own. A call that was made before the first sample, or
 * whose beginning was lost, has an end alone, and no duration. One whose end was lost has "...", one
 * that does not return "= ?". Samples of other events go to a sink of their own.
 *
 * With a filter a call is one line, when it has ended. With chosen fields it is, too (syscall_sink_fields.c), in the order of their ends. As JSON it is an object, in
 * the same order:
 *
 *	{"time":39254123456000,"comm":"cat","pid":1234,"tid":1234,"cpu":0,"duration":12000,
 *	 "syscall":"openat","nr":257,"args":{"dfd":{"value":-100,"name":"CWD"},...},"ret":3}
 *	"callchain":[...] behind "args", as the sink behind shows it;
 *	"error":"ENOENT" with a "ret" of -2; without "duration" and "args" where the beginning is not
 *	known, and "time" then is that of the end; without "ret" where the end is not known
 */
#ifndef FORMAT_SYSCALL_SINK_H
#define FORMAT_SYSCALL_SINK_H

#include "arch/arch.h"
#include "util/format/sink.h"
#include "util/format/syscall_summary.h"
#include "util/format/time_text.h"
#include "util/syscall/syscall.h"

struct syscall_sink_options {
	struct time_text *time; /* of lines of text; the caller's */
	bool lines;             /* the calls */
	bool json;              /* as objects */
	/* of the calls these things alone, each as one line when it ends; NULL: all there is */
	const struct selected_fields *fields;
	const char *filter; /* of the calls, the others are not there; NULL: all are */
	u64 min_ns;         /* nor are those that take less, or nobody knows how long */
	struct syscall_summary *summary; /* counts them; NULL: nobody does */
	struct sink *other;              /* gets what is no system call; NULL: nobody */
	/* Can an event of all calls be of that one? NULL: it can. */
	bool (*has_call)(const void *arg, u32 event, u32 number);
	const void *has_call_arg;
};

/* Texts that were read: syscall_sink_strings.c */
struct syscall_string_at {
	u64 time;
	u32 tid, arg;
	u32 at, len; /* in bytes of the table */
	bool cut;
};

struct syscall_strings {
	struct syscall_string_table {
		VEC(struct syscall_string_at) v;
		struct hmap index;
		struct buf bytes;
		u64 newest; /* time of any */
	} young, old;
};

struct syscall_sink {
	struct sink sink;
	struct syscall_sink_options options;
	struct session *session;
	struct session_holder holder;      /* of threads that are in a call */
	bool ends;                         /* of some of them nothing more may come */
	const struct arch_syscalls *table; /* NULL: of a machine that is not known */
	bool arm;
	VEC(struct syscall_event) events;   /* of the recording */
	VEC(struct syscall_thread) threads; /* as the process model's */
	bool cut;                           /* calls that have not ended at the end are not shown */
	u64 lost_at;     /* before that time samples may be lost: syscall_sink_lost() */
	bool takes_args; /* somebody asks what calls are made with */
	struct buf line; /* the thread, of the call that is not printed yet */
	u32 line_thread; /* whose it is; ID_NONE: there is none */
	u64 line_time;
	struct syscall_strings strings;
	struct syscall_filter *filter; /* NULL: all calls are wanted */
	struct syscall_account account;
	u64 births; /* ends in new threads of the calls that made them: reported, and no calls of the account */
};

/* All that is pointed at stays the caller's and must outlive the sink; its events are known. -EINVAL: of the filter. */
int syscall_sink_init(struct syscall_sink *k, const struct syscall_sink_options *o,
		      struct session *s, struct err *err);

/*
 * A sample of the running system, as it comes out of its ring: the texts that the call names are read
 * from the process.
 */
void syscall_sink_look(struct syscall_sink *k, const struct rec *rec,
		       const struct sample_layout *layout);

/* Which side of calls an event of the recording is of. */
enum syscall_side syscall_sink_side(const struct syscall_sink *k, u32 event);

/* Samples before that time may be lost: how long a call took that began earlier is not known. */
void syscall_sink_lost(struct syscall_sink *k, u64 time);

/* Have the samples of any call the path of a file or a text that it names? Live, those are read (syscall_sink_look()). */
bool syscall_sink_has_texts(const struct syscall_sink *k);

/* Are there calls that are not wanted? */
bool syscall_sink_is_filtered(const struct syscall_sink *k);

/* Has the recording events of system calls? */
bool syscall_sink_is_wanted(const struct session *s);

/*
 * It is `now` on the clock of the samples: a call that began a tenth of a second ago or longer is
 * printed without its end, and one whose thread ended in it long ago has not ended. -ENOMEM.
 */
int syscall_sink_wait(struct syscall_sink *k, u64 now, struct buf *out, struct err *err);

/* Append what a thread of the model is called, escaped. */
void syscall_sink_comm(const struct process_model *m, u32 thread, struct buf *out);

#endif
