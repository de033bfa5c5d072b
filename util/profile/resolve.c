// SPDX-License-Identifier: GPL-2.0
#include "util/profile/resolve.h"

#include <stdlib.h>

#include "util/record/chain.h"
#include "util/symbol/demangle.h"

void resolver_init(struct resolver *r, const struct process_model *model, struct bind *bind,
		   struct symbols *symbols, const struct resolve_options *options)
{
	*r = (struct resolver){
		.model = model, .bind = bind, .symbols = symbols, .options = *options};
}

void resolver_free(struct resolver *r)
{
	vec_free(&r->frames);
	vec_free(&r->places);
	dso_lines_free(&r->lines);
	hmap_free(&r->plain_by_name);
	vec_free(&r->plain);
	arena_free(&r->names);
	free(r->slots);
	r->slots = NULL;
}

static enum frame_kind kind_of(u16 cpumode)
{
	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		return FRAME_KERNEL;
	case PERF_RECORD_MISC_USER:
		return FRAME_USER;
	default:
		return FRAME_OTHER;
	}
}

/* Demangled once: a name that is inlined in many places is one string. */
static const char *plain_name(struct resolver *r, const char *name)
{
	u32 known = hmap_get(&r->plain_by_name, (u64)(uintptr_t)name);
	struct buf b = {0};
	const char *plain = NULL, **to;

	if (r->options.no_demangle)
		return name;
	if (known != ID_NONE)
		return r->plain.v[known];
	if (demangle(&b, name, 0))
		plain = arena_strndup(&r->names, buf_str(&b), b.len);
	buf_free(&b);
	if (!plain)
		plain = name;
	to = vec_push(&r->plain);
	if (to) {
		*to = plain;
		hmap_set(&r->plain_by_name, (u64)(uintptr_t)name, r->plain.nr - 1);
	}
	return plain;
}

static const char *find_symbol(struct resolver *r, const struct frame *f, u64 back, u64 *offset)
{
	const struct bound_sym *bound;
	struct symbol found;

	if (f->dso == ID_NONE)
		return NULL;
	bound = bind_find(r->bind, f->dso, f->addr - back);
	if (bound) {
		*offset = f->addr - bound->start;
		return plain_name(r, bound->name);
	}
	/* the record that told of a bpf program is all its symbol table */
	if (f->map != ID_NONE && r->model->dsos.v[f->dso].kind == DSO_BPF) {
		*offset = f->addr - r->model->maps.v[f->map].start;
		return r->model->dsos.v[f->dso].name;
	}
	if (!symbols_find(r->symbols, r->model, f->dso, f->addr - back, &found))
		return NULL;
	*offset = f->addr - found.start;
	return found.name;
}

/* Name a frame. `caller`: its ip is a return address. */
static void name_frame(struct resolver *r, struct frame *f, bool caller)
{
	const char *exact;
	u64 offset;

	if (f->map != ID_NONE) {
		f->dso = r->model->maps.v[f->map].dso;
		if (f->kind == FRAME_USER)
			f->addr = map_offset(&r->model->maps.v[f->map], f->ip);
	}
	if (caller && f->kind == FRAME_USER && r->arch) {
		/* a handler returns to the first byte of its trampoline: nothing called it */
		exact = find_symbol(r, f, 0, &offset);
		if (exact && !offset && arch_is_signal_frame(r->arch, exact))
			caller = false;
	}
	f->back = caller;
	f->symbol = find_symbol(r, f, caller, &f->offset);
	if (f->symbol && r->arch)
		f->boundary = f->kind == FRAME_KERNEL ? arch_is_interrupt_frame(r->arch, f->symbol)
						      : arch_is_signal_frame(r->arch, f->symbol);
}

struct frame_key {
	u64 ip;
	u32 map;
	u32 how; /* kind, caller */
};

static u64 key_hash(const struct frame_key *k)
{
	return hash_u64(k->ip) ^ hash_u64((u64)k->map << 32 | k->how);
}

static bool grow(struct resolver *r)
{
	u32 size = r->slots ? (r->mask + 1) * 2 : 1024, i, at;
	u32 *slots;

	if (!size)
		return false;
	slots = calloc(size, sizeof(*slots));
	if (!slots)
		return false;
	for (i = 0; r->slots && i <= r->mask; i++) {
		const struct frame *f;
		struct frame_key k;

		if (!r->slots[i])
			continue;
		f = &r->frames.v[(r->slots[i] - 1) / 2];
		k = (struct frame_key){f->ip, f->map, (u32)f->kind << 1 | ((r->slots[i] - 1) & 1)};
		at = (u32)key_hash(&k) & (size - 1);
		while (slots[at])
			at = (at + 1) & (size - 1);
		slots[at] = r->slots[i];
	}
	free(r->slots);
	r->slots = slots;
	r->mask = size - 1;
	return true;
}

