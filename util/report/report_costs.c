// SPDX-License-Identifier: GPL-2.0
#include "util/report/report_costs.h"

#include <linux/perf_event.h>

#include "util/record/sample_weight.h"

u64 report_costs_value(enum report_kind kind, const struct session_sample *s)
{
	switch (kind) {
	case REPORT_LOCAL_WEIGHT:
	case REPORT_WEIGHT:
		return sample_weight(&s->desc->layout, s->sample);
	case REPORT_LOCAL_INS_LAT:
	case REPORT_INS_LAT:
		return sample_weight_instruction(&s->desc->layout, s->sample);
	case REPORT_LOCAL_P_STAGE_CYC:
	case REPORT_P_STAGE_CYC:
		return sample_weight_stage(&s->desc->layout, s->sample);
	default:
		return s->sample->transaction;
	}
}

/* "TX SYNC CON :12": the number is the code of an abort. */
static void put_transaction(u64 value, struct buf *out)
{
	static const struct {
		u64 flag;
		const char *word;
	} words[] = {
		{PERF_TXN_ELISION, "EL "},
		{PERF_TXN_TRANSACTION, "TX "},
		{PERF_TXN_SYNC, "SYNC "},
		{PERF_TXN_ASYNC, "ASYNC "},
		{PERF_TXN_RETRY, "RETRY "},
		{PERF_TXN_CONFLICT, "CON "},
		{PERF_TXN_CAPACITY_WRITE, "CAP-WRITE "},
		{PERF_TXN_CAPACITY_READ, "CAP-READ "},
	};
	u64 code = (value & PERF_TXN_ABORT_MASK) >> PERF_TXN_ABORT_SHIFT;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (value & words[i].flag)
			buf_adds(out, words[i].word);
	if (value && !(value & (PERF_TXN_SYNC | PERF_TXN_ASYNC)))
		buf_adds(out, "NEITHER ");
	if (code)
		buf_addf(out, ":%llx", (unsigned long long)code);
}

void report_costs_put(enum report_kind kind, u64 value, u64 samples, struct buf *out)
{
	switch (kind) {
	case REPORT_TRANSACTION:
		put_transaction(value, out);
		break;
	case REPORT_WEIGHT:
	case REPORT_INS_LAT:
	case REPORT_P_STAGE_CYC:
		buf_dec(out, value * samples, 0);
		break;
	default:
		buf_dec(out, value, 0);
	}
}
