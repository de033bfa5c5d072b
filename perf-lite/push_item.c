// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/push_spool.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/base/text.h"
#include "util/export/about.h"
#include "util/export/export.h"
#include "util/export/gzip.h"

/* Written out in pieces of this size. */
#define PIECE (256u * 1024)

/* What an item is made of. */
struct making {
	struct push *push;
	struct reading in;
	struct sink *sink;
	struct gzip gzip; /* of otlp: pprof compresses itself */
	struct buf piece, packed;
	struct push_item *item;
	u64 first, last; /* times of the samples, by the recording's clock */
};

static int write_bytes(struct making *m, const struct buf *b, struct err *err)
{
	int ret = b->failed ? -ENOMEM : io_write(m->item->fd, buf_str(b), b->len);

	m->item->size += b->len;
	if (ret)
		err_set(err, -ret, "cannot keep what is to be sent: %s", strerror(-ret));
	if (ret == -ENOSPC || ret == -EDQUOT)
		err_hint(err,
			 "the recording is where it was; free some space, or take another folder");
	return ret;
}

static int write_piece(struct making *m, struct err *err)
{
	int ret;

	if (m->piece.failed)
		return err_nomem(err);
	if (m->push->form == PUSH_PPROF) {
		ret = write_bytes(m, &m->piece, err);
	} else {
		ret = gzip_add(&m->gzip, buf_str(&m->piece), m->piece.len, &m->packed, err);
		if (!ret)
			ret = write_bytes(m, &m->packed, err);
		buf_clear(&m->packed);
	}
	buf_clear(&m->piece);
	return ret;
}

static int write_end(struct making *m, struct err *err)
{
	int ret;

	while ((ret = m->sink->ops->end(m->sink, &m->piece, err)) > 0) {
		ret = write_piece(m, err);
		if (ret)
			return ret;
	}
	if (!ret)
		ret = write_piece(m, err);
	if (ret || m->push->form == PUSH_PPROF)
		return ret;
	ret = gzip_end(&m->gzip, &m->packed, err);
	return ret ? ret : write_bytes(m, &m->packed, err);
}

static void note_sample(struct making *m, u64 time)
{
	if (!m->item->samples++ || time < m->first)
		m->first = time;
	m->last = MAX(m->last, time);
}

static int write_samples(struct making *m, struct err *err)
{
	struct session_sample sample;
	int ret;

	while ((ret = reading_sample(&m->in, &sample, err)) > 0) {
		note_sample(m, sample.sample->ids.time);
		ret = m->sink->ops->sample(m->sink, &sample, &m->piece, err);
		if (!ret && m->piece.len >= PIECE)
			ret = write_piece(m, err);
		if (ret)
			return ret;
	}
	return ret ? ret : write_end(m, err);
}

/* What is in the name of a file in a spool, and a label of Pyroscope. */
static void keep_host(struct push_item *item, const char *host)
{
	size_t i;

	for (i = 0; host && host[i] && i < sizeof(item->host) - 1; i++)
		item->host[i] = text_is_plain(&host[i], 1) &&
						(isalnum((u8)host[i]) || strchr("._-", host[i]))
					? host[i]
					: '_';
	item->host[i] = '\0';
}

static int note_facts(struct making *m, struct err *err)
{
	const struct session *s = m->in.s;
	u64 until = about_day_by_file(s);
	struct time_text time;
	int ret = time_text_init(&time, TIME_FORM_RAW, false, s->source->recording, err);

	if (!ret && m->first && time_text_knows_day(&time)) {
		m->item->from = time_text_day(&time, m->first) / 1000000000;
		m->item->until = time_text_day(&time, m->last) / 1000000000 + 1;
	} else if (!ret && until) {
		m->item->from = (until - MIN(m->last - m->first, until)) / 1000000000;
		m->item->until = until / 1000000000 + 1;
	}
	keep_host(m->item, recording_fact(s->source->recording, "hostname"));
	time_text_free(&time);
	return ret;
}

static int begin(struct making *m, struct err *err)
{
	struct push *c = m->push;
	int ret = reading_open(&m->in, err);

	/* others read what -i names */
	if (ret && err->code == ENOENT && access(m->in.session.path, F_OK))
		err_hint(err, "record first: perf-lite record -o FILE -- COMMAND");
	if (!ret)
		ret = reading_choose_event(&m->in, false, "--event", err);
	if (!ret)
		ret = c->form == PUSH_OTLP ? export_otlp(m->in.s, m->in.only_event, &m->sink, err)
					   : export_pprof(m->in.s, m->in.only_event, &m->sink, err);
	if (!ret && c->form == PUSH_OTLP) {
		export_otlp_service(m->sink, c->service);
		ret = gzip_init(&m->gzip, err);
	}
	return ret;
}

static int make(struct making *m, struct err *err)
{
	struct buf notes = {0};
	int ret = begin(m, err);

	if (!ret)
		ret = write_samples(m, err);
	if (!ret)
		ret = note_facts(m, err);
	if (!ret && m->item->samples)
		about_day_note(m->in.s, &notes);
	if (!ret)
		ret = reading_verdict(&m->in, &notes, err);
	buf_free(&notes);
	return ret;
}

static int open_file(struct push_spool *spool, char temp[static 64], struct err *err)
{
	int fd;

	if (spool)
		return push_spool_create(spool, temp, err);
	fd = memfd_create("perf-lite push", MFD_CLOEXEC);
	return fd < 0 ? err_set(err, errno, "cannot keep what is to be sent: %s", strerror(errno))
		      : fd;
}

int push_item_make(struct push *c, const char *path, struct push_spool *spool,
		   struct push_item *item, struct err *err)
{
	struct making m = {.push = c, .item = item};
	struct err failure = {0};
	char temp[64] = "";
	int ret, stored;

	*item = (struct push_item){.fd = -1};
	ret = push_reading(c, &m.in, err);
	if (!ret)
		item->fd = ret = open_file(spool, temp, err);
	if (ret < 0) {
		reading_end(&m.in);
		return ret;
	}
	m.in.session.path = path;
	ret = make(&m, err);
	if (ret >= 0 && c->skip.of)
		ret = push_divide_skip(c, item, &failure) ? -failure.code : ret;
	if (failure.code)
		*err = failure;
	if (ret >= 0 && item->samples && spool) {
		stored = push_spool_commit(spool, temp, c->form, item, &failure);
		if (stored) {
			*err = failure;
			ret = stored;
		}
	}
	if (spool && !item->name[0])
		push_spool_forget(spool, temp);
	if (ret < 0 || !item->samples)
		push_item_free(item);
	if (m.sink)
		m.sink->ops->free(m.sink);
	gzip_free(&m.gzip);
	buf_free(&m.piece);
	buf_free(&m.packed);
	reading_end(&m.in);
	return ret;
}

void push_item_free(struct push_item *item)
{
	if (item->fd >= 0)
		close(item->fd);
	item->fd = -1;
}
