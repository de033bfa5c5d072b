// SPDX-License-Identifier: GPL-2.0
/* ELF files with damaged DWARF, the types of their functions, the variables at their lines; and the bytes as a line table by itself. */
#include <stdlib.h>
#include <string.h>

#include "util/debuginfo/debug_types.h"
#include "util/debuginfo/debuginfo.h"
#include "util/debuginfo/debuginfo_internal.h"

#define FRAMES_MAX 64
#define STEPS      64 /* addresses that are tried in each segment */

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static size_t touch(const char *s)
{
	return s ? strlen(s) : 0;
}

/* What is made is whole, and what it refers to can be shown. */
static void try_types(struct debuginfo *d, u64 vaddr)
{
	struct debug_source s = {.info = d};
	struct debug_types t;
	struct buf text = {0};
	struct btf b;
	u32 id;

	if (debug_types_make(&t, &s, vaddr, NULL, "struct a *b", NULL))
		return;
	if (btf_init(&b, NULL, t.data.data, t.data.len, NULL) || t.function > btf_last(&b) ||
	    btf_type(&b, t.function).vlen != t.parameters.nr)
		abort();
	for (id = 1; id <= btf_last(&b) && text.len < 100000; id++)
		btf_text_define(&b, id, &text);
	btf_free(&b);
	buf_free(&text);
	debug_types_free(&t);
}

/* What a line has is whole, too. */
static void try_places(struct debuginfo *d, const struct image *img, const char *file, u32 line)
{
	struct debug_source s = {.info = d, .image = *img};
	struct debug_places p;
	struct debug_variables v = {0};
	struct debug_types t;
	const struct debug_spot *spot;
	u32 i;

	if (!debug_places_find(&p, &s, file, line, NULL) &&
	    !debug_variables_find(&v, &s, &p, NULL)) {
		if (v.spots.nr != v.v.nr * p.v.nr)
			abort();
		for (i = 0; i < v.spots.nr; i++) {
			spot = &v.spots.v[i];
			if (spot->first + spot->nr > v.steps.nr ||
			    (spot->kind != DEBUG_SPOT_NOWHERE && !spot->nr))
				abort();
		}
		if (!debug_types_make_of(&t, &v, NULL, NULL, NULL))
			debug_types_free(&t);
	}
	debug_variables_free(&v);
	debug_places_free(&p);
}

static void try_addresses(struct debuginfo *d, const struct image *img)
{
	struct debug_frame frames[FRAMES_MAX];
	const GElf_Phdr *ph;
	u32 i, j;
	int nr, k;
	size_t len = 0;
	u64 step;

	for (i = 0; i < img->loads.nr && i < 8; i++) {
		ph = &img->loads.v[i];
		step = ph->p_memsz / STEPS + 1;
		for (j = 0; j < STEPS; j++) {
			nr = debuginfo_find(d, ph->p_vaddr + j * step, frames, FRAMES_MAX);
			if (nr > FRAMES_MAX)
				abort();
			for (k = 0; k < nr; k++)
				len += touch(frames[k].function) + touch(frames[k].file);
			if (nr > 0 && frames[0].file && (j < 8 || j % 16 == 0))
				try_places(d, img, frames[0].file, frames[0].line);
			if (nr > 0 && frames[nr - 1].entry && j < 8)
				try_types(d, debug_entry_begin(frames[nr - 1].entry));
		}
	}
	if (len == SIZE_MAX)
		abort();
}

static void try_lines(const u8 *data, size_t size, bool swap)
{
	const struct debug_sections s = {
		.line = {data, size}, .line_str = {data, size}, .str = {data, size}, .swap = swap};
	struct line_table t = {0};
	const struct line_row *row;
	u32 i;

	if (!line_table_read(&t, &s, 0, "/folder")) {
		for (i = 0; i < t.rows.nr; i++) {
			row = line_table_find(&t, t.rows.v[i].addr);
			if (row && row->addr > t.rows.v[i].addr)
				abort();
			touch(line_table_file(&t, t.rows.v[i].file));
		}
		if (line_table_file(&t, t.files.nr))
			abort();
	}
	line_table_free(&t);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct debuginfo *d;
	struct image img;

	try_lines(data, size, false);
	try_lines(data, size, true);
	if (image_open_memory(&img, data, size, NULL))
		return 0;
	if (!debuginfo_open(&d, &(struct debuginfo_images){.image = &img}, NULL)) {
		try_addresses(d, &img);
		debuginfo_close(d);
	}
	image_close(&img);
	return 0;
}
