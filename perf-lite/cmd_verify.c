// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd.h"

#include <errno.h>
#include <stdio.h>

#include "perf-lite/cmd_verify.h"
#include "perf-lite/input.h"
#include "util/base/text.h"
#include "util/file/verify.h"
#include "util/library/reading.h"

struct verify_cmd {
	const char *path;
	bool quiet, verbose;
	struct verify v;
	struct verify_bytes bytes;
	struct buf out;
};

static const char *type_name(u16 type)
{
	static const char *const names[] = {
		[BLOCK_META] = "META",     [BLOCK_ATTR] = "ATTR",     [BLOCK_TPFMT] = "TPFMT",
		[BLOCK_DATA] = "DATA",     [BLOCK_SYMS] = "SYMS",     [BLOCK_DSO] = "DSO",
		[BLOCK_END] = "END",       [BLOCK_IDS] = "IDS",       [BLOCK_LOSS] = "LOSS",
		[BLOCK_COUNTS] = "COUNTS", [BLOCK_FRAMES] = "FRAMES",
	};

	return type < ARRAY_SIZE(names) && names[type] ? names[type] : "?";
}

/* A line for each block, under these heads. */
static void put_block_heads(struct buf *b)
{
	buf_addf(b, "%12s %-6s %8s %9s %9s %9s %9s  %s\n", "byte", "type", "number", "records",
		 "samples", "stored", "raw", "time");
}

static void put_block(struct verify_cmd *c, const struct blocks_item *it)
{
	const struct block *k = &it->head;
	struct buf *b = &c->out;

	buf_dec(b, it->at, 12);
	if (it->kind != BLOCKS_WHOLE) {
		buf_addf(b, " %-6s %llu bytes\n", it->kind == BLOCKS_CUT ? "cut" : "bad",
			 (unsigned long long)it->bytes);
		return;
	}
	buf_addf(b, " %-6s %8llu ", type_name(k->type), (unsigned long long)k->seq);
	if (k->type == BLOCK_DATA)
		buf_addf(b, "%9u %9u ", k->records, c->v.state.data.samples);
	else
		buf_addf(b, "%9s %9s ", "", "");
	buf_addf(b, "%9u %9u", k->stored_size, k->raw_size);
	if (k->time_max) {
		buf_adds(b, "  ");
		text_seconds(b, k->time_min, 6);
		buf_adds(b, "..");
		text_seconds(b, k->time_max, 6);
	}
	buf_addc(b, '\n');
}

static bool any_account(const struct recording *r, enum verify_account is)
{
	u32 i;

	for (i = 0; i < r->counts.nr; i++)
		if (verify_account(&r->counts.v[i]) == is)
			return true;
	return false;
}

static void put_verdict(struct verify_cmd *c)
{
	const struct verify *v = &c->v;
	const char *name = stream_name(c->path);

	text_escape(&c->out, name, strlen(name));
	if (!v->nr_problems)
		buf_adds(&c->out, any_account(&v->recording, VERIFY_CLOSES)
					  ? ": whole, and its account closes\n"
					  : ": whole\n");
	else if (any_account(&v->recording, VERIFY_OPEN))
		buf_adds(&c->out, ": its account does not close\n");
	else if (v->nr_problems == 1 && !v->state.account.ended)
		buf_adds(&c->out, ": not finished; what is there is whole\n");
	else
		buf_adds(&c->out, ": not whole\n");
}

static void put_problems(struct verify_cmd *c)
{
	const struct verify *v = &c->v;
	u32 i;

	for (i = 0; i < v->problems.nr; i++) {
		buf_adds(&c->out, "  ");
		if (v->problems.v[i].at != UINT64_MAX)
			buf_addf(&c->out, "byte %llu: ", (unsigned long long)v->problems.v[i].at);
		buf_addf(&c->out, "%s\n", v->problems.v[i].text);
	}
	if (v->nr_problems > v->problems.nr)
		buf_addf(&c->out, "  and %llu more\n",
			 (unsigned long long)(v->nr_problems - v->problems.nr));
}

static void put_totals(struct verify_cmd *c)
{
	const struct verify *v = &c->v;
	struct buf *b = &c->out;

	buf_addf(b, "  blocks     %llu, %llu of them records", (unsigned long long)v->blocks,
		 (unsigned long long)v->data_blocks);
	if (v->recording.damage.repeated)
		buf_addf(b, "; %llu are there twice and count once",
			 (unsigned long long)v->recording.damage.repeated);
	buf_addf(b, "\n  samples    %llu, and %llu other record%s\n",
		 (unsigned long long)v->samples, (unsigned long long)(v->records - v->samples),
		 TEXT_PLURAL(v->records - v->samples));
	if (v->recording.damage.samples)
		buf_addf(b, "  missing    %llu sample%s\n",
			 (unsigned long long)v->recording.damage.samples,
			 TEXT_PLURAL(v->recording.damage.samples));
	buf_addf(b, "  bytes      %llu", (unsigned long long)v->size);
	if (v->samples)
		buf_addf(b, ", %.2f a sample; as the kernel wrote them %llu",
			 (double)v->size / (double)v->samples, (unsigned long long)v->raw);
	buf_addc(b, '\n');
	if (v->time_max) {
		buf_adds(b, "  time       ");
		text_seconds(b, v->time_min, 6);
		buf_adds(b, " to ");
		text_seconds(b, v->time_max, 6);
		buf_adds(b, ", ");
		text_seconds(b, v->time_max - v->time_min, 6);
		buf_adds(b, " s\n");
	}
}

