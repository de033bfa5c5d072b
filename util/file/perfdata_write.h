/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfdata_write.h - makes perf.data of records: a file, or what perf record writes to a pipe.
 *
 *	perfdata_writer_begin() { _record() _sample() _round() } ... perfdata_writer_end()
 *
 * The bytes gather in `out`; the caller writes them and says so (perfdata_writer_written()). In
 * file mode the caller also writes perfdata_writer_header() over the first bytes of the file, in
 * the end: until then the header says that the recorder never ended, as that of a killed perf.
 *
 * Records should come in order of time, as a reorder gives them; where they do not, each round
 * needs the time that they have reached.
 *
 * What perf knows of a sample is in the sample. So samples of our own recordings, which leave out
 * what can be derived (record/layout.h), get a layout of their own:
 *
 *	IDENTIFIER [IP] TID TIME [ADDR] CPU PERIOD and what else was recorded
 *
 * with call chains free of our marks (record/chain.h). A copy of the stack is left out: it was
 * unwound into the chain, and perf would append the same frames again. Records of perf's own files
 * (options.as_recorded) are kept byte for byte, and so are the sections of their header.
 *
 * Source: perfdata_abi.h; the trace data of trace-cmd's file format, version 0.6.
 */
#ifndef FILE_PERFDATA_WRITE_H
#define FILE_PERFDATA_WRITE_H

#include "util/file/block.h"
#include "util/file/perfdata_abi.h"
#include "util/file/recording.h"

struct perfdata_write_options {
	bool pipe;        /* for a reader that cannot seek */
	bool as_recorded; /* events and records are perf's own */
};

/* An event as it is written. */
struct perfdata_write_event {
	struct perf_event_attr attr;
	struct sample_layout layout;
	const char *name;
	const u64 *ids;
	u32 nr_ids;
	u64 id;      /* of samples without an id */
	u64 made_id; /* what `ids` points at, where the recording has none */
};

struct perfdata_writer {
	const struct recording *recording;
	struct perfdata_write_options options;
	VEC(struct perfdata_write_event) events;
	struct hmap by_id;
	struct buf out;
	u64 written;   /* bytes that have left `out` */
	u32 attr_size; /* bytes of each attr that are written: its attr.size */
	u64 attrs_at, data_at, data_end;
	u64 features;                /* bits of those that are there */
	u32 dsos_told;               /* build-ids in the stream so far, of recording->dsos */
	u64 time_first, time_last;   /* of samples */
	u64 time_newest, time_round; /* of all records; as of the last round */
	u64 records;                 /* since the last round */
	u64 samples, unwound;        /* written; of them with a chain that was unwound */
	u64 shortened, unfit;        /* chains cut to fit; records left out, which fit no event */
};

/*
 * Begin with the events that the recording has by now. It must outlive the writer. All functions
 * that can fail return 0, -ENOMEM, or -EFBIG where the format cannot hold it.
 */
int perfdata_writer_begin(struct perfdata_writer *w, const struct recording *r,
			  const struct perfdata_write_options *o, struct err *err);
/* A record that is no sample. */
int perfdata_writer_record(struct perfdata_writer *w, const struct rec *rec, u32 event,
			   struct err *err);
/* A sample of its event, parsed; ids.pid and ids.tid as they are to be written. */
int perfdata_writer_sample(struct perfdata_writer *w, const struct rec *rec, u32 event,
			   const struct sample *s, struct err *err);
/* Nothing older than `order` follows: readers may give out what they hold back. */
int perfdata_writer_round(struct perfdata_writer *w, u64 order, struct err *err);
/* Nothing follows: the sections behind the records. */
int perfdata_writer_end(struct perfdata_writer *w, struct err *err);

/* The bytes in `out` are where they belong. */
void perfdata_writer_written(struct perfdata_writer *w);
/* File mode: what belongs at the beginning of the file. */
void perfdata_writer_header(const struct perfdata_writer *w, struct buf *out);
void perfdata_writer_free(struct perfdata_writer *w);

/*
 * perfdata_write_blocks.c: perf.data made of the blocks of a native file, while it is recorded.
 *
 *	META ATTR TPFMT ...  known, nothing is written
 *	DATA                 its records, and a round
 *	END                  the sections behind the records
 *
 * So a recorder's writer gives either file (writer.h). The samples have to carry their own thread,
 * period and so on: nobody derives them here (ev_record.h, complete).
 */

struct perfdata_write_blocks;

struct perfdata_write_blocks *perfdata_write_blocks_new(bool pipe, struct err *err);
/* Nothing is written before the first DATA; then the stream goes on behind `bytes` of it. */
void perfdata_write_blocks_resume(struct perfdata_write_blocks *b, u64 bytes);
/*
 * Take a block in; what becomes of it is appended to *out, the caller's until the next call, who
 * says with _written() or _dropped() what became of that.
 */
int perfdata_write_blocks_take(struct perfdata_write_blocks *b, const struct block *k,
			       const void *payload, struct buf **out, struct err *err);
void perfdata_write_blocks_written(struct perfdata_write_blocks *b);
void perfdata_write_blocks_dropped(struct perfdata_write_blocks *b);
/* How many bytes END may come to: to be kept free behind the records. */
u64 perfdata_write_blocks_reserve(const struct perfdata_write_blocks *b);
/* After END, in a file: what belongs at its beginning. False: nothing does. */
bool perfdata_write_blocks_header(const struct perfdata_write_blocks *b, struct buf *out);
void perfdata_write_blocks_free(struct perfdata_write_blocks *b);

#endif
