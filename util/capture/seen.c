// SPDX-License-Identifier: GPL-2.0
#include "util/capture/seen.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/base/clock.h"
#include "util/base/io.h"
#include "util/base/radix.h"
#include "util/capture/seen_dso.h"
#include "util/capture/seen_sample.h"
#include "util/capture/synth.h"
#include "util/image/image.h"
#include "util/process/process_dump.h"
#include "util/record/chain.h"
#include "util/record/deferred.h"

#define KNOWN_SIZE  (1u << 16)
#define PAIRS_SIZE  (1u << 12)
#define EPOCHS_SIZE (1u << 12)
#define FRESH_MAX   (1u << 19) /* 16 MiB; what is more comes with a later block */
#define COMPACT_MIN (1u << 17)

#define SPACE_KERNEL (1ull << 32) /* the others are pids, or tids whose pid is not known */

struct seen_address {
	u64 time, ip;
	u32 pid, tid;
	bool kernel, caller;
};

struct seen_sideband {
	u64 time;
	u32 order; /* of arrival */
	struct rec rec;
};

int seen_init(struct seen *s, const struct event_set *events, int proc, struct err *err)
{
	int ret;

	*s = (struct seen){.events = events, .proc = proc, .compact_at = COMPACT_MIN};
	ksyms_open(&s->ksyms, proc);
	s->known = calloc(KNOWN_SIZE, sizeof(*s->known));
	s->pairs = calloc(PAIRS_SIZE, sizeof(*s->pairs));
	s->epochs = calloc(EPOCHS_SIZE, sizeof(*s->epochs));
	ret = s->known && s->pairs && s->epochs ? process_init(&s->model, err) : err_nomem(err);
	/* days of short-lived processes must not fill the memory */
	s->model.forget_exited = true;
	if (ret)
		seen_free(s);
	return ret;
}

void seen_free(struct seen *s)
{
	u32 i;

	for (i = 0; i < s->dsos.nr; i++)
		seen_dso_free(&s->dsos.v[i]);
	vec_free(&s->dsos);
	seen_made_free(&s->made);
	vec_free(&s->layouts);
	vec_free(&s->fresh);
	vec_free(&s->sideband);
	vec_free(&s->nodes);
	free(s->known);
	free(s->pairs);
	free(s->epochs);
	s->known = s->pairs = NULL;
	s->epochs = NULL;
	ksyms_close(&s->ksyms);
	process_free(&s->model);
}

static u32 *epoch_of(struct seen *s, u64 space)
{
	return &s->epochs[hash_u64(space) >> 20 & (EPOCHS_SIZE - 1)];
}

/* The same number means other things after the space has changed. Never 0. */
static u64 make_key(struct seen *s, u64 space, u64 n)
{
	return (hash_u64(n) ^ hash_u64(hash_u64(space) + *epoch_of(s, space))) | 1;
}

/* Was the key in the cache? Now it is. */
static bool met(u64 *cache, u32 size, u64 key)
{
	u64 *slot = &cache[key >> 16 & (size - 1)];
	bool same = *slot == key;

	*slot = key;
	return same;
}

static u64 space_of(const struct seen_sample *v)
{
	return v->pid != ID_NONE ? v->pid : v->tid;
}

static void note_address(struct seen *s, const struct seen_sample *v, u64 ip, bool kernel,
			 bool caller)
{
	u64 space = kernel ? SPACE_KERNEL : space_of(v);
	struct seen_address *a;

	if (s->fresh.nr >= FRESH_MAX ||
	    met(s->known, KNOWN_SIZE, make_key(s, space, ip * 2 + caller)))
		return;
	a = vec_push(&s->fresh);
	if (a)
		*a = (struct seen_address){v->time, ip, v->pid, v->tid, kernel, caller};
	else
		s->failed = true;
}

/* Call chains come again and again: what of this one asks for a look? */
struct wanted {
	bool kernel;
	u32 user; /* so many words of the user half, and the next address; 0: nothing */
};

/*
 * What of a new half is not known yet: not the path from which it grows, if all that stands there
 * was looked at in this address space before. `space` is its key.
 */
