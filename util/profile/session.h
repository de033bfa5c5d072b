/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session.h - one reading of a recording: samples in order of time, with what is known of each.
 *
 *	session_open() -> session_next() ... -> session_close()
 *
 * Keeps the process model at the time of the sample that it gives out. The model gives the process of
 * a sample that has only a tid; a tid that no record names is taken for a process of its own. The
 * events of the recording are known with the first sample at the latest; session_prepare() reads up to there.
 * SESSION_WAIT is passed on from the source (SOURCE_WAIT).
 * Samples that hold a copy of their stack are given out with the call chain unwound from it, those whose
 * user half comes later (record/deferred.h) with that half.
 */
#ifndef PROFILE_SESSION_H
#define PROFILE_SESSION_H

#include <sys/utsname.h>

#include "util/file/source.h"
#include "util/process/process.h"
#include "util/profile/frame.h"

struct sample_filter;
struct tp_opts;

/* Of samples with a copy of their stack. */
struct session_unwinding {
	int engine; /* enum unwind_engine (unwind.h) */
	bool again; /* chains that were unwound while recording, where that can be done */
};

/* How many threads run at the time of a sample (session_parallelism.c). */
struct session_threads {
	bool count;
	bool latency; /* likewise, and periods are the parts of them that are wall-clock time */
};

struct session_options {
	const char *path;      /* "-": standard input */
	struct stream *in;     /* of it if it is open already, taken over; NULL: it is not */
	struct source *source; /* taken over, opened by somebody else; NULL: open the above */
	const char *symfs;     /* directory used as "/" when files are opened, NULL: "/" */
	const char *cache;     /* where perf keeps copies of binaries, NULL: nowhere */
	const char *kallsyms;  /* file of kernel symbols, NULL: the running kernel's where it is the
				 recorded one */
	const char *vmlinux;   /* image of the recorded kernel, NULL: none was named */
	bool show_kernel_path; /* vmlinux is shown as the file of kernel code */
	bool debuginfod; /* fetch images and debug files from the servers of DEBUGINFOD_URLS */
	bool as_perf;    /* symbols and mappings as perf sees them, where that is not right */
	struct resolve_options resolve;
	struct sample_filter *filter; /* the caller's; NULL: all samples */
	struct session_unwinding unwinding;
	/* what need not be read, and may be empty; times and CPUs are taken from the filter */
	struct source_want want;
	struct session_threads threads;
	bool no_stacks; /* numbers of call chains; may be said after session_prepare(), too */
	bool drop_companions; /* drops get what other tracepoints know of their packets (drop_companions.h) */
	bool bare;   /* samples as they come, unsorted, without thread, command and stack */
	u64 records; /* give out records of these types, too: bits 1 << PERF_RECORD_* */
};

struct session_sample {
	const struct sample *sample;
	const struct event_desc *desc;
	u32 event;                   /* its index in the recording */
	const struct thread *thread; /* NULL: out of memory only */
	const char *comm;            /* escaped; ":TID" while not known */
	u32 running;                 /* threads that run at its time, if that is asked for */
	u64 period;                  /* of CPU time: as it was recorded */
	u32 samples; /* that it represents, 1 if they come one by one; its time is that of the first */
	u64 last;    /* time of the last of them */
	u32 stack; /* the number of its call chain (symboliser.h), 0: it has none */
};

/*
 * What the sample weighs: its period, how much of its event passed since the sample before; 1 where the recording has none. As
 * wall-clock time it may be 0.
 */
static inline u64 session_sample_weight(const struct session_sample *s)
{
	return s->sample->period || s->period ? s->sample->period : 1;
}

/* A record that is no sample, applied to the process model. */
struct session_record {
	const struct rec *rec;
	const struct event_desc *desc; /* whose fields its line has, NULL: not known */
	struct rec_ids ids;
	const char *comm; /* of the thread that it is about, as above */
};

/* What was read so far. */
struct session_totals {
	bool any;               /* a sample at all, wanted or not */
	u64 samples;            /* given out */
	u64 first, last;        /* times of samples, wanted or not; 0: none had one */
	u64 lost, lost_samples; /* by PERF_RECORD_LOST and LOST_SAMPLES */
	u64 malformed;
	u64 foreign_stacks; /* copies of stacks that cannot be unwound: of the other byte order */
};

/* session_forget.c */
struct session_forgetting {
	struct session_holder *holders;
	u64 size; /* when all that may be dead takes so many bytes */
	u64 last; /* a time on the clock of the samples */
};

/* To be read by those who hold the session; session_next() writes it. */
struct session {
	struct session_options options;
	struct source *source; /* the last stage of the chain (source.h) */
	struct process_model model;
	struct symbols *symbols;
	struct symboliser *symboliser;
	struct tp_format *
		*formats; /* by event, NULL: not a tracepoint, or its format is not known */
	struct tp_prog **programs;
	u32 nr_events; /* of formats and programs */
	u32 *given_as; /* by event, see session_choose_event(); NULL: all events are asked for */
	struct printk_formats *strings;
	struct cgroup_names *cgroups;
	struct task_namespaces *namespaces;
	struct thread_cache *tasks;
	struct buf notes; /* lines for the user: formats that cannot be printed, ... */
	struct sample sample;
	struct session_record record;
	struct session_totals totals;
	struct session_forgetting forgetting;
	struct session_parts *parts; /* what only session.c looks at */
};

