// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "perf-lite/report.h"
#include "util/base/text.h"

#define NOBODY (-1)

/* A thread, by its index in the process model. */
struct task {
	s64 parent;         /* the tid of its creator, NOBODY: unknown */
	u32 child, sibling; /* + 1, 0: none */
};

struct tasks {
	const struct process_model *model;
	struct hmap parents; /* tid -> that of who made it */
	struct task *v;
	u32 *order; /* threads by tid */
	u32 first;  /* of those that nobody made, + 1 */
	bool mmaps;
	struct buf *out;
};

u64 report_tasks_records(void)
{
	return 1ull << PERF_RECORD_FORK;
}

/* What a FORK record says. */
static bool forked(struct tasks *t, const struct rec *rec)
{
	struct cur c = rec_body(rec);
	u32 tid, ptid;

	cur_skip(&c, 2 * sizeof(u32));
	tid = cur_u32(&c);
	ptid = cur_u32(&c);
	return c.bad || tid == ptid || hmap_set(&t->parents, tid, ptid);
}

static int compare_tids(const void *a, const void *b, void *model)
{
	const struct thread *threads = ((const struct process_model *)model)->threads.v;
	u32 x = threads[*(const u32 *)a].tid, y = threads[*(const u32 *)b].tid;

	return x < y ? -1 : x > y ? 1 : 0;
}

static u32 index_of(const struct tasks *t, s64 tid)
{
	const struct thread *thread = tid < 0 ? NULL : process_find_thread(t->model, (u32)tid);

	return thread ? (u32)(thread - t->model->threads.v) : ID_NONE;
}

/* Does the thread `of` descend from `from`? Then the two cannot be linked the other way round. */
static bool descends(const struct tasks *t, u32 of, u32 from)
{
	u32 steps;

	for (steps = 0; of != ID_NONE && steps <= t->model->threads.nr; steps++) {
		if (of == from)
			return true;
		of = index_of(t, t->v[of].parent);
	}
	return of != ID_NONE;
}

/* Each below the thread that made it, both in the order of their numbers. */
static bool link_all(struct tasks *t)
{
	u32 nr = t->model->threads.nr, i, at, parent;

	t->v = calloc((size_t)nr + 1, sizeof(*t->v));
	t->order = calloc((size_t)nr + 1, sizeof(*t->order));
	if (!t->v || !t->order)
		return false;
	for (i = 0; i < nr; i++) {
		t->order[i] = i;
		t->v[i].parent = NOBODY;
	}
	qsort_r(t->order, nr, sizeof(*t->order), compare_tids, (void *)(uintptr_t)t->model);
	for (i = nr; i-- > 0;) {
		at = t->order[i];
		parent = hmap_get(&t->parents, t->model->threads.v[at].tid);
		if (parent != ID_NONE && !descends(t, index_of(t, parent), at))
			t->v[at].parent = parent;
		parent = index_of(t, t->v[at].parent);
		if (parent == ID_NONE) {
			t->v[at].sibling = t->first;
			t->first = at + 1;
		} else {
			t->v[at].sibling = t->v[parent].child;
			t->v[parent].child = at + 1;
		}
	}
	return true;
}

static void put_map(const struct tasks *t, const struct map *map, u32 indent)
{
	const struct dso *dso = &t->model->dsos.v[map->dso];

	buf_pad(t->out, ' ', indent);
	buf_addf(t->out, "  %llx-%llx %c%c%c%c %08llx %llu ", (unsigned long long)map->start,
		 (unsigned long long)map->end, map->prot & 1 ? 'r' : '-', map->prot & 2 ? 'w' : '-',
		 map->prot & 4 ? 'x' : '-', map->flags & 1 ? 's' : 'p',
		 (unsigned long long)map->pgoff, (unsigned long long)dso->ino);
	text_escape(t->out, dso->name, strlen(dso->name));
	buf_addc(t->out, '\n');
}

static void put_task(const struct tasks *t, u32 at, u32 level)
{
	const struct thread *thread = &t->model->threads.v[at];
	const struct process *p = &t->model->processes.v[thread->process];
	size_t before = t->out->len;
	const char *comm;
	size_t len;
	u32 i, indent;

	buf_addf(t->out, "  %8d %8d %8lld |", (s32)thread->pid, (s32)thread->tid,
		 (long long)t->v[at].parent);
	buf_pad(t->out, ' ', level);
	indent = (u32)(t->out->len - before);
	comm = process_comm(t->model, thread, &len);
	if (comm)
		text_escape(t->out, comm, len);
	else
		buf_addf(t->out, ":%d", (s32)thread->tid);
	buf_addc(t->out, '\n');
	for (i = 0; t->mmaps && i < p->maps.nr; i++)
		put_map(t, &t->model->maps.v[p->maps.v[i]], indent);
}

/* Without recursion: threads may be nested as deep as there are threads. */
static void put_all(const struct tasks *t)
{
	u32 at = t->first, level = 0;

	buf_addf(t->out, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
	while (at) {
		put_task(t, at - 1, level);
		if (t->v[at - 1].child) {
			at = t->v[at - 1].child;
			level++;
			continue;
		}
		while (at && !t->v[at - 1].sibling) {
			at = level ? index_of(t, t->v[at - 1].parent) + 1 : 0;
			level -= level > 0;
		}
		at = at ? t->v[at - 1].sibling : 0;
	}
}

int report_tasks(struct report *r, struct buf *out, struct err *err)
{
	struct tasks t = {.model = &r->in.s->model, .mmaps = r->mmaps, .out = out};
	struct session_sample sample;
	int ret;

	while ((ret = reading_next(&r->in, &sample, err)) > 0)
		if (ret == SESSION_RECORD && !forked(&t, r->in.s->record.rec)) {
			ret = err_nomem(err);
			break;
		}
	if (!ret && link_all(&t))
		put_all(&t);
	else if (!ret)
		ret = err_nomem(err);
	hmap_free(&t.parents);
	free(t.v);
	free(t.order);
	return ret;
}
