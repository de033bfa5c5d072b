/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bind.h - ties what a recording says of its DSOs (build-ids, symbols and lines of the functions
 * seen) to the DSOs of the process model.
 *
 * Both grow while a recording is read, and either may be first. bind_update() is cheap when
 * nothing is new. bind_find() looks a symbol up among those that the recording holds. Each side has lists of
 * what belongs to it on the other: a file decides how many files and symbols there are, and not all pairs are tried.
 */
#ifndef PROFILE_BIND_H
#define PROFILE_BIND_H

#include "util/debuginfo/debuginfo.h"
#include "util/file/recording.h"
#include "util/process/process.h"

struct bound_sym {
	u64 start, end;
	const char *name; /* as the symbol table had it; the recording's */
};

/* What the recording holds of one DSO of the model. */
struct bound_dso {
	u32 text; /* index in recording.dsos, ID_NONE: nothing */
	u32 next; /* DSO of the same entry, ID_NONE: none */
	bool sorted;
	VEC(struct bound_sym) syms;
	struct hmap frames; /* address -> index in recording.frames */
};

/* A list of indices in rising order, ID_NONE: of none. */
struct bound_list {
	u32 first, last;
};

/* An entry of the recording. */
struct bound_text {
	u32 dso;                     /* of the model, ID_NONE: none yet */
	struct bound_list namesakes; /* of the first of its name: those behind it; in text_next */
	struct bound_list syms, frames;
};

struct bind {
	const struct recording *recording;
	struct process_model *model;
	VEC(struct bound_dso) dsos;   /* by DSO of the model */
	VEC(struct bound_text) texts; /* by DSO of the recording, taken in so far */
	struct hmap text_of;          /* hash of a name -> the first entry that has it */
	/* what is next in its list, by DSO, symbol and frames of the recording */
	VEC(u32) text_next;
	VEC(u32) sym_next;
	VEC(u32) frame_next;
};

void bind_init(struct bind *b, const struct recording *recording, struct process_model *model);
/* Take in what is new on either side. False when memory is out. */
bool bind_all(struct bind *b);
static inline bool bind_update(struct bind *b)
{
	return (b->dsos.nr == b->model->dsos.nr && b->texts.nr == b->recording->dsos.nr &&
		b->sym_next.nr == b->recording->syms.nr &&
		b->frame_next.nr == b->recording->frames.nr) ||
	       bind_all(b);
}

/* The symbol of the recording at `addr` of a DSO of the model, or NULL. */
const struct bound_sym *bind_find(struct bind *b, u32 dso, u64 addr);
/*
 * The functions and lines that the recording holds of exactly that address, innermost first, as
 * debuginfo_find() gives them.
 */
u32 bind_find_frames(const struct bind *b, u32 dso, u64 addr, struct debug_frame *out, u32 max);
void bind_free(struct bind *b);

#endif
