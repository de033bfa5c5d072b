// SPDX-License-Identifier: GPL-2.0
#include "util/export/parquet.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "util/export/parquet_internal.h"

#define MAGIC "PAR1"
#define LEVEL 3
/* of parquet.thrift */
#define FORMAT_VERSION 2
enum { REQUIRED, OPTIONAL, REPEATED };
enum { CONVERTED_UTF8 = 0, CONVERTED_LIST = 3, CONVERTED_DECIMAL = 5, CONVERTED_UINT_32 = 13 };
enum {
	LOGICAL_STRING = 1,
	LOGICAL_LIST = 3,
	LOGICAL_DECIMAL = 5,
	LOGICAL_TIMESTAMP = 8,
	LOGICAL_INTEGER = 10
};
enum { UNIT_NANOS = 3 };

struct parquet {
	const struct parquet_column *columns;
	struct parquet_values *values;
	u32 nr;
	u32 rows; /* of the group */
	u64 bytes;
	u64 all_rows, at;  /* in the file so far */
	struct buf groups; /* elements of the footer's list */
	u32 nr_groups;
	struct buf data, chunks, least, most;
	ZSTD_CCtx *zstd;
};

struct parquet *parquet_new(const struct parquet_column *columns, u32 nr, struct err *err)
{
	struct parquet *p = calloc(1, sizeof(*p));
	u32 i;

	if (!p) {
		err_nomem(err);
		return NULL;
	}
	*p = (struct parquet){.columns = columns, .nr = nr};
	p->values = calloc((size_t)nr + 1, sizeof(*p->values));
	p->zstd = ZSTD_createCCtx();
	if (!p->values || !p->zstd) {
		parquet_free(p);
		err_nomem(err);
		return NULL;
	}
	for (i = 0; i < nr; i++)
		p->values[i].column = &columns[i];
	return p;
}

void parquet_free(struct parquet *p)
{
	u32 i;

	for (i = 0; p && p->values && i < p->nr; i++)
		parquet_values_free(&p->values[i]);
	if (p) {
		free(p->values);
		ZSTD_freeCCtx(p->zstd);
		buf_free(&p->groups);
		buf_free(&p->data);
		buf_free(&p->chunks);
		buf_free(&p->least);
		buf_free(&p->most);
	}
	free(p);
}

void parquet_number(struct parquet *p, u32 column, u64 number)
{
	parquet_values_number(&p->values[column], p->rows, number, &p->bytes);
}

void parquet_decimal(struct parquet *p, u32 column, u64 number, bool negative)
{
	char bytes[PARQUET_DECIMAL_SIZE] = {negative ? (char)0xff : 0};
	u32 i;

	for (i = sizeof(bytes) - 1; i; i--, number >>= 8)
		bytes[i] = (char)number;
	parquet_text(p, column, ID_NONE, bytes, sizeof(bytes));
}

void parquet_text(struct parquet *p, u32 column, u32 key, const char *s, size_t len)
{
	parquet_values_text(&p->values[column], p->rows, key, s, len, &p->bytes);
}

bool parquet_known(struct parquet *p, u32 column, u32 key)
{
	return parquet_values_known(&p->values[column], p->rows, key, &p->bytes);
}

void parquet_list(struct parquet *p, u32 column)
{
	parquet_values_list(&p->values[column], p->rows);
}

void parquet_missing(struct parquet *p, u32 column)
{
	parquet_values_missing(&p->values[column], &p->bytes);
}

/* ---- chunks ---- */

static void put_page_head(const struct parquet_page *page, u32 packed, u32 crc, struct buf *out)
{
	const bool data = page->type == PARQUET_DATA_PAGE;
	struct parquet_thrift t = {.out = out};

	parquet_thrift_i32(&t, 1, (s32)page->type);
	parquet_thrift_i32(&t, 2, (s32)page->data->len);
	parquet_thrift_i32(&t, 3, (s32)packed);
	parquet_thrift_i32(&t, 4, (s32)crc);
	parquet_thrift_begin(&t, data ? 5 : 7);
	parquet_thrift_i32(&t, 1, (s32)page->values);
	parquet_thrift_i32(&t, 2, (s32)page->encoding);
	if (data) {
		parquet_thrift_i32(&t, 3, PARQUET_RLE);
		parquet_thrift_i32(&t, 4, PARQUET_RLE);
	}
	parquet_thrift_end(&t);
	parquet_thrift_end(&t);
}

