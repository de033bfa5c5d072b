// SPDX-License-Identifier: GPL-2.0
#include "util/report/spans.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/hash.h"

#define FIRST_SLOTS 256u

static struct span *span_at(const struct spans *s, u32 number)
{
	return (struct span *)(s->pool + (size_t)(number - 1) * s->stride);
}

static u32 hash_key(const struct spans *s, const u64 *key)
{
	u64 hash = 0;
	u32 i;

	for (i = 0; i < s->nr_keys; i++)
		hash = hash_u64(hash + key[i]);
	return (u32)(hash >> 16);
}

static bool same_key(const struct spans *s, const struct span *span, const u64 *key)
{
	return !memcmp(span->key, key, s->nr_keys * sizeof(*key));
}

/* The slot of a key, or the free one where it belongs. */
static u32 *find_slot(const struct spans *s, const u64 *key)
{
	u32 at = hash_key(s, key) & s->mask;

	while (s->slots[at] && !same_key(s, span_at(s, s->slots[at]), key))
		at = (at + 1) & s->mask;
	return &s->slots[at];
}

static bool grow_slots(struct spans *s)
{
	u32 size = s->slots ? (s->mask + 1) * 2 : FIRST_SLOTS, old = s->slots ? s->mask + 1 : 0, i;
	u32 *before = s->slots, *slots = size ? calloc(size, sizeof(*slots)) : NULL;

	if (!slots)
		return false;
	s->slots = slots;
	s->mask = size - 1;
	for (i = 0; i < old; i++)
		if (before[i])
			*find_slot(s, span_at(s, before[i])->key) = before[i];
	free(before);
	return true;
}

/* Remove a slot; those after it that it stood in the way of move up. */
static void clear_slot(struct spans *s, u32 *slot)
{
	u32 hole = (u32)(slot - s->slots), at = hole, home;

	s->used--;
	for (;;) {
		at = (at + 1) & s->mask;
		if (!s->slots[at])
			break;
		home = hash_key(s, span_at(s, s->slots[at])->key) & s->mask;
		if (((at - home) & s->mask) < ((at - hole) & s->mask))
			continue;
		s->slots[hole] = s->slots[at];
		hole = at;
	}
	s->slots[hole] = 0;
}

static u32 new_span(struct spans *s)
{
	u32 number = s->free;

	if (number) {
		s->free = span_at(s, number)->next;
		return number;
	}
	if (!s->stride)
		s->stride = sizeof(struct span) + (s->nr_keys + s->nr_notes) * sizeof(u64);
	if (s->nr >= s->room && !vec_grow((void **)&s->pool, &s->room, (u64)s->nr + 1, s->stride))
		return 0;
	return ++s->nr;
}

static void drop_span(struct spans *s, u32 number)
{
	span_at(s, number)->next = s->free;
	s->free = number;
	s->account.open--;
}

static void keep_notes(const struct spans *s, u32 number, const u64 *notes)
{
	if (s->nr_notes)
		memcpy(spans_notes(s, span_at(s, number)), notes, s->nr_notes * sizeof(*notes));
}

int spans_begin(struct spans *s, const u64 *key, u64 time, u32 row, const u64 *notes,
		struct err *err)
{
	u32 *slot, number;

	s->account.begins++;
	if ((!s->slots || (u64)s->used * 2 > s->mask) && !grow_slots(s))
		return err_nomem(err);
	slot = find_slot(s, key);
	if (*slot && s->repeat != SPANS_NESTED) {
		s->account.restarts++;
		if (s->repeat == SPANS_LATEST) {
			span_at(s, *slot)->begin = time;
			span_at(s, *slot)->row = row;
			span_at(s, *slot)->stage = 0;
			keep_notes(s, *slot, notes);
		}
		return 0;
	}
	if (s->account.open >= (s->most ? s->most : SPANS_MOST)) {
		s->account.no_room++;
		return 0;
	}
	number = new_span(s);
	if (!number)
		return err_nomem(err);
	s->used += !*slot;
	*span_at(s, number) = (struct span){.begin = time, .row = row, .next = *slot};
	memcpy(span_at(s, number)->key, key, s->nr_keys * sizeof(*key));
	keep_notes(s, number, notes);
	*slot = number;
	s->account.open++;
	return 0;
}

/* Take the innermost span of a slot out. */
static void take(struct spans *s, u32 *slot)
{
	u32 number = *slot, next = span_at(s, number)->next;

	if (next)
		*slot = next;
	else
		clear_slot(s, slot);
	drop_span(s, number);
}

