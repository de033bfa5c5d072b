/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_internal.h - what the pages of the codec share.
 *
 *	columns_encoder.c       records of a block -> payload
 *	columns_rows.c          records -> rows of classes
 *	columns_class.c         how records are cut into columns
 *	columns_dictionary.c    call chains and byte strings, each once
 *	columns_array_write.c   arrays of integers -> bytes
 *	columns_array_read.c    bytes -> arrays of integers
 *	columns_decoder.c       payload -> columns
 *	columns_records.c       columns -> records
 *	columns_groups.c        which rows differ in their time alone
 *	columns_account.c       what the bytes of a payload are
 */
#ifndef FILE_COLUMNS_INTERNAL_H
#define FILE_COLUMNS_INTERNAL_H

#include <linux/perf_event.h>
#include <stdlib.h>

#include "util/base/cur.h"
#include "util/base/types.h"
#include "util/base/vec.h"
#include "util/file/columns.h"
#include "util/file/columns_table.h"
#include "util/file/compress.h"
#include "util/file/sample_groups.h"
#include "util/record/deferred.h"
#include "util/record/event_set.h"

/* The first byte of a payload. */
#define COLUMNS_VERSION 2
/* In it: the records are those of a big-endian machine. */
#define COLUMNS_BIG_ENDIAN 128

#define HOST_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* The sections of a payload. */
enum { SECTION_SIDEBAND, SECTION_SAMPLES, SECTIONS };

/* Of a ring, in the payload. */
enum { RING_SIDEBAND = 1, RING_TIMED = 2 };

/*
 * what all of a DATA payload is made of: arrays of integers, and bytes, coded
 * (docs/FORMAT.md, "Arrays"). columns_array_write.c writes them, columns_array_read.c reads them.
 *
 * The length of an array is not in it: the reader knows it.
 */

/* How an array is coded: the low half of its first byte. The high half: planes, for ..._PLANES. */
enum {
	COLUMNS_ARRAY_PLANES, /* byte by byte, less the minimum; values too large are apart */
	COLUMNS_ARRAY_DELTA,  /* differences from the one before, as an array */
	COLUMNS_ARRAY_DICT,   /* the different values, and which of them each is, as arrays */
	COLUMNS_ARRAY_REGION, /* high halves; low ones as differences to the last of the same */
	COLUMNS_ARRAY_SPLIT,  /* low bits and high ones, as arrays */
};

enum { COLUMNS_STREAM_RAW, COLUMNS_STREAM_CONST, COLUMNS_STREAM_ZSTD };

/* Values of a dictionary, high halves: no more than so many. */
#define COLUMNS_DICT_MAX    65536
#define COLUMNS_REGIONS_MAX 256

/*
 * Make room for n integers in each of `nr` arrays, which have room for *cap. False: memory is out,
 * and *cap 0.
 */
static inline bool columns_ints_room(u64 **arrays, u32 nr, size_t *cap, size_t n)
{
	size_t need = n + n / 4 < 1024 ? 1024 : n + n / 4;
	u64 *to;
	u32 i;

	if (n <= *cap)
		return true;
	*cap = 0;
	for (i = 0; i < nr; i++) {
		to = realloc(arrays[i], need * sizeof(*to));
		if (!to)
			return false;
		arrays[i] = to;
	}
	*cap = need;
	return true;
}

static inline u64 columns_zigzag(u64 v)
{
	return v << 1 ^ (u64)((s64)v >> 63);
}

static inline u64 columns_unzigzag(u64 v)
{
	return v >> 1 ^ (0 - (v & 1));
}

/*
 * read arrays of integers, and bytes.
 *
 * Reading is safe on any bytes: errors set the cursor's `bad`.
 */

struct columns_in {
	struct decompressor zstd;
	struct buf plane; /* a decompressed stream */
	u64 *scratch[2];
	size_t cap;
	bool nomem; /* sticky: memory ran out, which makes the cursor bad, too */
};

