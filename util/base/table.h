/* SPDX-License-Identifier: GPL-2.0 */
/*
 * table.h - rows of text in columns that are as wide as their widest cell.
 *
 *	table_column(&t, &(struct table_column){.right = true, .min = 8});
 *	table_row(&t);
 *	buf_dec(table_cell(&t), 412, 0);
 *	buf_adds(table_cell(&t), "python3");
 *	table_put(&t, 0, out);
 *	table_free(&t);
 *
 * A zero-initialised struct table is empty and ready. The title is a row like any other. Widths are counted in
 * columns of a terminal (text_width()); cells hold no newlines and no control bytes. Lines end without blanks, and a
 * column without any text takes no room. A cell wider than its column's most moves the rest of its own line, not of
 * all: names are as long as those who write programs make them. On a terminal (`fit`), such names are shortened in the middle.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "util/base/buf.h"
#include "util/base/vec.h"

#define TABLE_WIDEST 60

struct table_column {
	bool right;
	u32 gap;   /* blanks before it */
	u32 min;   /* width */
	u32 max;   /* width that cells make; 0: TABLE_WIDEST */
	u32 width; /* found by table_put() */
};

struct table_line;

struct table {
	VEC(struct table_column) columns;
	VEC(struct table_line) lines;
	VEC(size_t) starts; /* bytes of `text` where cells begin, and lines between rows */
	u32 fit; /* where to shorten names, so that lines have so many columns; 0: nowhere */
	struct buf text; /* `failed`: memory ran out, which table_put() passes on */
};

void table_column(struct table *t, const struct table_column *c);
/* Begin a row. */
void table_row(struct table *t);
/* Where to append the next cell of the row: until the next call. */
struct buf *table_cell(struct table *t);
/* Likewise of a last cell that no column makes room for. */
struct buf *table_tail(struct table *t);
/* Where to append lines, each with its newline, that come between the rows as they are. */
struct buf *table_text(struct table *t);
/* Print codes before and after the first cells of this row. They stay the caller's. */
void table_style(struct table *t, const char *on, const char *off, u32 cells);

/* Lines on a screen, of what came after the table had so many `lines.nr`. */
u32 table_height(const struct table *t, u32 lines);
/* Take that back. */
void table_shorten(struct table *t, u32 lines);

/* Append all lines, each cut after `width` columns; 0: none is cut. */
void table_put(struct table *t, u32 width, struct buf *out);
void table_free(struct table *t);

#endif
