/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_map.h - /tmp/perf-PID.map: the functions that a JIT compiler says it has made.
 *
 * A line is "START SIZE NAME": two hexadecimal numbers and the rest of the line. Anybody can put a
 * file there, so only a regular file of ours or of root's is read, and no link is followed. Where
 * lines overlap the later one is newer.
 *
 * Source: tools/perf/Documentation/jit-interface.txt of the kernel.
 */
#ifndef SYMBOL_PERF_MAP_H
#define SYMBOL_PERF_MAP_H

#include "util/base/err.h"
#include "util/base/symtab.h"

/* Fill and finish the empty `st`, keyed by absolute address. */
int perf_map_parse(struct symtab *st, const char *text, size_t len, enum symtab_view view,
		   struct err *err);
int perf_map_load(struct symtab *st, const char *path, enum symtab_view view, struct err *err);

#endif
