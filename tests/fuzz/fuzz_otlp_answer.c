// SPDX-License-Identifier: GPL-2.0
/* What a server answers, as either message: what it says is inside of it. */
#include <stdlib.h>

#include "util/export/otlp_answer.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void look(const struct otlp_answer *a, const u8 *data, size_t size)
{
	const u8 *said = (const u8 *)a->message;
	size_t i, sum = 0;

	if (!said != !a->len ||
	    (said && (said < data || a->len > size || said + a->len > data + size)))
		abort();
	for (i = 0; i < a->len; i++)
		sum += said[i];
	if (sum > a->len * 255)
		abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct otlp_answer a;

	otlp_answer_success(data, size, &a);
	look(&a, data, size);
	otlp_answer_failure(data, size, &a);
	if (a.rejected)
		abort();
	look(&a, data, size);
	return 0;
}
