// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/reading_notes.h"

#include <stdio.h>
#include <string.h>

#include "perf-lite/input.h"
#include "util/process/quality.h"
#include "util/profile/deferred_chains.h"
#include "util/profile/stack_quality.h"
#include "util/symbol/symbols.h"

/* Print lines on standard error. */
static void print_notes(const struct reading *r, const char *lines)
{
	size_t len;

	for (; !r->quiet && *lines; lines += len) {
		len = strcspn(lines, "\n");
		len += lines[len] == '\n';
		fprintf(stderr, "%s%.*s", r->whose ? r->whose : "", (int)len, lines);
	}
}

int reading_open(struct reading *r, struct err *err)
{
	int ret;

	input_spare_interrupt(r->session.path);
	ret = reading_begin(r, err);
	if (!ret)
		reading_put_notes(r);
	return ret;
}

void reading_put_notes(const struct reading *r)
{
	print_notes(r, buf_str(&r->s->notes));
}

void reading_stacks_note(const struct reading *r, struct buf *out)
{
	if (quality_is_poor(&r->stacks->counts))
		quality_text_line(&r->stacks->counts, &r->s->model, out);
}

bool reading_is_empty(const struct reading *r)
{
	/* a span of time and CPUs are found without a look at the others */
	return !r->s->totals.any && !r->filter.times.nr && !r->filter.cpus.nr;
}

bool reading_none_match(const struct reading *r)
{
	struct buf choices = {0};
	bool any;

	/* of what runs there may be nothing */
	if (r->session.source || (r->select.given && !r->no_rows) || reading_is_empty(r))
		return false;
	reading_put_choices(r, &choices);
	any = choices.len;
	buf_free(&choices);
	return any;
}

static void put_symbol_notes(const struct reading *r, struct buf *lines)
{
	const char *note;

	while ((note = symbols_next_note(r->s->symbols)))
		buf_addf(lines, "%s\n", note);
}

void reading_put_late_notes(const struct reading *r)
{
	struct buf lines = {0};

	if (!r->s || !r->s->symbols)
		return;
	put_symbol_notes(r, &lines);
	print_notes(r, buf_str(&lines));
	buf_free(&lines);
}

int reading_verdict(struct reading *r, const struct buf *more, struct err *err)
{
	struct session *s = r->s;
	struct buf lines = {0};
	bool damaged;

	if (r->what)
		progress_end(&r->progress);
	/* perf's LOST_SAMPLES count again what its LOST records have counted */
	reading_loss_lines(s->source->recording, session_lost(s), "", &lines);
	if (reading_none_match(r)) {
		buf_addf(&lines, "no sample of %s matches what was asked for: ",
			 strcmp(r->session.path, "-") ? r->session.path : "standard input");
		reading_put_choices(r, &lines);
		buf_addc(&lines, '\n');
	}
	if (more)
		buf_add(&lines, more->data, more->len);
	deferred_chains_note(s->source->recording, &lines);
	if (s->totals.foreign_stacks)
		buf_addf(
			&lines,
			"%llu stack%s of a machine of the other byte order, and not unwound here; record unwinds there, without --keep-stacks\n",
			(unsigned long long)s->totals.foreign_stacks,
			s->totals.foreign_stacks == 1 ? " is" : "s are");
	damaged = reading_damage_lines(s->source->recording,
				       s->totals.malformed + s->source->recording->damage.unknown,
				       &lines, err);
	put_symbol_notes(r, &lines);
	print_notes(r, buf_str(&lines));
	buf_free(&lines);
	return damaged ? CMD_PARTIAL : CMD_OK;
}
