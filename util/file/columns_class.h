/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_class.h - records that look alike: one type, misc and event, and the same columns.
 *
 * A class lists its columns, which cover a record's bytes behind the header from left to right. Of
 * each record there is a row, of one size for the whole class: the bytes of the columns, and four
 * or eight bytes in place of what differs in length. The list stands in the payload, so that its
 * reader need not know how records are laid out.
 */
#ifndef FILE_COLUMNS_CLASS_H
#define FILE_COLUMNS_CLASS_H

#include <linux/perf_event.h>

#include "util/base/vec.h"
#include "util/file/columns_in.h"
#include "util/file/columns_out.h"

enum columns_kind {
	COLUMN_INT,        /* 1, 2, 4 or 8 bytes */
	COLUMN_TIME,       /* 8: less the time of the ring's record before */
	COLUMN_TIME2,      /* 8: less the record's own time */
	COLUMN_CPU,        /* 4: xor the run's */
	COLUMN_IP,         /* 8: less the second word of the call chain */
	COLUMN_WIDE,       /* any number of bytes, of few different contents */
	COLUMN_BLOB,       /* the same of differing length; in the row: its number */
	COLUMN_REST,       /* bytes as they are; in the row: how many */
	COLUMN_CHAIN,      /* u64 count and so many words; in the row: the numbers of its halves */
	COLUMN_OPEN_CHAIN, /* the same, but for its last word, which is a column of its own */
	COLUMN_KINDS,
};

/* Part of raw data, behind its first 8 bytes. */
#define COLUMN_RAW 0x80

struct columns_col {
	u8 kind;   /* enum columns_kind */
	u8 raw;    /* COLUMN_RAW or 0 */
	u16 width; /* in the row */
	u32 at;    /* in the row */
};

#define COLUMNS_LOOSE_SIZE 10
/* Rows that are made, or taken apart, at a time: few enough to stay in the first cache. */
#define COLUMNS_ROWS    128
#define COLUMNS_OPS_MAX 16

/* What makes a record of a row: bytes as they are, or what its columns of other kinds stand for. */
struct columns_op {
	u8 kind; /* COLUMN_INT: copy `width` bytes */
	u16 width;
	u32 at, col;
};

struct columns_class {
	u32 type, event;
	u16 misc;
	bool loose; /* type, misc and event differ: they are the first columns, of 4, 2 and 4 bytes */
	bool raw;   /* some columns are COLUMN_RAW */
	VEC(struct columns_col) cols;
	/* made of the above */
	u32 row_size;
	s32 time_at, time2_at, cpu_at, ip_at, chain_at; /* in the row, -1: none */
	u32 time_col;                                   /* the column at time_at */
	u32 nr_ops;
	struct columns_op ops[COLUMNS_OPS_MAX];
};

/* Forget the columns, keep the memory. */
void columns_class_clear(struct columns_class *k);
/* Append a column. INT of another width is split, so that any bytes can be told. */
bool columns_class_add(struct columns_class *k, enum columns_kind kind, u8 raw, u32 width);
/* All columns are there. False if they make no sense. */
bool columns_class_end(struct columns_class *k);

/*
 * How a value is written where it is probably `other`: as 0 if it is; then 0 is written as what
 * is free, `other`. The same again gives the value back.
 */
static inline u64 columns_class_like(u64 value, u64 other)
{
	if (value == other)
		return 0;
	return value ? value : other;
}

/* An integer of 4 or 8 bytes. */
static inline u64 columns_class_value(const u8 *p, u32 width)
{
	u64 v64;
	u32 v32;

	if (width == 8) {
		memcpy(&v64, p, 8);
		return v64;
	}
	memcpy(&v32, p, 4);
	return v32;
}

/* Make room for `need` bytes in *p, which has room for *cap. False: memory is out. */
bool columns_class_room(u8 **p, size_t *cap, size_t need);

/* `n` values of `width` bytes, each `step` bytes behind the one before. */
void columns_class_copy(u8 *to, u32 to_step, const u8 *from, u32 from_step, u32 width, u32 n);

/* `n` integers of `width` bytes, each `step` bytes behind the one before, as 64 bits. */
void columns_class_widen(const u8 *p, u32 step, u32 width, u64 *to, u32 n);

/*
 * Records of a machine of the other byte order: rows hold their integers in the order of this one
 * while they are coded, and in that of the record where it is made of them, or they of it.
 */

/* Is the column bytes of the record as they are, but for their order? */
bool columns_class_plain(const struct columns_class *k, u32 col);
/* The bytes of `n` integers, each `step` bytes behind the one before, last first. */
void columns_class_reverse(u8 *p, u32 step, u32 width, u32 n);
/* Those of the columns of a row that are differences: TIME, TIME2, CPU, IP. */
void columns_class_reverse_told(const struct columns_class *k, u8 *row);
/* Of the header of a record. */
void columns_class_reverse_header(struct perf_event_header *h);

void columns_class_put(const struct columns_class *k, struct buf *b);
/* False: out of memory, or c->bad. */
bool columns_class_get(struct columns_class *k, struct cur *c);

#endif
