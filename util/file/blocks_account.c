// SPDX-License-Identifier: GPL-2.0
#include "util/file/blocks_account.h"

#include <errno.h>

static void note_damage(struct blocks_account *a, u64 at, u64 bytes)
{
	struct recording_damage *d = &a->recording->damage;

	if (!d->bytes)
		d->first_at = at;
	d->bytes += bytes;
	d->blocks++;
}

void blocks_account_begin(struct blocks_account *a, struct recording *r, const struct blocks *b)
{
	*a = (struct blocks_account){.recording = r};
	if (b->damaged)
		note_damage(a, 0, b->damaged);
}

/* Every block says how many samples came before it: what is missing was lost with a hole. */
static void count_samples(struct blocks_account *a, const struct block *k, struct blocks_step *step)
{
	if (a->samples_unknown)
		a->samples = k->samples_before;
	a->samples_unknown = false;
	step->samples = a->samples;
	step->fewer = k->samples_before < a->samples && k->seq >= a->next_seq && !a->after_bad;
	if (k->samples_before <= a->samples)
		return;
	step->missing = k->samples_before - a->samples;
	a->recording->damage.samples += step->missing;
	a->samples = k->samples_before;
}

/* Every block has its number, too. A hole is reported as such. */
static void count_blocks(struct blocks_account *a, const struct blocks_item *it,
			 struct blocks_step *step)
{
	struct recording_damage *d = &a->recording->damage;
	const u64 seq = it->head.seq;

	if (seq > a->next_seq && !a->after_bad) {
		step->blocks = seq - a->next_seq;
		if (!d->missing)
			d->missing_at = it->at;
		d->missing += step->blocks;
	}
	a->next_seq = MAX(a->next_seq, seq + 1);
	a->after_bad = false;
}

static int take_data(struct blocks_account *a, const struct block *k, const struct data_block *data,
		     struct blocks_step *step)
{
	int ret = meta_repeated(&a->meta, k);

	a->meta.records = true;
	if (ret < 0)
		return ret;
	if (data->ret && data->ret != -EBADMSG)
		return data->ret;
	if (!data_rings_take(&a->rings, data, &step->rings))
		return -ENOMEM;
	step->repeated = ret || step->rings.repeated;
	if (step->repeated)
		return 0;
	count_samples(a, k, step);
	a->samples += data->samples;
	return data->ret;
}

static int take_meta(struct blocks_account *a, const struct blocks_item *it,
		     struct blocks_step *step)
{
	const struct block *k = &it->head;
	int ret;

	if (k->seq >= a->next_seq)
		count_samples(a, k, step);
	ret = meta_read(&a->meta, a->recording, k, it->payload);
	step->repeated = ret == META_REPEATED;
	a->ended = k->type == BLOCK_END && !step->repeated;
	return MIN(ret, 0);
}

/* But for blocks that are there twice, nothing belongs there: another recording was joined to this one, or the disk is at fault. */
static int take_behind_end(struct blocks_account *a, const struct blocks_item *it,
			   struct blocks_step *step)
{
	struct recording_damage *d = &a->recording->damage;
	int ret = it->kind == BLOCKS_WHOLE ? meta_repeated(&a->meta, &it->head) : 0;

	step->repeated = ret == META_REPEATED;
	step->after_end = !ret;
	if (step->after_end && !d->after_end)
		d->after_end = it->at;
	return MIN(ret, 0);
}

static int take_whole(struct blocks_account *a, const struct blocks_item *it,
		      const struct data_block *data, struct blocks_step *step)
{
	const u64 size = BLOCK_HEADER_SIZE + (u64)it->head.stored_size;
	int ret = it->head.type == BLOCK_DATA ? take_data(a, &it->head, data, step)
					      : take_meta(a, it, step);

	count_blocks(a, it, step);
	if (ret == -ENOMEM || ret == -ENOTSUP)
		return ret;
	step->bad = ret;
	if (ret)
		note_damage(a, it->at, it->bytes);
	else if (!it->padded)
		note_damage(a, it->at + size, it->bytes - size);
	return 0;
}

int blocks_account_take(struct blocks_account *a, const struct blocks_item *it,
			const struct data_block *data, struct blocks_step *step, struct err *err)
{
	int ret = 0;

	*step = (struct blocks_step){0};
	if (a->ended) {
		ret = take_behind_end(a, it, step);
	} else if (it->kind == BLOCKS_WHOLE) {
		ret = take_whole(a, it, data, step);
	} else {
		a->after_bad = true;
		if (it->kind == BLOCKS_CUT)
			a->recording->damage.cut_at = it->at;
		else
			note_damage(a, it->at, it->bytes);
	}
	a->recording->damage.repeated += step->repeated;
	if (ret == -ENOMEM)
		return err_nomem(err);
	if (ret != -ENOTSUP)
		return 0;
	err_set(err, ENOTSUP, "block %llu at byte %llu is of a newer format",
		(unsigned long long)it->head.seq, (unsigned long long)it->at);
	err_hint(err, "read it with the perf-lite that wrote it, or a newer one");
	return -ENOTSUP;
}

void blocks_account_free(struct blocks_account *a)
{
	meta_free(&a->meta);
	data_rings_free(&a->rings);
}
