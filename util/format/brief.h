/* SPDX-License-Identifier: GPL-2.0 */
/*
 * brief.h - what a recording shows in a few lines: the most important ones of a report.
 *
 *	fill in a struct brief -> brief_choose(): so many lines -> brief_text() or brief_json() -> brief_free()
 *
 * Lists are sorted by who fills them in, the highest share first. brief_choose() ranks all lines that there could be and
 * keeps the first; each event has its own, those with more samples more of them. JSON has the rows whose lines were
 * chosen, so that both hold the same.
 *
 * Texts are escaped, and live in the arena of the brief.
 */
#ifndef FORMAT_BRIEF_H
#define FORMAT_BRIEF_H

#include "util/base/arena.h"
#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/vec.h"

#define BRIEF_LINES_DEFAULT 20
#define BRIEF_LINES_MAX     1000
#define BRIEF_COLUMNS       100
#define BRIEF_FIELDS_MAX    4

struct brief_row {
	const char *name, *file; /* file: of functions, else NULL */
	double percent;          /* of what the event counted */
	u64 samples, weight;
};

struct brief_list {
	const char *name; /* of a field; else NULL */
	VEC(struct brief_row) v;
	u64 distinct; /* values that there are, also those not in v */
	u32 shown;    /* rows that were chosen */
};

/* What an event counted is `weight` of `unit`: "ns" of CPU time, "cycles"; of tracepoints, and NULL: events. */
struct brief_counts {
	u64 samples, weight;
	double per_second; /* of the weight; 0: not known */
	double idle, kernel,
		user; /* percent; < 0: not known. idle is of all, the others are of the rest */
	const char *unit;
	bool latency;   /* the weight is wall-clock time, and not of one CPU */
	bool estimated; /* of a tracepoint: sampled at a frequency */
};

struct brief_event {
	const char *name;
	const char *
		finding; /* a sentence; of a tracepoint with its counts, which have no line of their own */
	bool tracepoint;
	bool off_cpu; /* of the samples of --off-cpu: how often threads left the CPU, not for how long */
	struct brief_counts counts;
	struct brief_list self, children, path, files, comms, threads;
	struct brief_list fields[BRIEF_FIELDS_MAX];
	u32 order;               /* in the recording */
	u32 nr_fields, nr_named; /* those whose values have names come first */
};

/* How complete the stacks are; `stacks` 0: there are none. */
struct brief_stacks {
	u64 stacks;
	double complete; /* percent */
	bool poor;
	const char *text; /* in one line, with what helps if they are poor */
};

/* NULL, 0: not known. */
struct brief_machine {
	const char *command;      /* that was recorded */
	const char *command_line; /* of the recorder */
	const char *host, *boot, *release, *when;
	u64 cpus;
	double seconds; /* between the first sample and the last one */
};

struct brief {
	struct brief_machine machine;
	const char *chosen; /* what samples were chosen by, in words; NULL: all */
	const char *damage; /* what could not be read, NULL: nothing */
	const char *loss;   /* what was lost while recording, likewise */
	u64 samples, lost;
	struct brief_stacks stacks;
	VEC(struct brief_event)
	events;           /* brief_choose() sorts them: those with most samples first */
	u32 others;       /* of them, those behind the ones that lines were chosen of */
	const char *next; /* a command to type */
	struct arena arena;
	struct brief_lines *lines; /* that were chosen */
};

int brief_choose(struct brief *b, u64 lines, struct err *err);
/* No more than the lines chosen, each of BRIEF_COLUMNS at most. */
void brief_text(const struct brief *b, struct buf *out);
void brief_json(const struct brief *b, struct buf *out);
void brief_free(struct brief *b);

#endif
