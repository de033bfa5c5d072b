/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jit_code.h - the bytes of functions that a process made while it ran, from its jitdump.
 *
 *	jit_code_open() -> jit_code_find() -> jit_code_read(), for each function -> jit_code_close()
 *
 * A function is the one that was made at its address under its name. How many are read: jit_limits.h.
 */
#ifndef ANNOTATE_JIT_CODE_H
#define ANNOTATE_JIT_CODE_H

#include "util/base/err.h"
#include "util/disassemble/disassembler.h"
#include "util/process/jit.h"

struct jit_code_file {
	struct jitdump dump;
	const char *path; /* as the process had it */
	int fd;
};

struct jit_code {
	u64 size;
	u64 at; /* in the file */
};

/* The jitdump of the process of a DSO_PERF_MAP. `symfs` is before its path; NULL: nothing. */
int jit_code_open(struct jit_code_file *f, const struct process_model *m, u32 dso,
		  const char *symfs, struct err *err);
void jit_code_close(struct jit_code_file *f);

/* The machine, as a disassembler has it. */
struct disassembler_code jit_code_machine(const struct jit_code_file *f, bool intel);

/* -ENODATA: the file does not have it; -ESTALE: it has several, of different bytes. `name` may be demangled. */
int jit_code_find(struct jit_code_file *f, u64 start, const char *name, struct jit_code *out,
		  struct err *err);

/* The first `len` bytes of it. */
int jit_code_read(const struct jit_code_file *f, const struct jit_code *code, u8 *bytes, size_t len,
		  struct err *err);

/* What is at an address in the end, as "name" and how far into it; NULL: nothing. */
const char *jit_code_name(struct jit_code_file *f, u64 addr, u64 *offset);

#endif
