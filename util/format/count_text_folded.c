// SPDX-License-Identifier: GPL-2.0
#include "util/format/count_text.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"
#include "util/format/count_frames.h"
#include "util/format/stack_frames.h"

struct line {
	size_t at; /* in the text, NUL-terminated */
	u64 count;
};

struct lines {
	struct line *v;
	u32 nr, cap;
	struct buf text;
};

/* The name of a value, the first of a line (`root`) as the name of a command. */
static void put_value(const struct count_table *t, const struct count_row *r, u32 key, bool root,
		      struct buf *out)
{
	size_t at = out->len;
	struct buf name = {0};

	count_names_put(t, r, key, &name);
	if (root)
		stack_frames_fold_root(&name);
	buf_adds(out, name.len ? buf_str(&name) : "[unknown]");
	out->failed |= name.failed;
	buf_free(&name);
	for (; at < out->len && !out->failed; at++)
		if (out->data[at] == ';')
			out->data[at] = ':';
}

/*
 * The stack of another sample comes on top of the one before, with a mark between: it is upside down, so that who made the other
 * sample is at the top.
 */
static void put_stack(const struct count_table *t, const struct count_row *r, u32 key,
		      unsigned int how, size_t start, struct buf *out)
{
	bool other = t->keys->v[key].other;

	if (other && r->words[COUNT_SHAPES + key])
		buf_adds(out, out->len > start ? "--;" : "");
	count_frames_folded(&t->stacks[key], (u32)r->words[COUNT_SHAPES + key],
			    how | (other ? COUNT_FRAMES_INVERTED : 0), out);
}

static void put_keys(const struct count_table *t, const struct count_row *r, unsigned int how,
		     struct buf *out)
{
	size_t start = out->len, before;
	u32 k;

	for (k = 0; k < t->keys->nr; k++) {
		if (t->keys->v[k].other && !count_table_shape_number(r, k))
			continue;
		before = out->len;
		if (before > start)
			buf_addc(out, ';');
		if (sample_key_is_stack(t->keys->v[k].kind))
			put_stack(t, r, k, how, start, out);
		else
			put_value(t, r, k, before == start, out);
		/* an empty stack leaves nothing */
		if (before > start && out->len == before + 1) {
			out->len = before;
			out->data[before] = '\0';
		}
	}
	if (out->len == start)
		buf_adds(out, "[unknown]");
}

/* False: it has none that can be written. */
static bool count_of(const struct count_table *t, const struct count_row *r, u64 *count)
{
	const __int128 most = UINT64_MAX;

	if (t->options.what == COUNT_NUMBER) {
		*count = r->sum.nr;
		return *count != 0;
	}
	*count = (u64)MIN(r->sum.sum, most);
	return r->sum.sum > 0;
}

static int by_text(const void *a, const void *b, void *text)
{
	const struct line *x = a, *y = b;

	return strcmp((const char *)text + x->at, (const char *)text + y->at);
}

static void put_lines(const struct lines *l, struct buf *out)
{
	const char *text = l->text.data;
	u64 count;
	u32 i;

	for (i = 0; i < l->nr; i++) {
		count = l->v[i].count;
		while (i + 1 < l->nr && !strcmp(text + l->v[i].at, text + l->v[i + 1].at)) {
			i++;
			count = num_sum(count, l->v[i].count);
		}
		buf_adds(out, text + l->v[i].at);
		buf_addc(out, ' ');
		buf_dec(out, count, 0);
		buf_addc(out, '\n');
	}
}

int count_folded_put(const struct count_view *v, bool marked, u32 *left_out, struct buf *out,
		     struct err *err)
{
	struct lines lines = {0};
	struct line *l;
	u64 count;
	u32 i;

	*left_out = 0;
	for (i = 0; i < v->shown && !lines.text.failed; i++) {
		if (!count_of(v->table, count_view_row(v, i), &count)) {
			++*left_out;
			continue;
		}
		l = vec_push(&lines);
		if (!l)
			break;
		*l = (struct line){lines.text.len, count};
		put_keys(v->table, count_view_row(v, i), marked ? COUNT_FRAMES_MARKED : 0,
			 &lines.text);
		buf_addc(&lines.text, '\0');
	}
	if (i < v->shown || lines.text.failed)
		out->failed = true;
	else if (lines.nr)
		qsort_r(lines.v, lines.nr, sizeof(*lines.v), by_text, lines.text.data);
	if (!out->failed)
		put_lines(&lines, out);
	vec_free(&lines);
	buf_free(&lines.text);
	return out->failed ? err_nomem(err) : 0;
}
