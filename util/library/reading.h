/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reading.h - reading the samples of a recording, or of what runs now: the input, which samples are wanted, and one after
 * the other.
 *
 *	reading_init(&c->in);
 *	opts[] = { OPT_INCLUDE(reading_input_opts, in), OPT_INCLUDE(reading_sample_opts, in), ... };
 *	opt_parse() -> reading_begin() -> reading_next() ... -> reading_end()
 *
 * Everything that reads samples goes through here: the commands, which begin by reading_open() of perf-lite/reading_notes.h,
 * and perflite.h. The options have one table, for command lines and for programs.
 */
#ifndef LIBRARY_READING_H
#define LIBRARY_READING_H

#include "util/cli/opt.h"
#include "util/cli/terminal.h"
#include "util/format/time_text.h"
#include "util/library/reading_select.h"
#include "util/profile/sample_filter.h"

struct stack_quality;

struct reading {
	struct session_options session;
	struct sample_filter filter;
	struct reading_select select;
	const char *event;     /* --event, NULL: not given */
	const char *times;     /* --time, likewise */
	bool prints_times;     /* the command prints times: --time takes a form as well */
	const char *time_word; /* of --time, "wall"; NULL: not given */
	enum time_form time_form;
	bool inlines, no_inlines, quiet;
	bool as_perf_inlines; /* as perf without either option: in unwound stacks alone */
	u64 max_stack;        /* UINT64_MAX: not given */
	const char *what;     /* shown while it takes long, "Reading samples"; NULL: nothing is */
	bool judges;          /* stacks are counted by how complete they are, where they are read */
	const char
		*whose; /* begins the lines on standard error, where several recordings are read */
	/* choices that the command makes itself among the samples it gets, and that none passed; NULL: there are none */
	const struct sample_filter *rows;
	const struct place_filter *row_places;
	bool no_rows;
	/* what follows is kept up by the functions below */
	struct session *s;
	u32 only_event; /* ID_NONE: all */
	bool live;      /* the input is a pipe */
	struct progress progress;
	u64 size; /* of the input, 0: not known */
	u32 seen; /* samples since progress was shown */
	struct buf cache;
	struct stack_quality *stacks; /* after reading_begin() */
};

/* reading_options.c: each reading_on_X() is the call of an option in opt.h's table, on a struct reading. */
int reading_on_comms(void *reading, const char *arg, struct err *err);
int reading_on_pids(void *reading, const char *arg, struct err *err);
int reading_on_tids(void *reading, const char *arg, struct err *err);
int reading_on_cpus(void *reading, const char *arg, struct err *err);
int reading_on_time(void *reading, const char *arg, struct err *err);
int reading_on_symbols(void *reading, const char *arg, struct err *err);
int reading_on_dsos(void *reading, const char *arg, struct err *err);

OPT_ROWS(reading_input_opts, struct reading);
OPT_ROWS(reading_symbol_opts,
	 struct session_options); /* where names come from; of the input as well */
OPT_ROWS(reading_sample_opts, struct reading);
OPT_ROWS(reading_weight_opts, struct reading); /* for commands that weigh samples */
OPT_ROWS(reading_time_opts, struct reading);   /* for commands that set prints_times */
OPT_ROWS(reading_name_opts, struct reading);   /* after a --max-stack that says its default */
OPT_ROWS(reading_other_opts, struct reading);

/*
 * reading_words.c: append the options that chose samples, as they are typed, but for --event: " --comms nginx --cpu 0-1".
 * `functions`: --symbols, too.
 */
void reading_put_words(const struct reading *r, bool functions, struct buf *out);
/* The first of them, "--comms", which says nothing to folded text; NULL: none. --latency is one, too. */
const char *reading_needs_recording(const struct reading *r);
/* Append what samples, and the rows of the command, were chosen by, in words: "event, command"; nothing: all are wanted. */
void reading_put_choices(const struct reading *r, struct buf *out);
/* The same in a word: may losses be of samples that were not chosen? */
enum reading_choice {
	READING_ALL,    /* all samples are wanted */
	READING_EVENTS, /* those of the chosen events */
	READING_SOME,   /* of these, too, some */
};
enum reading_choice reading_choice(const struct reading *r);

/* Nothing is given yet. */
void reading_init(struct reading *r);

/* Open the recording as the options say, and read until its events are known. r->s may be set even if this fails. */
int reading_begin(struct reading *r, struct err *err);

/*
 * After reading_begin(): choose what --event means (session_choose_event()), and set only_event to it if that is one event,
 * or the only one there is; else to ID_NONE. `one`: several cannot be shown together, `option` ("--event") chooses.
 */
int reading_choose_event(struct reading *r, bool one, const char *option, struct err *err);

/* How many events reading_choose_event() can choose of. */
u32 reading_nr_events(const struct reading *r);

/* As session_next(), of the samples that are wanted. */
int reading_next(struct reading *r, struct session_sample *s, struct err *err);
/* 1: the next sample that is wanted, 0: there is none, <0: err. */
int reading_sample(struct reading *r, struct session_sample *s, struct err *err);

void reading_end(struct reading *r);

/* reading_losses.c: what a recording does not hold, in lines for people. */

/*
 * Append a line for each cause: how many, on which CPUs, for how long. `reported` is what
 * PERF_RECORD_LOST counts, as for recording_lost(). Each line begins with `indent`.
 */
void reading_loss_lines(const struct recording *r, u64 reported, const char *indent,
			struct buf *out);

/* reading_damage.c: what of a recording could not be read, likewise. */

/*
 * Append a line for each kind of damage to a source that was read to its end; `misfits` are the
 * records of it that do not fit their event. True if something is missing; the line for what
 * matters most is the error then instead.
 */
bool reading_damage_lines(const struct recording *r, u64 misfits, struct buf *lines,
			  struct err *err);
#endif
