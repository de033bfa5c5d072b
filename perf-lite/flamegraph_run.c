// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd_flamegraph.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "perf-lite/output_file.h"
#include "perf-lite/stacks_input.h"
#include "util/format/header_text.h"

/* One of the two that a picture is made of. */
struct side {
	struct stacks_input input;
	struct reading *in;
	struct flamegraph_stacks stacks; /* of a recording */
	struct buf event;                /* of text that names it, else empty */
	u64 samples;                     /* of that */
	int verdict;
	struct err damage; /* what the verdict says */
	struct buf poor;   /* a line on stacks that are not complete; empty: they are */
};

struct run {
	struct flamegraph_request *r;
	struct side now, old;
	struct frame_tree tree;
	struct flamegraph_code code; /* of `now` */
	struct buf warning;
};

/* ---- reading ---- */

static int open_side(struct side *s, struct reading *in, struct err *err)
{
	s->in = in;
	return stacks_input_open(&s->input, in->session.path, err);
}

static int check_kinds(struct run *x, struct err *err)
{
	struct flamegraph_request *r = x->r;

	if (!x->now.input.recording && r->needs_recording)
		return err_set(err, EINVAL, "%s needs a recording, which %s is not",
			       r->needs_recording, stream_name(x->now.input.path));
	if (r->stacks.per_event && r->diff && !x->old.input.recording)
		return err_set(err, EINVAL,
			       "--per-event needs a recording to compare with, which %s is not",
			       stream_name(x->old.input.path));
	/* frames of text are nothing but names: so must be those that they are compared with */
	r->stacks.folded = r->diff && x->now.input.recording != x->old.input.recording;
	return 0;
}

static int read_text(struct run *x, struct side *s, bool old, struct err *err)
{
	struct folded f;
	int ret;

	folded_init(&f, &x->tree);
	f.old = old;
	f.script.event = s->in->event;
	s->input.quiet = s->in->quiet;
	ret = stacks_input_text(&s->input, &f, err);
	/* counts to compare with are of whatever they were made of */
	if (ret >= 0 && s->in->event && !f.is_script && !old)
		ret = err_set(err, EINVAL,
			      "--event needs a recording, or text of perf script, which %s is not",
			      stream_name(s->input.path));
	if (ret >= 0 && f.is_script && f.script.event)
		buf_adds(&s->event, f.script.event);
	s->samples = f.script.stacks;
	folded_free(&f);
	return ret < 0 || !s->event.failed ? ret : err_nomem(err);
}

static int read_recording(struct run *x, struct side *s, struct err *err)
{
	const bool per_event = x->r->stacks.per_event;
	int ret;

	s->in->session.in = stacks_input_take(&s->input);
	ret = reading_open(s->in, err);
	if (!ret)
		ret = reading_choose_event(s->in, !per_event, "--event", err);
	if (ret && x->r->diff)
		err_prefix(err, "%s", stream_name(s->input.path));
	if (!ret)
		ret = flamegraph_stacks_read(&s->stacks, s->in, &x->r->stacks,
					     x->r->annotate && s == &x->now ? &x->code : NULL, err);
	return ret;
}

/* Text has none, nor has a recording of nothing. */
static bool has_event(const struct side *s, u32 event)
{
	return event < s->stacks.graphs.nr;
}

static const char *event_name(const struct side *s, u32 event)
{
	return s->in->s->source->recording->events.events.v[event].name;
}

/* How many events before this one have its name. */
static u32 number_of(const struct side *s, u32 event)
{
	u32 i, nr = 0;

	for (i = 0; i < event; i++)
		nr += !strcmp(event_name(s, i), event_name(s, event));
	return nr;
}

/*
 * The event of the other side that has this one's name, the second of it for the second, and samples; ID_NONE:
 * there is none.
 */
static u32 same_event(const struct side *s, u32 event, const struct side *other)
{
	u32 i, before = number_of(s, event);

	for (i = 0; i < other->stacks.graphs.nr; i++)
		if (!strcmp(event_name(other, i), event_name(s, event)) && !before--)
			return other->stacks.graphs.v[i].samples ? i : ID_NONE;
	return ID_NONE;
}

/* Lines on the events of `s` that the other has no samples of. */
static void note_missing(const struct side *s, const struct side *other, const char *what,
			 struct buf *lines)
{
	u32 i, before;

	for (i = 0; i < s->stacks.graphs.nr; i++) {
		if (!s->stacks.graphs.v[i].samples || same_event(s, i, other) != ID_NONE)
			continue;
		buf_addf(lines, "%s holds no samples of %s", stream_name(other->input.path),
			 event_name(s, i));
		before = number_of(s, i);
		if (before)
			buf_addf(lines, ", event %u of that name", before + 1);
		buf_addf(lines, ": %s\n", what);
	}
}

