// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/latency_request.h"

#include <string.h>

#include "perf-lite/flamegraph_request.h"
#include "perf-lite/output_file.h"
#include "util/draw/heat_map.h"

int latency_picture_add(struct latency_request *req, const struct span_ended *span, struct err *err)
{
	if (!req->files[LATENCY_TIMELINE] ||
	    time_bins_add(&req->map, heat_map_band(span->end - span->begin), span->end, 1))
		return 0;
	return err_nomem(err);
}

static void put_title(const struct latency_request *req, struct buf *out)
{
	if (req->l.asked.preset) {
		buf_adds(out, req->l.asked.preset->help);
		return;
	}
	buf_adds(out, "from ");
	latency_points_between(&req->l, out);
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

int latency_picture_draw(struct latency_request *req, const struct spans_account *a, u64 from,
			 u64 to, struct err *err)
{
	struct heat_map_row rows[HEAT_MAP_BANDS];
	struct buf title = {0}, account = {0}, out = {0};
	const char *notes[4];
	const bool staged = req->l.stages.thens.nr;
	struct heat_map m = {.one = staged ? "stage" : "span",
			     .many = staged ? "stages" : "spans",
			     .notes = notes,
			     .rows = rows};
	int ret;

	if (req->map.rows.nr) {
		time_bins_cover(&req->map, from);
		time_bins_cover(&req->map, to);
	}
	time_bins_fit(&req->map, HEAT_MAP_COLUMNS);
	for (; m.nr_rows < req->map.rows.nr; m.nr_rows++)
		rows[m.nr_rows] = (struct heat_map_row){req->map.rows.v[m.nr_rows].cpu,
							req->map.rows.v[m.nr_rows].amounts};
	put_title(req, &title);
	latency_text_account(req, a, to - from, &account);
	m.title = buf_str(&title);
	if (account.len)
		m.nr_notes = split_lines(account.data, notes, ARRAY_SIZE(notes));
	m.html = flamegraph_picture_is_html(req->files[LATENCY_TIMELINE]);
	m.from = req->map.first * req->map.step;
	m.step = req->map.step;
	m.nr_columns = req->map.nr;
	ret = title.failed || account.failed ? err_nomem(err) : heat_map_draw(&m, &out, err);
	if (!ret)
		ret = output_file_put(req->files[LATENCY_TIMELINE], &out, err);
	buf_free(&title);
	buf_free(&account);
	buf_free(&out);
	return ret;
}
