// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf-lite/input.h"
#include "perf-lite/output_file.h"
#include "util/base/text.h"
#include "util/cli/terminal.h"
#include "util/file/pack.h"
#include "util/file/source.h"
#include "util/record/raw_layout.h"

#define LEVEL_MAX 22
/* A file is replaced if it becomes smaller by one part in so many. */
#define GAIN_MIN 100

struct pack_cmd {
	struct pack_options options;
	struct progress progress;
	const char *output;
	u64 level;
	bool quiet;
	bool partial; /* something that is damaged was packed */
};

static int describe_event(struct recording *r, u32 event, struct err *err)
{
	struct raw_fields fields = {0};
	struct err why = {0};
	struct tp_format *f = recording_event_format(r, event, &why);
	int ret;

	/* without its format, raw data is one field: less small, but as right */
	if (!f)
		return why.code == ENOMEM ? err_nomem(err) : 0;
	/* each field of the raw data becomes a column */
	ret = raw_layout_fields(f, &fields);
	if (!ret)
		ret = event_set_fields(&r->events, event, fields.v, fields.nr);
	vec_free(&fields);
	tp_format_free(f);
	return ret ? err_nomem(err) : 0;
}

static void on_progress(void *arg, u64 done, u64 total)
{
	progress_update(arg, done, total);
}

static void say_sizes(const struct pack_cmd *c, const char *path, const struct pack_result *r,
		      bool kept)
{
	struct buf b = {0};

	if (c->quiet)
		return;
	text_escape(&b, path, strlen(path));
	if (kept)
		buf_addf(&b, ": %llu bytes, packed already: left as it is\n",
			 (unsigned long long)r->bytes_before);
	else
		buf_addf(&b, ": %llu bytes before, %llu packed (%.1f %%)\n",
			 (unsigned long long)r->bytes_before, (unsigned long long)r->bytes_after,
			 100.0 * (double)r->bytes_after / (double)MAX(r->bytes_before, 1u));
	fputs(buf_str(&b), stderr);
	buf_free(&b);
}

/* A new file that is hardly smaller is not worth it, unless it leaves out what is damaged. */
static bool is_worth_it(const struct pack_result *r, const struct stat *old)
{
	return r->damaged || r->bytes_after + (u64)old->st_size / GAIN_MIN < (u64)old->st_size;
}

/*
 * From a file or a pipe into another; old: of the regular file `path`, whose place the new one takes if that is worth it, else
 * NULL. -errno, or CMD_PARTIAL where it cannot be written.
 */
static int pack_to(struct pack_cmd *c, const char *path, const char *output, const struct stat *old,
		   struct pack_result *result, struct err *err)
{
	struct writer w;
	struct stream in;
	int ret;

	input_spare_interrupt(path);
	ret = source_open_native(&in, path, "which cannot be packed", err);
	if (ret)
		return ret;
	ret = old ? writer_open_replacement(&w, output, old, c->options.level, err)
		  : writer_open(&w, output, c->options.level, err);
	if (ret) {
		stream_close(&in);
		return w.failed || !strcmp(output, "-") ? CMD_PARTIAL : ret;
	}
	progress_start(&c->progress, "Packing", STDERR_FILENO);
	ret = pack_stream(&in, &w, &c->options, result, err);
	progress_end(&c->progress);
	if (ret)
		err_prefix(err, "%s", stream_name(path));
	if (!ret && w.path && fsync(w.fd) && errno != EINVAL && errno != ENOTSUP) {
		ret = err_set(err, errno, "cannot write %s: %s", output, strerror(errno));
		w.failed = true;
	}
	if (!ret && (!old || is_worth_it(result, old)))
		ret = writer_publish(&w, err);
	if (writer_close(&w, ret ? NULL : err) && !ret)
		ret = -EIO;
	stream_close(&in);
	return ret && w.failed ? CMD_PARTIAL : ret;
}

