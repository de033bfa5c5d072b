/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kallsyms.h - the functions of the running kernel, by address.
 *
 * The text of /proc/kallsyms, or of a copy of it, becomes a symtab of virtual addresses: functions
 * of the kernel, of modules ("[nf_tables]"), of BPF programs ("[bpf]") and of trampolines
 * ("[__builtin__ftrace]"), distinguished by symtab_module(). Lines may come in any order; lines that
 * are none are passed over.
 *
 * View SYMTAB_NESTED: names of system calls by their entry point (__x64_sys_read), names of
 * functions before those of section bounds; section bounds and the padding before functions
 * (__pfx_) have SYM_MARKER and are good only to end what is before them.
 * View SYMTAB_PERF: what perf 6.1 shows, where those are names like all others.
 *
 * Source: kernel/kallsyms.c.
 */
#ifndef KERNEL_KALLSYMS_H
#define KERNEL_KALLSYMS_H

#include "util/base/arena.h"
#include "util/base/buf.h"
#include "util/base/cur.h"
#include "util/base/err.h"
#include "util/base/symtab.h"

/*
 * Fill and finish the empty `st`, which keeps the memory of `text`; that is empty afterwards. -EPERM if the kernel hides its
 * addresses.
 */
int kallsyms_take(struct symtab *st, struct buf *text, enum symtab_view view, struct err *err);
/* Sets the hint of such an error: what would show this kernel's addresses. */
void kallsyms_hidden(struct err *err);
/* Likewise from a file; the path is relative to dirfd, which replaces "/". */
int kallsyms_load(struct symtab *st, int dirfd, const char *path, enum symtab_view view,
		  struct err *err);

/*
 * Does the beginning of a file look like such a text? -ENOEXEC if not. One that can be read only once, such as a pipe, is
 * not looked at.
 */
int kallsyms_check(int dirfd, const char *path, struct err *err);

/* Is it the name of a section bound or of padding, which no function has? */
bool kallsyms_is_marker(const char *name, size_t len);

/* What the entry points of system calls begin with, one for each machine that has some: "__x64_sys_"; NULL: no more. */
const char *kallsyms_syscall_prefix(u32 i);

/* The address of a symbol in code ("_text", "_etext") by its exact name, 0 if it is not there. */
u64 kallsyms_address(const char *text, size_t len, const char *name);

/* A function, as a line of the text has it; not NUL-terminated. */
struct kallsyms_function {
	u64 addr;
	const char *name, *module;   /* "[nf_tables]" */
	size_t name_len, module_len; /* module_len 0: of the kernel itself */
};
/* Read lines up to the next function; false: there is none. */
bool kallsyms_next(struct cur *text, struct kallsyms_function *f);

/*
 * From where to where a function is, by its name: to the next symbol, as the kernel has it. 1; 0: there
 * is none, and *meant is the like name of one, in `arena`, or NULL; -EPERM: addresses are hidden.
 */
int kallsyms_function(const char *text, size_t len, const char *name, u64 *start, u64 *end,
		      struct arena *arena, const char **meant);

#endif
