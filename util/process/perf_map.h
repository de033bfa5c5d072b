/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_map.h - /tmp/perf-PID.map: the functions that a JIT compiler says it has made.
 *
 * A line is "START SIZE NAME": two hexadecimal numbers and the rest of the line. Where lines
 * overlap the later one is newer. The process may still write: what follows the last newline
 * is left for later.
 *
 * Anybody can put a file there. Only a regular file is read, that belongs to root, to us, or to the
 * user of a process that still runs; no link is followed, and nothing is waited for. A process
 * that runs is looked at through its own root, under the number that it has there. How much is read
 * of one: jit_limits.h.
 *
 * Source: tools/perf/Documentation/jit-interface.txt of the kernel; proc(5), NSpid.
 */
#ifndef PROCESS_PERF_MAP_H
#define PROCESS_PERF_MAP_H

#include <sys/types.h>

#include "util/base/err.h"
#include "util/base/symtab.h"

/*
 * Fill and finish the empty `st`, keyed by absolute address. *limit: words that say what was over a
 * limit, as "only its first ... are read", or NULL.
 */
int perf_map_parse(struct symtab *st, const char *text, size_t len, enum symtab_view view,
		   const char **limit, struct err *err);

/*
 * Open the file of a process that still runs; `proc` is a descriptor of /proc. A descriptor, which
 * the caller closes, or -errno: -ESRCH if there is no such process.
 */
int perf_map_open_live(int proc, u32 pid, struct err *err);
/* Open one by its path. */
int perf_map_open(const char *path, struct err *err);

/* Likewise, of an open file; *size: bytes that were read of it. */
int perf_map_read(struct symtab *st, int fd, enum symtab_view view, u64 *size, const char **limit,
		  struct err *err);

/* The number of the process in its own pid namespace; its own number if the kernel does not say. */
u32 perf_map_inner_pid(int proc, u32 pid);

#endif
