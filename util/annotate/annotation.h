/* SPDX-License-Identifier: GPL-2.0 */
/*
 * annotation.h - a function of a recording: its instructions, with the samples and the line of source of each.
 *
 *	annotator_init() -> annotation_make() -> annotation_free(), for each function -> annotator_free()
 *
 * The bytes are those of the file that was recorded, as symbols are: one of another build-id is not used. Of the kernel
 * they are in the image that the user names or in its memory, of what a JIT compiler made in its jitdump. A sample counts
 * for the instruction that its address is in. Functions of more than ANNOTATION_BYTES_MAX bytes are cut, which
 * annotation.cut says; so are those that the file ends in.
 */
#ifndef ANNOTATE_ANNOTATION_H
#define ANNOTATE_ANNOTATION_H

#include "util/annotate/source_text.h"
#include "util/base/err.h"
#include "util/debuginfo/debuginfo.h"
#include "util/disassemble/disassembler.h"
#include "util/profile/symboliser.h"

#define ANNOTATION_BYTES_MAX (1u << 20)

/* Samples at an address, `offset` bytes into the function. */
struct annotation_hit {
	u64 offset, samples, weight;
};

struct annotation_function {
	u32 dso;
	u64 start, size; /* as addresses of frames (profile/frame.h); size 0: not known */
	const char *name;
	const struct annotation_hit *hits; /* sorted by offset */
	u32 nr_hits;
};

/* A line of source that instructions were made of. */
struct annotation_line {
	const char *file; /* as DWARF has it */
	u32 line;
	const char
		*inlined; /* it is in this function, inlined here; NULL: in the function itself */
	const char *at_file; /* the line of the function itself that it came from; NULL: unknown */
	u32 at_line;
	u64 samples, weight;
};

struct annotation_insn {
	u64 addr; /* virtual, in the image */
	u64 samples, weight;
	u64 to;     /* of a jump or a call that says where it goes: that address; else 0 */
	u32 size;   /* bytes */
	u32 line;   /* in lines; ID_NONE: unknown */
	u32 target; /* the instruction of this function that it jumps to; ID_NONE: none */
	u32 text;   /* where its text begins, in text */
	enum insn_kind kind;
};

struct annotation {
	VEC(struct annotation_insn) insns;
	VEC(struct annotation_line) lines; /* in order of first sight */
	struct buf text;                   /* of instructions, each with its NUL; escaped */
	const char *file;                  /* of the function's first line; NULL: unknown */
	const char *code_file;             /* that the bytes are from; NULL: that of the DSO */
	u64 samples, weight;               /* of all hits, */
	u64 outside;                       /* samples among them that are in no instruction */
	u64 cut;                           /* bytes of the function that are not shown */
	bool has_lines;                    /* the file has, if not the function */
	struct strtab keys;                /* of lines */
};

struct annotator_options {
	bool intel;
	bool no_lines;       /* lines of source are not looked for */
	const char *vmlinux; /* the image of the kernel; NULL: none was named */
	const char *kcore;   /* a copy of its /proc/kcore; NULL: none was named */
	bool running;        /* it is the one that runs here: its own /proc/kcore will do */
};

struct annotator_file;

struct annotator {
	struct symboliser *symboliser;
	struct annotator_options options;
	struct strtab names;                /* of files and functions in lines */
	VEC(struct annotator_file *) files; /* by DSO, NULL: not asked for yet */
};

/* The symboliser stays the caller's. */
void annotator_init(struct annotator *a, struct symboliser *r, const struct annotator_options *o);
void annotator_free(struct annotator *a);

/*
 * -ENOENT and others: there are no bytes of it; -ESTALE: the file is not the recorded one; -ENOSYS, -ENOTSUP: as
 * disassembler_open(). Strings of *out live as long as the annotator.
 */
int annotation_make(struct annotation *out, struct annotator *a,
		    const struct annotation_function *f, struct err *err);
void annotation_free(struct annotation *a);

/*
 * The function at an address of a DSO that no symbol covers, by its unwind information (.eh_frame): where it begins, how many
 * bytes it has, and a name, "0x4b20", its address in the file. False: that is not known.
 */
bool annotator_nameless(struct annotator *a, u32 dso, u64 addr, struct annotation_function *out);

/* ns since 1970 when the file of a DSO was changed last; 0: not known. */
s64 annotator_file_modified(struct annotator *a, u32 dso);

static inline const char *annotation_text(const struct annotation *a,
					  const struct annotation_insn *i)
{
	return a->text.data ? a->text.data + i->text : "";
}

#endif
