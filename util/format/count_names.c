// SPDX-License-Identifier: GPL-2.0
#include "util/format/count_names.h"

#include "util/base/json.h"
#include "util/format/count_frames.h"

static u64 word_of(const struct count_row *r, u32 key)
{
	return r->words[COUNT_SHAPES + key];
}

/* KEY_FUNCTION also of a field's address. */
static enum sample_key_kind kind_of(const struct count_table *t, u32 key)
{
	return t->keys->v[key].function ? KEY_FUNCTION : t->keys->v[key].kind;
}

bool count_names_has(const struct count_table *t, const struct count_row *r, u32 key)
{
	const struct sample_key *k = &t->keys->v[key];

	return (k->kind != KEY_FIELD && !k->other) || count_table_shape_number(r, key);
}

void count_names_put(const struct count_table *t, const struct count_row *r, u32 key,
		     struct buf *out)
{
	enum sample_key_kind kind = kind_of(t, key);
	u64 word = word_of(r, key);

	if (!count_names_has(t, r, key))
		buf_addc(out, '-');
	else if (kind == KEY_FIELD)
		sample_values_put_field(&t->keys->values, count_table_shape_number(r, key), word,
					out);
	else if (sample_key_is_stack(kind))
		count_frames_innermost(&t->stacks[key], (u32)word, out);
	else if (sample_key_is_of_frame(kind))
		report_places_put(&t->places, kind, word, out);
	else
		sample_values_put(&t->keys->values, key, word, out);
}

bool count_names_is_number(const struct count_table *t, u32 key)
{
	return sample_values_is_number(&t->keys->values, key);
}

void count_names_json(const struct count_table *t, const struct count_row *r, u32 key,
		      struct buf *out)
{
	enum sample_key_kind kind = kind_of(t, key);
	struct buf text = {0};
	u64 word = word_of(r, key);

	if (!count_names_has(t, r, key)) {
		buf_adds(out, "null");
	} else if (kind == KEY_FIELD) {
		sample_values_json_field(&t->keys->values, count_table_shape_number(r, key), word,
					 out);
	} else if (sample_key_is_stack(kind)) {
		count_frames_json(&t->stacks[key], (u32)word, out);
	} else if (sample_key_is_of_frame(kind)) {
		report_places_put(&t->places, kind, word, &text);
		json_string(out, buf_str(&text), text.len);
		out->failed |= text.failed;
		buf_free(&text);
	} else {
		sample_values_json(&t->keys->values, key, word, out);
	}
}

void count_names_stack(const struct count_table *t, const struct count_row *r, u32 key,
		       const char *indent, struct buf *out)
{
	count_frames_lines(&t->stacks[key], (u32)word_of(r, key), indent, out);
}
