// SPDX-License-Identifier: GPL-2.0
#include "util/file/sample_groups.h"

void sample_groups_clear(struct sample_groups *a)
{
	a->kinds.nr = a->times.nr = a->kind_of.nr = a->runs.nr = 0;
	buf_reset(&a->bytes);
}

void sample_groups_free(struct sample_groups *a)
{
	vec_free(&a->kinds);
	buf_free(&a->bytes);
	vec_free(&a->times);
	vec_free(&a->kind_of);
	vec_free(&a->runs);
}
