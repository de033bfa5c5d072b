// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/latency.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perf-lite/flamegraph_request.h"
#include "perf-lite/output_file.h"
#include "util/draw/heat_map.h"

bool latency_picture_on_stdout(const struct latency *l)
{
	return l->timeline && !strcmp(l->timeline, "-");
}

/* What is measured should not be lost since there is no such folder. */
static int check_place(const char *name, struct err *err)
{
	char folder[PATH_MAX] = ".";
	const char *slash = name ? strrchr(name, '/') : NULL;

	if (!name || !strcmp(name, "-"))
		return 0;
	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - name + 1), name);
	if (*name && !access(folder, W_OK | X_OK))
		return 0;
	err_set(err, EINVAL, "cannot create '%s': %s", name,
		*name ? strerror(errno) : "it is no name");
	err_hint(err, "choose a place that you may write to");
	return -EINVAL;
}

int latency_picture_check(const struct latency *l, struct err *err)
{
	const struct count_request *q = &l->q;
	int ret = check_place(l->picture, err);

	if (!ret)
		ret = check_place(l->timeline, err);
	if (ret || !l->timeline)
		return ret;
	if (l->picture && !strcmp(l->picture, l->timeline)) {
		err_set(err, EINVAL, "--flamegraph and --timeline are two pictures in one file");
		err_hint(err, "give them two names");
		return -EINVAL;
	}
	if (q->interval_ns || l->open || l->whole) {
		err_set(err, EINVAL, "--timeline is one picture of all spans that ended");
		err_hint(err, l->whole ? "the spans of this preset end with the table"
				       : "leave out -I and --open");
		return -EINVAL;
	}
	if (latency_picture_on_stdout(l) &&
	    (l->trace || q->form != COUNT_FORM_TEXT || isatty(STDOUT_FILENO))) {
		err_set(err, EINVAL, "--timeline -: the picture would be among other output");
		err_hint(err, "give a file: --timeline latency.svg");
		return -EINVAL;
	}
	return flamegraph_picture_check(l->timeline, err);
}

int latency_picture_add(struct latency *l, const struct span_ended *span, struct err *err)
{
	if (!l->timeline ||
	    time_bins_add(&l->map, heat_map_band(span->end - span->begin), span->end, 1))
		return 0;
	return err_nomem(err);
}

static void put_title(const struct latency *l, struct buf *out)
{
	u32 i = 0;

	if (l->preset) {
		buf_adds(out, l->preset->help);
		return;
	}
	while (l->points.v[i].role != LATENCY_TO)
		i++;
	buf_addf(out, "from %s to %s", l->points.v[0].event, l->points.v[i].event);
}

/* The lines of a text, which is taken apart. */
static u32 split_lines(char *text, const char **lines, u32 max)
{
	char *save = NULL, *line = strtok_r(text, "\n", &save);
	u32 nr = 0;

	for (; line && nr < max; line = strtok_r(NULL, "\n", &save))
		lines[nr++] = line;
	return nr;
}

int latency_picture_draw(struct latency *l, const struct spans_account *a, u64 from, u64 to,
			 struct err *err)
{
	struct heat_map_row rows[HEAT_MAP_BANDS];
	struct buf title = {0}, account = {0}, out = {0};
	const char *notes[4];
	const bool staged = l->stages.thens.nr;
	struct heat_map m = {.one = staged ? "stage" : "span",
			     .many = staged ? "stages" : "spans",
			     .notes = notes,
			     .rows = rows};
	int ret;

	if (l->map.rows.nr) {
		time_bins_cover(&l->map, from);
		time_bins_cover(&l->map, to);
	}
	time_bins_fit(&l->map, HEAT_MAP_COLUMNS);
	for (; m.nr_rows < l->map.rows.nr; m.nr_rows++)
		rows[m.nr_rows] = (struct heat_map_row){l->map.rows.v[m.nr_rows].cpu,
							l->map.rows.v[m.nr_rows].amounts};
	put_title(l, &title);
	latency_text_account(l, a, to - from, &account);
	m.title = buf_str(&title);
	if (account.len)
		m.nr_notes = split_lines(account.data, notes, ARRAY_SIZE(notes));
	m.html = flamegraph_picture_is_html(l->timeline);
	m.from = l->map.first * l->map.step;
	m.step = l->map.step;
	m.nr_columns = l->map.nr;
	ret = title.failed || account.failed ? err_nomem(err) : heat_map_draw(&m, &out, err);
	if (!ret)
		ret = output_file_put(l->timeline, &out, err);
	buf_free(&title);
	buf_free(&account);
	buf_free(&out);
	return ret;
}
