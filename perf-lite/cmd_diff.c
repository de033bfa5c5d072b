// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_diff.c - perf-lite diff: what has more in one recording than in another, and what less.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-lite/diff.h"
#include "util/base/text.h"
#include "util/cli/terminal.h"
#include "util/format/diff_view.h"

/* Print what is wrong with one side: *err has room for one only. */
static void print_error(const struct diff *d, const struct err *e)
{
	struct buf b = {0};

	text_escape(&b, e->msg, strlen(e->msg));
	if (!d->sides[0].in.quiet)
		fprintf(stderr, "%s\n", buf_str(&b));
	buf_free(&b);
}

/* CMD_OK, CMD_PARTIAL, or <0. */
static int read_sides(struct diff *d, struct err *err)
{
	struct diff_side *old = &d->sides[STACK_DIFF_OLD], *new = &d->sides[STACK_DIFF_NEW];
	const bool plain = d->folded || old->folded || new->folded;
	struct err first = {0};
	int ret, both;

	ret = diff_side_read(old, plain, plain, &d->sections, &first);
	if (ret < 0) {
		*err = first;
		return ret;
	}
	both = diff_side_read(new, plain, plain, &d->sections, err);
	if (both >= 0 && ret == CMD_PARTIAL) {
		if (both == CMD_PARTIAL)
			print_error(d, &first);
		else
			*err = first;
		both = CMD_PARTIAL;
	}
	if (both >= 0) {
		ret = diff_side_put(old, &d->sections, err);
		if (!ret)
			ret = diff_side_put(new, &d->sections, err);
		both = ret ? ret : both;
	}
	return both;
}

static int judge(const struct diff *d, struct stack_diff *diff, struct err *err)
{
	diff->scale = d->view.scale;
	diff->burst = d->burst;
	diff->seconds[STACK_DIFF_OLD] = d->sides[STACK_DIFF_OLD].seconds;
	diff->seconds[STACK_DIFF_NEW] = d->sides[STACK_DIFF_NEW].seconds;
	return stack_diff_judge(diff, err);
}

static int compare_section(const struct diff *d, struct diff_section *s, struct err *err)
{
	int ret = diff_tree_finish(&s->tree, err);

	if (!ret)
		ret = diff_tree_functions(&s->tree, d->view.by, &s->functions, err);
	if (!ret)
		ret = judge(d, &s->functions.self, err);
	if (!ret)
		ret = judge(d, &s->functions.total, err);
	if (!ret && (d->view.stacks || d->folded))
		ret = diff_tree_stacks(&s->tree, &s->stacks, err);
	return ret ? ret : judge(d, &s->stacks.diff, err);
}

static int print(struct diff *d, struct buf *out, struct err *err)
{
	const bool wanted = terminal_has_colour(d->colour, STDOUT_FILENO);
	const struct diff_colours colours = {
		.more = terminal_colour(wanted, COLOUR_RED),
		.less = terminal_colour(wanted, COLOUR_GREEN),
		.dim = terminal_colour(wanted, COLOUR_DIM),
		.bold = terminal_colour(wanted, COLOUR_BOLD),
		.off = terminal_colour(wanted, COLOUR_OFF),
	};
	int i;

	for (i = 0; i < STACK_DIFF_SIDES; i++)
		d->view.recordings[i] = (struct diff_recording){
			.path = stream_name(d->sides[i].in.session.path),
			.folded = d->sides[i].folded,
			.seconds = d->sides[i].seconds,
		};
	d->view.sections = d->sections.sections.v;
	d->view.nr = d->sections.sections.nr;
	if (d->csv)
		return diff_export_csv(out, &d->view, err);
	if (d->json)
		return diff_export_json(out, &d->view, err);
	if (d->folded)
		return diff_export_folded(out, &d->view, err);
	return diff_text(out, &d->view, &colours, err);
}

/* An exit code: is there anything in both? Programs do not read what the table says of the rest. */
static int verdict(const struct diff *d, int code, struct err *err)
{
	const bool text = !d->csv && !d->json && !d->folded;
	struct buf missing = {0};
	u32 i, nr = 0;

	for (i = 0; i < d->sections.sections.nr; i++) {
		const struct diff_section *s = &d->sections.sections.v[i];

		if (diff_view_comparable(s))
			nr++;
		else
			diff_text_missing(&missing, s);
	}
	if (!text && !d->sides[0].in.quiet)
		fputs(buf_str(&missing), stderr);
	buf_free(&missing);
	if (nr || code)
		return code;
	err_set(err, ENODATA, "nothing to compare: no event has samples in both");
	return CMD_USAGE;
}

static int check_times(const struct diff *d, struct err *err)
{
	int i;

	for (i = 0; i < STACK_DIFF_SIDES && d->view.scale == STACK_DIFF_SECOND; i++) {
		if (d->sides[i].seconds > 0)
			continue;
		err_set(err, EINVAL, "%s does not say how long it took",
			stream_name(d->sides[i].in.session.path));
		err_hint(err, "compare shares: leave out --per-second");
		return -EINVAL;
	}
	return 0;
}

/* Folded stacks have no file names: the remaining keys distinguish rows. */
static int check_keys(struct diff *d, struct err *err)
{
	if (!d->sides[STACK_DIFF_OLD].folded && !d->sides[STACK_DIFF_NEW].folded)
		return 0;
	d->view.by &= ~DIFF_BY_FILE;
	if (d->view.by)
		return 0;
	err_set(err, EINVAL, "folded stacks have no files");
	err_hint(err, "--by sym, or --by comm");
	return -EINVAL;
}

static int run(struct diff *d, struct buf *out, struct err *err)
{
	int ret = 0, code = CMD_OK, i;
	u32 k;

	for (i = 0; i < STACK_DIFF_SIDES && !ret; i++)
		ret = diff_side_look(&d->sides[i], err);
	if (!ret)
		ret = check_keys(d, err);
	if (!ret) {
		code = read_sides(d, err);
		ret = MIN(code, 0);
	}
	if (!ret)
		ret = check_times(d, err);
	for (k = 0; k < d->sections.sections.nr && !ret; k++)
		ret = compare_section(d, &d->sections.sections.v[k], err);
	if (!ret)
		ret = print(d, out, err);
	return ret ? ret : verdict(d, code, err);
}

static void free_all(struct diff *d)
{
	u32 i;

	for (i = 0; i < STACK_DIFF_SIDES; i++)
		diff_side_free(&d->sides[i]);
	for (i = 0; i < d->sections.sections.nr; i++) {
		struct diff_section *s = &d->sections.sections.v[i];

		diff_tree_free(&s->tree);
		diff_functions_free(&s->functions);
		diff_stacks_free(&s->stacks);
	}
	vec_free(&d->sections.sections);
	strtab_free(&d->sections.names);
	free(d->older);
}

int cmd_diff(int argc, char **argv, struct err *err)
{
	struct opt_rest rest = {0};
	struct buf out = {0};
	struct diff d;
	int ret;

	ret = diff_options(&d, argc, argv, &rest, err);
	if (!ret && !rest.help) {
		ret = run(&d, &out, err);
		ret = cmd_write_paged(ret, &out, err);
	}
	free_all(&d);
	return ret;
}
