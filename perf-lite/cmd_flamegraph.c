// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_flamegraph.c - perf-lite flamegraph: folded stacks in, SVG out.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf-lite/cmd.h"
#include "util/base/io.h"
#include "util/cli/progress.h"
#include "util/draw/flamegraph.h"
#include "util/draw/folded.h"

#define PIECE (256 * 1024)

struct request {
	const char *input; /* NULL: standard input */
	const char *output;
	const char *title, *unit;
	u64 width;
	bool inverted;
};

/* ---- reading ---- */

static const char *input_name(const struct request *r)
{
	return r->input ? r->input : "standard input";
}

static int read_pieces(const struct request *r, int fd, struct folded *f, struct err *err)
{
	char *piece = malloc(PIECE);
	struct progress progress;
	u64 done = 0, total = 0;
	struct stat st;
	ssize_t n;
	int ret = 0;

	if (!piece)
		return err_nomem(err);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		total = (u64)st.st_size;
	progress_start(&progress, "Reading stacks", STDERR_FILENO);
	while (!ret && (n = io_read(fd, piece, PIECE)) > 0) {
		ret = folded_feed(f, piece, (size_t)n, err);
		done += (u64)n;
		progress_update(&progress, done, total);
	}
	progress_end(&progress);
	free(piece);
	if (!ret && n < 0)
		return err_set(err, (int)-n, "cannot read %s: %s", input_name(r),
			       strerror((int)-n));
	return ret ? ret : folded_end(f, err);
}

static int read_stacks(const struct request *r, struct folded *f, struct err *err)
{
	int fd = STDIN_FILENO, ret;

	if (r->input) {
		fd = io_open(AT_FDCWD, r->input, O_RDONLY);
		if (fd < 0)
			return err_set(err, -fd, "cannot open %s: %s", r->input, strerror(-fd));
	} else if (isatty(fd)) {
		err_set(err, EINVAL, "no FILE is given, and standard input is a terminal");
		err_hint(err, "perf-lite script --folded | perf-lite flamegraph -o flame.svg");
		return -EINVAL;
	}
	ret = read_pieces(r, fd, f, err);
	if (r->input)
		close(fd);
	return ret;
}

/* ---- writing ---- */

static int cannot_write(const char *path, int code, struct err *err)
{
	return err_set(err, code, "cannot write %s: %s", path, strerror(code));
}

/* What open(2) would make of a new file. */
static mode_t new_file_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* Write beside `path` and rename: a reader sees the old picture or the new one, never a half. */
static int replace_file(const char *path, mode_t mode, const struct buf *b, struct err *err)
{
	char *tmp;
	int fd, ret;

	if (asprintf(&tmp, "%s.XXXXXX", path) < 0)
		return err_nomem(err);
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0) {
		ret = -errno;
		free(tmp);
		return cannot_write(path, -ret, err);
	}
	ret = io_write(fd, b->data, b->len);
	if (!ret && fchmod(fd, mode))
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(tmp, path))
		ret = -errno;
	if (ret)
		unlink(tmp);
	free(tmp);
	return ret ? cannot_write(path, -ret, err) : 0;
}

/* A file that is there keeps its mode, a link its target; a pipe or a device is just written to. */
static int write_file(const char *path, const struct buf *b, struct err *err)
{
	char *target = NULL;
	struct stat st;
	int fd, ret;

	if (stat(path, &st))
		return replace_file(path, new_file_mode(), b, err);
	if (S_ISREG(st.st_mode)) {
		target = realpath(path, NULL);
		ret = target ? replace_file(target, st.st_mode & 07777, b, err)
			     : cannot_write(path, errno, err);
		free(target);
		return ret;
	}
	fd = io_open(AT_FDCWD, path, O_WRONLY);
	if (fd < 0)
		return cannot_write(path, -fd, err);
	ret = io_write(fd, b->data, b->len);
	close(fd);
	return ret ? cannot_write(path, -ret, err) : 0;
}

static int write_picture(const struct request *r, const struct buf *b, struct err *err)
{
	int ret;

	if (r->output)
		return write_file(r->output, b, err);
	ret = io_write(STDOUT_FILENO, b->data, b->len);
	return ret ? cannot_write("standard output", -ret, err) : 0;
}

/* ---- the command ---- */

/* Not one line was a stack: whatever this is, a picture of it would mislead. */
static int not_folded(const struct request *r, const struct folded *f, struct err *err)
{
	err_set(err, EINVAL, "%s holds no folded stacks: line %llu: %s", input_name(r),
		(unsigned long long)f->bad_line, f->bad_why);
	err_hint(err, "perf-lite script --folded writes them: FRAME;FRAME;... COUNT");
	return -EINVAL;
}

