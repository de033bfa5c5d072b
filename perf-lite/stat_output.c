// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/stat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perf-lite/output_file.h"
#include "util/base/io.h"
#include "util/cli/terminal.h"
#include "util/format/stat_view.h"

/* ECMA-48: the cursor goes home, and all is erased. */
#define CLEAR_SCREEN "\033[H\033[2J"

static enum stat_aggregation aggregation(const struct stat_output_options *o)
{
	enum stat_aggregation by;

	for (by = STAT_PER_CPU; by < STAT_AGGREGATIONS; by++)
		if (o->per[by])
			return by;
	return STAT_GLOBAL;
}

static int open_file(struct stat_output *o, struct err *err)
{
	o->fd = output_file_grow(o->options->file, NULL, o->options->append, err);
	o->own_fd = o->fd >= 0;
	return o->own_fd ? 0 : o->fd;
}

/* As in perf, a file says when it was made. */
static void put_started(struct stat_output *o)
{
	time_t now = time(NULL);
	struct tm tm;
	char when[64];

	if (o->options->form != STAT_OUTPUT_TEXT && o->options->form != STAT_OUTPUT_CSV)
		return;
	if (localtime_r(&now, &tm) && strftime(when, sizeof(when), "%a %b %e %H:%M:%S %Y", &tm))
		buf_addf(&o->text, "# started on %s\n\n", when);
}

static void choose_looks(struct stat_output *o)
{
	bool terminal = isatty(o->fd), colour = terminal_has_colour(COLOUR_AUTO, o->fd);

	o->form = (struct stat_text){
		.colours =
			{
				.dim = terminal_colour(colour, COLOUR_DIM),
				.less_good = terminal_colour(colour, COLOUR_YELLOW),
				.nearly_bad = terminal_colour(colour, COLOUR_YELLOW),
				.bad = terminal_colour(colour, COLOUR_RED),
				.off = terminal_colour(colour, COLOUR_OFF),
			},
		.big_numbers = terminal && !o->options->no_big_num,
		.header_every = o->options->clear ? 1 : 25,
	};
}

/* What is worked out is known before anything is counted. */
static int derive(struct stat_output *o, const struct stat_shape *shape, struct err *err)
{
	int ret = stat_derivations_init(&o->derivations, shape, o->options->metrics,
					o->options->nr_metrics, err);

	if (ret || !o->options->metric_only)
		return ret;
	ret = stat_ratios_find(&o->ratios, shape, &o->derivations, err);
	if (ret || o->ratios.nr)
		return ret;
	err_set(err, EINVAL, "--metric-only: these events have no ratios");
	err_hint(err, "name some: -M cpus,fault-rate, or what -M list shows");
	return -EINVAL;
}

int stat_output_open(struct stat_output *o, const struct stat_output_options *options,
		     const struct stat_shape *shape, const struct sysroot *root, struct err *err)
{
	int ret;

	*o = (struct stat_output){.options = options, .root = root, .fd = STDERR_FILENO};
	ret = derive(o, shape, err);
	if (ret)
		return ret;
	if (options->file && !strcmp(options->file, "-"))
		o->fd = STDOUT_FILENO;
	else if (options->file)
		ret = open_file(o, err);
	else if (options->log_fd_given)
		o->fd = options->log_fd;
	if (!ret && fcntl(o->fd, F_GETFL) < 0) {
		err_set(err, EBADF, "--log-fd %d: there is no such descriptor", o->fd);
		err_hint(err, "open it in the shell: perf-lite stat --log-fd 3 ... 3>counts");
		return -EBADF;
	}
	if (ret)
		return ret;
	choose_looks(o);
	if (o->own_fd)
		put_started(o);
	return 0;
}

/* The rows are known when the counters are open. */
static int make_ready(struct stat_output *o, const struct stat_reading *r, struct err *err)
{
	enum stat_aggregation by = aggregation(o->options);
	int ret = 0;

	if (o->ready)
		return 0;
	if (by != STAT_GLOBAL && by != STAT_PER_THREAD)
		ret = stat_topology_read(&o->topology, o->root, err);
	if (!ret)
		ret = stat_table_init(&o->table, r->shape, by, &o->topology, err);
	if (!ret)
		ret = stat_runs_init(&o->runs, &o->table, err);
	o->table.skip_zeros = o->options->skip_zeros;
	o->table.unscaled = !o->options->scaled;
	o->ready = !ret;
	return ret;
}

static int flush(struct stat_output *o, struct err *err)
{
	int ret = o->text.failed ? -ENOMEM : 0;

	if (!ret && o->text.len && !o->options->quiet)
		ret = io_write(o->fd, o->text.data, o->text.len);
	buf_clear(&o->text);
	if (ret)
		return err_set(err, -ret, "cannot write the counts: %s", strerror(-ret));
	return 0;
}

/* A file system may say only here that what was written is lost. */
static int close_file(struct stat_output *o, struct err *err)
{
	bool failed = o->own_fd && close(o->fd);

	o->own_fd = false;
	return failed ? err_set(err, errno, "cannot write the counts: %s", strerror(errno)) : 0;
}

