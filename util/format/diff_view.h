/* SPDX-License-Identifier: GPL-2.0 */
/*
 * diff_view.h - what all forms of a comparison show: which rows, in which order, their names.
 */
#ifndef FORMAT_DIFF_VIEW_H
#define FORMAT_DIFF_VIEW_H

#include "util/format/stack_frames.h"
#include "util/report/stack_diff.h"

/*
 * diff_view_tree.c: the stacks of two recordings in one tree of frames, and its stacks and functions
 * side by side.
 *
 *	diff_tree_add_stacks(), diff_tree_add_folded() ... -> diff_tree_stacks(), diff_tree_functions()
 *
 * A zero-initialised tree is empty and ready. Frames are the same where their names are, and their
 * files: whether a function was inlined makes no difference to a function, only to a stack.
 */

/* What functions are distinguished by. */
#define DIFF_BY_COMM 1u
#define DIFF_BY_FILE 2u
#define DIFF_BY_NAME 4u

struct diff_node {
	struct stack_count count[STACK_DIFF_SIDES]; /* of stacks that end there */
};

struct diff_tree {
	struct frame_tree frames; /* with the weights */
	VEC(struct diff_node) nodes;
	struct stack_count all[STACK_DIFF_SIDES];
};

/* Ids in the tree's names; ID_NONE: unknown, or not distinguished. */
struct diff_function {
	u32 comm, file, name;
};

/* Row i is of functions.v[i]; a stack counts once for each function in it (total), or for its last. */
struct diff_functions {
	VEC(struct diff_function) functions;
	struct stack_diff self, total;
};

/* Row i is the stack that ends at nodes.v[i], in the order of their names. */
struct diff_stacks {
	VEC(u32) nodes;
	struct stack_diff diff;
};

/*
 * Add the stacks of a recording; roots of the weights, if any, are indices in `comms`, names of
 * commands.
 */
int diff_tree_add_stacks(struct diff_tree *t, enum stack_diff_side side,
			 const struct stack_tree *stacks, const struct stack_weights *w,
			 const struct strtab *comms, enum stack_frames_form form, struct err *err);
/*
 * Add stacks of folded text. Nobody says there what one sample counts: the greatest common
 * divisor of all counts is taken for it, which is returned in *unit.
 */
int diff_tree_add_folded(struct diff_tree *t, enum stack_diff_side side,
			 const struct frame_tree *folded, u64 *unit, struct err *err);
/* After all is added. */
int diff_tree_finish(struct diff_tree *t, struct err *err);

/* Fill in the counts; all but these is up to the caller, as is judging. */
int diff_tree_stacks(const struct diff_tree *t, struct diff_stacks *d, struct err *err);
/* `by`: some of the bits above. Stacks of recordings begin with their command, folded ones may. */
int diff_tree_functions(const struct diff_tree *t, unsigned int by, struct diff_functions *f,
			struct err *err);
void diff_tree_free(struct diff_tree *t);
void diff_functions_free(struct diff_functions *f);
void diff_stacks_free(struct diff_stacks *d);

/* diff_view.c: what all forms show. */

/* An event that was recorded in one or both, or the stacks of folded text. */
struct diff_section {
	const char *event; /* NULL: unknown */
	struct diff_tree tree;
	struct diff_functions functions;
	struct diff_stacks stacks;
};

enum diff_sort { DIFF_SORT_CHANGE, DIFF_SORT_OLD, DIFF_SORT_NEW, DIFF_SORT_NAME };

struct diff_recording {
	const char *path; /* as messages name it */
	bool folded;    /* the numbers of samples are what diff_tree_add_folded() takes for them */
	double seconds; /* from the first sample to the last, 0: not known */
};

