// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>

#include "util/library/perflite_internal.h"
#include "util/profile/symboliser.h"

/* The frames that one frame of the symboliser is, with what was inlined there. */
struct known_frame {
	u32 at, nr; /* nr 0: not made yet */
};

struct perflite_frames {
	struct frame_list chain;
	VEC(struct known_frame) known; /* by frame, without and with what was inlined */
	VEC(struct perflite_frame) made;
	VEC(struct perflite_frame) out;
	u32 forgets; /* of the symboliser, while `known` are its frames */
};

void perflite_frames_free(struct perflite_frames *f)
{
	if (!f)
		return;
	vec_free(&f->chain);
	vec_free(&f->known);
	vec_free(&f->made);
	vec_free(&f->out);
	free(f);
}

static void put_file(struct perflite *p, const struct frame *frame, struct perflite_frame *out)
{
	const struct dso *d;
	u32 id;

	if (frame->dso == ID_NONE)
		return;
	d = &perflite_reading(p)->s->model.dsos.v[frame->dso];
	out->file = perflite_keep_text(p, d->name);
	/* once for each file: frames of one program come again and again */
	id = d->build_id_len ? strtab_add(&p->texts, d->build_id, d->build_id_len) : ID_NONE;
	out->build_id = id == ID_NONE ? NULL : (const uint8_t *)strtab_get(&p->texts, id);
	out->build_id_size = out->build_id ? d->build_id_len : 0;
	p->no_memory |= d->build_id_len && !out->build_id;
}

static void put_place(struct perflite *p, const struct place *place, struct perflite_frame *out)
{
	if (!place)
		return;
	out->source = place->file ? perflite_keep_text(p, place->file) : NULL;
	out->line = place->line;
}

static bool push_frame(struct perflite *p, const struct frame *frame, const struct place *inlined,
		       const struct place *place)
{
	struct perflite_frame *out = vec_push(&p->frames->made);
	const char *symbol = inlined ? inlined->function : frame->symbol;

	if (!out)
		return false;
	*out = (struct perflite_frame){
		.address = frame->ip,
		.file_address = frame->addr,
		.offset = frame->symbol && !inlined ? frame->offset : 0,
		.symbol = symbol ? perflite_keep_text(p, symbol) : NULL,
		.flags = (frame->kind == FRAME_KERNEL ? PERFLITE_KERNEL : 0u) |
			 (inlined ? PERFLITE_INLINED : 0u),
	};
	put_file(p, frame, out);
	put_place(p, inlined ? inlined : place, out);
	return true;
}

static bool make_frames(struct perflite *p, u32 id, bool inlines, struct known_frame *known)
{
	struct symboliser *r = perflite_reading(p)->s->symboliser;
	const bool lines = inlines || perflite_reading(p)->inlines;
	const struct place *place = NULL;
	const struct frame *frame;
	u32 i, nr = 0;

	if (lines && !symboliser_places(r, id))
		return false;
	frame = &r->frames.v[id];
	known->at = p->frames->made.nr;
	if (lines && frame->place != ID_NONE && frame->nr_places) {
		place = &r->places.v[frame->place];
		/* as in the commands: what has no name shows none of what is in it */
		nr = inlines && frame->symbol ? frame->nr_places - 1u : 0;
	}
	for (i = 0; i < nr; i++)
		if (!push_frame(p, frame, place++, NULL))
			return false;
	if (!push_frame(p, frame, NULL, place))
		return false;
	known->nr = nr + 1;
	return true;
}

static bool add_frame(struct perflite *p, u32 id, bool inlines)
{
	struct perflite_frames *f = p->frames;
	const u64 at = (u64)id * 2 + inlines;
	struct perflite_frame *out;
	struct known_frame known;
	u32 i;

	while (f->known.nr <= at)
		if (!vec_push(&f->known))
			return false;
	known = f->known.v[at];
	if (!known.nr && !make_frames(p, id, inlines, &known))
		return false;
	f->known.v[at] = known;
	for (i = 0; i < known.nr; i++) {
		out = vec_push(&f->out);
		if (!out)
			return false;
		*out = f->made.v[known.at + i];
	}
	return true;
}

/* Where the sample was taken, for one without a call chain. */
static bool add_address(struct perflite *p)
{
	const struct sample *s = p->sample.sample;
	u32 id;

	if (!(s->ids.has & PERF_SAMPLE_IP) && !s->ip)
		return true;
	id = symboliser_address(perflite_reading(p)->s->symboliser, p->sample.thread,
				s->misc & PERF_RECORD_MISC_CPUMODE_MASK, s->ip);
	return id != ID_NONE && add_frame(p, id, perflite_reading(p)->inlines);
}

static bool add_chain(struct perflite *p)
{
	struct frame_list *chain = &p->frames->chain;
	u32 i;

	if (p->asked.no_stacks)
		return add_address(p);
	if (!symboliser_chain(perflite_reading(p)->s->symboliser, p->sample.thread,
			      p->sample.sample, chain))
		return false;
	for (i = 0; i < chain->nr; i++)
		if (!add_frame(p, chain->v[i], chain->inlines))
			return false;
	return chain->nr || add_address(p);
}

static void begin_frames(struct perflite_frames *f, const struct symboliser *r)
{
	if (f->forgets != r->forgets)
		f->known.nr = f->made.nr = 0;
	f->forgets = r->forgets;
	f->out.nr = 0;
}

long perflite_frames(struct perflite *p, const struct perflite_frame **frames,
		     struct perflite_error *error)
{
	struct err err = {0};

	*frames = NULL;
	perflite_give_error(p, &err, error);
	if (!perflite_has_sample(p))
		return 0;
	if (!p->frames)
		p->frames = calloc(1, sizeof(*p->frames));
	if (p->frames)
		begin_frames(p->frames, perflite_reading(p)->s->symboliser);
	if (!p->frames || !add_chain(p) || p->no_memory) {
		err_nomem(&err);
		return perflite_give_error(p, &err, error);
	}
	*frames = p->frames->out.v;
	return p->frames->out.nr;
}
