/* SPDX-License-Identifier: GPL-2.0 */
/*
 * frame_text.h - the names behind an address, as script prints them: "sym+0x1f", " (/usr/bin/dash)".
 */
#ifndef PROFILE_FRAME_TEXT_H
#define PROFILE_FRAME_TEXT_H

#include "util/base/buf.h"
#include "util/profile/symboliser.h"

/* "sym+0x1f" or "[unknown]". */
void frame_text_symbol(const struct frame *f, bool with_offset, struct buf *out);
/*
 * "/usr/bin/dash", "/usr/bin/dash+0x4000" or "[unknown]". A module of perf's recordings is the path of its file if its
 * build-id is known, else "[nf_tables]", as perf prints it.
 */
void frame_text_dso(const struct process_model *m, const struct frame *f, bool with_offset,
		    struct buf *out);
/* The file alone: "dash"; "[nf_tables]" for .../nf-tables.ko.xz of the kernel. */
void frame_text_file(const struct dso *dso, struct buf *out);

#endif
