// SPDX-License-Identifier: GPL-2.0
#include "util/capture/seen_lines.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/cur.h"

#define FRAMES_MAX 256
/* A block of more bytes is complete. With one place more it is far below BLOCK_SIZE_MAX. */
#define BLOCK_BYTES (1u << 20)

void seen_lines_open(struct seen_lines *l, const struct image *image, const char *path,
		     const struct debug_file_options *o)
{
	l->open = true;
	debug_source_open(&l->source, image, path, o);
}

/* Its number plus one, 0: there is none. False when memory is out. */
static bool add_string(struct seen_lines *l, struct seen_names *names, const char *s, u32 *number)
{
	size_t len = s ? seen_names_length(names, s) : 0;
	u32 nr = l->strings.nr, id = s ? strtab_add(&l->strings, s, len) : 0;

	if (l->strings.nr != nr)
		seen_names_add(names, s, len);
	*number = s ? id + 1 : 0;
	return id != ID_NONE;
}

bool seen_lines_add(struct seen_lines *l, struct seen_names *names, u64 offset)
{
	struct debug_frame frames[FRAMES_MAX];
	u32 nr, i, function, file;

	if (!l->open || !l->source.info || hmap_get(&l->known, offset) != ID_NONE)
		return true;
	if (!hmap_set(&l->known, offset, 1))
		return false;
	nr = debug_source_find(&l->source, offset, frames, FRAMES_MAX);
	if (!nr)
		return true;
	buf_u64(&l->entries, offset);
	buf_u32(&l->entries, nr);
	for (i = 0; i < nr; i++) {
		if (!add_string(l, names, frames[i].function, &function) ||
		    !add_string(l, names, frames[i].file, &file))
			return false;
		buf_u32(&l->entries, function);
		buf_u32(&l->entries, file);
		buf_u32(&l->entries, frames[i].line);
	}
	return !l->entries.failed;
}

/* A block has a table of strings of its own, numbered in the order of their first use. */
struct block_strings {
	u32 *numbers; /* of l->strings */
	u32 nr;
	struct buf text;
};

static u32 renumber(const struct seen_lines *l, struct block_strings *b, u32 id)
{
	if (!id)
		return 0;
	if (!b->numbers[id - 1]) {
		b->numbers[id - 1] = ++b->nr;
		buf_lstr(&b->text, l->strings.entries[id - 1].s, l->strings.entries[id - 1].len);
	}
	return b->numbers[id - 1];
}

/* Entries from `at` on that go into one block; where the next one begins. */
static size_t put_entries(const struct seen_lines *l, size_t at, struct block_strings *b,
			  struct buf *out)
{
	struct cur c = cur_init(l->entries.data + at, l->entries.len - at);
	u32 nr;

	while (cur_left(&c) && b->text.len + out->len < BLOCK_BYTES) {
		buf_le64(out, cur_u64(&c));
		nr = cur_u32(&c);
		buf_le32(out, nr);
		for (; nr; nr--) {
			buf_le32(out, renumber(l, b, cur_u32(&c)));
			buf_le32(out, renumber(l, b, cur_u32(&c)));
			buf_le32(out, cur_u32(&c)); /* line */
		}
	}
	return l->entries.len - cur_left(&c);
}

static int write_block(struct seen_lines *l, const struct buf *head, struct writer *w,
		       struct err *err)
{
	struct buf entries = {0}, block = {0};
	struct block_strings b = {0};
	size_t next;
	int ret;

	b.numbers = calloc(l->strings.nr + 1, sizeof(*b.numbers));
	if (!b.numbers)
		return err_nomem(err);
	next = put_entries(l, l->written, &b, &entries);
	buf_add(&block, head->data, head->len);
	buf_le32(&block, b.nr);
	buf_add(&block, b.text.data, b.text.len);
	buf_add(&block, entries.data, entries.len);
	if (b.text.failed || entries.failed || block.failed)
		ret = err_nomem(err);
	else
		ret = writer_block(w, BLOCK_FRAMES, block.data, block.len, err);
	if (!ret)
		l->written = next;
	free(b.numbers);
	buf_free(&b.text);
	buf_free(&entries);
	buf_free(&block);
	return ret;
}

int seen_lines_write(struct seen_lines *l, const struct buf *head, struct writer *w,
		     struct err *err)
{
	int ret = l->entries.failed ? err_nomem(err) : 0;

	while (!ret && l->written < l->entries.len)
		ret = write_block(l, head, w, err);
	return ret;
}

void seen_lines_unwritten(struct seen_lines *l, bool all)
{
	l->written = 0;
	if (!all)
		return;
	buf_clear(&l->entries);
	strtab_free(&l->strings);
	hmap_clear(&l->known);
}

void seen_lines_free(struct seen_lines *l)
{
	if (l->open)
		debug_source_close(&l->source);
	hmap_free(&l->known);
	strtab_free(&l->strings);
	buf_free(&l->entries);
}
