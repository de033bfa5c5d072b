/* SPDX-License-Identifier: GPL-2.0 */
/*
 * parquet.h - a table as an Apache Parquet file, written in one pass.
 *
 *	parquet_new() -> parquet_number(), parquet_text(), parquet_list() ... parquet_row() -> ... -> parquet_end() -> parquet_free()
 *
 * A column has numbers or texts, of which an optional one may lack some, or lists of these. A row is what was put since the
 * row before; what was not put is missing there, or is an empty list.
 *
 * Rows are kept as columns until a group of them is full, then appended to the caller's buffer, compressed: memory is
 * bounded by one group, PARQUET_ROWS rows or PARQUET_BYTES bytes as they are kept, whichever comes first, and three times
 * that while it is written. Each column of a group has its least and its greatest value, so that readers pass over groups.
 *
 * Values that repeat are numbers of a dictionary, of whole bytes if there are more than four: zstd, which follows, finds
 * repeated stacks best where they are the same bytes. Other numbers are differences to the one before, of whole bytes for the same reason.
 *
 * Sources: github.com/apache/parquet-format (README, Encodings, LogicalTypes, parquet.thrift); Thrift's compact protocol,
 * github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */
#ifndef EXPORT_PARQUET_H
#define EXPORT_PARQUET_H

#include "util/base/buf.h"
#include "util/base/err.h"

#define PARQUET_ROWS  (1u << 18)
#define PARQUET_BYTES (32u << 20)

enum parquet_type {
	PARQUET_SIGNED32,
	PARQUET_UNSIGNED32,
	PARQUET_SIGNED64,
	PARQUET_UNSIGNED64,
	PARQUET_DECIMAL, /* whole numbers, from the least signed to the greatest unsigned of 64 bits */
	PARQUET_TIME,    /* ns since 1970, of no zone */
	PARQUET_TEXT,    /* UTF-8 */
};

struct parquet_column {
	const char *name; /* UTF-8; the caller's, until the end */
	enum parquet_type type;
	bool optional; /* some rows lack it; of a list: some items */
	bool list;
	bool distinct; /* numbers that hardly repeat */
};

struct parquet;

/* The columns are the caller's, until the end. NULL: memory is out. */
struct parquet *parquet_new(const struct parquet_column *columns, u32 nr, struct err *err);
/* A number, extended to 64 bits as its type says. */
void parquet_number(struct parquet *p, u32 column, u64 number);
/* A decimal: the number, or as a signed one if it is negative. */
void parquet_decimal(struct parquet *p, u32 column, u64 number, bool negative);
/*
 * A text. Where the caller has small numbers for texts, `key` saves looking at it again: it means the same text until the
 * end; ID_NONE: there is none.
 */
void parquet_text(struct parquet *p, u32 column, u32 key, const char *s, size_t len);
/* The text of that key, if it was put before in this group: true; else it has to be put. */
bool parquet_known(struct parquet *p, u32 column, u32 key);
/* What is put in this column from now on, up to the end of the row, are the items of its list. */
void parquet_list(struct parquet *p, u32 column);
/* An item that is missing. */
void parquet_missing(struct parquet *p, u32 column);
/* End a row. A group that is full is appended. -ENOMEM, also of what was put. */
int parquet_row(struct parquet *p, struct buf *out, struct err *err);
/* Append the rest and what a file ends with; of a table without rows as well. */
int parquet_end(struct parquet *p, struct buf *out, struct err *err);
void parquet_free(struct parquet *p);

#endif