static u32 wanted_words(struct seen *s, u64 space, const struct columns_stacks *stacks)
{
	u32 end = stacks->user_first + stacks->user_nodes, nr = s->nodes.nr, i;
	u32 need = MAX(end, stacks->user_from + 1);
	bool known;

	if (need > nr) {
		if (!vec_reserve(&s->nodes, need)) {
			s->failed = true;
			return UINT32_MAX;
		}
		memset(s->nodes.v + nr, 0, (need - nr) * sizeof(*s->nodes.v));
		s->nodes.nr = need;
	}
	known = s->nodes.v[stacks->user_from] == space;
	s->nodes.v[stacks->user_from] = space;
	for (i = stacks->user_first; i < end; i++)
		s->nodes.v[i] = space;
	return known ? stacks->user_nodes : UINT32_MAX;
}

static struct wanted wanted_of(struct seen *s, const struct seen_sample *v,
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
	space = make_key(s, space_of(v), 0);
	known = met(s->pairs, PAIRS_SIZE, hash_u64(space + stacks->user) | 1);
	if (stacks->user_new)
		w.user = wanted_words(s, space, stacks);
	else if (!known)
		w.user = UINT32_MAX;
	return w;
}

/* The chain that was noted before this one, of the same process? There is nothing new in it. */
static bool is_noted(const struct seen *s, const struct seen_sample *v,
		     const struct columns_stacks *stacks)
{
	return stacks && stacks->user == s->last.user && space_of(v) == s->last.space &&
	       !stacks->user_new && !stacks->kernel_new;
}

static void note_chain(struct seen *s, const struct seen_sample *v, struct wanted want)
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
			note_address(s, v, ip, kernel, caller);
		/* that one had another callee, or none, when it was looked at */
		if (!kernel && words > want.user)
			return;
		caller = true;
	}
}

/* Where code is: the kernel's own, and that of the modules and bpf programs that were told of. */
static void find_bounds(struct seen *s)
{
	const struct process *k = &s->model.kernel;

	if (!s->kernel_asked)
		ksyms_range(&s->ksyms, &s->kernel_start, &s->kernel_len);
	s->kernel_asked = true;
	s->code_low = s->kernel_start;
	s->code_high = s->kernel_start + s->kernel_len;
	if (!s->kernel_start || !k->maps.nr)
		return;
	s->code_low = MIN(s->code_low, s->model.maps.v[k->maps.v[0]].start);
	s->code_high = MAX(s->code_high, s->model.maps.v[k->maps.v[k->maps.nr - 1]].end);
}

static bool is_code(const struct seen *s, u64 word)
{
	const struct map *map;
	u32 id;

	if (word - s->kernel_start < s->kernel_len)
		return true;
	id = process_find_kernel_map(&s->model, word);
	map = id == ID_NONE ? NULL : &s->model.maps.v[id];
	return map && word >= map->start && word < map->end;
}

/* Does any word of these have the uppermost bit, as addresses in the kernel do? */
static bool may_point(const u8 *raw, u32 len)
{
	u64 a, b, any = 0;
	u32 at;

	for (at = 0; at + 16 <= len; at += 16) {
		memcpy(&a, raw + at, sizeof(a));
		memcpy(&b, raw + at + 8, sizeof(b));
		any |= a | b;
	}
	if (at + 8 <= len) {
		memcpy(&a, raw + at, sizeof(a));
		any |= a;
	}
	return any >> 63;
}

/* Tracepoints print functions by their address (%pS): any word may be one. */
static void note_raw(struct seen *s, const struct seen_sample *v)
{
	u64 word, *slot;
	u32 at;

	for (at = 0; at + 8 <= v->raw_size; at += 8) {
		memcpy(&word, v->raw + at, sizeof(word));
		if (word >> 47 != 0x1ffff)
			continue;
		slot = &s->words[word >> 4 & (SEEN_WORDS - 1)];
		if (*slot == word)
			continue;
		*slot = word;
		if (!s->kernel_asked)
			find_bounds(s);
		if (word >= s->code_low && word < s->code_high && is_code(s, word))
			note_address(s, v, word, true, false);
	}
}

