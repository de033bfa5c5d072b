// SPDX-License-Identifier: GPL-2.0
#include "util/capture/block_writer_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/base/clock.h"
#include "util/capture/synth.h"

/* Functions are looked up so often: processes end, files go away, code is made anew. */
#define LOOK_NS 5000000000ull

/* A switch to another file that failed is tried again after so long, if no block comes before. */
#define IDLE_NS 500000000ull

/* A disk that has no room for a block may have some for so many bytes of its records. */
#define PART_MIN (64u << 10)

/* The other fields before `times` are set. */
static int init_encoder(struct batch_encoder *k, const struct block_writer_options *o,
			struct err *err)
{
	const struct symbol_collector_options symbols = {
		.proc = o->proc,
		.inlines = o->inlines,
		.fetches = o->debuginfod != NULL,
	};

	k->symbols = symbol_collector_new(k->events, &symbols, err);
	if (!k->symbols)
		return -ENOMEM;
	k->columns = columns_encoder_new(k->events, err);
	if (!k->columns)
		return -ENOMEM;
	k->in_block = calloc(k->loss_account->nr, sizeof(*k->in_block));
	return k->in_block ? 0 : err_nomem(err);
}

static void free_encoder(struct batch_encoder *k)
{
	symbol_collector_free(k->symbols);
	columns_encoder_free(k->columns);
	vec_free(&k->times);
	free(k->in_block);
}

/* Does the sample pass what the kernel could not test of its event's filter? */
static bool passes_filter(const struct batch_encoder *k, const struct rec *rec,
			  const struct sample_layout *layout)
{
	const struct tp_filter *here = k->list && rec->event < k->list->specs.nr
					       ? k->list->specs.v[rec->event].tp.here
					       : NULL;
	struct sample sample;

	if (!here)
		return true;
	if (!sample_layout_sample(layout, rec, &sample))
		return false;
	return tp_filter_pass(here, &(struct tp_filter_sample){.raw = sample.raw,
							       .len = sample.raw_size,
							       .cpu = rec->cpu,
							       .tid = (s32)sample.ids.tid});
}

static void leave_out(struct batch_encoder *k, const struct rec *rec, bool filtered)
{
	if (k->again)
		return;
	k->loss_account->filtered += filtered;
	k->loss_account->excluded++;
	if (rec->event != ID_NONE)
		k->loss_account->counts[rec->event].excluded++;
}

static void note_time(struct batch_encoder_facts *f, u64 *newest, u64 time)
{
	if (!time)
		return;
	if (!f->time_min || time < f->time_min)
		f->time_min = time;
	f->time_max = MAX(f->time_max, time);
	*newest = MAX(*newest, time);
}

static void encode_record(struct batch_encoder *k, struct rec *rec, u64 *newest)
{
	u32 event = rec->event == ID_NONE ? 0 : rec->event;
	const struct sample_layout *layout = &k->events->events.v[event].layout;
	struct columns_stacks stacks;
	u64 time = sample_layout_time(layout, rec);

	if (rec->type == PERF_RECORD_SAMPLE) {
		if (sample_layout_is_of(layout, rec, k->self)) {
			leave_out(k, rec, false);
			return;
		}
		if (!passes_filter(k, rec, layout)) {
			leave_out(k, rec, true);
			return;
		}
		k->facts.samples++;
		if (rec->event != ID_NONE)
			k->in_block[rec->event]++;
	} else if (k->self && sample_layout_switch_pid(layout, rec) == k->self) {
		return; /* nor is its begin there */
	} else if (!k->again) {
		loss_account_record(k->loss_account, k->events, rec, *newest, time);
	}
	note_time(&k->facts, newest, time);
	columns_add(k->columns, rec, &stacks);
	if (!k->again)
		symbol_collector_record(k->symbols, rec, event, &stacks);
	k->facts.records++;
	k->facts.raw_size += rec->size;
}

/* The newest record of that ring. */
static u64 *time_of(struct batch_encoder *k, u32 ring)
{
	while (k->times.nr <= ring)
		if (!vec_push(&k->times))
			return NULL;
	return &k->times.v[ring];
}

/* Were the bytes of the span copied from the ring as they were there? */
static bool is_copy(const struct batch_span *span)
{
	return span->to - span->from == span->len;
}

