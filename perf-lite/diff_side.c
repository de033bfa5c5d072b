// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/diff.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "util/draw/folded.h"
#include "util/file/source.h"

int diff_side_look(struct diff_side *s, struct err *err)
{
	const char *path = s->in.session.path, *option;
	int ret;

	if (!strcmp(path, "-") && isatty(STDIN_FILENO))
		return err_set(err, EINVAL, "standard input is a terminal");
	ret = stacks_input_open(&s->input, path, err);
	if (ret)
		return ret;
	if (s->input.empty)
		return source_unknown(SOURCE_EMPTY, stream_name(path), err);
	s->folded = !s->input.recording;
	option = s->folded ? reading_needs_recording(&s->in) : NULL;
	if (option)
		return err_set(err, EINVAL, "%s needs a recording, which %s is not", option,
			       stream_name(path));
	return 0;
}

static struct diff_section *section(struct diff_sections *to, const char *event)
{
	const u32 id = strtab_add(&to->names, event, strlen(event));

	while (id != ID_NONE && to->sections.nr <= id) {
		struct diff_section *s = vec_push(&to->sections);

		if (!s)
			return NULL;
		s->event = *event ? strtab_get(&to->names, id) : NULL;
	}
	return id == ID_NONE ? NULL : &to->sections.v[id];
}

/* ---- folded stacks ---- */

static int read_folded(struct diff_side *s, struct err *err)
{
	struct folded f;
	int ret;

	folded_init(&f, &s->stacks);
	f.script.event = s->in.event;
	s->input.quiet = s->in.quiet;
	ret = stacks_input_text(&s->input, &f, err);
	folded_free(&f);
	return ret;
}

int diff_side_put(struct diff_side *s, struct diff_sections *to, struct err *err)
{
	struct diff_section *with;
	u64 unit;

	if (!s->folded)
		return 0;
	with = to->sections.nr ? &to->sections.v[0] : section(to, "");
	return with ? diff_tree_add_folded(&with->tree, s->which, &s->stacks, &unit, err)
		    : err_nomem(err);
}

/* ---- recordings ---- */

struct counted {
	struct stack_tree stacks;
	VEC(struct stack_weights) events; /* by event; roots are numbers in comms */
	struct strtab comms;
	VEC(u32) comm_ids; /* by the number in the process model: in comms, + 1; 0: not asked for */
};

/* As folded text has it, if `plain`. */
static u32 add_comm(struct counted *c, const char *comm, bool plain)
{
	struct buf b = {0};
	u32 id;

	buf_adds(&b, comm);
	if (plain)
		stack_frames_fold_root(&b);
	id = b.failed ? ID_NONE : strtab_add(&c->comms, buf_str(&b), b.len);
	buf_free(&b);
	return id;
}

static u32 find_comm(struct counted *c, const struct session_sample *s, bool plain)
{
	const u32 comm = s->thread ? s->thread->comm : ID_NONE;

	/* a thread without a name is called after its number */
	if (comm == ID_NONE)
		return add_comm(c, s->comm, plain);
	while (c->comm_ids.nr <= comm)
		if (!vec_push(&c->comm_ids))
			return ID_NONE;
	if (!c->comm_ids.v[comm])
		c->comm_ids.v[comm] = add_comm(c, s->comm, plain) + 1;
	return c->comm_ids.v[comm] - 1;
}

static int count(struct counted *c, const struct session_sample *s, bool plain, struct err *err)
{
	const u64 weight = session_sample_weight(s);
	const u32 comm = find_comm(c, s, plain);

	while (c->events.nr <= s->event)
		if (!vec_push(&c->events))
			return err_nomem(err);
	if (comm == ID_NONE ||
	    !stack_weights_count(&c->events.v[s->event], comm, stack_tree_get(&c->stacks, s),
				 ID_NONE, weight, s->samples))
		return err_nomem(err);
	return 0;
}

static int put_counts(const struct diff_side *s, const struct counted *c, bool plain,
		      struct diff_sections *to, struct err *err)
{
	const struct event_set *events = &s->in.s->source->recording->events;
	struct diff_section *with;
	int ret = 0;
	u32 i;

	for (i = 0; i < c->events.nr && !ret; i++) {
		if (!c->events.v[i].v.nr)
			continue;
		with = section(to, events->events.v[i].name);
		if (!with)
			return err_nomem(err);
		ret = diff_tree_add_stacks(&with->tree, s->which, &c->stacks, &c->events.v[i],
					   &c->comms,
					   plain ? STACK_FRAMES_FOLDED : STACK_FRAMES_SHOWN, err);
	}
	return ret;
}

static int read_samples(struct diff_side *s, struct counted *c, bool plain,
			struct diff_sections *to, struct err *err)
{
	const struct time_slices *times = &s->in.filter.times;
	struct session_sample sample;
	u64 first, last;
	int ret;

	while ((ret = reading_sample(&s->in, &sample, err)) > 0) {
		ret = count(c, &sample, plain, err);
		if (ret)
			return ret;
	}
	if (ret)
		return ret;
	first = s->in.s->totals.first;
	last = s->in.s->totals.last;
	if (first < last)
		s->seconds = (double)(times->nr ? time_slices_length(times, first, last)
						: last - first) /
			     1e9;
	return put_counts(s, c, plain, to, err);
}

static int read_recording(struct diff_side *s, bool plain, bool one, struct diff_sections *to,
			  struct err *err)
{
	struct counted c = {0};
	int ret;
	u32 i;

	s->in.session.want.no_raw = true;
	s->in.session.want.grouped = true;
	s->in.session.want.whole_time = true;
	s->in.session.in = stacks_input_take(&s->input);
	ret = reading_open(&s->in, err);
	if (!ret)
		ret = reading_choose_event(&s->in, one, "--event", err);
	if (!ret)
		ret = stack_tree_init(&c.stacks, s->in.s->symboliser, err);
	if (!ret)
		ret = read_samples(s, &c, plain, to, err);
	for (i = 0; i < c.events.nr; i++)
		stack_weights_free(&c.events.v[i]);
	vec_free(&c.events);
	vec_free(&c.comm_ids);
	strtab_free(&c.comms);
	stack_tree_free(&c.stacks);
	return ret ? ret : reading_verdict(&s->in, NULL, err);
}

int diff_side_read(struct diff_side *s, bool plain, bool one, struct diff_sections *to,
		   struct err *err)
{
	int ret;

	if (s->folded)
		return read_folded(s, err);
	ret = read_recording(s, plain, one, to, err);
	if (ret < 0)
		err_prefix(err, "%s", stream_name(s->in.session.path));
	reading_end(&s->in);
	return ret;
}

void diff_side_free(struct diff_side *s)
{
	stacks_input_close(&s->input);
	frame_tree_free(&s->stacks);
}