static const struct seen_layout *layout_of(struct seen *s, u32 event)
{
	struct seen_layout *l;

	while (s->layouts.nr <= event) {
		if (!vec_push(&s->layouts)) {
			s->failed = true;
			return NULL;
		}
	}
	l = &s->layouts.v[event];
	if (!l->made)
		seen_layout_make(l, &s->events->events.v[event].plan);
	return l;
}

static void note_sample(struct seen *s, const struct rec *rec, u32 event,
			const struct columns_stacks *stacks)
{
	const struct seen_layout *l = layout_of(s, event);
	u16 cpumode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct seen_sample v;

	if (!l || !seen_sample_read(l, &s->events->events.v[event].plan, rec, &v))
		return;
	/* an ip that heads the call chain is noted with it */
	if (v.ip && (cpumode == PERF_RECORD_MISC_KERNEL || cpumode == PERF_RECORD_MISC_USER) &&
	    !(v.chain_nr > 1 && v.chain[1] == v.ip))
		note_address(s, &v, v.ip, cpumode == PERF_RECORD_MISC_KERNEL, false);
	if (v.chain_nr && !is_noted(s, &v, stacks)) {
		note_chain(s, &v, wanted_of(s, &v, stacks));
		s->last.space = space_of(&v);
		s->last.user = stacks ? stacks->user : ID_NONE;
	}
	if (may_point(v.raw, v.raw_size))
		note_raw(s, &v);
}

/* The user half of samples that came before. */
static void note_deferred(struct seen *s, const struct rec *rec, u32 event,
			  const struct columns_stacks *stacks)
{
	const struct plan *plan = &s->events->events.v[event].plan;
	struct seen_sample v = {0};
	struct deferred d;
	struct rec_ids ids;

	if (!plan_ids(plan, rec, &ids) || !deferred_read(plan, rec, &d))
		return;
	v.time = ids.time;
	v.pid = ids.pid;
	v.tid = ids.tid;
	v.chain = d.chain;
	v.chain_nr = d.nr;
	note_chain(s, &v, wanted_of(s, &v, stacks));
}

/* A place in the kernel's code that has changed: it is printed with its function. */
static void note_text_poke(struct seen *s, const struct rec *rec, u32 event)
{
	struct cur c = rec_body(rec);
	u64 address = cur_u64(&c);
	struct seen_sample v = {0};
	struct rec_ids ids;

	if (c.bad || !plan_ids(&s->events->events.v[event].plan, rec, &ids))
		return;
	v.time = ids.time;
	v.pid = ids.pid;
	v.tid = ids.tid;
	note_address(s, &v, address, true, false);
}

/* What was known of an address space does not hold behind this record. */
static void begin_epoch(struct seen *s, const struct rec *rec)
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
	++*epoch_of(s, space);
	s->last.user = ID_NONE;
	if (space == SPACE_KERNEL)
		memset(s->words, 0, sizeof(s->words));
	else if (second != space)
		++*epoch_of(s, second);
}

void seen_record(struct seen *s, const struct rec *rec, u32 event,
		 const struct columns_stacks *stacks)
{
	struct seen_sideband *b;

	if (rec->type == PERF_RECORD_SAMPLE) {
		note_sample(s, rec, event, stacks);
		return;
	}
	if (rec->type == DEFERRED_RECORD) {
		note_deferred(s, rec, event, stacks);
		return;
	}
	if (rec->type == PERF_RECORD_TEXT_POKE)
		note_text_poke(s, rec, event);
	begin_epoch(s, rec);
	b = vec_push(&s->sideband);
	if (b)
		*b = (struct seen_sideband){plan_time(&s->events->events.v[event].plan, rec),
					    s->sideband.nr, *rec};
	else
		s->failed = true;
}