/*
 * session_forget.c: days of short-lived processes do not fill the memory.
 *
 * Where the running system is read, what is known of tasks that ended goes now and then: threads, mappings, frames, numbers
 * of stacks. Numbers of DSOs and commands stay. Who keeps numbers of frames or threads (indices in model.threads) from
 * one sample to the next is a holder. SESSION_WAIT is the time for it: holders are asked what they keep, and then
 * get the new numbers.
 */
struct session_numbers {
	u32 *frames, *threads;
	u32 nr_frames, nr_threads;
};

struct session_holder {
	/* Set what is kept to 1; NULL: all of it is, and nothing is forgotten meanwhile. */
	void (*keep)(struct session_holder *h, const struct session_numbers *kept);
	/* The new numbers by the old ones; ID_NONE of what is gone. */
	void (*moved)(struct session_holder *h, const struct session_numbers *now);
	/* the session's; NULL: it is no holder */
	struct session *session;
	struct session_holder *next;
};

/* A holder stays where it is until its release or the end of the session; a zeroed one can be released, too. */
void session_hold(struct session *s, struct session_holder *h);
void session_release(struct session_holder *h);
/* At another time: `s` is the sample in hand, which stays right. */
void session_forget(struct session *session, struct session_sample *s);

struct session *session_open(const struct session_options *o, struct err *err);
/* Read until the events are known. */
int session_prepare(struct session *s, struct err *err);
/* options.threads.count, of a session that was prepared and gave out no sample yet. -EINVAL: that was not recorded. */
int session_count_threads(struct session *s, struct err *err);
/*
 * SESSION_SAMPLE: the next sample that passes the filter. SESSION_RECORD: `record` of the session is
 * one of the other types that were asked for. SESSION_WAIT: none is ready, and the next
 * call may wait for input: a good moment to write out what there is. SESSION_END. <0: err.
 */
enum session_result {
	SESSION_END = SOURCE_END,
	SESSION_SAMPLE = SOURCE_RECORD,
	SESSION_WAIT = SOURCE_WAIT,
	SESSION_RECORD,
};
int session_next(struct session *s, struct session_sample *out, struct err *err);
/* No more samples are asked for: memory that only reading took goes back. */
void session_finish(struct session *s);
void session_close(struct session *s);

/* Samples that were lost, as its records have it: those of LOST, or what LOST_SAMPLES add up to. */
u64 session_lost(const struct session *s);
/* Samples that were lost and are in none of the recording's losses. */
u64 session_lost_unlisted(const struct session *s);

/* Is the recorded kernel the one that runs, so that its addresses and types are those of the recording? */
bool session_is_running_kernel(const struct recording *r);
/* The machine that recorded, as uname -m has it: this one where the recording does not say. NULL: not known. */
const char *session_machine(const struct session *s, struct utsname *here);
/* What the recording says of the machine to those who compile print fmts. */
struct tp_opts session_tp_opts(const struct session *s);

/*
 * session_events.c: which events a name means: all of that name, or with "NAME#2" the second of them alone. Events of one
 * name are two filters of one event, or two probes at one place whose expressions differ. Those that count the same and have
 * the same fields are "another" of the first, and can be put together.
 */

/* The first event that the name means; ID_NONE if there is none. */
u32 session_event(const struct session *s, const char *name);
/* Likewise, the first that is not before the event `from`. */
u32 session_event_from(const struct session *s, const char *name, u32 from);
bool session_is_another(const struct session *s, u32 event, u32 first);
/* 2: the second of its name, which means events of other kinds as well; 0: the name means this kind alone. */
u32 session_event_number(const struct session *s, u32 event);
/* Append how the event is chosen: its name, with the number if it has one. */
void session_put_event(const struct session *s, u32 event, struct buf *out);
/*
 * After session_prepare(): of the events that the name means, given_as says as which samples are to be given out: those that are
 * another of the first as the first. ID_NONE: the event is not asked for. *nr: how many are left.
 */
int session_choose_event(struct session *s, const char *name, u32 *nr, struct err *err);
static inline u32 session_event_as(const struct session *s, u32 event)
{
	return s->given_as ? s->given_as[event] : event;
}
/* Are samples of the event asked for? */
static inline bool session_wants_event(const struct session *s, u32 event)
{
	return session_event_as(s, event) != ID_NONE;
}
/* Is the loss one of them, or of no event? `event`: of what is given out as this one alone; ID_NONE: of all of them. */
bool session_wants_loss(const struct session *s, u32 event, const struct loss *l);

#endif
