// SPDX-License-Identifier: GPL-2.0
#include "util/report/report_places.h"

#include <stdio.h>
#include <string.h>

#include "util/base/text.h"
#include "util/profile/frame_text.h"
#include "util/profile/symboliser.h"

void report_places_init(struct report_places *p, const struct report_keys *keys,
			const struct stack_tree *stacks)
{
	*p = (struct report_places){.keys = keys, .stacks = stacks};
}

void report_places_free(struct report_places *p)
{
	strtab_free(&p->dsos);
	strtab_free(&p->lines);
	strtab_free(&p->names);
	vec_free(&p->symbols);
	hmap_free(&p->by_symbol);
	vec_free(&p->next_symbol);
	vec_free(&p->values);
	hmap_free(&p->by_value);
	vec_free(&p->next_place);
	vec_free(&p->of_frame);
	vec_free(&p->symbol_of_frame);
	vec_free(&p->of_inlined);
	vec_free(&p->symbol_of_inlined);
	vec_free(&p->short_dsos);
}

void report_places_forget_frames(struct report_places *p)
{
	p->of_frame.nr = p->symbol_of_frame.nr = 0;
	p->of_inlined.nr = p->symbol_of_inlined.nr = 0;
}

/* Element i of a list of numbers, which are 0 at first; NULL when memory is out. */
static u32 *slot_of(u32 **v, u32 *nr, u32 *cap, u32 i)
{
	if (i >= *nr) {
		if (!vec_grow((void **)v, cap, (u64)i + 1, sizeof(**v)))
			return NULL;
		memset(*v + *nr, 0, (*cap - *nr) * sizeof(**v));
		*nr = *cap;
	}
	return &(*v)[i];
}

#define SLOT(list, i) slot_of(&(list)->v, &(list)->nr, &(list)->cap, i)

static const struct symboliser *symboliser_of(const struct report_places *p)
{
	return p->stacks->symboliser;
}

/* NULL: nothing is known there. */
static const struct frame *frame_of(const struct report_places *p, u32 frame)
{
	const struct symboliser *r = symboliser_of(p);

	return frame < r->frames.nr ? &r->frames.v[frame] : NULL;
}

void report_places_short_name(const struct dso *dso, struct buf *out)
{
	const char *slash = strrchr(dso->name, '/');
	unsigned int pid;
	int end = 0;

	if (dso->kind == DSO_PERF_MAP && slash &&
	    sscanf(slash, "/perf-%u.map%n", &pid, &end) == 1 && end && !slash[end]) {
		buf_addf(out, "[JIT] tid %u", pid);
		return;
	}
	frame_text_file(dso, out);
}

/* The id of the name that rows show; *id ID_NONE: there is no file. False when memory is out. */
static bool dso_name(struct report_places *p, u32 dso, u32 *id)
{
	struct buf name = {0};
	u32 *slot;

	*id = ID_NONE;
	if (dso == ID_NONE)
		return true;
	slot = SLOT(&p->short_dsos, dso);
	if (!slot)
		return false;
	if (!*slot) {
		report_places_short_name(&symboliser_of(p)->model->dsos.v[dso], &name);
		if (!name.failed)
			*slot = strtab_add(&p->dsos, buf_str(&name), name.len) + 1;
		buf_free(&name);
	}
	*id = *slot - 1;
	return *id != ID_NONE;
}

static char level_of(const struct frame *f)
{
	switch (f->kind) {
	case FRAME_KERNEL:
		return 'k';
	case FRAME_USER:
		return '.';
	default:
		return 'H';
	}
}

static bool same_symbol(const struct report_symbol *a, const struct report_symbol *b)
{
	return a->name == b->name && a->dso == b->dso && a->start == b->start &&
	       a->inlined == b->inlined && (a->level == '!') == (b->level == '!');
}

static u64 hash_of(const struct report_symbol *s)
{
	return hash_u64(s->start ^ hash_u64((u64)(uintptr_t)s->name)) + s->dso + s->inlined;
}

static u32 intern(struct report_places *p, const struct report_symbol *s)
{
	u64 hash = hash_of(s);
	u32 first = hmap_get(&p->by_symbol, hash), at;
	struct report_symbol *to;
	u32 *next;

	for (at = first; at != ID_NONE; at = p->next_symbol.v[at])
		if (same_symbol(&p->symbols.v[at], s))
			return at;
	to = vec_push(&p->symbols);
	next = vec_push(&p->next_symbol);
	if (!to || !next || !hmap_set(&p->by_symbol, hash, p->symbols.nr - 1))
		return ID_NONE;
	*to = *s;
	*next = first;
	return p->symbols.nr - 1;
}

