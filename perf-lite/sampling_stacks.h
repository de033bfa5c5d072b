/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sampling_stacks.h - what sampling.c needs where stacks are to be unwound (--call-graph dwarf and
 * auto, or the terms of an event): registers, larger buffers.
 */
#ifndef PERF_LITE_SAMPLING_STACKS_H
#define PERF_LITE_SAMPLING_STACKS_H

#include "perf-lite/sampling.h"

/* Bytes of each CPU's buffer, by how much comes in, and so that most of the memory is left alone. */
u64 sampling_stacks_ring_bytes(const struct sampling *s, struct buf *notes);

/* Fill in which registers to sample, and how stacks are made, in words. */
int sampling_stacks_choose(struct sampling *s, struct err *err);

#endif