/* What is missing is no failure: it is in `damage`, and the rest is drawn. */
static int read_side(struct run *x, struct side *s, bool old, struct err *err)
{
	int ret = s->input.recording ? read_recording(x, s, err) : read_text(x, s, old, err);
	struct buf lines = {0};

	if (!ret && old && x->r->stacks.per_event) {
		note_missing(&x->now, s, "its picture compares nothing", &lines);
		note_missing(s, &x->now, "it has no picture", &lines);
	}
	if (!ret && s->input.recording) {
		reading_stacks_note(s->in, &s->poor);
		if (s->poor.len)
			buf_addf(&lines, "%s\n", buf_str(&s->poor));
		ret = reading_verdict(s->in, &lines, err);
	}
	buf_free(&lines);
	if (ret < 0)
		return ret;
	s->verdict = ret;
	s->damage = *err;
	*err = (struct err){0};
	return 0;
}

/* ---- drawing ---- */

static void make_warning(struct run *x)
{
	if (x->now.input.recording)
		flamegraph_picture_warning(x->now.in, x->now.damage.msg, &x->warning);
	else
		buf_adds(&x->warning, x->now.damage.msg);
	if (x->now.poor.len)
		buf_addf(&x->warning, "%s%s", x->warning.len ? "\n" : "", buf_str(&x->now.poor));
}

/* g: filled in as far as the event is known; options override it. */
static int draw(struct run *x, const char *path, struct flamegraph g, struct err *err)
{
	struct buf picture = {0};
	int ret = frame_tree_finish(&x->tree, err);

	if (x->r->title)
		g.title = x->r->title;
	if (x->r->unit) {
		g.unit = x->r->unit;
		g.time = false;
	}
	g.warning = x->warning.len ? buf_str(&x->warning) : NULL;
	if (!ret)
		ret = flamegraph_draw(&g, &x->tree, &picture, err);
	if (!ret)
		ret = output_file_put(path, &picture, err);
	buf_free(&picture);
	return ret;
}

/* The graph of one event, with the old counts in the tree already, if there are any. */
static int draw_event(struct run *x, u32 event, const char *path, struct err *err)
{
	const struct flamegraph_graph *g = &x->now.stacks.graphs.v[event];
	struct flamegraph picture = x->r->draw;
	struct buf compared = {0}, unit = {0}, code = {0}, style = {0};
	struct flamegraph_head head = {0};
	const char *notes[3];
	int ret;

	ret = flamegraph_stacks_put(&x->now.stacks, event, &x->tree, false, err);
	if (!ret)
		ret = flamegraph_head_make(&head, x->now.in, event, g->first, g->last, err);
	if (x->r->diff)
		buf_addf(&compared,
			 x->tree.old_total ? "compared with %s" : "%s holds no samples of it",
			 x->r->diff);
	picture.title = head.title.len ? buf_str(&head.title) : NULL;
	picture.unit = header_text_unit(&x->now.in->s->source->recording->events.events.v[event],
					g->samples, g->weight, &picture.time, &unit);
	picture.samples = g->samples;
	picture.notes = notes;
	if (head.origin.len)
		notes[picture.nr_notes++] = buf_str(&head.origin);
	notes[picture.nr_notes++] = buf_str(&head.event);
	if (x->r->diff)
		notes[picture.nr_notes++] = buf_str(&compared);
	if (!ret && x->r->annotate) {
		ret = flamegraph_code_put(&x->code, x->now.in, event, &code, err);
		annotation_html_style(&style);
		picture.code = buf_str(&code);
		picture.code_style = buf_str(&style);
	}
	if (!ret)
		ret = code.failed || style.failed ? err_nomem(err) : draw(x, path, picture, err);
	flamegraph_head_free(&head);
	buf_free(&compared);
	buf_free(&unit);
	buf_free(&code);
	buf_free(&style);
	return ret;
}

static int draw_text(struct run *x, struct err *err)
{
	struct flamegraph picture = x->r->draw;
	struct buf compared = {0}, unit = {0};
	const char *note;
	int ret;

	if (x->now.event.len) {
		picture.unit = header_text_unit_named(buf_str(&x->now.event), x->now.samples,
						      x->tree.total, &picture.time, &unit);
		picture.samples = x->now.samples;
	}
	buf_addf(&compared, "compared with %s", x->r->diff ? x->r->diff : "");
	note = buf_str(&compared);
	picture.notes = &note;
	picture.nr_notes = x->r->diff ? 1 : 0;
	ret = unit.failed ? err_nomem(err) : draw(x, x->r->output, picture, err);
	buf_free(&compared);
	buf_free(&unit);
	return ret;
}

/* The old counts of an event of the new recording, if there are any. */
static int put_old(struct run *x, u32 event, struct err *err)
{
	u32 old = x->r->diff ? same_event(&x->now, event, &x->old) : ID_NONE;

	return old == ID_NONE ? 0 : flamegraph_stacks_put(&x->old.stacks, old, &x->tree, true, err);
}

