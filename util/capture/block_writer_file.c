// SPDX-License-Identifier: GPL-2.0
#include "util/capture/block_writer_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/capture/synth.h"
#include "util/process/process_dump.h"

int block_writer_file_preamble(struct block_writer *s, struct writer *w, struct err *err)
{
	clock_pair_read(&s->clocks, s->options->preamble->clockid);
	return preamble_write(w, s->options->preamble, s->options->list, s->events,
			      s->options->root, err);
}

int block_writer_file_clocks(struct block_writer *s, struct err *err)
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

/* file: the one that whoever takes over goes on with, or of a flight recorder, removes unless it has its name. */
static void commit_with(struct block_writer *s, int file)
{
	struct writer_state w = writer_state(&s->writer);
	struct commit c = {
		.batch = s->batch,
		.bytes = w.bytes,
		.seq = w.seq,
		.samples = w.samples,
		.skipped = w.samples_skipped,
		.session = w.session,
		.excluded = s->loss_account.excluded,
		.lost = s->loss_account.lost,
		.order = s->order_written,
		.nr_losses = s->loss_account.losses.nr,
		.file = file,
		.files = s->files.total,
		.kept = s->kept.keep.end,
	};

	if (!s->shared_batches)
		return;
	shared_batches_set_commit(s->shared_batches, &c, s->loss_account.counts,
				  s->loss_account.losses.v);
}

void block_writer_file_commit(struct block_writer *s)
{
	commit_with(s, s->writer.fd);
}

int block_writer_file_writer(const struct block_writer *s, struct writer *w, const char *path,
			     struct err *err)
{
	int ret = s->options->perfdata ? writer_open_perfdata(w, path, err)
				       : writer_open(w, path, s->options->level, err);

	w->patience = &s->options->patience;
	return ret;
}

int block_writer_file_begin(struct block_writer *s, struct err *err)
{
	int ret = block_writer_file_writer(s, &s->writer, s->options->output, err);

	if (ret)
		return ret;
	s->open = true;
	s->opened = clock_ns(CLOCK_MONOTONIC);
	ret = block_writer_file_preamble(s, &s->writer, err);
	if (!ret)
		block_writer_file_commit(s);
	return ret;
}

int block_writer_file_records(struct block_writer *s, const struct buf *records, u32 nr, u64 order,
			      struct writer *w, struct err *err)
{
	struct columns_ring made = {.number = ID_NONE, .cpu = ID_NONE, .sideband = true};
	struct writer_data d = {.records = nr, .raw_size = records->len, .order = order};
	const struct sample_layout *layout = &s->events->events.v[0].layout;
	struct rec rec;
	size_t at;
	u64 time;
	int ret;

	if (!records->len)
		return 0;
	if (records->failed)
		return err_nomem(err);
	columns_begin(s->batch_encoder.columns);
	columns_run(s->batch_encoder.columns, &made);
	for (at = 0; at < records->len; at += rec.size) {
		if (!rec_view(&rec, records->data + at, records->len - at))
			break;
		rec.event = 0;
		time = sample_layout_time(layout, &rec);
		if (time && time != UINT64_MAX) {
			d.time_min = d.time_min ? MIN(d.time_min, time) : time;
			d.time_max = MAX(d.time_max, time);
		}
		columns_add(s->batch_encoder.columns, &rec, NULL);
	}
	buf_reset(&s->scratch);
	ret = columns_end(s->batch_encoder.columns, s->options->level, &s->scratch, err);
	d.payload = s->scratch.data;
	d.len = s->scratch.len;
	return ret ? ret : writer_data(w, &d, err);
}

/* The tasks of a model, as records of time 0, and the control groups that there are. */
static int write_model(struct block_writer *s, const struct process_model *model, struct writer *w,
		       struct err *err)
{
	const struct event_desc *sideband = &s->events->events.v[0];
	struct buf records = {0};
	struct synth groups = {.layout = &sideband->layout, .out = &records};
	u32 nr = 0;
	int ret = process_dump(model, &sideband->layout, &records, &nr);

	if (!ret && sideband->attr.cgroup)
		synth_cgroups(&groups, s->options->root);
	nr += groups.records;
	ret = ret ? err_nomem(err) : block_writer_file_records(s, &records, nr, 0, w, err);
	buf_free(&records);
	return ret;
}

int block_writer_file_losses(struct block_writer *s, struct err *err)
{
	int ret;

	if (!s->loss_account.losses.nr)
		return 0;
	buf_reset(&s->scratch);
	loss_account_put(&s->loss_account, &s->scratch);
	ret = s->scratch.failed
		      ? err_nomem(err)
		      : writer_block(&s->writer, BLOCK_LOSS, s->scratch.data, s->scratch.len, err);
	if (!ret)
		loss_account_written(&s->loss_account);
	return ret;
}

