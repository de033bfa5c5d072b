// SPDX-License-Identifier: GPL-2.0
#include "util/capture/symbol_collector_internal.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/bytes.h"
#include "util/base/hash.h"
#include "util/base/radix.h"
#include "util/record/chain.h"
#include "util/record/deferred.h"
#include "util/record/sample_layout.h"

#define KNOWN_SIZE  (1u << 16)
#define PAIRS_SIZE  (1u << 12)
#define EPOCHS_SIZE (1u << 12)
#define FRESH_MAX   (1u << 19) /* 16 MiB; what is more comes with a later block */

#define SPACE_KERNEL (1ull << 32) /* the others are pids, or tids whose pid is not known */

/* Where it is in the samples of one event: bytes from the header's begin on, -1: not there. */
struct address_layout {
	bool made, plain; /* not plain: only sample_layout_sample() knows */
	bool chain, raw;  /* there are, in this order */
	s32 ip, tid, time;
	u32 behind; /* end of what comes before those two */
	s32 tid_in_raw;
};

/* The parts of a sample that lead to functions; much faster than decoding all of it. */
struct address_sample {
	u64 time, ip;     /* 0: none */
	u32 pid, tid;     /* pid ID_NONE: that of the thread, which only the process model knows */
	const u64 *chain; /* addresses and PERF_CONTEXT_* markers, leaf first */
	const u8 *raw;
	u32 chain_nr, raw_size;
};
#define ADDRESS_SAMPLE_NONE ((struct address_sample){.pid = ID_NONE, .tid = ID_NONE})

/* Fields that may precede the call chain: one u64 each. */
#define FIXED                                                                           \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD)

static s32 next_field(u64 type, u64 field, s32 *at)
{
	s32 here = *at;

	if (!(type & field))
		return -1;
	*at += 8;
	return here;
}

static void make_address_layout(struct address_layout *l, const struct sample_layout *layout)
{
	u64 type = layout->sample_type;
	s32 at = sizeof(struct perf_event_header);

	*l = (struct address_layout){.made = true, .plain = !(type & PERF_SAMPLE_READ)};
	next_field(type, PERF_SAMPLE_IDENTIFIER, &at);
	l->ip = next_field(type, PERF_SAMPLE_IP, &at);
	l->tid = next_field(type, PERF_SAMPLE_TID, &at);
	l->time = next_field(type, PERF_SAMPLE_TIME, &at);
	l->behind = sizeof(struct perf_event_header) + 8 * (u32)__builtin_popcountll(type & FIXED);
	l->chain = type & PERF_SAMPLE_CALLCHAIN;
	l->raw = type & PERF_SAMPLE_RAW;
	l->tid_in_raw = type & PERF_SAMPLE_TID ? -1 : layout->derive.tid_at;
}

static inline void derive_tid(const struct address_layout *l, struct address_sample *s)
{
	if (l->tid_in_raw >= 0 && (u32)l->tid_in_raw + 4 <= s->raw_size)
		s->tid = bytes_u32(s->raw + l->tid_in_raw);
}

/* The same of a plain one; `s` says that there is nothing. */
static inline bool read_plain_sample(const struct address_layout *l, const struct rec *rec,
				     struct address_sample *s)
{
	const u8 *data = rec->data, *p = data + l->behind;
	u32 left = rec->size - l->behind;
	u64 nr;

	if (rec->size < l->behind)
		return false;
	if (l->ip >= 0)
		s->ip = bytes_u64(data + l->ip);
	if (l->time >= 0)
		s->time = bytes_u64(data + l->time);
	if (l->tid >= 0) {
		s->pid = bytes_u32(data + l->tid);
		s->tid = bytes_u32(data + l->tid + 4);
	}
	if (l->chain) {
		if (left < 8 || (nr = bytes_u64(p)) > (left - 8) / 8)
			return false;
		/* records are 8-byte aligned and so is every array in them */
		s->chain = (const u64 *)(const void *)(p + 8);
		s->chain_nr = (u32)nr;
		p += 8 + 8 * nr;
		left -= 8 + 8 * (u32)nr;
	}
	if (l->raw) {
		if (left < 4 || (s->raw_size = bytes_u32(p)) > left - 4)
			return false;
		s->raw = p + 4;
	}
	derive_tid(l, s);
	return true;
}

