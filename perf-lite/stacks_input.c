// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/stacks_input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf-lite/cmd.h"
#include "perf-lite/input.h"
#include "util/cli/terminal.h"
#include "util/file/source.h"

#define PIECE (64 * 1024)

static bool is_directory(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int cannot_read(const struct stacks_input *in, struct err *err)
{
	return err_set(err, -in->stream.error, "cannot read %s: %s", stream_name(in->path),
		       strerror(-in->stream.error));
}

int stacks_input_open(struct stacks_input *in, const char *path, struct err *err)
{
	enum source_kind kind;
	int ret;

	*in = (struct stacks_input){.path = path};
	if (is_directory(path)) {
		in->recording = true;
		return 0;
	}
	input_spare_interrupt(path);
	ret = stream_open(&in->stream, path, err);
	if (ret)
		return ret;
	in->open = true;
	kind = source_kind(&in->stream);
	in->empty = kind == SOURCE_EMPTY;
	in->recording = kind == SOURCE_NATIVE || kind == SOURCE_PERFDATA;
	if (in->stream.error)
		return cannot_read(in, err);
	return kind >= SOURCE_GZIP ? source_unknown(kind, stream_name(path), err) : 0;
}

struct stream *stacks_input_take(struct stacks_input *in)
{
	if (!in->open)
		return NULL;
	in->open = false;
	return &in->stream;
}

static int feed(struct stacks_input *in, struct folded *f, struct err *err)
{
	const u64 size = in->stream.seekable ? in->stream.size : 0;
	struct progress progress;
	const u8 *p;
	size_t got;
	int ret;

	progress_start(&progress, "Reading stacks", STDERR_FILENO);
	do {
		p = stream_peek(&in->stream, PIECE, &got);
		ret = folded_feed(f, p, got, err);
		stream_skip(&in->stream, got);
		progress_update(&progress, stream_tell(&in->stream), size);
	} while (!ret && got == PIECE);
	progress_end(&progress);
	if (!ret && in->stream.error)
		return cannot_read(in, err);
	return ret ? ret : folded_end(f, err);
}

/* What of a text of perf script was not for this picture. */
static int check_event(const struct folded *f, const char *name, bool quiet, struct err *err)
{
	const struct perf_script *p = &f->script;

	if (f->is_script && !p->stacks && p->others)
		return err_set(err, EINVAL, "%s has no samples of %s", name, p->event);
	if (f->is_script && p->others && p->event == p->first.data && !quiet)
		fprintf(stderr,
			"%s: only samples of %s, the first event; %llu of other events were left out\n",
			name, p->event, (unsigned long long)p->others);
	return 0;
}

int stacks_input_text(struct stacks_input *in, struct folded *f, struct err *err)
{
	const char *name = stream_name(in->path);
	int ret = feed(in, f, err);

	if (!ret)
		ret = check_event(f, name, in->quiet, err);
	if (ret || !f->bad)
		return ret;
	/* a few lines of a text may look like stacks */
	if (f->stacks && f->bad <= 2 * (f->lines - f->bad)) {
		err_set(err, EINVAL, "%s: %llu of %llu lines left out, the first is line %llu: %s",
			name, (unsigned long long)f->bad, (unsigned long long)f->lines,
			(unsigned long long)f->bad_line, f->bad_why);
		return CMD_PARTIAL;
	}
	/* whatever this is, what is made of it would mislead */
	err_set(err, EINVAL, "%s is no recording, and holds no folded stacks: line %llu: %s", name,
		(unsigned long long)f->bad_line, f->bad_why);
	err_hint(err, "perf-lite script --folded writes them: FRAME;FRAME;... COUNT");
	return -EINVAL;
}

void stacks_input_close(struct stacks_input *in)
{
	if (in->open)
		stream_close(&in->stream);
	in->open = false;
}
