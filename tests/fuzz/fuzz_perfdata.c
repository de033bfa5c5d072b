// SPDX-License-Identifier: GPL-2.0
/* perf.data files, from the header to the symbols. */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	reading_bytes(data, size);
	return 0;
}
