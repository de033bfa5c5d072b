// SPDX-License-Identifier: GPL-2.0
#include "util/profile/symboliser.h"

#include <errno.h>
#include <stdlib.h>

#include "util/debuginfo/debuginfo.h"
#include "util/profile/name_list.h"
#include "util/record/chain.h"
#include "util/symbol/demangle.h"
#include "util/symbol/symbols.h"

/*
 * inlined functions and lines of the DSOs of a recording, from files on this machine.
 *
 * A DSO's image and its debug file are opened when an address in it is first asked for, as symbols
 * are (symbol/dso_file.h): a file that is not the recorded one is not used. They stay open
 * until dso_lines_free(); strings handed out live until then. Zero-initialised it is ready.
 */

struct dso_lines_file {
	bool open;  /* else there is no file to look into */
	bool noted; /* why something of it is missing */
	struct debug_source source;
};

static void note_missing(struct dso_lines_file *f, struct symbols *s, const struct err *why)
{
	f->noted = true;
	symbols_add_note(s, why);
}

static void open_file(struct dso_lines_file *f, const struct process_model *m, struct symbols *s,
		      u32 dso)
{
	const struct dso_file_options *o = symbols_image_options(s);
	const struct debug_file_options where = {
		.root = o->symfs, .cache = o->cache, .debuginfod = o->debuginfod};
	struct err err = {0};
	struct image img;
	int ret;

	ret = dso_file_open(m, dso, o, &img, &err);
	f->open = !ret;
	if (!ret)
		ret = debug_source_open(&f->source, &img, m->dsos.v[dso].name, &where, &err);
	else if (ret == -ESTALE && symbols_why(s, m, dso) != -ESTALE)
		err_set(&err, ESTALE, "%s: build-id differs from the recorded one; no source lines",
			m->dsos.v[dso].name);
	else if (ret == -ENOENT || ret == -ENOTDIR || ret == -ESTALE)
		return; /* it is not there, which its symbols note where they are needed */
	if (ret && ret != -ENODATA)
		note_missing(f, s, &err);
}

static struct dso_lines_file *get_file(struct dso_lines *l, const struct process_model *m,
				       struct symbols *s, u32 dso)
{
	struct dso_lines_file *f;

	while (l->files.nr <= dso)
		if (!vec_push(&l->files))
			return NULL;
	if (!l->files.v[dso]) {
		f = calloc(1, sizeof(*f));
		if (f)
			open_file(f, m, s, dso);
		l->files.v[dso] = f;
	}
	return l->files.v[dso];
}

/*
 * The functions at the byte `addr` of a DSO's file: innermost first, as debuginfo_find(). 0: nothing
 * is known; a note says so where it is for lack of memory, or since a file cannot be read.
 */
static u32 dso_lines_find(struct dso_lines *l, const struct process_model *m, struct symbols *s,
			  u32 dso, u64 addr, struct debug_frame *out, u32 max)
{
	struct dso_lines_file *f;
	struct err why;
	int nr;

	if (!dso_has_image(&m->dsos.v[dso]))
		return 0;
	f = get_file(l, m, s, dso);
	if (!f)
		symbols_lack_memory(s);
	if (!f || !f->open)
		return 0;
	nr = debug_source_find(&f->source, addr, out, max);
	if (!f->noted && debug_source_why(&f->source, &why))
		note_missing(f, s, &why);
	return nr < 0 ? 0 : (u32)nr;
}

static void dso_lines_free(struct dso_lines *l)
{
	u32 i;

	for (i = 0; i < l->files.nr; i++) {
		if (l->files.v[i] && l->files.v[i]->open)
			debug_source_close(&l->files.v[i]->source);
		free(l->files.v[i]);
	}
	vec_free(&l->files);
}

#define RECENT_FRAMES 4096u

void symboliser_init(struct symboliser *r, const struct process_model *model, struct bind *bind,
		     struct symbols *symbols, const struct resolve_options *options)
{
	*r = (struct symboliser){
		.model = model, .bind = bind, .symbols = symbols, .options = *options};
}

