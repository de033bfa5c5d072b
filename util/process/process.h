/* SPDX-License-Identifier: GPL-2.0 */
/*
 * process.h - the process model: tasks, their names and mappings, and the files (DSOs) mapped.
 *
 * It is fed side-band records in time order (MMAP, MMAP2, COMM, FORK, EXIT, KSYMBOL) and answers
 * for its current moment: who is thread T, what is mapped at address A of process P. Ids are
 * dense, given in order of first sight and never reused, so that callers can keep caches beside
 * them; maps are append-only: a map that is replaced or cut keeps its id and its old record, and
 * what is left of it is a new map. Who reads for days calls process_compact(), which numbers anew.
 * One owner, no locks.
 *
 * Source: perf_event_open(2), PERF_RECORD_*.
 */
#ifndef PROCESS_PROCESS_H
#define PROCESS_PROCESS_H

#include "util/base/err.h"
#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/record/rec.h"

#define BUILD_ID_MAX 20
#define VDSO_NAME    "[vdso]"
#define VDSO32_NAME  "[vdso32]"

enum dso_kind {
	DSO_KERNEL,   /* the kernel itself: "[kernel.kallsyms]" */
	DSO_MODULE,   /* "[nf_tables]" */
	DSO_BPF,      /* "bpf_prog_6deef7357e7b4530" */
	DSO_VDSO,     /* VDSO_NAME, and VDSO32_NAME in 32-bit processes of a 64-bit kernel */
	DSO_FILE,     /* a mapped file, by absolute path */
	DSO_PERF_MAP, /* anonymous executable memory: "/tmp/perf-PID.map" */
	DSO_OTHER,    /* "[heap]", "//anon", "[stack]", ... */
	DSO_MEMFD, /* "/memfd:x (deleted)": a file without a path, of an image or of anything else */
};

struct dso {
	const char *name;
	enum dso_kind kind;
	u8 build_id[BUILD_ID_MAX];
	u8 build_id_len; /* 0: not known */
	u32 maj, min;    /* device and inode as the first MMAP2 gave them; 0: not known */
	u64 ino, ino_generation;
	const void *image; /* the recording's copy of the ELF image (vdso), else NULL */
	size_t image_len;
};

static inline bool dso_is_kernel(const struct dso *d)
{
	return d->kind == DSO_KERNEL || d->kind == DSO_MODULE || d->kind == DSO_BPF;
}

/* May an ELF image be mapped there? */
static inline bool dso_has_image(const struct dso *d)
{
	return d->kind == DSO_FILE || d->kind == DSO_MEMFD || d->kind == DSO_VDSO;
}

struct map {
	u64 start, end, pgoff; /* [start, end) shows the file from byte pgoff on */
	u32 dso;
	u32 prot, flags; /* of mmap(2) */
};

/* What the threads of a process share: its mappings, ids sorted by address, no two overlap. */
struct process {
	u32 pid;
	u32 running; /* threads that have not ended */
	bool execed; /* the mappings are those of the program before, until the new one maps */
	/*
	 * A number that no other process has, nor had this one while an address that is mapped now
	 * showed something else: what is known of an address holds for as long as it is the same.
	 */
	u32 generation;
	/* 0: nothing is mapped; else a number that only processes with the same `maps` have */
	u32 maps_state;
	VEC(u32) maps;
};

struct thread {
	u32 pid, tid;
	u32 process; /* index of its struct process */
	u32 comm;    /* id in strtab comms, ID_NONE: not known */
	bool exited;
	bool compacted; /* ... before the last process_compact() that dropped threads */
};

struct process_model {
	VEC(struct dso) dsos;
	VEC(struct map) maps;
	VEC(struct thread) threads;
	VEC(struct process) processes;
	struct process kernel;   /* what is mapped above: the kernel, modules, bpf programs */
	u32 kernel_map;          /* of the kernel itself, ID_NONE: not known yet */
	const char *kernel_file; /* to be shown for the kernel; the owner's, NULL: as recorded */
	u32 kernel_ref;          /* in names: the symbol whose address is that mapping's pgoff */
	struct strtab names;     /* of DSOs */
	struct strtab comms;
	struct hmap thread_by_tid;
	struct hmap dso_by_key;
	bool forget_exited; /* drop the mappings of a process when its last thread has ended */
	bool kernel64;      /* below it, a 32-bit process has a vdso of its own; default: as here */
	bool keep_on_exec;  /* as perf: what an exec does not map over stays mapped */
	bool failed;        /* sticky: memory ran out */
	u32 generations;    /* that were given out */
	u32 maps_states;    /* likewise */
};

int process_init(struct process_model *m, struct err *err);
void process_free(struct process_model *m);

/* Apply a side-band record; other types are ignored. */
void process_apply(struct process_model *m, const struct rec *rec);

/* The thread, made if new (its name then is unknown). Never NULL unless memory is out. */
struct thread *process_thread(struct process_model *m, u32 pid, u32 tid);
/* The thread if it is known. */
const struct thread *process_find_thread(const struct process_model *m, u32 tid);
/* Has it its tid still? One whose tid another one has by now has ended, whether or not anybody said so. */
static inline bool process_is_known(const struct process_model *m, u32 thread)
{
	return hmap_get(&m->thread_by_tid, m->threads.v[thread].tid) == thread;
}
/* Its name; ":TID" style names are the printer's business: NULL while unknown. */
const char *process_comm(const struct process_model *m, const struct thread *t, size_t *len);

/* Drop the mappings of a process, by its number, if it has ended: as forget_exited, but when the owner says so. */
void process_forget_ended(struct process_model *m, u32 process);

/*
 * process_compact.c: drop the dead: processes without a thread that lives, maps that no process has. Threads that
 * ended since the last time stay, with their names, since samples of them may still come.
 *
 * Threads, processes and maps get other ids, in the order they have; those of DSOs and commands stay, and so do
 * generations and states of maps. `kept`, by id, not 0: it stays, too; after it, the new id, ID_NONE of what
 * is gone. Members that are NULL: nothing is asked; `kept` NULL: nothing at all. On -ENOMEM the model is as it was.
 */
struct process_kept {
	u32 *threads, *maps;
	bool exited; /* all threads that ended stay, and this is not the last time for them */
};
int process_compact(struct process_model *m, const struct process_kept *kept);

/* The id of the mapping at `addr` in the process of `t`, or ID_NONE. */
u32 process_find_map(const struct process_model *m, const struct thread *t, u64 addr);
/* The kernel-side mapping (a module, a bpf program, the kernel), or ID_NONE. */
u32 process_find_kernel_map(const struct process_model *m, u64 addr);

/*
 * The DSO of that name, device and inode (zeros: not known), made if new; ID_NONE when memory is
 * out. One path with two inodes, or two generations of one, is two DSOs: the file was replaced while
 * it was recorded.
 */
u32 process_dso(struct process_model *m, const char *name, size_t len, enum dso_kind kind, u32 maj,
		u32 min, u64 ino);
/* That DSO, of a generation of its inode (0: not known). Likewise. */
u32 process_dso_generation(struct process_model *m, u32 dso, u64 generation);

/* Executable memory of that name, as a mapping's record has it, holds what was made at run time: a file is not behind it. */
bool process_is_made_code(const char *name, size_t len);

/* The byte of the DSO's file that `addr` shows. */
static inline u64 map_offset(const struct map *map, u64 addr)
{
	return addr - map->start + map->pgoff;
}

#endif