/* Slots hold frame id * 2 + caller + 1, so that a frame need not remember how it was asked for. */
static u32 get_frame(struct resolver *r, enum frame_kind kind, u32 map, u64 ip, bool caller)
{
	struct frame_key k = {ip, map, (u32)kind << 1 | caller};
	struct frame *f;
	u32 at;

	if ((!r->slots || (u64)r->frames.nr * 4 >= ((u64)r->mask + 1) * 3) && !grow(r))
		return ID_NONE;
	for (at = (u32)key_hash(&k) & r->mask; r->slots[at]; at = (at + 1) & r->mask) {
		f = &r->frames.v[(r->slots[at] - 1) / 2];
		if (f->ip == ip && f->map == map && f->kind == kind &&
		    ((r->slots[at] - 1) & 1) == caller)
			return (r->slots[at] - 1) / 2;
	}
	f = r->frames.nr < INT32_MAX ? vec_push(&r->frames) : NULL;
	if (!f)
		return ID_NONE;
	*f = (struct frame){
		.ip = ip, .addr = ip, .map = map, .dso = ID_NONE, .kind = kind, .place = ID_NONE};
	name_frame(r, f, caller);
	r->slots[at] = (r->frames.nr - 1) * 2 + caller + 1;
	return r->frames.nr - 1;
}

static u32 find_map(const struct resolver *r, const struct thread *t, enum frame_kind kind, u64 ip)
{
	switch (kind) {
	case FRAME_KERNEL:
		return process_find_kernel_map(r->model, ip);
	case FRAME_USER:
		return t ? process_find_map(r->model, t, ip) : ID_NONE;
	default:
		return ID_NONE;
	}
}

u32 resolver_address(struct resolver *r, const struct thread *t, u16 cpumode, u64 ip)
{
	enum frame_kind kind = kind_of(cpumode);

	return get_frame(r, kind, find_map(r, t, kind, ip), ip, false);
}

/* The kind that a PERF_CONTEXT_* marker announces; false for a marker that means nothing here. */
static bool context_kind(u64 marker, enum frame_kind *kind)
{
	switch (marker) {
	case (u64)PERF_CONTEXT_KERNEL:
		*kind = FRAME_KERNEL;
		return true;
	case (u64)PERF_CONTEXT_USER:
		*kind = FRAME_USER;
		return true;
	case (u64)PERF_CONTEXT_HV:
	case (u64)PERF_CONTEXT_GUEST:
	case (u64)PERF_CONTEXT_GUEST_KERNEL:
	case (u64)PERF_CONTEXT_GUEST_USER:
		*kind = FRAME_OTHER;
		return true;
	default:
		return false;
	}
}

bool resolver_chain(struct resolver *r, const struct thread *t, const struct sample *s,
		    struct frame_list *out)
{
	bool unwound = s->chain_nr && chain_is_end(s->chain[s->chain_nr - 1]);
	enum frame_kind kind = FRAME_USER;
	bool caller = false;
	u32 i, map, id, seen = 0;
	u64 ip;

	out->nr = 0;
	out->inlines = r->options.inlines == INLINES_ALL ||
		       (r->options.inlines == INLINES_UNWOUND && unwound);
	if (!vec_reserve(out, s->chain_nr))
		return false;
	for (i = 0; i < s->chain_nr; i++) {
		ip = s->chain[i];
		if (ip >= (u64)PERF_CONTEXT_MAX) {
			if (chain_is_mark(ip)) {
				caller = caller && ip != CHAIN_SIGNAL;
				continue;
			}
			/* a chain with a marker that nobody writes is not to be believed */
			if (!context_kind(ip, &kind)) {
				out->nr = 0;
				return true;
			}
			caller = false;
			if (unwound) /* perf counts what it unwinds by itself */
				seen = 0;
			continue;
		}
		if (seen == r->options.max_stack)
			continue;
		seen++;
		if (!ip && !r->options.keep_zeros)
			continue;
		if (unwound && caller && kind == FRAME_USER) {
			/* shown where the call is; nothing called a signal's trampoline */
			ip -= s->chain[i + 1] != CHAIN_SIGNAL || r->options.ip_as_is;
			caller = false;
		}
		map = find_map(r, t, kind, ip);
		id = get_frame(r, kind, map, ip, caller && !r->options.ip_as_is);
		if (id == ID_NONE)
			return false;
		out->v[out->nr++] = id;
		caller = !r->frames.v[id].boundary;
	}
	return true;
}

#define PLACES_MAX 256

/* What the recording tells comes first, as with symbols. */
static u32 find_places(struct resolver *r, const struct frame *f, struct debug_frame *out)
{
	u32 nr;

	if (f->dso == ID_NONE || f->kind != FRAME_USER)
		return 0;
	nr = bind_find_frames(r->bind, f->dso, f->addr - f->back, out, PLACES_MAX);
	if (!nr && r->symbols)
		nr = dso_lines_find(&r->lines, r->model, r->symbols, f->dso, f->addr - f->back, out,
				    PLACES_MAX);
	return nr;
}

bool resolver_places(struct resolver *r, u32 frame)
{
	struct frame *f = &r->frames.v[frame];
	struct debug_frame found[PLACES_MAX];
	struct place *p;
	u32 nr, i;

	if (f->place != ID_NONE)
		return true;
	nr = find_places(r, f, found);
	f->place = r->places.nr;
	for (i = 0; i < nr; i++) {
		p = vec_push(&r->places);
		if (!p)
			return false;
		p->file = found[i].file;
		p->line = found[i].line;
		if (i + 1 == nr)
			p->function = f->symbol;
		else if (found[i].function)
			p->function = plain_name(r, found[i].function);
	}
	f->nr_places = nr;
	return true;
}