void symboliser_free(struct symboliser *r)
{
	vec_free(&r->frames);
	vec_free(&r->places);
	dso_lines_free(&r->lines);
	addr2line_names_free(&r->addr2line);
	hmap_free(&r->plain_by_name);
	vec_free(&r->plain);
	call_chain_ids_free(&r->stacks);
	arena_free(&r->names);
	free(r->slots);
	free(r->recent);
	r->slots = NULL;
	r->recent = NULL;
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
static const char *plain_name(struct symboliser *r, const char *name)
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
	if (b.failed || (b.len && !plain))
		symbols_lack_memory(r->symbols);
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

static const char *find_symbol(struct symboliser *r, const struct frame *f, u64 back, u64 *offset)
{
	const struct bound_sym *bound;
	struct symbol found;
	int why;

	if (f->dso == ID_NONE)
		return NULL;
	if (r->options.files_first && r->model->dsos.v[f->dso].kind != DSO_BPF) {
		if (symbols_find(r->symbols, r->model, f->dso, f->addr - back, &found)) {
			*offset = f->addr - found.start;
			return found.name;
		}
		/* nothing there in a file that was read */
		why = symbols_why(r->symbols, r->model, f->dso);
		if (!why || why == -ENODATA)
			return NULL;
	}
	bound = bind_find(r->bind, f->dso, f->addr - back);
	if (bound) {
		*offset = f->addr - bound->start;
		return plain_name(r, bound->name);
	}
	/* a BPF program's record is its whole symbol table */
	if (f->map != ID_NONE && r->model->dsos.v[f->dso].kind == DSO_BPF) {
		*offset = f->addr - r->model->maps.v[f->map].start;
		return r->model->dsos.v[f->dso].name;
	}
	if (!symbols_find(r->symbols, r->model, f->dso, f->addr - back, &found))
		return NULL;
	*offset = f->addr - found.start;
	return found.name;
}

u64 symboliser_file_address(const struct symboliser *r, const struct frame *f)
{
	/* names of modules are known by their addresses in memory, so `addr` is one */
	if (f->map != ID_NONE && f->dso != ID_NONE && r->model->dsos.v[f->dso].kind == DSO_MODULE)
		return map_offset(&r->model->maps.v[f->map], f->ip);
	return f->addr;
}

u64 symboliser_function_size(struct symboliser *r, u32 frame)
{
	const struct frame *f = &r->frames.v[frame];
	const struct bound_sym *bound;
	struct symbol found = {0};

	if (f->dso == ID_NONE || !f->symbol)
		return 0;
	/* a BPF program is its mapping */
	if (f->map != ID_NONE && r->model->dsos.v[f->dso].kind == DSO_BPF)
		return r->model->maps.v[f->map].end - r->model->maps.v[f->map].start;
	bound = bind_find(r->bind, f->dso, f->addr - f->back);
	if (bound)
		return bound->end - bound->start;
	if (!symbols_find(r->symbols, r->model, f->dso, f->addr - f->back, &found) || !found.end)
		return 0;
	return found.end - found.start;
}

/* Name a frame. `caller`: its ip is a return address. */
static void name_frame(struct symboliser *r, struct frame *f, bool caller)
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
	/* init code is above the range in the kernel's record; so is what is not the kernel's: vsyscall */
	if (!f->symbol && f->kind == FRAME_KERNEL && f->map != ID_NONE &&
	    f->map == r->model->kernel_map && f->ip >= r->model->maps.v[f->map].end)
		f->dso = ID_NONE;
	if (f->symbol && r->arch)
		f->boundary = f->kind == FRAME_KERNEL ? arch_is_interrupt_frame(r->arch, f->symbol)
						      : arch_is_signal_frame(r->arch, f->symbol);
}

static u32 frame_hash(enum frame_kind kind, u32 map, u64 ip, bool caller)
{
	u64 h = hash_u64(ip) ^ hash_u64((u64)map << 32 | (u32)kind << 1 | caller);

	return (u32)(h ^ h >> 32);
}