/* Store a name once, so that names can be compared by address; NULL when memory is out. */
static const char *intern_name(struct report_places *p, const char *name)
{
	u32 id = strtab_add(&p->names, name, strlen(name));

	return id == ID_NONE ? NULL : strtab_get(&p->names, id);
}

static u32 make_symbol(struct report_places *p, const struct frame *f, const char *name,
		       bool inlined)
{
	struct report_symbol s = {.dso = ID_NONE, .level = '!', .inlined = inlined};

	if (f) {
		s.level = level_of(f);
		s.start = f->symbol ? f->addr - f->offset
				    : symboliser_file_address(symboliser_of(p), f);
		if (!dso_name(p, f->dso, &s.dso))
			return ID_NONE;
	}
	if (name) {
		s.name = intern_name(p, name);
		if (!s.name)
			return ID_NONE;
	}
	return intern(p, &s);
}

/*
 * The function of a symboliser frame; ID_NONE if out of memory. STACK_CUT has a function, too: an
 * unknown address.
 */
static u32 report_places_symbol(struct report_places *p, u32 frame)
{
	const struct frame *f = frame_of(p, frame);
	u32 *slot = f ? SLOT(&p->symbol_of_frame, frame) : NULL;

	if (!f)
		return make_symbol(p, NULL, NULL, false);
	if (slot && !*slot)
		*slot = make_symbol(p, f, f->symbol, false) + 1;
	return slot ? *slot - 1 : ID_NONE;
}

/* The i-th function inlined there, i < nr_places - 1 (0: the innermost). */
static u32 report_places_symbol_inlined(struct report_places *p, u32 frame, u32 i)
{
	const struct frame *f = &symboliser_of(p)->frames.v[frame];
	const char *name = symboliser_of(p)->places.v[f->place + i].function;
	u32 *slot = SLOT(&p->symbol_of_inlined, f->place + i);

	if (slot && !*slot)
		*slot = make_symbol(p, f, name ? name : "[unknown]", true) + 1;
	return slot ? *slot - 1 : ID_NONE;
}

void report_places_line(const struct frame *f, const struct place *place, const char *dso,
			struct buf *out)
{
	const char *name;

	if (place && place->file && place->line) {
		name = text_base_name(place->file);
		text_escape(out, name, strlen(name));
		buf_addf(out, ":%u", place->line);
	} else if (f && f->symbol) {
		text_escape(out, f->symbol, strlen(f->symbol));
		buf_addf(out, "+%llu", (unsigned long long)f->offset);
	} else if (f && dso) {
		buf_addf(out, "%s[%llx]", dso, (unsigned long long)f->addr);
	} else {
		buf_adds(out, "??:0");
	}
}

static void put_file(const struct place *place, struct buf *out)
{
	const char *name;

	if (!place || !place->file)
		return;
	name = text_base_name(place->file);
	text_escape(out, name, strlen(name));
}

/* i: of what was inlined there; ID_NONE: the function itself. ID_NONE when memory is out. */
static u32 line_of(struct report_places *p, enum sample_key_kind kind, u32 frame, u32 i, u32 symbol)
{
	struct symboliser *r = p->stacks->symboliser;
	const struct place *place = NULL;
	const struct frame *f = NULL;
	struct buf text = {0};
	u32 id = ID_NONE, dso = p->symbols.v[symbol].dso;

	if (frame_of(p, frame)) {
		if (!symboliser_places(r, frame))
			return ID_NONE;
		f = &r->frames.v[frame];
		/* the line of an address is that of the innermost function there */
		if (f->nr_places)
			place = &r->places.v[f->place + (i == ID_NONE ? 0 : i)];
	}
	if (kind == KEY_SRCLINE)
		report_places_line(f, place, dso == ID_NONE ? NULL : strtab_get(&p->dsos, dso),
				   &text);
	else
		put_file(place, &text);
	if (!text.failed)
		id = strtab_add(&p->lines, buf_str(&text), text.len);
	buf_free(&text);
	return id;
}

/* One more, 0: not known. */
static u64 function_size(const struct report_places *p, u32 frame)
{
	const struct frame *f = frame_of(p, frame);

	return f && f->symbol ? symboliser_function_size(p->stacks->symboliser, frame) + 1 : 0;
}

