/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscalls.h - system calls by name, for commands that show samples: the events that record them, and
 * lines and a table of them.
 *
 *	syscalls_init(&c, &sampling);           before the options are read
 *	opts[] = { OPT_INCLUDE(syscalls_opts, calls), ... };
 *	opt_parse() -> syscalls_events() -> syscalls_sink() ... -> syscalls_free()
 */
#ifndef PERF_LITE_SYSCALLS_H
#define PERF_LITE_SYSCALLS_H

#include "util/cli/opt.h"
#include "util/format/syscall_sink.h"
#include "util/library/watching.h"

struct syscalls {
	struct sink sink; /* the first member */
	bool summary;     /* -s: a table instead of lines */
	bool with_summary;
	const char *by;    /* keys of its rows, NULL: none */
	const char *split; /* the option that says how rows are split */
	bool paths;        /* -y: of files behind descriptors */
	bool off;          /* --no-syscalls: events of system calls are like others */
	u64 min_ns;        /* --min: shorter calls are left out */
	struct syscall_summary table;
	const struct sampling *sampling; /* has the filter of calls */
	/* what follows is made by syscalls_sink() */
	struct syscall_sink calls;
	const struct reading *in;
	bool json, made;
	bool looks; /* texts are read from processes, which takes time of their calls */
};

OPT_ROWS(syscalls_opts, struct syscalls);

/* Patterns of system calls in -e become two events: ev_tracepoint.h. */
void syscalls_init(struct syscalls *c, struct sampling *s);

/*
 * After the options of what runs: without -e all system calls, of a command or processes that were named,
 * in a table or with a filter of calls those of everybody, too.
 */
int syscalls_events(const struct syscalls *c, struct sampling *s, bool command, struct err *err);

/* After the options: do they go together? */
int syscalls_check(struct syscalls *c, struct err *err);

/*
 * Put a sink before `other`, which gets what is no system call: *sink is it, or `other` where there is
 * nothing for it to do. The events are known.
 */
int syscalls_sink(struct syscalls *c, const struct watching *w, struct sink *other,
		  struct time_text *time, bool json, const struct selected_fields *fields,
		  struct sink **sink, struct err *err);

/*
 * A sample as it comes out of its ring (live.h), of a struct syscalls: texts are read from processes while they
 * are there. syscalls_looks(): there is something to look for.
 */
void syscalls_look(void *syscalls, const struct rec *rec, const struct sample_layout *layout);
bool syscalls_looks(struct syscalls *c, const struct sampling *s);

/* How many calls were reported so far; are samples of this event reported as calls? */
u64 syscalls_reported(const struct syscalls *c);
bool syscalls_are_of(const struct syscalls *c, u32 event);
/* Samples before that time may be lost. */
void syscalls_lost(struct syscalls *c, u64 time);
/* Report nothing more about calls that have not ended. */
void syscalls_cut(struct syscalls *c);

/* All samples older than `now` have come. */
int syscalls_wait(struct syscalls *c, u64 now, struct buf *out, struct err *err);
void syscalls_free(struct syscalls *c);

#endif