/* A picture for each event that has samples. */
static int draw_events(struct run *x, struct err *err)
{
	struct strtab paths = {0};
	int ret = flamegraph_picture_paths(x->r->output, &x->now.in->s->source->recording->events,
					   &paths, err);
	u32 i;

	for (i = 0; i < x->now.stacks.graphs.nr && !ret; i++) {
		if (!x->now.stacks.graphs.v[i].samples)
			continue;
		ret = put_old(x, i, err);
		if (!ret)
			ret = draw_event(x, i, strtab_get(&paths, i), err);
		frame_tree_free(&x->tree);
	}
	strtab_free(&paths);
	return ret;
}

static int any_common(const struct run *x, struct err *err)
{
	u32 i;

	for (i = 0; i < x->old.stacks.graphs.nr; i++)
		if (x->old.stacks.graphs.v[i].samples && same_event(&x->old, i, &x->now) != ID_NONE)
			return 0;
	err_set(err, ENODATA, "%s and %s hold samples of no common event",
		stream_name(x->now.input.path), stream_name(x->old.input.path));
	return -ENODATA;
}

/*
 * The counts to compare with; those of several events are put beside each as it is drawn. The event
 * is that of the new recording, if both have it.
 */
static int add_old(struct run *x, struct err *err)
{
	int ret = 0;

	if (x->r->stacks.per_event)
		return any_common(x, err);
	if (has_event(&x->old, x->old.in->only_event))
		ret = flamegraph_stacks_put(&x->old.stacks, x->old.in->only_event, &x->tree, true,
					    err);
	if (!ret && !x->tree.old_total) {
		err_set(err, ENODATA, "%s holds no samples to compare with",
			stream_name(x->old.input.path));
		return -ENODATA;
	}
	return ret;
}

static bool any_samples(const struct run *x)
{
	u32 i;

	if (!x->now.input.recording)
		return x->tree.total;
	for (i = 0; i < x->now.stacks.graphs.nr; i++)
		if (x->now.stacks.graphs.v[i].samples)
			return true;
	return false;
}

/* How complete the pictures are. */
static int verdict(const struct run *x, bool any, struct err *err)
{
	if (x->now.verdict || x->old.verdict) {
		*err = x->now.verdict ? x->now.damage : x->old.damage;
		return x->now.verdict ? x->now.verdict : x->old.verdict;
	}
	if (any)
		return CMD_OK;
	err_set(err, ENODATA, "%s holds no samples%s%s", stream_name(x->now.input.path),
		x->now.input.recording && !reading_is_empty(x->now.in)
			? " of those that were asked for"
			: "",
		x->r->stacks.per_event ? "" : ": the picture is empty");
	return CMD_USAGE;
}

static int run(struct run *x, struct err *err)
{
	struct flamegraph_request *r = x->r;
	bool any;
	int ret;

	ret = open_side(&x->now, &r->in, err);
	if (!ret && r->diff)
		ret = open_side(&x->old, &r->old, err);
	if (!ret)
		ret = check_kinds(x, err);
	if (!ret && r->timeline) {
		r->in.session.in = stacks_input_take(&x->now.input);
		return flamegraph_timeline_run(r, err);
	}
	if (!ret)
		ret = read_side(x, &x->now, false, err);
	if (!ret && r->diff && !r->old.event && has_event(&x->now, r->in.only_event))
		r->old.event = event_name(&x->now, r->in.only_event);
	if (!ret && r->diff)
		ret = read_side(x, &x->old, true, err);
	if (!ret && r->diff)
		ret = add_old(x, err);
	if (ret)
		return ret;
	any = any_samples(x);
	make_warning(x);
	if (x->warning.failed || x->now.poor.failed)
		return err_nomem(err);
	if (!has_event(&x->now, r->in.only_event) && !r->stacks.per_event)
		ret = draw_text(x, err);
	else if (r->stacks.per_event)
		ret = draw_events(x, err);
	else
		ret = draw_event(x, r->in.only_event, r->output, err);
	return ret ? ret : verdict(x, any, err);
}

int flamegraph_run(struct flamegraph_request *r, struct err *err)
{
	struct run x = {.r = r, .tree = {.folds_unknown = true}};
	int ret = run(&x, err);

	/* inlined functions are looked up while a picture is drawn */
	reading_put_late_notes(&r->in);
	reading_put_late_notes(&r->old);
	flamegraph_stacks_free(&x.now.stacks);
	flamegraph_stacks_free(&x.old.stacks);
	buf_free(&x.now.poor);
	buf_free(&x.old.poor);
	buf_free(&x.now.event);
	buf_free(&x.old.event);
	stacks_input_close(&x.now.input);
	stacks_input_close(&x.old.input);
	flamegraph_code_free(&x.code);
	frame_tree_free(&x.tree);
	buf_free(&x.warning);
	return ret;
}
