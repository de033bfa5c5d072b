/* SPDX-License-Identifier: GPL-2.0 */
/*
 * watching.h - samples for commands that show what happens now: of the running system, straight
 * from its rings, or with -i of a recording.
 *
 *	watching_init(&c->w, "trace", err);
 *	opts[] = { OPT_INCLUDE(watching_input_opts, w), OPT_INCLUDE(watching_target_opts, w), ...,
 *		   OPT_INCLUDE(reading_other_opts, w.in) };
 *	opt_parse() -> watching_events() -> watching_open() -> watching_start() -> watching_next() ... -> watching_verdict()
 *	-> watching_close()
 *
 * Between watching_open() and watching_start() the events are known (w.in.s->source->recording) and
 * nothing is counted yet. Samples come in order of time, and at most two rounds late.
 */
#ifndef PERF_LITE_WATCHING_H
#define PERF_LITE_WATCHING_H

#include "perf-lite/reading_notes.h"
#include "perf-lite/sampling.h"
#include "util/capture/live.h"

struct watching {
	const char *command;  /* "trace" */
	struct sampling what; /* of the running system */
	struct reading in;    /* what comes of it; also the options of -i */
	const char *input;    /* -i, NULL: the running system */
	u64 duration_ns;      /* --duration, 0: no end */
	bool plain_duration;  /* ... was given as a number without a unit */
	u64 delay_ns;         /* begin so long after the start */
	u64 round_ns; /* how often the rings are read at least; set before watching_open() */
	bool hurry; /* samples are counted, not printed: reading them may come before everything else */
	bool prompt;   /* read each sample at once: it names what may soon be gone; with look */
	bool mappings; /* report mappings, which functions are looked up in, also without -g */
	/* looks at samples as they come out of the rings (live.h); NULL: nothing */
	void (*look)(void *arg, const struct rec *rec, const struct sample_layout *layout);
	void *look_arg;
	/* what follows is kept up by the functions below */
	struct live *live; /* NULL: a recording is read */
	struct buf notes;  /* lines for the user, not printed yet */
	bool stopped;
};

/* The call of -D in opt.h's table, on a struct watching. */
int watching_on_delay(void *watching, const char *arg, struct err *err);

OPT_ROWS(watching_input_opts, struct watching); /* -i, and where its names come from */
OPT_ROWS(watching_target_opts, struct watching);

#define WATCHING_ROUND_NS 10000000ull

/* Nothing is given yet. 0, or err. */
int watching_init(struct watching *w, const char *command, struct err *err);

/*
 * Look up the events of -e, --filter and -G on this machine. With -i they are those of the recording, and
 * watching_open() chooses among them. -EINVAL and others: err.
 */
int watching_events(struct watching *w, struct err *err);

/*
 * --comm without a process of that name: everybody is watched, or the command, and samples of other names are passed
 * over. watching_open() does it, if the caller has not.
 */
int watching_find_comm(struct watching *w, bool command, struct err *err);
/*
 * Open what the options and the operands (a command to run) ask for. w->in.session says what of samples
 * is needed (no_raw, no_chains). CMD_OK; CMD_USAGE, CMD_NO_START and err.
 */
int watching_open(struct watching *w, struct opt_rest *rest, struct err *err);
/* Begin: enable the events, let the command go. Nothing to do for a recording. */
int watching_start(struct watching *w, struct err *err);

/*
 * SESSION_SAMPLE: *s. SESSION_WAIT: all samples older than watching_time() have been given, and
 * the next call waits; the running system gives it each round. SESSION_END: the recording or the
 * command ended, the time is up, or a signal came. <0: err.
 */
int watching_next(struct watching *w, struct session_sample *s, struct err *err);
/* On the clock of the samples, in ns; 0: not known yet. */
u64 watching_time(const struct watching *w);
/* Samples that are known to be lost so far. */
u64 watching_lost(const struct watching *w);
/* Has the reader of standard output gone away? */
bool watching_is_unread(void);
/* Let watching_next() end as if its time were up: --limit. */
void watching_stop(struct watching *w);

/*
 * After SESSION_END: what is missing, in lines on standard error. The command's exit code or CMD_OK;
 * CMD_PARTIAL for a recording that is damaged. `more`: further lines, NULL: none.
 */
int watching_verdict(struct watching *w, const struct buf *more, struct err *err);
void watching_close(struct watching *w);

/*
 * watching_events.c: with -i, the events of -e are those of the recording: by name, as perf-lite evlist prints it, with or
 * without modifiers, or by pattern. In trace, names of system calls are the events of these calls.
 *
 * Is the event one that the term means? cs is context-switches.
 */
bool watching_is_named(const char *event, const char *term);
/*
 * After reading_open(): choose them, and of their samples those that --filter lets pass.
 */
int watching_choose_recorded(struct watching *w, struct err *err);

#endif
