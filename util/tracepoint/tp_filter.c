// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_filter.h"

#include <errno.h>
#include <string.h>

#include "util/tracepoint/tp_filter_internal.h"

/* The two halves of a filter while they grow. */
struct halves {
	struct tp_filter_parser *p;
	const struct tp_filter_opts *opts;
	struct buf kernel, here;
	const struct tp_filter_node *rest;
};

static void run_here(struct halves *h, const struct tp_filter_node *n)
{
	struct tp_filter_node *both;

	buf_addf(&h->here, "%s%.*s", h->here.len ? " && " : "",
		 (int)MIN(n->typed_len, (size_t)INT32_MAX), n->typed);
	if (!h->rest) {
		h->rest = n;
		return;
	}
	both = tp_filter_parse_node(h->p, TP_FILTER_ALL);
	if (!both)
		return;
	both->a = h->rest;
	both->b = n;
	h->rest = both;
}

static void to_kernel(struct halves *h, const struct tp_filter_node *n)
{
	size_t before = h->kernel.len;

	if (before)
		buf_adds(&h->kernel, " && ");
	tp_filter_kernel_put(n, h->opts, true, &h->kernel);
	if (h->kernel.failed || h->kernel.len <= TP_FILTER_KERNEL_MAX)
		return;
	h->kernel.len = before;
	h->kernel.data[before] = '\0';
	run_here(h, n);
}

/* Each of what must hold goes to the one or to the other, whole. */
static void split(struct halves *h, const struct tp_filter_node *n)
{
	if (n->kind == TP_FILTER_ALL) {
		split(h, n->a);
		split(h, n->b);
	} else if (!h->opts->here_only && tp_filter_kernel_can(n, h->opts)) {
		to_kernel(h, n);
	} else {
		run_here(h, n);
	}
}

/* What has to be run here has to be something that can be. */
static void check_rest(struct halves *h)
{
	const struct tp_filter_node *lacks = h->rest ? tp_filter_run_lacks(h->rest, h->opts) : NULL;
	const char *name = lacks ? tp_filter_name(&lacks->left) : NULL;

	if (!lacks)
		return;
	if (tp_filter_is_text_pointer(&lacks->left))
		tp_filter_parse_error(h->p, lacks->typed,
				      "'%s' is a pointer: samples do not have what it points to",
				      name);
	else if (lacks->kind == TP_FILTER_FUNCTION)
		tp_filter_parse_error(h->p, lacks->typed, "where that function is is not known");
	else
		tp_filter_parse_error(h->p, lacks->typed,
				      "samples do not have the name of their task");
	if (!h->opts->here_only)
		tp_filter_parse_hint(h->p, "the kernel can test it, but not all that || joins it "
					   "to: join them with &&");
}

static const char *keep(struct halves *h, const struct buf *b)
{
	const char *s = NULL;

	if (b->failed || (b->len && !(s = arena_strndup(h->p->arena, b->data, b->len))))
		tp_filter_parse_nomem(h->p);
	return s;
}

struct tp_filter *tp_filter_parse(const struct tp_format *f, const char *text,
				  const struct tp_filter_opts *opts, struct err *err)
{
	struct tp_filter_opts o = *opts;
	struct arena arena = {0};
	struct tp_filter_parser p = {
		.f = f, .opts = &o, .arena = &arena, .text = text, .p = text, .err = err};
	struct halves h = {.p = &p, .opts = &o};
	const struct tp_filter_node *all;
	struct tp_filter *filter;

	if (!o.print.long_size)
		o.print.long_size = sizeof(u64);
	filter = arena_alloc(&arena, sizeof(*filter));
	if (!filter) {
		err_nomem(err);
		return NULL;
	}
	all = tp_filter_parse_all(&p);
	if (all)
		split(&h, all);
	if (!p.failed)
		check_rest(&h);
	if (!p.failed) {
		filter->kernel = keep(&h, &h.kernel);
		filter->here = keep(&h, &h.here);
		filter->rest = h.rest;
	}
	buf_free(&h.kernel);
	buf_free(&h.here);
	if (p.failed) {
		arena_free(&arena);
		return NULL;
	}
	filter->arena = arena;
	return filter;
}

void tp_filter_free(struct tp_filter *f)
{
	struct arena arena;

	if (!f)
		return;
	/* The filter lies in its own arena. */
	arena = f->arena;
	arena_free(&arena);
}

bool tp_filter_pass(const struct tp_filter *f, const struct tp_filter_sample *s)
{
	return !f->rest || tp_filter_run(f->rest, s) == TP_FILTER_YES;
}