struct diff_view {
	unsigned int by; /* DIFF_BY_* */
	enum stack_diff_scale scale;
	bool children;        /* functions with all that they call */
	bool all;             /* also what is within noise */
	bool stacks;          /* also stacks */
	u64 limit;            /* rows, 0: all */
	double percent_limit; /* rows with a share below that in both recordings are left out */
	enum diff_sort sort;
	struct diff_recording recordings[STACK_DIFF_SIDES];
	const struct diff_section *sections;
	u32 nr;
};

/* Which rows, before the limits of the view. */
enum diff_rows {
	DIFF_ROWS_CHANGED, /* beyond noise */
	DIFF_ROWS_COUNTED, /* with samples: a function may have some in what it calls alone */
	DIFF_ROWS_EVERY,
};

/* Numbers of the rows to show, in order. */
struct diff_list {
	u32 *v, nr, cap;
};

/* The counts of functions that are shown. */
static inline const struct stack_diff *diff_view_diff(const struct diff_view *v,
						      const struct diff_section *s)
{
	return v->children ? &s->functions.total : &s->functions.self;
}

/* Does it have samples in both recordings? */
static inline bool diff_view_comparable(const struct diff_section *s)
{
	return s->tree.all[STACK_DIFF_OLD].weight && s->tree.all[STACK_DIFF_NEW].weight;
}

/* The lists are the caller's to free (vec_free()). */
int diff_view_functions(const struct diff_view *v, const struct diff_section *s,
			enum diff_rows rows, struct diff_list *list, struct err *err);
int diff_view_stacks(const struct diff_view *v, const struct diff_section *s, enum diff_rows rows,
		     struct diff_list *list, struct err *err);

/* The names of a function, "[unknown]" if unknown, NULL if functions are not distinguished by them. */
const char *diff_view_comm(const struct diff_view *v, const struct diff_section *s, u32 row);
const char *diff_view_file(const struct diff_view *v, const struct diff_section *s, u32 row);
const char *diff_view_name(const struct diff_view *v, const struct diff_section *s, u32 row);
/*
 * A file that one recording has and one that the other has, with functions of the same names, as of another version of a program: how
 * many; the rows of one such function, in OLD and in NEW. 0: there are none. -ENOMEM.
 */
int diff_view_renamed(const struct diff_view *v, const struct diff_section *s, u32 rows[2],
		      struct err *err);
/* Its nodes, outermost first, in path, which may be used again; false when memory is out. */
bool diff_view_path(const struct diff_section *s, u32 row, struct diff_list *path);
/* "outermost;...;innermost" */
bool diff_view_stack(const struct diff_section *s, u32 row, struct diff_list *path,
		     struct buf *out);
/* How many times as much; NaN: nothing in OLD. */
double diff_view_ratio(const struct stack_diff_row *r);
/* "share", "second", "none" */
const char *diff_view_scale_name(enum stack_diff_scale scale);

/*
 * diff_view_text.c: a comparison as tables for people: first what changed, in a sentence, then the
 * rows.
 */

/* What switches a terminal to a colour and back; "" where colour is not wanted. */
struct diff_colours {
	const char *more, *less, *dim, *bold, *off;
};

int diff_text(struct buf *b, const struct diff_view *v, const struct diff_colours *c,
	      struct err *err);
/* Append a line that says in which recording an event has no samples. */
void diff_text_missing(struct buf *b, const struct diff_section *s);

/*
 * diff_view_export.c: a comparison for programs: CSV, JSON, and folded stacks with two counts.
 *
 * All rows that the view does not limit are there, those within noise too.
 */

/*
 * A line with the names of the columns, and one for each function, or, if the view has stacks, for
 * each stack (RFC 4180, but for its line ends).
 */
int diff_export_csv(struct buf *b, const struct diff_view *v, struct err *err);
/* One object. */
int diff_export_json(struct buf *b, const struct diff_view *v, struct err *err);
/*
 * "outermost;...;innermost OLD NEW", weights as they are, one line for each stack, in order: what
 * difffolded.pl writes. Of the only section there is.
 */
int diff_export_folded(struct buf *b, const struct diff_view *v, struct err *err);

#endif