/* A record that says where the kernel is, before the first sample in it. */
static void put_kernel(struct seen *s)
{
	struct synth synth = {.plan = &s->events->events.v[0].plan, .out = s->head};
	size_t at = s->head->len;
	struct rec rec;

	if (!s->kernel_asked)
		find_bounds(s);
	s->kernel_told = true;
	if (!s->kernel_start || !s->kernel_len)
		return;
	synth_kernel(&synth, s->kernel_start, s->kernel_len);
	s->head_records++;
	if (!s->head->failed && rec_view(&rec, s->head->data + at, s->head->len - at))
		process_apply(&s->model, &rec);
}

static struct seen_dso *dso_of(struct seen *s, u32 dso)
{
	while (dso != ID_NONE && s->dsos.nr <= dso)
		if (!vec_push(&s->dsos))
			dso = ID_NONE;
	if (dso != ID_NONE)
		return &s->dsos.v[dso];
	s->failed = true;
	return NULL;
}

static void add(struct seen *s, u32 dso, u64 start, u64 end, const char *name)
{
	struct seen_dso *sd = dso_of(s, dso);

	if (sd && !seen_dso_add(sd, start, end, name))
		s->failed = true;
}

/* Which build the kernel or a module is, by the notes that it shows. */
static void identify(struct seen_dso *sd, const char *name)
{
	struct buf notes = {0};
	char path[128];

	if (sd->asked)
		return;
	sd->asked = true;
	if (name[0])
		snprintf(path, sizeof(path), "/sys/module/%.*s/notes/.note.gnu.build-id",
			 (int)strcspn(name + 1, "]"), name + 1);
	else
		snprintf(path, sizeof(path), "/sys/kernel/notes");
	if (!io_read_file(AT_FDCWD, path, &notes, 1 << 20))
		sd->build_id_len =
			image_build_id_from_notes(buf_str(&notes), notes.len, false, sd->build_id);
	buf_free(&notes);
}

/* A kernel symbol belongs to the kernel, to a module, or is a bpf program of its own. */
static u32 kernel_dso(struct seen *s, const struct ksym *sym)
{
	const char *name = sym->module;
	enum dso_kind kind = DSO_MODULE;

	if (!name[0]) {
		name = "[kernel.kallsyms]";
		kind = DSO_KERNEL;
	} else if (!strcmp(name, "[bpf]")) {
		name = sym->name;
		kind = DSO_BPF;
	}
	return process_dso(&s->model, name, strlen(name), kind, 0, 0, 0);
}

static void find_kernel(struct seen *s, u64 ip)
{
	struct ksym sym;
	const struct map *map;
	u32 id;

	if (!s->kernel_told)
		put_kernel(s);
	/* a bpf program may be gone by now, and its record said all there is to say */
	id = process_find_kernel_map(&s->model, ip);
	map = id == ID_NONE ? NULL : &s->model.maps.v[id];
	if (map && ip < map->end && s->model.dsos.v[map->dso].kind == DSO_BPF) {
		add(s, map->dso, map->start, map->end, s->model.dsos.v[map->dso].name);
	} else if (ksyms_find(&s->ksyms, ip, &sym)) {
		id = kernel_dso(s, &sym);
		add(s, id, sym.start, sym.end, sym.name);
		if (id < s->dsos.nr)
			identify(&s->dsos.v[id], sym.module);
	}
}

static const struct thread *thread_of(const struct seen *s, const struct seen_address *a)
{
	const struct thread *t = process_find_thread(&s->model, a->tid);

	/* threads share what their leader has mapped */
	return t || a->pid == ID_NONE ? t : process_find_thread(&s->model, a->pid);
}

static struct seen_made_options made_options(struct seen *s)
{
	int clock = s->events->events.v[0].attr.clockid;
	u64 now = clock_ns(CLOCK_MONOTONIC);

	return (struct seen_made_options){
		.model = &s->model,
		.proc = s->proc,
		.held = s->held,
		.shift = clock == CLOCK_MONOTONIC ? 0 : clock_ns(clock) - now,
		.order = s->order,
	};
}

/* In code that a process has made: what is told of it comes when all addresses are done. */
static void find_made(struct seen *s, const struct seen_address *a, u32 dso)
{
	const struct seen_made_options o = made_options(s);
	struct seen_dso *sd = dso_of(s, dso);
	u32 back;

	if (sd)
		sd->user = true;
	for (back = 0; back <= a->caller; back++)
		seen_made_find(&s->made, &o, dso, a->ip - back, a->time);
}

