/* SPDX-License-Identifier: GPL-2.0 */
/* sample_values_internal.h - the pages of sample_values: fields of tracepoints, and keys that few ask for. */
#ifndef REPORT_SAMPLE_VALUES_INTERNAL_H
#define REPORT_SAMPLE_VALUES_INTERNAL_H

#include "util/report/sample_values.h"

static inline int sample_values_order(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

/* sample_values_fields.c: KEY_FIELD where a value is a number in v->fields. */
bool sample_values_field_get(struct sample_values *v, u32 key, const struct session_sample *s,
			     u64 *value);
bool sample_values_field_is_number(const struct sample_values *v, u32 key);
void sample_values_fields_free(struct sample_values *v);

/*
 * sample_values_rare.c: keys whose values are texts made from each sample: of branches, of accesses to memory, parents.
 * Append the text; false when memory is out. Functions come after the letter of their place: "[.] main"; without a name,
 * their address.
 */
bool sample_values_rare_put(struct sample_values *v, enum sample_key_kind kind,
			    const struct session_sample *s, struct buf *out);
/* The numbers that a CPU reports with a sample. */
u64 sample_values_cost(enum sample_key_kind kind, const struct session_sample *s);
void sample_values_put_transaction(u64 value, struct buf *out);

#endif
