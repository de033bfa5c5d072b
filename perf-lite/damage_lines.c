// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/damage_lines.h"

#include <errno.h>
#include <stdio.h>

#include "perf-lite/cmd.h"

struct lines {
	struct buf *out;
	struct err *err;
	bool any;
};

/* The first becomes the error. */
static void add(struct lines *l, int code, const struct buf *line)
{
	if (l->any)
		buf_addf(l->out, "%s\n", buf_str(line));
	else
		err_set(l->err, code, "%s", buf_str(line));
	l->any = true;
}

static void passed_over(struct lines *l, const struct source *s, const char *file)
{
	const struct source_damage *d = &s->damage;
	/* what the recorder could not write is no damage: it has been told */
	const u64 unwritten = recording_unwritten(&s->recording);
	struct buf b = {0};

	if (!d->blocks && d->samples <= unwritten)
		return;
	buf_addf(&b, "%s is damaged: %llu bytes passed over from byte %llu on", file,
		 (unsigned long long)d->bytes, (unsigned long long)d->first_at);
	if (d->blocks > 1)
		buf_addf(&b, ", in %llu places", (unsigned long long)d->blocks);
	if (d->samples)
		buf_addf(&b, ", %llu samples lost with them",
			 (unsigned long long)(d->samples - MIN(d->samples, unwritten)));
	add(l, EBADMSG, &b);
	buf_free(&b);
}

static void cut(struct lines *l, const struct source *s, const char *file, bool perfdata)
{
	struct buf b = {0};

	if (!s->damage.cut_at && !s->damage.cut)
		return;
	buf_addf(&b, "%s ends in the middle of a %s, at byte %llu", file,
		 perfdata ? "record" : "block", (unsigned long long)s->damage.cut_at);
	add(l, ENODATA, &b);
	buf_free(&b);
}

/*
 * Where the first of the records that do not fit stands, by another reading: records that are put
 * in order of time do not know. False: it cannot be read twice.
 */
static bool find_misfit(const char *path, u64 *at)
{
	struct err err = {0};
	struct source *s = strcmp(path, "-") != 0 ? source_open(path, &err) : NULL;
	struct sample sample;
	struct rec rec;
	u32 event;
	bool found = false;

	while (s && !found && source_next(s, &rec, &err) > 0) {
		event = event_set_find(&s->recording.events, &rec);
		found = event == ID_NONE ||
			(rec.type == PERF_RECORD_SAMPLE &&
			 !sample_layout_sample(&s->recording.events.events.v[event].layout, &rec,
					       &sample));
		*at = s->at;
	}
	if (s)
		source_close(s);
	return found;
}

static void misfit(struct lines *l, const struct source *s, u64 nr)
{
	struct buf b = {0};
	u64 at;

	if (!nr)
		return;
	buf_addf(&b, "%s: %llu records do not fit their event and were left out", s->path,
		 (unsigned long long)nr);
	if (find_misfit(s->path, &at))
		buf_addf(&b, ", the first at byte %llu", (unsigned long long)at);
	add(l, EBADMSG, &b);
	buf_free(&b);
}

static void sections(struct lines *l, const struct source *s)
{
	const struct source_damage *d = &s->damage;
	struct buf b = {0};

	if (!d->sections)
		return;
	buf_addf(
		&b,
		"%s: %llu sections of its header cannot be read, the first at byte %llu: names, formats or facts are missing",
		s->path, (unsigned long long)d->sections, (unsigned long long)d->section_at);
	add(l, EBADMSG, &b);
	buf_free(&b);
}

static void unfinished(struct lines *l, const struct source *s)
{
	struct buf b = {0};

	if (s->damage.no_tables) {
		buf_addf(
			&b,
			"%s was not finished by its recorder, or has lost its end: names of events, formats and facts are missing, all records that are there have been read",
			s->path);
		add(l, ENODATA, &b);
	} else if (s->damage.no_end) {
		buf_addf(l->out,
			 "%s was not finished by its recorder: all it wrote has been read\n",
			 s->path);
	}
	buf_free(&b);
}

static void traces(struct lines *l, const struct source *s)
{
	if (s->traces)
		buf_addf(l->out,
			 "%s: %llu pieces of processor trace (AUX), %llu bytes, were passed over\n",
			 s->path, (unsigned long long)s->traces,
			 (unsigned long long)s->trace_bytes);
}

bool damage_lines(const struct source *s, u64 misfits, struct buf *lines, struct err *err)
{
	struct lines l = {.out = lines, .err = err};
	bool perfdata = !strcmp(s->ops->name, "perf.data");
	struct buf file = {0};

	buf_adds(&file, s->path);
	if (s->damage.part)
		buf_addf(&file, "/%s", s->damage.part);
	passed_over(&l, s, buf_str(&file));
	cut(&l, s, buf_str(&file), perfdata);
	misfit(&l, s, misfits);
	sections(&l, s);
	unfinished(&l, s);
	traces(&l, s);
	buf_free(&file);
	return l.any;
}

int damage_report(const struct source *s, u64 misfits, bool quiet, struct err *err)
{
	struct buf lines = {0};
	bool damaged = damage_lines(s, misfits, &lines, err);

	if (!quiet)
		fputs(buf_str(&lines), stderr);
	buf_free(&lines);
	return damaged ? CMD_PARTIAL : CMD_OK;
}
