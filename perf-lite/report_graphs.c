// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/report.h"

void report_graphs_init(struct report_graphs *g, const struct report *r, bool children,
			const struct report_text_colours *colours)
{
	*g = (struct report_graphs){.r = r, .children = children};
	if (r->how.graph.type == CALL_GRAPH_NONE)
		return;
	if (r->form == REPORT_TEXT) {
		call_graph_text_init(&g->text, &r->how.graph, colours, r->separator,
				     r->how.asked.sort, r->how.asked.fields != NULL);
		g->below = &g->text.below;
	} else if (r->form == REPORT_JSON && r->how.graph_given) {
		call_graph_json_init(&g->json, &r->how.graph);
		g->more = &g->json.more;
	}
}

int report_graphs_event(struct report_graphs *g, const struct report_samples *samples,
			struct report_places *places, struct report_entries *entries,
			struct err *err)
{
	int ret;

	if (!g->below && !g->more)
		return 0;
	call_graph_stacks_free(&g->stacks);
	g->text.stacks = g->json.stacks = &g->stacks;
	ret = call_graph_stacks_make(&g->stacks, samples, places, g->r->how.graph.key, g->children,
				     err);
	if (!ret && g->children)
		call_graph_stacks_rank(&g->stacks, entries, g->r->how.graph.caller);
	return ret;
}

void report_graphs_free(struct report_graphs *g)
{
	call_graph_stacks_free(&g->stacks);
	call_graph_text_free(&g->text);
	call_graph_json_free(&g->json);
}
