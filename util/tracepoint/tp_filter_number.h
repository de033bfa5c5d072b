/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_filter_number.h - what stands right of an operator where a number stands left: numbers, names
 * of values, sets of CPUs, other fields.
 */
#ifndef TRACEPOINT_TP_FILTER_NUMBER_H
#define TRACEPOINT_TP_FILTER_NUMBER_H

#include "util/tracepoint/tp_filter_parse.h"

/* NULL, with the error set. */
const struct tp_filter_node *tp_filter_number_parse(struct tp_filter_parser *p,
						    const struct tp_filter_value *v,
						    enum tp_filter_op op);

#endif
