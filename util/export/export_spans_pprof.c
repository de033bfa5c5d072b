// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_spans.h"

#include <stdlib.h>

#include "util/export/export_internal.h"

struct pprof_spans {
	struct export_spans spans;
	const struct export_spans_about *about;
	struct pprof_file file;
	struct stack_tree stacks;
};

static void put_label(struct pprof_spans *k, const char *key, const struct export_spans_value *v)
{
	if (v->number)
		pprof_file_label(&k->file, key, 0, (u64)strtoll(v->text, NULL, 10));
	else
		pprof_file_label(&k->file, key, pprof_locations_string(&k->file.locations, v->text),
				 0);
}

static int pprof_row(struct export_spans *spans, const struct export_spans_row *r, struct buf *out,
		     struct err *err)
{
	struct pprof_spans *k = (struct pprof_spans *)spans;
	const struct export_spans_values *v = r->values;
	u32 node = stack_tree_path(&k->stacks, v->frames, v->nr_frames), i;

	if (node == ID_NONE || !pprof_file_stack(&k->file, &k->stacks, node))
		return err_nomem(err);
	export_proto_varint(&k->file.numbers, r->spans);
	export_proto_varint(&k->file.numbers, MIN(r->ns, (u64)INT64_MAX));
	pprof_file_values(&k->file);
	for (i = 0; i < k->about->nr_keys - k->about->stack; i++)
		if (v->v[i].text)
			put_label(k, k->about->keys[i].name, &v->v[i]);
	return pprof_file_sample(&k->file, out, err);
}

static int pprof_end(struct export_spans *spans, struct buf *out, struct err *err)
{
	struct pprof_spans *k = (struct pprof_spans *)spans;

	pprof_file_about(&k->file, spans->from != 0, spans->from, spans->to);
	return pprof_file_end(&k->file, out, err);
}

static void pprof_free(struct export_spans *spans)
{
	struct pprof_spans *k = (struct pprof_spans *)spans;

	stack_tree_free(&k->stacks);
	pprof_file_free(&k->file);
	free(k);
}

int export_spans_pprof(struct session *s, const struct export_spans_about *about,
		       struct export_spans **spans, struct err *err)
{
	static const struct export_spans_ops ops = {
		.row = pprof_row, .end = pprof_end, .free = pprof_free};
	struct pprof_spans *k = calloc(1, sizeof(*k));
	int ret;

	if (!k)
		return err_nomem(err);
	k->spans.ops = &ops;
	k->about = about;
	*spans = &k->spans;
	ret = stack_tree_init(&k->stacks, s->symboliser, err);
	if (!ret)
		ret = pprof_file_init(&k->file, s, err);
	if (ret)
		return ret;
	pprof_file_type(&k->file, PPROF_SAMPLE_TYPE, "spans", "count");
	pprof_file_type(&k->file, PPROF_SAMPLE_TYPE, "time", "nanoseconds");
	pprof_file_default(&k->file, "time", 0);
	return 0;
}
