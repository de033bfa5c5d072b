// SPDX-License-Identifier: GPL-2.0
#include "util/library/report_brief.h"

#include <errno.h>
#include <string.h>

#include "util/base/num.h"
#include "util/base/text.h"
#include "util/format/header_text.h"
#include "util/profile/stack_quality.h"
#include "util/report/sample_keys.h"

#define NEXT_MAX  88  /* columns that a line has room for */
#define EVENT_MAX 100 /* bytes of an event's name that anybody would type */

static const struct recording *recording_of(const struct report_brief *b)
{
	return b->in->s->source->recording;
}

/* A text of the brief, *to; NULL if there is nothing. Frees it. */
static int set_text(struct report_brief *b, const char **to, struct buf *text, struct err *err)
{
	int ret = 0;

	*to = NULL;
	if (text->len || text->failed) {
		*to = report_brief_keep(b, text, err);
		ret = *to ? 0 : -ENOMEM;
	}
	buf_free(text);
	return ret;
}

static int set_fact(struct report_brief *b, const char **to, const char *key, struct err *err)
{
	const char *fact = recording_fact(recording_of(b), key);
	struct buf text = {0};

	if (fact)
		text_escape(&text, fact, strlen(fact));
	return set_text(b, to, &text, err);
}

static int set_commands(struct report_brief *b, struct brief_machine *m, struct err *err)
{
	const struct recording *r = recording_of(b);
	struct buf raw = {0}, line = {0}, command = {0};
	int ret;

	header_text_command(r, &raw);
	text_escape(&command, buf_str(&raw), raw.len);
	buf_clear(&raw);
	header_text_arguments(r, NULL, &raw);
	text_escape(&line, buf_str(&raw), raw.len);
	command.failed |= raw.failed;
	buf_free(&raw);
	ret = set_text(b, &m->command, &command, err);
	if (ret)
		buf_free(&line);
	return ret ? ret : set_text(b, &m->command_line, &line, err);
}

static int set_machine(struct report_brief *b, struct brief_machine *m, struct err *err)
{
	struct buf when = {0};
	const char *cpus;
	int ret = set_commands(b, m, err);

	if (!ret)
		ret = set_fact(b, &m->host, "hostname", err);
	if (!ret)
		ret = set_fact(b, &m->boot, "boot_id", err);
	if (!ret)
		ret = set_fact(b, &m->release, "release", err);
	if (ret)
		return ret;
	cpus = recording_fact(recording_of(b), "nrcpus_online");
	if (cpus)
		num_u64(cpus, &m->cpus);
	if (b->last)
		header_text_dates(recording_of(b), b->first, b->last, &when);
	m->seconds = (double)(b->last - b->first) / 1e9;
	return set_text(b, &m->when, &when, err);
}

static int set_stacks(struct report_brief *b, struct brief_stacks *s, struct err *err)
{
	const struct quality *q = &b->in->stacks->counts;
	const struct quality_shares shares = quality_shares(q);
	struct buf text = {0};

	s->stacks = shares.stacks;
	s->complete = num_percent(shares.complete, shares.stacks);
	s->poor = quality_is_poor(q);
	quality_text_line(q, &b->in->s->model, &text);
	/* why the others are not is of interest if they are many */
	if (!s->poor && s->complete >= 50 && text.len)
		text.data[text.len = strcspn(text.data, ";")] = '\0';
	return set_text(b, &s->text, &text, err);
}

/* Lines as one. */
static int set_loss(struct report_brief *b, struct err *err)
{
	const struct session *s = b->in->s;
	const struct recording *r = recording_of(b);
	struct buf lines = {0}, text = {0};
	size_t i;

	b->brief.lost = recording_lost(r, session_lost(s)) + recording_unwritten(r);
	reading_loss_lines(r, session_lost(s), "", &lines);
	while (lines.len && lines.data[lines.len - 1] == '\n')
		lines.data[--lines.len] = '\0';
	for (i = 0; i < lines.len; i++)
		if (lines.data[i] == '\n')
			buf_adds(&text, "; ");
		else
			buf_addc(&text, lines.data[i]);
	text.failed |= lines.failed;
	buf_free(&lines);
	return set_text(b, &b->brief.loss, &text, err);
}

/* What comes before item i of a list. */
static void put_what(struct buf *out, u32 i, const char *what, bool except)
{
	if (i)
		buf_adds(out, ", ");
	else
		buf_addf(out, "%s%s%s ", out->len ? "; " : "", what, except ? " not" : "");
}

