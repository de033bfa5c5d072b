// SPDX-License-Identifier: GPL-2.0
#include "util/format/stat_view.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "util/base/json.h"

/* ---- with perf's keys and blanks ---- */

static void key(struct buf *b, const char *name)
{
	if (b->len && b->data[b->len - 1] != '{')
		buf_adds(b, ", ");
	buf_addf(b, "\"%s\" : ", name);
}

static void string(struct buf *b, const char *name, const char *s)
{
	key(b, name);
	json_string(b, s, strlen(s));
}

static void quoted_number(struct buf *b, const char *name, double v)
{
	key(b, name);
	buf_addc(b, '"');
	json_fixed(b, v, 6);
	buf_addc(b, '"');
}

/* json_string() escapes what a comm may hold, so the name is put together here. */
static void put_thread(struct buf *b, const struct stat_key *k)
{
	struct buf name = {0};

	buf_addf(&name, "%s-%d", k->comm, k->tid);
	string(b, "thread", buf_str(&name));
	b->failed |= name.failed;
	buf_free(&name);
}

static void begin(struct buf *b, const struct stat_view *v, const struct stat_row *r)
{
	enum stat_aggregation by = v->table->by;

	buf_addc(b, '{');
	if (v->interval) {
		key(b, "interval");
		stat_view_time(v, b);
	}
	switch (by) {
	case STAT_GLOBAL:
		break;
	case STAT_PER_THREAD:
		put_thread(b, r->key);
		break;
	case STAT_PER_CPU:
		if (r->key->cpu < 0)
			break;
		key(b, "cpu");
		buf_addf(b, "\"%lld\"", (long long)r->key->cpu);
		break;
	default:
		key(b, stat_table_rows(v->table));
		buf_addc(b, '"');
		stat_key_print(r->key, by, b);
		buf_addc(b, '"');
		key(b, "aggregate-number");
		buf_dec(b, r->cell->counters, 0);
	}
}

static void put_derived(struct buf *b, const struct stat_derived *d)
{
	quoted_number(b, "metric-value", d ? d->value : 0);
	string(b, "metric-unit", d ? d->unit : "");
	buf_adds(b, "}\n");
}

static void put_row(struct buf *b, const struct stat_view *v, const struct stat_row *r)
{
	const char *absent = stat_row_absent(r);
	u32 i;

	begin(b, v, r);
	if (absent)
		string(b, "counter-value", absent);
	else
		quoted_number(b, "counter-value", r->value);
	string(b, "unit", r->event->unit);
	string(b, "event", r->event->name);
	if (v->table->cgroups)
		string(b, "cgroup", r->event->cgroup ? r->event->cgroup : "");
	if (v->runs) {
		key(b, "variance");
		json_fixed(b, stat_row_noise(r), 2);
	}
	key(b, "event-runtime");
	json_unsigned(b, r->cell->running);
	key(b, "pcnt-running");
	json_fixed(b, r->running_pct, 2);
	put_derived(b, r->nr_derived ? &r->derived[0] : NULL);
	for (i = 1; i < r->nr_derived; i++) {
		begin(b, v, r);
		put_derived(b, &r->derived[i]);
	}
}

void stat_json(struct buf *b, const struct stat_view *v)
{
	struct stat_row r;
	size_t i = 0;

	while (stat_view_next(v, &i, &r))
		put_row(b, v, &r);
}

void stat_json_ratios(struct buf *b, const struct stat_view *v, const struct stat_ratios *r)
{
	struct buf title = {0}, value = {0};
	struct stat_derived d;
	struct stat_row row;
	u32 at = 0, i;

	while (stat_ratios_next(r, v, &at, &row)) {
		begin(b, v, &row);
		for (i = 0; i < r->nr; i++) {
			buf_clear(&title);
			buf_clear(&value);
			stat_ratios_title(&r->v[i], v, &title);
			if (stat_ratios_value(&r->v[i], v, &row, &d))
				json_fixed(&value, d.value, d.decimals);
			else
				buf_adds(&value, "none");
			if (b->len && b->data[b->len - 1] != '{')
				buf_adds(b, ", ");
			json_string(b, buf_str(&title), title.len);
			buf_addf(b, " : \"%s\"", buf_str(&value));
		}
		buf_adds(b, "}\n");
	}
	b->failed |= title.failed || value.failed;
	buf_free(&title);
	buf_free(&value);
}

/* ---- with numbers ---- */

static void put_string(struct buf *b, const char *name, const char *s)
{
	json_put_string(b, name, s && *s ? s : NULL);
}

/* An id that is not part of a row's key is -1, and is left out of the object. */
static void put_id(struct buf *b, const char *name, s64 id)
{
	if (id >= 0)
		json_put_signed(b, name, id);
}

static void put_place(struct buf *b, const struct stat_table *t, const struct stat_key *k)
{
	put_id(b, "socket", k->socket);
	put_id(b, "die", k->die);
	put_id(b, "cluster", k->cluster);
	put_id(b, "core", k->core);
	put_id(b, "node", k->node);
	put_id(b, "cpu", k->cpu);
	if (k->type)
		put_string(b, "cpu_type", k->type);
	if (t->by != STAT_PER_THREAD)
		return;
	if (k->pid)
		put_id(b, "pid", k->pid);
	put_id(b, "tid", k->tid);
	put_string(b, "comm", k->comm);
}

static void put_value(struct buf *b, const struct stat_row *r)
{
	/* a sum is exact; a mean or a number with a unit is no integer */
	if (r->cell->state == STAT_COUNTED && r->event->scale == 1 && !r->summary)
		json_put_unsigned(b, "value", r->cell->total);
	else
		json_put_double(b, "value", r->cell->state == STAT_COUNTED ? r->value : NAN);
}