void columns_in_free(struct columns_in *in);
/* Memory for n integers in each of in->scratch. */
bool columns_in_room(struct columns_in *in, size_t n);

u64 columns_get_varint(struct cur *c);
/* `n` bytes: in place or decompressed, valid until the next call; NULL, and c->bad. */
const u8 *columns_get_stream(struct columns_in *in, struct cur *c, size_t n);
/* An array of n integers; false, and c->bad. */
bool columns_get_ints(struct columns_in *in, struct cur *c, u64 *v, size_t n);
/* Does an array begin here whose integers are all the same? Then it may be read as one of one. */
bool columns_get_constant(struct cur *c);
bool columns_get_u32s(struct columns_in *in, struct cur *c, u32 *v, size_t n);

/*
 * write arrays of integers, and bytes.
 *
 * An array is coded in the way that looks shortest for what is in it, and says which.
 */

/*
 * For each run of COLUMNS_RUN integers of an array: are they all the same? Then only the first of
 * them is stored.
 */
#define COLUMNS_RUN 128u
struct columns_runs {
	u8 *v;
	u32 nr, cap;
};

struct columns_out {
	struct buf *to; /* what is written goes to its end */
	struct compressor zstd;
	struct columns_table table;
	u64 *scratch[4]; /* arrays; the first is the caller's */
	u8 *planes;
	size_t cap; /* integers that each of them holds */
	struct buf frame, extra;
	bool failed; /* sticky: memory ran out */
};

void columns_out_free(struct columns_out *o);
/* Make room for arrays of n integers; false: memory is out. */
bool columns_out_room(struct columns_out *o, size_t n);

void columns_put_varint(struct buf *b, u64 v);
/* `n` bytes, which the reader knows the number of. */
void columns_put_stream(struct columns_out *o, const void *p, size_t n);
/* An array. `v` may be o->scratch[0]. */
void columns_put_ints(struct columns_out *o, const u64 *v, size_t n);
/* The same in runs (struct columns_runs). What is missing may be put into `v`. */
void columns_put_runs(struct columns_out *o, u64 *v, size_t n, const u8 *groups);
void columns_put_u32s(struct columns_out *o, const u32 *v, size_t n);
/* An array of addresses of code, none of which comes twice. `v` is none of o->scratch. */
void columns_put_addresses(struct columns_out *o, const u64 *v, size_t n);

/*
 * records of the same form: one type, misc and event, and the same columns.
 *
 * A class lists its columns, which cover a record's bytes after the header from left to right. Each
 * record has a row, of one size for the whole class: the bytes of the columns, and four or eight
 * bytes in place of each part of variable length. The list is in the payload, so that its reader
 * need not know how records are laid out.
 */

/* Part of raw data, behind its first 8 bytes. */
#define COLUMN_RAW 0x80

struct columns_col {
	u8 kind;   /* enum columns_kind */
	u8 raw;    /* COLUMN_RAW or 0 */
	u16 width; /* in the row */
	u32 at;    /* in the row */
};

#define COLUMNS_LOOSE_SIZE 10
/* Rows that are made, or taken apart, at a time: few enough to stay in the first cache. */
#define COLUMNS_ROWS    128
#define COLUMNS_OPS_MAX 16

/* How to make a record from a row: copy bytes as they are, or expand a column of another kind. */
struct columns_op {
	u8 kind; /* COLUMN_INT: copy `width` bytes */
	u16 width;
	u32 at, col;
};

struct columns_class {
	u32 type, event;
	u16 misc;
	bool loose; /* type, misc and event differ: they are the first columns, of 4, 2 and 4 bytes */
	VEC(struct columns_col) cols;
	/* made of the above */
	u32 row_size;
	s32 time_at, time2_at, cpu_at, ip_at, chain_at; /* in the row, -1: none */
	u32 time_col;                                   /* the column at time_at */
	u32 nr_ops;
	struct columns_op ops[COLUMNS_OPS_MAX];
};

