// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "util/base/text.h"
#include "util/format/brief_internal.h"

#define NAME_MAX_COLUMNS 56
#define LEAST_PERCENT    0.1
#define NO_MORE          "..."

static const char *const labels[] = {
	[BRIEF_FINDING] = "finding", [BRIEF_OTHERS] = "others", [BRIEF_RECORDED] = "recorded",
	[BRIEF_MACHINE] = "on",      [BRIEF_CHOSEN] = "chosen", [BRIEF_DAMAGE] = "damage",
	[BRIEF_LOSS] = "lost",       [BRIEF_STACKS] = "stacks", [BRIEF_EVENT] = "event",
	[BRIEF_FIELD] = "field",     [BRIEF_SELF] = "self",     [BRIEF_CHILDREN] = "children",
	[BRIEF_PATH] = "path",       [BRIEF_FILES] = "files",   [BRIEF_COMMS] = "commands",
	[BRIEF_THREADS] = "threads", [BRIEF_NEXT] = "next",
};

static u32 width_of(const char *text)
{
	return (u32)text_width(text, strlen(text));
}

/* A text in no more than so many columns. */
static void put_cut(struct buf *out, const char *text, u32 max)
{
	size_t len = strlen(text);

	if (text_width(text, len) <= max) {
		buf_add(out, text, len);
		return;
	}
	max = max > 3 ? max - 3 : 0;
	buf_add(out, text, text_fit(text, len, max));
	buf_adds(out, NO_MORE);
}

static void put_name(struct buf *out, const char *name, u32 columns)
{
	text_shorten(out, name, strlen(name), columns);
}

/* "12345", "1.23 M" */
static void put_amount(struct buf *out, u64 v)
{
	static const char units[] = "kMGTPE";
	double d = (double)v;
	u32 i = 0;

	if (v < 100000) {
		buf_dec(out, v, 0);
		return;
	}
	for (d /= 1000; d >= 999.5; d /= 1000)
		i++;
	buf_addf(out, "%.*f %c", d < 9.995 ? 2 : d < 99.95 ? 1 : 0, d, units[i]);
}

static void put_rate(struct buf *out, double per_second)
{
	if (per_second >= 99.5)
		put_amount(out, (u64)(per_second + 0.5));
	else
		buf_addf(out, per_second < 9.95 ? "%.2g" : "%.0f", per_second);
	buf_adds(out, "/s");
}

/* The machine, the day, and how long. */
static void put_machine(const struct brief_machine *m, struct buf *out)
{
	const char *sep = "";

	if (m->host) {
		buf_adds(out, m->host);
		sep = ", ";
	}
	if (m->release) {
		buf_addf(out, "%sLinux %s", sep, m->release);
		sep = ", ";
	}
	if (m->cpus) {
		buf_addf(out, "%s%llu CPU%s", sep, (unsigned long long)m->cpus,
			 TEXT_PLURAL(m->cpus));
		sep = ", ";
	}
	if (m->when) {
		buf_addf(out, "%s%s", sep, m->when);
		sep = ", ";
	}
	if (m->seconds > 0) {
		buf_addf(out, "%sfor ", sep);
		text_duration(out, (u64)(m->seconds * 1e9));
	}
}

/* Events that are not shown, and how often they were. */
static void put_others(const struct brief *b, struct buf *out)
{
	const u32 room = BRIEF_COLUMNS - BRIEF_LABEL - 14;
	const size_t start = out->len;
	const struct brief_event *e;
	struct buf one = {0};
	u32 i;

	buf_addf(out, "%u event%s: ", b->others, TEXT_PLURAL(b->others));
	for (i = b->events.nr - b->others; i < b->events.nr; i++) {
		e = &b->events.v[i];
		buf_clear(&one);
		buf_addf(&one, "%s%s ", i > b->events.nr - b->others ? ", " : "", e->name);
		put_amount(&one, e->counts.samples);
		if (text_width(buf_str(out) + start, out->len - start) + width_of(buf_str(&one)) >
		    room)
			break;
		buf_adds(out, buf_str(&one));
	}
	if (i < b->events.nr)
		buf_adds(out, ", " NO_MORE);
	out->failed |= one.failed;
	buf_free(&one);
}

static void put_percent(struct buf *out, double percent)
{
	buf_addf(out, percent >= 9.95 ? "%.0f%%" : "%.1f%%", percent);
}

static void put_modes(const struct brief_counts *c, struct buf *out)
{
	if (c->idle > 0) {
		buf_adds(out, "; idle ");
		put_percent(out, c->idle);
	}
	if (c->kernel >= 0) {
		buf_adds(out, c->idle > 0 ? ", rest: kernel " : "; kernel ");
		put_percent(out, c->kernel);
		buf_adds(out, ", user ");
		put_percent(out, c->user);
	}
}

static void put_event(const struct brief *b, const struct brief_event *e, struct buf *out)
{
	const struct brief_counts *c = &e->counts;
	const bool much_lost = b->lost > b->samples / 10;

	buf_addf(out, "%s: ", e->name);
	if (c->unit || c->weight != c->samples) {
		put_amount(out, c->samples);
		buf_addf(out, " sample%s, ", TEXT_PLURAL(c->samples));
	}
	if (c->unit && !strcmp(c->unit, "ns")) {
		buf_adds(out, much_lost ? "at least " : "");
		text_duration(out, c->weight);
		buf_adds(out, c->latency ? " of wall-clock time" : " CPU");
		if (c->per_second > 0)
			buf_addf(out, ", %.2f CPUs", c->per_second / 1e9);
	} else {
		put_amount(out, c->weight);
		buf_addf(out, " %s", c->unit ? c->unit : c->weight == 1 ? "time" : "times");
		if (c->per_second > 0) {
			buf_adds(out, ", ");
			put_rate(out, c->per_second);
		}
	}
	put_modes(c, out);
}

