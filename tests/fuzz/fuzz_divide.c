// SPDX-License-Identifier: GPL-2.0
/* A document of profiles in halves, and these again: what a server refused may lie in a folder that others write to. */
#include <stdlib.h>

#include "util/export/divide.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void divide(enum divide_form form, const void *data, size_t size, u32 depth)
{
	struct divide_half halves[2] = {0};
	int ret = divide_document(form, data, size, halves, NULL), i;

	for (i = 0; i < 2; i++) {
		if (ret > 0 && form == DIVIDE_OTLP && !halves[i].samples)
			abort();
		if (ret > 0 && depth)
			divide(form, buf_str(&halves[i].bytes), halves[i].bytes.len, depth - 1);
		buf_free(&halves[i].bytes);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	divide(DIVIDE_OTLP, data, size, 1);
	divide(DIVIDE_PPROF, data, size, 1);
	return 0;
}
