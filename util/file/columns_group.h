/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_group.h - a column in the order of another one: what a value means often depends on
 * another field, as an argument on the system call. Rows that agree in that field stand together
 * then, in their own order. Readers have the other column already, so the order itself costs
 * nothing.
 */
#ifndef FILE_COLUMNS_GROUP_H
#define FILE_COLUMNS_GROUP_H

#include "util/base/types.h"

/* Keys are told apart by so many of their low bits. */
#define COLUMNS_GROUP_BITS 12
/* So many values tell how a column is. */
#define COLUMNS_GROUP_SAMPLE 2048u

/* order[i] is the row of which the i-th value is. */
void columns_group_order(const u64 *keys, u32 n, u32 *order);

/*
 * Does each of the values look more like the last one with its key than like the one before? The
 * first COLUMNS_GROUP_SAMPLE of them tell, so that no more keys are needed.
 */
bool columns_group_helps(const u64 *keys, const u64 *values, u32 n);

#endif