/* Append a column. INT of another width is split, so that any bytes can be represented. */
bool columns_class_add(struct columns_class *k, enum columns_kind kind, u8 raw, u32 width);
/* All columns are there. False if they make no sense. */
bool columns_class_end(struct columns_class *k);

/*
 * How a value is written where it is probably `other`: as 0 if it is; then 0 is written as what
 * is free, `other`. The same again gives the value back.
 */
static inline u64 columns_class_like(u64 value, u64 other)
{
	if (value == other)
		return 0;
	return value ? value : other;
}

/* An integer of 4 or 8 bytes. */
static inline u64 columns_class_value(const u8 *p, u32 width)
{
	u64 v64;
	u32 v32;

	if (width == 8) {
		memcpy(&v64, p, 8);
		return v64;
	}
	memcpy(&v32, p, 4);
	return v32;
}

/* Make room for `need` bytes in *p, which has room for *cap. False: memory is out. */
bool columns_class_room(u8 **p, size_t *cap, size_t need);

/* `n` values of `width` bytes, each `step` bytes behind the one before. */
void columns_class_copy(u8 *to, u32 to_step, const u8 *from, u32 from_step, u32 width, u32 n);

/* `n` integers of `width` bytes, each `step` bytes behind the one before, as 64 bits. */
void columns_class_widen(const u8 *p, u32 step, u32 width, u64 *to, u32 n);

/*
 * Records of a machine of the other byte order: rows hold their integers in the order of this one
 * while they are coded, and in that of the record where it is made of them, or they of it.
 */

/* Is the column bytes of the record as they are, but for their order? */
bool columns_class_plain(const struct columns_class *k, u32 col);
/* The bytes of `n` integers, each `step` bytes behind the one before, last first. */
void columns_class_reverse(u8 *p, u32 step, u32 width, u32 n);
/* Those of the columns of a row that are differences: TIME, TIME2, CPU, IP. */
void columns_class_reverse_told(const struct columns_class *k, u8 *row);
/* Of the header of a record. */
void columns_class_reverse_header(struct perf_event_header *h);

void columns_class_put(const struct columns_class *k, struct buf *b);
/* False: out of memory, or c->bad. */
bool columns_class_get(struct columns_class *k, struct cur *c);

/*
 * byte strings of a section of a DATA payload, each once: names, mappings.
 */

struct columns_blob {
	u32 at, len; /* in the bytes of all of them */
};

struct columns_blobs {
	struct columns_table known; /* hash -> blob; for adding */
	VEC(struct columns_blob) blobs;
	struct buf bytes;
	bool failed; /* sticky: memory ran out */
};

void columns_blobs_clear(struct columns_blobs *b);
void columns_blobs_free(struct columns_blobs *b);

/* The number of a string. */
u32 columns_blobs_add(struct columns_blobs *b, const void *p, u32 len);
void columns_blobs_put(struct columns_blobs *b, struct columns_out *o);

/* Read them all; false, and c->bad. */
bool columns_blobs_get(struct columns_blobs *b, struct columns_in *in, struct cur *c);

/*
 * the call chains of a section of a DATA payload.
 *
 * A chain is cut before PERF_CONTEXT_USER, or before DEFERRED_CONTEXT, whose cookie is not among
 * the words here. Each half is in a dictionary, as there are far fewer halves than chains. Halves
 * share what they have in common from their outer end: each is a node of a tree whose root is
 * outside of main. Half 0 is the empty one.
 */

enum { COLUMNS_KERNEL, COLUMNS_USER, COLUMNS_HALVES };

struct columns_half {
	u32 at, nr; /* its words */
};

struct columns_node {
	u32 parent;
	u32 ip; /* 0: its address is a new one, else how many new ones ago it was new */
	u64 address;
};

