// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "util/base/text.h"
#include "util/library/reading.h"

static void put_word(struct buf *out, const char *option, const char *word)
{
	if (word)
		buf_addf(out, " %s %s", option, TEXT_SHELL(word));
}

static void put_list(struct buf *out, const char *option, const struct buf *list)
{
	if (list->len)
		put_word(out, option, buf_str(list));
	out->failed |= list->failed;
}

static void put_names(struct buf *out, const char *option, const struct name_list *l)
{
	struct buf list = {0};
	const char *s;
	u32 i;

	for (i = 0; i < l->nr; i++) {
		buf_adds(&list, i ? "," : l->except ? "!" : "");
		for (s = l->v[i]; *s; s++)
			buf_addf(&list, "%s%c", *s == ',' ? "\\" : "", *s);
	}
	put_list(out, option, &list);
	buf_free(&list);
}

static void put_numbers(struct buf *out, const char *option, const struct number_list *l)
{
	struct buf list = {0};
	u32 i;

	for (i = 0; i < l->nr; i++) {
		buf_adds(&list, i ? "," : l->except ? "!" : "");
		buf_dec(&list, l->v[i].first, 0);
		if (l->v[i].last != l->v[i].first)
			buf_addf(&list, "-%llu", (unsigned long long)l->v[i].last);
	}
	put_list(out, option, &list);
	buf_free(&list);
}

/* A choice among samples: its option, what notes call it (NULL: it cannot leave out all), and what was given. */
struct choice {
	const char *option, *what;
	const struct name_list *names;
	const struct number_list *numbers;
	const char *text;
	u64 given;   /* of the others */
	u32 of_rows; /* the command chooses among its rows by this */
};

#define CHOICES 15

/* All but --event, in the order of --help. */
static void find_choices(const struct reading *r, struct choice choices[CHOICES])
{
	static const struct sample_filter all = {0};
	static const struct place_filter everywhere = {0};
	const struct sample_filter *f = &r->filter, *rows = r->rows ? r->rows : &all;
	const struct reading_select *l = &r->select;
	const struct place_filter *row_places = r->row_places ? r->row_places : &everywhere;
	const struct choice found[CHOICES] = {
		{"--comms", "command", .names = &f->comms, .of_rows = rows->comms.nr},
		{"--pid", "process", .numbers = &f->pids, .of_rows = rows->pids.nr},
		{"--tid", "thread", .numbers = &f->tids, .of_rows = rows->tids.nr},
		{"--cpu", "CPU", .numbers = &f->cpus},
		{"--parallelism", "parallelism", .numbers = &f->running},
		{"--latency", NULL, .given = r->session.threads.latency},
		{"--time", "time", .text = f->times.nr ? r->times : NULL},
		{"--filter", "fields", .given = l->fields.asked.nr},
		{"--symbols", "function", .names = &l->places.symbols,
		 .of_rows = row_places->symbols.nr},
		{"--dsos", "file", .names = &l->places.dsos, .of_rows = row_places->dsos.nr},
		{"--no-idle", "not idle", .given = l->places.idle.nr},
		{"--switch-on", "--switch-on", .text = l->switch_on},
		{"--switch-off", "--switch-off", .text = l->switch_off},
		{"--show-on-off-events", NULL, .given = l->show_switches},
		{"--limit", NULL, .given = l->limit},
	};

	memcpy(choices, found, sizeof(found));
}

static bool is_given(const struct choice *c)
{
	return c->given || c->text || (c->names && c->names->nr) || (c->numbers && c->numbers->nr);
}

const char *reading_needs_recording(const struct reading *r)
{
	struct choice choices[CHOICES];
	u32 i;

	find_choices(r, choices);
	for (i = 0; i < CHOICES; i++)
		if (is_given(&choices[i]))
			return choices[i].option;
	return NULL;
}

void reading_put_choices(const struct reading *r, struct buf *out)
{
	struct choice choices[CHOICES];
	size_t from = out->len;
	u32 i;

	if (r->event || r->select.events)
		buf_adds(out, "event");
	find_choices(r, choices);
	for (i = 0; i < CHOICES; i++)
		if (choices[i].what && (is_given(&choices[i]) || choices[i].of_rows))
			buf_addf(out, "%s%s", out->len > from ? ", " : "", choices[i].what);
}

enum reading_choice reading_choice(const struct reading *r)
{
	struct choice choices[CHOICES];
	bool some = r->select.fields.rules.nr;
	u32 i;

	find_choices(r, choices);
	for (i = 0; i < CHOICES; i++)
		some |= choices[i].what && (is_given(&choices[i]) || choices[i].of_rows);
	return some ? READING_SOME : r->event || r->select.events ? READING_EVENTS : READING_ALL;
}

static void put_choice(const struct reading *r, const struct choice *c, struct buf *out)
{
	const struct reading_fields *fields = &r->select.fields;
	u32 i;

	if (c->names)
		put_names(out, c->option, c->names);
	else if (c->numbers)
		put_numbers(out, c->option, c->numbers);
	else if (c->text)
		put_word(out, c->option, c->text);
	else if (!strcmp(c->option, "--filter"))
		for (i = 0; i < fields->asked.nr; i++)
			put_word(out, c->option, reading_fields_text(fields, i));
	else if (!strcmp(c->option, "--limit"))
		buf_addf(out, " %s %llu", c->option, (unsigned long long)c->given);
	else
		buf_addf(out, " %s", c->option);
}

void reading_put_words(const struct reading *r, bool functions, struct buf *out)
{
	struct choice choices[CHOICES];
	u32 i;

	find_choices(r, choices);
	for (i = 0; i < CHOICES; i++)
		if (is_given(&choices[i]) &&
		    (functions || choices[i].names != &r->select.places.symbols))
			put_choice(r, &choices[i], out);
}