/* Likewise. */
static u64 mapping_size(const struct report_places *p, u32 frame)
{
	const struct frame *f = frame_of(p, frame);
	const struct map *m;

	if (!f || f->map == ID_NONE)
		return 0;
	m = &symboliser_of(p)->model->maps.v[f->map];
	return m->end - m->start + 1;
}

/* False when memory is out. */
static bool value_of(struct report_places *p, enum sample_key_kind kind, u32 frame, u32 i,
		     u32 symbol, u64 *value)
{
	u32 id;

	switch (kind) {
	case KEY_DSO:
		*value = p->symbols.v[symbol].dso;
		return true;
	case KEY_FUNCTION:
		*value = p->symbols.v[symbol].name
				 ? symbol
				 : REPORT_PLACES_NAMELESS | p->symbols.v[symbol].dso;
		return true;
	case KEY_SYMBOL:
	case KEY_IPC: /* by function, as for KEY_SYMBOL */
		*value = symbol;
		return true;
	case KEY_SYMBOL_SIZE:
		*value = function_size(p, frame);
		return true;
	case KEY_DSO_SIZE:
		*value = mapping_size(p, frame);
		return true;
	default:
		id = line_of(p, kind, frame, i, symbol);
		*value = id;
		return id != ID_NONE;
	}
}

bool report_places_value(struct report_places *p, enum sample_key_kind kind, u32 frame, u64 *value)
{
	u32 symbol = report_places_symbol(p, frame);

	return symbol != ID_NONE && value_of(p, kind, frame, ID_NONE, symbol, value);
}

static const u64 *values_at(const struct report_places *p, u32 place)
{
	return &p->values.v[(size_t)place * p->keys->nr_frame];
}

/* The place of the values behind the last; they stay there if it is new. */
static u32 settle(struct report_places *p)
{
	size_t size = p->keys->nr_frame * sizeof(u64);
	const u64 *values = size ? values_at(p, p->nr) : NULL;
	u64 hash = size ? hash_bytes(values, size) : 0;
	u32 first = hmap_get(&p->by_value, hash), at, *next;

	for (at = first; at != ID_NONE; at = p->next_place.v[at])
		if (!size || !memcmp(values_at(p, at), values, size))
			return at;
	next = vec_push(&p->next_place);
	if (!next || !hmap_set(&p->by_value, hash, p->nr))
		return ID_NONE;
	*next = first;
	return p->nr++;
}

static u32 make_place(struct report_places *p, u32 frame, u32 i, u32 symbol)
{
	enum sample_key_kind kind;
	u64 value;
	u32 k;

	if (symbol == ID_NONE || !vec_reserve(&p->values, ((u64)p->nr + 1) * p->keys->nr_frame))
		return ID_NONE;
	for (k = 0; k < p->keys->keys.nr; k++) {
		kind = p->keys->keys.v[k].kind;
		if (!sample_key_is_of_frame(kind))
			continue;
		if (!value_of(p, kind, frame, i, symbol, &value))
			return ID_NONE;
		p->values.v[(size_t)p->nr * p->keys->nr_frame + p->keys->at.v[k]] = value;
	}
	return settle(p);
}

u32 report_places_get(struct report_places *p, u32 frame)
{
	u32 *slot;

	if (!frame_of(p, frame))
		return make_place(p, frame, ID_NONE, report_places_symbol(p, frame));
	slot = SLOT(&p->of_frame, frame);
	if (slot && !*slot)
		*slot = make_place(p, frame, ID_NONE, report_places_symbol(p, frame)) + 1;
	return slot ? *slot - 1 : ID_NONE;
}

u32 report_places_get_caller(struct report_places *p, u32 frame)
{
	const struct frame *f = frame_of(p, frame);
	struct report_symbol s;

	if (!f || f->symbol || !p->callers_by_ip ||
	    f->ip == symboliser_file_address(symboliser_of(p), f))
		return report_places_get(p, frame);
	s = (struct report_symbol){.dso = ID_NONE, .level = level_of(f), .start = f->ip};
	if (!dso_name(p, f->dso, &s.dso))
		return ID_NONE;
	return make_place(p, frame, ID_NONE, intern(p, &s));
}