/* "60.0% nginx, 25.0% solver, 3 more", as many as there is room for. */
static void put_values(const struct brief_list *l, struct buf *out)
{
	u32 room = BRIEF_COLUMNS - BRIEF_LABEL - 14, used, i;
	struct buf one = {0};

	if (l->name)
		buf_addf(out, "%s: ", l->name);
	used = l->name ? width_of(l->name) + 2 : 0;
	for (i = 0; i < l->v.nr; i++) {
		buf_clear(&one);
		buf_addf(&one, "%s%.1f%% ", i ? ", " : "", l->v.v[i].percent);
		put_name(&one, *l->v.v[i].name ? l->v.v[i].name : "''", 60);
		if (i &&
		    (used + width_of(buf_str(&one)) > room || l->v.v[i].percent < LEAST_PERCENT))
			break;
		used += width_of(buf_str(&one));
		buf_adds(out, buf_str(&one));
	}
	if (i < l->distinct)
		buf_addf(out, ", %llu more", (unsigned long long)(l->distinct - i));
	out->failed |= one.failed;
	buf_free(&one);
}

/* "main > f 80%": with its share where that is another one than the last. */
static void put_step(const struct brief_list *l, u32 i, struct buf *out)
{
	const struct brief_row *r = &l->v.v[i], *before = i ? r - 1 : NULL;

	put_name(out, r->name, 40);
	if (before && before->percent - r->percent < 0.5 && i + 1 < l->v.nr)
		return;
	buf_addc(out, ' ');
	put_percent(out, r->percent);
}

/* The innermost functions, as many as there is room for. */
static void put_path(const struct brief_list *l, struct buf *out)
{
	u32 used = 6, from = l->v.nr, i;
	struct buf one = {0};

	while (from) {
		buf_clear(&one);
		put_step(l, from - 1, &one);
		used += width_of(buf_str(&one)) + 3;
		if (used > BRIEF_COLUMNS - BRIEF_LABEL && from < l->v.nr)
			break;
		from--;
	}
	if (from)
		buf_adds(out, NO_MORE " > ");
	for (i = from; i < l->v.nr; i++) {
		buf_adds(out, i > from ? " > " : "");
		put_step(l, i, out);
	}
	out->failed |= one.failed;
	buf_free(&one);
}

/* Columns that the names of an event's functions take. */
static u32 name_width(const struct brief_event *e)
{
	u32 width = 0, i;

	for (i = 0; i < e->self.shown; i++)
		width = MAX(width, width_of(e->self.v.v[i].name));
	for (i = 0; i < e->children.shown; i++)
		width = MAX(width, width_of(e->children.v.v[i].name));
	return MIN(width, (u32)NAME_MAX_COLUMNS);
}

static void put_function(const struct brief_row *r, u32 width, struct buf *out)
{
	size_t from;

	buf_addf(out, "%5.1f%%  ", r->percent);
	from = out->len;
	put_name(out, r->name, width);
	if (!r->file || out->failed)
		return;
	buf_pad(out, ' ', width - MIN(width, text_width(out->data + from, out->len - from)) + 2);
	buf_adds(out, r->file);
}

static void put_line(const struct brief *b, u32 line, struct buf *out)
{
	const struct brief_line *l = &b->lines->v.v[line];
	const struct brief_event *e = b->events.nr ? &b->events.v[l->event] : NULL;
	const char *text;
	size_t len;

	text = brief_line_part(l->kind, brief_line_text(b, l->kind, l->event), l->index, &len);
	if (text) {
		/* what is cut off at a semicolon is whole */
		len -= len && text[len - 1] == ';' && !brief_line_goes_on(b, line);
		buf_add(out, text, len);
		/* the last ones are those that were not chosen */
		if (text[len] && text[len] != ';' && !brief_line_goes_on(b, line))
			buf_adds(out, " " NO_MORE);
		return;
	}
	switch (l->kind) {
	case BRIEF_OTHERS:
		put_others(b, out);
		break;
	case BRIEF_RECORDED:
		buf_adds(out, b->machine.command_line);
		break;
	case BRIEF_MACHINE:
		put_machine(&b->machine, out);
		break;
	case BRIEF_EVENT:
		put_event(b, e, out);
		break;
	case BRIEF_FIELD:
		put_values(&e->fields[l->index], out);
		break;
	case BRIEF_SELF:
		put_function(&e->self.v.v[l->index], name_width(e), out);
		break;
	case BRIEF_CHILDREN:
		put_function(&e->children.v.v[l->index], name_width(e), out);
		break;
	case BRIEF_PATH:
		put_path(&e->path, out);
		break;
	case BRIEF_FILES:
		put_values(&e->files, out);
		break;
	case BRIEF_COMMS:
		put_values(&e->comms, out);
		break;
	default:
		put_values(&e->threads, out);
	}
}

void brief_text(const struct brief *b, struct buf *out)
{
	const struct brief_line *l;
	struct buf line = {0};
	u32 i;

	for (i = 0; i < b->lines->v.nr; i++) {
		l = &b->lines->v.v[i];
		buf_clear(&line);
		put_line(b, i, &line);
		/* what goes on has no label of its own */
		buf_addf(out, "%-*s", BRIEF_LABEL,
			 l->index && brief_line_text(b, l->kind, l->event) ? "" : labels[l->kind]);
		put_cut(out, buf_str(&line), BRIEF_COLUMNS - BRIEF_LABEL);
		buf_addc(out, '\n');
	}
	out->failed |= line.failed;
	buf_free(&line);
}
