/* SPDX-License-Identifier: GPL-2.0 */
/*
 * diff.h - what the options of perf-lite diff fill in (diff_options.c), and cmd_diff.c carries out.
 */
#ifndef PERF_LITE_DIFF_H
#define PERF_LITE_DIFF_H

#include "perf-lite/reading_notes.h"
#include "perf-lite/stacks_input.h"
#include "util/cli/terminal.h"
#include "util/format/diff_view.h"

/*
 * diff_side.c: one of the two that perf-lite diff compares: a recording, or folded stacks.
 *
 *	diff_side_look() of both -> diff_side_read() -> diff_side_put() -> diff_side_free()
 *
 * Recordings are read one after the other, and their stacks go to the trees of their events
 * while they are open; folded stacks wait until it is known which event they are compared with.
 *
 * The events of both, in order of first sight; section i is that of name i.
 */
struct diff_sections {
	VEC(struct diff_section) sections;
	struct strtab names; /* "": that of folded stacks alone */
};

struct diff_side {
	enum stack_diff_side which;
	struct reading in; /* its options are the caller's to set; path names either kind */
	bool folded;
	/* what follows is kept up by the functions below */
	struct stacks_input input;
	struct frame_tree stacks; /* folded ones */
	double seconds;           /* of the chosen time; 0: not known */
};

/* Find out what it is; of standard input, nothing is lost. */
int diff_side_look(struct diff_side *s, struct err *err);
/*
 * Read it. `plain`: names alone, as folded stacks have them; `one`: no more than one event can be
 * looked at. CMD_OK; CMD_PARTIAL: err says what is missing; <0: err.
 */
int diff_side_read(struct diff_side *s, bool plain, bool one, struct diff_sections *to,
		   struct err *err);
/* Folded stacks: add them to the event of the other side, if that is a recording. */
int diff_side_put(struct diff_side *s, struct diff_sections *to, struct err *err);
void diff_side_free(struct diff_side *s);

struct diff {
	struct reading in; /* the options of a side, while they are parsed */
	struct diff_side sides[STACK_DIFF_SIDES];
	struct diff_view view;
	double burst;
	bool csv, json, folded;
	enum colour_when colour;
	struct diff_sections sections;
	char *older; /* what is compared by default */
};

/*
 * Parse the command line into *d. What is not given has its default afterwards. rest->help: --help
 * was asked for and has been written, or err says why not.
 */
int diff_options(struct diff *d, int argc, char **argv, struct opt_rest *rest, struct err *err);

#endif
