/* SPDX-License-Identifier: GPL-2.0 */
/*
 * header_sections.h - sections of a perf.data header as lines for people: script --header.
 */
#ifndef PERF_LITE_HEADER_SECTIONS_H
#define PERF_LITE_HEADER_SECTIONS_H

#include "util/base/buf.h"
#include "util/file/recording.h"

/*
 * The lines of a section; none if it is not there, or is one that header.c knows from the facts. `all`: of long ones, too
 * (script -I); else a line that names them.
 */
void header_section(const struct recording *r, u32 id, bool all, struct buf *out);
/* "# missing features: ..." */
void header_missing(const struct recording *r, struct buf *out);

#endif
