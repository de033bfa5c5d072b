/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jit_limits.h - how much is read of what processes write about the code that they make.
 *
 * Any process can write any amount, and who records the whole machine reads it. What is over a limit
 * is left out, and the owner learns which file it was.
 */
#ifndef PROCESS_JIT_LIMITS_H
#define PROCESS_JIT_LIMITS_H

#include "util/base/symtab.h"

#define JIT_NAME_MAX      SYM_NAME_MAX /* a longer name is cut */
#define JIT_MAP_MAX       (64u << 20)  /* bytes of a perf-PID.map, from its beginning */
#define JIT_FUNCTIONS_MAX (1u << 20)   /* of one file */
#define JIT_NAMES_MAX     (64u << 20)  /* bytes of the names of one jitdump */

/* CPU time for reading the files of one process: so much, and a tenth of the time since the first look. */
#define JIT_READ_NS    1000000000ull
#define JIT_READ_SHARE 10

/* Likewise for looking up addresses in code of all processes of a recording. */
#define JIT_FIND_NS    4000000000ull
#define JIT_FIND_SHARE 5

/* Bytes of memory for the tables of all processes of a recording. */
#define JIT_ALL_MAX (256u << 20)

#endif
