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

const char *reading_needs_recording(const struct reading *r)
{
	const struct reading_select *l = &r->select;
	const struct {
		const char *option;
		bool given;
	} options[] = {
		{"--comms", r->filter.comms.nr},
		{"--pid", r->filter.pids.nr},
		{"--tid", r->filter.tids.nr},
		{"--cpu", r->filter.cpus.nr},
		{"--parallelism", r->filter.running.nr},
		{"--latency", r->session.threads.latency},
		{"--time", r->filter.times.nr},
		{"--filter", l->fields.asked.nr},
		{"--symbols", l->places.symbols.nr},
		{"--dsos", l->places.dsos.nr},
		{"--no-idle", l->places.idle.nr},
		{"--switch-on", l->switch_on},
		{"--switch-off", l->switch_off},
		{"--limit", l->limit},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].given)
			return options[i].option;
	return NULL;
}

void reading_put_words(const struct reading *r, bool functions, struct buf *out)
{
	const struct reading_select *l = &r->select;
	u32 i;

	put_names(out, "--comms", &r->filter.comms);
	put_numbers(out, "--pid", &r->filter.pids);
	put_numbers(out, "--tid", &r->filter.tids);
	put_numbers(out, "--cpu", &r->filter.cpus);
	put_numbers(out, "--parallelism", &r->filter.running);
	if (r->session.threads.latency)
		buf_adds(out, " --latency");
	if (r->filter.times.nr)
		put_word(out, "--time", r->times);
	for (i = 0; i < l->fields.asked.nr; i++)
		put_word(out, "--filter", reading_fields_text(&l->fields, i));
	if (functions)
		put_names(out, "--symbols", &l->places.symbols);
	put_names(out, "--dsos", &l->places.dsos);
	if (l->places.idle.nr)
		buf_adds(out, " --no-idle");
	put_word(out, "--switch-on", l->switch_on);
	put_word(out, "--switch-off", l->switch_off);
	if (l->limit)
		buf_addf(out, " --limit %llu", (unsigned long long)l->limit);
}
