// SPDX-License-Identifier: GPL-2.0
#include "util/capture/synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "util/base/io.h"
#include "util/base/num.h"
#include "util/kernel/bpf_programs.h"
#include "util/kernel/cgroups.h"
#include "util/kernel/ksyms.h"
#include "util/kernel/proc.h"
#include "util/record/rec_build.h"

struct maps_of {
	struct synth *s;
	u32 pid;
};

static void add_mapping(void *arg, const struct proc_mapping *p)
{
	struct maps_of *of = arg;
	struct rec_mmap2 m = {
		.pid = of->pid,
		.tid = of->pid,
		.start = p->start,
		.len = p->end - p->start,
		.pgoff = p->pgoff,
		.maj = p->maj,
		.min = p->min,
		.ino = p->ino,
		.prot = p->prot,
		.flags = p->flags,
		.name = p->name[0] ? p->name : "//anon",
	};
	u16 misc = PERF_RECORD_MISC_USER;

	if (!(p->prot & PROT_EXEC)) {
		if (!of->s->data_mappings || !(p->prot & PROT_READ))
			return;
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	}
	rec_build_mmap2(of->s->out, of->s->layout, NULL, misc, &m);
	of->s->records++;
}

#define KTHREADD 2u
#define COMM_MAX 15

/* "kworker/0:1-events" of /proc is kworker/0:1 to the kernel. */
static void cut_worker(const struct synth *s, u32 tid, char *comm)
{
	static const char worker[] = "kworker/";
	size_t len = strlen(worker);
	u32 pid, parent;

	if (strncmp(comm, worker, len) || !proc_status(s->proc, tid, &pid, &parent) ||
	    parent != KTHREADD)
		return;
	/* one that helps out in want of memory is named for good */
	if (comm[len] != 'R')
		len += strcspn(comm + len, "-+");
	else
		len = strlen(comm);
	comm[MIN(len, (size_t)COMM_MAX)] = '\0';
}

static void add_comm(struct synth *s, u32 pid, u32 tid)
{
	char comm[64];

	if (!proc_comm(s->proc, pid, tid, comm))
		return;
	if (s->kernel_names)
		cut_worker(s, tid, comm);
	rec_build_comm(s->out, s->layout, NULL, 0, pid, tid, comm);
	s->records++;
}

/* Those of another user's task cannot be seen: zeros. */
static void add_namespaces(struct synth *s, u32 pid, u32 tid)
{
	static const char *const names[NR_NAMESPACES] = {
		[NET_NS_INDEX] = "net",       [UTS_NS_INDEX] = "uts",   [IPC_NS_INDEX] = "ipc",
		[PID_NS_INDEX] = "pid",       [USER_NS_INDEX] = "user", [MNT_NS_INDEX] = "mnt",
		[CGROUP_NS_INDEX] = "cgroup",
	};
	struct rec_namespace ns[NR_NAMESPACES] = {0};
	struct stat st;
	char path[64];
	u32 i;

	for (i = 0; i < NR_NAMESPACES; i++) {
		snprintf(path, sizeof(path), "%u/task/%u/ns/%s", pid, tid, names[i]);
		if (fstatat(s->proc, path, &st, 0))
			continue;
		ns[i].dev = st.st_dev;
		ns[i].ino = st.st_ino;
	}
	rec_build_namespaces(s->out, s->layout, NULL, pid, tid, ns);
	s->records++;
}

static void add_thread(struct synth *s, u32 pid, u32 tid)
{
	add_comm(s, pid, tid);
	if (s->namespaces)
		add_namespaces(s, pid, tid);
}

static void add_maps(struct synth *s, u32 pid)
{
	struct maps_of of = {s, pid};

	proc_maps(s->proc, pid, add_mapping, &of);
}

/* The leader first: the others share its mappings. */
static void add_process(struct synth *s, u32 pid)
{
	struct proc_ids tids = {0};
	u32 i;

	add_thread(s, pid, pid);
	if (!proc_tids(s->proc, pid, &tids, NULL))
		for (i = 0; i < tids.nr; i++)
			if (tids.v[i] != pid)
				add_thread(s, pid, tids.v[i]);
	free(tids.v);
	if (!s->no_mappings)
		add_maps(s, pid);
}

