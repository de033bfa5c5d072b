// SPDX-License-Identifier: GPL-2.0
#include "util/file/perfdata.h"

#include <errno.h>
#include <stdlib.h>

#include "util/file/perfdata_header.h"

/* Records that perf puts among the kernel's. */
enum {
	PERFDATA_TYPE_FIRST = 64,
	PERFDATA_FINISHED_ROUND = 68,
	PERFDATA_AUXTRACE = 71,
	PERFDATA_COMPRESSED = 81,
	PERFDATA_COMPRESSED2 = 83,
};

struct perfdata {
	struct source source;
	struct stream in;
	struct perfdata_header header;
	u64 end;                 /* file offset where the data ends */
	u64 round_max, time_max; /* newest time before the last round's end; newest time so far */
};

/* A round is over: nothing older than the end of the round before can follow. */
static void finish_round(struct perfdata *p)
{
	if (p->round_max + 1 > p->source.order)
		p->source.order = p->round_max + 1;
	p->round_max = p->time_max;
}

static void note_time(struct perfdata *p, const struct rec *rec)
{
	const struct event_set *events = &p->source.recording.events;
	u32 event = event_set_find(events, rec);
	u64 time;

	if (event == ID_NONE)
		return;
	time = plan_time(&events->events.v[event].plan, rec);
	if (time != UINT64_MAX && time > p->time_max)
		p->time_max = time;
}

static int cut(struct perfdata *p, u64 at)
{
	p->source.damage.cut_at = at;
	p->source.order = UINT64_MAX;
	return SOURCE_END;
}

static int perfdata_next(struct source *s, struct rec *rec, struct err *err)
{
	struct perfdata *p = (struct perfdata *)s;
	struct perf_event_header h;
	const u8 *d;
	size_t got;
	u64 at;

	for (;;) {
		at = stream_tell(&p->in);
		if (at >= p->end) {
			s->order = UINT64_MAX;
			return SOURCE_END;
		}
		d = stream_peek(&p->in, sizeof(h), &got);
		if (p->in.error)
			return err_set(err, -p->in.error, "cannot read %s: %s", s->path,
				       strerror(-p->in.error));
		if (got < sizeof(h))
			return cut(p, at);
		memcpy(&h, d, sizeof(h));
		if (h.size < sizeof(h) || h.size > p->end - at)
			return cut(p, at);
		d = stream_peek(&p->in, h.size, &got);
		if (got < h.size || !rec_view(rec, d, got))
			return cut(p, at);
		stream_skip(&p->in, h.size);
		if (h.type < PERFDATA_TYPE_FIRST) {
			note_time(p, rec);
			return SOURCE_RECORD;
		}
		if (h.type == PERFDATA_FINISHED_ROUND) {
			finish_round(p);
			return SOURCE_ORDER;
		} else if (h.type == PERFDATA_AUXTRACE) {
			struct cur c = rec_body(rec);
			u64 size = cur_u64(&c);

			if (size > p->end - stream_tell(&p->in))
				return cut(p, at);
			stream_skip(&p->in, size);
		} else if (h.type == PERFDATA_COMPRESSED || h.type == PERFDATA_COMPRESSED2) {
			err_set(err, ENOTSUP,
				"%s: compressed perf.data files (perf record -z) cannot be read",
				s->path);
			err_hint(err, "record without -z");
			return -ENOTSUP;
		}
	}
}

static void perfdata_close(struct source *s)
{
	struct perfdata *p = (struct perfdata *)s;

	stream_close(&p->in);
}

static const struct source_ops perfdata_ops = {"perf.data", perfdata_next, perfdata_close};

struct source *perfdata_open(struct stream *in, struct err *err)
{
	struct perfdata *p;
	const u8 *d;
	size_t got;

	if (!in->seekable) {
		err_set(err, ESPIPE, "a perf.data file cannot be read from a pipe");
		err_hint(err, "give it by name: -i perf.data");
		return NULL;
	}
	d = stream_peek(in, PERFDATA_HEADER_SIZE, &got);
	if (got >= 8 && !memcmp(d, PERFDATA_MAGIC_SWAPPED, 8)) {
		err_set(err, ENOTSUP,
			"the perf.data file was recorded on a machine of the other byte order");
		return NULL;
	}
	p = calloc(1, sizeof(*p));
	if (!p) {
		err_nomem(err);
		return NULL;
	}
	p->source.ops = &perfdata_ops;
	if (perfdata_header_parse(&p->header, d, got, in->size, err) ||
	    perfdata_header_load(&p->header, in->fd, &p->source.recording, err)) {
		recording_free(&p->source.recording);
		free(p);
		return NULL;
	}
	p->end = p->header.data.offset + p->header.data.size;
	if (!p->header.data.size || p->end > in->size || p->end < p->header.data.offset) {
		p->source.damage.no_end = true;
		p->end = in->size;
	}
	p->in = *in;
	/* pread() of the header left the descriptor where the stream believes it is */
	stream_seek(&p->in, p->header.data.offset);
	return &p->source;
}
