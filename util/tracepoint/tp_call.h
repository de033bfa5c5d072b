/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_call.h - the functions and macros that a print fmt may call.
 */
#ifndef TRACEPOINT_TP_CALL_H
#define TRACEPOINT_TP_CALL_H

#include "util/tracepoint/tp_parse.h"

/* The call of `name`, whose opening parenthesis is the current token. */
const struct tp_node *tp_call_parse(struct tp_parser *p, const struct tp_tok *name);

/* The value of a name that old kernels left untranslated in lists; false if it is not known. */
bool tp_call_constant(const struct tp_tok *name, u64 *v);

#endif