/* The records from byte `at` to byte `end` of a span. */
static void encode_part(struct batch_encoder *k, const struct batch *b,
			const struct batch_span *span, u32 at, u32 end)
{
	struct columns_ring run = {.number = span->ring,
				   .cpu = ID_NONE,
				   .sideband = true,
				   .from = span->from + (is_copy(span) ? at : 0),
				   .to = is_copy(span) ? span->from + end : span->to};
	u64 made = 0, *newest = &made;
	struct rec rec;

	if (span->ring != ID_NONE) {
		run.cpu = k->shared_batches->rings[span->ring].cpu;
		run.sideband = k->shared_batches->rings[span->ring].sideband;
		newest = time_of(k, span->ring);
	}
	columns_run(k->columns, &run);
	for (; newest && at < end; at += rec.size) {
		if (!rec_view(&rec, b->data + span->at + at, end - at)) {
			k->bad += !k->again;
			break;
		}
		rec.cpu = run.cpu;
		rec.event = event_set_find_in_ring(k->events, &rec, run.sideband);
		encode_record(k, &rec, newest);
	}
	k->loss_account->failed |= !newest;
}

static void begin_block(struct batch_encoder *k, bool again)
{
	k->spans = 0;
	k->again = again;
	k->facts = (struct batch_encoder_facts){0};
	memset(k->in_block, 0, k->loss_account->nr * sizeof(*k->in_block));
	columns_begin(k->columns);
}

/* Take in the spans of a batch up to that one; its first part begins a block. */
static void encode_spans(struct batch_encoder *k, const struct batch *b, u32 nr_spans)
{
	const struct batch_span *span;

	if (k->batch != b->number)
		begin_block(k, false);
	k->batch = b->number;
	while (k->spans < nr_spans) {
		span = &b->spans[k->spans++];
		encode_part(k, b, span, 0, span->len);
	}
}

/* The first place at or after byte `at` of a batch's data at which it can be cut. */
static size_t find_boundary(const struct batch *b, size_t at)
{
	const struct batch_span *span;
	struct rec rec;
	u32 i, n = 0;

	for (i = 0; i < b->nr_spans && b->spans[i].at + b->spans[i].len <= at;)
		i++;
	if (i == b->nr_spans)
		return b->len;
	span = &b->spans[i];
	while (is_copy(span) && span->at + n < at &&
	       rec_view(&rec, b->data + span->at + n, span->len - n))
		n += rec.size;
	return span->at + n < at ? span->at + span->len : span->at + n;
}

/* Make a block of what lies between two such places of a batch that was taken before. */
static void encode_again(struct batch_encoder *k, const struct batch *b, size_t from, size_t to)
{
	const struct batch_span *span;
	u32 i;

	begin_block(k, true);
	for (i = 0; i < b->nr_spans; i++) {
		span = &b->spans[i];
		if (span->at + span->len > from && span->at < to)
			encode_part(k, b, span, (u32)(MAX(from, span->at) - span->at),
				    (u32)(MIN(to, span->at + span->len) - span->at));
	}
}

/* Append the payload of the block; as columns_end(). Facts and in_block are of this block until the next. */
static int end_encoding(struct batch_encoder *k, int level, struct buf *payload, struct err *err)
{
	k->batch = 0;
	return columns_end(k->columns, level, payload, err);
}

/* The newest record of the rings for samples of a CPU, ID_NONE: of all; 0: they had none. */
static u64 newest_record(const struct batch_encoder *k, u32 cpu)
{
	u64 newest = 0;
	u32 i;

	for (i = 0; i < k->times.nr; i++)
		if (!k->shared_batches->rings[i].sideband &&
		    (cpu == ID_NONE || k->shared_batches->rings[i].cpu == cpu))
			newest = MAX(newest, k->times.v[i]);
	return newest;
}

/* What a failed write leaves to hope for: room on the disk may come back. */
static bool no_room(int ret)
{
	return ret == -ENOSPC || ret == -EDQUOT || ret == -EFBIG;
}

static int init_parts(struct block_writer *s, const struct block_writer_options *o,
		      struct event_set *events, struct shared_batches *h, struct err *err)
{
	int ret = loss_account_init(&s->loss_account, events, err);

	s->options = o;
	s->events = events;
	s->shared_batches = h;
	s->batch_encoder = (struct batch_encoder){
		.self = o->self,
		.list = o->list,
		.shared_batches = h,
		.events = events,
		.loss_account = &s->loss_account,
	};
	return ret ? ret : init_encoder(&s->batch_encoder, o, err);
}

