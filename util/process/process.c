// SPDX-License-Identifier: GPL-2.0
#include "util/process/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define KERNEL_NAME "[kernel.kallsyms]"

int process_init(struct process_model *m, struct err *err)
{
	struct thread *idle;

	*m = (struct process_model){
		.kernel_map = ID_NONE, .kernel_ref = ID_NONE, .kernel64 = sizeof(long) == 8};
	/* every CPU's idle task is thread 0, and no COMM record ever names it */
	idle = process_thread(m, 0, 0);
	if (!idle)
		return err_nomem(err);
	idle->comm = strtab_add(&m->comms, "swapper", 7);
	return idle->comm == ID_NONE ? err_nomem(err) : 0;
}

void process_free(struct process_model *m)
{
	u32 i;

	for (i = 0; i < m->processes.nr; i++)
		vec_free(&m->processes.v[i].maps);
	vec_free(&m->kernel.maps);
	vec_free(&m->processes);
	vec_free(&m->threads);
	vec_free(&m->maps);
	vec_free(&m->dsos);
	strtab_free(&m->names);
	strtab_free(&m->comms);
	hmap_free(&m->thread_by_tid);
	hmap_free(&m->dso_by_key);
}

static u32 new_process(struct process_model *m, u32 pid)
{
	struct process *p = vec_push(&m->processes);

	if (!p)
		return ID_NONE;
	p->pid = pid;
	p->generation = ++m->generations;
	return m->processes.nr - 1;
}

static struct thread *new_thread(struct process_model *m, u32 pid, u32 tid, u32 process)
{
	struct thread *t;

	if (process == ID_NONE)
		process = new_process(m, pid);
	t = process == ID_NONE ? NULL : vec_push(&m->threads);
	if (!t || !hmap_set(&m->thread_by_tid, tid, m->threads.nr - 1)) {
		m->threads.nr -= t != NULL;
		m->failed = true;
		return NULL;
	}
	*t = (struct thread){.pid = pid, .tid = tid, .process = process, .comm = ID_NONE};
	m->processes.v[process].running++;
	return t;
}

struct thread *process_thread(struct process_model *m, u32 pid, u32 tid)
{
	u32 i = hmap_get(&m->thread_by_tid, tid);
	const struct thread *leader;

	if (i != ID_NONE)
		return &m->threads.v[i];
	if (pid == tid)
		return new_thread(m, pid, tid, ID_NONE);
	/* whichever thread is seen first: all of them share the mappings of the leader */
	leader = process_thread(m, pid, pid);
	return leader ? new_thread(m, pid, tid, leader->process) : NULL;
}

const struct thread *process_find_thread(const struct process_model *m, u32 tid)
{
	u32 i = hmap_get(&m->thread_by_tid, tid);

	return i == ID_NONE ? NULL : &m->threads.v[i];
}

const char *process_comm(const struct process_model *m, const struct thread *t, size_t *len)
{
	if (t->comm >= m->comms.nr)
		return NULL;
	*len = m->comms.entries[t->comm].len;
	return m->comms.entries[t->comm].s;
}

u32 process_dso(struct process_model *m, const char *name, size_t len, enum dso_kind kind, u32 maj,
		u32 min, u64 ino)
{
	u32 id = strtab_add(&m->names, name, len), dso;
	struct dso *d;
	u64 key;

	if (id == ID_NONE) {
		m->failed = true;
		return ID_NONE;
	}
	key = hash_u64((u64)id << 32 | (u32)kind) ^
	      hash_u64(hash_u64(ino) + ((u64)maj << 32 | min));
	dso = hmap_get(&m->dso_by_key, key);
	if (dso != ID_NONE)
		return dso;
	d = vec_push(&m->dsos);
	if (!d || !hmap_set(&m->dso_by_key, key, m->dsos.nr - 1)) {
		m->dsos.nr -= d != NULL;
		m->failed = true;
		return ID_NONE;
	}
	*d = (struct dso){.name = strtab_get(&m->names, id),
			  .kind = kind,
			  .maj = maj,
			  .min = min,
			  .ino = ino};
	return m->dsos.nr - 1;
}

/* Of a file that was written anew in its place the recorder counts the versions above the kernel's bits: the first has none. */
static bool is_later_version(u64 generation)
{
	return generation >> 32 && generation >> 32 < 1u << 16;
}

