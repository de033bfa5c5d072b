/* SPDX-License-Identifier: GPL-2.0 */
/*
 * verify.h - is a native file whole, and do its totals agree?
 *
 *	verify_open() -> verify_next() for each block -> verify_end() -> verify_free()
 *
 * Checked are: every hash; numbers and padding of the blocks; that a payload decodes to as many
 * records and bytes as its header says, whose times lie where it says; that the rings' bytes follow
 * each other; that the file was finished; that each event has as many samples as its account says,
 * and that samples + lost + excluded + unwritten are what the kernel counted.
 */
#ifndef FILE_VERIFY_H
#define FILE_VERIFY_H

#include "util/file/blocks_account.h"
#include "util/file/foreign_order.h"

struct verify_problem {
	u64 at; /* byte of the file; UINT64_MAX: of the whole */
	const char *text;
};

/* How far the reading has come. */
struct verify_state {
	struct blocks in;
	struct columns_decoder *decoder;
	struct blocks_account account;
	struct data_block data;
	struct foreign_order foreign;
	u64 order;
};

struct verify {
	struct recording recording; /* with what is damaged, missing or there twice */
	u64 size;                   /* bytes read */
	u64 blocks, data_blocks;
	u64 records, samples;
	u64 raw;                /* bytes of the records */
	u64 time_min, time_max; /* of all records that have one */
	VEC(u64) event_samples; /* by event */
	u64 lost;               /* reported by LOST records */
	u64 nr_problems;
	VEC(struct verify_problem) problems; /* the first of them */
	struct verify_state state;
};

/* verify_free() it also if it cannot be opened. */
int verify_open(struct verify *v, const char *path, struct err *err);
/* 1: *it was the next block, with what `data` holds of it if it is DATA; 0: the end; <0. */
int verify_next(struct verify *v, struct blocks_item *it, struct err *err);
/* What can only be said of the whole. */
int verify_end(struct verify *v, struct err *err);
void verify_free(struct verify *v);

/* Does the kernel's count of an event say how many samples there should be, and are they there? */
enum verify_account { VERIFY_NO_COUNT, VERIFY_CLOSES, VERIFY_OPEN };
enum verify_account verify_account(const struct counts *n);

#endif