/* Collecting halves. */
struct columns_halves {
	struct columns_table known; /* hash -> half */
	struct columns_table nodes; /* (parent, address) -> node */
	struct columns_table ips;   /* address -> number */
	VEC(u64) words;             /* the halves, one behind the other */
	VEC(struct columns_half) halves;
	VEC(u32) parents, counts; /* of a half: the node it grows from, nodes that are new */
	VEC(struct columns_node) tree;
	VEC(u64) addresses;
	VEC(u32) path; /* the nodes of the half that was new last, the outermost first */
	u32 path_half; /* that half, 0: none */
	u32 last;      /* the half that came last, 0: none */
	bool failed;   /* sticky: memory ran out */
};

void columns_halves_clear(struct columns_halves *h);
void columns_halves_free(struct columns_halves *h);
/* The number of a half of `nr` words. */
u32 columns_halves_add(struct columns_halves *h, const u8 *p, u32 nr, bool *is_new);
void columns_halves_put(struct columns_halves *h, struct columns_out *o);

/* Where the user half begins among the `nr` words at p. */
u32 columns_halves_cut(const u8 *p, u32 nr);

/* Do these words begin with that half (0: none)? One often comes several times in a row. */
static inline bool columns_halves_again(const struct columns_halves *h, u32 half, const u8 *p,
					u32 nr, u32 *len)
{
	const struct columns_half *f;

	if (!half)
		return false;
	f = &h->halves.v[half - 1];
	*len = f->nr;
	return f->nr <= nr && !memcmp(&h->words.v[f->at], p, (size_t)f->nr * 8);
}

struct columns_found {
	u32 node, nr;
	u32 at; /* where its words are, ID_NONE: not yet asked for */
};

/* Halves that were read. */
struct columns_known {
	VEC(struct columns_found) halves;
	VEC(u32) parents;
	VEC(u64) addresses; /* of the nodes */
	VEC(u64) words;
};

/* Read a dictionary; false, and c->bad. */
bool columns_known_get(struct columns_known *k, struct columns_in *in, struct cur *c);
void columns_known_free(struct columns_known *k);
/*
 * The addresses of a half, valid until the next call; false: there is none with that number, or
 * memory is out (in->nomem).
 */
bool columns_known_half(struct columns_known *k, struct columns_in *in, u32 half, const u64 **words,
			u32 *nr);
/* The second word of the chain made of two halves, 0 if it has none; false: no such halves. */
bool columns_known_second(const struct columns_known *k, const u32 halves[COLUMNS_HALVES],
			  u64 *word);

/*
 * the call chain of a record as the numbers of its two halves,
 * where it mostly is the one of the record before it of the same event.
 */

/* So many words at most are kept, of a chain that came so often in a row. */
#define COLUMNS_CHAIN_MAX   32
#define COLUMNS_CHAIN_TIMES 4

/* The last call chain of an event in this block; all zeros: there was none. */
struct columns_chain {
	u32 kernel, user; /* its halves */
	u32 times;        /* that it came again in a row */
	u32 nr;           /* of its words; 0: they are not kept */
	u64 words[COLUMNS_CHAIN_MAX];
};

/*
 * Add the `nr` words at p, of a record of that type: *c gets the numbers of their halves. `s`
 * gets what columns_add() says of a record without any; NULL: nothing is to be said.
 */
void columns_chain_any(struct columns_chain *c, struct columns_halves halves[COLUMNS_HALVES],
		       u32 type, const u8 *p, u32 nr, struct columns_stacks *s);

static inline void columns_chain_tell(const struct columns_chain *c, struct columns_stacks *s)
{
	s->kernel = c->kernel ? c->kernel : ID_NONE;
	s->user = c->user ? c->user : ID_NONE;
}

/* The same, of a sample. */
static inline void columns_chain_sample(struct columns_chain *c,
					struct columns_halves halves[COLUMNS_HALVES], const u8 *p,
					u32 nr, struct columns_stacks *s)
{
	if (!nr || nr != c->nr || memcmp(c->words, p, (size_t)nr * 8)) {
		columns_chain_any(c, halves, PERF_RECORD_SAMPLE, p, nr, s);
		return;
	}
	halves[COLUMNS_USER].last = c->user;
	if (s)
		columns_chain_tell(c, s);
}

