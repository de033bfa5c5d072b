// SPDX-License-Identifier: GPL-2.0
#include "util/process/process_dump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "util/record/rec_build.h"

struct dump {
	const struct process_model *m;
	const struct sample_layout *layout;
	struct buf *out;
	u32 records;
};

static bool is_leader(const struct thread *t)
{
	return t->pid == t->tid;
}

static void put_task(struct dump *d, u32 type, const struct thread *t)
{
	rec_build_task(d->out, d->layout, NULL, type, t->pid, t->pid, t->tid, t->pid, 0);
	d->records++;
}

static void put_comm(struct dump *d, const struct thread *t)
{
	bool execed = is_leader(t) && d->m->processes.v[t->process].execed;
	const char *name;
	size_t len;

	name = process_comm(d->m, t, &len);
	if (!name)
		return;
	rec_build_comm(d->out, d->layout, NULL, execed ? PERF_RECORD_MISC_COMM_EXEC : 0, t->pid,
		       t->tid, name);
	d->records++;
}

/* Code of a JIT has a DSO that is named after its process; a child of fork has its parent's. */
static const char *user_name(const struct dso *d, u32 pid)
{
	char own[40];

	/* what was recorded of a layer of it (capture/symbol_collector_jit.c) stays */
	if (d->kind != DSO_PERF_MAP || d->ino)
		return d->name;
	snprintf(own, sizeof(own), "/tmp/perf-%d.map", (int)pid);
	return strcmp(own, d->name) ? d->name : "//anon";
}

static void put_maps(struct dump *d, const struct process *p)
{
	const struct process_model *m = d->m;
	u32 i;

	for (i = 0; i < p->maps.nr; i++) {
		const struct map *map = &m->maps.v[p->maps.v[i]];
		const struct dso *dso = &m->dsos.v[map->dso];
		struct rec_mmap2 r = {
			.pid = p->pid,
			.tid = p->pid,
			.start = map->start,
			.len = map->end - map->start,
			.pgoff = map->pgoff,
			.maj = dso->maj,
			.min = dso->min,
			.ino = dso->ino,
			.ino_generation = dso->ino_generation,
			.prot = map->prot,
			.flags = map->flags,
			.name = user_name(dso, p->pid),
		};
		u16 misc = PERF_RECORD_MISC_USER;

		if (!(map->prot & PROT_EXEC))
			misc |= PERF_RECORD_MISC_MMAP_DATA;
		rec_build_mmap2(d->out, d->layout, NULL, misc, &r);
		d->records++;
	}
}

static void put_kernel_map(struct dump *d, const struct map *map)
{
	const struct dso *dso = &d->m->dsos.v[map->dso];
	struct rec_mmap2 r = {.pid = UINT32_MAX,
			      .start = map->start,
			      .len = map->end - map->start,
			      .pgoff = map->pgoff,
			      .name = dso->name};
	struct buf name = {0};

	if (dso->kind == DSO_BPF) {
		rec_build_program(d->out, d->layout, NULL, map->start, (u32)(map->end - map->start),
				  dso->name);
		d->records++;
		return;
	}
	if (dso->kind == DSO_KERNEL) {
		buf_addf(&name, "%s%s", dso->name, strtab_get(&d->m->names, d->m->kernel_ref));
		d->out->failed |= name.failed;
		r.name = buf_str(&name);
	}
	rec_build_mmap(d->out, d->layout, NULL, PERF_RECORD_MISC_KERNEL, &r);
	d->records++;
	buf_free(&name);
}

/* The kernel as a whole first: what lies in it then cuts it as it did before. */
static void put_kernel(struct dump *d)
{
	const struct process_model *m = d->m;
	u32 i;

	if (m->kernel_map != ID_NONE)
		put_kernel_map(d, &m->maps.v[m->kernel_map]);
	for (i = 0; i < m->kernel.maps.nr; i++) {
		const struct map *map = &m->maps.v[m->kernel.maps.v[i]];

		if (m->dsos.v[map->dso].kind != DSO_KERNEL)
			put_kernel_map(d, map);
	}
}

/* Processes that have a thread alive. */
static u8 *alive_processes(const struct process_model *m)
{
	u8 *alive = calloc(m->processes.nr + 1, 1);
	u32 i;

	for (i = 0; alive && i < m->threads.nr; i++)
		if (process_is_known(m, i) && !m->threads.v[i].exited)
			alive[m->threads.v[i].process] = 1;
	return alive;
}

int process_dump(const struct process_model *m, const struct sample_layout *layout, struct buf *out,
		 u32 *records)
{
	struct dump d = {.m = m, .layout = layout, .out = out};
	u8 *alive = alive_processes(m);
	const struct thread *t;
	u32 i;

	if (!alive)
		return -ENOMEM;
	put_kernel(&d);
	/* a child takes its parent's name: those that have none come before any has one */
	for (i = 0; i < m->threads.nr; i++) {
		t = &m->threads.v[i];
		if (process_is_known(m, i) && !t->exited && t->comm == ID_NONE && !is_leader(t))
			put_task(&d, PERF_RECORD_FORK, t);
	}
	for (i = 0; i < m->processes.nr; i++)
		if (alive[i])
			put_maps(&d, &m->processes.v[i]);
	for (i = 0; i < m->threads.nr; i++) {
		t = &m->threads.v[i];
		if (t->tid && process_is_known(m, i) &&
		    (!t->exited || (is_leader(t) && alive[t->process])))
			put_comm(&d, t);
	}
	/* leaders whose threads outlive them */
	for (i = 0; i < m->threads.nr; i++) {
		t = &m->threads.v[i];
		if (t->exited && is_leader(t) && process_is_known(m, i) && alive[t->process])
			put_task(&d, PERF_RECORD_EXIT, t);
	}
	free(alive);
	if (records)
		*records += d.records;
	return out->failed ? -ENOMEM : 0;
}