/* Append the page; its bytes count in the chunk. */
static int put_page(struct parquet *p, const struct parquet_page *page, struct parquet_chunk *chunk,
		    struct buf *out, struct err *err)
{
	const size_t bound = ZSTD_compressBound(page->data->len), at = out->len;
	char *packed = page->data->failed ? NULL : malloc(bound);
	size_t n, head;

	if (!packed)
		return err_nomem(err);
	n = ZSTD_compressCCtx(p->zstd, packed, bound, buf_str(page->data), page->data->len, LEVEL);
	if (ZSTD_isError(n)) {
		free(packed);
		return err_set(err, ENOMEM, "zstd: %s", ZSTD_getErrorName(n));
	}
	put_page_head(page, (u32)n, (u32)crc32(0, (const u8 *)packed, (u32)n), out);
	head = out->len - at;
	buf_add(out, packed, n);
	free(packed);
	chunk->packed += head + n;
	chunk->unpacked += head + page->data->len;
	return out->failed ? err_nomem(err) : 0;
}

static int put_pages(struct parquet *p, struct parquet_values *c, struct parquet_chunk *chunk,
		     struct buf *out, struct err *err)
{
	struct parquet_page page = {
		.type = PARQUET_DICTIONARY_PAGE, .encoding = PARQUET_PLAIN, .data = &p->data};
	int ret;

	if (parquet_values_has_dictionary(c)) {
		chunk->dictionary_offset = chunk->offset;
		page.values = parquet_values_distinct(c);
		buf_clear(&p->data);
		parquet_values_dictionary(c, &p->data);
		ret = put_page(p, &page, chunk, out, err);
		if (ret)
			return ret;
	}
	buf_clear(&p->data);
	chunk->data_offset = chunk->offset + chunk->packed;
	chunk->encoding = parquet_values_data(c, &p->data);
	page = (struct parquet_page){.type = PARQUET_DATA_PAGE,
				     .encoding = chunk->encoding,
				     .values = c->entries,
				     .data = &p->data};
	return c->failed ? err_nomem(err) : put_page(p, &page, chunk, out, err);
}

static void put_path(struct parquet_thrift *t, const struct parquet_column *column)
{
	parquet_thrift_list(t, 3, THRIFT_BINARY, column->list ? 3 : 1);
	parquet_thrift_text(t->out, column->name, strlen(column->name));
	if (column->list) {
		parquet_thrift_text(t->out, "list", 4);
		parquet_thrift_text(t->out, "element", 7);
	}
}

static void put_statistics(struct parquet *p, const struct parquet_values *c,
			   struct parquet_thrift *t)
{
	buf_clear(&p->least);
	buf_clear(&p->most);
	parquet_thrift_begin(t, 12);
	if (!c->column->list)
		parquet_thrift_i64(t, 3, (s64)(c->entries - c->present));
	if (parquet_values_range(c, &p->least, &p->most)) {
		parquet_thrift_binary(t, 5, buf_str(&p->most), p->most.len);
		parquet_thrift_binary(t, 6, buf_str(&p->least), p->least.len);
	}
	parquet_thrift_end(t);
	t->out->failed |= p->least.failed || p->most.failed;
}

/* An element of a group's columns. */
static void put_chunk(struct parquet *p, const struct parquet_values *c,
		      const struct parquet_chunk *chunk, struct parquet_thrift *list)
{
	struct parquet_thrift t = parquet_thrift_element(list);

	parquet_thrift_i64(&t, 2, 0);
	parquet_thrift_begin(&t, 3);
	parquet_thrift_i32(&t, 1, (s32)parquet_values_physical(c->column));
	parquet_thrift_list(&t, 2, THRIFT_I32, chunk->dictionary_offset ? 3 : 2);
	parquet_thrift_zigzag(t.out, PARQUET_RLE);
	parquet_thrift_zigzag(t.out, chunk->encoding);
	if (chunk->dictionary_offset)
		parquet_thrift_zigzag(t.out, PARQUET_PLAIN);
	put_path(&t, c->column);
	parquet_thrift_i32(&t, 4, PARQUET_ZSTD);
	parquet_thrift_i64(&t, 5, (s64)c->entries);
	parquet_thrift_i64(&t, 6, (s64)chunk->unpacked);
	parquet_thrift_i64(&t, 7, (s64)chunk->packed);
	parquet_thrift_i64(&t, 9, (s64)chunk->data_offset);
	if (chunk->dictionary_offset)
		parquet_thrift_i64(&t, 11, (s64)chunk->dictionary_offset);
	put_statistics(p, c, &t);
	parquet_thrift_end(&t);
	parquet_thrift_end(&t);
}