static void find_user(struct seen *s, const struct seen_address *a)
{
	const struct thread *t = thread_of(s, a);
	u32 id = t ? process_find_map(&s->model, t, a->ip) : ID_NONE;
	const struct seen_dso_options o = {s->proc, s->held, s->inlines, s->fetches};
	const struct sym *sym;
	const struct map *map;
	struct seen_dso *sd;
	u64 offset;
	u32 back;

	if (id == ID_NONE)
		return;
	map = &s->model.maps.v[id];
	if (s->model.dsos.v[map->dso].kind == DSO_PERF_MAP) {
		find_made(s, a, map->dso);
		return;
	}
	sd = dso_of(s, map->dso);
	if (!sd)
		return;
	seen_dso_load(sd, &s->model, id, t->pid, &o);
	/* a reader looks a return address up at ip - 1; one that imitates perf looks at ip */
	offset = map_offset(map, a->ip);
	for (back = 0; back <= a->caller; back++) {
		sym = symtab_find(&sd->symtab, offset - back);
		if (sym)
			add(s, map->dso, sym->start, sym->end, sym->name);
		if (!seen_dso_add_place(sd, offset - back))
			s->failed = true;
	}
}

static void find(struct seen *s, const struct seen_address *a)
{
	if (!a->kernel) {
		find_user(s, a);
		return;
	}
	find_kernel(s, a->ip);
	if (a->caller)
		find_kernel(s, a->ip - 1);
}

static int addresses_by_time(const void *x, const void *y)
{
	const struct seen_address *a = x, *b = y;

	return a->time < b->time ? -1 : a->time > b->time;
}

/* A time, less the earliest of all, above an index: where both fit, as they do in a block. */
#define INDEX_BITS 19
#define INDEX_MASK ((1u << INDEX_BITS) - 1)
_Static_assert(FRESH_MAX <= 1u << INDEX_BITS, "new addresses are numbered with more bits");

