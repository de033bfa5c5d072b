// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_expr_internal.h"

#include <errno.h>
#include <string.h>

#include "util/event/ev_probe.h"

struct ev_expr_before ev_expr_work_before(const struct ev_spec *s)
{
	return (struct ev_expr_before){*s, !s->tp.expr};
}

int ev_expr_work_program(struct ev_list *list, struct ev_env *env, struct ev_spec *s, bool fields,
			 bool by_thread, struct buf *why)
{
	if (!ev_probe_is_user(s))
		return ev_raw_add(list, env, s, fields, by_thread, why);
	return ev_expr_at_probe(list, env, s) ? -ENOMEM : 1;
}

void ev_expr_work_take(struct ev_spec *s, const struct ev_expr_work *work, void *of)
{
	s->tp.expr->work = work;
	s->tp.expr->of = of;
}

void ev_expr_work_change(struct ev_spec *s)
{
	if (s->attr.type == PERF_TYPE_TRACEPOINT)
		s->attr = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
						   .config = PERF_COUNT_SW_BPF_OUTPUT,
						   .size = s->attr.size,
						   .sample_period = 1};
	s->tp.kernel_filter = s->tp.filter = NULL;
	s->tp.here = NULL;
}

void ev_expr_work_drop(struct ev_spec *s, const struct ev_expr_before *before)
{
	struct ev_expr *x = s->tp.expr;
	const struct ev_expr_work *work = x->work;
	void *of = x->of;

	*s = before->spec;
	x->work = NULL;
	x->of = NULL;
	x->some_cpus = false;
	work->free(of);
}

bool ev_expr_work_ends(const struct ev_spec *s, const struct ev_expr_before *before)
{
	return before->plain && strcmp(s->tp.name, "sched_process_exit") != 0;
}
