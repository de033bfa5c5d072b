// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd_flamegraph.h"

#include <errno.h>

#include "util/base/num.h"

static const struct place_filter everywhere;

int flamegraph_code_count(struct flamegraph_code *c, struct symboliser *r,
			  const struct session_sample *s, struct err *err)
{
	while (c->events.nr <= s->event)
		if (!vec_push(&c->events))
			return err_nomem(err);
	return code_samples_count(&c->events.v[s->event], r, &everywhere, s, err);
}

struct putting {
	struct annotator annotator;
	struct source_text sources;
	struct annotation_text text;
	struct annotation_html html;
	const struct session *s;
	const struct code_samples *samples;
	const char *event;
};

/* What cannot be shown is left out, but for what would not be shown of any function. */
static int put_function(struct putting *p, const struct code_function *f, struct err *err)
{
	const struct dso *dso = &p->s->model.dsos.v[f->f.dso];
	const struct annotation_heading h = {
		.event = p->event,
		.dso = dso->name,
		.symbol = f->f.name,
		.samples = f->samples,
		.weight = f->weight,
		.all_samples = p->samples->samples,
		.all_weight = p->samples->weight,
	};
	struct annotation a;
	struct err why = {0};
	int ret = annotation_make(&a, &p->annotator, &f->f, &why);

	if (ret == -ENOMEM || ret == -ENOSYS)
		*err = why;
	if (ret)
		return ret == -ENOMEM || ret == -ENOSYS ? ret : 0;
	annotation_html_function(&p->html, &h, dso, &a, NULL);
	annotation_free(&a);
	return p->html.sections.failed ? err_nomem(err) : 0;
}

static int put_functions(struct putting *p, struct err *err)
{
	struct code_functions fs;
	int ret = code_samples_functions(p->samples, &p->annotator, &everywhere, &fs, err);
	u32 i;

	for (i = 0; i < fs.v.nr && !ret && p->html.nr < ANNOTATION_HTML_FUNCTIONS; i++) {
		if (num_percent(fs.v.v[i].weight, p->samples->weight) < ANNOTATION_HTML_PERCENT)
			break;
		ret = put_function(p, &fs.v.v[i], err);
	}
	code_functions_free(&fs);
	return ret;
}

int flamegraph_code_put(const struct flamegraph_code *c, const struct reading *in, u32 event,
			struct buf *out, struct err *err)
{
	const struct annotator_options options = {
		.vmlinux = in->session.vmlinux,
		.running =
			!in->session.symfs && session_is_running_kernel(in->s->source->recording),
	};
	struct putting p = {
		.sources.root = in->session.symfs,
		.s = in->s,
		.event = in->s->source->recording->events.events.v[event].name,
	};
	int ret;

	if (event >= c->events.nr)
		return 0;
	p.samples = &c->events.v[event];
	p.text =
		(struct annotation_text){.sources = &p.sources, .context = ANNOTATION_TEXT_CONTEXT};
	p.html.text = &p.text;
	annotator_init(&p.annotator, in->s->symboliser, &options);
	ret = put_functions(&p, err);
	if (!ret)
		buf_add(out, p.html.sections.data, p.html.sections.len);
	annotation_html_free(&p.html);
	annotator_free(&p.annotator);
	source_text_free(&p.sources);
	return ret;
}

void flamegraph_code_free(struct flamegraph_code *c)
{
	u32 i;

	for (i = 0; i < c->events.nr; i++)
		code_samples_free(&c->events.v[i]);
	vec_free(&c->events);
}