/* The inode of a deleted file is given to another one: the generation distinguishes them. */
u32 process_dso_generation(struct process_model *m, u32 dso, u64 generation)
{
	struct dso *d = &m->dsos.v[dso], *other;
	u64 key;
	u32 id;

	if (!d->ino_generation && !is_later_version(generation))
		d->ino_generation = generation;
	if (!generation || generation == d->ino_generation)
		return dso;
	key = hash_u64(hash_u64(generation) + dso);
	id = hmap_get(&m->dso_by_key, key);
	if (id != ID_NONE)
		return id;
	other = vec_push(&m->dsos);
	if (!other || !hmap_set(&m->dso_by_key, key, m->dsos.nr - 1)) {
		m->dsos.nr -= other != NULL;
		m->failed = true;
		return ID_NONE;
	}
	d = &m->dsos.v[dso];
	*other = (struct dso){.name = d->name,
			      .kind = d->kind,
			      .maj = d->maj,
			      .min = d->min,
			      .ino = d->ino,
			      .ino_generation = generation};
	return m->dsos.nr - 1;
}

/* The position in maps[] of the first mapping that ends above addr. */
static u32 first_above(const struct process_model *m, const struct process *p, u64 addr)
{
	u32 lo = 0, hi = p->maps.nr, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (m->maps.v[p->maps.v[mid]].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static u32 find_map(const struct process_model *m, const struct process *p, u64 addr)
{
	u32 at = first_above(m, p, addr);

	return at < p->maps.nr && m->maps.v[p->maps.v[at]].start <= addr ? p->maps.v[at] : ID_NONE;
}

u32 process_find_map(const struct process_model *m, const struct thread *t, u64 addr)
{
	return find_map(m, &m->processes.v[t->process], addr);
}

u32 process_find_kernel_map(const struct process_model *m, u64 addr)
{
	u32 id = find_map(m, &m->kernel, addr);

	/* its record covers the kernel's main text only: init code and trampolines lie above */
	if (id == ID_NONE && m->kernel_map != ID_NONE && addr >= m->maps.v[m->kernel_map].start)
		return m->kernel_map;
	return id;
}

static bool insert_id(struct process_model *m, struct process *p, u32 at, u32 id)
{
	if (!vec_push(&p->maps)) {
		m->failed = true;
		return false;
	}
	memmove(p->maps.v + at + 1, p->maps.v + at, (p->maps.nr - 1 - at) * sizeof(*p->maps.v));
	p->maps.v[at] = id;
	return true;
}

static u32 new_map(struct process_model *m, const struct map *map)
{
	struct map *d = vec_push(&m->maps);

	if (!d) {
		m->failed = true;
		return ID_NONE;
	}
	*d = *map;
	return m->maps.nr - 1;
}

/* Does the one show the same byte of the same file at an address as the other? */
static bool shows_same(const struct map *a, const struct map *b)
{
	return a->dso == b->dso && a->pgoff - a->start == b->pgoff - b->start;
}

/* Map a range; what it covers of older mappings is gone, what sticks out of them stays. */
static void add_map(struct process_model *m, struct process *p, const struct map *map)
{
	u32 at = first_above(m, p, map->start), end = at, id;
	struct map before = {0}, after = {0};

	for (; end < p->maps.nr; end++) {
		const struct map *old = &m->maps.v[p->maps.v[end]];

		if (old->start >= map->end)
			break;
		if (!shows_same(old, map))
			p->generation = ++m->generations;
		if (old->start < map->start) {
			before = *old;
			before.end = map->start;
		}
		if (old->end > map->end) {
			after = *old;
			after.pgoff += map->end - old->start;
			after.start = map->end;
		}
	}
	p->maps_state = ++m->maps_states;
	if (end > at)
		memmove(p->maps.v + at, p->maps.v + end, (p->maps.nr - end) * sizeof(*p->maps.v));
	p->maps.nr -= end - at;
	if (before.end && (id = new_map(m, &before)) != ID_NONE && insert_id(m, p, at, id))
		at++;
	if ((id = new_map(m, map)) != ID_NONE && insert_id(m, p, at, id))
		at++;
	if (after.end && (id = new_map(m, &after)) != ID_NONE)
		insert_id(m, p, at, id);
}

static bool begins(const char *s, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len >= n && !memcmp(s, prefix, n);
}

bool process_is_made_code(const char *name, size_t len)
{
	/* the last is of .NET, which maps it twice: to write, and to run */
	static const char *const names[] = {"/dev/zero", "/anon_hugepage", "[stack",
					    "/SYSV",     "[heap]",         "/memfd:doublemapper"};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (begins(name, len, names[i]))
			return true;
	return len == 6 && !memcmp(name, "//anon", 6);
}

/* "/tmp/perf-123.map": as what a JIT made is called, here and by perf. */
static bool is_perf_map(const char *s, size_t len)
{
	size_t at = strlen("/tmp/perf-"), digits = at;

	if (!begins(s, len, "/tmp/perf-"))
		return false;
	while (digits < len && s[digits] >= '0' && s[digits] <= '9')
		digits++;
	return digits > at && len - digits == 4 && !memcmp(s + digits, ".map", 4);
}

static enum dso_kind user_kind(const char *name, size_t len)
{
	if (is_perf_map(name, len))
		return DSO_PERF_MAP;
	if ((len == strlen(VDSO_NAME) && !memcmp(name, VDSO_NAME, len)) ||
	    (len == strlen(VDSO32_NAME) && !memcmp(name, VDSO32_NAME, len)))
		return DSO_VDSO;
	if (!len || name[0] != '/' || begins(name, len, "//") || begins(name, len, "/SYSV"))
		return DSO_OTHER;
	return begins(name, len, "/memfd:") ? DSO_MEMFD : DSO_FILE;
}

struct mapping {
	struct map map;
	u32 maj, min;
	u64 ino, ino_generation;
	const u8 *build_id; /* of build_id_len bytes, 0: the record has none */
	u8 build_id_len;
	const char *name;
	size_t name_len;
};

static void set_build_id(struct dso *d, const struct mapping *g)
{
	if (!g->build_id_len || d->build_id_len || d->kind == DSO_PERF_MAP)
		return;
	memcpy(d->build_id, g->build_id, g->build_id_len);
	d->build_id_len = g->build_id_len;
}

static void map_kernel(struct process_model *m, struct mapping *g)
{
	enum dso_kind kind = DSO_MODULE;
	struct map *map = &g->map;
	const char *name = g->name;
	size_t len = g->name_len;

	if (begins(name, len, KERNEL_NAME)) {
		/* "[kernel.kallsyms]_text": what follows names the symbol that pgoff is of */
		kind = DSO_KERNEL;
		m->kernel_ref = strtab_add(&m->names, name + strlen(KERNEL_NAME),
					   len - strlen(KERNEL_NAME));
		if (m->kernel_ref == ID_NONE)
			m->failed = true;
		len = strlen(KERNEL_NAME);
	}
	map->dso = process_dso(m, name, len, kind, 0, 0, 0);
	if (map->dso == ID_NONE)
		return;
	set_build_id(&m->dsos.v[map->dso], g);
	add_map(m, &m->kernel, map);
	if (kind == DSO_KERNEL)
		m->kernel_map = find_map(m, &m->kernel, map->start);
}

/*
 * Anonymous memory that is mapped anew, as mprotect(2) does with every call, says nothing of the
 * code in it: what was recorded of that stays (capture/symbol_collector_jit.c: DSO_PERF_MAP with an inode).
 */
static void add_map_around_made(struct process_model *m, struct process *p, const struct map *map)
{
	struct map gap = *map;
	u32 i = first_above(m, p, map->start);

	while (i < p->maps.nr && gap.start < map->end) {
		const struct map made = m->maps.v[p->maps.v[i]];

		if (made.start >= map->end)
			break;
		if (m->dsos.v[made.dso].kind != DSO_PERF_MAP || !m->dsos.v[made.dso].ino) {
			i++;
			continue;
		}
		gap.end = made.start;
		gap.pgoff = gap.start;
		if (gap.end > gap.start)
			add_map(m, p, &gap);
		gap.start = made.end;
		i = first_above(m, p, gap.start);
	}
	gap.end = map->end;
	gap.pgoff = gap.start;
	if (gap.end > gap.start)
		add_map(m, p, &gap);
}

static void map_user(struct process_model *m, u32 pid, u32 tid, struct mapping *g)
{
	struct thread *t = process_thread(m, pid, tid);
	char perf_map[40];
	const char *name = g->name;
	size_t len = g->name_len;
	enum dso_kind kind;
	struct process *p;

	if (!t)
		return;
	kind = user_kind(name, len);
	/* only 32-bit processes have it so low */
	if (kind == DSO_VDSO && m->kernel64 && g->map.start <= UINT32_MAX) {
		name = VDSO32_NAME;
		len = strlen(VDSO32_NAME);
	}
	if (process_is_made_code(name, len)) {
		/* there is no file to count bytes of: offsets are addresses */
		g->map.pgoff = g->map.start;
		if (g->map.prot & PROT_EXEC) {
			/* code that a JIT made: its names, if any, are where perf-PID.map says */
			len = (size_t)snprintf(perf_map, sizeof(perf_map), "/tmp/perf-%d.map",
					       (int)t->pid);
			name = perf_map;
			kind = DSO_PERF_MAP;
			g->ino = g->ino_generation = g->maj = g->min = 0;
		}
	}
	g->map.dso = process_dso(m, name, len, kind, g->maj, g->min, g->ino);
	if (g->map.dso != ID_NONE)
		g->map.dso = process_dso_generation(m, g->map.dso, g->ino_generation);
	if (g->map.dso == ID_NONE)
		return;
	set_build_id(&m->dsos.v[g->map.dso], g);
	p = &m->processes.v[t->process];
	if (p->execed) {
		p->maps.nr = p->maps_state = 0;
		p->generation = ++m->generations;
	}
	p->execed = false;
	if (kind == DSO_PERF_MAP && !g->ino)
		add_map_around_made(m, p, &g->map);
	else
		add_map(m, p, &g->map);
}

/* In place of device, inode and its generation, whose part it has: files of other build-ids are others. */
static void read_build_id(struct mapping *g, const u8 *at)
{
	if (!at || !rec_is_build_id(at))
		return;
	g->build_id_len = at[0];
	g->build_id = at + 4;
	g->ino_generation = hash_bytes(g->build_id, g->build_id_len);
}

static void apply_mmap(struct process_model *m, const struct rec *rec)
{
	bool mmap2 = rec->type == PERF_RECORD_MMAP2;
	struct cur c = rec_body(rec);
	struct mapping g = {0};
	u32 pid = cur_u32(&c), tid = cur_u32(&c);
	u16 cpumode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	g.map.start = cur_u64(&c);
	g.map.end = g.map.start + cur_u64(&c);
	g.map.pgoff = cur_u64(&c);
	g.map.prot = PROT_EXEC;
	if (mmap2 && rec->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		read_build_id(&g, cur_bytes(&c, 24));
	} else if (mmap2) {
		g.maj = cur_u32(&c);
		g.min = cur_u32(&c);
		g.ino = cur_u64(&c);
		g.ino_generation = cur_u64(&c);
	}
	if (mmap2) {
		g.map.prot = cur_u32(&c);
		g.map.flags = cur_u32(&c);
	} else if (rec->misc & PERF_RECORD_MISC_MMAP_DATA) {
		g.map.prot = PROT_READ;
	}
	g.name = cur_str(&c, &g.name_len);
	if (c.bad || g.map.end <= g.map.start)
		return;
	if (cpumode == PERF_RECORD_MISC_KERNEL)
		map_kernel(m, &g);
	else
		map_user(m, pid, tid, &g);
}

void process_forget_ended(struct process_model *m, u32 process)
{
	struct process *p = &m->processes.v[process];

	if (p->running)
		return;
	vec_free(&p->maps);
	p->maps_state = 0;
	p->generation = ++m->generations;
}

static void end_thread(struct process_model *m, struct thread *t)
{
	if (t->exited)
		return;
	t->exited = true;
	m->processes.v[t->process].running--;
	if (m->forget_exited)
		process_forget_ended(m, t->process);
}

/*
 * All other threads have ended. One that was not the leader has the number of that by now, and its own has no EXIT;
 * the leader's was before.
 */
static void take_over(struct process_model *m, u32 thread)
{
	struct thread *t = &m->threads.v[thread];
	struct process *p = &m->processes.v[t->process];
	u32 i;

	if (!t->exited && p->running == 1)
		return;
	p->running += t->exited;
	t->exited = false;
	for (i = 0; i < m->threads.nr; i++)
		if (i != thread && m->threads.v[i].process == t->process)
			end_thread(m, &m->threads.v[i]);
}

static void apply_comm(struct process_model *m, const struct rec *rec)
{
	struct cur c = rec_body(rec);
	u32 pid = cur_u32(&c), tid = cur_u32(&c);
	size_t len;
	const char *name = cur_str(&c, &len);
	struct thread *t;

	if (!name)
		return;
	t = process_thread(m, pid, tid);
	if (!t)
		return;
	t->comm = strtab_add(&m->comms, name, len);
	if (t->comm == ID_NONE)
		m->failed = true;
	if (!(rec->misc & PERF_RECORD_MISC_COMM_EXEC))
		return;
	take_over(m, (u32)(t - m->threads.v));
	/* exec still runs for a while, with the old program's call chain below it */
	if (!m->keep_on_exec)
		m->processes.v[t->process].execed = true;
}

static bool copy_maps(struct process_model *m, u32 to, u32 from)
{
	struct process *p = &m->processes.v[to];
	const struct process *q = &m->processes.v[from];

	if (!vec_reserve(&p->maps, q->maps.nr))
		return false;
	if (q->maps.nr)
		memcpy(p->maps.v, q->maps.v, q->maps.nr * sizeof(*q->maps.v));
	p->maps.nr = q->maps.nr;
	p->maps_state = q->maps_state;
	return true;
}

static void apply_fork(struct process_model *m, const struct rec *rec)
{
	struct cur c = rec_body(rec);
	u32 pid = cur_u32(&c), ppid = cur_u32(&c), tid = cur_u32(&c), ptid = cur_u32(&c);
	struct thread *parent, *child;
	u32 process, comm, parent_process, old;
	/* a fork that perf made of a running task: what that has mapped follows */
	bool made = rec->misc & PERF_RECORD_MISC_FORK_EXEC;

	if (c.bad || tid == ptid)
		return;
	parent = process_thread(m, ppid, ptid);
	if (!parent)
		return;
	comm = parent->comm;
	parent_process = parent->process;
	process = pid == ppid ? parent_process : new_process(m, pid);
	/* a tid that is known already is used again: the older thread has ended */
	old = hmap_get(&m->thread_by_tid, tid);
	if (old != ID_NONE)
		end_thread(m, &m->threads.v[old]);
	child = process == ID_NONE ? NULL : new_thread(m, pid, tid, process);
	if (!child ||
	    (process != parent_process && !made && !copy_maps(m, process, parent_process))) {
		m->failed = true;
		return;
	}
	child->comm = comm;
}

static void apply_exit(struct process_model *m, const struct rec *rec)
{
	struct cur c = rec_body(rec);
	u32 tid, i;

	cur_skip(&c, 8);
	tid = cur_u32(&c);
	i = c.bad ? ID_NONE : hmap_get(&m->thread_by_tid, tid);
	if (i != ID_NONE)
		end_thread(m, &m->threads.v[i]);
}

static void apply_ksymbol(struct process_model *m, const struct rec *rec)
{
	struct cur c = rec_body(rec);
	struct map map = {.prot = PROT_EXEC};
	const char *name;
	u16 flags;
	size_t len;

	map.start = map.pgoff = cur_u64(&c);
	map.end = map.start + cur_u32(&c);
	cur_u16(&c);
	flags = cur_u16(&c);
	name = cur_str(&c, &len);
	if (c.bad || map.end <= map.start)
		return;
	if (flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)
		return; /* samples of it may still come from other CPUs */
	map.dso = process_dso(m, name, len, DSO_BPF, 0, 0, 0);
	if (map.dso != ID_NONE)
		add_map(m, &m->kernel, &map);
}

void process_apply(struct process_model *m, const struct rec *rec)
{
	switch (rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		apply_mmap(m, rec);
		break;
	case PERF_RECORD_COMM:
		apply_comm(m, rec);
		break;
	case PERF_RECORD_FORK:
		apply_fork(m, rec);
		break;
	case PERF_RECORD_EXIT:
		apply_exit(m, rec);
		break;
	case PERF_RECORD_KSYMBOL:
		apply_ksymbol(m, rec);
		break;
	}
}
