// SPDX-License-Identifier: GPL-2.0
#include "util/profile/bind.h"

#include <stdlib.h>

void bind_init(struct bind *b, const struct recording *recording, struct process_model *model)
{
	*b = (struct bind){.recording = recording, .model = model};
}

/*
 * Does the recording's entry speak of this DSO? perf.data knows no inodes: the name must do. The
 * "inode" of code that a process made is its layer, and 0 is one.
 */
static bool same_dso(const struct dso_text *t, const struct dso *d)
{
	if (d->kind == DSO_PERF_MAP && t->ino != d->ino)
		return false;
	return (t->class == DSO_CLASS_KERNEL) == dso_is_kernel(d) && !strcmp(t->name, d->name) &&
	       (!t->ino || !d->ino || (t->ino == d->ino && t->maj == d->maj && t->min == d->min)) &&
	       (!t->ino_generation || !d->ino_generation || t->ino_generation == d->ino_generation);
}

static bool add_sym(struct bound_dso *d, const struct sym_text *s)
{
	struct bound_sym *bound = vec_push(&d->syms);

	if (!bound)
		return false;
	*bound = (struct bound_sym){s->start, s->end, s->name};
	d->sorted = false;
	return true;
}

static bool add_frames(struct bind *b, struct bound_dso *d, u32 i)
{
	return hmap_set(&d->frames, b->recording->frames.v[i].addr, i);
}

/* Tie a DSO to its entry, and give it the symbols and frames that came before it. */
static bool bind_dso(struct bind *b, u32 dso, u32 text)
{
	const struct dso_text *t = &b->recording->dsos.v[text];
	struct dso *d = &b->model->dsos.v[dso];
	u32 i;

	b->dsos.v[dso].text = text;
	if (!d->build_id_len && t->build_id_len) {
		memcpy(d->build_id, t->build_id, sizeof(d->build_id));
		d->build_id_len = t->build_id_len;
	}
	if (t->image) {
		d->image = t->image;
		d->image_len = t->image_len;
	}
	for (i = 0; i < b->syms_seen; i++)
		if (b->recording->syms.v[i].dso == text &&
		    !add_sym(&b->dsos.v[dso], &b->recording->syms.v[i]))
			return false;
	for (i = 0; i < b->frames_seen; i++)
		if (b->recording->frames.v[i].dso == text && !add_frames(b, &b->dsos.v[dso], i))
			return false;
	return true;
}

/* Pair what is new on one side with all there is on the other. */
static bool bind_dsos(struct bind *b)
{
	u32 old_dsos = b->dsos.nr, i, j;

	while (b->dsos.nr < b->model->dsos.nr) {
		struct bound_dso *d = vec_push(&b->dsos);

		if (!d)
			return false;
		d->text = ID_NONE;
	}
	for (i = 0; i < b->dsos.nr; i++) {
		if (b->dsos.v[i].text != ID_NONE)
			continue;
		for (j = i < old_dsos ? b->texts_seen : 0; j < b->recording->dsos.nr; j++) {
			if (!same_dso(&b->recording->dsos.v[j], &b->model->dsos.v[i]))
				continue;
			if (!bind_dso(b, i, j))
				return false;
			break;
		}
	}
	b->texts_seen = b->recording->dsos.nr;
	return true;
}

/* Hand the new symbols to the DSOs that they belong to. */
static bool bind_syms(struct bind *b)
{
	const struct sym_text *s;
	u32 i;

	for (; b->syms_seen < b->recording->syms.nr; b->syms_seen++) {
		s = &b->recording->syms.v[b->syms_seen];
		for (i = 0; i < b->dsos.nr; i++)
			if (b->dsos.v[i].text == s->dso && !add_sym(&b->dsos.v[i], s))
				return false;
	}
	return true;
}

static bool bind_frames(struct bind *b)
{
	u32 i;

	for (; b->frames_seen < b->recording->frames.nr; b->frames_seen++)
		for (i = 0; i < b->dsos.nr; i++)
			if (b->dsos.v[i].text == b->recording->frames.v[b->frames_seen].dso &&
			    !add_frames(b, &b->dsos.v[i], b->frames_seen))
				return false;
	return true;
}

bool bind_all(struct bind *b)
{
	bool new_dsos = b->dsos.nr != b->model->dsos.nr || b->texts_seen != b->recording->dsos.nr;

	return (!new_dsos || bind_dsos(b)) && bind_syms(b) && bind_frames(b);
}

static int by_start(const void *x, const void *y)
{
	const struct bound_sym *a = x, *b = y;

	return a->start < b->start ? -1 : a->start > b->start;
}

const struct bound_sym *bind_find(struct bind *b, u32 dso, u64 addr)
{
	struct bound_dso *d;
	u32 lo = 0, hi, mid;

	if (dso >= b->dsos.nr)
		return NULL;
	d = &b->dsos.v[dso];
	if (!d->sorted && d->syms.nr) {
		qsort(d->syms.v, d->syms.nr, sizeof(*d->syms.v), by_start);
		d->sorted = true;
	}
	for (hi = d->syms.nr; lo < hi;) {
		mid = lo + (hi - lo) / 2;
		if (d->syms.v[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr < d->syms.v[lo - 1].end ? &d->syms.v[lo - 1] : NULL;
}

u32 bind_find_frames(const struct bind *b, u32 dso, u64 addr, struct debug_frame *out, u32 max)
{
	const struct frames_text *p;
	u32 i;

	i = dso < b->dsos.nr ? hmap_get(&b->dsos.v[dso].frames, addr) : ID_NONE;
	if (i == ID_NONE)
		return 0;
	p = &b->recording->frames.v[i];
	for (i = 0; i < p->nr && i < max; i++)
		out[i] = (struct debug_frame){
			.function = p->v[i].function, .file = p->v[i].file, .line = p->v[i].line};
	return i;
}

void bind_free(struct bind *b)
{
	u32 i;

	for (i = 0; i < b->dsos.nr; i++) {
		vec_free(&b->dsos.v[i].syms);
		hmap_free(&b->dsos.v[i].frames);
	}
	vec_free(&b->dsos);
}