int block_writer_open(struct block_writer *s, const struct block_writer_options *o,
		      struct event_set *events, struct shared_batches *h, struct err *err)
{
	int ret = init_parts(s, o, events, h, err);

	if (ret || !o->keep)
		return ret ? ret : block_writer_file_begin(s, err);
	ret = flight_recorder_open(&s->kept, &events->events.v[0].layout, o->keep_ns, o->keep_bytes,
				   &h->kept, err);
	if (!ret)
		ret = writer_open_memory(&s->writer, &s->kept.keep, o->level, err);
	s->open = !ret;
	return ret;
}

/* Look up what is new, and write it with `w`. Records that were made wait for the next block. */
static int collect_symbols(struct block_writer *s, struct writer *w, struct err *err)
{
	u32 nr = 0;
	int ret = symbol_collector_flush(s->batch_encoder.symbols, s->order_written, &s->head, &nr,
					 w, err);

	s->head_records += nr;
	return ret;
}

/* What runs now, for a block writer that did not see it begin. */
static int read_running_tasks(struct block_writer *s, struct err *err)
{
	struct buf records = {0};
	struct synth synth = {
		.proc = s->options->proc,
		.layout = &s->events->events.v[0].layout,
		.out = &records,
	};
	struct rec rec;
	size_t at;
	int ret;

	synth_modules(&synth);
	synth_programs(&synth);
	ret = synth_all(&synth, err);
	for (at = 0; !ret && at < records.len; at += rec.size) {
		if (!rec_view(&rec, records.data + at, records.len - at))
			break;
		symbol_collector_record(s->batch_encoder.symbols, &rec, 0, NULL);
	}
	if (!ret)
		ret = collect_symbols(s, NULL, err);
	buf_free(&records);
	return ret;
}

/* With the account that the other process has made, and its tasks. */
static int resume_account(struct block_writer *s, const struct shared_batches *h, struct err *err)
{
	const struct commit *c = shared_batches_commit(h);
	u32 i;

	memcpy(s->loss_account.counts, shared_batches_counts(h),
	       s->loss_account.nr * sizeof(*s->loss_account.counts));
	for (i = 0; i < s->loss_account.nr; i++) {
		s->loss_account.samples +=
			s->loss_account.counts[i].samples + s->loss_account.counts[i].unwritten;
		s->loss_account.unwritten += s->loss_account.counts[i].unwritten;
	}
	s->loss_account.excluded = c->excluded;
	s->loss_account.lost = s->loss_account.told_before = c->lost;
	for (i = 0; i < c->nr_losses; i++)
		loss_account_loss(&s->loss_account, &shared_batches_losses(h)[i]);
	s->batch = c->batch;
	s->files.total = c->files;
	s->order_written = c->order;
	return read_running_tasks(s, err);
}

/* With what a flight recorder has kept: it becomes a file at the end. */
static int resume_kept(struct block_writer *s, const struct shared_batches *h, struct err *err)
{
	const struct block_writer_options *o = s->options;
	const struct commit *c = shared_batches_commit(h);
	int ret = flight_recorder_attach(&s->kept, &s->events->events.v[0].layout, o->keep_ns,
					 o->keep_bytes, &h->kept, &c->kept, err);

	/* the last file, or a snapshot, that was begun */
	if (c->file >= 0)
		writer_discard(c->file, o->output);
	if (!ret)
		ret = writer_open_memory(&s->writer, &s->kept.keep, o->level, err);
	s->open = !ret;
	return ret;
}

int block_writer_resume(struct block_writer *s, const struct block_writer_options *o,
			struct event_set *events, struct shared_batches *h, struct err *err)
{
	const struct commit *c = shared_batches_commit(h);
	struct writer_state state = {c->bytes, c->seq, c->samples, c->skipped, c->session};
	const char *path = strcmp(o->output, "-") ? o->output : NULL;
	int ret = init_parts(s, o, events, h, err);

	if (!ret)
		ret = resume_account(s, h, err);
	if (ret)
		return ret;
	if (o->keep)
		return resume_kept(s, h, err);
	/* there is none: one that was about to be begun */
	if (c->file < 0)
		return block_writer_file_begin(s, err);
	ret = o->perfdata ? writer_resume_perfdata(&s->writer, c->file, path, &state, err)
			  : writer_resume(&s->writer, c->file, path, &state, o->level, err);
	s->open = !ret;
	s->opened = clock_ns(CLOCK_MONOTONIC);
	/* its sections come last, and are made of this */
	if (!ret && o->perfdata)
		ret = block_writer_file_preamble(s, &s->writer, err);
	return ret;
}

