/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbols.h - which function is at an address of a DSO.
 *
 * Symbols come from where the DSO is now: its image and the debug file of that (dso_file.h), the
 * running kernel (kernel/ksyms.h) or a file of its symbols, what a JIT has written (process/jit.h).
 * (Those that a recording holds are looked up before: profile/bind.h.) A table is loaded when an address in it
 * is first asked for. A file that is not the recorded one (its build-id differs) is not used:
 * wrong names are worse than none. A note says once why a DSO has no symbols.
 *
 * Addresses are file offsets (map_offset()) for files and the [vdso], and as recorded for the
 * kernel, its modules, BPF programs and perf-PID.map. A kernel that has booted since then may lie
 * elsewhere (KASLR): the symbol that its mapping names says by how much. Its modules then are not
 * those of the recording. One owner, no locks: symbols_find() loads
 * and caches. What it returns lives as long as the struct symbols.
 */
#ifndef SYMBOL_SYMBOLS_H
#define SYMBOL_SYMBOLS_H

#include "util/base/err.h"
#include "util/base/symtab.h"
#include "util/process/process.h"
#include "util/symbol/dso_file.h"

struct symbols_options {
	const char *symfs;    /* a folder before every file name; NULL: none */
	const char *cache;    /* a folder in which perf keeps copies of binaries; NULL: none */
	const char *kallsyms; /* NULL: the kernel that runs here is not the recorded one */
	const char *vmlinux;  /* image of the recorded kernel, above kallsyms; NULL: none */
	bool debuginfod;      /* fetch what is not here from the servers of DEBUGINFOD_URLS */
	bool demangle;
	bool running; /* the tasks run now */
	bool compat;  /* names as perf 6.1 has them, right or wrong */
};

struct symbols;

/* The strings of `opt` must live as long. NULL: memory is out, or debuginfod cannot be had. */
struct symbols *symbols_new(const struct symbols_options *opt, struct err *err);
void symbols_free(struct symbols *s);

/*
 * Can these files (NULL: none was named) be read, and are they of the kind that holds symbols of a kernel? They may be of
 * another kernel than the recorded one.
 */
int symbols_check_kernel(const char *kallsyms, const char *vmlinux, struct err *err);

struct symbol {
	const char *name; /* for people; it may hold any byte but NUL */
	u64 start;
	u64 end; /* 0: not known */
};

/* The symbol at an address; false: none is known there. */
bool symbols_find(struct symbols *s, const struct process_model *m, u32 dso, u64 addr,
		  struct symbol *out);

/*
 * Why a DSO has no symbols, those alone that it exports (-ENODATA), or not all (-EIO): a negative errno. 0: it has
 * them, or nobody has asked for one yet.
 */
int symbols_why(const struct symbols *s, const struct process_model *m, u32 dso);

/*
 * Open the image of the kernel that was named (vmlinux). *shift: from an address in the recording to one in the image.
 * -ENOENT: none was named; -ESTALE: it is not the recorded one. image_close() it after success.
 */
int symbols_open_kernel(struct symbols *s, const struct process_model *m, struct image *img,
			u64 *shift, struct err *err);

/* Where images are looked for; lives as long as `s`. */
const struct dso_file_options *symbols_image_options(const struct symbols *s);

/* Note number i, or NULL past the last one. */
const char *symbols_note(const struct symbols *s, u32 i);
/* A note that this has not returned yet, NULL: there is none. */
const char *symbols_next_note(struct symbols *s);
/* Another note, of what was looked for in the same files: once. */
void symbols_add_note(struct symbols *s, const struct err *err);
/* Memory ran out for what these names are to be shown in: a note says so. */
void symbols_lack_memory(struct symbols *s);

#endif
