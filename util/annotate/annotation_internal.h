/* SPDX-License-Identifier: GPL-2.0 */
/*
 * annotation_internal.h - the bytes of functions that a process made while it ran, from its jitdump.
 *
 *	annotation_jit_open() -> annotation_jit_find() -> annotation_jit_read(), for each function -> annotation_jit_close()
 *
 * A function is the one that was made at its address under its name. How many are read: jit_limits.h.
 */
#ifndef ANNOTATE_ANNOTATION_INTERNAL_H
#define ANNOTATE_ANNOTATION_INTERNAL_H

#include "util/base/err.h"
#include "util/disassemble/disassembler.h"
#include "util/process/jit.h"

struct annotation_jit_file {
	struct jitdump dump;
	const char *path; /* as the process had it */
	int fd;
};

struct annotation_jit_code {
	u64 size;
	u64 at; /* in the file */
};

/* The jitdump of the process of a DSO_PERF_MAP. `symfs` is before its path; NULL: nothing. */
int annotation_jit_open(struct annotation_jit_file *f, const struct process_model *m, u32 dso,
			const char *symfs, struct err *err);
void annotation_jit_close(struct annotation_jit_file *f);

/* The machine, as a disassembler has it. */
struct disassembler_code annotation_jit_machine(const struct annotation_jit_file *f, bool intel);

/* -ENODATA: the file does not have it; -ESTALE: it has several, of different bytes. `name` may be demangled. */
int annotation_jit_find(struct annotation_jit_file *f, u64 start, const char *name,
			struct annotation_jit_code *out, struct err *err);

/* The first `len` bytes of it. */
int annotation_jit_read(const struct annotation_jit_file *f, const struct annotation_jit_code *code,
			u8 *bytes, size_t len, struct err *err);

/* What is at an address in the end, as "name" and how far into it; NULL: nothing. */
const char *annotation_jit_name(struct annotation_jit_file *f, u64 addr, u64 *offset);

#endif
