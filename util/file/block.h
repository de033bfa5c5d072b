/* SPDX-License-Identifier: GPL-2.0 */
/*
 * block.h - the blocks a native file is made of (docs/FORMAT.md).
 *
 * A file is a 64-byte file header and then blocks: an 80-byte header and the payload, padded to
 * 8 bytes. Nothing points backwards and nothing is ever rewritten, so whatever is on the disk of a
 * killed recorder can be read up to its last whole block. Everything is little-endian.
 */
#ifndef FILE_BLOCK_H
#define FILE_BLOCK_H

#include "util/base/buf.h"
#include "util/base/cur.h"

#define FILE_MAGIC       "\x89PLD\r\n\x1a\n"
#define FILE_MAGIC_LEN   8
#define FILE_HEADER_SIZE 64
#define FILE_MAJOR       3
#define FILE_MINOR       1

#define BLOCK_MAGIC       "PBLK"
#define BLOCK_MAGIC_LEN   4
#define BLOCK_HEADER_SIZE 80
/* Larger blocks are damage: a recorder flushes at 4 MiB, and one record is at most 64 KiB. */
#define BLOCK_SIZE_MAX (64u << 20)

enum block_type {
	BLOCK_META = 1,    /* facts: (key, value) strings */
	BLOCK_ATTR = 2,    /* one event: flags, attr, name, ids */
	BLOCK_TPFMT = 3,   /* one tracepoint: id, system, name, format text */
	BLOCK_DATA = 4,    /* records, coded by columns.h */
	BLOCK_SYMS = 5,    /* symbols of one DSO's functions that were seen */
	BLOCK_DSO = 6,     /* a mapped file: class, name, build-id, image */
	BLOCK_END = 7,     /* facts known only at the end; nothing follows */
	BLOCK_IDS = 8,     /* more ids of an event: counters opened later */
	BLOCK_LOSS = 9,    /* what was lost: loss.h */
	BLOCK_COUNTS = 10, /* per event: samples, lost, the kernel's own count: loss.h */
	BLOCK_FRAMES = 11, /* source lines of addresses of one DSO */
};

/* flags of an event in BLOCK_ATTR */
enum attr_flags {
	ATTR_SIDEBAND = 1,      /* it carries the side-band records only */
	ATTR_IN_GROUP = 2,      /* that of the event in front of it */
	ATTR_KERNEL_CHAINS = 4, /* its call chains are the kernel's: no marks of ours (chain.h) */
};

enum block_flags {
	BLOCK_ZSTD = 1,     /* the payload is one zstd frame of raw_size bytes (not for DATA) */
	BLOCK_CRITICAL = 2, /* a reader that does not know the type must not go on */
};

struct block {
	u16 type, flags;
	u32 session; /* block_session() of the file's header */
	u64 seq;     /* counts all blocks of the file from 0 */
	u32 records;
	u32 stored_size, raw_size; /* bytes of payload here and when decoded */
	u64 samples_before;        /* samples in all DATA blocks before this one */
	u64 time_min, time_max;    /* of the records with a time; 0 if none has */
	u64 order;                 /* no later block holds a record older than this */
	u64 payload_hash;          /* XXH3-64 of the stored payload */
};

void block_put_header(struct buf *b, const struct block *k);
/* False if magic, hash or sizes are wrong. `p` holds BLOCK_HEADER_SIZE bytes. */
bool block_get_header(const u8 *p, struct block *k);

struct file_header {
	u16 major, minor;
	u64 session[2]; /* random: identifies the recording */
};
/* What its blocks have of it; 0 in files of minor version 0. */
u32 block_session(const struct file_header *h);
void block_put_file_header(struct buf *b, const struct file_header *h);
/* 0, -EINVAL (not such a file, or damaged), -ENOTSUP (a newer major version). */
int block_get_file_header(const u8 *p, struct file_header *h);

#endif
