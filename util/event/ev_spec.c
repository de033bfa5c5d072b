// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_spec.h"

#include <stdlib.h>

#include "util/event/ev_expr.h"

struct ev_spec *ev_spec_add(struct ev_list *list)
{
	struct ev_spec *s = vec_push(&list->specs);

	if (!s)
		return NULL;
	s->name = s->text = s->pmu.unit = "";
	s->pmu.scale = 1.0;
	s->group = ID_NONE;
	s->leader = true;
	s->attr.size = sizeof(s->attr);
	s->attr.exclude_guest = 1;
	return s;
}

struct ev_spec *ev_leader(const struct ev_list *list, u32 spec)
{
	while (!list->specs.v[spec].leader)
		spec--;
	return &list->specs.v[spec];
}

void ev_list_free(struct ev_list *list)
{
	u32 i;

	for (i = 0; i < list->exprs.nr; i++)
		ev_expr_free(list->exprs.v[i]);
	for (i = 0; i < list->filters.nr; i++)
		tp_filter_free(list->filters.v[i]);
	for (i = 0; i < list->formats.nr; i++)
		tp_format_free(list->formats.v[i]);
	vec_free(&list->exprs);
	vec_free(&list->filters);
	vec_free(&list->formats);
	vec_free(&list->specs);
	vec_free(&list->tracepoints);
	strtab_free(&list->tp_index);
	arena_free(&list->arena);
}
