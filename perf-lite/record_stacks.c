// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/record_stacks.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perf-lite/reading.h"
#include "perf-lite/sampling_stacks.h"
#include "util/event/ev_chain.h"
#include "util/process/quality_text.h"

/* So many are read in the blink of an eye, whatever they are. */
#define SAMPLES_MAX 100000

static bool any_walked(const struct sampling *s)
{
	const struct ev_spec *spec;
	u32 i;

	for (i = 0; i < s->list.specs.nr; i++) {
		spec = &s->list.specs.v[i];
		if (!spec->sideband && spec->attr.sample_type & PERF_SAMPLE_CALLCHAIN &&
		    !spec->attr.exclude_callchain_user)
			return true;
	}
	return false;
}

/* Nothing that goes wrong here is worth a word: the recording is made. */
static bool judge(const char *path, struct buf *line)
{
	struct session_sample s;
	struct reading in;
	struct err err;
	bool poor;
	u64 nr = 0;
	int ret;

	reading_init(&in);
	in.session.path = path;
	in.session.no_raw = in.session.alike = true;
	in.quiet = in.judges = true;
	ret = reading_open(&in, &err);
	while (!ret && nr < SAMPLES_MAX && reading_sample(&in, &s, &err) > 0)
		nr += s.samples;
	poor = quality_is_poor(&in.stacks.counts);
	if (!ret && nr >= SAMPLES_MAX)
		buf_addf(line, "of the first %llu samples, ", (unsigned long long)nr);
	if (!ret && nr)
		quality_text_line(&in.stacks.counts, &in.s->model, line);
	reading_close(&in);
	return poor;
}

void record_stacks_tell(const struct record *c)
{
	const char *path = c->options.block_writer.output;
	struct buf line = {0};
	bool poor = c->recorder.poor_stacks;

	if (c->quiet)
		return;
	/* of links to callers alone the recorder does not know where stacks end */
	if (sampling_any_stacks(&c->what))
		buf_adds(&line, buf_str(&c->recorder.stacks));
	else if (any_walked(&c->what) && strcmp(path, "-") != 0)
		poor = judge(path, &line);
	if (line.len && (poor || c->verbose || isatty(STDERR_FILENO)))
		fprintf(stderr, "perf-lite record: %s\n", buf_str(&line));
	buf_free(&line);
}
