// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"
#include "util/event/ev_term.h"
#include "util/image/debuginfod.h"

int record_on_debuginfod(void *value, const char *arg, struct err *err)
{
	struct record *c = value;

	c->fetch_names = true;
	if (arg && *arg && strcmp(arg, "system") != 0 && setenv("DEBUGINFOD_URLS", arg, 1))
		return err_nomem(err);
	return 0;
}

int record_open_debuginfod(struct record *c, struct err *err)
{
	struct block_writer_options *o = &c->options.block_writer;

	if (!c->fetch_names)
		return 0;
	if (!strcmp(o->output, "-") || o->perfdata || c->switching) {
		err_set(err, EINVAL, "--debuginfod adds names at the end of a single file%s",
			o->perfdata ? "; perf.data cannot store them" : "");
		err_hint(
			err,
			"fetch them when reading: perf-lite script --debuginfod, or report --debuginfod");
		return -EINVAL;
	}
	o->debuginfod = debuginfod_open(err);
	c->options.preamble.late_names = true;
	return o->debuginfod ? 0 : -err->code;
}

void record_options_free(struct record *c)
{
	debuginfod_close(c->options.block_writer.debuginfod);
	free(c->output_file);
	buf_free(&c->no_effect);
}

int record_on_delay(void *value, const char *arg, struct err *err)
{
	struct record *c = value;
	u64 ms;

	if (!strcmp(arg, "-1")) {
		c->options.event_session.disabled = true;
		return 0;
	}
	if (num_u64(arg, &ms) && ms < UINT64_MAX / 1000000) {
		c->options.event_session.delay_ns = ms * 1000000;
		return 0;
	}
	err_set(err, EINVAL, "'%s' is not a number of milliseconds", arg);
	err_hint(err, "-D 500 starts recording after half a second, -D -1 waits for --control");
	return -EINVAL;
}

int record_on_level(void *value, const char *arg, struct err *err)
{
	struct record *c = value;
	u64 level;

	if (!arg) {
		c->options.block_writer.level = COLUMNS_BY_RATE;
		return 0;
	}
	if (num_u64(arg, &level) && level <= 22) {
		c->options.block_writer.level = (int)level;
		return 0;
	}
	err_set(err, EINVAL, "'%s' is not a compression level", arg);
	err_hint(err, "levels are 0 (none), 1 (fast) to 22 (small)");
	return -EINVAL;
}

int record_on_format(void *value, const char *arg, struct err *err)
{
	struct record *c = value;
	bool perfs = !strcmp(arg, "perf") || !strcmp(arg, "perf.data");

	if (!perfs && strcmp(arg, "perf-lite") != 0) {
		err_set(err, EINVAL, "--format: unknown format '%s'", arg);
		err_hint(err, "use --format=perf-lite (the default) or --format=perf");
		return -EINVAL;
	}
	c->options.block_writer.perfdata = c->what.attrs.complete = perfs;
	return 0;
}

int record_on_keep_last(void *value, const char *arg, struct err *err)
{
	struct record *c = value;

	if (num_duration(arg, &c->options.block_writer.keep_ns) &&
	    c->options.block_writer.keep_ns) {
		c->options.block_writer.keep = true;
		return 0;
	}
	err_set(err, EINVAL, "'%s' is not a time", arg);
	err_hint(err,
		 "--keep-last 30s keeps the last 30 seconds in memory, until SIGUSR2 or the end");
	return -EINVAL;
}

/* As perf has it, but that letters may be small: with B, K, M or G it is a size; m are minutes. */
int record_on_switch_output(void *value, const char *arg, struct err *err)
{
	struct record *c = value;
	size_t len = arg ? strlen(arg) : 0;

	if (!len || !strcmp(arg, "signal")) {
		c->switch_by_signal = true;
		return 0;
	}
	if (strchr("BbKkMGg", arg[len - 1]) &&
	    num_size(arg, &c->options.block_writer.switch_bytes) &&
	    c->options.block_writer.switch_bytes)
		return 0;
	if (strchr("smh", arg[len - 1]) && num_duration(arg, &c->options.block_writer.switch_ns) &&
	    c->options.block_writer.switch_ns)
		return 0;
	err_set(err, EINVAL, "--switch-output: '%s' is neither a size nor a time", arg);
	err_hint(
		err,
		"use --switch-output=100M, --switch-output=30s, or --switch-output alone for SIGUSR2");
	return -EINVAL;
}

int record_on_branch_any(void *value, const char *arg, struct err *err)
{
	(void)arg;
	return record_on_branches(value, "any", err);
}

int record_on_branches(void *value, const char *arg, struct err *err)
{
	struct record *c = value;
	struct buf words = {0};
	const char *unknown;
	u64 bits;

	if (!ev_branch_parse(arg, &bits, &unknown)) {
		c->what.attrs.branches |= bits;
		return 0;
	}
	ev_branch_words(&words);
	err_set(err, EINVAL, "-j: unknown kind of branch '%.*s'",
		(int)MIN(strcspn(unknown, ","), (size_t)64), unknown);
	err_hint(err, "kinds: %s", buf_str(&words));
	buf_free(&words);
	return -EINVAL;
}

int record_on_max_size(void *value, const char *arg, struct err *err)
{
	struct record *c = value;

	if (num_size(arg, &c->options.block_writer.max_bytes) && c->options.block_writer.max_bytes)
		return 0;
	err_set(err, EINVAL, "--max-size: '%s' is not a size", arg);
	err_hint(err, "--max-size 100M stops recording when the file reaches that size");
	return -EINVAL;
}