static bool read_decoded_sample(const struct address_layout *l, const struct sample_layout *layout,
				const struct rec *rec, struct address_sample *s)
{
	struct sample v;

	if (!sample_layout_sample(layout, rec, &v))
		return false;
	s->time = v.ids.time;
	s->ip = layout->sample_type & PERF_SAMPLE_IP ? v.ip : 0;
	if (layout->sample_type & PERF_SAMPLE_TID) {
		s->pid = v.ids.pid;
		s->tid = v.ids.tid;
	}
	s->chain = v.chain;
	s->chain_nr = v.chain_nr;
	s->raw = v.raw;
	s->raw_size = v.raw_size;
	derive_tid(l, s);
	return true;
}

/* False if the record is shorter than the layout says. */
static bool read_address_sample(const struct address_layout *l, const struct sample_layout *layout,
				const struct rec *rec, struct address_sample *s)
{
	*s = ADDRESS_SAMPLE_NONE;
	return l->plain ? read_plain_sample(l, rec, s) : read_decoded_sample(l, layout, rec, s);
}

int symbol_addresses_init(struct symbol_addresses *f, const struct event_set *events,
			  struct err *err)
{
	*f = (struct symbol_addresses){.events = events, .last.user = ID_NONE};
	f->known = calloc(KNOWN_SIZE, sizeof(*f->known));
	f->pairs = calloc(PAIRS_SIZE, sizeof(*f->pairs));
	f->epochs = calloc(EPOCHS_SIZE, sizeof(*f->epochs));
	if (f->known && f->pairs && f->epochs)
		return 0;
	symbol_addresses_free(f);
	return err_nomem(err);
}

void symbol_addresses_free(struct symbol_addresses *f)
{
	vec_free(&f->v);
	vec_free(&f->nodes);
	vec_free(&f->layouts);
	free(f->known);
	free(f->pairs);
	free(f->epochs);
	f->known = f->pairs = NULL;
	f->epochs = NULL;
}

static u32 *epoch_of(struct symbol_addresses *f, u64 space)
{
	return &f->epochs[hash_u64(space) >> 20 & (EPOCHS_SIZE - 1)];
}

/* The same number means other things after the space has changed. Never 0. */
static u64 make_key(struct symbol_addresses *f, u64 space, u64 n)
{
	return (hash_u64(n) ^ hash_u64(hash_u64(space) + *epoch_of(f, space))) | 1;
}

/* Was the key in the cache? Now it is. */
static bool met(u64 *cache, u32 size, u64 key)
{
	u64 *slot = &cache[key >> 16 & (size - 1)];
	bool same = *slot == key;

	*slot = key;
	return same;
}

static u64 space_of(const struct address_sample *v)
{
	return v->pid != ID_NONE ? v->pid : v->tid;
}

static void note_address(struct symbol_addresses *f, const struct address_sample *v, u64 ip,
			 bool kernel, bool caller)
{
	u64 space = kernel ? SPACE_KERNEL : space_of(v);
	struct symbol_address *a;

	if (f->v.nr >= FRESH_MAX || met(f->known, KNOWN_SIZE, make_key(f, space, ip * 2 + caller)))
		return;
	a = vec_push(&f->v);
	if (a)
		*a = (struct symbol_address){v->time, ip, v->pid, v->tid, kernel, caller};
	else
		f->failed = true;
}

/* Call chains come again and again: what of this one asks for a look? */
struct wanted {
	bool kernel;
	u32 user; /* so many words of the user half, and the next address; 0: nothing */
};

