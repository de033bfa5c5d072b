/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_places.h - frames grouped by the keys that a report shows: file, function, line.
 *
 * Functions (struct report_symbol) are the same if their file has the same name, and they begin at
 * the same address under the same name; addresses without a function, likewise. Numbers
 * are dense, in order of first sight. A place is the set of values of a row's frame keys.
 */
#ifndef REPORT_REPORT_PLACES_H
#define REPORT_REPORT_PLACES_H

#include "util/profile/stack_tree.h"
#include "util/report/report_keys.h"

struct report_symbol {
	const char *name; /* NULL: not known */
	u32 dso;          /* its name in report_places.dsos; ID_NONE: nothing was mapped there */
	u64 start;        /* of the function in the file; without one, the address itself */
	char level;   /* 'k' kernel, '.' user, 'H' hypervisor, 'g' guest, '!' there is no address */
	bool inlined; /* into another */
};

struct report_places {
	const struct report_keys *keys;
	const struct stack_tree *stacks;
	/* as in perf: a caller without a function is identified by its address in memory, not in the file */
	bool callers_by_ip;
	struct strtab dsos;  /* names, short as rows show them, escaped */
	struct strtab lines; /* of the source, as rows show them, escaped */
	struct strtab names; /* of functions, as the recording has them */
	VEC(struct report_symbol) symbols;
	struct hmap by_symbol; /* hash of a symbol -> the newest one that has it */
	VEC(u32) next_symbol;  /* an older one of that hash, ID_NONE: none */
	VEC(u64) values;       /* of the keys, keys->nr_frame for each place */
	struct hmap by_value;
	VEC(u32) next_place;
	u32 nr;
	VEC(u32) of_frame, symbol_of_frame;     /* + 1, 0: not asked for yet */
	VEC(u32) of_inlined, symbol_of_inlined; /* likewise, by place of the symboliser */
	VEC(u32) short_dsos;                    /* by DSO of the process model, + 1 */
};

/* The caller keeps ownership of everything passed in. */
void report_places_init(struct report_places *p, const struct report_keys *keys,
			const struct stack_tree *stacks);

/* KEY_FUNCTION of what has no name: this and the number of its file. */
#define REPORT_PLACES_NAMELESS (1ull << 32)
/* The value of one key of a frame, which need not be one of p->keys; STACK_CUT: of no frame. False if out of memory. */
bool report_places_value(struct report_places *p, enum sample_key_kind kind, u32 frame, u64 *value);
/* Order: what is not there comes last. Functions of one name are equal; nor are their addresses looked at. */
int report_places_compare(const struct report_places *p, enum sample_key_kind kind, u64 a, u64 b);
/* Append a value as text, escaped. */
void report_places_put(const struct report_places *p, enum sample_key_kind kind, u64 value,
		       struct buf *out);

/* The place of a frame, with the same arguments and errors. */
u32 report_places_get(struct report_places *p, u32 frame);
u32 report_places_get_inlined(struct report_places *p, u32 frame, u32 i);

/* The place of a frame that is a caller on a stack. */
u32 report_places_get_caller(struct report_places *p, u32 frame);

/* The number of inlined functions to show at a node. False if out of memory. */
bool report_places_inlined(struct report_places *p, u32 node, u32 *nr);

/* The last part of a file's path, escaped; "[JIT] tid PID" for code generated at run time. */
void report_places_short_name(const struct dso *dso, struct buf *out);

/*
 * The source position of a frame: "file.c:12"; without line information "function+12", "file[1f]", "??:0".
 * f, place NULL: not known; dso: the name of its file as above, NULL: nothing was mapped there.
 */
void report_places_line(const struct frame *f, const struct place *place, const char *dso,
			struct buf *out);

/* Frames get other numbers (symboliser_forget()); those of places and values stay. */
void report_places_forget_frames(struct report_places *p);
void report_places_free(struct report_places *p);

#endif