/* ---- groups ---- */

/* Append bytes to the file, counted. */
static void put_bytes(struct parquet *p, const void *bytes, size_t len, struct buf *out)
{
	buf_add(out, bytes, len);
	p->at += len;
}

static int put_group(struct parquet *p, struct buf *out, struct err *err)
{
	struct parquet_thrift group = {.out = &p->groups};
	u64 unpacked = 0, packed = 0, at = p->at;
	struct parquet_chunk chunk;
	u32 i;

	parquet_thrift_list(&group, 1, THRIFT_STRUCT, p->nr);
	for (i = 0; i < p->nr; i++) {
		parquet_values_fill(&p->values[i], p->rows);
		chunk = (struct parquet_chunk){.offset = p->at};
		if (put_pages(p, &p->values[i], &chunk, out, err))
			return -ENOMEM;
		p->at += chunk.packed;
		put_chunk(p, &p->values[i], &chunk, &group);
		unpacked += chunk.unpacked;
		packed += chunk.packed;
		parquet_values_clear(&p->values[i]);
	}
	parquet_thrift_i64(&group, 2, (s64)unpacked);
	parquet_thrift_i64(&group, 3, p->rows);
	parquet_thrift_i64(&group, 5, (s64)at);
	parquet_thrift_i64(&group, 6, (s64)packed);
	parquet_thrift_end(&group);
	p->nr_groups++;
	p->all_rows += p->rows;
	p->rows = 0;
	p->bytes = 0;
	return p->groups.failed ? err_nomem(err) : 0;
}

static void begin_file(struct parquet *p, struct buf *out)
{
	if (!p->at)
		put_bytes(p, MAGIC, 4, out);
}

int parquet_row(struct parquet *p, struct buf *out, struct err *err)
{
	begin_file(p, out);
	p->rows++;
	if (p->rows < PARQUET_ROWS && p->bytes < PARQUET_BYTES)
		return 0;
	return put_group(p, out, err);
}

/* ---- the footer ---- */

static void put_logical(struct parquet_thrift *t, const struct parquet_column *c)
{
	const bool small = parquet_values_physical(c) == PARQUET_INT32;

	parquet_thrift_begin(t, 10);
	if (c->type == PARQUET_TEXT) {
		parquet_thrift_begin(t, LOGICAL_STRING);
	} else if (c->type == PARQUET_DECIMAL) {
		parquet_thrift_begin(t, LOGICAL_DECIMAL);
		parquet_thrift_i32(t, 1, 0);
		parquet_thrift_i32(t, 2, PARQUET_DECIMAL_DIGITS);
	} else if (c->type == PARQUET_TIME) {
		parquet_thrift_begin(t, LOGICAL_TIMESTAMP);
		/* not adjusted to UTC, that is, without a zone: DuckDB has ns only of those */
		parquet_thrift_bool(t, 1, false);
		parquet_thrift_begin(t, 2);
		parquet_thrift_begin(t, UNIT_NANOS);
		parquet_thrift_end(t);
		parquet_thrift_end(t);
	} else {
		parquet_thrift_begin(t, LOGICAL_INTEGER);
		parquet_thrift_byte(t, 1, small ? 32 : 64);
		parquet_thrift_bool(t, 2,
				    c->type == PARQUET_SIGNED32 || c->type == PARQUET_SIGNED64);
	}
	parquet_thrift_end(t);
	parquet_thrift_end(t);
}

/* For readers that do not know logical types; <0: it has none. */
static s32 converted(enum parquet_type type)
{
	switch (type) {
	case PARQUET_TEXT:
		return CONVERTED_UTF8;
	case PARQUET_DECIMAL:
		return CONVERTED_DECIMAL;
	case PARQUET_UNSIGNED32:
		return CONVERTED_UINT_32;
	case PARQUET_UNSIGNED64:
		return CONVERTED_UINT_32 + 1;
	default:
		return -1;
	}
}