/* A slot has the hash, so that frames with another one need not be compared; frame 0: it is free. */
static bool grow(struct symboliser *r)
{
	u32 size = r->slots ? (r->mask + 1) * 2 : 1024, i, at;
	struct frame_slot *slots;

	if (!size)
		return false;
	slots = calloc(size, sizeof(*slots));
	if (!slots)
		return false;
	for (i = 0; r->slots && i <= r->mask; i++) {
		if (!r->slots[i].frame)
			continue;
		at = r->slots[i].hash & (size - 1);
		while (slots[at].frame)
			at = (at + 1) & (size - 1);
		slots[at] = r->slots[i];
	}
	free(r->slots);
	r->slots = slots;
	r->mask = size - 1;
	return true;
}

/* Slots hold frame id * 2 + caller + 1, so that a frame need not remember how it was asked for. */
static u32 get_frame(struct symboliser *r, enum frame_kind kind, u32 map, u64 ip, bool caller)
{
	u32 hash = frame_hash(kind, map, ip, caller), at;
	struct frame_slot *s;
	struct frame *f;

	if ((!r->slots || (u64)r->frames.nr * 4 >= ((u64)r->mask + 1) * 3) && !grow(r)) {
		symbols_lack_memory(r->symbols);
		return ID_NONE;
	}
	for (at = hash & r->mask; r->slots[at].frame; at = (at + 1) & r->mask) {
		s = &r->slots[at];
		if (s->hash != hash || ((s->frame - 1) & 1) != caller)
			continue;
		f = &r->frames.v[(s->frame - 1) / 2];
		if (f->ip == ip && f->map == map && f->kind == kind)
			return (s->frame - 1) / 2;
	}
	f = r->frames.nr < INT32_MAX ? vec_push(&r->frames) : NULL;
	if (!f) {
		symbols_lack_memory(r->symbols);
		return ID_NONE;
	}
	*f = (struct frame){.ip = ip,
			    .addr = ip,
			    .map = map,
			    .dso = ID_NONE,
			    .kind = (u8)kind,
			    .place = ID_NONE};
	name_frame(r, f, caller);
	r->slots[at] = (struct frame_slot){hash, (r->frames.nr - 1) * 2 + caller + 1};
	return r->frames.nr - 1;
}

/* Put what stays of the old table into the one that is empty; frames and their mappings have their new numbers. */
static void fill_slots(struct symboliser *r, const struct frame_slot *old, const u32 *kept)
{
	u32 i, at, hash, id;
	const struct frame *f;
	bool caller;

	for (i = 0; i <= r->mask; i++) {
		id = old[i].frame ? kept[(old[i].frame - 1) / 2] : ID_NONE;
		if (id == ID_NONE)
			continue;
		caller = (old[i].frame - 1) & 1;
		f = &r->frames.v[id];
		hash = frame_hash((enum frame_kind)f->kind, f->map, f->ip, caller);
		for (at = hash & r->mask; r->slots[at].frame; at = (at + 1) & r->mask)
			;
		r->slots[at] = (struct frame_slot){hash, id * 2 + caller + 1};
	}
}

void symboliser_forget(struct symboliser *r, u32 *kept, const u32 *maps)
{
	struct frame_slot *old = r->slots;
	struct frame f;
	u32 i, nr = 0;

	for (i = 0; i < r->frames.nr; i++) {
		kept[i] = kept[i] ? nr++ : ID_NONE;
		if (kept[i] == ID_NONE)
			continue;
		f = r->frames.v[i];
		f.map = f.map == ID_NONE ? ID_NONE : maps[f.map];
		f.place = ID_NONE;
		r->frames.v[kept[i]] = f;
	}
	r->frames.nr = nr;
	r->forgets++;
	r->places.nr = 0;
	call_chain_ids_forget(&r->stacks);
	if (r->recent)
		memset(r->recent, 0, RECENT_FRAMES * sizeof(*r->recent));
	r->slots = old ? calloc((size_t)r->mask + 1, sizeof(*old)) : NULL;
	/* without memory: a frame that stays gets another number when it comes again */
	if (r->slots)
		fill_slots(r, old, kept);
	free(old);
}

static u32 find_map(const struct symboliser *r, const struct thread *t, enum frame_kind kind,
		    u64 ip)
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