int synth_all(struct synth *s, struct err *err)
{
	struct proc_ids pids = {0};
	int ret = proc_pids(s->proc, &pids, err);
	u32 i;

	for (i = 0; !ret && i < pids.nr; i++)
		add_process(s, pids.v[i]);
	free(pids.v);
	return s->out->failed ? err_nomem(err) : ret;
}

int synth_threads(struct synth *s, const u32 *tids, u32 nr, struct err *err)
{
	u32 i, pid, ppid, last = 0;

	for (i = 0; i < nr; i++) {
		if (!proc_status(s->proc, tids[i], &pid, &ppid) || pid == last)
			continue;
		add_process(s, pid);
		last = pid;
	}
	return s->out->failed ? err_nomem(err) : 0;
}

/* The next word of a line, cut to `size`; "" at its end. */
static void read_word(struct cur *c, char *out, size_t size)
{
	size_t n = 0;

	while (cur_left(c) && *c->p == ' ')
		c->p++;
	for (; cur_left(c) && *c->p != ' '; c->p++)
		if (n < size - 1)
			out[n++] = (char)*c->p;
	out[n] = '\0';
}

/* "nf_tables 311296 5 nft_ct, Live 0xffffffffc0a00000"; the users of a module may be many. */
static void add_module(struct synth *s, const char *line, size_t len)
{
	struct rec_mmap2 m = {.pid = UINT32_MAX, .tid = 0};
	struct cur c = cur_init(line, len);
	char name[64], size[24], start[24], skip[2], bracketed[72];

	read_word(&c, name, sizeof(name));
	read_word(&c, size, sizeof(size));
	read_word(&c, skip, sizeof(skip)); /* references */
	read_word(&c, skip, sizeof(skip)); /* users */
	read_word(&c, skip, sizeof(skip)); /* state */
	read_word(&c, start, sizeof(start));
	if (!num_u64(size, &m.len) || !num_u64(start, &m.start) || !m.start)
		return;
	snprintf(bracketed, sizeof(bracketed), "[%s]", name);
	m.name = bracketed;
	rec_build_mmap(s->out, s->layout, NULL, PERF_RECORD_MISC_KERNEL, &m);
	s->records++;
}

void synth_modules(struct synth *s)
{
	struct buf b = {0};
	const char *line;
	struct cur c;
	size_t len;

	if (!io_read_file(s->proc, "modules", &b, 16 << 20)) {
		c = cur_init(b.data, b.len);
		while (cur_line(&c, &line, &len))
			add_module(s, line, len);
	}
	buf_free(&b);
}

struct starts {
	VEC(u64) v;
};

static void add_start(void *arg, u64 start)
{
	struct starts *starts = arg;
	u64 *slot = vec_push(&starts->v);

	if (slot)
		*slot = start;
}

/* All are found before the first is named, which may load a program. */
void synth_programs(struct synth *s)
{
	struct starts starts = {0};
	struct ksyms names;
	struct ksym sym;
	u32 i;

	bpf_programs_functions(add_start, &starts);
	ksyms_open(&names, s->proc);
	for (i = 0; i < starts.v.nr; i++) {
		if (!ksyms_find(&names, starts.v.v[i], &sym) || strcmp(sym.module, "[bpf]") != 0)
			continue;
		rec_build_program(s->out, s->layout, NULL, sym.start, (u32)(sym.end - sym.start),
				  sym.name);
		s->records++;
	}
	ksyms_close(&names);
	vec_free(&starts.v);
}

static void add_cgroup(void *arg, u64 id, const char *path)
{
	struct synth *s = arg;

	rec_build_cgroup(s->out, s->layout, NULL, id, path);
	s->records++;
}

void synth_cgroups(struct synth *s, const struct sysroot *root)
{
	cgroups_each(root, add_cgroup, s);
}

void synth_kernel(struct synth *s, u64 start, u64 len)
{
	const struct rec_mmap2 m = {.pid = UINT32_MAX,
				    .start = start,
				    .pgoff = start,
				    .len = len,
				    .name = "[kernel.kallsyms]_text"};

	rec_build_mmap(s->out, s->layout, NULL, PERF_RECORD_MISC_KERNEL, &m);
	s->records++;
}

int synth_targets(struct synth *s, const s32 *tids, u32 nr, struct err *err)
{
	if (!s->no_mappings) {
		synth_modules(s);
		synth_programs(s);
	}
	if (nr == 1 && tids[0] == -1)
		return synth_all(s, err);
	return synth_threads(s, (const u32 *)tids, nr, err);
}