static void put_names(struct buf *out, const char *what, const struct name_list *l)
{
	u32 i;

	for (i = 0; i < l->nr; i++) {
		put_what(out, i, what, l->except);
		text_escape(out, l->v[i], strlen(l->v[i]));
	}
}

static void put_numbers(struct buf *out, const char *what, const struct number_list *l)
{
	u32 i;

	for (i = 0; i < l->nr; i++) {
		put_what(out, i, what, l->except);
		buf_dec(out, l->v[i].first, 0);
		if (l->v[i].last != l->v[i].first)
			buf_addf(out, "-%llu", (unsigned long long)l->v[i].last);
	}
}

static void put_given(struct buf *out, const char *what, const char *given)
{
	if (!given)
		return;
	buf_addf(out, "%s%s ", out->len ? "; " : "", what);
	text_escape(out, given, strlen(given));
}

/* What samples were chosen by: all shares are of these. */
static int set_chosen(struct report_brief *b, struct err *err)
{
	const struct reading *in = b->in;
	struct buf text = {0};

	put_given(&text, "event", in->event);
	put_names(&text, "command", &in->filter.comms);
	put_numbers(&text, "process", &in->filter.pids);
	put_numbers(&text, "thread", &in->filter.tids);
	put_numbers(&text, "CPU", &in->filter.cpus);
	put_given(&text, "time", in->filter.times.nr ? in->times : NULL);
	put_names(&text, "function", &in->select.places.symbols);
	put_names(&text, "file", &in->select.places.dsos);
	if (in->select.places.idle.nr)
		buf_addf(&text, "%snot idle", text.len ? "; " : "");
	if (in->select.fields.asked.nr)
		buf_addf(&text, "%sby fields", text.len ? "; " : "");
	if (text.len)
		buf_adds(&text, " (shares are of these samples)");
	return set_text(b, &b->brief.chosen, &text, err);
}

static bool is_named(const char *event, const char *name)
{
	size_t len = strlen(name);

	/* an event with expressions goes on with those */
	return !strncmp(event, name, len) &&
	       (!event[len] || event[len] == '(' || event[len] == ':');
}

static bool has_event(const struct brief *b, const char *name)
{
	u32 i;

	for (i = 0; i < b->events.nr; i++)
		if (is_named(b->events.v[i].name, name))
			return true;
	return false;
}

/* Is it seen when a thread comes back to a CPU? That is an event of the one before. */
static bool has_all_switches(const struct report_brief *b)
{
	const struct event_set *set = &b->in->s->source->recording->events;
	u32 e;

	for (e = 0; e < set->events.nr; e++)
		if (is_named(set->events.v[e].name, "sched:sched_switch") &&
		    !set->events.v[e].attr.inherit)
			return true;
	return false;
}

/* The command that is made for such events, NULL: there is none. */
static const char *command_of(const struct report_brief *b, const struct brief_event *e)
{
	const struct brief *brief = &b->brief;

	if (is_named(e->name, "skb:kfree_skb"))
		return "drops";
	if (e->off_cpu)
		return "latency off-cpu";
	if (is_named(e->name, "sched:sched_switch") || is_named(e->name, "sched:sched_wakeup"))
		return has_all_switches(b) ? "latency off-cpu" : NULL;
	if (!strncmp(e->name, "syscalls:sys_", 13) || !strncmp(e->name, "raw_syscalls:sys_", 17))
		return "trace -s";
	if (!strncmp(e->name, "block:block_rq_", 15))
		return has_event(brief, "block:block_rq_issue") &&
				       has_event(brief, "block:block_rq_complete")
			       ? "latency block-io"
			       : NULL;
	return NULL;
}

/* What says more of an event without call chains, by fields that sort it. */
static void put_count(const struct brief_event *e, const char *file, struct buf *out)
{
	const char *field = e->nr_fields ? e->fields[0].name : NULL, *event = strchr(e->name, ':');

	buf_addf(out, "perf-lite count -i %s --by ", file);
	/* by itself, its name is that of another key */
	if (field && event && sample_keys_plain(field, strlen(field)) != KEY_NONE)
		buf_addf(out, "%s.", event + 1);
	buf_addf(out, "%s%scomm", field ? field : "", field ? "," : "");
}

