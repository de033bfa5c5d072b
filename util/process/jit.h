/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jit.h - the names of code that one process made while it ran.
 *
 * From jit-PID.dump if the process has one mapped, which says when what was where; else from
 * perf-PID.map. Both grow: they are read again when an address asks for what they do not have and
 * they have more than before. How much is read, and for how long: jit_limits.h.
 */
#ifndef PROCESS_JIT_H
#define PROCESS_JIT_H

#include "util/base/err.h"
#include "util/base/hash.h"
#include "util/base/symtab.h"
#include "util/base/vec.h"
#include "util/process/process.h"

/*
 * jit_dump.c: jit-PID.dump: what a JIT compiler made, moved and made anew, and when.
 *
 * A zero-initialised struct is empty and ready. The process may still write: jitdump_read() goes on
 * where it stopped, at the first record that is not whole. Times are those of CLOCK_MONOTONIC,
 * unless the header says that they are the machine's own: then the newest code is taken.
 *
 * Of code bytes it is kept where they are; line tables and unwinding records are passed over. How much is kept: jit_limits.h.
 *
 * Source: tools/perf/Documentation/jitdump-specification.txt of the kernel.
 */

/* The code at [start, end) from a time on. */
struct jitdump_code {
	u64 time, start, end;
	u64 bytes; /* where its bytes are in the file; 0: they are not in it */
	u32 name;  /* in names; "": nothing any more, it was moved */
};

struct jitdump {
	u64 at;      /* bytes of the file that are done */
	bool swap;   /* written by a machine of the other byte order */
	u32 machine; /* EM_* of elf.h */
	bool bad;    /* no jitdump, or damaged: nothing behind is read */
	bool no_times;
	bool full; /* a limit was reached: nothing behind is read */
	struct strtab names;
	struct hmap by_index;           /* the compiler's number of a function -> its newest code */
	VEC(struct jitdump_code) codes; /* in the order of the file */
	struct symtab newest;           /* of the first nr_sorted codes; sym.order is a code */
	u32 nr_sorted;
};

/*
 * Read what is new, or some of it, where that is much: then the next call goes on. 0 or -errno; what
 * was read before stays.
 */
int jitdump_read(struct jitdump *j, int fd, struct err *err);

/* The code at an address at a time (0: the newest there is), or NULL. */
const struct jitdump_code *jitdump_find(struct jitdump *j, u64 addr, u64 time);

void jitdump_free(struct jitdump *j);

/* jit.c: the code of one process, from its dump or its map. */

struct jit_options {
	int proc;   /* descriptor of /proc: its processes are those of the model; -1: none is */
	int map_fd; /* the perf-PID.map of a process that may have ended; -1: none */
	const char *symfs; /* before the path of a map whose process has ended; NULL: none */
	bool map_by_path;  /* /tmp/perf-PID.map, whoever wrote it, is that of the process */
	enum symtab_view view;
};

/* From this line of the map on, lines were first read when the file had this time. */
struct jit_lines {
	u32 first;
	u64 time;
};

/* Zero-initialised but for pid, it is empty and ready. */
struct jit {
	u32 pid;
	struct jitdump dump;
	u32 dump_dso;  /* the file that was read, + 1 */
	u32 nr_listed; /* codes of it that jit_news() has listed */
	struct symtab map;
	struct file_state {
		u64 size, ino, time; /* CLOCK_REALTIME */
	} map_state;                 /* of the file, when it was read */
	u32 map_lines;               /* that it had then */
	VEC(struct jit_lines) lines;
	bool map_dropped;       /* jit_drop_map() */
	u64 map_read, map_took; /* CLOCK_MONOTONIC; ns */
	bool map_listed;        /* likewise */
	u64 begun, read_ns;     /* CLOCK_MONOTONIC at the first look; CPU time for reading */
	const char
		*limit; /* which limit was reached, as "only its first ... are read"; NULL: none */
};

struct jit_symbol {
	const char *name; /* lives until the next call */
	u64 start, end;
	/*
	 * Since when it is there, CLOCK_MONOTONIC; 0: unknown. A map has no times: since
	 * the file was written when the line was first met.
	 */
	u64 from;
};

/*
 * The code at an address at a time of CLOCK_MONOTONIC (0: the newest). False: it has no name, and
 * err says why if there is neither file.
 */
bool jit_find(struct jit *j, const struct process_model *m, const struct jit_options *o, u64 addr,
	      u64 time, struct jit_symbol *out, struct err *err);

/*
 * Reads what was written since the last call, and hands in the code that is new, in the order of
 * its writing, or of a map by address, and then all of it. A map that is large is not read
 * each time.
 */
void jit_news(struct jit *j, const struct process_model *m, const struct jit_options *o,
	      void (*code)(void *arg, const struct jit_symbol *sym), void *arg);

/* The code that was at an address before `from`; likewise. Only a jitdump has it. */
bool jit_find_before(struct jit *j, u64 addr, u64 from, struct jit_symbol *out);

/* Bytes of memory of what was read. */
u64 jit_bytes(const struct jit *j);

/* Give back the memory of the map, which is read again when jit_find() needs it. */
void jit_drop_map(struct jit *j);

/* The jitdump that a process has mapped, a DSO; ID_NONE: none. */
u32 jit_dump_dso(const struct process_model *m, u32 pid);

/* The process of a DSO_PERF_MAP, from its name. */
u32 jit_pid(const struct dso *d);

void jit_free(struct jit *j);

#endif
