/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recording.h - what a recording says beside its records: events, tracepoint formats, facts about
 * the machine, the files mapped and the symbols of the functions seen; and what of it could not be read.
 *
 * Filled by a source while it is read; it may grow with every block. All strings live in `arena`.
 */
#ifndef FILE_RECORDING_H
#define FILE_RECORDING_H

#include "util/file/dso_head.h"
#include "util/file/loss.h"
#include "util/record/event_set.h"

struct tp_text {
	u32 id; /* attr.config of its events */
	const char *system, *name;
	const char *format;
	size_t format_len;
};

struct dso_text {
	enum dso_class class;
	const char *name;
	u32 maj, min; /* device and inode that the mapping named; 0: not known */
	u64 ino, ino_generation;
	u8 build_id[20];
	u8 build_id_len;
	const u8 *image; /* the vdso: its ELF image; else NULL */
	size_t image_len;
};

struct sym_text {
	u32 dso; /* index in dsos */
	u64 start, end;
	const char *name; /* as the symbol table has it, not demangled */
};

/* The source lines of an address: of inlined functions, innermost first, then of the function. */
struct frames_text {
	u32 dso, nr;
	u64 addr; /* as those of symbols */
	const struct frame_text {
		const char *function, *file; /* as the debug information has them, NULL: unknown */
		u32 line;                    /* 0: unknown */
	} * v;
};

struct fact {
	const char *key, *value; /* value is NUL-terminated, and may hold NULs before that */
	size_t value_len;
};

/* A section of a perf.data header, as it is there, in this machine's byte order. */
struct section_text {
	u32 id; /* enum perfdata_feature */
	const u8 *data;
	size_t len;
};

/* What was in the file and could not be read. */
struct recording_damage {
	u64 blocks;  /* bad blocks passed over */
	u64 samples; /* samples known to have been in them */
	u64 bytes;
	u64 first_at;   /* file offset of the first of them */
	u64 missing;    /* blocks that are not where their numbers say */
	u64 missing_at; /* file offset behind the first of them */
	u64 cut_at; /* file offset where the file ends in the middle of a block, 0: it does not */
	u64 after_end; /* file offset of what follows the end of the recording, 0: nothing does */
	bool no_end;   /* the recorder never finished the file */
	u64 repeated;  /* blocks dropped because they were read before: no damage */
	u64 unknown;   /* records whose event id is not in the file */
	/* of perf.data */
	u64 sections;     /* of the header, and records in place of them, that cannot be read */
	u64 section_at;   /* file offset of the first of them, or of what leads to it */
	bool cut;         /* it ends in the middle of a record, at cut_at, which may be 0 */
	bool no_tables;   /* what follows the records is missing: names, formats, facts */
	const char *part; /* in a directory: the file that the offsets are of, NULL: not one */
};

/* Samples with deferred call chains, by what became of these (record/deferred.h). */
struct recording_deferred {
	u64 joined;
	u64 missing;  /* the user half never came */
	u64 late;     /* it did not come within the bounds */
	u64 replaced; /* the thread began another program first */
};

#define RECORDING_USER_TYPES 32

/* What only perf's files have. */
struct recording_perf {
	bool stream;                       /* perf wrote it to a pipe, wherever it was read from */
	VEC(struct section_text) sections; /* for those who write such a file */
	u64 kernel_start;                  /* by its first record, 0: unknown */
	u64 modified; /* when the file was changed last, ns since 1970; 0: it is no file */
	u64 traces, trace_bytes;              /* of processors (AUX), which are passed over */
	u64 user_types[RECORDING_USER_TYPES]; /* records that perf made, by type from 64 on */
};

struct recording_index {
	struct strtab dsos;      /* identity of a DSO -> its index in dsos */
	struct hmap tracepoints; /* attr.config -> index in tracepoints, of the first with it */
};

struct recording {
	struct event_set events;
	struct arena arena;
	VEC(struct tp_text) tracepoints;
	VEC(struct dso_text) dsos;
	VEC(struct sym_text) syms;
	VEC(struct frames_text) frames;
	VEC(struct fact) facts;
	VEC(struct loss) losses;   /* what was lost, by cause, CPU and time */
	VEC(struct counts) counts; /* the account at the end, one for each event */
	struct recording_index index;
	u64 packed, unpacked; /* bytes of the blocks read into it: in the file, decompressed */
	bool foreign;         /* of a machine of the other byte order: bytes of stacks still are */
	bool perfdata;        /* perf wrote it */
	bool live;            /* no file: the running system */
	const char *path;
	u64 at; /* byte of the file where the last record was, or the block that it came in */
	struct recording_perf perf;
	struct recording_damage damage;
	struct recording_deferred deferred;
};

/*
 * Does it take more memory than the blocks it was read from may cost? What reads such blocks asks
 * after each item, since one of a few bytes may become a large struct.
 */
bool recording_full(const struct recording *r);
int recording_add_fact(struct recording *r, const char *key, const void *value, size_t len);
/* The newest value of a key, or NULL. */
const char *recording_fact(const struct recording *r, const char *key);
/* "1": of a PID namespace, whose numbers of tasks records have; fields of tracepoints have the kernel's. */
#define RECORDING_PID_NAMESPACE "pid_namespace"
/* The command line: the argument behind `before`, NULL: the first one. NULL: there is no more. */
const char *recording_argument(const struct recording *r, const char *before);
int recording_add_tracepoint(struct recording *r, u32 id, const char *system, size_t system_len,
			     const char *name, size_t name_len, const char *format, size_t len);
/*
 * The DSO's index; known ones gain the build-id and image (NULL, 0: unknown) if they had none.
 * -ENOMEM.
 */
int recording_add_dso(struct recording *r, const struct dso_head *h, const void *image,
		      size_t image_len);
int recording_add_section(struct recording *r, u32 id, const void *data, size_t len);
const struct tp_text *recording_tracepoint(const struct recording *r, u64 id);
/* Of an event; NULL: it is no tracepoint, or its format is not there. */
const struct tp_text *recording_event_text(const struct recording *r, u32 event);
/* The caller's to free; NULL likewise, or why->code says why. */
struct tp_format *recording_event_format(const struct recording *r, u32 event, struct err *why);
/*
 * Samples that were lost. The recording's PERF_RECORD_LOST records (`records_lost` is their sum), its
 * LOSS blocks and its COUNTS all report the same ones, each as far as it knows. A ring's lost records
 * are of any kind, including side-band and deferred call chains: COUNTS alone are believed where they
 * have all events.
 */
u64 recording_lost(const struct recording *r, u64 records_lost);
/* Records of deferred call chains that were lost, as COUNTS has them. */
u64 recording_lost_chains(const struct recording *r);
/* Those that were read but not written. */
u64 recording_unwritten(const struct recording *r);
void recording_free(struct recording *r);

#endif