/*
 * how records are cut into columns: all that the coder knows of their layout.
 *
 * Where it is wrong, or a record is not what its event says, only the size of the file suffers.
 */

/* What is behind the raw data. */
enum columns_behind {
	BEHIND_FIXED, /* `behind` bytes */
	BEHIND_REST,  /* as many as there are: registers, stacks */
};

/* How to recognise a sample with the parts of the one before, except for the length of its call chain. */
struct columns_again {
	u32 size; /* without the words of the call chain; 0: none is like that */
	u32 raw;  /* bytes of raw data */
	u16 misc;
};

/* Of the samples of an event, made once. */
struct columns_layout {
	const struct event_desc *event; /* NULL: not known */
	bool foreign;                   /* records are of the other byte order */
	u32 lead;                       /* bytes of a record before the read values */
	bool group;                     /* read values of a group: each record says how many */
	u32 read;                       /* bytes of the read values, without those of the group */
	u32 each;                       /* bytes per member of the group */
	bool chain, raw;
	u32 fields; /* bytes of raw data that its fields cover; 0: not known */
	enum columns_behind behind_kind;
	u32 behind;
	/* for the caller: */
	u32 last; /* the class of its record before this */
	struct columns_again again;
	struct columns_chain before; /* the call chain of its last record */
};

void columns_layout_init(struct columns_layout *l, const struct event_desc *event, bool foreign);

/* Records with the same one have the same columns. */
struct columns_key {
	u32 type, event;
	u32 form; /* which other parts they have */
	u16 misc;
	u16 lead;
	u8 chain; /* enum columns_kind of the call chain, 0: there is none */
};

/* The parts of a record; key.form has those that are there. */
struct columns_parts {
	struct columns_key key;
	u32 chain; /* words of its call chain, behind key.lead bytes and their number; no cookie */
	u32 raw;   /* bytes of raw data */
};

/* Does the record have the parts in l->again? `chain`: words of its call chain. */
static inline bool columns_shape_again(const struct columns_layout *l, const struct rec *rec,
				       u32 *chain)
{
	const u8 *p = rec->data + l->lead + l->read;
	u64 nr, last;
	u32 raw;

	*chain = 0;
	if (rec->type != PERF_RECORD_SAMPLE || rec->misc != l->again.misc || !l->again.size ||
	    rec->size < l->again.size)
		return false;
	if (l->chain) {
		memcpy(&nr, p, sizeof(nr));
		if (nr != (rec->size - l->again.size) / 8)
			return false;
		*chain = (u32)nr;
		p += 8 + nr * 8;
		if (nr >= 2) {
			memcpy(&last, p - 16, sizeof(last));
			if (last == DEFERRED_CONTEXT)
				return false;
		}
	}
	if (l->raw) {
		memcpy(&raw, p, sizeof(raw));
		if (raw != l->again.raw)
			return false;
	}
	return rec->size == l->again.size + *chain * 8;
}

void columns_shape_parts(const struct columns_layout *l, const struct rec *rec,
			 struct columns_parts *p);

/* The columns of such records. False: out of memory. */
bool columns_shape_class(const struct columns_layout *l, const struct rec *rec,
			 const struct columns_parts *p, struct columns_class *k);
/* A class for anything, for when there are too many others. */
bool columns_shape_loose(struct columns_class *k);

/*
 * the records of one class while a block fills: rows, which are taken apart into
 * columns every COLUMNS_ROWS of them.
 *
 * Most columns hold one value for a long time. Whole rows are compared for that, and where all have
 * the same value in a column, one is taken: such a run costs no work of its own, here and where it
 * is encoded.
 */

/* The values of one column, one behind the other. */
struct columns_array {
	u8 *data;
	size_t cap;
	struct columns_runs runs;
	bool varies; /* they are not all the same; known at the end */
};

