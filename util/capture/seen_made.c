// SPDX-License-Identifier: GPL-2.0
#include "util/capture/seen_made.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "util/base/clock.h"
#include "util/base/text.h"
#include "util/process/jit_limits.h"
#include "util/record/rec_build.h"

/* Files that are named. */
#define NOTES_MAX 8

static struct seen_jit *jit_of(struct seen_made *sm, u32 pid)
{
	u32 i = hmap_get(&sm->jit_by_pid, pid);
	struct seen_jit *sj;

	if (i != ID_NONE)
		return &sm->jits.v[i];
	sj = vec_push(&sm->jits);
	if (!sj || !hmap_set(&sm->jit_by_pid, pid, sm->jits.nr - 1)) {
		sm->failed = true;
		return NULL;
	}
	sj->jit.pid = pid;
	return sj;
}

/* What all processes together ask of who records. */
static bool has_time(struct seen_made *sm)
{
	u64 now = clock_ns(CLOCK_MONOTONIC);

	if (!sm->begun)
		sm->begun = now;
	return sm->took_ns <= JIT_FIND_NS + (now - sm->begun) / JIT_FIND_SHARE;
}

/* The maps of other processes are read again when samples stand there. */
static void save_memory(struct seen_made *sm, const struct seen_jit *used)
{
	u32 i;

	sm->bytes = 0;
	for (i = 0; i < sm->jits.nr; i++) {
		if (&sm->jits.v[i] != used)
			jit_drop_map(&sm->jits.v[i].jit);
		sm->bytes += jit_bytes(&sm->jits.v[i].jit);
	}
}

/* Let one process work, and see what it costs. */
static void spend(struct seen_made *sm, struct seen_jit *sj, u64 bytes_before, u64 cpu_before)
{
	sm->took_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_before;
	sm->bytes += jit_bytes(&sj->jit) - bytes_before;
	if (sm->bytes > JIT_ALL_MAX)
		save_memory(sm, sj);
}

void seen_made_find(struct seen_made *sm, const struct seen_made_options *o, u32 dso, u64 addr,
		    u64 time)
{
	struct seen_jit *sj = jit_of(sm, jit_pid(&o->model->dsos.v[dso]));
	u64 cpu, bytes;

	if (!sj)
		return;
	if (!has_time(sm)) {
		sm->nr_late++;
		return;
	}
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	bytes = jit_bytes(&sj->jit);
	seen_jit_find(sj, o, addr, time);
	spend(sm, sj, bytes, cpu);
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

void seen_made_notes(const struct seen_made *sm, const struct process_model *m, struct buf *notes)
{
	const struct jit *j;
	u32 i, nr = 0;

	for (i = 0; i < sm->jits.nr; i++) {
		j = &sm->jits.v[i].jit;
		if (!j->limit)
			continue;
		if (nr++ >= NOTES_MAX)
			continue;
		put_path(j, m, notes);
		buf_addf(notes, ": %s; functions may lack names\n", j->limit);
	}
	if (nr > NOTES_MAX)
		buf_addf(notes, "likewise the files of %u more processes\n", nr - NOTES_MAX);
	if (sm->nr_late)
		buf_addf(
			notes,
			"functions at %u addresses have no names: to look up code of JIT compilers took "
			"a fifth of a CPU\n",
			sm->nr_late);
}

void seen_made_exec(struct seen_made *sm, u32 pid)
{
	u32 i = hmap_get(&sm->jit_by_pid, pid);

	if (i != ID_NONE)
		jit_overlays_forget(&sm->jits.v[i].layers);
}

/* A function of a layer, to be told by a record. */
struct made {
	u32 pid, dso;
	struct seen_code code;
};

struct made_list {
	VEC(struct made) v;
};

static int by_time(const void *x, const void *y)
{
	const struct made *a = x, *b = y;

	if (a->code.from != b->code.from)
		return a->code.from < b->code.from ? -1 : 1;
	return a->code.layer < b->code.layer ? -1 : a->code.layer > b->code.layer;
}

static void put_record(const struct made *made, struct process_model *model,
		       const struct sample_layout *layout, struct buf *head)
{
	const struct seen_code *code = &made->code;
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
static void take_told(struct seen_made *sm, struct seen_jit *sj, struct process_model *model,
		      struct made_list *list,
		      void (*function)(void *arg, u32 dso, const struct seen_code *code), void *arg)
{
	struct made m = {.pid = sj->jit.pid}, *made;
	u32 i;

	for (i = 0; i < sj->told.nr; i++) {
		m.code = sj->told.v[i];
		m.dso = layer_dso(model, m.pid, m.code.layer);
		if (m.dso == ID_NONE) {
			sm->failed = true;
			continue;
		}
		function(arg, m.dso, &m.code);
		if (!m.code.from)
			continue;
		made = vec_push(&list->v);
		if (made)
			*made = m;
		else
			sm->failed = true;
	}
	sj->told.nr = 0;
	sm->failed |= sj->failed;
}

u32 seen_made_put(struct seen_made *sm, const struct seen_made_options *o,
		  const struct sample_layout *layout, struct buf *head,
		  void (*function)(void *arg, u32 dso, const struct seen_code *code), void *arg)
{
	struct made_list list = {0};
	u64 cpu, bytes;
	u32 i, nr;

	for (i = 0; i < sm->jits.nr; i++) {
		if (sm->jits.v[i].layers.v.nr && has_time(sm)) {
			cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
			bytes = jit_bytes(&sm->jits.v[i].jit);
			seen_jit_news(&sm->jits.v[i], o);
			spend(sm, &sm->jits.v[i], bytes, cpu);
		}
		take_told(sm, &sm->jits.v[i], o->model, &list, function, arg);
	}
	nr = list.v.nr;
	if (nr)
		qsort(list.v.v, nr, sizeof(*list.v.v), by_time);
	for (i = 0; i < nr; i++)
		put_record(&list.v.v[i], o->model, layout, head);
	vec_free(&list.v);
	return nr;
}

void seen_made_free(struct seen_made *sm)
{
	u32 i;

	for (i = 0; i < sm->jits.nr; i++)
		seen_jit_free(&sm->jits.v[i]);
	vec_free(&sm->jits);
	hmap_free(&sm->jit_by_pid);
}
