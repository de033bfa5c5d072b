/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_filter_text.h - what stands right of an operator, where it is no number: text, bytes,
 * functions.
 */
#ifndef TRACEPOINT_TP_FILTER_TEXT_H
#define TRACEPOINT_TP_FILTER_TEXT_H

#include "util/tracepoint/tp_filter_parse.h"

/* NULL, with the error set. `user`: .ustring was given. */
const struct tp_filter_node *tp_filter_text_parse(struct tp_filter_parser *p,
						  const struct tp_filter_value *v,
						  enum tp_filter_op op, bool user);
/* A name, or an address in it. */
const struct tp_filter_node *tp_filter_text_function(struct tp_filter_parser *p,
						     const struct tp_filter_value *v,
						     enum tp_filter_op op);

/*
 * An address of the network, which is bytes, for a field of them. False where the word is none:
 * without an error. True with *n NULL: it is one, but not for this field.
 */
bool tp_filter_text_address(struct tp_filter_parser *p, const struct tp_filter_value *v,
			    enum tp_filter_op op, struct tp_filter_word w,
			    const struct tp_filter_node **n);

#endif
