// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

/*
 * A short name can give a result of any length (each of its parts may repeat the two before
 * it), and libiberty goes through all of it: the only way out is a jump from its callback. By then
 * it holds memory in one place only: the decoder of Rust's Punycode identifiers, which hands over
 * each character in a variable of its own.
 */
struct sink {
	struct buf *out;
	size_t limit;
	bool rust, full;
	const char *frame; /* of run() */
	jmp_buf way_out;
};

static void take(const char *s, size_t len, void *arg)
{
	struct sink *sink = arg;
	const char *frame = __builtin_frame_address(0);
	bool is_local = s > frame && s < sink->frame;

	if (sink->full || sink->out->len > sink->limit || len > sink->limit - sink->out->len) {
		sink->full = true;
		if (!sink->rust || !is_local)
			longjmp(sink->way_out, 1);
		return;
	}
	buf_add(sink->out, s, len);
}

static bool run(struct sink *sink, const char *name, int options)
{
	sink->frame = __builtin_frame_address(0);
	if (setjmp(sink->way_out))
		return false;
	return (sink->rust ? rust_demangle_callback(name, options, take, sink)
			   : cplus_demangle_v3_callback(name, options, take, sink)) &&
	       !sink->full && !sink->out->failed;
}

static bool try_language(struct buf *out, const char *name, int options, bool rust)
{
	size_t before = out->len;
	struct sink sink = {.out = out, .limit = before + DEMANGLE_OUT_MAX, .rust = rust};

	if (run(&sink, name, options))
		return true;
	/* a part of it may have come */
	if (out->data && !out->failed) {
		out->len = before;
		out->data[before] = '\0';
	}
	return false;
}

bool demangle(struct buf *out, const char *name, unsigned int flags)
{
	int options = flags & DEMANGLE_PARAMS ? DMGL_PARAMS | DMGL_ANSI : 0;

	/* both languages' names begin so; names of the older Rust look like those of C++ */
	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R' && name[1] != 'G') ||
	    strnlen(name, DEMANGLE_IN_MAX + 1) > DEMANGLE_IN_MAX)
		return false;
	if (try_language(out, name, options, true))
		return true;
	/* its limit of recursion is one of 1024 bytes of name */
	return name[1] != 'R' && try_language(out, name, options | DMGL_NO_RECURSE_LIMIT, false);
}
