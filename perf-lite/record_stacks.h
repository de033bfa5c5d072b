/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record_stacks.h - what perf-lite record needs to be able to unwind stacks (--call-graph dwarf and
 * auto, or the terms of an event): registers, threads, larger buffers.
 */
#ifndef PERF_LITE_RECORD_STACKS_H
#define PERF_LITE_RECORD_STACKS_H

#include "perf-lite/record.h"

/* Is there an event whose samples carry a copy of the stack? Known when the options are read. */
bool record_stacks_any(const struct record *c);
/* Threads to unwind them, 0: none do. */
u32 record_stacks_workers(const struct record *c);

/* Bytes of each CPU's buffer, by how much comes in, and so that most of the memory is left alone. */
u64 record_stacks_ring_bytes(const struct record *c, struct buf *notes);

/* Fill in which registers to record, and what the file says of how stacks were made. */
int record_stacks_choose(struct record *c, struct err *err);

#endif
