/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_field_format.h - how a print fmt shows one field, where its value alone says less: "%pS" of an address, "%pI4" of four
 * bytes, __print_hex(), a mask of CPUs.
 *
 * A field is shown by the first conversion that is made of it and of no other field. Names of values
 * are the matter of tp_names.h.
 */
#ifndef TRACEPOINT_TP_FIELD_FORMAT_H
#define TRACEPOINT_TP_FIELD_FORMAT_H

#include "util/tracepoint/tp_prog.h"

enum tp_field_format_as {
	TP_SHOWN_PLAIN,  /* as the number or the bytes that it is */
	TP_SHOWN_SYMBOL, /* an address of code: its function and the offset in it */
	TP_SHOWN_BYTES,  /* an array, as some text */
};

struct tp_field_format {
	enum tp_field_format_as as;
	struct tp_prog *prog; /* prints the value, and nothing else; NULL of TP_SHOWN_PLAIN */
};

/* The caller frees shown->prog (tp_prog_free()). -ENOMEM. */
int tp_field_format_compile(const struct tp_format *f, const struct tp_field *field,
			    const struct tp_opts *opts, struct tp_field_format *shown,
			    struct err *err);

#endif
