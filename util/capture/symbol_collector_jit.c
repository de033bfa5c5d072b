// SPDX-License-Identifier: GPL-2.0
#include "util/capture/symbol_collector_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/text.h"
#include "util/capture/pinned_files.h"
#include "util/process/jit_limits.h"
#include "util/record/rec_build.h"

/* The first that ends above an address. */
static u32 first_overlay_above(const struct symbol_overlays *l, u64 addr)
{
	u32 lo = 0, hi = l->v.nr, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (l->v.v[mid].end > addr)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* Put `new` in the place of the `nr` at `at`; what sticks out of the first and the last stays. */
static bool put_overlay(struct symbol_overlays *l, u32 at, u32 nr, const struct symbol_overlay *new)
{
	struct symbol_overlay parts[3], *v;
	u32 n = 0, tail = l->v.nr - at - nr;

	if (nr && l->v.v[at].start < new->start) {
		parts[n] = l->v.v[at];
		parts[n++].end = new->start;
	}
	parts[n++] = *new;
	if (nr && l->v.v[at + nr - 1].end > new->end) {
		parts[n] = l->v.v[at + nr - 1];
		parts[n++].start = new->end;
	}
	if (!vec_reserve(&l->v, (u64)l->v.nr + n))
		return false;
	v = l->v.v + at;
	memmove(v + n, v + nr, tail * sizeof(*v));
	memcpy(v, parts, n * sizeof(*v));
	l->v.nr = at + n + tail;
	return true;
}

enum symbol_overlay_state symbol_overlays_add(struct symbol_overlays *l, u64 start, u64 end,
					      const char *name, u64 from, u32 *layer)
{
	struct symbol_overlay new = {start, end, start, end, from, 0, 0};
	u32 at = first_overlay_above(l, start), i;
	bool same = false, other = false;
	const struct symbol_overlay *old;
	u64 newest = 0;

	*layer = 0;
	if (end <= start)
		return OVERLAY_OLD;
	new.name = strtab_add(&l->names, name, strlen(name));
	if (new.name == ID_NONE) {
		l->failed = true;
		return OVERLAY_OLD;
	}
	for (i = at; i < l->v.nr && l->v.v[i].start < end; i++) {
		old = &l->v.v[i];
		new.layer = MAX(new.layer, old->layer + 1);
		if (old->name == new.name && old->first == start && old->last == end) {
			*layer = old->layer;
			same = true;
			continue;
		}
		other = true;
		if (old->name != ID_NONE)
			newest = MAX(newest, old->from);
	}
	/* what was added before, and no other in between */
	if (same && (!other || newest >= from))
		return OVERLAY_KNOWN;
	if (newest > from)
		return OVERLAY_OLD;
	if (!put_overlay(l, at, i - at, &new)) {
		l->failed = true;
		return OVERLAY_OLD;
	}
	*layer = new.layer;
	return OVERLAY_NEW;
}

bool symbol_overlays_any(const struct symbol_overlays *l, u64 start, u64 end)
{
	u32 at = first_overlay_above(l, start);

	return at < l->v.nr && l->v.v[at].start < end;
}

void symbol_overlays_forget(struct symbol_overlays *l)
{
	u32 i;

	for (i = 0; i < l->v.nr; i++)
		l->v.v[i].name = ID_NONE;
}

void symbol_overlays_free(struct symbol_overlays *l)
{
	vec_free(&l->v);
	strtab_free(&l->names);
}

/* Functions that were at one address within one block. */
#define BEFORE_MAX 64

static struct jit_options open_options(const struct symbol_jit_process *p,
				       const struct symbol_jit_options *o)
{
	struct jit_options options = {
		.proc = o->proc, .map_fd = -1, .map_by_path = true, .view = SYMTAB_NESTED};

	if (o->pinned)
		options.map_fd = pinned_files_get_map(o->pinned, p->jit.pid);
	return options;
}

static void close_options(const struct jit_options *options)
{
	if (options->map_fd >= 0)
		close(options->map_fd);
}

static void add_found(struct symbol_jit_process *p, const struct symbol_jit_options *o,
		      const struct jit_symbol *sym)
{
	struct symbol_code *code;
	enum symbol_overlay_state state;
	u32 layer;

	state = symbol_overlays_add(&p->overlays, sym->start, sym->end, sym->name, sym->from,
				    &layer);
	p->failed |= p->overlays.failed;
	if (state == OVERLAY_OLD)
		return;
	code = vec_push(&p->found);
	if (!code) {
		p->failed = true;
		return;
	}
	*code = (struct symbol_code){
		.start = sym->start,
		.end = sym->end,
		.layer = layer,
		.name = strtab_get(&p->overlays.names,
				   strtab_find(&p->overlays.names, sym->name, strlen(sym->name))),
	};
	/* readers are past what is older */
	if (state == OVERLAY_NEW && layer)
		code->from = MAX(sym->from ? sym->from + o->shift : 0, MAX(o->order, 1u));
}

/* A sample has an address at a time. False: what is there has no name. */
static bool find_in_process(struct symbol_jit_process *p, const struct symbol_jit_options *o,
			    u64 addr, u64 time)
{
	struct jit_symbol before[BEFORE_MAX];
	struct jit_options options = open_options(p, o);
	bool found = jit_find(&p->jit, o->model, &options, addr, time ? time - o->shift : 0,
			      &before[0], NULL);
	u32 nr = found;

	close_options(&options);
	/* of samples at one address that came together only one is handed in, not always the first */
	while (nr && nr < BEFORE_MAX && before[nr - 1].from > o->order - o->shift &&
	       jit_find_before(&p->jit, addr, before[nr - 1].from, &before[nr]))
		nr++;
	while (nr)
		add_found(p, o, &before[--nr]);
	return found;
}

struct news {
	struct symbol_jit_process *p;
	const struct symbol_jit_options *o;
};

static void add_replaced(void *arg, const struct jit_symbol *sym)
{
	struct news *n = arg;

	if (symbol_overlays_any(&n->p->overlays, sym->start, sym->end))
		add_found(n->p, n->o, sym);
}

/* What was made since the last call over functions of samples. */
static void find_replaced(struct symbol_jit_process *p, const struct symbol_jit_options *o)
{
	struct jit_options options;
	struct news n = {p, o};

	if (!p->overlays.v.nr)
		return;
	options = open_options(p, o);
	jit_news(&p->jit, o->model, &options, add_replaced, &n);
	close_options(&options);
}

static void free_process(struct symbol_jit_process *p)
{
	jit_free(&p->jit);
	symbol_overlays_free(&p->overlays);
	vec_free(&p->found);
}

/* Files that are named. */
#define NOTES_MAX 8

static struct symbol_jit_process *process_of(struct symbol_jit *sj, u32 pid)
{
	u32 i = hmap_get(&sj->by_pid, pid);
	struct symbol_jit_process *p;

	if (i != ID_NONE)
		return &sj->processes.v[i];
	p = vec_push(&sj->processes);
	if (!p || !hmap_set(&sj->by_pid, pid, sj->processes.nr - 1)) {
		sj->failed = true;
		return NULL;
	}
	p->jit.pid = pid;
	return p;
}

/* Of what all processes together may take from the recorder. */
static bool has_time(struct symbol_jit *sj)
{
	u64 now = clock_ns(CLOCK_MONOTONIC);

	if (!sj->begun)
		sj->begun = now;
	return sj->took_ns <= JIT_FIND_NS + (now - sj->begun) / JIT_FIND_SHARE;
}

/* The maps of other processes are read again when samples are in their code. */
static void save_memory(struct symbol_jit *sj, const struct symbol_jit_process *used)
{
	u32 i;

	sj->bytes = 0;
	for (i = 0; i < sj->processes.nr; i++) {
		if (&sj->processes.v[i] != used)
			jit_drop_map(&sj->processes.v[i].jit);
		sj->bytes += jit_bytes(&sj->processes.v[i].jit);
	}
}

/* Let one process work, and see what it costs. */
static void account_costs(struct symbol_jit *sj, struct symbol_jit_process *p, u64 bytes_before,
			  u64 cpu_before)
{
	sj->took_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_before;
	sj->bytes += jit_bytes(&p->jit) - bytes_before;
	if (sj->bytes > JIT_ALL_MAX)
		save_memory(sj, p);
}

void symbol_jit_find(struct symbol_jit *sj, const struct symbol_jit_options *o, u32 dso, u64 addr,
		     u64 time)
{
	struct symbol_jit_process *p = process_of(sj, jit_pid(&o->model->dsos.v[dso]));
	u64 cpu, bytes;

	if (!p)
		return;
	if (!has_time(sj)) {
		sj->nr_late++;
		return;
	}
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	bytes = jit_bytes(&p->jit);
	find_in_process(p, o, addr, time);
	account_costs(sj, p, bytes, cpu);
}

/* The file that the process wrote, as it is called where it runs. */
static void put_path(const struct jit *j, const struct process_model *m, struct buf *b)
{
	const char *name;

	if (j->dump_dso) {
		name = m->dsos.v[j->dump_dso - 1].name;
		text_escape(b, name, strlen(name));
	} else {
		buf_addf(b, "/tmp/perf-%u.map", j->pid);
	}
}

void symbol_jit_notes(const struct symbol_jit *sj, const struct process_model *m, struct buf *notes)
{
	const struct jit *j;
	u32 i, nr = 0;

	for (i = 0; i < sj->processes.nr; i++) {
		j = &sj->processes.v[i].jit;
		if (!j->limit)
			continue;
		if (nr++ >= NOTES_MAX)
			continue;
		put_path(j, m, notes);
		buf_addf(notes, ": %s; functions may lack names\n", j->limit);
	}
	if (nr > NOTES_MAX)
		buf_addf(notes, "likewise the files of %u more process%s\n", nr - NOTES_MAX,
			 nr - NOTES_MAX == 1 ? "" : "es");
	if (sj->nr_late)
		buf_addf(
			notes,
			"functions at %u address%s have no names: to look up code of JIT compilers took "
			"a fifth of a CPU\n",
			sj->nr_late, sj->nr_late == 1 ? "" : "es");
}

void symbol_jit_exec(struct symbol_jit *sj, u32 pid)
{
	u32 i = hmap_get(&sj->by_pid, pid);

	if (i != ID_NONE)
		symbol_overlays_forget(&sj->processes.v[i].overlays);
}

/* A function of a layer, to be written as a record. */
struct made {
	u32 pid, dso;
	struct symbol_code code;
};

struct made_list {
	VEC(struct made) v;
};

static int code_by_time(const void *x, const void *y)
{
	const struct made *a = x, *b = y;

	if (a->code.from != b->code.from)
		return a->code.from < b->code.from ? -1 : 1;
	return a->code.layer < b->code.layer ? -1 : a->code.layer > b->code.layer;
}

static void put_record(const struct made *made, struct process_model *model,
		       const struct sample_layout *layout, struct buf *head)
{
	const struct symbol_code *code = &made->code;
	struct rec_ids ids = {.time = code->from, .pid = made->pid, .tid = made->pid};
	struct rec_mmap2 m = {
		.pid = made->pid,
		.tid = made->pid,
		.start = code->start,
		.len = code->end - code->start,
		.pgoff = code->start,
		.ino = code->layer,
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE | MAP_ANONYMOUS,
		.name = model->dsos.v[made->dso].name,
	};
	size_t at = head->len;
	struct rec rec;

	rec_build_mmap2(head, layout, &ids, PERF_RECORD_MISC_USER, &m);
	if (!head->failed && rec_view(&rec, head->data + at, head->len - at))
		process_apply(model, &rec);
}

static u32 layer_dso(struct process_model *model, u32 pid, u32 layer)
{
	char name[40];
	int len = snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)pid);
	u32 dso = process_dso(model, name, (size_t)len, DSO_PERF_MAP, 0, 0, layer);

	return dso == ID_NONE ? ID_NONE : process_dso_generation(model, dso, 0);
}

