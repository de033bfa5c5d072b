// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd.h"

#include <errno.h>
#include <string.h>

#include "perf-lite/input.h"
#include "util/base/text.h"
#include "util/cli/opt.h"
#include "util/profile/session.h"
#include "util/record/attr_text.h"
#include "util/tracepoint/tp_format.h"

struct evlist {
	struct session_options session;
	bool verbose, frequency, groups, fields;
	struct buf out;
};

static void put_fields(const struct tp_format *f, struct buf *out)
{
	const char *between = "";
	u32 i;

	if (!f) {
		buf_adds(out, " (not a tracepoint)");
		return;
	}
	buf_adds(out, " trace_fields: ");
	for (i = 0; i < f->nr_fields; i++) {
		if (!strncmp(f->fields[i].name, "common_", 7))
			continue;
		buf_adds(out, between);
		text_escape(out, f->fields[i].name, strlen(f->fields[i].name));
		between = ",";
	}
}

static void put_event(const struct evlist *c, const struct session *s, u32 event, struct buf *out)
{
	const struct event_desc *e = &s->source->recording->events.events.v[event];

	text_escape(out, e->name, strlen(e->name));
	if (c->fields) {
		buf_addc(out, ':');
		put_fields(s->formats[event], out);
	} else if (c->verbose) {
		buf_adds(out, ": ");
		attr_text(&e->attr, ": ", out);
	} else if (c->frequency) {
		buf_addf(out, ": sample_%s=%llu", e->attr.freq ? "freq" : "period",
			 (unsigned long long)e->attr.sample_period);
	}
}

static void put_all(const struct evlist *c, const struct session *s, struct buf *out)
{
	const struct event_set *events = &s->source->recording->events;
	bool inside = false, more;
	const char *name;
	u32 i;

	for (i = 0; i < events->events.nr; i++) {
		more = c->groups && i + 1 < events->events.nr && events->events.v[i + 1].in_group;
		name = events->events.v[i].group_name;
		if (more && !inside)
			buf_addf(out, "%s{", name ? name : "");
		put_event(c, s, i, out);
		buf_adds(out, !more && inside ? "}" : "");
		buf_adds(out, more ? "," : "\n");
		inside = more;
	}
}

static int run(struct evlist *c, struct err *err)
{
	struct session *s = session_open(&c->session, err);
	int ret = s ? session_prepare(s, err) : -EINVAL;

	if (!ret) {
		put_all(c, s, &c->out);
		ret = cmd_write(&c->out, err);
	}
	if (!ret)
		ret = input_damage_report(s->source->recording, 0, false, err);
	if (s)
		session_close(s);
	return ret;
}

#define OPT_STRUCT struct evlist

static const struct opt opts[] = {
	OPT_STRING('i', "input", "FILE", session.path,
		   "the recording; - is standard input (default perf-lite.data)"),
	OPT_FLAG('v', "verbose", verbose, "print all attributes of each event"),
	OPT_FLAG('F', "freq", frequency, "print the sampling rate of each event"),
	OPT_FLAG('g', "group", groups, "print each group of events in braces, on one line"),
	OPT_FLAG(0, "trace-fields", fields, "print the fields of tracepoints"),
	OPT_IGNORED('f', "force", NULL),
	OPT_END,
};

static const struct opt_table table = {
	.command = "evlist",
	.summary = "list the events of a recording",
	.usage = {"[-i FILE] [options]"},
	.opts = opts,
};

int cmd_evlist(int argc, char **argv, struct err *err)
{
	struct evlist c = {.session.path = "perf-lite.data", .session.want.no_chains = true};
	struct opt_rest rest;
	int ret = cmd_options(&table, &c, argc, argv, &rest, err);

	if (!ret && !rest.help)
		ret = cmd_no_operand("evlist", &rest, err);
	return ret || rest.help ? ret : run(&c, err);
}
