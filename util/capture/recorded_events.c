// SPDX-License-Identifier: GPL-2.0
#include "util/capture/recorded_events.h"

#include <stdlib.h>

#include "util/event/ev_expr.h"
#include "util/event/ev_record.h"
#include "util/record/chain.h"
#include "util/record/deferred.h"

#define RECORD_MAX (UINT16_MAX & ~7u)

/* The parts of a record around the fields that change; each field begins on a word. */
struct parts {
	const u8 *chain;      /* its count */
	const u8 *rest;       /* after the chain */
	const u8 *regs;       /* their abi */
	const u8 *stack;      /* its size */
	const u8 *tail, *end; /* after the stack */
};

void recorded_stored_attr(struct perf_event_attr *attr, bool keep)
{
	if (!recorded_has_stack(attr))
		return;
	attr->exclude_callchain_user = 0;
	if (keep)
		return;
	attr->sample_type &= ~(u64)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	attr->sample_regs_user = 0;
	attr->sample_stack_user = 0;
}

static void find_parts(const struct rec *rec, const struct sample *s, struct parts *p)
{
	size_t regs = s->regs_user.reg ? (size_t)__builtin_popcountll(s->regs_user.mask) : 0;

	p->chain = (const u8 *)s->chain - sizeof(u64);
	p->rest = (const u8 *)(s->chain + s->chain_nr);
	p->stack = s->stack - sizeof(u64);
	p->regs = p->stack - (1 + regs) * sizeof(u64);
	p->tail = s->stack + s->stack_size + (s->stack_size ? sizeof(u64) : 0);
	p->end = rec->data + rec->size;
}

/* Bytes of the stack that are stored, its size and valid size not counted. */
static size_t kept_stack(const struct sample *s, size_t room)
{
	size_t valid = s->stack_dyn_size & ~7ull;
	bool filled = s->stack_dyn_size == s->stack_size;

	/* what has no room leaves a copy that is full, and so may be cut */
	if (valid + (filled ? 0 : sizeof(u64)) <= room)
		return valid + (filled ? 0 : sizeof(u64));
	return room & ~(size_t)7;
}

static void put_valid_stack(struct buf *out, const struct sample *s, size_t size)
{
	size_t valid = MIN(size, (size_t)s->stack_dyn_size & ~(size_t)7);

	if (!valid)
		size = 0;
	buf_u64(out, size);
	if (!size)
		return;
	buf_add(out, s->stack, valid);
	buf_pad(out, '\0', size - valid);
	buf_u64(out, valid);
}

bool recorded_sample_put(struct buf *out, const struct rec *rec, const struct sample *s,
			 const u64 *user, u32 nr, bool keep)
{
	u64 context = (u64)PERF_CONTEXT_USER, kernel = chain_kernel_half(s->chain, s->chain_nr);
	u64 words = kernel + (nr ? 1 + nr : 0);
	struct perf_event_header h;
	size_t size, at = out->len;
	struct parts p;

	find_parts(rec, s, &p);
	size = (size_t)(p.chain - rec->data) + sizeof(u64) * (1 + words) +
	       (size_t)(p.regs - p.rest) + (size_t)(p.end - p.tail);
	if (keep)
		size += (size_t)(p.stack - p.regs) + 2 * sizeof(u64);
	if (size > RECORD_MAX)
		return false;
	buf_add(out, rec->data, (size_t)(p.chain - rec->data));
	buf_u64(out, words);
	buf_add(out, s->chain, kernel * sizeof(u64));
	if (nr) {
		buf_u64(out, context);
		buf_add(out, user, nr * sizeof(u64));
	}
	buf_add(out, p.rest, (size_t)(p.regs - p.rest));
	if (keep) {
		buf_add(out, p.regs, (size_t)(p.stack - p.regs));
		put_valid_stack(out, s, kept_stack(s, RECORD_MAX - size));
	}
	buf_add(out, p.tail, (size_t)(p.end - p.tail));
	if (out->failed)
		return true;
	memcpy(&h, out->data + at, sizeof(h));
	h.size = (u16)(out->len - at);
	memcpy(out->data + at, &h, sizeof(h));
	return true;
}

struct how {
	bool stored, keep_stacks;
};

/* Tell the columns and the samples' readers what the raw data of a tracepoint holds. */
static int describe_raw(const struct ev_spec *spec, struct event_set *set, u32 event,
			struct err *err)
{
	struct sample_layout_derive derive;
	struct raw_fields fields = {0};
	int ret = 0;

	if (!spec->tp.format)
		return 0;
	ev_record_derive(spec, &derive);
	event_set_derive(set, event, &derive);
	if (!ev_record_fields(spec, &fields))
		ret = event_set_fields(set, event, fields.v, fields.nr);
	vec_free(&fields);
	return ret ? err_nomem(err) : 0;
}

static int describe_events(const struct ev_list *list, const struct counters *c,
			   const struct how *how, struct event_set *set, struct err *err)
{
	struct perf_event_attr attr;
	VEC(u64) ids = {0};
	u64 *id;
	u32 i, j;
	int ret = 0;

	for (i = 0; i < list->specs.nr && ret >= 0; i++) {
		const struct ev_spec *spec = &list->specs.v[i];

		ids.nr = 0;
		for (j = 0; j < c->nr && ret >= 0; j++) {
			if (c->v[j].spec != i)
				continue;
			id = vec_push(&ids);
			if (id)
				*id = c->v[j].id;
			else
				ret = err_nomem(err);
		}
		attr = spec->attr;
		ev_expr_stored(spec, &attr);
		if (how->stored)
			recorded_stored_attr(&attr, how->keep_stacks);
		if (ret >= 0)
			ret = event_set_add(set, &attr, sizeof(attr), spec->name, ids.v, ids.nr,
					    err);
		if (ret >= 0) {
			set->events.v[ret].sideband = spec->sideband;
			set->events.v[ret].in_group = spec->group != ID_NONE && !spec->leader;
			/* a mark also reports that a deferred half never came */
			set->events.v[ret].layout.kernel_chains =
				!(how->stored && recorded_has_stack(&spec->attr) &&
				  !recorded_has_caller(&spec->attr)) &&
				!deferred_is_asked(&attr);
			ret = describe_raw(spec, set, i, err);
		}
	}
	vec_free(&ids);
	return ret < 0 ? ret : 0;
}

int recorded_events_stored(const struct ev_list *list, const struct counters *counters,
			   bool keep_stacks, struct event_set *set, struct err *err)
{
	const struct how how = {.stored = true, .keep_stacks = keep_stacks};

	return describe_events(list, counters, &how, set, err);
}

int recorded_events_live(const struct ev_list *list, const struct counters *counters,
			 struct event_set *set, struct err *err)
{
	const struct how how = {.stored = false};

	return describe_events(list, counters, &how, set, err);
}