/* Functions of one process go to the owner, those that need a record into the list as well. */
static void take_found(struct symbol_jit *sj, struct symbol_jit_process *p,
		       struct process_model *model, struct made_list *list,
		       void (*function)(void *arg, u32 dso, const struct symbol_code *code),
		       void *arg)
{
	struct made m = {.pid = p->jit.pid}, *made;
	u32 i;

	for (i = 0; i < p->found.nr; i++) {
		m.code = p->found.v[i];
		m.dso = layer_dso(model, m.pid, m.code.layer);
		if (m.dso == ID_NONE) {
			sj->failed = true;
			continue;
		}
		function(arg, m.dso, &m.code);
		if (!m.code.from)
			continue;
		made = vec_push(&list->v);
		if (made)
			*made = m;
		else
			sj->failed = true;
	}
	p->found.nr = 0;
	sj->failed |= p->failed;
}

u32 symbol_jit_put(struct symbol_jit *sj, const struct symbol_jit_options *o,
		   const struct sample_layout *layout, struct buf *head,
		   void (*function)(void *arg, u32 dso, const struct symbol_code *code), void *arg)
{
	struct made_list list = {0};
	u64 cpu, bytes;
	u32 i, nr;

	for (i = 0; i < sj->processes.nr; i++) {
		if (sj->processes.v[i].overlays.v.nr && has_time(sj)) {
			cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
			bytes = jit_bytes(&sj->processes.v[i].jit);
			find_replaced(&sj->processes.v[i], o);
			account_costs(sj, &sj->processes.v[i], bytes, cpu);
		}
		take_found(sj, &sj->processes.v[i], o->model, &list, function, arg);
	}
	nr = list.v.nr;
	if (nr)
		qsort(list.v.v, nr, sizeof(*list.v.v), code_by_time);
	for (i = 0; i < nr; i++)
		put_record(&list.v.v[i], o->model, layout, head);
	vec_free(&list.v);
	return nr;
}

void symbol_jit_free(struct symbol_jit *sj)
{
	u32 i;

	for (i = 0; i < sj->processes.nr; i++)
		free_process(&sj->processes.v[i]);
	vec_free(&sj->processes);
	hmap_free(&sj->by_pid);
}