/* The samples of a block are in the file, or will never be. */
static void count_samples(struct block_writer *s, bool written)
{
	const struct batch_encoder_facts *f = &s->batch_encoder.facts;
	struct loss loss = loss_between(LOSS_DISK, ID_NONE, f->time_min, f->time_max);
	u32 i;

	for (i = 0; i < s->loss_account.nr; i++)
		*(written ? &s->loss_account.counts[i].samples
			  : &s->loss_account.counts[i].unwritten) += s->batch_encoder.in_block[i];
	s->loss_account.samples += f->samples;
	if (written)
		return;
	s->loss_account.unwritten += f->samples;
	writer_skip(&s->writer, f->samples);
	loss.count = f->samples;
	if (f->samples)
		loss_account_loss(&s->loss_account, &loss);
}

/* All names that a flight recorder needs from now on are to be added anew. */
static void renew_names(struct block_writer *s)
{
	flight_recorder_renew_names(&s->kept, s->newest_written);
	symbol_collector_forget_written(s->batch_encoder.symbols);
}

/* Likewise for a flight recorder: names for which there is no room drive out older ones, and what needs these. */
static int collect_kept_symbols(struct block_writer *s, struct err *err)
{
	int ret = collect_symbols(s, &s->writer, err);

	if (!no_room(ret))
		return ret;
	flight_recorder_drop_names(&s->kept, s->newest_written);
	ret = collect_symbols(s, &s->writer, err);
	if (!no_room(ret))
		return ret;
	/* more than all memory has room for: the records go without */
	renew_names(s);
	renew_names(s);
	return 0;
}

/* The symbols, and then the records that need them. Where there is no room both wait or are lost. */
static int write_block(struct block_writer *s, const struct writer_data *d, struct err *err)
{
	struct err why = {0};
	int ret = writer_room(&s->writer, d->len, &why);
	bool full = no_room(ret);

	if (s->writer.keep)
		ret = collect_kept_symbols(s, err);
	else if (!ret || full)
		ret = collect_symbols(s, full ? NULL : &s->writer, err);
	if (full && !ret) {
		*err = why;
		return -why.code;
	}
	if (!ret)
		ret = block_writer_file_records(s, &s->head, s->head_records, s->order_written,
						&s->writer, err);
	if (ret)
		return ret;
	buf_reset(&s->head);
	s->head_records = 0;
	return writer_data(&s->writer, d, err);
}

static bool is_switch_due(const struct block_writer *s)
{
	const struct block_writer_options *o = s->options;

	return (o->switch_bytes && s->writer.bytes >= o->switch_bytes) ||
	       (o->switch_ns && clock_ns(CLOCK_MONOTONIC) - s->opened >= o->switch_ns);
}

/* After a block: is it time for another file? */
static int switch_if_due(struct block_writer *s, struct err *err)
{
	const struct block_writer_options *o = s->options;

	if (o->keep) {
		flight_recorder_drop_old(&s->kept, s->newest_written);
		if (keep_names_due(&s->kept.keep))
			renew_names(s);
		return 0;
	}
	if (o->max_bytes && s->writer.bytes >= o->max_bytes)
		__atomic_store_n(&s->full, true, __ATOMIC_RELAXED);
	block_writer_file_name(s, NULL);
	/* until the recording runs, its file has no name to be put aside under */
	if (s->writer.temp)
		return 0;
	return is_switch_due(s) ? block_writer_switch(s, err) : 0;
}

void block_writer_look(struct block_writer *s, const struct batch *b, u32 nr_spans)
{
	u64 now = clock_ns(CLOCK_MONOTONIC);

	encode_spans(&s->batch_encoder, b, nr_spans);
	block_writer_file_clocks(s, NULL);
	if (now - s->looked < LOOK_NS)
		return;
	s->looked = now;
	/* what fails here fails again when the block is written */
	collect_symbols(s, NULL, NULL);
}

