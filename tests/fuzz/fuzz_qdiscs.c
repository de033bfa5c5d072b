// SPDX-License-Identifier: GPL-2.0
/*
 * Pieces of the kernel's answer to what queueing disciplines there are, in the byte order of this machine. Names are texts, and there
 * are no more of them than messages.
 */
#include <stdlib.h>
#include <string.h>

#include "util/kernel/qdiscs.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct qdiscs q = {0};
	struct buf name = {0};
	int ret = qdiscs_parse(&q, data, size);
	u32 i;

	if (ret > 1 || ret < -4095)
		abort();
	/* a message has its header and what it is of */
	if (q.v.nr > size / 36)
		abort();
	for (i = 0; i < q.v.nr; i++) {
		if (strnlen(q.v.v[i].kind, sizeof(q.v.v[i].kind)) == sizeof(q.v.v[i].kind))
			abort();
		buf_clear(&name);
		qdiscs_put_name(&q.v.v[i], &name);
	}
	buf_free(&name);
	qdiscs_free(&q);
	return 0;
}
