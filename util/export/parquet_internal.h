/* SPDX-License-Identifier: GPL-2.0 */
/* parquet_internal.h - what the pages of parquet.h share. */
#ifndef EXPORT_PARQUET_INTERNAL_H
#define EXPORT_PARQUET_INTERNAL_H

#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/export/parquet.h"

/* Numbers of parquet.thrift. */
enum { PARQUET_INT32 = 1, PARQUET_INT64 = 2, PARQUET_BYTE_ARRAY = 6, PARQUET_FIXED = 7 };
enum {
	PARQUET_PLAIN = 0,
	PARQUET_RLE = 3,
	PARQUET_DELTA_BINARY_PACKED = 5,
	PARQUET_RLE_DICTIONARY = 8,
};
enum { PARQUET_DATA_PAGE = 0, PARQUET_DICTIONARY_PAGE = 2 };
#define PARQUET_ZSTD 6
/* Digits, and bytes of two's complement, the highest first. */
#define PARQUET_DECIMAL_DIGITS 20
#define PARQUET_DECIMAL_SIZE   9

/* parquet_thrift.c: structs in Thrift's compact protocol. */

enum parquet_thrift_type {
	THRIFT_TRUE = 1,
	THRIFT_FALSE = 2,
	THRIFT_BYTE = 3,
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_BINARY = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12,
};

#define THRIFT_DEPTH 8

/* Zero-initialised but for `out`, a struct begins, which ends by parquet_thrift_end(). */
struct parquet_thrift {
	struct buf *out;
	u32 depth;
	u32 last[THRIFT_DEPTH]; /* the last field's id, of the structs around */
};

void parquet_thrift_varint(struct buf *out, u64 v);
void parquet_thrift_zigzag(struct buf *out, s64 v);
/* Fields. Ids rise within a struct. */
void parquet_thrift_i32(struct parquet_thrift *t, u32 id, s32 v);
void parquet_thrift_i64(struct parquet_thrift *t, u32 id, s64 v);
void parquet_thrift_byte(struct parquet_thrift *t, u32 id, s8 v);
void parquet_thrift_bool(struct parquet_thrift *t, u32 id, bool v);
void parquet_thrift_binary(struct parquet_thrift *t, u32 id, const void *p, size_t len);
/* A struct that is a field; then its fields, and its end. */
void parquet_thrift_begin(struct parquet_thrift *t, u32 id);
/* A list of `nr` elements, which follow. */
void parquet_thrift_list(struct parquet_thrift *t, u32 id, enum parquet_thrift_type of, u32 nr);
void parquet_thrift_text(struct buf *out, const void *p, size_t len); /* an element */
/* A struct that is an element: *t, the same buffer. */
struct parquet_thrift parquet_thrift_element(struct parquet_thrift *t);
void parquet_thrift_end(struct parquet_thrift *t);

/* parquet_encode.c */

/* Runs of the same number, and numbers of `bits` bits: 1, 2, or whole bytes up to 32. */
void parquet_encode_hybrid(const u32 *v, u64 nr, u32 bits, struct buf *out);
/* Differences. size: 4 or 8 bytes. */
void parquet_encode_delta(const u64 *v, u64 nr, u32 size, struct buf *out);

/* parquet_values.c: one column of a row group. */

struct parquet_values {
	const struct parquet_column *column;
	VEC(u32) index;   /* of each value: its number among the distinct ones */
	VEC(u64) numbers; /* these; of a distinct column all, and `index` is empty */
	struct hmap number_of;
	struct strtab texts; /* likewise; decimals are texts of PARQUET_DECIMAL_SIZE bytes */
	VEC(u32) of_key;     /* a text's number + 1, by the caller's */
	VEC(u32) runs;       /* of entries: how many * 8 + rep * 4 + def */
	u64 entries;         /* values, and what is in place of missing ones and empty lists */
	u64 present;         /* values */
	u64 plain;           /* bytes of texts, were each written out */
	u32 rows;
	u32 rep; /* of the next item */
	bool failed;
};

/* A page as it is in the file. */
struct parquet_page {
	u32 type, encoding;
	u64 values;
	const struct buf *data; /* not compressed */
};

/* What there is to be known of a chunk when it is written. */
struct parquet_chunk {
	u64 offset, dictionary_offset, data_offset; /* 0: it has no dictionary */
	u64 unpacked, packed;
	u32 encoding;
};

/* The row is that of this number; bytes that this takes are added to *bytes. */
void parquet_values_number(struct parquet_values *c, u32 row, u64 number, u64 *bytes);
void parquet_values_text(struct parquet_values *c, u32 row, u32 key, const char *s, size_t len,
			 u64 *bytes);
bool parquet_values_known(struct parquet_values *c, u32 row, u32 key, u64 *bytes);
void parquet_values_list(struct parquet_values *c, u32 row);
void parquet_values_missing(struct parquet_values *c, u64 *bytes);
/* Rows up to this number, which is not in it, lack the value. */
void parquet_values_fill(struct parquet_values *c, u32 row);
u32 parquet_values_max_def(const struct parquet_column *c);
u32 parquet_values_physical(const struct parquet_column *c);
/* Is a dictionary worth it? It is where values repeat, and where the page would outgrow a group without. */
bool parquet_values_has_dictionary(const struct parquet_values *c);
u32 parquet_values_distinct(const struct parquet_values *c);
void parquet_values_dictionary(const struct parquet_values *c, struct buf *out);
/* The data of the page; its encoding. */
u32 parquet_values_data(struct parquet_values *c, struct buf *out);
/* The least and the greatest value, as plain bytes; false: there is none, or they are long. */
bool parquet_values_range(const struct parquet_values *c, struct buf *least, struct buf *most);
/* Empty, with its memory. */
void parquet_values_clear(struct parquet_values *c);
void parquet_values_free(struct parquet_values *c);

#endif
