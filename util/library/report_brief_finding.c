// SPDX-License-Identifier: GPL-2.0
#include "util/library/report_brief.h"

#include <errno.h>
#include <string.h>

#include "util/base/text.h"

#define NAME_COLUMNS 48
#define HALF         50.0
#define IDLE_MIN     5.0 /* percent that are worth a word */

/* The innermost function of the path that has half of all, NULL: there is none with a name. */
static const struct brief_row *half_of_all(const struct brief_event *e)
{
	const char *self = e->self.v.nr ? e->self.v.v[0].name : "";
	const struct brief_row *found = NULL, *r;
	u32 i;

	for (i = 0; i < e->path.v.nr; i++) {
		r = &e->path.v.v[i];
		if (r->percent >= HALF && *r->name != '[' && strcmp(r->name, self) != 0)
			found = r;
	}
	return found;
}

static void put_name(struct buf *out, const char *name)
{
	text_shorten(out, name, strlen(name), NAME_COLUMNS);
}

static void put_share(struct buf *out, const char *between, double share, const char *of)
{
	buf_addf(out, "%s%.1f%% %s ", out->len ? between : "", share, of);
}

static void put_below(const struct brief_event *e, struct buf *out)
{
	const struct brief_row *half = half_of_all(e);

	if (!half)
		return;
	put_share(out, "; ", half->percent, "in and below");
	put_name(out, half->name);
}

static void put_busiest(const struct brief_event *e, struct buf *out)
{
	if (!e->comms.v.nr)
		return;
	put_share(out, "; ", e->comms.v.v[0].percent, "by");
	buf_adds(out, e->comms.v.v[0].name);
}

static void put_times(const struct brief_counts *c, struct buf *out)
{
	buf_addf(out, "%s%llu %s", c->estimated ? "about " : "", (unsigned long long)c->weight,
		 c->weight == 1 ? "time" : "times");
	if (c->per_second >= 0.95)
		buf_addf(out, ", %.0f/s", c->per_second);
}

static void put_fields(const struct brief_event *e, struct buf *out)
{
	const struct brief_list *l;
	u32 i;

	for (i = 0; i < MIN(e->nr_named, 2u); i++) {
		l = &e->fields[i];
		put_share(out, "; ", l->v.v[0].percent, "with");
		buf_addf(out, "%s ", l->name);
		put_name(out, *l->v.v[0].name ? l->v.v[0].name : "''");
	}
}

static void put_self(const struct brief_event *e, struct buf *out)
{
	const struct brief_row *r;

	if (!e->self.v.nr)
		return;
	r = e->self.v.v;
	put_share(out, "; ", r->percent, "in");
	put_name(out, r->name);
	if (r->file && !strstr(r->name, r->file))
		buf_addf(out, " (%s)", r->file);
}

int report_brief_finding(struct report_brief *b, struct brief_event *e, struct err *err)
{
	struct buf text = {0}, all = {0};

	if (!e->counts.samples) {
		buf_adds(&text, "all of it was idle");
	} else if (e->off_cpu) {
		put_times(&e->counts, &text);
		buf_adds(&text, "; for how long: perf-lite latency off-cpu");
		put_below(e, &text);
		put_busiest(e, &text);
	} else if (e->tracepoint) {
		put_times(&e->counts, &text);
		put_fields(e, &text);
		put_below(e, &text);
		put_busiest(e, &text);
	} else {
		put_self(e, &text);
		put_below(e, &text);
		put_busiest(e, &text);
		if (e->counts.idle >= IDLE_MIN)
			buf_addf(&text, "; CPUs idle %.1f%%", e->counts.idle);
	}
	if (b->several || e->tracepoint)
		buf_addf(&all, "%s: ", e->name);
	buf_adds(&all, buf_str(&text));
	all.failed |= text.failed;
	e->finding = report_brief_keep(b, &all, err);
	buf_free(&text);
	buf_free(&all);
	return e->finding ? 0 : -ENOMEM;
}
