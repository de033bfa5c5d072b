// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf-lite/cmd.h"
#include "perf-lite/convert.h"
#include "util/base/text.h"
#include "util/export/export.h"

static const struct convert_format formats[] = {
	{.name = "perf.data",
	 .summary = "perf's own file: for perf, hotspot and whoever reads it",
	 .output = "perf.data",
	 .binary = true,
	 .records = convert_perfdata},
	{.name = "folded",
	 .summary = "a line for each distinct stack: for flame graph tools",
	 .output = "perf-lite.folded",
	 .one_event = true,
	 .no_raw = true,
	 .sink = convert_folded},
	{.name = "json",
	 .summary = "a JSON object for each sample, one a line: for programs",
	 .output = "perf-lite.json",
	 .sink = convert_json},
	{.name = "csv",
	 .summary = "a row for each sample, with the fields of --event: for tables",
	 .output = "perf-lite.csv",
	 .sink = export_csv},
	{.name = "parquet",
	 .summary = "tables of samples and of losses, in columns with types: for DuckDB and others",
	 .output = "perf-lite.parquet/",
	 .binary = true,
	 .sink = export_parquet,
	 .losses = export_parquet_losses},
	{.name = "chrome",
	 .summary = "a trace: for Perfetto and chrome://tracing",
	 .output = "perf-lite.trace.json",
	 .sink = export_chrome},
	{.name = "pprof",
	 .summary = "for pprof: stacks of threads with addresses, functions and lines",
	 .output = "perf-lite.pb.gz",
	 .binary = true,
	 .no_raw = true,
	 .sink = export_pprof},
	{.name = "otlp",
	 .summary = "for OpenTelemetry: a request with each sample at its time",
	 .output = "perf-lite.otlp",
	 .binary = true,
	 .no_raw = true,
	 .sink = export_otlp},
	{.name = "speedscope",
	 .summary = "for speedscope.app: the stacks of each thread, in order of time",
	 .output = "perf-lite.speedscope.json",
	 .no_raw = true,
	 .sink = export_speedscope},
	{.name = "gecko",
	 .summary = "for profiler.firefox.com: tracks of threads, tracepoints as markers",
	 .output = "perf-lite.gecko.json",
	 .sink = export_gecko},
};

static const struct convert_format *find_format(const char *name, struct err *err)
{
	struct text_suggest suggest;
	struct buf names = {0};
	u32 i;

	if (name)
		text_suggest_init(&suggest, name);
	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		if (name && !strcmp(formats[i].name, name))
			break;
		if (name)
			text_suggest_add(&suggest, formats[i].name);
		buf_addf(&names, "%s%s", i ? ", " : "", formats[i].name);
	}
	if (i == ARRAY_SIZE(formats)) {
		if (name)
			err_set(err, EINVAL, "--to: there is no format '%s'", name);
		else
			err_set(err, EINVAL, "convert to what?");
		if (name && suggest.best)
			err_hint(err, "did you mean --to %s?", suggest.best);
		else
			err_hint(err, "--to takes one of: %s", buf_str(&names));
	}
	buf_free(&names);
	return i < ARRAY_SIZE(formats) ? &formats[i] : NULL;
}

static void list_formats(struct buf *b)
{
	u32 i;

	buf_adds(b, "Formats:\n");
	for (i = 0; i < ARRAY_SIZE(formats); i++)
		buf_addf(b, "  %-12s %s\n", formats[i].name, formats[i].summary);
	buf_adds(
		b,
		"Exit codes: 0 converted, 1 wrong usage or unreadable, 3 converted without what is damaged,\n"
		"or not all could be written.\n");
}

/* Print the size and name of an output if it is a file. */
static void print_size(const struct convert *c, const char *path)
{
	char size[TEXT_BYTES_MAX];
	struct stat st;

	if (c->in.quiet || !strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	text_bytes(size, (u64)st.st_size);
	fprintf(stderr, "perf-lite convert: %s in %s\n", size, path);
}

static int run(struct convert *c, struct err *err)
{
	const struct convert_format *f = c->format;
	int ret;

	if (!c->output)
		c->output = f->output;
	if (f->binary && !strcmp(c->output, "-") && isatty(STDOUT_FILENO)) {
		err_set(err, EINVAL, "%s is not written to a terminal", f->name);
		err_hint(err, "perf-lite convert --to %s -o FILE", f->name);
		return -EINVAL;
	}
	if (f->losses && convert_directory_is(c->output) && convert_directory_names(c, err))
		return -ENOMEM;
	ret = f->records ? f->records(c, err) : convert_samples(c, err);
	if (ret != CMD_OK)
		return ret;
	print_size(c, c->directory ? buf_str(&c->samples) : c->output);
	if (c->directory)
		print_size(c, buf_str(&c->losses));
	return ret;
}

#define OPT_STRUCT struct convert

static const struct opt opts[] = {
	OPT_GROUP("Output"),
	OPT_STRING(0, "to", "FORMAT", to, "one of the formats below"),
	OPT_STRING('o', "output", "FILE", output,
		   "write to FILE; - is standard output (default: the format's name)"),
	OPT_INCLUDE(reading_input_opts, in),
	OPT_INCLUDE(reading_sample_opts, in),
	OPT_INCLUDE(reading_weight_opts, in),
	OPT_GROUP("Reading"),
	OPT_UINT(0, "max-stack", "N", in.max_stack,
		 "use at most N frames of each stack (default all)"),
	OPT_INCLUDE(reading_name_opts, in),
	OPT_INCLUDE(reading_other_opts, in),
	OPT_END,
};

int cmd_convert(int argc, char **argv, struct err *err)
{
	struct convert c = {0};
	struct opt_table table = {
		.command = "convert",
		.summary = "write a recording in another format",
		.usage = {"--to FORMAT [-i FILE] [-o FILE] [options]"},
		.opts = opts,
	};
	struct buf notes = {0};
	struct opt_rest rest;
	int ret;

	reading_init(&c.in);
	list_formats(&notes);
	table.notes = buf_str(&notes);
	ret = cmd_options(&table, &c, argc, argv, &rest, err);
	if (!ret && !rest.help)
		ret = cmd_no_operand("convert", &rest, err);
	if (!ret && !rest.help) {
		c.format = find_format(c.to, err);
		ret = c.format ? run(&c, err) : -EINVAL;
	}
	reading_end(&c.in);
	buf_free(&c.samples);
	buf_free(&c.losses);
	buf_free(&notes);
	return ret;
}