/* The file takes its own place, with its mode, when all of it is written; else nothing changes. */
static int pack_in_place(struct pack_cmd *c, const char *path, struct err *err)
{
	struct pack_result result;
	struct stat st;
	char *real;
	int ret;

	real = realpath(path, NULL);
	if (!real || stat(real, &st)) {
		ret = err_set(err, errno, "cannot open %s: %s", path, strerror(errno));
		free(real);
		return ret;
	}
	if (!S_ISREG(st.st_mode)) {
		ret = err_set(err, EINVAL, "%s is no file that could be replaced", path);
		err_hint(err, "perf-lite pack -o OUT %s", TEXT_SHELL(path));
		free(real);
		return ret;
	}
	ret = pack_to(c, real, real, &st, &result, err);
	if (!ret) {
		say_sizes(c, path, &result, !is_worth_it(&result, &st));
		c->partial |= result.damaged;
	}
	free(real);
	return ret;
}

static int pack_one(struct pack_cmd *c, const char *path, struct err *err)
{
	struct pack_result result;
	char *output = NULL;
	int ret = 0;

	if (!c->output && strcmp(path, "-"))
		return pack_in_place(c, path, err);
	if (c->output && strcmp(c->output, "-"))
		ret = output_file_follow(c->output, &output, err);
	if (!ret)
		ret = pack_to(c, path, output ? output : "-", NULL, &result, err);
	free(output);
	if (ret)
		return ret;
	say_sizes(c, stream_name(path), &result, false);
	c->partial |= result.damaged;
	return 0;
}

static int check(const struct pack_cmd *c, const struct opt_rest *rest, struct err *err)
{
	bool to_stdout = (c->output && !strcmp(c->output, "-")) ||
			 (!c->output && rest->argc && !strcmp(rest->argv[0], "-"));

	if (!rest->argc) {
		err_set(err, EINVAL, "pack which recording?");
		err_hint(err, "perf-lite pack perf-lite.data");
		return -EINVAL;
	}
	if (c->output && rest->argc > 1)
		return err_set(err, EINVAL, "-o takes one recording, not %d", rest->argc);
	if (c->level < 1 || c->level > LEVEL_MAX)
		return err_set(err, EINVAL, "-z: there is no level %llu, they are 1 to %d",
			       (unsigned long long)c->level, LEVEL_MAX);
	if (to_stdout && isatty(STDOUT_FILENO)) {
		err_set(err, EINVAL,
			"standard output is a terminal, which cannot show a recording");
		err_hint(err, "perf-lite pack -o OUT %s", TEXT_SHELL(rest->argv[0]));
		return -EINVAL;
	}
	return 0;
}

#define OPT_STRUCT struct pack_cmd

static const struct opt opts[] = {
	OPT_STRING('o', "output", "FILE", output,
		   "write to FILE instead of in place; - is standard output"),
	OPT_UINT('z', "compression-level", "LEVEL", level,
		 "1 to 22: smaller and slower (default 19)"),
	OPT_FLAG(0, "force", options.force,
		 "pack the intact part of a damaged or unfinished recording"),
	OPT_FLAG('q', "quiet", quiet, "do not print sizes"),
	OPT_REFUSED('i', "input", "without -i: perf-lite pack FILE"),
	OPT_END,
};

static const struct opt_table table = {
	.command = "pack",
	.summary = "make a recording smaller, without loss",
	.usage = {"[options] FILE...", "[-z LEVEL] -o OUT FILE"},
	.opts = opts,
	.notes =
		"FILE - is standard input, packed to standard output.\n"
		"Exit codes: 0 packed, 1 wrong usage, unreadable or damaged (and left as it was),\n"
		"3 packed by --force without what is damaged, or not all could be written.\n",
};

int cmd_pack(int argc, char **argv, struct err *err)
{
	struct pack_cmd c = {
		.level = 19,
		.options.event = describe_event,
		.options.progress = on_progress,
	};
	struct opt_rest rest;
	int ret, i;

	ret = cmd_options(&table, &c, argc, argv, &rest, err);
	if (ret || rest.help)
		return ret;
	ret = check(&c, &rest, err);
	c.options.level = (int)c.level;
	c.options.arg = &c.progress;
	for (i = 0; i < rest.argc && !ret; i++)
		ret = pack_one(&c, rest.argv[i], err);
	if (ret)
		return ret;
	return c.partial ? CMD_PARTIAL : CMD_OK;
}
