/* SPDX-License-Identifier: GPL-2.0 */
/*
 * diff_view.h - what all forms of a comparison show: which rows, in which order, their names.
 */
#ifndef FORMAT_DIFF_VIEW_H
#define FORMAT_DIFF_VIEW_H

#include "util/format/diff_tree.h"

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
/* Its nodes, outermost first, in path, which may be used again; false when memory is out. */
bool diff_view_path(const struct diff_section *s, u32 row, struct diff_list *path);
/* "outermost;...;innermost" */
bool diff_view_stack(const struct diff_section *s, u32 row, struct diff_list *path,
		     struct buf *out);
/* How many times as much; NaN: nothing in OLD. */
double diff_view_ratio(const struct stack_diff_row *r);
/* "share", "second", "none" */
const char *diff_view_scale_name(enum stack_diff_scale scale);

#endif
