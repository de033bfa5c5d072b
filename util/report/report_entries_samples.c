// SPDX-License-Identifier: GPL-2.0
#include "util/report/report_entries.h"

#include <string.h>

#include "util/profile/symboliser.h"

void report_samples_init(struct report_samples *r, const struct report_keys *keys,
			 struct stack_tree *stacks, struct sample_values *key_values, bool chains)
{
	*r = (struct report_samples){.keys = keys,
				     .key_values = key_values,
				     .stacks = stacks,
				     .chains = chains,
				     .last_root = ID_NONE};
}

void report_samples_free(struct report_samples *r)
{
	vec_free(&r->values);
	hmap_free(&r->by_value);
	vec_free(&r->next_root);
	stack_weights_free(&r->weights);
	stack_weights_free(&r->modes);
	vec_free(&r->threads);
}

static u64 *values_at(const struct report_samples *r, u32 root)
{
	return &r->values.v[(size_t)root * r->keys->nr_sample];
}

static bool same_values(const u64 *a, const u64 *b, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* The root of the values behind the last; they stay there if it is new. */
static u32 settle(struct report_samples *r)
{
	size_t size = r->keys->nr_sample * sizeof(u64);
	const u64 *values = values_at(r, r->nr_roots);
	u32 first, at, *next;
	u64 hash;

	if (r->last_root != ID_NONE &&
	    same_values(values_at(r, r->last_root), values, r->keys->nr_sample))
		return r->last_root;
	hash = hash_bytes(values, size);
	first = hmap_get(&r->by_value, hash);
	for (at = first; at != ID_NONE; at = r->next_root.v[at])
		if (!memcmp(values_at(r, at), values, size))
			return at;
	next = vec_push(&r->next_root);
	if (!next || !hmap_set(&r->by_value, hash, r->nr_roots))
		return ID_NONE;
	*next = first;
	return r->nr_roots++;
}

u32 report_samples_root(struct report_samples *r, const u64 *values)
{
	if (!r->keys->nr_sample) {
		r->nr_roots = 1;
		return 0;
	}
	if (!vec_reserve(&r->values, ((u64)r->nr_roots + 1) * r->keys->nr_sample))
		return ID_NONE;
	memcpy(values_at(r, r->nr_roots), values, r->keys->nr_sample * sizeof(*values));
	return settle(r);
}

static u32 root_of(struct report_samples *r, const struct session_sample *s)
{
	const struct report_keys *keys = r->keys;
	u64 *values;
	u32 k;

	if (!r->keys->nr_sample) {
		r->nr_roots = 1;
		return 0;
	}
	if (!vec_reserve(&r->values, ((u64)r->nr_roots + 1) * r->keys->nr_sample))
		return ID_NONE;
	values = values_at(r, r->nr_roots);
	for (k = 0; k < keys->keys.nr; k++)
		if (!sample_key_is_of_frame(keys->keys.v[k].kind) &&
		    !sample_values_get(r->key_values, k, s, &values[keys->at.v[k]]))
			return ID_NONE;
	r->last_root = settle(r);
	return r->last_root;
}

/* The frame of the sampled address; STACK_CUT: it has none. ID_NONE when memory is out. */
static u32 sampled_frame(const struct report_samples *r, const struct session_sample *s)
{
	const struct sample *v = s->sample;

	if (!(v->ids.has & PERF_SAMPLE_IP))
		return STACK_CUT;
	return symboliser_address(r->stacks->symboliser, s->thread,
				  v->misc & PERF_RECORD_MISC_CPUMODE_MASK, v->ip);
}

static bool note_thread(struct report_samples *r, const struct session_sample *s)
{
	u32 *to;

	if (r->threads.nr == r->weights.v.nr)
		return true;
	to = vec_push(&r->threads);
	if (to)
		*to = s->thread ? s->thread->tid : s->sample->ids.tid;
	return to != NULL;
}

/* ID_NONE: none of these. */
static u32 mode_of(const struct sample *s)
{
	switch (s->misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		return REPORT_MODE_SYS;
	case PERF_RECORD_MISC_USER:
		return REPORT_MODE_US;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return REPORT_MODE_GUEST_SYS;
	case PERF_RECORD_MISC_GUEST_USER:
		return REPORT_MODE_GUEST_US;
	default:
		return ID_NONE;
	}
}

/* Where there is no sampled address, the frame comes from the stack. */
static bool count_modes(struct report_samples *r, const struct session_sample *s, u32 root,
			u32 node, u32 top)
{
	u32 mode = r->keys->modes ? mode_of(s->sample) : ID_NONE;

	if (top == STACK_CUT)
		top = r->stacks->nodes.v[node].frame;
	if (r->keys->latency &&
	    !stack_weights_count(&r->modes, root, REPORT_MODE_CPU, top, s->period, s->samples))
		return false;
	return mode == ID_NONE ||
	       stack_weights_count(&r->modes, root, mode, top, s->sample->period, s->samples);
}

int report_samples_add(struct report_samples *r, const struct session_sample *s, bool shown,
		       struct err *err)
{
	u64 weight = s->sample->period;
	u32 root, node = 0, top = STACK_CUT;

	r->all_samples += s->samples;
	r->all_weight = stack_weights_sum(r->all_weight, weight, s->samples);
	r->all_cpu = stack_weights_sum(r->all_cpu, s->period, s->samples);
	if (!shown)
		return 0;
	root = root_of(r, s);
	if (root == ID_NONE)
		return err_nomem(err);
	if (r->chains)
		node = stack_tree_get(r->stacks, s);
	if (r->keys->nr_frame && node != ID_NONE)
		top = sampled_frame(r, s);
	if (node == ID_NONE || top == ID_NONE ||
	    !stack_weights_count(&r->weights, root, node, top, weight, s->samples) ||
	    !count_modes(r, s, root, node, top) || !note_thread(r, s))
		return err_nomem(err);
	return 0;
}