/* The event of which most is said, of those with call chains. */
static const struct event_desc *drawn_event(const struct report_brief *b,
					    const struct brief_event *e)
{
	const struct event_desc *v = recording_of(b)->events.events.v;
	const struct brief_event *best = e;
	u32 i;

	for (i = 0; i < b->brief.events.nr; i++) {
		e = &b->brief.events.v[i];
		if (!(v[e->order].layout.has & PERF_SAMPLE_CALLCHAIN) || e->off_cpu)
			continue;
		if (!(v[best->order].layout.has & PERF_SAMPLE_CALLCHAIN) || best->off_cpu ||
		    e->counts.samples > best->counts.samples)
			best = e;
	}
	return &v[best->order];
}

static void put_flamegraph(const struct report_brief *b, const struct brief_event *e,
			   const char *file, struct buf *out)
{
	const struct event_desc *v = b->in->s->source->recording->events.events.v;
	struct buf name = {0};

	session_put_event(b->in->s, (u32)(drawn_event(b, e) - v), &name);
	buf_addf(out, "perf-lite flamegraph -i %s", file);
	reading_put_words(b->in, true, out);
	/* events do not belong in one graph */
	if (reading_nr_events(b->in) > 1 && name.len > EVENT_MAX)
		buf_adds(out, " --per-event");
	else if (reading_nr_events(b->in) > 1)
		buf_addf(out, " --event %s", TEXT_SHELL(buf_str(&name)));
	buf_adds(out, " -o flame.svg");
	out->failed |= name.failed;
	buf_free(&name);
}

static void put_next(const struct report_brief *b, const struct brief_event *e, const char *file,
		     struct buf *out)
{
	const bool functions = e->self.v.nr && *e->self.v.v[0].name != '[' && !e->off_cpu;
	const struct event_desc *v = recording_of(b)->events.events.v;
	struct buf annotate = {0};
	const char *command = command_of(b, e);

	if (command)
		buf_addf(out, "perf-lite %s -i %s", command, file);
	if (b->chains && e->off_cpu)
		buf_adds(out, " --flamegraph off.svg");
	if (b->chains && !(e->off_cpu && drawn_event(b, e) == &v[e->order])) {
		buf_adds(out, command ? "; " : "");
		put_flamegraph(b, e, file, out);
	} else if (!command && (e->nr_fields || !functions)) {
		put_count(e, file, out);
	}
	if (!functions)
		return;
	buf_addf(&annotate, "%sperf-lite annotate -i %s", out->len ? "; " : "", file);
	reading_put_words(b->in, false, &annotate);
	buf_addf(&annotate, " %s", TEXT_SHELL(e->self.v.v[0].name));
	/* in one line, or not at all */
	if (!out->len || text_width(buf_str(out), out->len) + annotate.len <= NEXT_MAX)
		buf_adds(out, buf_str(&annotate));
	out->failed |= annotate.failed;
	buf_free(&annotate);
}

/* The one with most samples; of --off-cpu that of the times that were asked for. */
static const struct brief_event *largest_event(const struct brief *b)
{
	const struct brief_event *best = NULL;
	u32 i;

	for (i = 0; i < b->events.nr; i++)
		if (!best || (b->events.v[i].off_cpu && !best->off_cpu) ||
		    (b->events.v[i].off_cpu == best->off_cpu &&
		     b->events.v[i].counts.samples > best->counts.samples))
			best = &b->events.v[i];
	return best;
}

static int set_next(struct report_brief *b, struct err *err)
{
	const struct brief_event *e = largest_event(&b->brief);
	const char *path = b->in->session.path;
	struct buf text = {0};

	/* what came through a pipe is gone */
	if (e && !strcmp(path, "-"))
		buf_adds(&text, "perf-lite record -o FILE keeps a recording, to ask it more");
	else if (e)
		put_next(b, e, TEXT_SHELL(path), &text);
	return set_text(b, &b->brief.next, &text, err);
}

int report_brief_head(struct report_brief *b, const char *damage, struct err *err)
{
	struct buf text = {0};
	int ret = set_machine(b, &b->brief.machine, err);

	b->brief.samples = b->samples;
	if (damage)
		buf_adds(&text, damage);
	if (!ret)
		ret = set_text(b, &b->brief.damage, &text, err);
	if (!ret)
		ret = set_loss(b, err);
	if (!ret)
		ret = set_stacks(b, &b->brief.stacks, err);
	if (!ret)
		ret = set_chosen(b, err);
	return ret ? ret : set_next(b, err);
}
