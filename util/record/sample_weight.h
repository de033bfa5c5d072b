/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sample_weight.h - what a CPU says that a sample cost: of PERF_SAMPLE_WEIGHT_STRUCT three numbers in
 * the one that was recorded, of PERF_SAMPLE_WEIGHT one.
 *
 * Source: linux/perf_event.h, union perf_sample_weight.
 */
#ifndef RECORD_SAMPLE_WEIGHT_H
#define RECORD_SAMPLE_WEIGHT_H

#include "util/record/sample_layout.h"

/* Cycles, of an access to memory or of a transaction. */
static inline u64 sample_weight(const struct sample_layout *p, const struct sample *s)
{
	return p->has & PERF_SAMPLE_WEIGHT_STRUCT ? (u32)s->weight : s->weight;
}

/* Cycles of the whole instruction. */
static inline u16 sample_weight_instruction(const struct sample_layout *p, const struct sample *s)
{
	return p->has & PERF_SAMPLE_WEIGHT_STRUCT ? (u16)(s->weight >> 32) : 0;
}

/* Cycles of one stage of its way: on x86 until it retired, on POWER in the pipeline. */
static inline u16 sample_weight_stage(const struct sample_layout *p, const struct sample *s)
{
	return p->has & PERF_SAMPLE_WEIGHT_STRUCT ? (u16)(s->weight >> 48) : 0;
}

#endif
