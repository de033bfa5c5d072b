/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_type_names.h - the names that the types of the kernel give to the values of a field.
 */
#ifndef EVENT_EV_TYPE_NAMES_H
#define EVENT_EV_TYPE_NAMES_H

#include "util/btf/btf.h"
#include "util/tracepoint/tp_names.h"

/*
 * Append the enumerators of a type as a format tells it, "enum skb_drop_reason". Nothing if it is
 * no enum, or not known. The strings are those of `b`. -ENOMEM.
 */
int ev_type_names(const struct btf *b, const char *type, struct tp_name_list *list,
		  struct err *err);

#endif