struct columns_rows {
	struct columns_class class;
	struct columns_key key;
	u32 plain; /* bytes of a record that are in its row as they are */
	bool open; /* some of a record may be of any length, besides its call chain */
	/* if nothing is: bytes of the row before the call chain and behind it */
	u32 lead, behind;
	bool time_alone; /* of that, nothing but the time is written as the difference to something */
	u32 nr;          /* values in the columns */
	VEC(struct columns_array) arrays;
	u32 nr_rows;
	u8 *rows;   /* the last ones, class.row_size bytes each; in the same memory: */
	u8 *differ; /* not 0: a byte in which they differ */
	size_t cap;
	struct buf rest;
};

/* Take the last rows apart, too, and find out which columns vary. False: memory is out. */
bool columns_rows_end(struct columns_rows *r);

/*
 * one section of a DATA payload: records in, their columns out.
 */

/* A ring as the coder knows it. */
struct columns_source {
	struct columns_ring ring;
	u64 first, last; /* time of its first record, and of the last so far */
	bool timed;      /* they are known */
	bool unwanted;   /* by the reader: its samples */
};

struct columns_writer {
	const struct event_set *events;
	VEC(struct columns_layout) layouts; /* by event, behind them that of unknown ones */
	VEC(struct columns_rows) classes;   /* with the memory of earlier blocks */
	u32 nr_classes;
	struct columns_table by_key;
	VEC(u16) order; /* the class of each record */
	VEC(u32) run_sources, run_records;
	struct columns_halves halves[COLUMNS_HALVES];
	struct columns_blobs blobs;
	struct buf columns, column;
	VEC(u32) grouped; /* rows of a class in the order of its key */
	struct columns_runs runs;
	u64 *words;   /* a call chain, if `foreign` */
	bool foreign; /* records are of the other byte order; the owner's */
	u32 source;   /* of the run that follows */
	bool in_run;  /* it has begun */
	bool failed;
};

void columns_writer_clear(struct columns_writer *w);
void columns_writer_free(struct columns_writer *w);
/* Records follow that come from `sources[source]`. */
void columns_writer_run(struct columns_writer *w, u32 source);
void columns_writer_add(struct columns_writer *w, struct columns_source *source,
			const struct rec *rec, struct columns_stacks *stacks);

/*
 * which rows of a section are the same in all columns but the time.
 *
 * The key of a row, its values in the columns that differ within the class, is packed into a few
 * words. Rows without a time, with times of two kinds, or with bytes that are in no column are not
 * folded; nor are the remaining rows of a block if most are new.
 */

/* The values of one column, one behind the other; `data` holds one if all are the same. */
struct columns_values {
	u8 *data;
	size_t cap;
	bool constant;
};

/* The kind of the rows of one number that came last, and the source of that; ID_NONE: none. */
struct columns_fold_near {
	u32 source, kind;
};

/* The keys of a class's rows. */
struct columns_fold_class {
	bool folds;
	u32 words, nr_words; /* of the first row, in `words`; of each row */
	u32 near;        /* `words` has one number for each row: that of 0 in `near`. ID_NONE: no */
	const u8 *times; /* differences */
	u32 step;        /* from one to the next: 0 or 8 */
};

struct columns_fold_kind {
	u32 class, row, source;
};

struct columns_fold {
	VEC(struct columns_fold_class) classes;
	VEC(u64) words;
	VEC(struct columns_fold_near) near;
	VEC(struct columns_fold_kind) kinds;
	struct columns_table table; /* hash of the words -> kind */
};

void columns_fold_clear(struct columns_fold *f);
void columns_fold_free(struct columns_fold *f);
/*
 * Take up the next class, whose `nr` rows have been read; the values stay until the last is looked for.
 * False: memory is out.
 */
bool columns_fold_add(struct columns_fold *f, const struct columns_class *class,
		      const struct columns_values *values, u32 nr, bool no_chains);
