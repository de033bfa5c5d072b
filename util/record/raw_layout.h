/* SPDX-License-Identifier: GPL-2.0 */
/*
 * raw_layout.h - what the format of a tracepoint says of the raw data of its samples: where the
 * fields lie, which of them is the tid, and which one the kernel counts by.
 */
#ifndef RECORD_RAW_LAYOUT_H
#define RECORD_RAW_LAYOUT_H

#include "util/record/event_set.h"
#include "util/tracepoint/tp_format.h"

void raw_layout_derive(const struct tp_format *f, struct sample_layout_derive *d);

/*
 * Append the fields: in rising order, none overlaps another, what lies beyond 64 KiB is left out.
 * Arrays of 8-byte elements are one field for each, what is elsewhere in the record (__data_loc)
 * is the word that says where. Returns 0 or -ENOMEM.
 */
int raw_layout_fields(const struct tp_format *f, struct raw_fields *out);

#endif