/* The block that was taken in, as the last of its batch or before others of it. */
static int write_taken(struct block_writer *s, const struct batch *b, bool last, struct err *err)
{
	const struct batch_encoder_facts *f = &s->batch_encoder.facts;
	struct writer_data d;
	int ret;

	buf_reset(&s->payload);
	ret = end_encoding(&s->batch_encoder, s->options->level, &s->payload, err);
	d = (struct writer_data){
		.payload = s->payload.data,
		.len = s->payload.len,
		.records = f->records,
		.samples = f->samples,
		.raw_size = f->raw_size,
		.time_min = f->time_min,
		.time_max = f->time_max,
		.order = last ? b->order : s->order_written,
	};
	/* with an empty block, the reader of a pipe knows that nothing older follows */
	if (!ret && !f->records &&
	    (s->writer.seekable || s->writer.keep || s->order_written > s->newest_written))
		return 0;
	if (!ret)
		ret = write_block(s, &d, err);
	if (ret)
		return ret;
	s->newest_written = MAX(s->newest_written, d.time_max);
	/* what unwinding holds back may lower it; what was promised holds */
	s->order_written = MAX(s->order_written, d.order);
	return 0;
}

/* The disk has no room for the block: for parts of the batch there may be, and the rest is lost. */
static int write_parts(struct block_writer *s, const struct batch *b, struct err *err)
{
	size_t size = b->len / 2, from = 0, to;
	int ret;

	while (from < b->len) {
		to = find_boundary(b, MIN(from + size, b->len));
		encode_again(&s->batch_encoder, b, from, to);
		ret = write_taken(s, b, to == b->len, err);
		if (!ret) {
			count_samples(s, true);
			from = to;
		} else if (no_room(ret) && size > PART_MIN &&
			   !writer_room(&s->writer, PART_MIN / 64, NULL)) {
			size /= 2;
		} else {
			encode_again(&s->batch_encoder, b, from, b->len);
			count_samples(s, false);
			return ret;
		}
	}
	return 0;
}

/* What failed is reported at the end, if the recording can go on. */
static int note_failure(struct block_writer *s, int ret, const struct err *why, struct err *err)
{
	if (!ret)
		return 0;
	if (!s->write.failed) {
		s->write.err = *why;
		__atomic_store_n(&s->write.failed, true, __ATOMIC_RELEASE);
	}
	/* a full disk may have room again later; a reader that has gone away does not come back */
	if (no_room(ret))
		return 0;
	if (err)
		*err = *why;
	return ret;
}

int block_writer_batch(struct block_writer *s, const struct batch *b, struct err *err)
{
	struct err why = {0};
	int ret;

	encode_spans(&s->batch_encoder, b, b->nr_spans);
	ret = write_taken(s, b, true, &why);
	if (no_room(ret) && !writer_room(&s->writer, PART_MIN / 64, NULL))
		ret = write_parts(s, b, &why);
	else
		count_samples(s, !ret);
	s->batch = b->number;
	if (!ret)
		ret = block_writer_file_losses(s, &why);
	if (!ret)
		ret = block_writer_file_clocks(s, &why);
	if (!ret)
		ret = switch_if_due(s, &why);
	block_writer_file_commit(s);
	if (!ret && (s->loss_account.failed || symbol_collector_failed(s->batch_encoder.symbols) ||
		     s->kept.failed))
		return err_nomem(err);
	return note_failure(s, ret, &why, err);
}

int block_writer_idle(struct block_writer *s, u64 *again, struct err *err)
{
	u64 now = clock_ns(CLOCK_MONOTONIC), due = s->opened + s->options->switch_ns;
	struct err why = {0};
	int ret;

	*again = 0;
	if (!s->files.unnamed && !s->options->switch_ns)
		return 0;
	*again = due;
	if (!s->files.unnamed && now < due)
		return 0;
	ret = switch_if_due(s, &why);
	due = s->opened + s->options->switch_ns;
	/* what fails now, or cannot be yet, is not tried without a pause */
	*again = s->writer.temp || due <= now ? now + IDLE_NS : due;
	return note_failure(s, ret, &why, err);
}

int block_writer_ids(struct block_writer *s, const struct block_writer_id *ids, u32 nr,
		     struct err *err)
{
	const u32 from = s->late.nr;
	struct block_writer_id *late;
	u32 i;

	for (i = 0; i < nr; i++) {
		late = vec_push(&s->late);
		if (!late || event_set_id(s->events, ids[i].id, ids[i].event))
			return err_nomem(err);
		*late = ids[i];
	}
	return block_writer_file_ids(s, &s->writer, from, err);
}

