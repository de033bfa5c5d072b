// SPDX-License-Identifier: GPL-2.0
/* A document of profiles in halves, and these again: what a server refused may lie in a folder that others write to. */
#include <stdlib.h>

#include "util/export/divide.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void divide(enum divide_form form, const void *data, size_t size, u32 depth)
{
	struct divide_part part;
	u64 nr, i;

	if (divide_count(form, data, size, &nr, NULL) || nr < 2)
		return;
	for (i = 0; i < 2; i++) {
		part = (struct divide_part){.from = i ? nr / 2 : 0, .until = i ? nr : nr / 2};
		if (!divide_document(form, data, size, &part, NULL)) {
			if (form == DIVIDE_OTLP && part.samples != part.until - part.from)
				abort();
			if (depth)
				divide(form, buf_str(&part.bytes), part.bytes.len, depth - 1);
		}
		buf_free(&part.bytes);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	divide(DIVIDE_OTLP, data, size, 1);
	divide(DIVIDE_PPROF, data, size, 1);
	return 0;
}