/* What is mapped where an address of that kind belongs: process.h, maps_state. */
static u32 maps_state(const struct symboliser *r, const struct thread *t, enum frame_kind kind)
{
	switch (kind) {
	case FRAME_KERNEL:
		return r->model->kernel.maps_state;
	case FRAME_USER:
		return t ? r->model->processes.v[t->process].maps_state : 0;
	default:
		return 0;
	}
}

/* The frame at an address, mostly one that came a little while ago. */
static u32 frame_at(struct symboliser *r, const struct thread *t, enum frame_kind kind, u64 ip,
		    bool caller)
{
	u64 where = (u64)maps_state(r, t, kind) << 3 | (u32)kind << 1 | caller;
	struct recent_frame *f;

	if (!r->recent)
		r->recent = calloc(RECENT_FRAMES, sizeof(*r->recent));
	if (!r->recent) {
		symbols_lack_memory(r->symbols);
		return ID_NONE;
	}
	f = &r->recent[(hash_u64(ip + where * 8) >> 16) % RECENT_FRAMES];
	if (f->frame && f->ip == ip && f->where == where)
		return f->frame - 1;
	f->frame = get_frame(r, kind, find_map(r, t, kind, ip), ip, caller) + 1;
	f->ip = ip;
	f->where = where;
	return f->frame - 1;
}

u32 symboliser_address(struct symboliser *r, const struct thread *t, u16 cpumode, u64 ip)
{
	return frame_at(r, t, kind_of(cpumode), ip, false);
}

u32 symboliser_caller(struct symboliser *r, const struct thread *t, u64 ip)
{
	return frame_at(r, t, FRAME_USER, ip, !r->options.ip_as_is);
}

/*
 * The kind that a PERF_CONTEXT_* marker announces; false for a marker that no kernel writes. Those of guests are
 * such: Linux does not walk a guest's stack. What looks like one was read by a frame pointer that is none.
 */
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
		*kind = FRAME_OTHER;
		return true;
	default:
		return false;
	}
}

/* False when memory is out. */
static bool add_cut(struct symboliser *r, struct frame_list *out)
{
	u32 id = get_frame(r, FRAME_USER, ID_NONE, UINT64_MAX, false);

	if (id == ID_NONE)
		return false;
	out->v[out->nr++] = id;
	return true;
}

static bool stops_at(const struct symboliser *r, u32 frame)
{
	const char *symbol = r->frames.v[frame].symbol;

	return symbol && name_list_has(r->options.stop_at, symbol);
}

static const char *kernel_symbol(struct symboliser *r, u64 ip)
{
	u32 id = frame_at(r, NULL, FRAME_KERNEL, ip, false);

	return id == ID_NONE ? NULL : r->frames.v[id].symbol;
}

/*
 * Is it one of those that run a program, at a tracepoint (kernel/trace/bpf_trace.c, include/linux/tracepoint.h) or at a function
 * (kernel/bpf/trampoline.c)?
 */