/*
 * How many words of a new half are not known yet: without the path that it extends, if that was
 * looked at in this address space before. `space` is its key.
 */
static u32 wanted_words(struct symbol_addresses *f, u64 space, const struct columns_stacks *stacks)
{
	u32 end = stacks->user_first + stacks->user_nodes, nr = f->nodes.nr, i;
	u32 need = MAX(end, stacks->user_from + 1);
	bool known;

	if (need > nr) {
		if (!vec_reserve(&f->nodes, need)) {
			f->failed = true;
			return UINT32_MAX;
		}
		memset(f->nodes.v + nr, 0, (need - nr) * sizeof(*f->nodes.v));
		f->nodes.nr = need;
	}
	known = f->nodes.v[stacks->user_from] == space;
	f->nodes.v[stacks->user_from] = space;
	for (i = stacks->user_first; i < end; i++)
		f->nodes.v[i] = space;
	return known ? stacks->user_nodes : UINT32_MAX;
}

static struct wanted wanted_of(struct symbol_addresses *f, const struct address_sample *v,
			       const struct columns_stacks *stacks)
{
	struct wanted w = {true, UINT32_MAX};
	u64 space;
	bool known;

	if (!stacks)
		return w;
	w.kernel = stacks->kernel != ID_NONE && stacks->kernel_new;
	w.user = 0;
	if (stacks->user == ID_NONE)
		return w;
	/* the same addresses in another process are other functions */
	space = make_key(f, space_of(v), 0);
	known = met(f->pairs, PAIRS_SIZE, hash_u64(space + stacks->user) | 1);
	if (stacks->user_new)
		w.user = wanted_words(f, space, stacks);
	else if (!known)
		w.user = UINT32_MAX;
	return w;
}

/* The chain that was noted before this one, of the same process? There is nothing new in it. */
static bool is_noted(const struct symbol_addresses *f, const struct address_sample *v,
		     const struct columns_stacks *stacks)
{
	return stacks && stacks->user == f->last.user && space_of(v) == f->last.space &&
	       !stacks->user_new && !stacks->kernel_new;
}

static void note_chain(struct symbol_addresses *f, const struct address_sample *v,
		       struct wanted want)
{
	bool kernel = false, caller = false;
	u32 i, words = 0;

	if (!want.kernel && !want.user)
		return;
	for (i = 0; i < v->chain_nr; i++) {
		u64 ip = v->chain[i];

		words++;
		if (chain_is_mark(ip)) {
			caller = caller && ip != CHAIN_SIGNAL;
			continue;
		}
		if (ip >= (u64)PERF_CONTEXT_MAX) {
			kernel = ip == (u64)PERF_CONTEXT_KERNEL;
			caller = false;
			words = 1;
			if (!kernel && (ip != (u64)PERF_CONTEXT_USER || !want.user))
				return;
			continue;
		}
		if (kernel ? want.kernel : want.user)
			note_address(f, v, ip, kernel, caller);
		/* that one had another callee, or none, when it was looked at */
		if (!kernel && words > want.user)
			return;
		caller = true;
	}
}

/* Does any word of these have the uppermost bit, as addresses in the kernel do? */
static inline bool may_point(const u8 *raw, u32 len)
{
	typedef u64 pair __attribute__((vector_size(16)));
	pair a, any = {0};
	u64 word = 0;
	u32 at;

	for (at = 0; at + sizeof(a) <= len; at += sizeof(a)) {
		memcpy(&a, raw + at, sizeof(a));
		any |= a;
	}
	if (at + sizeof(word) <= len)
		memcpy(&word, raw + at, sizeof(word));
	return (any[0] | any[1] | word) >> 63;
}

