// SPDX-License-Identifier: GPL-2.0
#include "util/export/parquet_internal.h"

/* Runs and literals alternate; literals are eight, sixteen, ... */
#define GROUP 8

static void put_bytes(u64 v, u32 bytes, struct buf *out)
{
	for (; bytes; bytes--, v >>= 8)
		buf_u8(out, (u8)v);
}

/* Numbers of less than a byte, the first in the lowest bits; `nr` fills whole bytes. */
static void put_bits(const u32 *v, u64 nr, u64 padded, u32 bits, struct buf *out)
{
	u32 byte = 0, at = 0;
	u64 i;

	for (i = 0; i < padded; i++) {
		byte |= (i < nr ? v[i] : 0) << at;
		at += bits;
		if (at < 8)
			continue;
		buf_u8(out, (u8)byte);
		byte = at = 0;
	}
}

static void put_literals(const u32 *v, u64 nr, u32 bits, struct buf *out)
{
	const u64 groups = (nr + GROUP - 1) / GROUP, padded = groups * GROUP;
	char *to;
	u64 i;

	if (!nr)
		return;
	parquet_thrift_varint(out, groups << 1 | 1);
	if (bits < 8) {
		put_bits(v, nr, padded, bits, out);
		return;
	}
	to = buf_room(out, padded * bits / 8);
	if (!to)
		return;
	for (i = 0; i < padded; i++, to += bits / 8) {
		const u32 n = i < nr ? v[i] : 0;
		u32 byte;

		for (byte = 0; byte < bits / 8; byte++)
			to[byte] = (char)(n >> 8 * byte);
	}
	buf_wrote(out, padded * bits / 8);
}

static void put_run(u32 v, u64 nr, u32 bits, struct buf *out)
{
	parquet_thrift_varint(out, nr << 1);
	put_bytes(v, (bits + 7) / 8, out);
}

static u64 run_of(const u32 *v, u64 nr)
{
	u64 i;

	for (i = 1; i < nr && v[i] == v[0]; i++)
		;
	return i;
}

void parquet_encode_hybrid(const u32 *v, u64 nr, u32 bits, struct buf *out)
{
	u64 from = 0, at = 0, run, fill;

	while (at < nr) {
		run = run_of(v + at, nr - at);
		fill = (GROUP - (at - from) % GROUP) % GROUP;
		at += run;
		if (run < fill + GROUP)
			continue;
		put_literals(v + from, at - run + fill - from, bits, out);
		put_run(v[at - 1], run - fill, bits, out);
		from = at;
	}
	put_literals(v + from, nr - from, bits, out);
}

/* A block is miniblocks of MINI differences, each miniblock with a size of its own. */
#define MINI  32
#define MINIS 4
#define BLOCK (MINI * MINIS)

static u32 bytes_of(u64 v)
{
	u32 n = 0;

	for (; v; v >>= 8)
		n++;
	return n;
}

static s64 extend(u64 v, u32 size)
{
	return size == 4 ? (s32)(u32)v : (s64)v;
}

/* d[0..nr), in room for a whole block: the last miniblock is filled up. */
static void put_block(u64 *d, u32 nr, s64 base, u32 size, struct buf *out)
{
	u32 bytes[MINIS] = {0}, i, m;

	for (i = 0; i < nr; i++) {
		d[i] -= (u64)base;
		if (size == 4)
			d[i] = (u32)d[i];
		bytes[i / MINI] = MAX(bytes[i / MINI], bytes_of(d[i]));
	}
	for (; i < BLOCK; i++)
		d[i] = 0;
	parquet_thrift_zigzag(out, base);
	for (m = 0; m < MINIS; m++)
		buf_u8(out, (u8)(bytes[m] * 8));
	for (i = 0; i < (nr + MINI - 1) / MINI * MINI; i++)
		put_bytes(d[i], bytes[i / MINI], out);
}

void parquet_encode_delta(const u64 *v, u64 nr, u32 size, struct buf *out)
{
	s64 least = 0, most = 0, step;
	u64 d[BLOCK], at;
	u32 i;

	parquet_thrift_varint(out, BLOCK);
	parquet_thrift_varint(out, MINIS);
	parquet_thrift_varint(out, nr);
	parquet_thrift_zigzag(out, nr ? extend(v[0], size) : 0);
	for (at = 1; at < nr; at += BLOCK) {
		for (i = 0; i < BLOCK && at + i < nr; i++) {
			step = extend(v[at + i] - v[at + i - 1], size);
			least = i ? MIN(least, step) : step;
			most = i ? MAX(most, step) : step;
			d[i] = (u64)step;
		}
		/* the same difference is the same bytes in all blocks, where that costs nothing */
		if (least > 0 && bytes_of((u64)most) == bytes_of((u64)most - (u64)least))
			least = 0;
		put_block(d, i, least, size, out);
	}
}
