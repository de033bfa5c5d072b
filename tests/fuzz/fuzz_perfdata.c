// SPDX-License-Identifier: GPL-2.0
/* perf.data files, from the header to the symbols; and as who only counts reads them. */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const struct source_want counting = {.grouped = true, .no_raw = true};

	reading_bytes(data, size);
	reading_bytes_as(data, size, &counting);
	return 0;
}