/* How complete the picture is. */
static int verdict(const struct request *r, const struct folded *f, const struct frame_tree *t,
		   struct err *err)
{
	if (f->bad) {
		err_set(err, EINVAL, "%s: %llu of %llu lines left out, the first is line %llu: %s",
			input_name(r), (unsigned long long)f->bad, (unsigned long long)f->lines,
			(unsigned long long)f->bad_line, f->bad_why);
		return CMD_PARTIAL;
	}
	if (!t->total) {
		err_set(err, ENODATA, "%s holds no samples: the picture is empty", input_name(r));
		return CMD_USAGE;
	}
	return CMD_OK;
}

static int draw(const struct request *r, const struct frame_tree *t, struct err *err)
{
	struct flamegraph g = {.title = r->title,
			       .unit = r->unit,
			       .width = (u32)r->width,
			       .inverted = r->inverted};
	struct buf svg = {0};
	int ret;

	ret = flamegraph_draw(&g, t, &svg, err);
	if (!ret)
		ret = write_picture(r, &svg, err);
	buf_free(&svg);
	return ret;
}

static int flamegraph(const struct request *r, struct err *err)
{
	struct frame_tree tree = {0};
	struct folded f;
	int ret;

	folded_init(&f, &tree);
	ret = read_stacks(r, &f, err);
	if (!ret && f.bad && !f.stacks)
		ret = not_folded(r, &f, err);
	if (!ret)
		ret = frame_tree_finish(&tree, err);
	if (!ret)
		ret = draw(r, &tree, err);
	if (!ret)
		ret = verdict(r, &f, &tree, err);
	folded_free(&f);
	frame_tree_free(&tree);
	return ret;
}

static int check(struct request *r, const struct opt_rest *rest, struct err *err)
{
	if (rest->argc > 1)
		return err_set(err, EINVAL, "one FILE at most, but '%s' follows '%s'",
			       rest->argv[1], rest->argv[0]);
	if (rest->argc && strcmp(rest->argv[0], "-"))
		r->input = rest->argv[0];
	if (r->output && !strcmp(r->output, "-"))
		r->output = NULL;
	if (r->width < FLAMEGRAPH_WIDTH_MIN || r->width > FLAMEGRAPH_WIDTH_MAX)
		return err_set(err, EINVAL, "--width takes %u to %u px, not %llu",
			       FLAMEGRAPH_WIDTH_MIN, FLAMEGRAPH_WIDTH_MAX,
			       (unsigned long long)r->width);
	if (!r->output && isatty(STDOUT_FILENO)) {
		err_set(err, EINVAL, "the picture would go to the terminal");
		err_hint(err, "add -o flame.svg, or > flame.svg");
		return -EINVAL;
	}
	return 0;
}

int cmd_flamegraph(int argc, char **argv, struct err *err)
{
	struct request r = {.width = FLAMEGRAPH_WIDTH};
	const struct opt opts[] = {
		{OPT_GROUP, .help = "Options:"},
		{OPT_STRING, .letter = 'o', .name = "output", .arg = "FILE", .value = &r.output,
		 .help = "write the picture here instead of to standard output"},
		{OPT_STRING, .name = "title", .arg = "TEXT", .value = &r.title,
		 .help = "what to write above the picture"},
		{OPT_UINT, .name = "width", .arg = "PX", .value = &r.width,
		 .help = "width of the picture (default: 1200)"},
		{OPT_FLAG, .name = "inverted", .value = &r.inverted,
		 .help = "the outermost function at the top, an icicle graph"},
		{OPT_STRING, .name = "countname", .arg = "WORD", .value = &r.unit,
		 .help = "what the counts are (default: samples)"},
	};
	const struct opt_table table = {
		.command = "flamegraph",
		.summary = "draw folded stacks as a flame graph",
		.usage = {"[options] [FILE]"},
		.opts = opts,
		.nr = ARRAY_SIZE(opts),
		.notes = "Without FILE, or with \"-\", the stacks are read from standard input:\n\n"
			 "  perf-lite script --folded | perf-lite flamegraph -o flame.svg\n",
	};
	struct opt_rest rest;
	int ret;

	ret = opt_parse(&table, argc, argv, &rest, err);
	if (!ret && rest.help)
		return cmd_help(&table, err);
	if (!ret)
		ret = check(&r, &rest, err);
	return ret ? ret : flamegraph(&r, err);
}
