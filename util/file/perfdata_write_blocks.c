// SPDX-License-Identifier: GPL-2.0
#include "util/file/perfdata_write.h"

#include <errno.h>
#include <stdlib.h>

#include "util/file/columns.h"
#include "util/file/meta.h"
#include "util/file/perfdata_write_internal.h"

/* Of the sections behind the records, beside the formats of tracepoints. */
#define RESERVE (64u << 10)

struct perfdata_write_blocks {
	struct meta meta;
	struct recording recording;
	struct columns_decoder *decoder;
	struct perfdata_writer writer;
	struct perfdata_write_options options;
	bool begun, ended;
	u64 behind;  /* bytes that another process has written */
	u64 reserve; /* for the formats */
};

struct perfdata_write_blocks *perfdata_write_blocks_new(bool pipe, struct err *err)
{
	struct perfdata_write_blocks *b = calloc(1, sizeof(*b));

	if (!b) {
		err_nomem(err);
		return NULL;
	}
	b->options.pipe = pipe;
	b->decoder = columns_decoder_new(err);
	if (!b->decoder) {
		free(b);
		return NULL;
	}
	return b;
}

void perfdata_write_blocks_resume(struct perfdata_write_blocks *b, u64 bytes)
{
	b->behind = bytes;
}

static int begin(struct perfdata_write_blocks *b, struct err *err)
{
	struct buf formats = {0};
	int ret;

	if (b->begun)
		return 0;
	perfdata_write_tracing_put(&b->recording, &formats);
	b->reserve = formats.len;
	buf_free(&formats);
	event_set_ring_cpus(&b->recording.events);
	ret = perfdata_writer_begin(&b->writer, &b->recording, &b->options, err);
	if (ret)
		return ret;
	b->begun = true;
	if (b->behind) {
		buf_reset(&b->writer.out);
		b->writer.written = b->behind;
	}
	return 0;
}

static int take_records(struct perfdata_write_blocks *b, const struct block *k, const void *payload,
			struct err *err)
{
	const struct event_set *events = &b->recording.events;
	struct sample sample;
	struct rec rec;
	int ret = columns_open(b->decoder, payload, k->stored_size, NULL);

	while (!ret && (ret = columns_next(b->decoder, &rec)) == 1) {
		u32 event = event_set_find(events, &rec);

		if (rec.type != PERF_RECORD_SAMPLE) {
			ret = perfdata_writer_record(&b->writer, &rec, event, err);
		} else if (event < events->events.nr &&
			   sample_layout_sample(&events->events.v[event].layout, &rec, &sample)) {
			ret = perfdata_writer_sample(&b->writer, &rec, event, &sample, err);
		} else {
			b->writer.unfit++;
			ret = 0;
		}
		if (ret)
			return ret;
	}
	/* the encoder's own columns can be read, unless memory is out */
	if (ret)
		return err_set(err, -ret, "cannot turn records into perf.data: %s", strerror(-ret));
	return perfdata_writer_round(&b->writer, k->order, err);
}

int perfdata_write_blocks_take(struct perfdata_write_blocks *b, const struct block *k,
			       const void *payload, struct buf **out, struct err *err)
{
	int ret;

	*out = &b->writer.out;
	if (k->type != BLOCK_DATA) {
		ret = meta_read(&b->meta, &b->recording, k, payload);
		if (ret < 0)
			return err_set(err, -ret, "cannot turn a block into perf.data: %s",
				       strerror(-ret));
		if (k->type != BLOCK_END)
			return 0;
	}
	ret = begin(b, err);
	if (!ret && k->type == BLOCK_DATA)
		return take_records(b, k, payload, err);
	if (!ret)
		ret = perfdata_writer_end(&b->writer, err);
	b->ended = !ret;
	return ret;
}

void perfdata_write_blocks_written(struct perfdata_write_blocks *b)
{
	perfdata_writer_written(&b->writer);
}

void perfdata_write_blocks_dropped(struct perfdata_write_blocks *b)
{
	/* before anything is in the file, its beginning has to come again */
	if (!b->writer.written && b->begun) {
		perfdata_writer_free(&b->writer);
		b->begun = false;
		return;
	}
	buf_reset(&b->writer.out);
}

u64 perfdata_write_blocks_reserve(const struct perfdata_write_blocks *b)
{
	return b->reserve + RESERVE;
}

bool perfdata_write_blocks_header(const struct perfdata_write_blocks *b, struct buf *out)
{
	if (!b->ended || b->options.pipe)
		return false;
	perfdata_writer_header(&b->writer, out);
	return true;
}

void perfdata_write_blocks_free(struct perfdata_write_blocks *b)
{
	if (!b)
		return;
	perfdata_writer_free(&b->writer);
	columns_decoder_free(b->decoder);
	meta_free(&b->meta);
	recording_free(&b->recording);
	free(b);
}
