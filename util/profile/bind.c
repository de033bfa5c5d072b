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

static const struct bound_list empty = {ID_NONE, ID_NONE};

/* Append i, for which `next` has room. */
static void append(struct bound_list *l, u32 *next, u32 i)
{
	if (l->first == ID_NONE)
		l->first = i;
	else
		next[l->last] = i;
	next[i] = ID_NONE;
	l->last = i;
}

static u64 key_of(const char *name)
{
	return hash_bytes(name, strlen(name));
}

/* Take in the recording's new entries, by name. */
static bool take_texts(struct bind *b)
{
	u32 first, i;
	u64 key;

	for (i = b->texts.nr; i < b->recording->dsos.nr; i++) {
		key = key_of(b->recording->dsos.v[i].name);
		first = hmap_get(&b->text_of, key);
		if ((first == ID_NONE && !hmap_set(&b->text_of, key, i)) ||
		    !vec_reserve(&b->text_next, (u64)i + 1) || !vec_push(&b->texts))
			return false;
		b->text_next.nr = i + 1;
		b->texts.v[i] = (struct bound_text){ID_NONE, empty, empty, empty};
		append(&b->texts.v[first == ID_NONE ? i : first].namesakes, b->text_next.v, i);
	}
	return true;
}

/* The first entry, not before `from`, that speaks of this DSO. */
static u32 find_text(const struct bind *b, const struct dso *d, u32 from)
{
	u32 i = hmap_get(&b->text_of, key_of(d->name));

	for (; i != ID_NONE; i = b->text_next.v[i])
		if (i >= from && same_dso(&b->recording->dsos.v[i], d))
			break;
	return i;
}

/* Tie a DSO to its entry, and give it the symbols and frames that came before it. */
static bool bind_dso(struct bind *b, u32 dso, u32 text)
{
	const struct dso_text *t = &b->recording->dsos.v[text];
	struct bound_text *bound = &b->texts.v[text];
	struct dso *d = &b->model->dsos.v[dso];
	u32 i;

	b->dsos.v[dso].text = text;
	b->dsos.v[dso].next = bound->dso;
	bound->dso = dso;
	if (!d->build_id_len && t->build_id_len) {
		memcpy(d->build_id, t->build_id, sizeof(d->build_id));
		d->build_id_len = t->build_id_len;
	}
	if (t->image) {
		d->image = t->image;
		d->image_len = t->image_len;
	}
	for (i = bound->syms.first; i != ID_NONE; i = b->sym_next.v[i])
		if (!add_sym(&b->dsos.v[dso], &b->recording->syms.v[i]))
			return false;
	for (i = bound->frames.first; i != ID_NONE; i = b->frame_next.v[i])
		if (!add_frames(b, &b->dsos.v[dso], i))
			return false;
	return true;
}

/* Look for the entries of new DSOs, and for the DSOs of new entries. */
static bool bind_dsos(struct bind *b)
{
	const u32 old_dsos = b->dsos.nr, old_texts = b->texts.nr;
	u32 i, text;

	if (!take_texts(b))
		return false;
	while (b->dsos.nr < b->model->dsos.nr) {
		struct bound_dso *d = vec_push(&b->dsos);

		if (!d)
			return false;
		d->text = d->next = ID_NONE;
	}
	for (i = b->texts.nr > old_texts ? 0 : old_dsos; i < b->dsos.nr; i++) {
		if (b->dsos.v[i].text != ID_NONE)
			continue;
		text = find_text(b, &b->model->dsos.v[i], i < old_dsos ? old_texts : 0);
		if (text != ID_NONE && !bind_dso(b, i, text))
			return false;
	}
	return true;
}

/* Hand the new symbols to the DSOs that they belong to. */
static bool bind_syms(struct bind *b)
{
	const struct recording *r = b->recording;
	struct bound_text *t;
	u32 i, dso;

	if (!vec_reserve(&b->sym_next, r->syms.nr))
		return false;
	for (i = b->sym_next.nr; i < r->syms.nr; i = ++b->sym_next.nr) {
		t = &b->texts.v[r->syms.v[i].dso];
		append(&t->syms, b->sym_next.v, i);
		for (dso = t->dso; dso != ID_NONE; dso = b->dsos.v[dso].next)
			if (!add_sym(&b->dsos.v[dso], &r->syms.v[i]))
				return false;
	}
	return true;
}

static bool bind_frames(struct bind *b)
{
	const struct recording *r = b->recording;
	struct bound_text *t;
	u32 i, dso;

	if (!vec_reserve(&b->frame_next, r->frames.nr))
		return false;
	for (i = b->frame_next.nr; i < r->frames.nr; i = ++b->frame_next.nr) {
		t = &b->texts.v[r->frames.v[i].dso];
		append(&t->frames, b->frame_next.v, i);
		for (dso = t->dso; dso != ID_NONE; dso = b->dsos.v[dso].next)
			if (!add_frames(b, &b->dsos.v[dso], i))
				return false;
	}
	return true;
}

bool bind_all(struct bind *b)
{
	bool new_dsos = b->dsos.nr != b->model->dsos.nr || b->texts.nr != b->recording->dsos.nr;

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
	vec_free(&b->texts);
	hmap_free(&b->text_of);
	vec_free(&b->text_next);
	vec_free(&b->sym_next);
	vec_free(&b->frame_next);
}