static void put_leaf(struct parquet_thrift *schema, const struct parquet_column *c,
		     const char *name)
{
	struct parquet_thrift t = parquet_thrift_element(schema);

	parquet_thrift_i32(&t, 1, (s32)parquet_values_physical(c));
	if (c->type == PARQUET_DECIMAL)
		parquet_thrift_i32(&t, 2, PARQUET_DECIMAL_SIZE);
	parquet_thrift_i32(&t, 3, c->optional ? OPTIONAL : REQUIRED);
	parquet_thrift_binary(&t, 4, name, strlen(name));
	if (converted(c->type) >= 0)
		parquet_thrift_i32(&t, 6, converted(c->type));
	if (c->type == PARQUET_DECIMAL) {
		parquet_thrift_i32(&t, 7, 0);
		parquet_thrift_i32(&t, 8, PARQUET_DECIMAL_DIGITS);
	}
	put_logical(&t, c);
	parquet_thrift_end(&t);
}

/* A group with one child. */
static void put_parent(struct parquet_thrift *schema, const char *name, u32 repetition, bool list)
{
	struct parquet_thrift t = parquet_thrift_element(schema);

	parquet_thrift_i32(&t, 3, (s32)repetition);
	parquet_thrift_binary(&t, 4, name, strlen(name));
	parquet_thrift_i32(&t, 5, 1);
	if (list) {
		parquet_thrift_i32(&t, 6, CONVERTED_LIST);
		parquet_thrift_begin(&t, 10);
		parquet_thrift_begin(&t, LOGICAL_LIST);
		parquet_thrift_end(&t);
		parquet_thrift_end(&t);
	}
	parquet_thrift_end(&t);
}

static void put_schema(const struct parquet *p, struct parquet_thrift *t)
{
	struct parquet_thrift root = parquet_thrift_element(t);
	u32 i, nr = 1 + p->nr;

	for (i = 0; i < p->nr; i++)
		nr += p->columns[i].list ? 2 : 0;
	parquet_thrift_list(t, 2, THRIFT_STRUCT, nr);
	parquet_thrift_binary(&root, 4, "schema", 6);
	parquet_thrift_i32(&root, 5, (s32)p->nr);
	parquet_thrift_end(&root);
	for (i = 0; i < p->nr; i++) {
		if (!p->columns[i].list) {
			put_leaf(t, &p->columns[i], p->columns[i].name);
			continue;
		}
		put_parent(t, p->columns[i].name, REQUIRED, true);
		put_parent(t, "list", REPEATED, false);
		put_leaf(t, &p->columns[i], "element");
	}
}

/* The order of the least and the greatest: that of the type. */
static void put_orders(const struct parquet *p, struct parquet_thrift *t)
{
	struct parquet_thrift order;
	u32 i;

	parquet_thrift_list(t, 7, THRIFT_STRUCT, p->nr);
	for (i = 0; i < p->nr; i++) {
		order = parquet_thrift_element(t);
		parquet_thrift_begin(&order, 1);
		parquet_thrift_end(&order);
		parquet_thrift_end(&order);
	}
}

int parquet_end(struct parquet *p, struct buf *out, struct err *err)
{
	struct parquet_thrift t = {.out = out};
	size_t from;

	begin_file(p, out);
	if (p->rows && put_group(p, out, err))
		return -ENOMEM;
	from = out->len;
	parquet_thrift_i32(&t, 1, FORMAT_VERSION);
	put_schema(p, &t);
	parquet_thrift_i64(&t, 3, (s64)p->all_rows);
	parquet_thrift_list(&t, 4, THRIFT_STRUCT, p->nr_groups);
	buf_add(out, buf_str(&p->groups), p->groups.len);
	parquet_thrift_binary(&t, 6, "perf-lite", 9);
	put_orders(p, &t);
	parquet_thrift_end(&t);
	buf_le32(out, (u32)(out->len - from));
	buf_adds(out, MAGIC);
	return out->failed || p->groups.failed ? err_nomem(err) : 0;
}
