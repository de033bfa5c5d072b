// SPDX-License-Identifier: GPL-2.0
#include "util/format/call_graph_json.h"

#include <string.h>

#include "util/base/json.h"
#include "util/profile/symboliser.h"

/* A function up to where its children begin. */
static void open_function(const struct call_graph *g, const struct call_graph_branch *b, u32 i,
			  u64 total, struct buf *out)
{
	const struct call_graph_functions *functions = &g->stacks->functions;
	const struct call_graph_function *f = &functions->v.v[g->functions.v[b->function + i]];

	json_open(out, '{');
	if (f->symbol) {
		json_put_string(out, "symbol", f->symbol);
	} else {
		json_put_address(out, "address", f->ip);
	}
	if (f->dso != ID_NONE)
		json_put_string(out, "dso",
				functions->stacks->symboliser->model->dsos.v[f->dso].name);
	json_put_unsigned(out, "samples", b->samples);
	json_put_unsigned(out, "weight", b->weight);
	json_put_fixed(out, "percent", total ? (double)b->weight * 100.0 / (double)total : 0.0, 2);
	if (f->inlined)
		json_put_bool(out, "inlined", true);
	if (f->line)
		json_put_string(out, "line", f->line);
}

static void put_branches(const struct call_graph *g, u32 first, u32 nr, u64 total, struct buf *out)
{
	const struct call_graph_branch *b;
	u32 i, f;

	json_open(out, '[');
	for (i = first; i < first + nr; i++) {
		b = &g->v.v[i];
		for (f = 0; f < b->nr_functions; f++) {
			if (f) {
				json_put_open(out, "children", '[');
			} else {
				json_item(out);
			}
			open_function(g, b, f, total, out);
		}
		if (b->nr_children) {
			json_key(out, "children");
			put_branches(g, b->child, b->nr_children, total, out);
		}
		for (f = b->nr_functions; f-- > 0;)
			buf_adds(out, f ? "}]" : "}");
	}
	buf_addc(out, ']');
}

/* The array alone; total: the weight of all samples. */
static void call_graph_json_put(const struct call_graph *g, u64 total, struct buf *out)
{
	put_branches(g, 0, g->nr_roots, total, out);
}

static void put_more(struct report_more *more, const struct report_view *v,
		     const struct report_entry *e, struct buf *out)
{
	struct call_graph_json *j = (struct call_graph_json *)more;
	u64 total = v->weight_in_all;

	if (call_graph_make(&j->graph, j->stacks, e->root, e->place, j->options, total, NULL)) {
		out->failed = true;
		return;
	}
	json_key(out, "graph");
	call_graph_json_put(&j->graph, total, out);
}

void call_graph_json_init(struct call_graph_json *j, const struct call_graph_options *o)
{
	*j = (struct call_graph_json){.more.put = put_more, .options = o};
}

void call_graph_json_free(struct call_graph_json *j)
{
	call_graph_free(&j->graph);
}
