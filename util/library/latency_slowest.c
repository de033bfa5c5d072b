// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "util/library/latency_internal.h"

/* A heap whose first is the least. */

static void swap(struct latency_span *a, struct latency_span *b)
{
	struct latency_span t = *a;

	*a = *b;
	*b = t;
}

static void sift_down(struct latency *l)
{
	struct latency_span *v = l->slow.v;
	u32 i = 0, child;

	while ((child = 2 * i + 1) < l->slow.nr) {
		if (child + 1 < l->slow.nr &&
		    latency_length(&v[child + 1]) < latency_length(&v[child]))
			child++;
		if (latency_length(&v[i]) <= latency_length(&v[child]))
			break;
		swap(&v[i], &v[child]);
		i = child;
	}
}

int latency_slowest_keep(struct latency *l, const struct latency_span *slow, struct err *err)
{
	struct latency_span *v;
	u32 i;

	if (l->slow.nr >= l->asked.slowest) {
		if (!l->slow.nr || latency_length(slow) <= latency_length(&l->slow.v[0]))
			return 0;
		l->slow.v[0] = *slow;
		sift_down(l);
		return 0;
	}
	v = vec_push(&l->slow);
	if (!v)
		return err_nomem(err);
	*v = *slow;
	for (i = l->slow.nr - 1; i; i = (i - 1) / 2) {
		v = l->slow.v;
		if (latency_length(&v[(i - 1) / 2]) <= latency_length(&v[i]))
			break;
		swap(&v[(i - 1) / 2], &v[i]);
	}
	return 0;
}

static int compare_slow(const void *a, const void *b)
{
	const struct latency_span *x = a, *y = b;
	u64 m = latency_length(x), n = latency_length(y);

	if (m != n)
		return m > n ? -1 : 1;
	return x->span.begin < y->span.begin ? -1 : x->span.begin > y->span.begin;
}

void latency_slowest_sort(struct latency *l)
{
	if (l->slow.nr)
		qsort(l->slow.v, l->slow.nr, sizeof(*l->slow.v), compare_slow);
}