static bool runs_programs(const char *symbol)
{
	static const char *const names[] = {"bpf_trace_run", "__bpf_trace_", "__traceiter_",
					    "bpf_trampoline_"};
	u32 i;

	for (i = 0; symbol && i < ARRAY_SIZE(names); i++)
		if (!strncmp(symbol, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Where a kernel does not name programs and what runs them, these are all that it does not name. */
static bool is_nameless(struct symboliser *r, const struct sample *s)
{
	return s->chain_nr > 3 && !kernel_symbol(r, s->chain[1]) &&
	       !kernel_symbol(r, s->chain[2]) && kernel_symbol(r, s->chain[3]);
}

void symboliser_drop_program(struct symboliser *r, struct sample *s)
{
	u32 nr = 2; /* the mark of the kernel, the program */

	if (s->chain_nr < 3 || s->chain[0] != (u64)PERF_CONTEXT_KERNEL)
		return;
	if (is_nameless(r, s))
		nr = 3;
	while (nr < s->chain_nr && s->chain[nr] < (u64)PERF_CONTEXT_MAX &&
	       runs_programs(kernel_symbol(r, s->chain[nr])))
		nr++;
	/* without names it is not known where they end */
	if (nr == 2 || nr == s->chain_nr || s->chain[nr] >= (u64)PERF_CONTEXT_MAX)
		return;
	s->chain += nr;
	s->chain_nr -= nr;
	s->ip = s->chain[0];
	s->in_kernel = true;
}

bool symboliser_chain(struct symboliser *r, const struct thread *t, const struct sample *s,
		      struct frame_list *out)
{
	const bool unwound = sample_is_unwound(s);
	enum frame_kind kind = s->in_kernel ? FRAME_KERNEL : FRAME_USER;
	bool caller = false, stopped = false;
	u32 i, id, seen = 0;
	u64 ip;

	out->nr = 0;
	out->inlines = r->options.inlines == INLINES_ALL ||
		       (r->options.inlines == INLINES_UNWOUND && unwound);
	if (!vec_reserve(out, s->chain_nr))
		return false;
	for (i = 0; i < s->chain_nr && (unwound || seen < r->options.max_stack); i++) {
		ip = s->chain[i];
		if (ip >= (u64)PERF_CONTEXT_MAX) {
			if (unwound && ip == CHAIN_END + CHAIN_CUT && r->options.show_cut) {
				if (seen < r->options.max_stack && !stopped && !add_cut(r, out))
					return false;
				continue;
			}
			if (!s->kernel_chain && chain_is_mark(ip)) {
				caller = caller && ip != CHAIN_SIGNAL;
				continue;
			}
			/* a marker that nobody writes is a number that a wrong frame pointer has read */
			if (!context_kind(ip, &kind)) {
				if (r->options.breaks_as_perf)
					out->nr = 0;
				return true;
			}
			caller = false;
			if (unwound) /* perf counts what it unwinds by itself */
				seen = 0;
			continue;
		}
		if (seen == r->options.max_stack || stopped)
			continue;
		seen++;
		if (!ip && !r->options.breaks_as_perf)
			continue;
		if (unwound && caller && kind == FRAME_USER) {
			/* shown where the call is; nothing called a signal's trampoline */
			ip -= s->chain[i + 1] != CHAIN_SIGNAL || r->options.ip_as_is;
			caller = false;
		}
		if (s->calls_from && i >= s->calls_from)
			caller = false;
		id = frame_at(r, t, kind, ip, caller && !r->options.ip_as_is);
		if (id == ID_NONE)
			return false;
		out->v[out->nr++] = id;
		/* a marker that nobody writes may still come */
		stopped = r->options.stop_at && stops_at(r, id);
		caller = !r->frames.v[id].boundary;
	}
	return true;
}

u32 symboliser_stack(struct symboliser *r, const struct thread *t, const struct sample *s)
{
	struct stack_place place = {.kernel = r->model->kernel.maps_state};

	if (t)
		place.user = r->model->processes.v[t->process].maps_state;
	return call_chain_ids_get(&r->stacks, s->chain, s->chain_nr, place);
}

#define PLACES_MAX 256

/* What the recording has comes first, as with symbols. */
static u32 find_places(struct symboliser *r, const struct frame *f, struct debug_frame *out)
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

/* The places that addr2line calls as the symbol is called, a bit each. */
static u32 by_symbol(struct symboliser *r, const struct frame *f, const struct debug_frame *found,
		     u32 nr)
{
	if (!r->options.addr2line_names || !nr || !f->symbol)
		return 0;
	return addr2line_names_ask(&r->addr2line, f->dso, f->addr - f->back, found, nr,
				   f->offset - f->back);
}

bool symboliser_places(struct symboliser *r, u32 frame)
{
	struct frame *f = &r->frames.v[frame];
	struct debug_frame found[PLACES_MAX];
	struct place *p;
	u32 nr, symbols, i;

	if (f->place != ID_NONE)
		return true;
	nr = find_places(r, f, found);
	symbols = by_symbol(r, f, found, nr);
	f->place = r->places.nr;
	for (i = 0; i < nr; i++) {
		p = vec_push(&r->places);
		if (!p)
			return false;
		p->file = found[i].file;
		p->line = found[i].line;
		if ((i + 1 == nr && !(r->options.dwarf_names && found[i].function)) ||
		    (i < 32 && symbols >> i & 1))
			p->function = f->symbol;
		else if (found[i].function)
			p->function = plain_name(r, found[i].function);
	}
	f->nr_places = (u16)nr;
	return true;
}