/* Tracepoints print functions by their address (%pS): any word may be one. */
static void note_raw(struct symbol_addresses *f, const struct address_sample *v)
{
	u64 word, *slot;
	u32 at;

	for (at = 0; at + 8 <= v->raw_size; at += 8) {
		memcpy(&word, v->raw + at, sizeof(word));
		if (word >> 47 != 0x1ffff)
			continue;
		slot = &f->words[word >> 4 & (SYMBOL_WORDS - 1)];
		if (*slot == word)
			continue;
		*slot = word;
		if (f->is_code(f->arg, word))
			note_address(f, v, word, true, false);
	}
}

static const struct address_layout *sample_layout_of(struct symbol_addresses *f, u32 event)
{
	struct address_layout *l;

	while (f->layouts.nr <= event) {
		if (!vec_push(&f->layouts)) {
			f->failed = true;
			return NULL;
		}
	}
	l = &f->layouts.v[event];
	if (!l->made)
		make_address_layout(l, &f->events->events.v[event].layout);
	return l;
}

/* Not inlined: most samples need nothing of it, not even its registers. */
static __attribute__((noinline)) void note_sample(struct symbol_addresses *f, const struct rec *rec,
						  u32 event, const struct columns_stacks *stacks)
{
	const struct address_layout *l = sample_layout_of(f, event);
	u16 cpumode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct address_sample v;

	if (!l || !read_address_sample(l, &f->events->events.v[event].layout, rec, &v))
		return;
	/* an ip that heads the call chain is noted with it */
	if (v.ip && (cpumode == PERF_RECORD_MISC_KERNEL || cpumode == PERF_RECORD_MISC_USER) &&
	    !(v.chain_nr > 1 && v.chain[1] == v.ip))
		note_address(f, &v, v.ip, cpumode == PERF_RECORD_MISC_KERNEL, false);
	if (v.chain_nr && !is_noted(f, &v, stacks)) {
		note_chain(f, &v, wanted_of(f, &v, stacks));
		f->last.space = space_of(&v);
		f->last.user = stacks ? stacks->user : ID_NONE;
	}
	if (may_point(v.raw, v.raw_size))
		note_raw(f, &v);
}

void symbol_collector_sample(struct symbol_collector *s, const struct rec *rec, u32 event,
			     const struct columns_stacks *stacks)
{
	struct symbol_addresses *f = &s->addresses;
	const struct address_layout *l = event < f->layouts.nr ? &f->layouts.v[event] : NULL;
	struct address_sample v = ADDRESS_SAMPLE_NONE, found;

	if (!l || !l->plain || l->ip >= 0 || !read_plain_sample(l, rec, &v) ||
	    (v.chain_nr && !is_noted(f, &v, stacks))) {
		note_sample(f, rec, event, stacks);
	} else if (may_point(v.raw, v.raw_size)) {
		/* a copy: what others can see cannot stay in registers */
		found = v;
		note_raw(f, &found);
	}
}

/* The user half of samples that came before. */
void symbol_addresses_deferred(struct symbol_addresses *f, const struct rec *rec, u32 event,
			       const struct columns_stacks *stacks)
{
	const struct sample_layout *layout = &f->events->events.v[event].layout;
	struct address_sample v = {0};
	struct deferred d;
	struct rec_ids ids;

	if (!sample_layout_ids(layout, rec, &ids) || !deferred_read(layout, rec, &d))
		return;
	v.time = ids.time;
	v.pid = ids.pid;
	v.tid = ids.tid;
	v.chain = d.chain;
	v.chain_nr = d.nr;
	note_chain(f, &v, wanted_of(f, &v, stacks));
}

/* A place in the kernel's code that has changed: it is printed with its function. */
void symbol_addresses_text_poke(struct symbol_addresses *f, const struct rec *rec, u32 event)
{
	struct cur c = rec_body(rec);
	u64 address = cur_u64(&c);
	struct address_sample v = {0};
	struct rec_ids ids;

	if (c.bad || !sample_layout_ids(&f->events->events.v[event].layout, rec, &ids))
		return;
	v.time = ids.time;
	v.pid = ids.pid;
	v.tid = ids.tid;
	note_address(f, &v, address, true, false);
}