u32 report_places_get_inlined(struct report_places *p, u32 frame, u32 i)
{
	u32 *slot = SLOT(&p->of_inlined, frame_of(p, frame)->place + i);

	if (slot && !*slot)
		*slot = make_place(p, frame, i, report_places_symbol_inlined(p, frame, i)) + 1;
	return slot ? *slot - 1 : ID_NONE;
}

bool report_places_inlined(struct report_places *p, u32 node, u32 *nr)
{
	const struct stack_node *n = &p->stacks->nodes.v[node];
	const struct frame *f;

	*nr = 0;
	if (!n->inlines || !frame_of(p, n->frame))
		return true;
	if (!symboliser_places(p->stacks->symboliser, n->frame))
		return false;
	f = frame_of(p, n->frame);
	if (f->symbol && f->nr_places)
		*nr = f->nr_places - 1u;
	return true;
}

/* ---- order and text ---- */

static const char *dso_text(const struct report_places *p, u64 dso)
{
	return (u32)dso == ID_NONE ? NULL : strtab_get(&p->dsos, (u32)dso);
}

static int compare_names(const char *a, const char *b)
{
	if (!a || !b)
		return !a - !b;
	return strcmp(a, b);
}

static int compare_numbers(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare_functions(const struct report_places *p, u64 a, u64 b)
{
	const struct report_symbol *x, *y;
	int ret;

	if ((a | b) & REPORT_PLACES_NAMELESS) {
		if (!((a & b) & REPORT_PLACES_NAMELESS))
			return a & REPORT_PLACES_NAMELESS ? 1 : -1;
		return compare_names(dso_text(p, a), dso_text(p, b));
	}
	x = &p->symbols.v[a];
	y = &p->symbols.v[b];
	ret = compare_names(x->name, y->name);
	if (!ret)
		ret = compare_names(dso_text(p, x->dso), dso_text(p, y->dso));
	return ret ? ret : compare_numbers(x->start, y->start);
}

int report_places_compare(const struct report_places *p, enum sample_key_kind kind, u64 a, u64 b)
{
	if (a == b)
		return 0;
	switch (kind) {
	case KEY_FUNCTION:
		return compare_functions(p, a, b);
	case KEY_DSO:
		return compare_names(dso_text(p, a), dso_text(p, b));
	case KEY_SYMBOL:
	case KEY_IPC:
		return compare_names(p->symbols.v[a].name, p->symbols.v[b].name);
	case KEY_SYMBOL_SIZE:
	case KEY_DSO_SIZE:
		return compare_numbers(a, b);
	default:
		return strcmp(strtab_get(&p->lines, (u32)a), strtab_get(&p->lines, (u32)b));
	}
}

static void put_dso(const struct report_places *p, u64 dso, struct buf *out)
{
	const char *name = dso_text(p, dso);

	buf_adds(out, name ? name : "[unknown]");
}

/* A function without a name is called by its file, in brackets. */
static void put_function(const struct report_places *p, u64 value, struct buf *out)
{
	const char *name;
	bool bracket;

	if (!(value & REPORT_PLACES_NAMELESS)) {
		name = p->symbols.v[value].name;
		text_escape(out, name, strlen(name));
		return;
	}
	name = dso_text(p, value);
	bracket = name && *name != '[';
	buf_adds(out, bracket ? "[" : "");
	put_dso(p, value, out);
	buf_adds(out, bracket ? "]" : "");
}

static void put_symbol(const struct report_symbol *s, struct buf *out)
{
	if (s->name) {
		text_escape(out, s->name, strlen(s->name));
		return;
	}
	if (s->start)
		buf_adds(out, "0x");
	buf_hex0(out, s->start, 16);
}

/* Sizes are one more than they are, 0: not known. */
static void put_size(u64 value, struct buf *out)
{
	if (value)
		buf_dec(out, value - 1, 0);
	else
		buf_adds(out, "unknown");
}

void report_places_put(const struct report_places *p, enum sample_key_kind kind, u64 value,
		       struct buf *out)
{
	switch (kind) {
	case KEY_FUNCTION:
		put_function(p, value, out);
		break;
	case KEY_DSO:
		put_dso(p, value, out);
		break;
	case KEY_SYMBOL:
		put_symbol(&p->symbols.v[value], out);
		break;
	case KEY_SYMBOL_SIZE:
	case KEY_DSO_SIZE:
		put_size(value, out);
		break;
	case KEY_IPC:
		buf_adds(out, "-      -");
		break;
	default:
		buf_adds(out, strtab_get(&p->lines, (u32)value));
	}
}
