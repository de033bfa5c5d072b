// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <sys/stat.h>

#include "util/base/text.h"
#include "util/file/source.h"
#include "util/library/reading.h"

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

static void put_lost(struct buf *b, u64 samples, const char *with)
{
	buf_addf(b, ", %llu sample%s lost with %s", (unsigned long long)samples,
		 TEXT_PLURAL(samples), with);
}

static void passed_over(struct lines *l, const struct recording *r, const char *file)
{
	const struct recording_damage *d = &r->damage;
	/* samples that the recorder could not write are not damage: reading_loss_lines() reports them */
	const u64 unwritten = recording_unwritten(r);
	struct buf b = {0};

	if (!d->blocks && (d->missing || d->samples <= unwritten))
		return;
	buf_addf(&b, "%s is damaged: %llu bytes passed over from byte %llu on", file,
		 (unsigned long long)d->bytes, (unsigned long long)d->first_at);
	if (d->blocks > 1)
		buf_addf(&b, ", in %llu places", (unsigned long long)d->blocks);
	if (d->samples)
		put_lost(&b, d->samples - MIN(d->samples, unwritten), "them");
	add(l, EBADMSG, &b);
	buf_free(&b);
}

static void missing(struct lines *l, const struct recording *r, const char *file)
{
	const struct recording_damage *d = &r->damage;
	const u64 unwritten = recording_unwritten(r);
	struct buf b = {0};

	if (!d->missing)
		return;
	buf_addf(&b, "%s is damaged: %llu block%s missing%s before byte %llu", file,
		 (unsigned long long)d->missing, d->missing == 1 ? " is" : "s are",
		 d->missing == 1 ? "" : ", the first", (unsigned long long)d->missing_at);
	if (!d->blocks && d->samples > unwritten)
		put_lost(&b, d->samples - unwritten, d->missing == 1 ? "it" : "them");
	add(l, EBADMSG, &b);
	buf_free(&b);
}

static void cut(struct lines *l, const struct recording *r, const char *file, bool perfdata)
{
	struct buf b = {0};

	if (!r->damage.cut_at && !r->damage.cut)
		return;
	buf_addf(&b, "%s ends in the middle of a %s, at byte %llu", file,
		 perfdata ? "record" : "block", (unsigned long long)r->damage.cut_at);
	add(l, ENODATA, &b);
	buf_free(&b);
}

static void after_end(struct lines *l, const struct recording *r, const char *file)
{
	struct buf b = {0};

	if (!r->damage.after_end)
		return;
	buf_addf(&b, "%s: what follows the end of the recording, from byte %llu on, was not read",
		 file, (unsigned long long)r->damage.after_end);
	add(l, EBADMSG, &b);
	buf_free(&b);
}

/*
 * Find the offset of the first record that does not fit by reading the file again: records sorted
 * by time have lost their offsets. False: it cannot be read twice.
 */
static bool find_misfit(const char *path, u64 *at)
{
	struct err err = {0};
	struct stat st;
	bool twice = strcmp(path, "-") != 0 && !stat(path, &st) && !S_ISFIFO(st.st_mode);
	struct source *s = twice ? source_open(path, &err) : NULL;
	struct sample sample;
	struct rec rec;
	u32 event;
	bool found = false;

	while (s && !found && source_next(s, &rec, &err) > 0) {
		event = event_set_find(&s->recording->events, &rec);
		found = event == ID_NONE ||
			(rec.type == PERF_RECORD_SAMPLE &&
			 !sample_layout_sample(&s->recording->events.events.v[event].layout, &rec,
					       &sample));
		*at = s->recording->at;
	}
	if (s)
		source_close(s);
	return found;
}

static void misfit(struct lines *l, const struct recording *r, u64 nr)
{
	struct buf b = {0};
	u64 at;

	if (!nr)
		return;
	buf_addf(&b, "%s: %llu record%s not fit %s event and %s left out", r->path,
		 (unsigned long long)nr, nr == 1 ? " does" : "s do", nr == 1 ? "its" : "their",
		 TEXT_WERE(nr));
	if (find_misfit(r->path, &at))
		buf_addf(&b, ", %sat byte %llu", nr == 1 ? "" : "the first ",
			 (unsigned long long)at);
	add(l, EBADMSG, &b);
	buf_free(&b);
}

static void sections(struct lines *l, const struct recording *r)
{
	const struct recording_damage *d = &r->damage;
	struct buf b = {0};

	if (!d->sections)
		return;
	buf_addf(
		&b,
		"%s: %llu section%s of its header cannot be read, %sat byte %llu: names, formats or facts are missing",
		r->path, (unsigned long long)d->sections, TEXT_PLURAL(d->sections),
		d->sections == 1 ? "" : "the first ", (unsigned long long)d->section_at);
	add(l, EBADMSG, &b);
	buf_free(&b);
}

static void unfinished(struct lines *l, const struct recording *r)
{
	struct buf b = {0};

	if (!r->events.events.nr && !r->damage.blocks && !r->damage.cut && !r->damage.cut_at) {
		buf_addf(&b, "%s ends behind its header: it describes no event", r->path);
		add(l, ENODATA, &b);
	} else if (r->damage.no_tables) {
		buf_addf(
			&b,
			"%s was not finished by its recorder, or has lost its end: names of events, formats and facts are missing, all records that are there have been read",
			r->path);
		add(l, ENODATA, &b);
	} else if (r->damage.no_end) {
		buf_addf(l->out,
			 "%s was not finished by its recorder: all it wrote has been read\n",
			 r->path);
	}
	buf_free(&b);
}

static void traces(struct lines *l, const struct recording *r)
{
	if (r->perf.traces)
		buf_addf(l->out,
			 "%s: %llu piece%s of processor trace (AUX), %llu bytes, %s passed over\n",
			 r->path, (unsigned long long)r->perf.traces, TEXT_PLURAL(r->perf.traces),
			 (unsigned long long)r->perf.trace_bytes, TEXT_WERE(r->perf.traces));
}

bool reading_damage_lines(const struct recording *r, u64 misfits, struct buf *lines,
			  struct err *err)
{
	struct lines l = {.out = lines, .err = err};
	struct buf file = {0};

	buf_adds(&file, r->path);
	if (r->damage.part)
		buf_addf(&file, "/%s", r->damage.part);
	passed_over(&l, r, buf_str(&file));
	missing(&l, r, buf_str(&file));
	cut(&l, r, buf_str(&file), r->perfdata);
	after_end(&l, r, buf_str(&file));
	misfit(&l, r, misfits);
	sections(&l, r);
	unfinished(&l, r);
	traces(&l, r);
	buf_free(&file);
	return l.any;
}
