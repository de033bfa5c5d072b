// SPDX-License-Identifier: GPL-2.0
#include "util/process/process.h"

#include <errno.h>
#include <stdlib.h>

struct compacting {
	struct process_model *m;
	u32 *threads, *maps; /* the caller's, or own ones */
	u32 *own_threads, *own_maps, *processes;
	u8 *alive;   /* processes that have a thread alive */
	bool exited; /* threads that ended stay */
};

static bool alloc_tables(struct compacting *c, const struct process_kept *kept)
{
	struct process_model *m = c->m;

	c->threads = kept ? kept->threads : NULL;
	c->maps = kept ? kept->maps : NULL;
	if (!c->threads)
		c->threads = c->own_threads = calloc((size_t)m->threads.nr + 1, sizeof(u32));
	if (!c->maps)
		c->maps = c->own_maps = calloc((size_t)m->maps.nr + 1, sizeof(u32));
	c->processes = calloc((size_t)m->processes.nr + 1, sizeof(u32));
	c->alive = calloc((size_t)m->processes.nr + 1, 1);
	return c->threads && c->maps && c->processes && c->alive;
}

static void free_tables(struct compacting *c)
{
	free(c->own_threads);
	free(c->own_maps);
	free(c->processes);
	free(c->alive);
}

static void mark_tasks(struct compacting *c)
{
	const struct process_model *m = c->m;
	struct thread *t;
	u32 i;

	for (i = 0; i < m->threads.nr; i++)
		if (process_is_known(m, i) && !m->threads.v[i].exited)
			c->alive[m->threads.v[i].process] = 1;
	for (i = 0; i < m->threads.nr; i++) {
		t = &m->threads.v[i];
		c->threads[i] |=
			process_is_known(m, i) && (!t->exited || !t->compacted || c->exited ||
						   (t->pid == t->tid && c->alive[t->process]));
		if (!c->exited)
			t->compacted = t->exited;
		if (c->threads[i])
			c->processes[t->process] = 1;
	}
}

static void mark_maps(struct compacting *c, const struct process *p)
{
	u32 i;

	for (i = 0; i < p->maps.nr; i++)
		c->maps[p->maps.v[i]] = 1;
}

/* Number those that are marked; how many they are. */
static u32 number(u32 *marks, u32 nr)
{
	u32 next = 0, i;

	for (i = 0; i < nr; i++)
		marks[i] = marks[i] ? next++ : ID_NONE;
	return next;
}

static void renumber_maps(const struct compacting *c, struct process *p)
{
	u32 i;

	for (i = 0; i < p->maps.nr; i++)
		p->maps.v[i] = c->maps[p->maps.v[i]];
}

static void move_maps(struct compacting *c)
{
	struct process_model *m = c->m;
	struct process *p;
	u32 nr, i;

	for (i = 0; i < m->processes.nr; i++) {
		p = &m->processes.v[i];
		if (!c->alive[i]) {
			vec_free(&p->maps);
			p->maps_state = 0;
			p->generation = ++m->generations;
		}
		mark_maps(c, p);
	}
	mark_maps(c, &m->kernel);
	if (m->kernel_map != ID_NONE)
		c->maps[m->kernel_map] = 1;
	nr = number(c->maps, m->maps.nr);
	for (i = 0; i < m->maps.nr; i++)
		if (c->maps[i] != ID_NONE)
			m->maps.v[c->maps[i]] = m->maps.v[i];
	m->maps.nr = nr;
	for (i = 0; i < m->processes.nr; i++)
		renumber_maps(c, &m->processes.v[i]);
	renumber_maps(c, &m->kernel);
	if (m->kernel_map != ID_NONE)
		m->kernel_map = c->maps[m->kernel_map];
}

static void move_processes(struct compacting *c)
{
	struct process_model *m = c->m;
	u32 nr = number(c->processes, m->processes.nr), i;

	for (i = 0; i < m->processes.nr; i++) {
		m->processes.v[i].running = 0;
		if (c->processes[i] != ID_NONE)
			m->processes.v[c->processes[i]] = m->processes.v[i];
		else
			vec_free(&m->processes.v[i].maps);
	}
	m->processes.nr = nr;
}

/* The table by tid does not grow: it has no more of them than before. */
static void move_threads(struct compacting *c)
{
	struct process_model *m = c->m;
	u32 nr, i;

	for (i = 0; i < m->threads.nr; i++)
		/* of two with one tid the later is known */
		if (c->threads[i] && !process_is_known(m, i))
			m->threads.v[i].exited = true;
	hmap_clear(&m->thread_by_tid);
	nr = number(c->threads, m->threads.nr);
	for (i = 0; i < m->threads.nr; i++) {
		struct thread t = m->threads.v[i];

		if (c->threads[i] == ID_NONE)
			continue;
		t.process = c->processes[t.process];
		m->processes.v[t.process].running += !t.exited;
		m->threads.v[c->threads[i]] = t;
		hmap_set(&m->thread_by_tid, t.tid, c->threads[i]);
	}
	m->threads.nr = nr;
}

int process_compact(struct process_model *m, const struct process_kept *kept)
{
	struct compacting c = {.m = m, .exited = kept && kept->exited};
	bool ok = alloc_tables(&c, kept);

	if (ok) {
		mark_tasks(&c);
		move_maps(&c);
		move_processes(&c);
		move_threads(&c);
	}
	free_tables(&c);
	return ok ? 0 : -ENOMEM;
}
