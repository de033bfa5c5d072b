/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_names.h - the values of the keys of counted rows (count_keys.h), as people and programs read them.
 *
 *	comm		its name, ":TID" where that is not known
 *	event		"skb:kfree_skb"
 *	sym, dso	"tcp_v4_rcv", "libc.so.6"; "[unknown]"
 *	a field		what the print fmt makes of it where that says more than a number does: names, symbols, addresses
 *			of networks; else the value as script --json has it; "-": the event has no such field
 */
#ifndef FORMAT_COUNT_NAMES_H
#define FORMAT_COUNT_NAMES_H

#include "util/profile/trace_text.h"
#include "util/report/count_table.h"
#include "util/tracepoint/tp_field_format.h"

struct count_names {
	const struct count_table *table;
	const struct count_keys *keys;
	struct trace_text text;
	struct count_name {
		struct tp_prog *names; /* prints the name of a value, NULL: it has none */
		struct tp_field_format shown;
	} * shapes; /* by shape - 1 */
	struct buf raw, scratch;
};

/* Of a table and the session of its keys, which stay the caller's. -ENOMEM: there is nothing to be freed. */
int count_names_init(struct count_names *n, const struct count_table *t, struct err *err);
/* Append a value as text; of a stack, its innermost function. */
void count_names_put(struct count_names *n, const struct count_row *r, u32 key, struct buf *out);
/* Is it a number, which stands at the right end of its column? */
bool count_names_is_number(const struct count_names *n, u32 key);
/*
 * Append a value as JSON: a number, a string, null; {"value":2,"name":"NO_SOCKET"} of a value with
 * a name; {"value":"0xffffffff81c0a1b2","name":"tcp_v4_rcv+0x1b2"} of an address of code; of a stack an array of frames,
 * innermost first, each as in script --json.
 */
void count_names_json(struct count_names *n, const struct count_row *r, u32 key, struct buf *out);
/*
 * Append the frames of a stack as script prints them, a line each behind `indent`:
 * "\tffffffff81c0a1b2 tcp_v4_rcv+0x1b2 ([kernel.kallsyms])".
 */
void count_names_stack(struct count_names *n, const struct count_row *r, u32 key,
		       const char *indent, struct buf *out);
void count_names_free(struct count_names *n); /* a zeroed one, too */

#endif
