/* SPDX-License-Identifier: GPL-2.0 */
/*
 * watching.h - samples of the running system, straight from its rings.
 *
 *	watching_init(&c->w, "trace", err);
 *	opts[] = { OPT_INCLUDE(watching_input_opts, w), OPT_INCLUDE(watching_target_opts, w), ...,
 *		   OPT_INCLUDE(reading_other_opts, w.in) };
 *	opt_parse() -> watching_events() -> watching_need() -> watching_choose() -> watching_begin() -> watching_enable() -> watching_next() ...
 *	-> watching_end()
 *
 * Between watching_begin() and watching_enable() the events are known (w.in.s->source->recording) and
 * nothing is counted yet. Samples come in order of time, and at most two rounds late.
 * Commands, which read recordings as well, go through perf-lite/watching_run.h.
 */
#ifndef LIBRARY_WATCHING_H
#define LIBRARY_WATCHING_H

#include <signal.h>

#include "util/capture/live.h"
#include "util/library/reading.h"
#include "util/library/sampling.h"
#include "util/report/sample_keys.h"

struct watching {
	const char *command;  /* "trace" */
	struct sampling what; /* of the running system */
	struct reading in;    /* what comes of it; also the options of -i */
	const char *input;    /* -i, NULL: the running system */
	u64 duration_ns;      /* --duration, 0: no end */
	bool plain_duration;  /* ... was given as a number without a unit */
	u64 delay_ns;         /* begin so long after the start */
	u64 round_ns; /* how often the rings are read at least; set before watching_begin() */
	bool hurry; /* samples are counted, not printed: reading them may come before everything else */
	bool prompt;     /* read each sample at once: it names what may soon be gone; with look */
	bool cpu_places; /* where CPUs are, a fact of the recording */
	bool mappings;   /* report mappings, which functions are looked up in, also without -g */
	/* looks at samples as they come out of the rings (live.h); NULL: nothing */
	void (*look)(void *arg, const struct rec *rec, const struct sample_layout *layout);
	void *look_arg;
	const volatile sig_atomic_t *stop; /* the caller's; not 0: it is to end */
	bool own_output; /* standard output has data of ours: what the command prints goes to standard error */
	bool embedded; /* in a program of somebody else, whose limits and processes stay as they are */
	const char *version; /* of the program, a fact of the recording */
	/* what follows is kept up by the functions below */
	struct live *live; /* NULL: a recording is read */
	struct buf notes;  /* lines for the user, not printed yet */
	bool stopped;
	const char
		*ended_by; /* the caller's: the option that watching_stop() was for; NULL: none */
	int command_error; /* errno of the command, where it did not start */
};

/* The call of -D in opt.h's table, on a struct watching. */
int watching_on_delay(void *watching, const char *arg, struct err *err);

OPT_ROWS(watching_input_opts, struct watching); /* -i, and where its names come from */
OPT_ROWS(watching_target_opts, struct watching);

#define WATCHING_ROUND_NS 10000000ull

/* Nothing is given yet. 0, or err. */
int watching_init(struct watching *w, const char *command, struct err *err);

/* Look up the events of -e, --filter and -G on this machine; nothing to do with `input`. -EINVAL and others: err. */
int watching_events(struct watching *w, struct err *err);

/* Let there be in samples and beside them what keys need; once the events are looked up. */
void watching_need(struct watching *w, const struct sample_needs *needs);

/*
 * --comm: everybody is watched, and samples of processes with other names are passed over, so processes that start later
 * are seen, too. Without the right to do so, the processes that have the name now, or the command's. watching_choose() does it, if
 * the caller has not.
 */
int watching_find_comm(struct watching *w, bool command, struct err *err);
/* Choose targets, which may be a command, buffers and attrs, as the options say. */
int watching_choose(struct watching *w, bool command, struct err *err);
/*
 * Open it all, with the command to run, argv as for execve(2), or NULL. w->in.session says what of samples
 * is needed (no_raw, no_chains). <0: err; command_error is set where the command is the cause.
 */
int watching_begin(struct watching *w, char **command, struct err *err);
/* Enable the events, let the command go; likewise. */
int watching_enable(struct watching *w, struct err *err);

/*
 * SESSION_SAMPLE: *s. SESSION_WAIT: all samples older than watching_time() have been given, and
 * the next call waits; the running system gives it each round. SESSION_END: the recording or the
 * command ended, the time is up, or a signal came. <0: err.
 */
int watching_next(struct watching *w, struct session_sample *s, struct err *err);
/* On the clock of the samples, in ns; 0: not known yet. */
u64 watching_time(const struct watching *w);
/* When the running system's samples begin, on that clock, if they have just been enabled: with -D, so much later. */
u64 watching_begins(const struct watching *w);
/* Samples that are known to be lost so far. */
u64 watching_lost(const struct watching *w);
/* Let watching_next() end as if its time were up: --limit. */
void watching_stop(struct watching *w);

/* Is the event one that the term means? Modifiers are of no account; the term may be a pattern, and cs is context-switches. */
bool watching_is_named(const char *event, const char *term);
/* Note an -I of many seconds that was given as a number without a unit: perf stat -I counts milliseconds. */
void watching_note_interval(struct watching *w, const char *arg, u64 ns);
/* Gather lines for the user in w->notes. */
void watching_take_notes(struct watching *w);
void watching_end(struct watching *w);

#endif
