/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_frames.h - the frames of a flame graph as SVG: what is seen where no script runs.
 *
 * A box of 3 px or more is a group with its title, its rectangle and as much of its name as there
 * is room for. Narrower ones are told apart by their tone alone: they are drawn as one path for
 * each tone, in which neighbours of the same tone are one.
 */
#ifndef DRAW_FLAMEGRAPH_FRAMES_H
#define DRAW_FLAMEGRAPH_FRAMES_H

#include "util/draw/flamegraph_sheet.h"

int flamegraph_frames_put(struct flamegraph_sheet *s, struct err *err);

#endif
