// SPDX-License-Identifier: GPL-2.0
#include "util/draw/folded.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

void folded_init(struct folded *f, struct frame_tree *tree)
{
	*f = (struct folded){.tree = tree};
}

static int bad_line(struct folded *f, const char *why)
{
	if (!f->bad++) {
		f->bad_line = f->lines;
		f->bad_why = why;
	}
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The decimal digits s..end as a number; false if there are others, none, or too many. */
static bool decimal(const char *s, const char *end, u64 *v)
{
	u64 n = 0;

	if (s == end)
		return false;
	for (; s < end; s++) {
		if (!isdigit((unsigned char)*s) || __builtin_mul_overflow(n, (u64)10, &n) ||
		    __builtin_add_overflow(n, (u64)(*s - '0'), &n))
			return false;
	}
	*v = n;
	return true;
}

/* A line of perf script; what it counted of. */
static int read_script(struct folded *f, const char *s, size_t len, struct err *err)
{
	const char *why;
	int ret;

	f->script.tree = f->tree;
	f->script.old = f->old;
	ret = perf_script_line(&f->script, s, len, &why, err);
	f->stacks = f->script.stacks;
	if (!ret && why)
		bad_line(f, why);
	return ret;
}

/* One line without its '\n'. */
static int read_line(struct folded *f, const char *s, size_t len, struct err *err)
{
	const char *end = s + len, *count, *sep;
	u32 node = 0;
	u64 n;
	int ret;

	f->lines++;
	if (f->is_script)
		return read_script(f, s, len, err);
	while (end > s && (is_blank(end[-1]) || end[-1] == '\r'))
		end--;
	if (end == s || *s == '#')
		return 0;
	if (!f->known) {
		f->known = true;
		f->is_script = perf_script_begins(s, (size_t)(end - s));
		if (f->is_script)
			return read_script(f, s, len, err);
	}
	for (count = end; count > s && !is_blank(count[-1]); count--)
		;
	if (count == s)
		return bad_line(f, "it is not a stack, a blank and a count");
	if (!decimal(count, end, &n))
		return bad_line(f, "its count is not a whole number of at most 64 bits");
	for (end = count; end > s && is_blank(end[-1]); end--)
		;
	if (end == s)
		return bad_line(f, "it has a count but no stack");
	for (;; s = sep + 1) {
		sep = memchr(s, ';', (size_t)(end - s));
		len = (size_t)((sep ? sep : end) - s);
		node = frame_tree_child(f->tree, node, frame_tree_name(f->tree, s, len));
		if (!sep)
			break;
	}
	ret = f->old ? frame_tree_add_old(f->tree, node, n, err)
		     : frame_tree_add(f->tree, node, n, err);
	f->stacks += !ret;
	return ret;
}

/* The line in f->part has ended. */
static int end_part(struct folded *f, struct err *err)
{
	int ret = 0;

	if (f->part.failed)
		return err_nomem(err);
	if (f->part_too_long) {
		f->lines++;
		ret = bad_line(f, "it is longer than 4 MiB");
	} else {
		ret = read_line(f, buf_str(&f->part), f->part.len, err);
	}
	buf_clear(&f->part);
	f->part_too_long = false;
	return ret;
}

int folded_feed(struct folded *f, const void *p, size_t len, struct err *err)
{
	const char *s = p, *end = s + len, *nl;
	int ret = 0;

	for (; s < end && !ret; s = nl + 1) {
		nl = memchr(s, '\n', (size_t)(end - s));
		len = (size_t)((nl ? nl : end) - s);
		if (nl && !f->part.len && !f->part_too_long && len <= FOLDED_LINE_MAX) {
			ret = read_line(f, s, len, err);
			continue;
		}
		if (f->part_too_long || len > FOLDED_LINE_MAX - f->part.len) {
			f->part_too_long = true;
			buf_clear(&f->part);
		} else {
			buf_add(&f->part, s, len);
		}
		if (!nl)
			break;
		ret = end_part(f, err);
	}
	return ret;
}

int folded_end(struct folded *f, struct err *err)
{
	int ret = f->part.len || f->part_too_long || f->part.failed ? end_part(f, err) : 0;

	if (!ret && f->is_script) {
		ret = perf_script_end(&f->script, err);
		f->stacks = f->script.stacks;
	}
	return ret;
}

void folded_free(struct folded *f)
{
	buf_free(&f->part);
	perf_script_free(&f->script);
}