void symbol_addresses_change(struct symbol_addresses *f, const struct rec *rec)
{
	struct cur c = rec_body(rec);
	u32 pid = cur_u32(&c), second = cur_u32(&c);
	u64 space = pid;

	switch (rec->type) {
	case PERF_RECORD_COMM:
		if (!(rec->misc & PERF_RECORD_MISC_COMM_EXEC))
			return;
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (rec->misc & PERF_RECORD_MISC_MMAP_DATA)
			return;
		if ((rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
			space = SPACE_KERNEL;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		second = cur_u32(&c);
		if (second == pid)
			break;
		/* one more thread, or less, changes nothing but who has that tid */
		space = second;
		break;
	case PERF_RECORD_KSYMBOL:
		space = SPACE_KERNEL;
		break;
	default:
		return;
	}
	if (c.bad)
		return;
	++*epoch_of(f, space);
	f->last.user = ID_NONE;
	if (space == SPACE_KERNEL)
		memset(f->words, 0, sizeof(f->words));
	else if (second != space)
		++*epoch_of(f, second);
}

static int addresses_by_time(const void *x, const void *y)
{
	const struct symbol_address *a = x, *b = y;

	return a->time < b->time ? -1 : a->time > b->time;
}

/* A time, less the earliest of all, above an index: where both fit, as they do in a block. */
#define INDEX_BITS 19
#define INDEX_MASK ((1u << INDEX_BITS) - 1)
_Static_assert(FRESH_MAX <= 1u << INDEX_BITS, "new addresses are numbered with more bits");

/* A copy in order of time, or NULL: they do not fit into keys, or memory is out. */
static struct symbol_address *sorted_copy(const struct symbol_address *v, u32 nr, u64 least,
					  u64 most)
{
	unsigned int width = 64 - (unsigned int)__builtin_clzll((most - least) | 1);
	struct symbol_address *sorted = malloc((size_t)nr * sizeof(*sorted));
	u64 *keys = malloc(2 * (size_t)nr * sizeof(*keys));
	const u64 *order;
	u32 i;

	if (!sorted || !keys || width > 64 - INDEX_BITS) {
		free(sorted);
		free(keys);
		return NULL;
	}
	for (i = 0; i < nr; i++)
		keys[i] = (v[i].time - least) << INDEX_BITS | i;
	order = radix_sort(keys, keys + nr, nr, INDEX_BITS, INDEX_BITS + width);
	for (i = 0; i < nr; i++)
		sorted[i] = v[order[i] & INDEX_MASK];
	free(keys);
	return sorted;
}

/* Those of one ring come in order of time, those of several do not. */
void symbol_addresses_sort(struct symbol_addresses *f)
{
	struct symbol_address *v = f->v.v, *sorted;
	u64 least = UINT64_MAX, most = 0;
	u32 nr = f->v.nr, i;
	bool ordered = true;

	for (i = 0; i < nr; i++) {
		ordered = ordered && v[i].time >= most;
		least = MIN(least, v[i].time);
		most = MAX(most, v[i].time);
	}
	if (ordered)
		return;
	sorted = sorted_copy(v, nr, least, most);
	if (!sorted) {
		qsort(v, nr, sizeof(*v), addresses_by_time);
		return;
	}
	free(v);
	f->v.v = sorted;
	f->v.cap = nr;
}

void symbol_addresses_clear(struct symbol_addresses *f)
{
	f->v.nr = f->nodes.nr = 0;
	memset(f->pairs, 0, PAIRS_SIZE * sizeof(*f->pairs));
	f->last.user = ID_NONE;
	memset(f->words, 0, sizeof(f->words));
}

void symbol_addresses_forget(struct symbol_addresses *f)
{
	memset(f->known, 0, KNOWN_SIZE * sizeof(*f->known));
}
