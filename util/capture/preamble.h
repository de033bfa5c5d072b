/* SPDX-License-Identifier: GPL-2.0 */
/*
 * preamble.h - what precedes the data in the file: facts, events and formats; and the totals
 * after it.
 */
#ifndef CAPTURE_PREAMBLE_H
#define CAPTURE_PREAMBLE_H

#include "util/base/clock.h"
#include "util/event/ev_spec.h"
#include "util/file/writer.h"
#include "util/kernel/sysroot.h"
#include "util/record/event_set.h"

struct preamble {
	int argc; /* of the recorder */
	char **argv;
	const char *version;
	int clockid;
	const char *call_graph; /* how user stacks are made, NULL: by frame pointers, or not */
	bool late_names;        /* names may come behind the records */
	bool cpu_places; /* preamble_facts() has the sockets of CPUs; a file has them always */
};

/* Those facts of META that readers of samples need, as its payload (docs/FORMAT.md). */
void preamble_facts(const struct preamble *p, const struct ev_list *list,
		    const struct sysroot *root, struct buf *b);

/* META, an ATTR for each event, a TPFMT for each tracepoint. */
int preamble_write(struct writer *w, const struct preamble *p, const struct ev_list *list,
		   const struct event_set *events, const struct sysroot *root, struct err *err);

struct preamble_totals {
	u64 samples, lost, unwritten, time_end_ns;
	int exit_code; /* of the command, -1: none or not known */
	int clockid;
	const char *notes;
};

/* META, between the data: all clocks once more. */
int preamble_clocks(struct writer *w, const struct clock_pair *p, struct err *err);

/* END. */
int preamble_end(struct writer *w, const struct preamble_totals *t, struct err *err);

#endif
