// SPDX-License-Identifier: GPL-2.0
#include "util/capture/seen_fetch.h"

#include "util/image/image_symbols.h"

void seen_fetch_want(struct seen_fetch *f, const struct image *image, bool symbols, bool lines)
{
	f->wanted = true;
	f->symbols = symbols;
	f->lines = lines;
	f->image = *image;
}

bool seen_fetch_add(struct seen_fetch *f, u64 offset)
{
	u64 *to;

	if (!f->wanted || hmap_get(&f->met, offset) != ID_NONE)
		return true;
	to = hmap_set(&f->met, offset, 1) ? vec_push(&f->offsets) : NULL;
	if (to)
		*to = offset;
	return to;
}

bool seen_fetch_symbols(const struct seen_fetch *f, const char *path,
			const struct debug_file_options *o, struct symtab *symtab)
{
	struct symtab fetched = {0};
	struct image debug;
	int ret;

	if (debug_file_open(&f->image, path, o, DEBUG_FILE_SYMBOLS, &debug, NULL))
		return false;
	ret = image_symbols_load(&f->image, &debug, &fetched, SYMTAB_NESTED, NULL);
	image_close(&debug);
	if (ret) {
		symtab_free(&fetched);
		return false;
	}
	symtab_free(symtab);
	*symtab = fetched;
	return true;
}

const struct image *seen_fetch_take(struct seen_fetch *f)
{
	f->wanted = false;
	return &f->image;
}

void seen_fetch_free(struct seen_fetch *f)
{
	if (f->wanted)
		image_close(&f->image);
	f->wanted = false;
	hmap_free(&f->met);
	vec_free(&f->offsets);
}