static struct span_ended ended_at(const struct spans *s, struct span *span, u64 time)
{
	struct span_ended e = {
		.begin = span->begin, .end = time, .row = span->row, .stage = span->stage};

	if (s->nr_notes)
		memcpy(e.notes, spans_notes(s, span), s->nr_notes * sizeof(*e.notes));
	return e;
}

static enum spans_end_result account_for(struct spans *s, const struct span_ended *e)
{
	if (e->begin < s->lost_at) {
		s->account.across_loss++;
		return SPANS_UNSURE;
	}
	if (e->begin > e->end) {
		s->account.reordered++;
		return SPANS_UNSURE;
	}
	s->account.spans++;
	return SPANS_ENDED;
}

enum spans_end_result spans_end(struct spans *s, const u64 *key, u64 time, struct span_ended *out)
{
	u32 *slot = s->slots ? find_slot(s, key) : NULL;

	s->account.ends++;
	if (!slot || !*slot) {
		s->account.ends_without_begin++;
		return SPANS_NONE;
	}
	*out = ended_at(s, span_at(s, *slot), time);
	take(s, slot);
	s->account.skipped += s->stages - out->stage;
	return account_for(s, out);
}

enum spans_end_result spans_pass(struct spans *s, const u64 *key, u64 time, u32 stage,
				 const u64 *notes, struct span_ended *out)
{
	u32 *slot = s->slots ? find_slot(s, key) : NULL;
	enum spans_end_result ret;
	struct span *span;

	s->account.ends++;
	if (!slot || !*slot) {
		s->account.ends_without_begin++;
		return SPANS_NONE;
	}
	span = span_at(s, *slot);
	if (stage <= span->stage) {
		s->account.repeated += stage == span->stage;
		s->account.out_of_order += stage < span->stage;
		return SPANS_NONE;
	}
	*out = ended_at(s, span, time);
	s->account.begins++;
	s->account.skipped += stage - span->stage - 1;
	span->begin = time;
	span->stage = stage;
	keep_notes(s, *slot, notes);
	ret = account_for(s, out);
	s->account.passed += ret == SPANS_ENDED;
	return ret;
}

struct span *spans_find(const struct spans *s, const u64 *key)
{
	u32 *slot = s->slots ? find_slot(s, key) : NULL;

	return slot && *slot ? span_at(s, *slot) : NULL;
}

void spans_give_up(struct spans *s, const u64 *key)
{
	u32 *slot;

	while (s->slots && *(slot = find_slot(s, key))) {
		take(s, slot);
		s->account.given_up++;
	}
}

void spans_lost(struct spans *s, u64 time)
{
	s->lost_at = MAX(s->lost_at, time);
}

void spans_set_rows(struct spans *s, u32 row, u32 but)
{
	u32 i;

	for (i = 1; i <= s->nr; i++)
		if (span_at(s, i)->row != but)
			span_at(s, i)->row = row;
}

int spans_each_open(struct spans *s, int (*each)(void *arg, struct span *span), void *arg)
{
	u32 i, number;
	int ret = 0;

	for (i = 0; s->slots && i <= s->mask && !ret; i++)
		for (number = s->slots[i]; number && !ret; number = span_at(s, number)->next)
			ret = each(arg, span_at(s, number));
	return ret;
}

void spans_forget_open(struct spans *s)
{
	s->nr = s->free = s->used = 0;
	s->account.open = 0;
	if (s->slots)
		memset(s->slots, 0, ((size_t)s->mask + 1) * sizeof(*s->slots));
}

struct spans_account spans_account_since(const struct spans_account *now,
					 const struct spans_account *before)
{
	struct spans_account a = *now;

	a.begins -= before->begins;
	a.ends -= before->ends;
	a.spans -= before->spans;
	a.restarts -= before->restarts;
	a.ends_without_begin -= before->ends_without_begin;
	a.given_up -= before->given_up;
	a.across_loss -= before->across_loss;
	a.reordered -= before->reordered;
	a.no_room -= before->no_room;
	a.passed -= before->passed;
	a.repeated -= before->repeated;
	a.out_of_order -= before->out_of_order;
	a.skipped -= before->skipped;
	return a;
}

void spans_free(struct spans *s)
{
	free(s->pool);
	free(s->slots);
	*s = (struct spans){0};
}
