/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_table.h - the lists of __print_flags and __print_symbolic in a program.
 */
#ifndef TRACEPOINT_TP_TABLE_H
#define TRACEPOINT_TP_TABLE_H

#include "util/tracepoint/tp_node.h"
#include "util/tracepoint/tp_op.h"

/* Add the list of a FLAGS or SYMBOLIC node, each name printed by `each`; false: out of memory. */
bool tp_table_add(struct tp_prog *p, const struct tp_node *n, const struct tp_spec *each,
		  u32 *table);

/* Append a constant string as %s with this width and precision prints it. */
void tp_table_text(struct buf *text, const char *s, size_t len, const struct tp_spec *spec);

#endif
