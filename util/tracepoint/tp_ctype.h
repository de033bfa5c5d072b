/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_ctype.h - type names in a print fmt: casts, sizeof, declarations.
 *
 * Typedefs that are not in the table are taken for types without a known size: a cast to them
 * changes nothing.
 */
#ifndef TRACEPOINT_TP_CTYPE_H
#define TRACEPOINT_TP_CTYPE_H

#include "util/tracepoint/tp_parse.h"

struct tp_ctype {
	struct tp_type type; /* bits 0 if unknown; of the element if pointer */
	bool is_pointer;
	bool is_bool;
	bool is_sure;   /* made of keywords and known typedefs: no variable can be meant */
	bool perf_cast; /* one of the few types whose casts perf performs */
};

/* Read a type name at the current token. False, with the parser where it was, if there is none. */
bool tp_ctype_parse(struct tp_parser *p, struct tp_ctype *t);
u32 tp_ctype_size(const struct tp_parser *p, const struct tp_ctype *t); /* 0 if unknown */
const struct tp_node *tp_ctype_cast(struct tp_parser *p, const struct tp_ctype *t,
				    const struct tp_node *n);

#endif
