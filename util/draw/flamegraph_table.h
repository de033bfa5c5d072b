/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_table.h - the boxes of a flame graph as JSON, for its script.
 *
 *     {"unit":"cycles",                   left out: samples
 *      "time":true,                       counts are ns; else left out
 *      "old":9,                           counts of the older recording, in a comparison
 *      "narrow":3,                        frames without a box of their own, if any
 *      "row":18,"bar":17,"margin":12,"top":90,"inverted":false,
 *      "tones":["all",...],               classes of the style sheet
 *      "files":["/bin/sh",...],
 *      "labels":[["main",2,1,1,0],...],   name, tone, shade, enum frame_class, file (left out: none)
 *      "depth":[0,1,...],                 of the boxes, in depth-first order
 *      "label":[-1,0,...],                -1: the root; -1 - n: n frames that were too narrow
 *      "count":[12,"18446744073709551615",...],
 *      "was":[...],"tone":[...]}          counts and tones, in a comparison
 *
 * Numbers that a double cannot hold are strings. No string holds '<', '>' or '&', so that the text
 * can stand in a script element of SVG and of HTML.
 */
#ifndef DRAW_FLAMEGRAPH_TABLE_H
#define DRAW_FLAMEGRAPH_TABLE_H

#include "util/draw/flamegraph_sheet.h"

/* Append a string as it stands in there. */
void flamegraph_table_string(struct flamegraph_sheet *s, const char *p, size_t len);
int flamegraph_table_put(struct flamegraph_sheet *s, struct err *err);

#endif
