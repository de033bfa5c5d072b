// SPDX-License-Identifier: GPL-2.0
#include "util/base/json.h"
#include "util/format/brief_internal.h"

static void put_rows(struct buf *out, const struct brief_list *l, const char *name)
{
	const struct brief_row *r;
	u32 i;

	for (i = 0; i < l->shown; i++) {
		r = &l->v.v[i];
		json_open_item(out, '{');
		json_put_string(out, name, r->name);
		if (r->file)
			json_put_string(out, "file", r->file);
		json_put_fixed(out, "percent", r->percent, 2);
		json_put_unsigned(out, "samples", r->samples);
		json_put_unsigned(out, "weight", r->weight);
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
}

static void put_list(struct buf *out, const char *key, const struct brief_list *l, const char *name)
{
	json_put_open(out, key, '[');
	put_rows(out, l, name);
}

static void put_fields(const struct brief_event *e, struct buf *out)
{
	u32 i;

	json_put_open(out, "fields", '[');
	for (i = 0; i < e->nr_fields; i++) {
		if (!e->fields[i].shown)
			continue;
		json_open_item(out, '{');
		json_put_string(out, "field", e->fields[i].name);
		json_put_unsigned(out, "distinct", e->fields[i].distinct);
		put_list(out, "values", &e->fields[i], "value");
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
}

static void put_known(struct buf *out, const char *key, double percent)
{
	if (percent >= 0)
		json_put_fixed(out, key, percent, 2);
}

static void put_event(const struct brief *b, u32 event, struct buf *out)
{
	const struct brief_event *e = &b->events.v[event];
	const struct brief_counts *c = &e->counts;

	json_open_item(out, '{');
	json_put_string(out, "event", e->name);
	json_put_string(out, "finding", e->finding);
	json_put_unsigned(out, "samples", c->samples);
	json_put_unsigned(out, "weight", c->weight);
	json_put_string(out, "unit", c->unit ? c->unit : "events");
	if (c->latency)
		json_put_bool(out, "latency", true);
	if (c->estimated)
		json_put_bool(out, "estimated", true);
	if (c->per_second > 0)
		json_put_fixed(out, "per_second", c->per_second, 2);
	put_known(out, "idle_percent", c->idle);
	put_known(out, "kernel_percent", c->kernel);
	put_known(out, "user_percent", c->user);
	put_fields(e, out);
	put_list(out, "self", &e->self, "function");
	put_list(out, "children", &e->children, "function");
	put_list(out, "path", &e->path, "function");
	put_list(out, "files", &e->files, "file");
	put_list(out, "comms", &e->comms, "comm");
	put_list(out, "threads", &e->threads, "thread");
	buf_addc(out, '}');
}

static void put_machine(const struct brief_machine *m, struct buf *out)
{
	json_put_string(out, "command", m->command);
	json_put_string(out, "command_line", m->command_line);
	json_put_string(out, "host", m->host);
	json_put_string(out, "boot", m->boot);
	json_put_string(out, "release", m->release);
	if (m->cpus)
		json_put_unsigned(out, "cpus", m->cpus);
	json_put_string(out, "when", m->when);
	json_put_fixed(out, "seconds", m->seconds, 6);
}

static void put_stacks(const struct brief_stacks *s, struct buf *out)
{
	json_put_open(out, "stacks", '{');
	json_put_unsigned(out, "stacks", s->stacks);
	json_put_fixed(out, "complete_percent", s->complete, 2);
	json_put_bool(out, "poor", s->poor);
	json_put_string(out, "text", s->text);
	buf_addc(out, '}');
}

void brief_json(const struct brief *b, struct buf *out)
{
	u32 i;

	json_open(out, '{');
	put_machine(&b->machine, out);
	json_put_string(out, "chosen", b->chosen);
	json_put_unsigned(out, "samples", b->samples);
	json_put_unsigned(out, "lost", b->lost);
	json_put_string(out, "loss", b->loss);
	json_put_string(out, "damage", b->damage);
	if (b->stacks.stacks)
		put_stacks(&b->stacks, out);
	json_put_open(out, "events", '[');
	for (i = 0; i < b->events.nr - b->others; i++)
		put_event(b, i, out);
	buf_addc(out, ']');
	json_put_unsigned(out, "other_events", b->others);
	json_put_string(out, "next", b->next);
	buf_adds(out, "}\n");
}
