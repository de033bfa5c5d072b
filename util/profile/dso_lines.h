/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dso_lines.h - inlined functions and lines of the DSOs of a recording, from files on this machine.
 *
 * A DSO's image and its debug file are opened when an address in it is first asked for, as symbols
 * are (symbol/dso_file.h): what is not the recorded file tells nothing. They stay open until
 * dso_lines_free(), which the strings handed out live up to. Zero-initialised it is ready.
 */
#ifndef PROFILE_DSO_LINES_H
#define PROFILE_DSO_LINES_H

#include "util/debuginfo/debuginfo.h"
#include "util/symbol/symbols.h"

struct dso_lines {
	VEC(struct dso_lines_file *) files; /* by DSO of the model, NULL: not asked for yet */
};

/*
 * The functions at the byte `addr` of a DSO's file: innermost first, as debuginfo_find(). 0: nothing
 * is known.
 */
u32 dso_lines_find(struct dso_lines *l, const struct process_model *m, const struct symbols *s,
		   u32 dso, u64 addr, struct debug_frame *out, u32 max);

void dso_lines_free(struct dso_lines *l);

#endif