/* A copy in order of time, or NULL: they do not fit into keys, or memory is out. */
static struct seen_address *sorted_copy(const struct seen_address *v, u32 nr, u64 least, u64 most)
{
	unsigned int width = 64 - (unsigned int)__builtin_clzll((most - least) | 1);
	struct seen_address *sorted = malloc((size_t)nr * sizeof(*sorted));
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
static void order_addresses(struct seen *s)
{
	struct seen_address *v = s->fresh.v, *sorted;
	u64 least = UINT64_MAX, most = 0;
	u32 nr = s->fresh.nr, i;
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
	s->fresh.v = sorted;
	s->fresh.cap = nr;
}

static int sideband_by_time(const void *x, const void *y)
{
	const struct seen_sideband *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static void apply(struct seen *s, const struct rec *rec)
{
	struct cur c = rec_body(rec);
	u64 start;

	process_apply(&s->model, rec);
	if (rec->type == PERF_RECORD_COMM && rec->misc & PERF_RECORD_MISC_COMM_EXEC) {
		seen_made_exec(&s->made, cur_u32(&c));
	} else if (rec->type == PERF_RECORD_KSYMBOL) {
		start = cur_u64(&c);
		ksyms_forget(&s->ksyms, start, cur_u32(&c));
	}
}

/* Side-band records and addresses in order of time. */
static void find_all(struct seen *s)
{
	u32 i = 0, j;

	order_addresses(s);
	if (s->sideband.nr)
		qsort(s->sideband.v, s->sideband.nr, sizeof(*s->sideband.v), sideband_by_time);
	for (j = 0; j < s->sideband.nr; j++) {
		for (; i < s->fresh.nr && s->fresh.v[i].time < s->sideband.v[j].time; i++)
			find(s, &s->fresh.v[i]);
		apply(s, &s->sideband.v[j].rec);
	}
	for (; i < s->fresh.nr; i++)
		find(s, &s->fresh.v[i]);
	s->fresh.nr = s->sideband.nr = 0;
}

static void add_made(void *arg, u32 dso, const struct seen_code *code)
{
	struct seen *s = arg;

	add(s, dso, code->start, code->end, code->name);
	if (dso < s->dsos.nr)
		s->dsos.v[dso].user = true;
}

/* What processes have made where samples stood, and what was found of it. */
static void put_made(struct seen *s)
{
	const struct seen_made_options o = made_options(s);

	s->head_records +=
		seen_made_put(&s->made, &o, &s->events->events.v[0].plan, s->head, add_made, s);
	s->failed |= s->made.failed;
}

/* Dead tasks and mappings that were replaced take room in the model, since its ids stay. */
static void compact(struct seen *s)
{
	const struct process_model *m = &s->model;

	if ((u64)m->maps.nr + m->threads.nr < s->compact_at)
		return;
	/* for lack of memory it stays as it is, until later */
	process_compact(&s->model);
	s->compact_at = MAX(COMPACT_MIN, 2 * (m->maps.nr + m->threads.nr));
}

/* What is new of all DSOs: one block that tells them, one with their functions. */
static int write_seen(struct seen *s, struct writer *w, struct err *err)
{
	struct functions functions = {0};
	struct buf dsos = {0}, payload = {0};
	int ret = 0;
	u32 i;

	for (i = 0; i < s->dsos.nr; i++)
		seen_dso_put(&s->dsos.v[i], &s->model.dsos.v[i], &dsos, &functions);
	if (dsos.failed || !functions_put(&functions, &payload))
		ret = err_nomem(err);
	if (!ret && dsos.len)
		ret = writer_block(w, BLOCK_DSO, dsos.data, dsos.len, err);
	if (!ret && functions.dsos.nr)
		ret = writer_block(w, BLOCK_SYMS, payload.data, payload.len, err);
	for (i = 0; i < s->dsos.nr && !ret; i++) {
		seen_dso_written(&s->dsos.v[i]);
		ret = seen_dso_write_lines(&s->dsos.v[i], &s->model.dsos.v[i], w, err);
	}
	functions_free(&functions);
	buf_free(&dsos);
	buf_free(&payload);
	return ret;
}

int seen_flush(struct seen *s, struct buf *head, u32 *head_records, struct writer *w,
	       struct err *err)
{
	bool sideband = s->sideband.nr != 0;

	s->head = head;
	s->head_records = 0;
	find_all(s);
	put_made(s);
	*head_records = s->head_records;
	memset(s->pairs, 0, PAIRS_SIZE * sizeof(*s->pairs));
	s->nodes.nr = 0;
	s->last.user = ID_NONE;
	memset(s->words, 0, sizeof(s->words));
	compact(s);
	if (s->kernel_asked && sideband)
		find_bounds(s);
	if (s->failed || s->model.failed || head->failed)
		return err_nomem(err);
	return w ? write_seen(s, w, err) : 0;
}

void seen_complete(struct seen *s, struct debuginfod *server, u32 *wanted, u32 *found)
{
	struct seen_dso *sd;
	size_t symbols;
	u32 i;

	*wanted = *found = 0;
	for (i = 0; i < s->dsos.nr; i++) {
		sd = &s->dsos.v[i];
		symbols = sd->symbols.len + sd->lines.entries.len;
		*wanted += sd->fetch.wanted;
		seen_dso_fetch(sd, &s->model.dsos.v[i], server);
		*found += symbols != sd->symbols.len + sd->lines.entries.len;
	}
}

static void unwritten(struct seen *s, bool all)
{
	u32 i;

	for (i = 0; i < s->dsos.nr; i++)
		seen_dso_unwritten(&s->dsos.v[i], all);
}

void seen_forget_written(struct seen *s)
{
	unwritten(s, true);
	memset(s->known, 0, KNOWN_SIZE * sizeof(*s->known));
}

void seen_write_again(struct seen *s)
{
	unwritten(s, false);
}

const struct err *seen_kernel_error(const struct seen *s)
{
	return s->kernel_told && s->ksyms.error.code ? &s->ksyms.error : NULL;
}