static void put_loss(struct verify_cmd *c)
{
	struct buf lines = {0};

	reading_loss_lines(&c->v.recording, c->v.lost, "  ", &lines);
	buf_addf(&c->out, "%s", lines.len ? buf_str(&lines) : "  lost       nothing\n");
	c->out.failed |= lines.failed;
	buf_free(&lines);
}

/* What each event counted, in columns. */
static void put_accounts(struct verify_cmd *c)
{
	const struct recording *r = &c->v.recording;
	struct buf *b = &c->out, name = {0};
	size_t width = strlen("event");
	u32 i;
	int pass;

	if (!r->counts.nr)
		return;
	for (pass = 0; pass < 2; pass++) {
		if (pass)
			buf_addf(b, "\n  %-*s %12s %12s %12s %12s %12s %12s\n", (int)width, "event",
				 "samples", "lost", "excluded", "unwritten", "unsampled",
				 "counted");
		for (i = 0; i < r->counts.nr; i++) {
			const struct counts *n = &r->counts.v[i];
			enum verify_account a = verify_account(n);
			const char *event = n->event < r->events.events.nr
						    ? r->events.events.v[n->event].name
						    : "?";

			buf_clear(&name);
			text_escape(&name, event, strlen(event));
			width = MAX(width, name.len);
			if (!pass)
				continue;
			buf_addf(b, "  %-*s %12llu %12llu %12llu %12llu %12llu ", (int)width,
				 buf_str(&name), (unsigned long long)n->samples,
				 (unsigned long long)n->lost, (unsigned long long)n->excluded,
				 (unsigned long long)n->unwritten,
				 (unsigned long long)n->unsampled);
			if (a == VERIFY_NO_COUNT)
				buf_addf(b, "%12s\n", "-");
			else
				buf_addf(b, "%12llu  %s\n", (unsigned long long)n->count,
					 a == VERIFY_CLOSES ? "closes" : "does not close");
		}
	}
	b->failed |= name.failed;
	buf_free(&name);
}

static int run(struct verify_cmd *c, struct err *err)
{
	struct blocks_item it;
	int ret;

	input_spare_interrupt(c->path);
	ret = verify_open(&c->v, c->path, err);
	if (ret)
		return ret;
	if (c->verbose)
		put_block_heads(&c->out);
	while ((ret = verify_next(&c->v, &it, err)) > 0) {
		if (!c->verbose)
			continue;
		put_block(c, &it);
		verify_bytes_add(&c->bytes, &c->v.recording, c->v.state.decoder, &it,
				 it.kind == BLOCKS_WHOLE ? type_name(it.head.type) : "damaged");
	}
	if (!ret)
		ret = verify_end(&c->v, err);
	if (ret)
		return ret;
	if (c->quiet)
		buf_clear(&c->out);
	if (c->verbose && !c->quiet)
		buf_addc(&c->out, '\n');
	if (!c->quiet) {
		put_verdict(c);
		put_problems(c);
		put_totals(c);
		put_loss(c);
		put_accounts(c);
	}
	if (c->verbose && !c->quiet)
		verify_bytes_put(&c->bytes, c->v.size, c->v.samples, &c->out);
	ret = cmd_write(&c->out, err);
	return ret ? ret : c->v.nr_problems ? CMD_PARTIAL : CMD_OK;
}

#define OPT_STRUCT struct verify_cmd

static const struct opt opts[] = {
	OPT_FLAG('q', "quiet", quiet, "print nothing, only exit"),
	OPT_FLAG('v', "verbose", verbose, "print each block, and what the bytes are used for"),
	OPT_REFUSED('i', "input", "without -i: perf-lite verify FILE"),
	OPT_END,
};

static const struct opt_table table = {
	.command = "verify",
	.summary = "check that a recording is complete and its totals agree",
	.usage = {"[options] [FILE]"},
	.opts = opts,
	.notes =
		"FILE is perf-lite.data if it is not given; - is standard input.\n"
		"Exit codes: 0 whole (what was lost while recording is accounted for), 1 wrong usage or\n"
		"unreadable, 3 damaged, cut or not finished, or the account does not close.\n",
};

int cmd_verify(int argc, char **argv, struct err *err)
{
	struct verify_cmd c = {.path = "perf-lite.data"};
	struct opt_rest rest;
	int ret;

	ret = cmd_options(&table, &c, argc, argv, &rest, err);
	if (ret || rest.help)
		return ret;
	if (rest.argc > 1) {
		err_set(err, EINVAL, "verify takes one file, not '%s' as well", rest.argv[1]);
		err_hint(err, "perf-lite verify %s", TEXT_SHELL(rest.argv[0]));
		return -EINVAL;
	}
	if (rest.argc)
		c.path = rest.argv[0];
	ret = run(&c, err);
	verify_free(&c.v);
	verify_bytes_free(&c.bytes);
	buf_free(&c.out);
	return ret;
}