int block_writer_file_end(struct block_writer *s, struct writer *w,
			  const struct block_writer_end *e, struct err *err)
{
	struct preamble_totals t = {
		.samples = w->samples - w->samples_skipped,
		.lost = s->loss_account.lost,
		.unwritten = w->samples_skipped,
		.time_end_ns = e->time,
		.exit_code = e->exit_code,
		.clockid = s->options->preamble->clockid,
		.notes = e->notes,
	};

	return preamble_end(w, &t, err);
}

/* "FILE.YYYYMMDDhhmmssUUUUUU" of now, which the caller frees; NULL: out of memory. */
static char *dated_name(const char *file)
{
	struct timeval tv;
	struct tm tm;
	char text[32];
	char *name;

	gettimeofday(&tv, NULL);
	localtime_r(&tv.tv_sec, &tm);
	strftime(text, sizeof(text), "%Y%m%d%H%M%S", &tm);
	return asprintf(&name, "%s.%s%06u", file, text, (unsigned int)tv.tv_usec) < 0 ? NULL : name;
}

/* Of too many the oldest go. One that is in use does not count. */
static void delete_oldest(struct block_writer *s)
{
	const struct block_writer_listener *l = s->files.listener;
	struct block_writer_files *f = &s->files;
	u32 at = 0;

	while (s->options->max_files && f->v.nr - at > s->options->max_files) {
		if (l && !l->may_delete(l->arg, f->v.v[at])) {
			at++;
			continue;
		}
		unlink(f->v.v[at]);
		free(f->v.v[at]);
		f->v.nr--;
		memmove(f->v.v + at, f->v.v + at + 1, (f->v.nr - at) * sizeof(*f->v.v));
	}
}

/* Takes over its name in any case. */
static int add_finished(struct block_writer *s, char *name, struct err *err)
{
	struct block_writer_files *f = &s->files;
	char **slot = vec_push(&f->v);

	if (!slot) {
		free(name);
		return err_nomem(err);
	}
	*slot = name;
	if (f->listener)
		f->listener->finished(f->listener->arg, name);
	delete_oldest(s);
	return 0;
}

/* The last blocks of a file that another one follows. */
static int end_file(struct block_writer *s, struct writer *w, struct err *err)
{
	struct block_writer_end e = {.time = clock_ns(s->options->preamble->clockid),
				     .exit_code = -1};

	return block_writer_file_end(s, w, &e, err);
}

/* Those of one event. */
static int write_ids_of(const struct block_writer *s, struct writer *w, u32 from, u32 event,
			struct err *err)
{
	struct buf ids = {0}, b = {0};
	u32 i, nr = 0;
	int ret = 0;

	for (i = from; i < s->late.nr; i++) {
		if (s->late.v[i].event != event)
			continue;
		buf_le64(&ids, s->late.v[i].id);
		nr++;
	}
	if (nr) {
		buf_le32(&b, event);
		buf_le32(&b, nr);
		buf_add(&b, ids.data, ids.len);
		ret = ids.failed || b.failed ? err_nomem(err)
					     : writer_block(w, BLOCK_IDS, b.data, b.len, err);
	}
	buf_free(&ids);
	buf_free(&b);
	return ret;
}

int block_writer_file_ids(const struct block_writer *s, struct writer *w, u32 from, struct err *err)
{
	u32 event;
	int ret = 0;

	for (event = 0; from < s->late.nr && event < s->events->events.nr && !ret; event++)
		ret = write_ids_of(s, w, from, event, err);
	return ret;
}

/* Another file, as far as it can be written before it is the one in use. */
static int begin_next(struct block_writer *s, struct writer *w, struct err *err)
{
	int ret = block_writer_file_writer(s, w, s->options->output, err);

	if (ret)
		return ret;
	ret = block_writer_file_preamble(s, w, err);
	if (!ret)
		/* what its ATTR blocks do not have */
		ret = block_writer_file_ids(s, w, 0, err);
	if (!ret)
		ret = write_model(s, symbol_collector_model(s->batch_encoder.symbols), w, err);
	if (ret)
		writer_close(w, NULL);
	return ret;
}

/* Does the complete file still have the name? errno ENOENT: no, whatever has it now. */
static bool is_there(const struct block_writer_files *f, const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return false;
	errno = ENOENT;
	return !f->finished.st_ino ||
	       (st.st_dev == f->finished.st_dev && st.st_ino == f->finished.st_ino);
}

