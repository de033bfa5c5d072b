// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "perf-lite/report.h"
#include "util/base/text.h"

#define NOBODY (-1ll) /* as the number of a parent */

/* Tasks that are nested deeper are not indented further: that would take more room than their names. */
#define LEVELS_MAX 256u

/* A thread, by its index in the process model: numbers are used again. */
struct task {
	bool forked, exited;    /* a record says so */
	u32 parent, parent_tid; /* if it was forked; index, which may be ID_NONE */
	u32 again;              /* + 1: the same task, of which more became known; 0: none */
	u32 child, sibling;     /* + 1, 0: none */
	u32 walk; /* + 1: the task from which cut_circle() came here first; 0: not yet */
};

struct tasks {
	const struct process_model *model;
	struct hmap latest; /* tid -> the thread that was last forked or forked others */
	VEC(struct task) v;
	u32 *order; /* threads by tid */
	u32 first;  /* of those that nobody made, + 1 */
	bool mmaps;
	struct buf *out;
};

u64 report_tasks_records(void)
{
	return 1ull << PERF_RECORD_FORK | 1ull << PERF_RECORD_EXIT;
}

static bool add_tasks(struct tasks *t)
{
	while (t->v.nr < t->model->threads.nr)
		if (!vec_push(&t->v))
			return false;
	return true;
}

static u32 find_task(const struct tasks *t, u32 tid)
{
	const struct thread *thread = process_find_thread(t->model, tid);

	return thread ? (u32)(thread - t->model->threads.v) : ID_NONE;
}

/* A task that was known as somebody's parent alone, and whose own FORK comes now: recorders list running tasks by number. */
static bool was_named_only(const struct tasks *t, u32 old)
{
	const struct thread *thread = &t->model->threads.v[old];

	return thread->comm == ID_NONE && !t->v.v[old].forked && !t->v.v[old].exited;
}

/* A task that forked while the recorder listed the running ones: its FORK comes from both. */
static bool was_listed(const struct tasks *t, u32 old, u32 ptid)
{
	const struct task *task = &t->v.v[old];

	return task->forked && !task->exited && task->parent_tid == ptid;
}

/* What a FORK record says. The model has applied it. */
static bool forked(struct tasks *t, const struct rec *rec)
{
	struct cur c = rec_body(rec);
	u32 tid, ptid, child, parent, old;

	cur_skip(&c, 2 * sizeof(u32));
	tid = cur_u32(&c);
	ptid = cur_u32(&c);
	if (c.bad || tid == ptid)
		return true;
	child = find_task(t, tid);
	parent = find_task(t, ptid);
	if (child == ID_NONE)
		return true;
	if (!add_tasks(t))
		return false;
	old = hmap_get(&t->latest, tid);
	if (old != ID_NONE && old != child && (was_named_only(t, old) || was_listed(t, old, ptid)))
		t->v.v[old].again = child + 1;
	t->v.v[child].forked = true;
	t->v.v[child].parent = parent;
	t->v.v[child].parent_tid = ptid;
	return hmap_set(&t->latest, tid, child) &&
	       (parent == ID_NONE || hmap_set(&t->latest, ptid, parent));
}

/* What an EXIT record says. */
static bool exited(struct tasks *t, const struct rec *rec)
{
	struct cur c = rec_body(rec);
	u32 task;

	cur_skip(&c, 2 * sizeof(u32));
	task = find_task(t, cur_u32(&c));
	if (c.bad || task == ID_NONE)
		return true;
	if (!add_tasks(t))
		return false;
	t->v.v[task].exited = true;
	return true;
}

static bool look(struct tasks *t, const struct rec *rec)
{
	return rec->type == PERF_RECORD_EXIT ? exited(t, rec) : forked(t, rec);
}

/* By tid, those of one tid in the order in which they were known. */
static int compare_tids(const void *a, const void *b, void *model)
{
	const struct thread *threads = ((const struct process_model *)model)->threads.v;
	const u32 i = *(const u32 *)a, k = *(const u32 *)b;
	const u32 x = threads[i].tid, y = threads[k].tid;

	if (x != y)
		return x < y ? -1 : 1;
	return i < k ? -1 : i > k;
}

/* ID_NONE: not known. */
static u32 parent_of(const struct tasks *t, u32 task)
{
	u32 parent = t->v.v[task].forked ? t->v.v[task].parent : ID_NONE;

	while (parent != ID_NONE && t->v.v[parent].again)
		parent = t->v.v[parent].again - 1;
	return parent;
}

/*
 * Cut the chain of those that made a task where it comes back to one of them, so that it ends. Each link is followed once for
 * all tasks: forks may be nested as deep as there are tasks.
 */
static void cut_circle(struct tasks *t, u32 task)
{
	const u32 walk = task + 1;
	u32 at = task, next;

	while (!t->v.v[at].walk) {
		t->v.v[at].walk = walk;
		next = parent_of(t, at);
		if (next == ID_NONE)
			return;
		if (t->v.v[next].walk == walk) {
			t->v.v[next].forked = false;
			return;
		}
		at = next;
	}
}

/* Each below the thread that made it, both in the order of their numbers. */
static bool link_all(struct tasks *t)
{
	u32 nr = t->model->threads.nr, i, at, parent, *before;

	t->order = calloc((size_t)nr + 1, sizeof(*t->order));
	if (!t->order || !add_tasks(t))
		return false;
	for (i = 0; i < nr; i++)
		t->order[i] = i;
	qsort_r(t->order, nr, sizeof(*t->order), compare_tids, (void *)(uintptr_t)t->model);
	for (i = nr; i-- > 0;) {
		at = t->order[i];
		if (t->v.v[at].again)
			continue;
		cut_circle(t, at);
		parent = parent_of(t, at);
		before = parent == ID_NONE ? &t->first : &t->v.v[parent].child;
		t->v.v[at].sibling = *before;
		*before = at + 1;
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
		 t->v.v[at].forked ? (long long)t->v.v[at].parent_tid : NOBODY);
	buf_pad(t->out, ' ', MIN(level, LEVELS_MAX));
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
		if (t->v.v[at - 1].child) {
			at = t->v.v[at - 1].child;
			level++;
			continue;
		}
		while (at && !t->v.v[at - 1].sibling) {
			at = level ? parent_of(t, at - 1) + 1 : 0;
			level -= level > 0;
		}
		at = at ? t->v.v[at - 1].sibling : 0;
	}
}

int report_tasks(struct report *r, struct buf *out, struct err *err)
{
	struct tasks t = {.model = &r->in.s->model, .mmaps = r->mmaps, .out = out};
	struct session_sample sample;
	int ret;

	while ((ret = reading_next(&r->in, &sample, err)) > 0)
		if (ret == SESSION_RECORD && !look(&t, r->in.s->record.rec)) {
			ret = err_nomem(err);
			break;
		}
	if (!ret && link_all(&t))
		put_all(&t);
	else if (!ret)
		ret = err_nomem(err);
	hmap_free(&t.latest);
	vec_free(&t.v);
	free(t.order);
	return ret;
}
