// SPDX-License-Identifier: GPL-2.0
/* Damaged notes of static probes, of either word size and byte order, and ELF files that hold them. */
#include <stdlib.h>
#include <string.h>

#include "util/image/image_usdt.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void look(const struct image_usdt_list *l, size_t size)
{
	size_t text = 0;
	u32 i;

	for (i = 0; i < l->probes.nr; i++) {
		const struct image_usdt_probe *p = &l->probes.v[i];

		if (!p->provider[0] || !p->name[0] || strpbrk(p->provider, ":, @/{}") ||
		    strpbrk(p->name, ":, @/{}"))
			abort();
		text += strlen(p->provider) + strlen(p->name) + strlen(p->arguments);
	}
	if (text > size)
		abort();
}

static void try_notes(const u8 *data, size_t size, u8 word, bool swap)
{
	struct image_usdt_list l = {0};

	if (!image_usdt_parse(data, size, word, swap, 0x2015, &l))
		look(&l, size);
	image_usdt_free(&l);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct image_usdt_list l = {0};
	struct image img;

	try_notes(data, size, 4, false);
	try_notes(data, size, 4, true);
	try_notes(data, size, 8, false);
	try_notes(data, size, 8, true);
	if (!image_open_memory(&img, data, size, NULL)) {
		if (!image_usdt_load(&img, &l, NULL))
			look(&l, size);
		image_usdt_free(&l);
		image_close(&img);
	}
	return 0;
}
