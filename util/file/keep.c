// SPDX-License-Identifier: GPL-2.0
#include "util/file/keep.h"

#include <stdlib.h>
#include <string.h>

#include "util/file/writer.h"

int keep_add(struct keep *k, const struct block *head, u32 samples, const void *payload,
	     struct err *err)
{
	bool data = head->type == BLOCK_DATA;
	u8 *copy = malloc(MAX(head->stored_size, 1u));
	struct keep_block *b = NULL;

	if (copy)
		b = data ? vec_push(&k->data) : vec_push(&k->meta);
	if (!b) {
		free(copy);
		return err_nomem(err);
	}
	memcpy(copy, payload, head->stored_size);
	*b = (struct keep_block){.head = *head, .samples = samples, .payload = copy};
	k->bytes += data ? head->stored_size : 0;
	return 0;
}

static bool is_old(const struct keep *k, const struct keep_block *b, u64 now)
{
	return k->window_ns && b->head.time_max + k->window_ns < now;
}

const struct keep_block *keep_oldest(struct keep *k, u64 now)
{
	const struct keep_block *b;

	if (k->first == k->data.nr)
		return NULL;
	b = &k->data.v[k->first];
	return is_old(k, b, now) || k->bytes > k->max_bytes ? b : NULL;
}

void keep_drop(struct keep *k, u64 now)
{
	struct keep_block *b = &k->data.v[k->first++];

	if (!is_old(k, b, now))
		k->dropped += b->samples;
	k->evicted += b->samples;
	k->bytes -= b->head.stored_size;
	free(b->payload);
	b->payload = NULL;
	/* the room of those that went is used again now and then */
	if (k->first >= 64 && k->first * 2 >= k->data.nr) {
		memmove(k->data.v, k->data.v + k->first,
			(k->data.nr - k->first) * sizeof(*k->data.v));
		k->data.nr -= k->first;
		k->first = 0;
	}
}

int keep_write(const struct keep *k, struct writer *w, struct err *err)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < k->meta.nr && !ret; i++)
		ret = writer_kept(w, &k->meta.v[i], err);
	for (i = k->first; i < k->data.nr && !ret; i++)
		ret = writer_kept(w, &k->data.v[i], err);
	return ret;
}

void keep_clear(struct keep *k)
{
	u32 i;

	for (i = 0; i < k->meta.nr; i++)
		free(k->meta.v[i].payload);
	for (i = k->first; i < k->data.nr; i++)
		free(k->data.v[i].payload);
	k->meta.nr = k->data.nr = k->first = 0;
	k->bytes = 0;
}

void keep_free(struct keep *k)
{
	keep_clear(k);
	vec_free(&k->meta);
	vec_free(&k->data);
}
