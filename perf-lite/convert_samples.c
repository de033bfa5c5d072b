// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "perf-lite/convert.h"
#include "perf-lite/script.h"
#include "util/export/about.h"
#include "util/export/export.h"
#include "util/format/folded_sink.h"

/* Written out in pieces of this size. */
#define OUT_SIZE (256u * 1024)

/* A sink that script uses, with what it needs. */
struct own_sink {
	struct sink sink;
	struct sink *inner; /* NULL: not made */
	struct session *session;
	struct script_export export; /* of JSON */
	struct time_text time;       /* likewise */
	struct folded_sink folded;
};

static int own_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
		      struct err *err)
{
	struct own_sink *k = (struct own_sink *)sink;

	return k->inner->ops->sample(k->inner, s, out, err);
}

static int own_end(struct sink *sink, struct buf *out, struct err *err)
{
	struct own_sink *k = (struct own_sink *)sink;
	int ret = k->inner->ops->end(k->inner, out, err);

	if (!ret && k->export.json)
		json_sink_losses(k->session, out);
	return ret;
}

static void own_free(struct sink *sink)
{
	struct own_sink *k = (struct own_sink *)sink;

	if (k->inner)
		k->inner->ops->free(k->inner);
	script_export_free(&k->export);
	time_text_free(&k->time);
	free(k);
}

static struct own_sink *own_make(struct session *s, struct err *err)
{
	static const struct sink_ops ops = {.sample = own_sample, .end = own_end, .free = own_free};
	struct own_sink *k = malloc(sizeof(*k));

	if (!k)
		err_nomem(err);
	else
		*k = (struct own_sink){.sink.ops = &ops, .session = s};
	return k;
}

int convert_folded(struct session *s, u32 event, struct sink **sink, struct err *err)
{
	struct own_sink *k = own_make(s, err);

	if (!k)
		return -ENOMEM;
	*sink = &k->sink;
	k->inner = &k->folded.sink;
	return folded_sink_init(&k->folded, s->symboliser, event, NULL, err);
}

int convert_json(struct session *s, u32 event, struct sink **sink, struct err *err)
{
	const struct fields_options o = {.more = json_sink_fields()};
	struct own_sink *k = own_make(s, err);
	struct buf notes = {0};
	struct fields fields;
	int ret;

	if (!k)
		return -ENOMEM;
	*sink = &k->sink;
	k->export.json = true;
	k->export.options.time = &k->time;
	ret = time_text_init(&k->time, TIME_FORM_RAW, false, s->source->recording, err);
	if (ret)
		return ret;
	ret = fields_init(&fields, &s->source->recording->events, &o, &notes, err);
	/* the notes are about fields asked for by name: there are none here */
	buf_free(&notes);
	return ret ? ret : script_export_sink(&k->export, s, event, &fields, &k->inner, err);
}

static int write_out(struct convert *c, struct buf *out, struct err *err)
{
	int ret = output_file_write(&c->out, out, err);

	buf_clear(out);
	return ret;
}

static int write_samples(struct convert *c, struct sink *sink, struct err *err)
{
	struct session_sample sample;
	struct buf out = {0};
	int ret;

	while ((ret = reading_next(&c->in, &sample, err)) > 0) {
		if (ret == SESSION_SAMPLE)
			ret = sink->ops->sample(sink, &sample, &out, err);
		else
			/* what comes through a pipe goes on as it comes */
			ret = c->in.live ? write_out(c, &out, err) : 0;
		if (!ret && out.len >= OUT_SIZE)
			ret = write_out(c, &out, err);
		if (ret)
			break;
	}
	while (!ret && (ret = sink->ops->end(sink, &out, err)) > 0)
		ret = write_out(c, &out, err);
	if (!ret)
		ret = write_out(c, &out, err);
	buf_free(&out);
	return ret;
}

/* A file of what the sink makes at the end. */
static int write_losses(struct convert *c, struct err *err)
{
	struct sink *sink = NULL;
	struct buf out = {0};
	int ret;

	ret = c->format->losses(c->in.s, c->in.only_event, &sink, err);
	if (!ret)
		ret = output_file_open(&c->out, buf_str(&c->losses), c->in.session.path,
				       OUTPUT_PRIVATE, err);
	if (!ret) {
		ret = sink->ops->end(sink, &out, err);
		if (!ret)
			ret = write_out(c, &out, err);
		ret = output_file_close(&c->out, ret, err);
	}
	if (sink)
		sink->ops->free(sink);
	buf_free(&out);
	return ret;
}

static int write_files(struct convert *c, struct sink *sink, struct err *err)
{
	const char *path = c->directory ? buf_str(&c->samples) : c->output;
	int ret;

	ret = convert_directory_make(c, err);
	if (ret)
		return ret;
	ret = output_file_open(&c->out, path, c->in.session.path, OUTPUT_PRIVATE, err);
	if (!ret) {
		ret = write_samples(c, sink, err);
		ret = output_file_close(&c->out, ret, err);
	}
	if (!ret && c->directory) {
		/* should the new ones fail, old ones must not be taken for those of these samples */
		unlink(buf_str(&c->losses));
		ret = write_losses(c, err);
	}
	output_file_directory_end(ret);
	return ret;
}

int convert_samples(struct convert *c, struct err *err)
{
	const struct convert_format *f = c->format;
	struct sink *sink = NULL;
	struct buf notes = {0};
	int ret;

	c->in.session.want.no_raw = f->no_raw;
	c->in.what = "Converting";
	ret = reading_open(&c->in, err);
	if (!ret)
		ret = reading_choose_event(&c->in, f->one_event, "--event", err);
	if (!ret)
		ret = f->sink(c->in.s, c->in.only_event, &sink, err);
	if (!ret)
		ret = write_files(c, sink, err);
	if (sink)
		sink->ops->free(sink);
	if (!ret && f->sink == export_otlp)
		about_day_note(c->in.s, &notes);
	if (!ret)
		ret = reading_verdict(&c->in, &notes, err);
	buf_free(&notes);
	return ret;
}