/*
 * Append to `to` the samples of `nr` rows of a class that folds, from one source. There must be room
 * for them, and the kinds must be in order of their numbers. *last is the time before them, then
 * that of the last one taken. Returns how many were taken: fewer if one is of a new kind, which is
 * appended to `to` as well. ID_NONE: out of memory.
 */
u32 columns_fold_take(struct columns_fold *f, u32 class, u32 row, u32 nr, u32 source, u64 *last,
		      struct sample_groups *to);

/*
 * Do `samples`, so many until now, have so many kinds that it is not worth looking for more? Nearly all may be
 * new at first that are seen often in the end.
 */
static inline bool columns_fold_vain(const struct columns_fold *f, u32 samples)
{
	return samples > 2048 && f->kinds.nr > samples - samples / 8;
}

/*
 * one section of a DATA payload: its columns in.
 *
 * Opening it decodes all the columns that are wanted. Whatever the bytes are, no more memory is taken than a few
 * times BLOCK_SIZE_MAX.
 */

/* The records of one class. */
struct columns_read_rows {
	struct columns_class class;
	u32 nr, next; /* records; the one to be read next */
	VEC(struct columns_values) values;
	u8 *rows; /* of records [first, end) */
	u32 first, end;
	u32 same;   /* rows that hold what is constant */
	bool plain; /* bytes, perhaps a call chain, bytes: most samples */
	u32 lead;   /* of a plain one: bytes of a row before the call chain */
	u32 tail;   /* those behind it */
	bool skips; /* samples, of which nothing need be known but the time to pass over one */
	size_t cap;
	struct buf rest; /* what COLUMN_REST holds */
	size_t rest_at;
};

struct columns_reader {
	struct columns_in *in;
	struct columns_want want;
	bool foreign; /* records come out in the other byte order */
	VEC(struct columns_read_rows) classes;
	u32 nr_classes;
	VEC(u16) order;
	VEC(u32) run_sources, run_records;
	VEC(u32) grouped; /* the rows of a class in the order of a column */
	u32 grouped_by;   /* that column */
	u32 next, run;    /* record; run */
	struct columns_known halves[COLUMNS_HALVES];
	struct columns_blobs blobs;
	struct columns_fold fold;
	bool folds;  /* samples may be folded */
	size_t made; /* bytes of records so far */
};

/*
 * the records of a section of a DATA payload, made of its columns: rows of a class are filled
 * a few at a time, and a record is made of one when it is asked for.
 */

/* Begin with the first of k->nr records of a class whose columns are known. False: memory is out. */
bool columns_record_begin(const struct columns_reader *r, struct columns_read_rows *k);

/* Records that are left. */
static inline u32 columns_reader_left(const struct columns_reader *r)
{
	return r->order.nr - r->next;
}
/* As columns_next_to(). */
int columns_reader_next(struct columns_reader *r, struct columns_source *sources, void *to,
			struct rec *rec);

/*
 * Append the next samples to `to`, as long as they are of kinds that it has. True: the last one is
 * the first of a new kind; columns_reader_next() gives its record.
 */
bool columns_reader_groups(struct columns_reader *r, struct columns_source *sources,
			   struct sample_groups *to);

/*
 * a column in the order of another one: what a value means often depends on another field, as an
 * argument does on the system call. Rows that agree in that field are put together, in their own
 * order. Readers have the other column already, so the order itself costs nothing.
 */

/* Keys are compared by this many of their low bits. */
#define COLUMNS_GROUP_BITS 12
/* How many values of a column are sampled. */
#define COLUMNS_GROUP_SAMPLE 2048u

/* order[i] is the row of which the i-th value is. */
void columns_group_order(const u64 *keys, u32 n, u32 *order);

/*
 * Does each of the values look more like the last one with its key than like the one before? Only
 * the first COLUMNS_GROUP_SAMPLE of them are looked at, so that no more keys are needed.
 */
bool columns_group_helps(const u64 *keys, const u64 *values, u32 n);

#endif
