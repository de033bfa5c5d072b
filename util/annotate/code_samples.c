// SPDX-License-Identifier: GPL-2.0
#include "util/annotate/code_samples.h"

#include <stdlib.h>
#include <string.h>

int code_samples_count(struct code_samples *c, struct symboliser *r,
		       const struct place_filter *places, const struct session_sample *s,
		       struct err *err)
{
	const struct place_filter files = {.dsos = places->dsos};
	const struct sample *v = s->sample;
	u32 frame;
	int ret;

	c->samples += s->samples;
	c->weight = stack_weights_sum(c->weight, v->period, s->samples);
	if (!(v->ids.has & PERF_SAMPLE_IP))
		return 0;
	frame = symboliser_address(r, s->thread, v->misc & PERF_RECORD_MISC_CPUMODE_MASK, v->ip);
	if (frame == ID_NONE)
		return err_nomem(err);
	/* what has no symbol may have been asked for by its address */
	ret = place_filter_pass(r->frames.v[frame].symbol ? places : &files, r, s, err);
	if (ret <= 0)
		return ret;
	if (!stack_weights_count(&c->weights, 0, 0, frame, v->period, s->samples))
		return err_nomem(err);
	return 0;
}

/* A frame with samples, by what it is sorted by. */
struct sampled {
	u32 dso, entry;
	u64 start, offset, size;
	const char *name;
};

static int compare_places(const void *x, const void *y)
{
	const struct sampled *a = x, *b = y;

	if (a->dso != b->dso)
		return a->dso < b->dso ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static int compare_functions(const void *x, const void *y)
{
	const struct code_function *a = x, *b = y;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/* One function in two processes has other frames at the same addresses. */
static bool add_hit(struct code_functions *fs, const struct sampled *p,
		    const struct stack_weight *w, bool same)
{
	struct annotation_hit *hit =
		same && fs->hits.nr ? &fs->hits.v[fs->hits.nr - 1] : vec_push(&fs->hits);

	if (!hit)
		return false;
	hit->offset = p->offset;
	hit->samples += w->samples;
	hit->weight = stack_weights_sum(hit->weight, w->weight, 1);
	return true;
}

static bool add_function(struct code_functions *fs, const struct sampled *p)
{
	struct code_function *to = vec_push(&fs->v);

	if (to)
		*to = (struct code_function){
			.f = {.dso = p->dso, .start = p->start, .size = p->size, .name = p->name},
			.first = fs->hits.nr};
	return to != NULL;
}

static bool group(struct code_functions *fs, const struct sampled *places, u32 nr,
		  const struct code_samples *c)
{
	const struct stack_weight *w;
	struct code_function *to;
	bool same_function;
	u32 i;

	for (i = 0; i < nr; i++) {
		w = &c->weights.v.v[places[i].entry];
		same_function = i && places[i].dso == places[i - 1].dso &&
				places[i].start == places[i - 1].start;
		if (!same_function && !add_function(fs, &places[i]))
			return false;
		if (!add_hit(fs, &places[i], w,
			     same_function && places[i].offset == places[i - 1].offset))
			return false;
		to = &fs->v.v[fs->v.nr - 1];
		to->f.nr_hits = fs->hits.nr - to->first;
		to->samples += w->samples;
		to->weight = stack_weights_sum(to->weight, w->weight, 1);
	}
	return true;
}

/* Which function a frame is in; false: that is not known. */
static bool find_function(struct annotator *a, u32 frame, struct sampled *out)
{
	struct symboliser *r = a->symboliser;
	const struct frame *f = &r->frames.v[frame];
	struct annotation_function found;

	if (f->dso == ID_NONE)
		return false;
	if (f->symbol) {
		out->start = f->addr - f->offset;
		out->size = symboliser_function_size(r, frame);
		out->name = f->symbol;
	} else if (annotator_nameless(a, f->dso, f->addr, &found)) {
		out->start = found.start;
		out->size = found.size;
		out->name = found.name;
	} else {
		return false;
	}
	out->dso = f->dso;
	out->offset = f->addr - out->start;
	return true;
}

/* Were functions asked for, and not one that is called by its address? */
static bool is_unwanted(const struct place_filter *places, const struct annotator *a, u32 frame,
			const char *name)
{
	return places->symbols.nr && !a->symboliser->frames.v[frame].symbol &&
	       name_list_has(&places->symbols, name) == places->symbols.except;
}

int code_samples_functions(const struct code_samples *c, struct annotator *a,
			   const struct place_filter *places, struct code_functions *out,
			   struct err *err)
{
	struct sampled *sampled = calloc((size_t)c->weights.v.nr + 1, sizeof(*sampled));
	const struct stack_weight *w;
	u32 i, nr = 0;
	bool ok;

	*out = (struct code_functions){0};
	if (!sampled)
		return err_nomem(err);
	for (i = 0; i < c->weights.v.nr; i++) {
		w = &c->weights.v.v[i];
		if (!find_function(a, w->top, &sampled[nr])) {
			out->nameless = stack_weights_sum(out->nameless, w->weight, 1);
			continue;
		}
		sampled[nr].entry = i;
		nr += !is_unwanted(places, a, w->top, sampled[nr].name);
	}
	qsort(sampled, nr, sizeof(*sampled), compare_places);
	ok = group(out, sampled, nr, c);
	free(sampled);
	if (!ok)
		return err_nomem(err);
	for (i = 0; i < out->v.nr; i++)
		out->v.v[i].f.hits = &out->hits.v[out->v.v[i].first];
	if (out->v.nr)
		qsort(out->v.v, out->v.nr, sizeof(*out->v.v), compare_functions);
	return 0;
}

void code_functions_free(struct code_functions *fs)
{
	vec_free(&fs->v);
	vec_free(&fs->hits);
}

void code_samples_free(struct code_samples *c)
{
	stack_weights_free(&c->weights);
}
