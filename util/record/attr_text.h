/* SPDX-License-Identifier: GPL-2.0 */
/*
 * attr_text.h - all that an attr asks for, in perf's words: "type = 1, size = 128, config = 0x9, ... , freq = 1". What is
 * zero is left out.
 *
 * Source: <linux/perf_event.h>, struct perf_event_attr.
 */
#ifndef RECORD_ATTR_TEXT_H
#define RECORD_ATTR_TEXT_H

#include <linux/perf_event.h>

#include "util/base/buf.h"

/* `is` separates name and value: " = " in script --header, ": " in evlist -v. */
void attr_text(const struct perf_event_attr *a, const char *is, struct buf *out);

/*
 * attr_text_name.c: what to call an event of which nothing but its attr is known, as perf calls it: "cycles:u",
 * "LLC-load-misses", "raw 0x1a8", "mem:0x1000:rw"; "tracepoint 1234" until its name is known from its format.
 *
 * Source: <linux/perf_event.h>; perf-list(1) for the names and the letters after the colon.
 */
#define ATTR_NAME_MAX 96
void attr_text_name(const struct perf_event_attr *a, char name[static ATTR_NAME_MAX]);

#endif