static int write_counts(struct block_writer *s, struct err *err)
{
	struct buf b = {0};
	int ret;
	u32 i;

	/* of those that nobody asked for, the one that lost call chains */
	for (i = 1; i < s->loss_account.nr; i++)
		if (!s->events->events.v[i].sideband ||
		    (i == s->events->deferred - 1 && s->loss_account.counts[i].lost))
			loss_put_counts(&b, &s->loss_account.counts[i]);
	ret = b.failed ? err_nomem(err)
		       : writer_block(&s->writer, BLOCK_COUNTS, b.data, b.len, err);
	buf_free(&b);
	return ret;
}

static void add_untold_on(struct block_writer *s, const struct block_writer_end *e, u32 cpu,
			  u64 count)
{
	struct loss loss =
		loss_between(LOSS_RING, cpu, newest_record(&s->batch_encoder, cpu), e->time);

	loss.count = count;
	if (count)
		loss_account_loss(&s->loss_account, &loss);
}

/* What the kernel lost but did not report in a record, since nothing came after it. */
static void add_untold(struct block_writer *s, const struct block_writer_end *e)
{
	u64 lost = 0, left, count;
	bool known = true;
	u32 i;

	for (i = 1; i < s->loss_account.nr; i++) {
		lost += e->kernel[i].lost;
		known = known && e->kernel[i].flags & COUNTS_LOST;
	}
	if (!known || lost <= s->loss_account.lost)
		return;
	left = lost - s->loss_account.lost;
	for (i = 0; i < e->lost_on->nr; i++, left -= count) {
		count = MIN(loss_account_untold(&s->loss_account, e->lost_on, i), left);
		add_untold_on(s, e, i, count);
	}
	add_untold_on(s, e, ID_NONE, left);
	s->loss_account.lost = lost;
}

int block_writer_fetch_names(struct block_writer *s, u32 *wanted, u32 *found, struct err *err)
{
	int ret = 0;

	symbol_collector_complete(s->batch_encoder.symbols, s->options->debuginfod, wanted, found);
	if (*found)
		ret = collect_symbols(s, &s->writer, err);
	block_writer_file_commit(s);
	return ret;
}

int block_writer_finish(struct block_writer *s, const struct block_writer_end *e, struct err *err)
{
	int ret = 0, named, closed;

	loss_account_close(&s->loss_account, e->kernel, e->read_to_end && !s->batch_encoder.bad);
	add_untold(s, e);
	loss_account_end(&s->loss_account, s->events, e->time);
	if (s->options->keep && s->writer.keep) {
		writer_close(&s->writer, NULL);
		s->open = false;
		ret = block_writer_file_writer(s, &s->writer, s->options->output, err);
		s->open = !ret;
		/* whoever takes over removes it, and makes it anew */
		block_writer_file_commit(s);
		if (!ret)
			ret = block_writer_file_kept(s, &s->writer, err);
		s->files.unnamed = !ret;
	}
	if (!ret)
		ret = block_writer_file_losses(s, err);
	/* one file of several, or the end of all that was: no account to close */
	if (!ret && !s->files.total && !s->options->keep)
		ret = write_counts(s, err);
	if (!ret)
		ret = block_writer_file_end(s, &s->writer, e, err);
	block_writer_file_commit(s);
	named = block_writer_file_name_last(s, ret ? NULL : err);
	ret = ret ? ret : named;
	if (!ret)
		ret = writer_find(&s->writer, &s->files.elsewhere, err);
	if (s->shared_batches)
		s->shared_batches->done = 1;
	if (!s->open)
		return ret;
	s->open = false;
	closed = writer_close(&s->writer, ret ? NULL : err);
	return ret ? ret : closed;
}

void block_writer_free(struct block_writer *s)
{
	u32 i;

	if (s->open) {
		block_writer_file_name_last(s, NULL);
		writer_close(&s->writer, NULL);
	}
	free(s->files.aside);
	free(s->files.elsewhere);
	vec_free(&s->late);
	flight_recorder_free(&s->kept);
	loss_account_free(&s->loss_account);
	for (i = 0; i < s->files.v.nr; i++)
		free(s->files.v.v[i]);
	vec_free(&s->files.v);
	free_encoder(&s->batch_encoder);
	buf_free(&s->payload);
	buf_free(&s->scratch);
	buf_free(&s->head);
}