int block_writer_file_name(struct block_writer *s, struct err *err)
{
	struct block_writer_files *f = &s->files;
	char *name = f->aside;
	int ret = 0;

	if (!f->unnamed)
		return 0;
	f->aside = NULL;
	if (name && is_there(f, s->options->output) && !rename(s->options->output, name)) {
		ret = add_finished(s, name, err);
	} else if (name && errno == ENOENT) {
		/* whoever moved it away has it; the one in use needs its name all the same */
		f->moved++;
		free(name);
	} else if (name) {
		f->aside = name;
		return err_set(err, errno, "cannot name the file %s: %s", name, strerror(errno));
	}
	if (!ret)
		ret = writer_publish(&s->writer, err);
	f->unnamed = ret != 0;
	return ret;
}

int block_writer_file_name_last(struct block_writer *s, struct err *err)
{
	struct err why = {0};
	int ret = block_writer_file_name(s, &why);

	if (!ret)
		return 0;
	writer_leave(&s->writer, &why);
	s->files.unnamed = false;
	if (err)
		*err = why;
	return ret;
}

int block_writer_publish(struct block_writer *s, struct err *err)
{
	struct block_writer_files *f = &s->files;

	if (s->writer.keep)
		return 0;
	/* what has its name is a file of this recording, and not an older one */
	if (f->total && s->writer.temp && !f->unnamed)
		f->aside = dated_name(s->options->output);
	f->unnamed = true;
	return block_writer_file_name(s, err);
}

/*
 * Until the next file is committed, whoever takes over cuts this one back to what it was before the
 * batch; then it is complete, and may be closed.
 */
int block_writer_switch(struct block_writer *s, struct err *err)
{
	struct writer next, complete;
	char *name;
	int ret;

	/* a pipe or a device is never renamed */
	if (!s->writer.seekable)
		return err_set(err, EINVAL, "cannot write several files to %s",
			       strcmp(s->options->output, "-") ? s->options->output
							       : "standard output");
	ret = block_writer_file_name(s, err);
	if (ret)
		return ret;
	if (begin_next(s, &next, s->switching.failed ? NULL : &s->switching.err)) {
		__atomic_store_n(&s->switching.failed, true, __ATOMIC_RELEASE);
		return 0;
	}
	name = dated_name(s->options->output);
	ret = name ? block_writer_file_losses(s, err) : err_nomem(err);
	if (!ret)
		ret = end_file(s, &s->writer, err);
	if (ret) {
		writer_close(&next, NULL);
		free(name);
		return ret;
	}
	complete = s->writer;
	s->writer = next;
	s->opened = clock_ns(CLOCK_MONOTONIC);
	s->files.bytes += complete.bytes;
	s->files.total++;
	block_writer_file_commit(s);
	symbol_collector_forget_written(s->batch_encoder.symbols);
	s->files.aside = name;
	s->files.unnamed = true;
	if (complete.no_inode || fstat(complete.fd, &s->files.finished))
		s->files.finished.st_ino = 0;
	ret = writer_close(&complete, err);
	/* if that fails, it is done with one of the next blocks */
	return block_writer_file_name(s, NULL) == -ENOMEM ? err_nomem(err) : ret;
}

int block_writer_file_kept(struct block_writer *s, struct writer *w, struct err *err)
{
	int ret = block_writer_file_preamble(s, w, err);

	if (!ret)
		ret = write_model(s, &s->kept.tasks.model, w, err);
	return ret ? ret : keep_write(&s->kept.keep, w, err);
}

/* While it has no name, the commit says which file it is. */
static int write_snapshot(struct block_writer *s, const char *name, struct err *err)
{
	struct writer w;
	int ret = block_writer_file_writer(s, &w, name, err);

	if (ret)
		return ret;
	commit_with(s, w.fd);
	ret = block_writer_file_kept(s, &w, err);
	if (!ret)
		ret = end_file(s, &w, err);
	if (!ret)
		ret = writer_publish(&w, err);
	/* once it is closed, its number may be another file's */
	block_writer_file_commit(s);
	if (writer_close(&w, ret ? NULL : err) && !ret)
		ret = -EIO;
	return ret;
}

int block_writer_snapshot(struct block_writer *s, struct err *err)
{
	char *name;
	int ret;

	if (!s->options->keep)
		return block_writer_switch(s, err);
	name = dated_name(s->options->output);
	if (!name)
		return err_nomem(err);
	ret = write_snapshot(s, name, err);
	if (!ret && s->options->keep_once)
		flight_recorder_drop_all(&s->kept);
	s->files.total += !ret;
	block_writer_file_commit(s);
	if (!ret)
		return add_finished(s, name, err);
	free(name);
	return ret;
}
