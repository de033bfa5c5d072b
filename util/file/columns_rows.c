// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_rows.h"

_Static_assert(COLUMNS_ROWS == COLUMNS_RUN, "rows are taken apart in runs");

/* Rows are compared so many bytes at a time, which may reach behind the last. */
#define CHUNK 16u

typedef u64 chunk __attribute__((vector_size(CHUNK)));

void columns_rows_free(struct columns_rows *r)
{
	u32 i;

	for (i = 0; i < r->arrays.nr; i++) {
		free(r->arrays.v[i].data);
		vec_free(&r->arrays.v[i].runs);
	}
	vec_free(&r->arrays);
	vec_free(&r->class.cols);
	free(r->rows);
	buf_free(&r->rest);
}

bool columns_rows_begin(struct columns_rows *r)
{
	size_t rows = (size_t)r->class.row_size * COLUMNS_ROWS + CHUNK;
	size_t need = rows + r->class.row_size + CHUNK;
	u32 i;

	r->nr = r->nr_rows = 0;
	buf_clear(&r->rest);
	while (r->arrays.nr < r->class.cols.nr)
		if (!vec_push(&r->arrays))
			return false;
	for (i = 0; i < r->class.cols.nr; i++)
		r->arrays.v[i].runs.nr = 0;
	if (!columns_class_room(&r->rows, &r->cap, need))
		return false;
	r->differ = r->rows + rows;
	return true;
}

/* Where do the rows differ from their first? */
static void compare_rows(struct columns_rows *r)
{
	u32 at, i, size = r->class.row_size, n = r->nr_rows;
	chunk first, a, b, differ;

	for (at = 0; at < size; at += CHUNK) {
		const u8 *p = r->rows + at;

		memcpy(&first, p, CHUNK);
		memset(&differ, 0, CHUNK);
		/* the first of an odd number is the first itself */
		for (i = n & 1; i < n; i += 2) {
			memcpy(&a, p + (size_t)i * size, CHUNK);
			memcpy(&b, p + (size_t)(i + 1) * size, CHUNK);
			differ |= (a ^ first) | (b ^ first);
		}
		memcpy(r->differ + at, &differ, CHUNK);
	}
}

static bool is_alike(const struct columns_rows *r, const struct columns_col *c)
{
	u32 i;
	u8 any = 0;

	for (i = 0; i < c->width; i++)
		any |= r->differ[c->at + i];
	return !any;
}

bool columns_rows_apart(struct columns_rows *r)
{
	const struct columns_col *c = r->class.cols.v;
	u32 i, n, size = r->class.row_size;

	if (!r->nr_rows)
		return true;
	compare_rows(r);
	for (i = 0; i < r->class.cols.nr; i++, c++) {
		struct columns_array *a = &r->arrays.v[i];
		u8 *alike = vec_push(&a->runs);

		if (!alike ||
		    !columns_class_room(&a->data, &a->cap, ((size_t)r->nr + r->nr_rows) * c->width))
			return false;
		*alike = is_alike(r, c);
		n = *alike ? 1 : r->nr_rows;
		columns_class_copy(a->data + (size_t)r->nr * c->width, c->width, r->rows + c->at,
				   size, c->width, n);
	}
	r->nr += r->nr_rows;
	r->nr_rows = 0;
	return true;
}

bool columns_rows_end(struct columns_rows *r)
{
	u32 i, j, width;
	const u8 *data;

	if (!columns_rows_apart(r))
		return false;
	for (i = 0; i < r->class.cols.nr; i++) {
		struct columns_array *a = &r->arrays.v[i];

		width = r->class.cols.v[i].width;
		data = a->data;
		a->varies = false;
		for (j = 0; j < a->runs.nr && !a->varies; j++)
			a->varies = !a->runs.v[j] ||
				    memcmp(data + (size_t)j * COLUMNS_ROWS * width, data, width);
	}
	return true;
}
