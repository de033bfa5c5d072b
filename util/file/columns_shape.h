/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_shape.h - how records are cut into columns: all that the coder knows of their layout.
 *
 * Where it is wrong, or a record is not what its event says, only the size of the file suffers.
 */
#ifndef FILE_COLUMNS_SHAPE_H
#define FILE_COLUMNS_SHAPE_H

#include "util/file/columns_chain.h"
#include "util/file/columns_class.h"
#include "util/record/deferred.h"
#include "util/record/event_set.h"

/* What is behind the raw data. */
enum columns_behind {
	BEHIND_FIXED, /* `behind` bytes */
	BEHIND_REST,  /* as many as there are: registers, stacks */
};

/* What tells that a sample has the parts of the one before, but for the length of its call chain. */
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
	u32 form; /* what else tells them apart */
	u16 misc;
	u16 lead;
	u8 chain; /* enum columns_kind of the call chain, 0: there is none */
};

/* The parts of a record; key.form tells which there are. */
struct columns_parts {
	struct columns_key key;
	u32 chain; /* words of its call chain, behind key.lead bytes and their number; no cookie */
	u32 raw;   /* bytes of raw data */
};

/* Does the record have the parts that l->again tells? `chain`: words of its call chain. */
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

#endif
