// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_filter_internal.h"

#include <string.h>

bool tp_filter_is_text_pointer(const struct tp_filter_value *v)
{
	const struct tp_field *f = v->field;

	return v->what == TP_FILTER_FIELD && !f->is_array && f->loc == TP_LOC_FIXED &&
	       (!strcmp(f->type, "char *") || !strcmp(f->type, "const char *"));
}

u32 tp_filter_size(const struct tp_filter_value *v)
{
	switch (v->what) {
	case TP_FILTER_FIELD:
		return v->field->size;
	case TP_FILTER_ELEMENT:
		return v->field->elem_size;
	default:
		return sizeof(u32);
	}
}

bool tp_filter_is_number(const struct tp_filter_value *v)
{
	u32 size = tp_filter_size(v);

	if (v->what == TP_FILTER_COMM || tp_filter_is_text(v) ||
	    (v->what == TP_FILTER_FIELD && v->field->loc != TP_LOC_FIXED))
		return false;
	return size == 1 || size == 2 || size == 4 || size == 8;
}

bool tp_filter_is_signed(const struct tp_filter_value *v)
{
	return v->what == TP_FILTER_TID || (v->field && v->field->is_signed);
}

const char *tp_filter_name(const struct tp_filter_value *v)
{
	switch (v->what) {
	case TP_FILTER_CPU:
		return "cpu";
	case TP_FILTER_COMM:
		return "comm";
	default:
		return v->field->name;
	}
}
