/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pprof_locations.h - the tables of a pprof profile: strings, mappings, locations, functions.
 *
 * Strings, the empty one first, are numbered from 0, the others from 1, in order of first sight,
 * so that they may be written behind whatever names them.
 */
#ifndef EXPORT_PPROF_LOCATIONS_H
#define EXPORT_PPROF_LOCATIONS_H

#include "util/profile/stack_tree.h"

struct pprof_mapping {
	u32 map;
	u64 start,
		end; /* with all locations: the kernel has code outside of what it says is its own */
	bool functions, files, lines; /* some location has them */
};

struct pprof_locations {
	struct symboliser *symboliser;
	bool source;             /* look up where frames stand in the source */
	struct strtab strings;   /* escaped */
	struct strtab functions; /* (name, file) */
	struct hmap of_frame;    /* (frame, with what was inlined there) -> location */
	u32 nr;                  /* locations */
	struct buf made;         /* they, as they are in the file */
	struct hmap of_map;      /* -> index in mappings */
	VEC(struct pprof_mapping) mappings;
	struct buf message, line;
	bool failed; /* sticky: memory ran out */
};

int pprof_locations_init(struct pprof_locations *l, struct symboliser *symboliser, struct err *err);
/* The number of a string, escaped if need be; ID_NONE when memory is out. */
u32 pprof_locations_string(struct pprof_locations *l, const char *s);
/* The location of a node of the stacks, the root included; ID_NONE when memory is out. */
u32 pprof_locations_get(struct pprof_locations *l, const struct stack_tree *stacks, u32 node);
/* Append all tables as fields of the profile. */
void pprof_locations_put(struct pprof_locations *l, struct buf *profile);
void pprof_locations_free(struct pprof_locations *l);

#endif
