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

#endif