static void put_ratios(struct stat_output *o, const struct stat_view *v)
{
	switch (o->options->form) {
	case STAT_OUTPUT_JSON:
		stat_json_ratios(&o->text, v, &o->ratios);
		break;
	case STAT_OUTPUT_JSON_V2:
		stat_json_lines_ratios(&o->text, v, &o->ratios);
		break;
	case STAT_OUTPUT_CSV:
		stat_csv_ratios(&o->text, v, &o->ratios, o->options->separator, !o->titled);
		o->titled = true;
		break;
	case STAT_OUTPUT_TEXT:
		stat_text_ratios(&o->text, &o->form, v, &o->ratios);
		break;
	}
}

static void put(struct stat_output *o, const struct stat_view *v)
{
	if (o->options->form == STAT_OUTPUT_TEXT && !v->interval)
		stat_text_title(&o->text, o->options->target, (u32)MAX(o->nr_runs, 1));
	if (o->options->metric_only) {
		put_ratios(o, v);
		return;
	}
	switch (o->options->form) {
	case STAT_OUTPUT_JSON:
		stat_json(&o->text, v);
		break;
	case STAT_OUTPUT_JSON_V2:
		stat_json_lines(&o->text, v);
		break;
	case STAT_OUTPUT_CSV:
		stat_csv(&o->text, v, o->options->separator);
		break;
	case STAT_OUTPUT_TEXT:
		stat_text(&o->text, &o->form, v);
		break;
	}
}

static void put_end(struct stat_output *o, const struct stat_view *v)
{
	const struct stat_runs *runs = v->runs;

	if (o->options->form == STAT_OUTPUT_TEXT && (!o->options->intervals || o->options->summary))
		stat_text_footer(&o->text, v, &o->last, o->options->show_times, o->options->table);
	if (o->options->form == STAT_OUTPUT_TEXT && o->options->verbose)
		stat_text_reasons(&o->text, v);
	if (o->options->form == STAT_OUTPUT_JSON_V2)
		stat_json_summary(&o->text, &o->last, runs);
}

int stat_output_interval(struct stat_output *o, const struct stat_reading *r, struct err *err)
{
	struct stat_view view = {
		.table = &o->table,
		.derivations = &o->derivations,
		.interval = true,
	};
	int ret = make_ready(o, r, err);

	if (ret)
		return ret;
	stat_table_fill(&o->table, r);
	if (o->options->clear)
		buf_adds(&o->text, CLEAR_SCREEN);
	put(o, &view);
	return flush(o, err);
}

static void add_used(struct stat_output *o, const struct stat_reading *r)
{
	if (!r->ended)
		return;
	o->used.nr++;
	o->used.user_ns += r->user_ns;
	o->used.sys_ns += r->sys_ns;
	o->used.maxrss_kb = MAX(o->used.maxrss_kb, r->maxrss_kb);
	if (!o->used.wait_status)
		o->used.wait_status = r->wait_status;
}

/* What the runs used, in place of the last one's: on average, and the most memory of any. */
static void join_used(struct stat_output *o)
{
	struct stat_reading *r = &o->last;

	r->ended = o->used.nr;
	if (!r->ended)
		return;
	r->user_ns = o->used.user_ns / o->used.nr;
	r->sys_ns = o->used.sys_ns / o->used.nr;
	r->maxrss_kb = o->used.maxrss_kb;
	r->wait_status = o->used.wait_status;
}

int stat_output_run(struct stat_output *o, const struct stat_reading *r, struct err *err)
{
	struct stat_view view = {
		.table = &o->table,
		.derivations = &o->derivations,
		.summary = o->options->intervals &&
			   !(o->options->no_csv_summary && o->options->form == STAT_OUTPUT_CSV),
	};
	int ret = make_ready(o, r, err);

	if (ret)
		return ret;
	stat_table_fill(&o->table, r);
	o->last = *r;
	o->last.counts = NULL;
	o->last.valid = NULL;
	o->nr_runs++;
	add_used(o, r);
	if (o->options->repeat > 1)
		return stat_runs_add(&o->runs, &o->table, err);
	if (!o->options->intervals || o->options->summary)
		put(o, &view);
	put_end(o, &view);
	return flush(o, err);
}

int stat_output_end(struct stat_output *o, struct err *err)
{
	struct stat_view view = {
		.table = &o->table,
		.derivations = &o->derivations,
		.runs = &o->runs,
	};
	int ret = 0;

	if (o->options->repeat > 1 && o->nr_runs) {
		ret = stat_runs_end(&o->runs, &o->table, err);
		if (ret)
			return ret;
		join_used(o);
		put(o, &view);
		put_end(o, &view);
	}
	ret = flush(o, err);
	return ret ? ret : close_file(o, err);
}

void stat_output_close(struct stat_output *o)
{
	if (o->own_fd)
		close(o->fd);
	buf_free(&o->text);
	stat_runs_free(&o->runs);
	stat_ratios_free(&o->ratios);
	stat_derivations_free(&o->derivations);
	stat_table_free(&o->table);
	stat_topology_free(&o->topology);
}