static void put_times(struct buf *b, const struct stat_row *r)
{
	bool counted = r->cell->state == STAT_COUNTED;

	json_key(b, "enabled_ns");
	if (!counted) {
		buf_adds(b, "null,\"running_ns\":null,\"running_pct\":null");
		return;
	}
	json_unsigned(b, r->cell->enabled);
	json_put_unsigned(b, "running_ns", r->cell->running);
	json_put_double(b, "running_pct", r->running_pct);
}

static void put_runs(struct buf *b, const struct stat_row *r)
{
	const struct stat_summary *s = r->summary;
	double scale = r->event->scale;
	bool any = s->nr != 0;

	json_put_unsigned(b, "runs", s->nr);
	json_put_double(b, "stddev_pct", any ? stat_summary_pct(s->stddev, s->mean) : NAN);
	json_put_double(b, "stderr_pct", any ? stat_summary_pct(s->error, s->mean) : NAN);
	json_put_double(b, "median", any ? s->median * scale : NAN);
	json_put_double(b, "mad", any ? s->mad * scale : NAN);
	json_put_double(b, "min", any ? s->min * scale : NAN);
	json_put_double(b, "max", any ? s->max * scale : NAN);
}

static void put_all_derived(struct buf *b, const struct stat_row *r)
{
	u32 i;

	json_put_open(b, "derived", '[');
	for (i = 0; i < r->nr_derived; i++) {
		json_open_item(b, '{');
		put_string(b, "name", r->derived[i].metric);
		json_put_double(b, "value", r->derived[i].value);
		put_string(b, "unit", r->derived[i].unit);
		buf_addc(b, '}');
	}
	buf_addc(b, ']');
}

static void open_line(struct buf *b, const char *type, const struct stat_view *v,
		      const struct stat_key *k)
{
	const struct stat_table *t = v->table;
	const u64 start = t->start_ns - t->origin_ns;

	json_open(b, '{');
	put_string(b, "type", type);
	json_put_unsigned(b, "start_ns", start);
	/* of a mean run: values are means */
	json_put_unsigned(b, "end_ns",
			  v->runs ? start + (u64)t->elapsed_ns : t->end_ns - t->origin_ns);
	if (v->summary)
		json_put_bool(b, "summary", true);
	put_place(b, t, k);
}

void stat_json_lines(struct buf *b, const struct stat_view *v)
{
	static const char *const states[] = {
		[STAT_COUNTED] = "counted",
		[STAT_NOT_COUNTED] = "not-counted",
		[STAT_NOT_SUPPORTED] = "not-supported",
	};
	struct stat_row r;
	size_t i = 0;

	while (stat_view_next(v, &i, &r)) {
		open_line(b, "counter", v, r.key);
		json_put_unsigned(b, "counters", r.cell->counters);
		put_string(b, "event", r.event->name);
		put_string(b, "unit", r.event->unit);
		put_string(b, "cgroup", r.event->cgroup);
		put_value(b, &r);
		put_string(b, "state", states[r.cell->state]);
		put_string(b, "reason", r.cell->reason);
		put_times(b, &r);
		if (r.summary)
			put_runs(b, &r);
		put_all_derived(b, &r);
		buf_adds(b, "}\n");
	}
}

static void put_ratio(struct buf *b, const struct stat_view *v, const struct stat_ratio *r,
		      const struct stat_row *row)
{
	struct buf title = {0};
	struct stat_derived d = {0};
	bool counted = stat_ratios_value(r, v, row, &d);

	stat_ratios_title(r, v, &title);
	json_open_item(b, '{');
	json_put_buf(b, "name", &title);
	put_string(b, "event", v->table->shape->events[r->event].name);
	json_put_double(b, "value", counted ? d.value : NAN);
	put_string(b, "unit", r->is.unit);
	buf_addc(b, '}');
	buf_free(&title);
}

void stat_json_lines_ratios(struct buf *b, const struct stat_view *v, const struct stat_ratios *r)
{
	struct stat_row row;
	u32 at = 0, i;

	while (stat_ratios_next(r, v, &at, &row)) {
		open_line(b, "metrics", v, row.key);
		json_put_unsigned(b, "counters", row.cell->counters);
		json_put_open(b, "metrics", '[');
		for (i = 0; i < r->nr; i++)
			put_ratio(b, v, &r->v[i], &row);
		buf_adds(b, "]}\n");
	}
}

static void put_known(struct buf *b, const char *name, bool known, u64 v)
{
	json_key(b, name);
	if (known)
		json_unsigned(b, v);
	else
		buf_adds(b, "null");
}

void stat_json_summary(struct buf *b, const struct stat_reading *r, const struct stat_runs *runs)
{
	u64 elapsed = r->end_ns - r->origin_ns;
	int status = r->wait_status;

	if (runs)
		elapsed = (u64)stat_runs_elapsed(runs)->mean;
	json_open(b, '{');
	put_string(b, "type", "summary");
	if (runs)
		json_put_unsigned(b, "runs", runs->nr);
	json_put_unsigned(b, "elapsed_ns", elapsed);
	if (runs) {
		json_put_double(b, "elapsed_median_ns", stat_runs_elapsed(runs)->median);
		json_put_double(b, "elapsed_mad_ns", stat_runs_elapsed(runs)->mad);
	}
	put_known(b, "user_ns", r->ended, r->user_ns);
	put_known(b, "sys_ns", r->ended, r->sys_ns);
	put_known(b, "maxrss_kb", r->ended, r->maxrss_kb);
	put_known(b, "exit_status", r->ended && WIFEXITED(status), (u64)WEXITSTATUS(status));
	put_known(b, "signal", r->ended && WIFSIGNALED(status), (u64)WTERMSIG(status));
	buf_adds(b, "}\n");
}
