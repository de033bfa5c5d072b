// SPDX-License-Identifier: GPL-2.0
#include "util/capture/scribe_file.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "util/base/clock.h"
#include "util/capture/synth.h"
#include "util/process/process_dump.h"

int scribe_file_preamble(struct scribe *s, struct writer *w, struct err *err)
{
	clock_pair_read(&s->clocks, s->options->preamble->clockid);
	return preamble_write(w, s->options->preamble, s->options->list, s->events,
			      s->options->root, err);
}

int scribe_file_clocks(struct scribe *s, struct err *err)
{
	struct clock_pair now;
	int ret;

	if (s->writer.keep || s->options->perfdata)
		return 0;
	clock_pair_read(&now, s->options->preamble->clockid);
	if (!clock_pair_is_news(&s->clocks, &now) || writer_room(&s->writer, 0, NULL))
		return 0;
	ret = preamble_clocks(&s->writer, &now, err);
	if (!ret)
		s->clocks = now;
	return ret;
}

void scribe_file_commit(struct scribe *s)
{
	struct writer_state w = writer_state(&s->writer);
	struct commit c = {
		.batch = s->batch,
		.bytes = w.bytes,
		.seq = w.seq,
		.samples = w.samples,
		.skipped = w.samples_skipped,
		.excluded = s->ledger.excluded,
		.lost = s->ledger.lost,
		.order = s->order_written,
		.nr_losses = s->ledger.losses.nr,
		.kept = s->kept.keep.end,
	};

	if (!s->handover)
		return;
	handover_set_commit(s->handover, &c, s->ledger.counts, s->ledger.losses.v);
	s->handover->file = s->writer.fd;
}

int scribe_file_writer(const struct scribe *s, struct writer *w, const char *path, struct err *err)
{
	return s->options->perfdata ? writer_open_perfdata(w, path, err)
				    : writer_open(w, path, s->options->level, err);
}

int scribe_file_begin(struct scribe *s, struct err *err)
{
	int ret = scribe_file_writer(s, &s->writer, s->options->output, err);

	if (ret)
		return ret;
	s->open = true;
	s->opened = clock_ns(CLOCK_MONOTONIC);
	ret = scribe_file_preamble(s, &s->writer, err);
	if (!ret)
		scribe_file_commit(s);
	return ret;
}

int scribe_file_records(struct scribe *s, const struct buf *records, u32 nr, u64 order,
			struct writer *w, struct err *err)
{
	struct columns_ring made = {.number = ID_NONE, .cpu = ID_NONE, .sideband = true};
	struct writer_data d = {.records = nr, .raw_size = records->len, .order = order};
	const struct plan *plan = &s->events->events.v[0].plan;
	struct rec rec;
	size_t at;
	u64 time;
	int ret;

	if (!records->len)
		return 0;
	if (records->failed)
		return err_nomem(err);
	columns_begin(s->encoder);
	columns_run(s->encoder, &made);
	for (at = 0; at < records->len; at += rec.size) {
		if (!rec_view(&rec, records->data + at, records->len - at))
			break;
		rec.event = 0;
		time = plan_time(plan, &rec);
		if (time && time != UINT64_MAX) {
			d.time_min = d.time_min ? MIN(d.time_min, time) : time;
			d.time_max = MAX(d.time_max, time);
		}
		columns_add(s->encoder, &rec, NULL);
	}
	buf_clear(&s->scratch);
	ret = columns_end(s->encoder, s->options->level, &s->scratch, err);
	d.payload = s->scratch.data;
	d.len = s->scratch.len;
	return ret ? ret : writer_data(w, &d, err);
}

/* The tasks of a model, as records of time 0, and the control groups that there are. */
static int write_model(struct scribe *s, const struct process_model *model, struct writer *w,
		       struct err *err)
{
	const struct event_desc *sideband = &s->events->events.v[0];
	struct buf records = {0};
	struct synth groups = {.plan = &sideband->plan, .out = &records};
	u32 nr = 0;
	int ret = process_dump(model, &sideband->plan, &records, &nr);

	if (!ret && sideband->attr.cgroup)
		synth_cgroups(&groups, s->options->root);
	nr += groups.records;
	ret = ret ? err_nomem(err) : scribe_file_records(s, &records, nr, 0, w, err);
	buf_free(&records);
	return ret;
}

int scribe_file_losses(struct scribe *s, struct err *err)
{
	int ret;

	if (!s->ledger.losses.nr)
		return 0;
	buf_clear(&s->scratch);
	ledger_put(&s->ledger, &s->scratch);
	ret = s->scratch.failed
		      ? err_nomem(err)
		      : writer_block(&s->writer, BLOCK_LOSS, s->scratch.data, s->scratch.len, err);
	if (!ret)
		ledger_written(&s->ledger);
	return ret;
}

int scribe_file_end(struct scribe *s, struct writer *w, const struct scribe_end *e, struct err *err)
{
	struct preamble_totals t = {
		.samples = w->samples - w->samples_skipped,
		.lost = s->ledger.lost,
		.unwritten = w->samples_skipped,
		.time_end_ns = e->time,
		.exit_code = e->exit_code,
		.clockid = s->options->preamble->clockid,
		.notes = e->notes,
	};

	return preamble_end(w, &t, err);
}

int scribe_switch(struct scribe *s, struct err *err)
{
	struct scribe_end e = {.time = clock_ns(s->options->preamble->clockid), .exit_code = -1};
	char *name = rotated_files_name(s->options->output);
	int ret;

	if (!name)
		return err_nomem(err);
	ret = scribe_file_losses(s, err);
	if (!ret)
		ret = scribe_file_end(s, &s->writer, &e, err);
	if (!ret)
		ret = writer_rename(&s->writer, name, err);
	if (ret) {
		free(name);
		return ret;
	}
	if (s->handover)
		s->handover->file = -1;
	s->open = false;
	ret = writer_close(&s->writer, err);
	if (ret) {
		free(name);
		return ret;
	}
	s->switched++;
	ret = rotated_files_add(&s->files, name, s->options->max_files, err);
	if (!ret)
		ret = scribe_file_begin(s, err);
	if (!ret)
		ret = writer_publish(&s->writer, err);
	if (ret)
		return ret;
	seen_forget_written(&s->seen);
	return write_model(s, &s->seen.model, &s->writer, err);
}

int scribe_file_kept(struct scribe *s, struct writer *w, struct err *err)
{
	int ret = scribe_file_preamble(s, w, err);

	if (!ret)
		ret = write_model(s, &s->kept.tasks.model, w, err);
	return ret ? ret : keep_write(&s->kept.keep, w, err);
}

int scribe_snapshot(struct scribe *s, struct err *err)
{
	struct scribe_end e = {.time = clock_ns(s->options->preamble->clockid), .exit_code = -1};
	struct writer w;
	char *name;
	int ret;

	if (!s->options->keep)
		return scribe_switch(s, err);
	name = rotated_files_name(s->options->output);
	if (!name)
		return err_nomem(err);
	ret = scribe_file_writer(s, &w, name, err);
	if (ret) {
		free(name);
		return ret;
	}
	ret = scribe_file_kept(s, &w, err);
	if (!ret)
		ret = scribe_file_end(s, &w, &e, err);
	if (!ret)
		ret = writer_publish(&w, err);
	if (writer_close(&w, ret ? NULL : err) && !ret)
		ret = -EIO;
	if (ret) {
		free(name);
		return ret;
	}
	if (s->options->keep_once)
		kept_blocks_drop_all(&s->kept);
	s->switched++;
	return rotated_files_add(&s->files, name, s->options->max_files, err);
}
