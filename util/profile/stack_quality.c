// SPDX-License-Identifier: GPL-2.0
#include "util/profile/stack_quality.h"

#include <errno.h>

#include "util/profile/symboliser.h"
#include "util/record/chain.h"

/* What the kernel puts into a chain at most, unless the event says otherwise. */
#define KERNEL_MAX_STACK 127

/* How many addresses from the outermost inward are looked at for where a stack begins. */
#define BEHIND_ENTRY 4

static bool is_address(u64 word)
{
	return word && word < (u64)PERF_CONTEXT_MAX;
}

/* The part of a chain that user code ran: chain[from] is its first word; chain_nr: there is none. */
static u32 user_half(const struct sample *s)
{
	u32 i;

	for (i = s->chain_nr; i-- > 0;)
		if (s->chain[i] == (u64)PERF_CONTEXT_USER)
			return i + 1;
	return s->chain_nr;
}

/* The DSO of the outermost frame that something is mapped at. */
static u32 last_dso(const struct symboliser *r, const struct thread *t, const struct sample *s)
{
	u32 i, from = user_half(s), map;

	for (i = s->chain_nr; i-- > from;) {
		map = is_address(s->chain[i]) ? process_find_map(r->model, t, s->chain[i])
					      : ID_NONE;
		if (map != ID_NONE)
			return r->model->maps.v[map].dso;
	}
	return ID_NONE;
}

/* As many addresses as the kernel was to give. */
static bool is_full(const struct event_desc *e, const struct sample *s)
{
	u32 max = e->attr.sample_max_stack ? e->attr.sample_max_stack : KERNEL_MAX_STACK;
	u32 i, nr = 0;

	for (i = 0; i < s->chain_nr; i++)
		nr += s->chain[i] < (u64)PERF_CONTEXT_MAX;
	return nr >= max;
}

/*
 * A chain of frame pointers. At the outermost frame the register holds any value, not a frame pointer,
 * so a few bogus addresses may follow.
 */
static bool find_walked(struct symboliser *r, const struct event_desc *e, const struct thread *t,
			const struct sample *s, struct stack_end *found)
{
	u32 from = user_half(s), i = s->chain_nr, seen, id, end = QUALITY_ENDS;
	const struct frame *f;

	for (seen = 0; i > from && seen < BEHIND_ENTRY && end != CHAIN_ROOT; i--) {
		if (!is_address(s->chain[i - 1]))
			continue;
		id = i - 1 == from ? symboliser_address(r, t, PERF_RECORD_MISC_USER, s->chain[from])
				   : symboliser_caller(r, t, s->chain[i - 1]);
		if (id == ID_NONE)
			return false;
		f = &r->frames.v[id];
		if (f->symbol && quality_is_entry(f->symbol))
			end = CHAIN_ROOT;
		else if (!seen)
			end = f->map != ID_NONE && !f->symbol ? QUALITY_UNTOLD
							      : QUALITY_NO_FRAME_POINTER;
		seen++;
	}
	if (is_full(e, s) && end != CHAIN_ROOT)
		end = CHAIN_LIMIT;
	else if (end == QUALITY_ENDS) /* the kernel's half alone, or nothing */
		end = from > 1 ? CHAIN_ROOT : CHAIN_NO_UNWIND;
	*found = (struct stack_end){end == CHAIN_ROOT ? ID_NONE : last_dso(r, t, s), end};
	return true;
}

/* The same for all samples of an event whose stacks have one number. False: no memory. */
static bool stack_quality_find(struct symboliser *r, const struct event_desc *e,
			       const struct thread *t, const struct sample *s,
			       struct stack_end *found)
{
	*found = (struct stack_end){ID_NONE, QUALITY_ENDS};
	if (!(e->layout.has & PERF_SAMPLE_CALLCHAIN))
		return true;
	if (!sample_is_unwound(s))
		return find_walked(r, e, t, s, found);
	found->end = quality_unwound_end(r->model, t, s->chain, s->chain_nr);
	if (found->end != CHAIN_ROOT)
		found->dso = last_dso(r, t, s);
	return true;
}

bool stack_quality_sample(struct stack_quality *q, struct session *s,
			  const struct session_sample *sample)
{
	struct stack_quality_known *k = &q->known[sample->stack % ARRAY_SIZE(q->known)];

	if (!sample->stack || k->stack != sample->stack || k->event != sample->event) {
		if (!stack_quality_find(s->symboliser, sample->desc, sample->thread, sample->sample,
					&k->end))
			return false;
		k->stack = sample->stack;
		k->event = sample->event;
	}
	quality_stacks(&q->counts, k->end.dso, k->end.end, sample->samples);
	return !q->counts.failed;
}

/* Why a file gives no name. */
static enum quality_name file_cause(int why)
{
	switch (-why) {
	case 0:
		return QUALITY_NO_SYMBOL;
	case ENODATA:
	case EIO:
		return QUALITY_NO_SYMTAB;
	case ESTALE:
		return QUALITY_OTHER_BUILD;
	default:
		return QUALITY_FILE_GONE;
	}
}

static bool is_gone(const char *name)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(name);

	return len >= sizeof(deleted) && !strcmp(name + len - (sizeof(deleted) - 1), deleted);
}

static enum quality_name name_of(const struct symboliser *r, const struct frame *f)
{
	const struct dso *d;
	int why;

	if (f->symbol)
		return QUALITY_NAMED;
	if (f->kind == FRAME_KERNEL && f->dso == ID_NONE)
		return QUALITY_NO_KALLSYMS;
	if (f->dso == ID_NONE)
		return QUALITY_NOT_MAPPED;
	d = &r->model->dsos.v[f->dso];
	why = symbols_why(r->symbols, r->model, f->dso);
	if (dso_is_kernel(d))
		return why ? QUALITY_NO_KALLSYMS : QUALITY_NO_SYMBOL;
	switch (d->kind) {
	case DSO_PERF_MAP:
		return why ? QUALITY_NO_JIT_MAP : QUALITY_NO_SYMBOL;
	case DSO_OTHER:
		return is_gone(d->name) ? QUALITY_FILE_GONE : QUALITY_NO_JIT_MAP;
	default:
		return file_cause(why);
	}
}

bool stack_quality_frames(struct quality *q, const struct symboliser *r,
			  const struct frame_list *frames)
{
	const struct frame *f;
	u32 i;

	for (i = 0; i < frames->nr; i++) {
		f = &r->frames.v[frames->v[i]];
		quality_frame(q, f->dso, name_of(r, f));
	}
	return !q->failed;
}
